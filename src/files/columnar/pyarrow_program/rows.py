"""Rows in another order: those that are wanted of a table."""

import collections
import concurrent.futures
import functools
import mmap
import os

ROWS = 1 << 20  # of a batch, and of a row group where no other says how many


def numbers(type_, n, at):
    """n numbers of SHARED, where they lie."""
    if n == 0:
        return pa.array([], type_)
    shared = pa.py_buffer(mmap.mmap(SHARED, os.fstat(SHARED).st_size, prot=mmap.PROT_READ))
    return pa.Array.from_buffers(type_, n, [None, shared.slice(at)])


# ---- PyArrow takes rows of texts with two fetches from anywhere in memory each, of an offset and of the bytes, and takes none of views. But a view
# is 16 bytes, which hold a text of up to 12. So texts become views, and their rows are taken as those of values of 16 bytes.

VIEW_BYTES = 16


def is_view(type_):
    return str(type_) in ("string_view", "binary_view")  # which older versions have no names of


def usual(type_):
    """The type of texts that are not views."""
    return {"string_view": pa.large_string(), "binary_view": pa.large_binary()}.get(str(type_), type_)


@functools.lru_cache(None)
def knows_views():
    """Whether PyArrow makes views, and writes them into Parquet files, which older versions do not."""
    import pyarrow.parquet as pq

    try:
        for type_ in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
            views = pa.array([None, "of some length", "x"], type_).cast(view_of(type_))
            pq.write_table(pa.table({"": views}), pa.BufferOutputStream())
            if views.cast(type_).to_pylist()[1:] != pa.array(["of some length", "x"], type_).to_pylist():
                return False
    except Exception:
        return False
    return True


def view_of(type_):
    return pa.string_view() if pa.types.is_string(type_) or pa.types.is_large_string(type_) else pa.binary_view()


def as_views(column):
    is_ = pa.types
    is_text = is_.is_string(column.type) or is_.is_large_string(column.type) or is_.is_binary(column.type) or is_.is_large_binary(column.type)
    return column.cast(view_of(column.type)) if is_text and column.num_chunks == 1 and len(column) != 0 and knows_views() else column


def rows_of(column, ids):
    """These rows of a column, of views in one piece."""
    if not is_view(column.type):
        return column.take(ids)
    piece = column.chunk(0)
    valid, views, *texts = piece.buffers()
    rows = pa.Array.from_buffers(pa.binary(VIEW_BYTES), len(piece), [valid, views], offset=piece.offset).take(ids)
    return pa.chunked_array([pa.Array.from_buffers(column.type, len(rows), [*rows.buffers(), *texts], offset=rows.offset)])


def movable(table):
    """Views that come from elsewhere, in many pieces, become texts of the usual kind."""
    schema = pa.schema([field.with_type(usual(field.type)) for field in table.schema], table.schema.metadata)
    return table if schema == table.schema else table.cast(schema)


def in_one_piece(columns, schema):
    """A table of these columns, which are taken out of their list: what each was made of goes when it is whole, and the next one has its room."""
    whole = []
    while columns:
        whole.append(as_views(pa.table([columns.pop(0)], [""]).combine_chunks().unify_dictionaries().column(0)))
    return pa.Table.from_arrays(whole, schema=pa.schema([field.with_type(column.type) for field, column in zip(schema, whole)], schema.metadata))


def taken(table, schema, ids):
    """These rows of a table, in a schema of as many columns."""
    rows = pa.Table.from_arrays([rows_of(column, ids) for column in table.columns], schema=table.schema)
    return rows if rows.schema.equals(schema) else rows.cast(schema)


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
