"""Rows that memory does not hold.

The cells of the keys are read by themselves, the rows a second time: each is put where the output has it, in one of some temporary files that hold
as many rows as memory does, and follow each other in the output.
"""

import collections
import errno
import os
import threading

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


def is_too_large(job):
    """Whether the rows are more than the memory holds that there is. What a damaged file says of itself is told when it is read."""
    try:
        return job["memory"] > 0 and job["keys"] is not None and TIMES_IN_MEMORY * size_in_memory(job["inputs"]) > job["memory"]
    except Exception:
        return False


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
