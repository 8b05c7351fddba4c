"""Tables and columns of pandas, which keeps numbers in arrays of NumPy's; what it keeps otherwise is read by PyArrow."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, SupportsIndex

import numpy as np
import pandas

from ._arrays import Array, Columns, is_ordered, leaves
from ._backend import core
from ._tables import TAKEN_HERE, TableLibrary


class _Pandas(TableLibrary):
    def names(self, table: Any) -> list[Any]:
        return list(table.columns)

    def column(self, table: Any, name: Any) -> Any:
        try:
            if isinstance(table.columns, pandas.MultiIndex):  # which would look for a part of a name, too
                alone = isinstance(name, tuple) and self.names(table).count(name) == 1
            else:
                alone = isinstance(table.columns.get_loc(name), int)  # else where several are
        except (KeyError, TypeError, ValueError, pandas.errors.InvalidIndexError):
            return None
        return table[name] if alone else None

    def is_name(self, table: Any, entry: tuple[Any, ...]) -> bool:
        return entry in self.names(table)

    def append(
        self, call: str, columns: Columns, column: Any, descending: bool, nulls_first: bool, nan: str
    ) -> None:
        dtype = column.dtype
        if isinstance(dtype, np.dtype) and dtype.kind != "O":
            if not is_ordered(dtype) and dtype.kind != "c" or dtype.itemsize > 16:
                raise _no_order(call, column)
            _append_numbers(columns, column.to_numpy(), descending, nulls_first, nan)
        elif dtype.name == "category":
            codes = column.cat.codes.to_numpy()  # in the order of the categories; -1 where null
            columns.append(((codes < 0) != nulls_first).view(np.uint8), False)
            columns.append(codes, descending)
        else:
            columns.append_stream(_stream_of(call, column), descending)

    def take(self, table: Any, rows: Array, ignore_index: bool, threads: SupportsIndex | None) -> Any:
        if len(rows) < TAKEN_HERE or type(table) is not pandas.DataFrame:
            return self.take_column(table, rows, ignore_index, threads)
        index = pandas.RangeIndex(len(rows)) if ignore_index else table.index.take(rows)
        held = {  # as Series: the types of arrays would be found out anew, and objects that are texts become text
            i: pandas.Series(_taken(series, rows, threads), index=index, dtype=series.dtype, copy=False)
            for i, (_, series) in enumerate(table.items())
        }
        taken = pandas.DataFrame(held, index=index, copy=False)
        taken.columns = table.columns
        return taken.__finalize__(table, method="take")

    def take_column(self, column: Any, rows: Array, ignore_index: bool, threads: SupportsIndex | None) -> Any:
        taken = column.take(rows)
        return taken.reset_index(drop=True) if ignore_index else taken


def _append_numbers(columns: Columns, values: Array, descending: bool, nulls_first: bool, nan: str) -> None:
    """NaN and NaT are what is null, and go last by themselves where that is wanted of NaN."""
    by_themselves = not nulls_first and nan == "last" and values.dtype.kind != "c"
    if not by_themselves and values.dtype.kind in "fcmM":
        lacks = np.isnat(values) if values.dtype.kind in "mM" else np.asarray(values != values)
        if lacks.any():
            columns.append((lacks != nulls_first).view(np.uint8), False)
            values = np.where(lacks, np.zeros(1, values.dtype), values)
    for leaf in leaves(values, None):
        columns.append_leaf(leaf, descending, nan)


def _stream_of(call: str, series: Any) -> Any:
    """What `_core` reads a column from that PyArrow knows."""
    try:
        import pyarrow

        from ._pyarrow import stream_of
    except ImportError as e:
        raise TypeError(
            f"sortile.{call}: column {series.name!r} of type {series.dtype} is read by way of PyArrow, which is not "
            "installed"
        ) from e
    try:
        held = series.array if hasattr(series.array, "__arrow_array__") else series
        return stream_of(pyarrow.array(held, from_pandas=True))
    except (pyarrow.ArrowException, OverflowError, TypeError, ValueError) as e:
        raise _no_order(call, series, f": {e}") from e


def _no_order(call: str, series: Any, why: str = "") -> TypeError:
    return TypeError(f"sortile.{call}: column {series.name!r} of type {series.dtype} has no order here{why}")


def _taken(series: Any, rows: Array, threads: SupportsIndex | None) -> Any:
    """Rows of a column, as pandas takes them for a column of its type."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return core.take(series.to_numpy(), rows, threads)
    if hasattr(series.array, "__arrow_array__") and str(dtype).startswith(("str", "large_string")):
        with suppress(ImportError):
            import pyarrow

            from ._pyarrow import taken_column

            taken = taken_column(series.array.__arrow_array__(), rows, threads)
            if taken is not None:
                return pandas.array(pyarrow.chunked_array([taken]), dtype=dtype)
    return series.array.take(rows)


LIBRARY = _Pandas()
