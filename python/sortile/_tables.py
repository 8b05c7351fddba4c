"""Tables and columns of pandas, Polars and PyArrow.

The columns that decide the order are read where they lie (`_core` takes Arrow's streams, and the arrays in which pandas
keeps numbers); the order comes back as row numbers. Text and pandas' numbers are then taken here, by all threads, the
rest by the table's own library.
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ._arrays import Array, Columns, Nan, flag, leaves
from ._backend import core
from ._progress import Progress, telling

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_KNOWN = ("pandas.DataFrame", "polars.DataFrame", "pyarrow.Table", "pyarrow.RecordBatch")
_COLUMNS = ("pandas.Series", "polars.Series", "pyarrow.ChunkedArray", "pyarrow.Array")
_TAKEN_HERE = 2**14  # rows: below, the table's own library takes them as soon
_DIRECTIONS = {"ascending": False, "descending": True}


def sort_table(
    table: Any,
    by: Any = None,
    /,
    *,
    nulls: Literal["last", "first"] = "last",
    nan: Nan = "last",
    ignore_index: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Any:
    """Rows of a table in the order of some of its columns, or a column in its own order.

    Parameters
    ----------
    table : pandas.DataFrame, polars.DataFrame, pyarrow.Table or pyarrow.RecordBatch
        Or a column: pandas.Series, polars.Series, pyarrow.ChunkedArray or pyarrow.Array.
    by : column, (column, direction), or list of these
        What decides, the first before the next; a direction is "ascending" or "descending". Columns hold numbers,
        decimals of up to 128 bits, booleans, dates, times, text (in the order of its bytes), binary, categories.
        Of a column: a direction, or nothing for ascending.
    nulls : {"last", "first"}
        Where rows go whose entry is null, in both directions. pandas counts NaN and NaT as null.
    nan : {"last", "largest"}
        Where NaN goes among what is not null, as in `sort`.
    ignore_index : bool
        Of pandas: the result is numbered anew.
    threads, progress
        As in `sort`.

    Returns
    -------
    table, or column, of the same kind
        Rows that agree in all columns of `by` keep their order. A Series keeps its labels with its entries.

    Raises
    ------
    TypeError
        For a table that is not known here, and a column of a type that has no order.
    ValueError
        For a column that is not there, and a direction that is none.

    Examples
    --------
    >>> import pandas, sortile
    >>> fruit = pandas.DataFrame({"name": ["fig", "pear", "kiwi"], "size": [7, 12, 7]})
    >>> sortile.sort_table(fruit, [("size", "descending"), "name"])["name"].tolist()
    ['pear', 'fig', 'kiwi']
    """
    call = "sort_table"
    library, is_column = _kind(call, table)
    ignore_index = flag("ignore_index", ignore_index)
    dtype = np.uint32 if len(table) < 2**32 else np.int64
    rows = _rows_in_order(call, table, by, dtype, nulls, nan, threads, progress)
    return (_take_column if is_column else _take)(table, library, rows, ignore_index, threads)


def argsort_table(
    table: Any,
    by: Any = None,
    /,
    *,
    dtype: DTypeLike | None = None,
    nulls: Literal["last", "first"] = "last",
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """Row numbers of a table in the order of some of its columns, or of a column in its own.

    Parameters
    ----------
    table, by, nulls, nan, threads, progress
        As in `sort_table`.
    dtype : {int64, uint32}
        Of the row numbers.

    Returns
    -------
    array of int64 or uint32

    Raises
    ------
    TypeError, ValueError
        As `sort_table`; also for another `dtype`.

    Examples
    --------
    >>> import pandas, sortile
    >>> sortile.argsort_table(pandas.DataFrame({"size": [7, 12, 5]}), "size")
    array([2, 0, 1])
    """
    return _rows_in_order("argsort_table", table, by, dtype, nulls, nan, threads, progress)


def _rows_in_order(
    call: str, table: Any, by: Any, dtype: Any, nulls: str, nan: str, threads: int | None, progress: Progress
) -> Array:
    library, is_column = _kind(call, table)
    if nulls not in ("last", "first"):
        raise ValueError(f'sortile.{call}: nulls must be "last" or "first"')
    if is_column:
        decide = [(table, _direction(call, by))]
    else:
        order = _order(call, by, _names(table, library))
        decide = [(_column(table, library, name), descending) for name, descending in order]
    columns = Columns()
    for column, descending in decide:
        if library == "pandas":
            _append_series(call, columns, column, descending, nulls == "first", nan)
        else:
            _append_stream(columns, column, descending)
    with telling(progress) as tell:
        result: Array = core.argsort_rows(
            columns.arrays, columns.descending, dtype, nulls == "first", nan, threads, tell
        )
    return result


def _kind(call: str, table: Any) -> tuple[str, bool]:
    """The library that it is of, and whether it is a column."""
    for base in type(table).__mro__:  # subclasses too, such as geopandas.GeoDataFrame
        library = base.__module__.partition(".")[0]
        name = f"{library}.{base.__name__}"
        if name in _KNOWN or name in _COLUMNS:
            return library, name in _COLUMNS
    raise TypeError(
        f"sortile.{call}: {type(table).__module__}.{type(table).__name__} is no table that is known here; those "
        f"that are: {', '.join(_KNOWN)}; and columns: {', '.join(_COLUMNS)}"
    )


def _direction(call: str, by: Any) -> bool:
    """Whether a column descends."""
    if by is None:
        return False
    if not isinstance(by, str) or by not in _DIRECTIONS:
        raise ValueError(
            f'sortile.{call}: by is {by!r}; of a column it is "ascending" or "descending", or left out'
        )
    return _DIRECTIONS[by]


def _column(table: Any, library: str, name: Any) -> Any:
    if library == "pandas":
        return table[name]
    return table.get_column(name) if library == "polars" else table.column(name)


def _names(table: Any, kind: str) -> list[Any]:
    return list(table.schema.names if kind == "pyarrow" else table.columns)


def _order(call: str, by: Any, names: list[Any]) -> list[tuple[Any, bool]]:
    """(column, whether it descends) for each, the first deciding."""
    if not isinstance(by, list):
        by = [] if by is None else [by]
    if not by:
        raise ValueError(f"sortile.{call}: by names no column; at least one is needed")
    order = []
    for entry in by:
        is_pair = isinstance(entry, tuple) and len(entry) == 2 and entry not in names  # columns may be called by tuples
        name, direction = entry if is_pair else (entry, "ascending")
        if not isinstance(direction, str) or direction not in _DIRECTIONS:
            raise ValueError(
                f"sortile.{call}: direction {direction!r} of column {name!r}; "
                'allowed are "ascending" and "descending"'
            )
        times = names.count(name) if isinstance(name, Hashable) else 0  # an array equals what it holds
        if times != 1:
            held = ", ".join(map(str, names))
            often = f"{times} columns" if times else "no column"
            raise ValueError(f"sortile.{call}: {often} called {name!r}; the table has {held}")
        order.append((name, _DIRECTIONS[direction]))
    return order


def _append_stream(columns: Columns, column: Any, descending: bool) -> None:
    kind = str(getattr(column, "dtype", None) or column.type)  # Polars', PyArrow's
    if kind in ("Null", "null"):  # all rows agree
        columns.append(np.zeros(len(column), np.uint8), False)
        return
    if kind.startswith("Enum("):  # in the order of the categories, as Polars has it
        column = column.to_physical()
    elif kind.startswith("fixed_size_binary["):
        column = column.cast("binary")
    if not hasattr(column, "__arrow_c_stream__"):  # an array of one piece
        import pyarrow

        column = pyarrow.chunked_array([column])
    columns.append_stream(column.__arrow_c_stream__(), descending)


def _append_series(
    call: str, columns: Columns, series: Any, descending: bool, nulls_first: bool, nan: str
) -> None:
    """pandas keeps numbers in arrays of NumPy's, in which NaN and NaT are what is null."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        values = series.to_numpy()
        lacks = _lacking(values)
        if lacks is not None and lacks.any():
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
                f"sortile.{call}: column {series.name!r} of type {dtype} is read by way of PyArrow, which is not "
                "installed"
            ) from e
        try:
            held = series.array if hasattr(series.array, "__arrow_array__") else series
            column = pyarrow.chunked_array(pyarrow.array(held, from_pandas=True))
        except (pyarrow.ArrowException, TypeError, ValueError) as e:
            raise TypeError(f"sortile.{call}: column {series.name!r} of type {dtype} has no order here: {e}") from e
        _append_stream(columns, column, descending)


def _lacking(values: Array) -> Array | None:
    """Which entries of a column of NumPy's types pandas counts as null; None where the type has no such value."""
    if values.dtype.kind in "mM":
        return np.isnat(values)
    return np.asarray(values != values) if values.dtype.kind in "fc" else None


def _take_column(column: Any, library: str, rows: Array, ignore_index: bool, threads: int | None) -> Any:
    if library == "polars":
        return column[rows]
    if library == "pyarrow":
        import pyarrow

        return _take_arrow(column, rows, pyarrow.array(rows), threads)
    taken = column.take(rows)
    return taken.reset_index(drop=True) if ignore_index else taken


def _take(table: Any, kind: str, rows: Array, ignore_index: bool, threads: int | None) -> Any:
    if kind == "polars":
        return table[rows]
    if kind == "pyarrow":
        import pyarrow

        numbers = pyarrow.array(rows)
        if len(rows) < _TAKEN_HERE:
            return table.take(numbers)
        columns = [_take_arrow(column, rows, numbers, threads) for column in table.columns]
        return type(table).from_arrays(columns, schema=table.schema)
    import pandas

    if len(rows) < _TAKEN_HERE or type(table) is not pandas.DataFrame:
        taken = table.take(rows)
        return taken.reset_index(drop=True) if ignore_index else taken
    index = pandas.RangeIndex(len(rows)) if ignore_index else table.index.take(rows)
    held = {  # as Series: the types of arrays would be found out anew, and objects that are texts become text
        i: pandas.Series(_take_series(series, rows, threads), index=index, dtype=series.dtype, copy=False)
        for i, (_, series) in enumerate(table.items())
    }
    taken = pandas.DataFrame(held, index=index, copy=False)
    taken.columns = table.columns
    return taken.__finalize__(table, method="take")


def _take_series(series: Any, rows: Array, threads: int | None) -> Any:
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return core.take(series.to_numpy(), rows, threads)
    if hasattr(series.array, "__arrow_array__") and str(dtype).startswith(("str", "large_string")):
        with suppress(ImportError):
            import pandas
            import pyarrow

            column = series.array.__arrow_array__()
            if isinstance(column, pyarrow.Array):
                column = pyarrow.chunked_array([column])
            taken = _take_text(column, rows, threads)
            if taken is not None:
                return pandas.array(pyarrow.chunked_array([taken]), dtype=dtype)
    return series.array.take(rows)


def _take_arrow(column: Any, rows: Array, numbers: Any, threads: int | None) -> Any:
    import pyarrow

    several = isinstance(column, pyarrow.ChunkedArray)
    taken = None
    if len(rows) >= _TAKEN_HERE:
        taken = _take_text(column if several else pyarrow.chunked_array([column]), rows, threads)
    if taken is None:
        return column.take(numbers)
    return pyarrow.chunked_array([taken]) if several else taken


def _take_text(column: Any, rows: Array, threads: int | None) -> Any:
    """Rows of a chunked array of text or binary, by all threads; None of one that this does not do."""
    import pyarrow

    if column.type not in (pyarrow.string(), pyarrow.large_string(), pyarrow.binary(), pyarrow.large_binary()):
        return None
    buffers = core.take_text(column.__arrow_c_stream__(), rows, threads)
    if buffers is NotImplemented:
        return None
    held = [None if b is None else pyarrow.py_buffer(b) for b in buffers]
    return pyarrow.Array.from_buffers(column.type, len(rows), held)
