"""Tables and columns of PyArrow."""

from __future__ import annotations

from typing import Any, Callable, SupportsIndex

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
_of_lists: dict[int, Callable[[Any, Any], Any]] = {
    pyarrow.list_(pyarrow.null()).id: lambda field, type_: pyarrow.list_(field),
    pyarrow.large_list(pyarrow.null()).id: lambda field, type_: pyarrow.large_list(field),
    pyarrow.list_(pyarrow.null(), 1).id: lambda field, type_: pyarrow.list_(field, type_.list_size),
}
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


def taken_column(column: Any, rows: Array, threads: SupportsIndex | None) -> Any:
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

    def take(self, table: Any, rows: Array, ignore_index: bool, threads: SupportsIndex | None) -> Any:
        made, table = core.take_arrow(table.columns, rows, threads), table.table
        if made is NotImplemented:
            columns = [
                _taken(column, rows, threads, f"column {name!r}")
                for name, column in zip(table.schema.names, table.columns)
            ]
            return type(table).from_arrays(columns, schema=table.schema)
        batch = pyarrow.record_batch(_Made(made))
        return batch if isinstance(table, pyarrow.RecordBatch) else pyarrow.Table.from_batches([batch])

    def take_column(self, column: Any, rows: Array, ignore_index: bool, threads: SupportsIndex | None) -> Any:
        return _taken(column, rows, threads, "a column")


def _taken(column: Any, rows: Array, threads: SupportsIndex | None, subject: str) -> Any:
    held = _VIEWS.get(column.type.id)
    if held is not None:
        return _taken(column.cast(held), rows, threads, subject).cast(column.type)
    if pyarrow.types.is_run_end_encoded(column.type):
        return _taken_runs(column, rows, threads, subject)
    taken = taken_column(column, rows, threads)
    if taken is None:
        return _taken_by_pyarrow(column, rows, subject)
    return pyarrow.chunked_array([taken]) if isinstance(column, pyarrow.ChunkedArray) else taken


def _taken_by_pyarrow(column: Any, rows: Array, subject: str) -> Any:
    numbers = pyarrow.Array.from_buffers(_NUMBERS[rows.dtype], len(rows), [None, pyarrow.py_buffer(rows)])
    kind = column.type
    try:
        held = _without_views(kind)
        if held != kind:
            return _take.call([column.cast(held), numbers], _within).cast(kind)
        if not pyarrow.types.is_dictionary(kind) or not isinstance(column, pyarrow.ChunkedArray):
            return _take.call([column, numbers], _within)
        try:
            return _take.call([column, numbers], _within)
        except pyarrow.ArrowInvalid:  # it makes one dictionary of several only where no entry is null
            pieces = [_without_null_entries(piece) for piece in column.chunks]
            return _take.call([pyarrow.chunked_array(pieces, kind), numbers], _within)
    except pyarrow.ArrowException as e:
        raise TypeError(
            f"sortile.sort_table: PyArrow takes no rows of {subject} of type {kind}; argsort_table gives the order: {e}"
        ) from e


def _without_views(kind: Any) -> Any:
    """The type with texts and binary in place of the views within, of which PyArrow takes no rows."""
    if kind.id in _VIEWS:
        return _VIEWS[kind.id]
    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([field.with_type(_without_views(field.type)) for field in kind])
    if pyarrow.types.is_map(kind):
        key, item = (f.with_type(_without_views(f.type)) for f in (kind.key_field, kind.item_field))
        return pyarrow.map_(key, item, kind.keys_sorted)
    if kind.id in _of_lists:
        return _of_lists[kind.id](kind.value_field.with_type(_without_views(kind.value_type)), kind)
    return kind


def _without_null_entries(piece: Any) -> Any:
    """A dictionary's rows as they are, those of entries that are null without an entry."""
    entries, kind = piece.dictionary, piece.type
    if entries.null_count == 0:
        return piece
    there = np.asarray(entries.is_valid())
    place = np.maximum(np.cumsum(there) - 1, 0)
    places = pyarrow.array(place, kind.index_type, mask=~there)
    return pyarrow.DictionaryArray.from_arrays(places.take(piece.indices), entries.drop_null(), ordered=kind.ordered)


def _taken_runs(column: Any, rows: Array, threads: SupportsIndex | None, subject: str) -> Any:
    """Rows of a column that holds runs, in runs."""
    several = isinstance(column, pyarrow.ChunkedArray)
    pieces = column.chunks if several else [column]
    kind, ends, before = column.type, [np.empty(0, np.int64)], 0
    for piece in pieces:
        within = np.asarray(piece.run_ends).astype(np.int64) - piece.offset  # it may begin inside of its runs
        ends.append(np.clip(within, 0, len(piece)) + before)
        before += len(piece)
    run_of_row = np.searchsorted(np.concatenate(ends), rows, side="right").astype(rows.dtype)
    values = pyarrow.chunked_array([piece.values for piece in pieces], kind.value_type)
    most = int(np.iinfo(kind.run_end_type.to_pandas_dtype()).max)  # rows of a piece

    def in_runs(runs: Array) -> Any:
        begins = np.flatnonzero(np.append(True, runs[1:] != runs[:-1])[: len(runs)])
        taken = _taken(values, runs[begins], threads, subject).combine_chunks()
        made = pyarrow.array(np.append(begins[1:], len(runs))[: len(begins)], kind.run_end_type)
        return pyarrow.RunEndEncodedArray.from_arrays(made, taken, kind)

    if not several:
        return in_runs(run_of_row)
    return pyarrow.chunked_array([in_runs(run_of_row[i : i + most]) for i in range(0, len(rows), most)], kind)


LIBRARY = _PyArrow()
