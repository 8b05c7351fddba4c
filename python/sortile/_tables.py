"""Tables: pandas, Polars and PyArrow, and whatever else hands out its columns by the Arrow C interface.

The columns that decide the order are read where they lie (`_core` takes Arrow's streams, and the arrays in which pandas
keeps numbers); the order comes back as row numbers, and the table's own library takes the rows.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _core
from ._arrays import Array, Columns, leaves
from ._progress import telling

_KNOWN = ("pandas.DataFrame", "polars.DataFrame", "pyarrow.Table", "pyarrow.RecordBatch")
_DIRECTIONS = {"ascending": False, "descending": True}


def sort_table(
    table: Any, by: Any, nulls: str, nan: str, ignore_index: bool, threads: int | None, progress: Any
) -> Any:
    kind = _kind(table)
    order = _order(by, _names(table, kind))
    dtype = np.uint32 if len(table) < 2**32 else np.int64
    rows = _positions(table, kind, order, dtype, nulls, nan, threads, progress)
    return _take(table, kind, rows, ignore_index)


def argsort_table(
    table: Any, by: Any, dtype: Any, nulls: str, nan: str, threads: int | None, progress: Any
) -> Array:
    kind = _kind(table)
    order = _order(by, _names(table, kind))
    return _positions(table, kind, order, dtype, nulls, nan, threads, progress)


def _kind(table: Any) -> str:
    for base in type(table).__mro__:  # subclasses too, such as geopandas.GeoDataFrame
        library = base.__module__.partition(".")[0]
        if f"{library}.{base.__name__}" in _KNOWN:
            return library
    raise TypeError(
        f"sortile.sort_table: {type(table).__module__}.{type(table).__name__} is no table that is known here; those "
        f"that are: {', '.join(_KNOWN)}"
    )


def _names(table: Any, kind: str) -> list[Any]:
    return list(table.schema.names if kind == "pyarrow" else table.columns)


def _order(by: Any, names: list[Any]) -> list[tuple[Any, bool]]:
    """(column, whether it descends) for each, the first deciding."""
    if not isinstance(by, list):
        by = [by]
    if not by:
        raise ValueError("sortile.sort_table: by names no column; at least one is needed")
    order = []
    for entry in by:
        name, direction = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, "ascending")
        if direction not in _DIRECTIONS:
            raise ValueError(
                f"sortile.sort_table: direction {direction!r} of column {name!r}; "
                'allowed are "ascending" and "descending"'
            )
        if names.count(name) != 1:
            held = ", ".join(map(str, names))
            often = "no column" if name not in names else f"{names.count(name)} columns"
            raise ValueError(f"sortile.sort_table: {often} called {name!r}; the table has {held}")
        order.append((name, _DIRECTIONS[direction]))
    return order


def _positions(
    table: Any,
    kind: str,
    order: Sequence[tuple[Any, bool]],
    dtype: Any,
    nulls: str,
    nan: str,
    threads: int | None,
    progress: Any,
) -> Array:
    if nulls not in ("last", "first"):
        raise ValueError('sortile.sort_table: nulls must be "last" or "first"')
    columns = Columns()
    for name, descending in order:
        if kind == "pandas":
            _append_series(columns, table[name], descending, nulls == "first", nan)
        else:
            column = table.get_column(name) if kind == "polars" else table.column(name)
            _append_stream(columns, column, descending)
    with telling(progress) as tell:
        result: Array = _core.argsort_rows(
            columns.arrays, columns.descending, dtype, nulls == "first", nan, threads, tell
        )
    return result


def _append_stream(columns: Columns, column: Any, descending: bool) -> None:
    if not hasattr(column, "__arrow_c_stream__"):  # an array of one piece
        import pyarrow

        column = pyarrow.chunked_array([column])
    columns.append_stream(column.__arrow_c_stream__(), descending)


def _append_series(columns: Columns, series: Any, descending: bool, nulls_first: bool, nan: str) -> None:
    """pandas keeps numbers in arrays of NumPy's, in which NaN and NaT are what is null."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        values = series.to_numpy()
        lacks = series.isna().to_numpy()
        if lacks.any():
            columns.append((lacks != nulls_first).view(np.uint8), False)
            values = np.where(lacks, np.zeros(1, dtype), values)
        for leaf in leaves(values, None):
            columns.append_leaf(leaf, descending, nan)
    elif dtype.name == "category":
        codes = series.cat.codes.to_numpy()  # in the order of the categories; -1 where null
        columns.append(((codes < 0) != nulls_first).view(np.uint8), False)
        columns.append(codes, descending)
    else:
        try:
            import pyarrow
        except ImportError as e:
            raise TypeError(
                f"sortile.sort_table: column {series.name!r} of type {dtype} is read by way of PyArrow, which is not "
                "installed"
            ) from e
        column = pyarrow.chunked_array(pyarrow.array(series, from_pandas=True))
        columns.append_stream(column.__arrow_c_stream__(), descending)


def _take(table: Any, kind: str, rows: Array, ignore_index: bool) -> Any:
    if kind == "pandas":
        taken = table.take(rows)
        return taken.reset_index(drop=True) if ignore_index else taken
    if kind == "polars":
        return table[rows]
    import pyarrow

    return table.take(pyarrow.array(rows))
