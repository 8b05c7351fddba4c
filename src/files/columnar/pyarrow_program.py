"""The half of columnar_table.cpp that knows the files: reads Parquet and Arrow files with PyArrow, and writes them.

The command holds this text and gives it to an interpreter, `python3 -c TEXT SHARED`. SHARED is the number of an open file in memory, in
which both put what is large. What they say to each other is one line of JSON each time:

  command → here  {"inputs": [{"path", "format"}], "keys": [name, …] or null for all that have an order, "threads"}
  here → command  {"rows", "columns": [{"name", "type", "nulls"}], "facts": [[word, value], …],
                   "keys": [{"column", "nulls", "type", "pieces": [[rows, valid, values, offsets], …]}]}
  command → here  {"rows", "counted", "format", "order": [[column, descending, nulls first], …]}
  here → command  the file's bytes

The pieces of a key's column follow each other, and say where their arrays begin in SHARED, or -1 where there is none: a byte a row, 1 where
the row is not null; values of the key type `type`, or bytes; and where `type` is "text" n + 1 offsets of 64 bits, of which the first is that
of the first byte of the piece. Of rows wanted, SHARED holds the numbers, as u32, and behind them, where they are `counted`, the counts as u64.
What fails is said in SHARED, {"kind", "input", "what"}, and the exit status is then 3. Nothing is written to standard error.
"""

import sys

sys.path[:] = [folder for folder in sys.path if folder]  # no modules of the folder in which the command happens to run

import collections
import concurrent.futures
import json
import mmap
import os

ROWS = 1 << 20  # of a batch, and of a row group where no other says how many
SHARED = int(sys.argv[1])


class Refused(Exception):
    def __init__(self, kind, what, position=0):
        self.kind, self.what, self.position = kind, what, position


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)  # nothing is wanted any more
    return json.loads(line)


def say(message):
    print(json.dumps(message), flush=True)


def read_parquet(path):
    import pyarrow.parquet as pq

    file = pq.ParquetFile(pa.OSFile(path), page_checksum_verification=True)
    held = file.metadata
    groups = [held.row_group(i) for i in range(held.num_row_groups)]
    codecs = sorted({g.column(i).compression.lower() for g in groups for i in range(g.num_columns)})
    facts = {"row groups": str(len(groups)), "packed by": ", ".join(codecs) or "nothing", "made by": held.created_by or "?"}
    if groups and groups[0].sorting_columns and all(g.sorting_columns == groups[0].sorting_columns for g in groups):
        names = [held.schema.column(s.column_index).path + (":desc" if s.descending else "") for s in groups[0].sorting_columns]
        facts["each group"] = "says that it is in order by " + ", ".join(names)
    layout = {"group": max([g.num_rows for g in groups], default=0), "codec": codecs[0] if len(codecs) == 1 else None}
    return file.read(), facts, layout


def read_arrow(path, is_stream):
    source = pa.OSFile(path)
    table = (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(source).read_all()
    table.validate(full=True)  # such a file can say anything of where its arrays end
    return table, {}, {}


def read_all(inputs):
    tables, facts, layout = [], {}, {}
    for i, one in enumerate(inputs):
        try:
            if one["format"] == "parquet":
                table, of_file, how = read_parquet(one["path"])
            else:
                table, of_file, how = read_arrow(one["path"], one["format"] == "arrows")
        except MemoryError:
            raise
        except Exception as e:
            raise Refused("file", told(e), i)
        if i == 0:
            facts, layout = of_file, how
        elif table.schema != tables[0].schema:
            raise Refused("schema", different(tables[0].schema, table.schema), i)
        tables.append(table)
    return pa.concat_tables(tables), facts, layout


def different(first, other):
    if first.names != other.names:
        return "its columns are " + ", ".join(other.names) + "; those of the first input " + ", ".join(first.names)
    for a, b in zip(first, other):
        if a != b:
            return f"its column '{b.name}' is of type {b.type}, that of the first input of type {a.type}"
    return "it has other columns than the first input"


def told(error):
    """One line of what PyArrow says."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else text[:200] + "…"


def plain(column):
    """A column as values of its own: no dictionary, no extension of another type."""
    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column


def key_type_of(t):
    """The type of the keys that the values of a column are, "text" of those that are ordered by their bytes; nothing of those without order."""
    is_ = pa.types
    if is_.is_boolean(t) or is_.is_null(t):
        return "u8"
    if is_.is_integer(t):
        return ("i" if is_.is_signed_integer(t) else "u") + str(t.bit_width)
    if is_.is_floating(t):
        return "f" + str(t.bit_width)
    if is_.is_temporal(t) and t.id != pa.lib.Type_INTERVAL_MONTH_DAY_NANO:
        return "i" + str(t.bit_width)
    if is_.is_decimal(t) and t.bit_width <= 128:
        return "i" + str(t.bit_width)
    if str(t) in ("string_view", "binary_view") or is_.is_string(t) or is_.is_large_string(t) or is_.is_binary(t) or is_.is_large_binary(t) or is_.is_fixed_size_binary(t):
        return "text"
    return None


class Shelf:
    """SHARED, filled from its beginning on."""

    def __init__(self):
        self.end = 0

    def put(self, part):
        part = memoryview(part).cast("B")
        at = self.end
        self.end += -(-len(part) // 8) * 8
        done = 0
        while done < len(part):
            done += os.pwrite(SHARED, part[done : done + (1 << 30)], at + done)
        os.ftruncate(SHARED, self.end)
        return at


def put_key(shelf, table, i):
    column = plain(table.column(i))
    key_type = key_type_of(column.type)
    if key_type == "text":
        column = column.cast(pa.large_binary())
    elif pa.types.is_boolean(column.type) or pa.types.is_null(column.type):
        column = column.cast(pa.uint8())
    pieces = []
    for chunk in column.chunks:
        if len(chunk) == 0:
            continue
        n, valid, offsets = len(chunk), -1, -1
        if chunk.null_count:
            valid = shelf.put(chunk.is_valid().cast(pa.uint8()).buffers()[1])
        if key_type == "text":
            _, bounds, held = chunk.buffers()
            bounds = memoryview(bounds).cast("q")[chunk.offset :][: n + 1]
            offsets = shelf.put(bounds)
            values = shelf.put(memoryview(held)[bounds[0] : bounds[n]] if held else b"")
        else:
            width = column.type.bit_width // 8
            values = shelf.put(memoryview(chunk.buffers()[1])[width * chunk.offset :][: width * n])
        pieces.append([n, valid, values, offsets])
    return {"column": i, "nulls": column.null_count, "type": key_type, "pieces": pieces}


def wanted_columns(schema, names):
    if names is None:
        return [i for i, field in enumerate(schema) if key_type_of(value_type(field.type))]
    found = []
    for name in names:
        places = [i for i, held in enumerate(schema.names) if held == name]
        if len(places) != 1:
            how_many = "no column" if not places else f"{len(places)} columns"
            raise Refused("column", f"there is {how_many} '{name}' (columns: {', '.join(schema.names)})")
        held = schema.field(places[0]).type
        if key_type_of(value_type(held)) is None:
            raise Refused("column", f"its column '{name}' is of type {held}, which has no order here (numbers, decimals of up to 128 bits, "
                          "booleans, dates, times, text, binary, and dictionaries of these have one)")
        found.append(places[0])
    return found


def value_type(t):
    t = t.storage_type if isinstance(t, pa.BaseExtensionType) else t
    return t.value_type if pa.types.is_dictionary(t) else t


def numbers(type_, n, at):
    """n numbers of SHARED, where they lie."""
    if n == 0:
        return pa.array([], type_)
    shared = pa.py_buffer(mmap.mmap(SHARED, os.fstat(SHARED).st_size, prot=mmap.PROT_READ))
    return pa.Array.from_buffers(type_, n, [None, shared.slice(at)])


def with_count(schema):
    if "count" in schema.names:
        raise Refused("column", "it has a column 'count' already, so that counts have no name")
    return schema.append(pa.field("count", pa.uint64()))


def movable(table):
    """Views become texts of the usual kind: PyArrow takes no rows of views."""
    texts = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    schema = pa.schema([field.with_type(texts.get(str(field.type), field.type)) for field in table.schema], table.schema.metadata)
    return table if schema == table.schema else table.cast(schema)


def batches(table, schema, ids, rows, threads):
    """The rows, so many at a time, as tables of this schema; some batches ahead are in the making."""

    def take(begin):
        taken = table.take(ids.slice(begin, rows))
        return taken if taken.schema.equals(schema) else taken.cast(schema)

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        ahead = collections.deque()
        for begin in range(0, len(ids), rows):
            ahead.append(pool.submit(take, begin))
            if len(ahead) > threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


class Pipe:
    """Standard output as PyArrow writes to it: a pipe that knows how far it is."""

    closed = False

    def __init__(self):
        self.at = 0

    def write(self, data):
        rest = memoryview(data).cast("B")
        while len(rest):
            rest = rest[os.write(1, rest) :]
        self.at += memoryview(data).nbytes
        return memoryview(data).nbytes

    def tell(self):
        return self.at

    def flush(self):
        pass

    def close(self):
        self.closed = True


def sorting_columns(schema, order):
    """What a Parquet file says of its order, where no column is of several: they are numbered otherwise then."""
    import pyarrow.parquet as pq

    if any(pa.types.is_nested(field.type) for field in schema):
        return None
    return [pq.SortingColumn(column, descending, nulls_first) for column, descending, nulls_first in order] or None


def write_parquet(sink, schema, made, order, layout):
    import pyarrow.parquet as pq

    codec = layout.get("codec") or "snappy"
    with pq.ParquetWriter(sink, schema, compression="none" if codec == "uncompressed" else codec.replace("_raw", ""),
                          sorting_columns=sorting_columns(schema, order), write_page_checksum=True) as writer:
        for table in made:
            writer.write_table(table, row_group_size=max(table.num_rows, 1))


def write_arrow(sink, schema, made, form):
    options = pa.ipc.IpcWriteOptions(compression="lz4" if form == "feather" else None)
    with (pa.ipc.new_stream if form == "arrows" else pa.ipc.new_file)(sink, schema, options=options) as writer:
        for table in made:
            writer.write_table(table.combine_chunks().unify_dictionaries())


def write(table, schema, wanted, layout, threads):
    n = wanted["rows"]
    ids = numbers(pa.uint32(), n, 0)
    made = batches(table, schema, ids, layout.get("group") or ROWS, threads)
    if wanted["counted"]:
        counts, before = numbers(pa.uint64(), n, -(-4 * n // 8) * 8), 0
        schema = with_count(schema)

        def counted(parts):
            before = 0
            for part in parts:
                yield part.append_column("count", counts.slice(before, part.num_rows))
                before += part.num_rows

        made = counted(made)
    sink = pa.PythonFile(Pipe(), mode="w")
    if wanted["format"] == "parquet":
        write_parquet(sink, schema, made, wanted["order"], layout)
    else:
        write_arrow(sink, schema, made, wanted["format"])


def main():
    job = hear()
    pa.set_cpu_count(job["threads"])
    table, facts, layout = read_all(job["inputs"])
    if table.num_rows >= 1 << 32:
        raise Refused("file", f"{table.num_rows} rows; fewer than 2^32 are sorted")
    shelf = Shelf()
    keys = [put_key(shelf, table, i) for i in wanted_columns(table.schema, job["keys"])]
    columns = [{"name": f.name, "type": str(f.type), "nulls": table.column(i).null_count} for i, f in enumerate(table.schema)]
    say({"rows": table.num_rows, "columns": columns, "facts": list(facts.items()), "keys": keys})
    wanted, schema = hear(), table.schema
    try:
        table = movable(table).combine_chunks().unify_dictionaries()  # what it was made of goes
        write(table, schema, wanted, layout, job["threads"])
    except (Refused, MemoryError, BrokenPipeError):
        raise
    except Exception as e:
        raise Refused("output", told(e))


def leave(kind, what, position=0):
    os.ftruncate(SHARED, 0)
    os.pwrite(SHARED, json.dumps({"kind": kind, "input": position, "what": what}).encode(), 0)
    os._exit(3)


os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "jemalloc")  # keeps pages that mimalloc gives back: half the system's time, mostly
try:
    import pyarrow as pa
except ImportError as e:
    leave("missing", str(e))
try:
    main()
except Refused as e:
    leave(e.kind, e.what, e.position)
except MemoryError as e:
    leave("memory", str(e))
except BaseException as e:
    leave("program", f"{type(e).__name__}: {e}")
