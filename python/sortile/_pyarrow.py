"""Tables and columns of PyArrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute

from ._arrays import Array, Columns
from ._backend import core
from ._tables import TableLibrary

_NUMBERS = {np.dtype(np.uint32): pyarrow.uint32(), np.dtype(np.int64): pyarrow.int64()}
_VIEWS: dict[int, Any] = (  # of which PyArrow takes no rows; by number, as not all types can be looked up
    {pyarrow.string_view().id: pyarrow.large_string(), pyarrow.binary_view().id: pyarrow.large_binary()}
    if hasattr(pyarrow, "string_view")
    else {}
)
_take = pyarrow.compute.get_function("take")
_within = pyarrow.compute.TakeOptions(boundscheck=False)


def stream_of(held: Any) -> Any:
    """What `_core` reads a table or a column from: a capsule with a stream, or two of an array in one piece."""
    return held.__arrow_c_stream__() if hasattr(held, "__arrow_c_stream__") else held.__arrow_c_array__()


class _Made:
    """An array that `_core` has made, as PyArrow takes it."""

    __slots__ = ("capsules",)

    def __init__(self, capsules: Any) -> None:
        self.capsules = capsules

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.capsules


class _Read:
    """A table that `_core` has read."""

    __slots__ = ("table", "schema", "columns")

    def __init__(self, table: Any) -> None:
        self.table, self.schema, self.columns = table, table.schema, core.read_arrow(table.__arrow_c_stream__())

    def __len__(self) -> int:
        return len(self.table)


def taken_column(column: Any, rows: Array, threads: int | None) -> Any:
    """Rows of a column, in one piece; None of a type that `_core` does not take."""
    made = core.take_arrow(stream_of(column), rows, threads)
    return None if made is NotImplemented else pyarrow.array(_Made(made))


class _PyArrow(TableLibrary):
    def names(self, table: Any) -> list[Any]:
        return list(table.schema.names)

    def read(self, table: Any) -> Any:
        return _Read(table)

    def column(self, table: Any, name: Any) -> Any:
        at = table.schema.get_field_index(name) if isinstance(name, str) else -1  # where several are, too
        if at < 0:
            return None
        return (table.columns, at) if isinstance(table, _Read) else table.column(at)

    def append(
        self, call: str, columns: Columns, column: Any, descending: bool, nulls_first: bool, nan: str
    ) -> None:
        columns.append_stream(column if isinstance(column, tuple) else stream_of(column), descending)

    def take(self, table: Any, rows: Array, ignore_index: bool, threads: int | None) -> Any:
        made, table = core.take_arrow(table.columns, rows, threads), table.table
        if made is NotImplemented:
            columns = [self.take_column(column, rows, ignore_index, threads) for column in table.columns]
            return type(table).from_arrays(columns, schema=table.schema)
        batch = pyarrow.record_batch(_Made(made))
        return batch if isinstance(table, pyarrow.RecordBatch) else pyarrow.Table.from_batches([batch])

    def take_column(self, column: Any, rows: Array, ignore_index: bool, threads: int | None) -> Any:
        held = _VIEWS.get(column.type.id)
        if held is not None:
            return self.take_column(column.cast(held), rows, ignore_index, threads).cast(column.type)
        taken = taken_column(column, rows, threads)
        if taken is None:
            return _taken(column, rows)
        return pyarrow.chunked_array([taken]) if isinstance(column, pyarrow.ChunkedArray) else taken


def _taken(column: Any, rows: Array) -> Any:
    """Rows of a column, by PyArrow."""
    numbers = pyarrow.Array.from_buffers(_NUMBERS[rows.dtype], len(rows), [None, pyarrow.py_buffer(rows)])
    try:
        return _take.call([column, numbers], _within)
    except pyarrow.ArrowNotImplementedError as e:
        raise TypeError(f"sortile.sort_table: PyArrow takes no rows of such a column, which argsort_table orders: {e}") from e


LIBRARY = _PyArrow()
