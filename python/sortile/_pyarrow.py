"""Tables and columns of PyArrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute

from ._arrays import Array, Columns
from ._backend import core
from ._tables import TAKEN_HERE, TableLibrary

_NUMBERS = {np.dtype(np.uint32): pyarrow.uint32(), np.dtype(np.int64): pyarrow.int64()}
_TEXTS = (pyarrow.string(), pyarrow.large_string(), pyarrow.binary(), pyarrow.large_binary())
_take = pyarrow.compute.get_function("take")
_within = pyarrow.compute.TakeOptions(boundscheck=False)


def stream_of(column: Any) -> Any:
    """What `_core` reads a column from: a capsule with a stream, or two of an array in one piece."""
    return column.__arrow_c_stream__() if hasattr(column, "__arrow_c_stream__") else column.__arrow_c_array__()


def taken_text(column: Any, rows: Array, threads: int | None) -> Any:
    """Rows of a column of text or binary, by all threads, in one piece; None of one that this does not do."""
    if column.type not in _TEXTS:
        return None
    buffers = core.take_text(stream_of(column), rows, threads)
    if buffers is NotImplemented:
        return None
    held = [None if b is None else pyarrow.py_buffer(b) for b in buffers]
    return pyarrow.Array.from_buffers(column.type, len(rows), held)


class _PyArrow(TableLibrary):
    def names(self, table: Any) -> list[Any]:
        return list(table.schema.names)

    def column(self, table: Any, name: Any) -> Any:
        try:
            return table.column(name) if isinstance(name, str) else None
        except KeyError:
            return None

    def append(
        self, call: str, columns: Columns, column: Any, descending: bool, nulls_first: bool, nan: str
    ) -> None:
        columns.append_stream(stream_of(column), descending)

    def take(self, table: Any, rows: Array, ignore_index: bool, threads: int | None) -> Any:
        if len(rows) < TAKEN_HERE:
            return _taken(table, rows)
        columns = [self.take_column(column, rows, ignore_index, threads) for column in table.columns]
        return type(table).from_arrays(columns, schema=table.schema)

    def take_column(self, column: Any, rows: Array, ignore_index: bool, threads: int | None) -> Any:
        taken = taken_text(column, rows, threads) if len(rows) >= TAKEN_HERE else None
        if taken is None:
            return _taken(column, rows)
        return pyarrow.chunked_array([taken]) if isinstance(column, pyarrow.ChunkedArray) else taken


def _taken(held: Any, rows: Array) -> Any:
    """Rows of a table or a column, by PyArrow."""
    numbers = pyarrow.Array.from_buffers(_NUMBERS[rows.dtype], len(rows), [None, pyarrow.py_buffer(rows)])
    try:
        return _take.call([held, numbers], _within)
    except pyarrow.ArrowNotImplementedError as e:
        raise TypeError(f"sortile.sort_table: PyArrow takes no rows of such a column, which argsort_table orders: {e}") from e


LIBRARY = _PyArrow()
