"""The half of columnar_table.cpp that knows the files: reads Parquet and Arrow files with PyArrow, and writes them.

The command holds this text and gives it to an interpreter, `python3 -c TEXT SHARED`. SHARED is the number of an open file in memory, in
which both put what is large. What they say to each other is one line of JSON each time:

  command → here  {"inputs": [{"path", "format"}], "keys": [name, …] or null for all that have an order, "threads", "rows": are any wanted,
                   "memory": bytes for the rows, 0 for any, "folders": for temporary files}
  here → command  {"rows", "parts": [rows of each input], "columns": [{"name", "type", "nulls"}], "facts": [[word, value], …],
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
import errno
import json
import mmap
import os
import random
import threading

ROWS = 1 << 20  # of a batch, and of a row group where no other says how many
SHARED = int(sys.argv[1])


class Refused(Exception):
    def __init__(self, kind, what, position=0):
        self.kind, self.what, self.position = kind, what, position


def hear():
    line = sys.stdin.readline()
    if not line:
        os._exit(0)  # nothing is wanted any more
    return json.loads(line)


def say(message):
    print(json.dumps(message), flush=True)


def read_groups(path, held, threads):
    """The row groups on all threads, which PyArrow by itself shares out column by column."""
    import pyarrow.parquet as pq

    def group(i):
        return pq.ParquetFile(pa.OSFile(path), metadata=held, page_checksum_verification=True).read_row_group(i, use_threads=False)

    return pa.concat_tables(list(ahead(threads, ((group, i) for i in range(held.num_row_groups)))))


def open_parquet(path):
    """The file, what is known of it, and how it is laid out."""
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
    return file, facts, layout


def read_parquet(path, threads):
    file, facts, layout = open_parquet(path)
    held = file.metadata
    return read_groups(path, held, threads) if held.num_row_groups > 1 else file.read(), facts, layout


def read_arrow(path, is_stream):
    source = pa.OSFile(path)
    table = (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(source).read_all()
    table.validate(full=True)  # such a file can say anything of where its arrays end
    return table, {}, {}


def read_all(inputs, threads):
    tables, facts, layout = [], {}, {}
    for i, one in enumerate(inputs):
        try:
            if one["format"] == "parquet":
                table, of_file, how = read_parquet(one["path"], threads)
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
    return pa.concat_tables(tables), [table.num_rows for table in tables], facts, layout


# ---- Rows that memory does not hold. The cells of the keys are read by themselves, the rows a second time: each is put where the output has
# it, in one of some temporary files that hold as many rows as memory does, and follow each other in the output.

TIMES_IN_MEMORY = 3  # what a sort takes, as a multiple of the rows
PARTS = 512  # at most, each an open file
LARGEST_PIECE = 1 << 30  # below the 2^31 bytes of text that an array of PyArrow holds


def size_in_memory(inputs):
    """Of all rows, about: what Parquet files say of their columns, and the bytes of the others."""
    import pyarrow.parquet as pq

    size = 0
    for one in inputs:
        if one["format"] == "parquet":
            held = pq.ParquetFile(pa.OSFile(one["path"])).metadata
            size += sum(held.row_group(i).total_byte_size for i in range(held.num_row_groups))
        else:
            size += os.stat(one["path"]).st_size
    return size


class Pieces:
    """The rows of all inputs, in tables of about `size` bytes."""

    def __init__(self, inputs, threads, size):
        self.inputs, self.threads, self.size = inputs, threads, size
        self.facts, self.layout, self.schema, self.parts = {}, {}, None, []
        for i, one in enumerate(inputs):
            try:
                schema, facts, layout = self.look(one)
            except MemoryError:
                raise
            except Exception as e:
                raise Refused("file", told(e), i)
            if i == 0:
                self.schema, self.facts, self.layout = schema, facts, layout
            elif schema != self.schema:
                raise Refused("schema", different(self.schema, schema), i)

    def look(self, one):
        if one["format"] != "parquet":
            return (pa.ipc.open_stream if one["format"] == "arrows" else pa.ipc.open_file)(pa.OSFile(one["path"])).schema, {}, {}
        file, facts, layout = open_parquet(one["path"])
        return file.schema_arrow, facts, layout

    def batches(self, one, columns):
        if one["format"] == "parquet":
            file = open_parquet(one["path"])[0]
            held = file.metadata
            width = sum(held.row_group(i).total_byte_size for i in range(held.num_row_groups)) // max(held.num_rows, 1) + 1
            names = [self.schema.names[i] for i in columns]
            by_name = len(set(self.schema.names)) == len(self.schema) and not any("." in name for name in names)  # which would be that of a part of a column
            for batch in file.iter_batches(max(1, min(self.size // width, ROWS)), columns=names if by_name else None, use_threads=self.threads > 1):
                yield pa.Table.from_batches([batch]).select(names if by_name else columns)
        else:
            source = (pa.ipc.open_stream if one["format"] == "arrows" else pa.ipc.open_file)(pa.OSFile(one["path"]))
            for batch in source if one["format"] == "arrows" else (source.get_batch(i) for i in range(source.num_record_batches)):
                batch.validate(full=True)
                yield pa.Table.from_batches([batch]).select(columns)

    def read(self, columns):
        """These columns, a piece at a time."""
        for i, one in enumerate(self.inputs):
            waiting, size, rows = [], 0, 0
            try:
                for table in self.batches(one, columns):
                    waiting.append(table)
                    size += table.nbytes
                    rows += table.num_rows
                    if size >= self.size:
                        yield pa.concat_tables(waiting)
                        waiting, size = [], 0
            except (MemoryError, Refused, GeneratorExit):
                raise
            except Exception as e:
                raise Refused("file", told(e), i)
            if waiting:
                yield pa.concat_tables(waiting)
            if len(self.parts) == i:
                self.parts.append(rows)

    def cells(self, columns):
        """These columns of all rows."""
        pieces = list(self.read(columns))
        return pa.concat_tables(pieces) if pieces else pa.schema([self.schema.field(i) for i in columns]).empty_table()


def first_not_below(n, bound, value):
    """Of n ascending values."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if value(middle) < bound else (low, middle)
    return low


def nameless_file(folder):
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as e:
        if e.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            raise
    import tempfile

    with tempfile.TemporaryFile(dir=folder) as file:
        return os.dup(file.fileno())


class Parts:
    """The wanted rows, as they follow each other in the output, on the disk: `rows` in each file."""

    def __init__(self, pieces, ids, folders, memory, threads):
        import pyarrow.compute as pc

        self.lock, self.held = threading.Lock(), collections.OrderedDict()
        self.schema = pieces.schema
        self.files, writers, begin = [], [], 0
        places = pc.array_sort_indices(ids)  # where each wanted row goes, in the order of the inputs
        wanted = ids.take(places)
        for piece in pieces.read(range(len(self.schema))):
            piece = movable(piece.unify_dictionaries())
            if not writers:
                self.schema = piece.schema
                self.divide(piece, len(ids), pieces.layout, min(memory // (8 + 2 * threads), LARGEST_PIECE))
                self.files = [nameless_file(folders[i % len(folders)]) for i in range(-(-len(ids) // self.rows))]
                noted = self.schema.append(pa.field("", pa.uint64()))
                writers = [pa.ipc.new_stream(pa.PythonFile(Descriptor(file), mode="w"), noted) for file in self.files]
            low, high = (first_not_below(len(wanted), bound, lambda i: wanted[i].as_py()) for bound in (begin, begin + piece.num_rows))
            self.put(piece, pc.subtract(wanted.slice(low, high - low), pa.scalar(begin, pa.uint32())), places.slice(low, high - low), writers, pc)
            begin += piece.num_rows
        for writer in writers:
            writer.close()

    def divide(self, piece, n, layout, memory):
        """How many rows a part has: as many as fit, a whole number of row groups."""
        self.rows = max(1, -(-n // PARTS), min(memory // (piece.nbytes // max(piece.num_rows, 1) + 1), n))
        self.group = min(layout.get("group") or ROWS, self.rows)
        self.rows -= self.rows % self.group

    def put(self, piece, rows, places, writers, pc):
        order = pc.array_sort_indices(places)
        places = places.take(order)
        piece = piece.take(rows.take(order)).append_column("", places)
        at = 0
        while at < len(places):
            part = places[at].as_py() // self.rows
            end = at + first_not_below(len(places) - at, (part + 1) * self.rows, lambda i: places[at + i].as_py())
            writers[part].write_table(piece.slice(at, end - at).unify_dictionaries())
            at = end

    def at(self, begin):
        """The table that holds the row `begin` of the output, and the places of its rows in it, from that one on."""
        import pyarrow.compute as pc

        part = begin // self.rows
        with self.lock:
            if part not in self.held:
                os.lseek(self.files[part], 0, os.SEEK_SET)
                table = pa.ipc.open_stream(pa.PythonFile(Descriptor(self.files[part]), mode="r")).read_all()
                order = pc.array_sort_indices(table.column(table.num_columns - 1).combine_chunks())
                columns = table.columns[:-1]
                del table
                self.held[part] = (in_one_piece(columns, self.schema), order)
                while len(self.held) > 2:
                    self.held.popitem(last=False)
            table, order = self.held[part]
        return table, order.slice(begin - part * self.rows)


class Descriptor:
    """An open file as PyArrow reads and writes one."""

    closed = False

    def __init__(self, file):
        self.file = file

    def write(self, data):
        rest = memoryview(data).cast("B")
        while len(rest):
            rest = rest[os.write(self.file, rest) :]
        return memoryview(data).nbytes

    def read(self, size=-1):
        return os.read(self.file, size)

    def tell(self):
        return os.lseek(self.file, 0, os.SEEK_CUR)

    def seek(self, at, whence=os.SEEK_SET):
        return os.lseek(self.file, at, whence)

    def readable(self):
        return True

    def writable(self):
        return True

    def seekable(self):
        return True

    def flush(self):
        pass

    def close(self):
        self.closed = True


# ----


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


def in_one_piece(columns, schema):
    """A table of these columns, which are taken out of their list: what each was made of goes when it is whole, and the next one has its room."""
    whole = []
    while columns:
        whole.append(pa.table([columns.pop(0)], [""]).combine_chunks().unify_dictionaries().column(0))
    return pa.Table.from_arrays(whole, schema=schema)


def ahead(threads, tasks):
    """What the tasks give, in their order; some of them are ahead in the making."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        waiting = collections.deque()
        for task in tasks:
            waiting.append(pool.submit(*task))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def taken(table, schema, ids):
    """These rows of a table, in a schema of as many columns."""
    rows = table.take(ids)
    return rows if rows.schema.equals(schema) else rows.cast(schema)


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


# ---- Parquet on several threads. PyArrow encodes a row group on one thread. So each task makes a file of its own in memory, of some
# columns of one row group, and what lies between its head and its footer goes into the output as it is. A footer is a struct of Thrift's compact
# protocol: those of the tasks are read for what they say of their columns, whose places are moved, and one is written for the whole file.

FOOTER_ROWS, FOOTER_GROUPS = 3, 4  # fields of FileMetaData
GROUP_COLUMNS, GROUP_BYTES, GROUP_ROWS, GROUP_SORTING, GROUP_PLACE, GROUP_PACKED, GROUP_ORDINAL = range(1, 8)
CHUNK_PLACE, CHUNK_FACTS = 2, 3  # of ColumnChunk; behind them the places of indexes, which stay behind
FACTS_PLACES = (9, 10, 11)  # of ColumnMetaData: its data pages, an index page, its dictionary
FACTS_BLOOM = (14, 15)
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)  # types
BUNDLES = 32  # of columns, at most
DICTIONARY_BYTES = 1 << 20  # at which PyArrow gives a dictionary up
SAMPLE = 1 << 12


class Thrift:
    """Reads structs: {field: (type, value)}, lists as (type of the elements, values)."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            part = self.byte()
            value |= (part & 0x7F) << shift
            shift += 7
            if part < 0x80:
                return value

    def value(self, kind):
        if kind in (I16, I32, I64):
            folded = self.number()
            return folded >> 1 ^ -(folded & 1)
        if kind in (TRUE, FALSE, BYTE):  # of a list; of a struct, a truth value's type says it
            return self.byte()
        if kind in (DOUBLE, BINARY):
            size = 8 if kind == DOUBLE else self.number()
            self.at += size
            return bytes(self.data[self.at - size : self.at])
        if kind in (LIST, SET):
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.number()
            return (head & 15, [self.value(head & 15) for _ in range(count)])
        if kind == STRUCT:
            return self.struct()
        raise ValueError(f"a footer has a value of type {kind}")

    def struct(self):
        fields, last = {}, 0
        while head := self.byte():
            step, kind = head >> 4, head & 15
            last = last + step if step else self.value(I16)
            fields[last] = (kind, None if kind in (TRUE, FALSE) else self.value(kind))
        return fields


def thrift_number(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def thrift(kind, value):
    if kind in (I16, I32, I64):
        return thrift_number(value << 1 ^ value >> 63)
    if kind in (TRUE, FALSE, BYTE):
        return bytes([value])
    if kind == DOUBLE:
        return value
    if kind == BINARY:
        return thrift_number(len(value)) + value
    if kind in (LIST, SET):
        of, values = value
        head = bytes([len(values) << 4 | of]) if len(values) < 15 else bytes([0xF0 | of]) + thrift_number(len(values))
        return head + b"".join(thrift(of, each) for each in values)
    out, last = bytearray(), 0
    for field, (of, held) in sorted(value.items()):
        out += bytes([field - last << 4 | of]) if field - last < 16 else bytes([of]) + thrift(I16, field)
        out += b"" if of in (TRUE, FALSE) else thrift(of, held)
        last = field
    return bytes(out) + b"\0"


def footer_of(file):
    """The footer of a file in memory, and where it begins."""
    begin = len(file) - 8 - int.from_bytes(file[-8:-4], "little")
    return Thrift(file[begin:]).struct(), begin


def moved(chunk, by):
    """A column chunk that lies elsewhere."""
    kind, facts = chunk[CHUNK_FACTS]
    facts = {field: (of, value + by if field in FACTS_PLACES else value) for field, (of, value) in facts.items() if field not in FACTS_BLOOM}
    return {CHUNK_PLACE: (I64, 0), CHUNK_FACTS: (kind, facts)}


def repeats(column):
    """Whether the values of a column repeat often enough for a dictionary to hold all: else its making would be in vain, a third of the time."""
    if pa.types.is_nested(column.type) or pa.types.is_boolean(column.type) or len(column) <= SAMPLE:
        return True
    places = pa.array(random.Random(len(column)).choices(range(len(column)), k=SAMPLE), pa.int64())
    try:
        twice = SAMPLE - len(column.take(places).unique())
    except pa.ArrowNotImplementedError:
        return True
    distinct = SAMPLE * SAMPLE / (2 * max(twice, 1))  # the birthday paradox, backwards
    return distinct * (column.nbytes / len(column)) < 1.5 * DICTIONARY_BYTES


def write_parquet(sink, schema, task_of, ids, order, layout, threads):
    import pyarrow.parquet as pq

    codec = layout.get("codec") or "snappy"
    sorting = sorting_columns(schema, order)
    rows = layout.get("group") or ROWS

    def encoded(part, made=None):
        held, table = pa.BufferOutputStream(), made() if made is not None else None
        options = {"compression": "none" if codec == "uncompressed" else codec.replace("_raw", ""), "write_page_checksum": True}
        if table is not None and not any(repeats(column) for column in table.columns):
            options["use_dictionary"] = False
        with pq.ParquetWriter(held, part, **options) as writer:
            if table is not None:
                writer.write_table(table, row_group_size=max(table.num_rows, 1))
        return memoryview(held.getvalue()).cast("B")

    width = -(-len(schema) // BUNDLES)
    bundles = [range(i, min(i + width, len(schema))) for i in range(0, len(schema), width)]
    begins = range(0, len(ids), rows)
    files = ahead(threads, ((encoded, pa.schema([schema.field(i) for i in columns]), task_of(columns, begin, rows)) for begin in begins for columns in bundles))
    footer, _ = footer_of(encoded(schema))
    groups, at = [], 4
    sink.write(b"PAR1")
    for ordinal, begin in enumerate(begins):
        group = {GROUP_COLUMNS: (LIST, (STRUCT, [])), GROUP_BYTES: (I64, 0), GROUP_ROWS: (I64, min(rows, len(ids) - begin)),
                 GROUP_PLACE: (I64, at), GROUP_PACKED: (I64, 0)}
        if sorting:
            fields = [{1: (I32, each.column_index), 2: (TRUE if each.descending else FALSE, None), 3: (TRUE if each.nulls_first else FALSE, None)} for each in sorting]
            group[GROUP_SORTING] = (LIST, (STRUCT, fields))
        if ordinal < 1 << 15:
            group[GROUP_ORDINAL] = (I16, ordinal)
        for _ in bundles:
            file = next(files)
            of_bundle, end = footer_of(file)
            part = of_bundle[FOOTER_GROUPS][1][1][0]
            group[GROUP_COLUMNS][1][1].extend(moved(chunk, at - 4) for chunk in part[GROUP_COLUMNS][1][1])
            for sum_of in (GROUP_BYTES, GROUP_PACKED):
                group[sum_of] = (I64, group[sum_of][1] + part[sum_of][1])
            sink.write(file[4:end])
            at += end - 4
        groups.append(group)
    footer[FOOTER_ROWS] = (I64, len(ids))
    footer[FOOTER_GROUPS] = (LIST, (STRUCT, groups))
    written = thrift(STRUCT, footer)
    sink.write(written + len(written).to_bytes(4, "little") + b"PAR1")


def write_arrow(sink, schema, task_of, ids, form, rows, threads):
    options = pa.ipc.IpcWriteOptions(compression="lz4" if form == "feather" else None)
    with (pa.ipc.new_stream if form == "arrows" else pa.ipc.new_file)(pa.PythonFile(sink, mode="w"), schema, options=options) as writer:
        for table in ahead(threads, ((task_of(range(len(schema)), begin, rows),) for begin in range(0, len(ids), rows))):
            writer.write_table(table.combine_chunks().unify_dictionaries())


def write(whole, schema, wanted, layout, threads):
    """`whole`: what gives of the wanted rows from `begin` on a table, and their places in it."""
    n = wanted["rows"]
    if wanted["counted"]:
        counts = numbers(pa.uint64(), n, -(-4 * n // 8) * 8)
        schema = with_count(schema)

    def task_of(columns, begin, rows):
        """What makes these columns of these rows."""

        def make():
            table, places = whole(begin)
            own = [i for i in columns if i < table.num_columns]
            part = taken(table.select(own), pa.schema([schema.field(i) for i in own]), places.slice(0, rows)) if own else None
            if len(own) == len(columns):
                return part
            count = counts.slice(begin, rows)
            return part.append_column("count", count) if own else pa.table({"count": count})

        return make

    if wanted["format"] == "parquet":
        write_parquet(Pipe(), schema, task_of, range(n), wanted["order"], layout, threads)
    else:
        write_arrow(Pipe(), schema, task_of, range(n), wanted["format"], min(ROWS, layout.get("group") or ROWS) if layout.get("in parts") else ROWS, threads)


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


def tell(shelf, cells, places, schema, nulls, parts, facts):
    """The cells of the columns at `places`, and what else the command has to know."""
    rows = sum(parts)
    if rows >= 1 << 32:
        raise Refused("file", f"{rows} rows; fewer than 2^32 are sorted")
    keys = [{**put_key(shelf, cells, i), "column": place} for i, place in enumerate(places)]
    columns = [{"name": f.name, "type": str(f.type), "nulls": nulls[i]} for i, f in enumerate(schema)]
    say({"rows": rows, "parts": parts, "columns": columns, "facts": list(facts.items()), "keys": keys})


def sort_on_disk(job):
    """Where only some of the columns are wanted, or memory does not hold all."""
    pieces = Pieces(job["inputs"], job["threads"], min(job["memory"] // 8, LARGEST_PIECE))
    places = wanted_columns(pieces.schema, job["keys"])
    tell(Shelf(), pieces.cells(places), places, pieces.schema, [0] * len(pieces.schema), pieces.parts, pieces.facts)
    if not job["rows"]:
        return hear()
    written(write_from_disk, pieces, pieces.schema, job)


def sort_in_memory(job):
    table, parts, facts, layout = read_all(job["inputs"], job["threads"])
    places = wanted_columns(table.schema, job["keys"])
    tell(Shelf(), table.select(places), places, table.schema, [table.column(i).null_count for i in range(table.num_columns)], parts, facts)
    if not job["rows"]:
        return hear()
    schema, given = table.schema, [table]
    del table  # its columns go one by one
    written(write_from_memory, given, schema, job, layout)


def is_too_large(job):
    """Whether the rows are more than the memory holds that there is. What a damaged file says of itself is told when it is read."""
    try:
        return job["memory"] > 0 and job["keys"] is not None and TIMES_IN_MEMORY * size_in_memory(job["inputs"]) > job["memory"]
    except Exception:
        return False


def main():
    job = hear()
    pa.set_cpu_count(job["threads"])
    (sort_on_disk if is_too_large(job) else sort_in_memory)(job)


def leave(kind, what, position=0):
    os.ftruncate(SHARED, 0)
    os.pwrite(SHARED, json.dumps({"kind": kind, "input": position, "what": what}).encode(), 0)
    os._exit(3)


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
