"""Writes files into the pipe to the command.

Parquet on several threads: PyArrow encodes a row group on one thread. So each task makes a file of its own in memory, of some columns of one row
group, and what lies between its head and its footer goes into the output as it is. The footers of the tasks are read for what they say of their
columns, and one is written for the whole file (footers.py).
"""

import os
import random

BUNDLES = 32  # of columns, at most
DICTIONARY_BYTES = 1 << 20  # at which PyArrow gives a dictionary up
SAMPLE = 1 << 12


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


def repeats(column):
    """Whether the values of a column repeat often enough for a dictionary to hold all: else its making would be in vain, a third of the time."""
    if pa.types.is_nested(column.type) or pa.types.is_boolean(column.type) or len(column) <= SAMPLE:
        return True
    places = pa.array(random.Random(len(column)).choices(range(len(column)), k=SAMPLE), pa.int64())
    try:
        sample = rows_of(column, places)
        sample = sample.cast(usual(sample.type))
        twice = SAMPLE - len(sample.unique())
    except pa.ArrowNotImplementedError:
        return True
    width = sample.nbytes / SAMPLE if is_view(column.type) else column.nbytes / len(column)
    distinct = SAMPLE * SAMPLE / (2 * max(twice, 1))  # the birthday paradox, backwards
    return distinct * width < 1.5 * DICTIONARY_BYTES


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
        with pq.ParquetWriter(held, table.schema if table is not None else part, **options) as writer:
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


def with_count(schema):
    if "count" in schema.names:
        raise Refused("column", "it has a column 'count' already, so that counts have no name")
    return schema.append(pa.field("count", pa.uint64()))


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
            goes_as_it_is = [wanted["format"] == "parquet" and is_view(table.schema.field(i).type) for i in own]
            fields = [table.schema.field(i) if as_it_is else schema.field(i) for i, as_it_is in zip(own, goes_as_it_is)]
            part = taken(table.select(own), pa.schema(fields), places.slice(0, rows)) if own else None
            if len(own) == len(columns):
                return part
            count = counts.slice(begin, rows)
            return part.append_column("count", count) if own else pa.table({"count": count})

        return make

    if wanted["format"] == "parquet":
        write_parquet(Pipe(), schema, task_of, range(n), wanted["order"], layout, threads)
    else:
        write_arrow(Pipe(), schema, task_of, range(n), wanted["format"], min(ROWS, layout.get("group") or ROWS) if layout.get("in parts") else ROWS, threads)
