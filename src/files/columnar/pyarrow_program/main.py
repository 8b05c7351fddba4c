"""The program: a sort in memory, or by way of the disk."""

import concurrent.futures


def write_from_disk(pieces, schema, job):
    wanted = hear()
    try:
        parts = Parts(pieces, numbers(pa.uint32(), wanted["rows"], 0), job["folders"], job["memory"], job["threads"])
    except OSError as e:
        raise Refused("disk", f"its rows do not fit into memory, and cannot be put on the disk in {', '.join(job['folders'])}: {e.strerror or told(e)}")
    layout = {**pieces.layout, "group": parts.group, "in parts": True} if wanted["rows"] else pieces.layout
    write(parts.at, schema, wanted, layout, job["threads"])


def write_from_memory(given, schema, job, layout):
    table = movable(given.pop())
    pieces = (table.columns, table.schema)
    del table
    with concurrent.futures.ThreadPoolExecutor(1) as beside:  # while the command sorts
        whole = beside.submit(in_one_piece, *pieces)
        wanted = hear()
    ids = numbers(pa.uint32(), wanted["rows"], 0)
    table = whole.result()
    write(lambda begin: (table, ids.slice(begin)), schema, wanted, layout, job["threads"])


def written(write, *arguments):
    try:
        write(*arguments)
    except (Refused, MemoryError, BrokenPipeError):
        raise
    except Exception as e:
        raise Refused("output", told(e))


def sort_on_disk(job):
    """Where only some of the columns are wanted, or memory does not hold all."""
    pieces = Pieces(job["inputs"], job["threads"], min(job["memory"] // 8, LARGEST_PIECE))
    places = wanted_columns(pieces.schema, job["keys"])
    tell(Shelf(), pieces.cells(places), places, pieces.schema, [0] * len(pieces.schema), pieces.parts, pieces.facts)
    if not job["rows"]:
        return hear()
    written(write_from_disk, pieces, pieces.schema, job)


def keep_memory():
    """What columns leave is for the next ones: given back to the system, it would be cleared before they have it."""
    if pa.default_memory_pool().backend_name == "jemalloc":
        pa.jemalloc_set_decay_ms(60_000)


def sort_in_memory(job):
    keep_memory()
    table, parts, facts, layout = read_all(job["inputs"], job["threads"])
    places = wanted_columns(table.schema, job["keys"])
    tell(Shelf(), table.select(places), places, table.schema, [table.column(i).null_count for i in range(table.num_columns)], parts, facts)
    if not job["rows"]:
        return hear()
    schema, given = table.schema, [table]
    del table  # its columns go one by one
    written(write_from_memory, given, schema, job, layout)


def main():
    job = hear()
    pa.set_cpu_count(job["threads"])
    (sort_on_disk if is_too_large(job) else sort_in_memory)(job)


os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
# jemalloc keeps pages that mimalloc gives back: half the system's time, mostly. Large pages (JE_ARROW_MALLOC_CONF=thp:always) halve the rest where
# memory is in one piece, and double it where it is not.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "jemalloc")
without_numpy = len(sys.argv) == 2 and hasattr(sys, "orig_argv")
if without_numpy:
    sys.modules["numpy"] = None  # nothing here needs it, and PyArrow starts in half the time
try:
    import pyarrow as pa
except ImportError as e:
    if without_numpy:  # before version 18, PyArrow needs it: once more
        os.execv(sys.executable, [*sys.orig_argv, "with numpy"])
    leave("missing", str(e))
try:
    main()
except Refused as e:
    leave(e.kind, e.what, e.position)
except MemoryError as e:
    leave("memory", str(e))
except BaseException as e:
    leave("program", f"{type(e).__name__}: {e}")
