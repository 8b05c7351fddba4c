"""Tables and columns of pandas, Polars and PyArrow.

The columns that decide the order are read where they lie (`_core` takes Arrow's streams, and the arrays in which pandas
keeps numbers); the order comes back as row numbers. Text and pandas' numbers are then taken here, by all threads, the
rest by the table's own library. What differs between the libraries is a class for each, in a file of its own, which is
loaded when the first table of theirs is seen; which of them a class of tables belongs to is looked up once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np

from ._arrays import Array, Columns, Nan, flag
from ._backend import core
from ._progress import Progress, telling

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_KNOWN = ("pandas.DataFrame", "polars.DataFrame", "pyarrow.Table", "pyarrow.RecordBatch")
_COLUMNS = ("pandas.Series", "polars.Series", "pyarrow.ChunkedArray", "pyarrow.Array")
_DIRECTIONS = {"ascending": False, "descending": True}
TAKEN_HERE = 2**14  # rows: below, the table's own library takes them as soon


class TableLibrary:
    """What the calls below ask of a library of tables."""

    def read(self, table: Any) -> Any:
        """A table as `column` and `take` have it, where all of its columns are wanted."""
        return table

    def names(self, table: Any) -> list[Any]:
        raise NotImplementedError

    def column(self, table: Any, name: Any) -> Any:
        """The column of this name; None where there is none, or several."""
        raise NotImplementedError

    def is_name(self, table: Any, entry: tuple[Any, ...]) -> bool:
        """Whether a tuple is the name of a column."""
        return False

    def append(
        self, call: str, columns: Columns, column: Any, descending: bool, nulls_first: bool, nan: str
    ) -> None:
        """Adds what orders rows as this column does."""
        raise NotImplementedError

    def take(self, table: Any, rows: Array, ignore_index: bool, threads: SupportsIndex | None) -> Any:
        """These rows of a table."""
        raise NotImplementedError

    def take_column(self, column: Any, rows: Array, ignore_index: bool, threads: SupportsIndex | None) -> Any:
        raise NotImplementedError


_known: dict[type, tuple[TableLibrary, bool]] = {}  # whether it is a column


def sort_table(
    table: Any,
    /,
    by: Any = None,
    *,
    nulls: Literal["last", "first"] = "last",
    nan: Nan = "last",
    ignore_index: bool = False,
    threads: SupportsIndex | None = None,
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

    Notes
    -----
    The columns that decide are read once, and the rows of each column are taken once.

    Examples
    --------
    >>> import pandas, sortile
    >>> fruit = pandas.DataFrame({"name": ["fig", "pear", "kiwi"], "size": [7, 12, 7]})
    >>> sortile.sort_table(fruit, [("size", "descending"), "name"])["name"].tolist()
    ['pear', 'fig', 'kiwi']
    """
    library, is_column = _kind("sort_table", table)
    ignore_index = flag("ignore_index", ignore_index)
    dtype = np.uint32 if len(table) < 2**32 else np.int64
    held = table if is_column else library.read(table)
    rows = _rows_in_order("sort_table", library, is_column, held, by, dtype, nulls, nan, threads, progress)
    return (library.take_column if is_column else library.take)(held, rows, ignore_index, threads)


def argsort_table(
    table: Any,
    /,
    by: Any = None,
    *,
    dtype: DTypeLike | None = None,
    nulls: Literal["last", "first"] = "last",
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
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

    Notes
    -----
    As `sort_table`, less the rows, of which none are moved.

    Examples
    --------
    >>> import pandas, sortile
    >>> sortile.argsort_table(pandas.DataFrame({"size": [7, 12, 5]}), "size")
    array([2, 0, 1])
    """
    library, is_column = _kind("argsort_table", table)
    return _rows_in_order("argsort_table", library, is_column, table, by, dtype, nulls, nan, threads, progress)


def _rows_in_order(
    call: str, library: TableLibrary, is_column: bool, table: Any, by: Any, dtype: Any, nulls: str, nan: str,
    threads: SupportsIndex | None, progress: Progress,
) -> Array:
    if not isinstance(nulls, str) or nulls not in ("last", "first"):
        raise ValueError(f'sortile.{call}: nulls must be "last" or "first"')
    decide = [(None, table, _direction(call, by))] if is_column else _order(call, by, table, library)
    columns = Columns()
    names: list[Any] = []  # of the column that each of columns.arrays is for
    for name, column, descending in decide:
        library.append(call, columns, column, descending, nulls == "first", nan)
        names += [name] * (len(columns.arrays) - len(names))
    with telling(progress) as tell:
        try:
            result: Array = core.argsort_rows(
                columns.arrays, columns.descending, dtype, nulls == "first", nan, threads, tell
            )
        except TypeError as e:
            if len(e.args) != 2:
                raise
            subject = "a column" if is_column else f"column {names[e.args[1]]!r}"
            raise TypeError(f"sortile.{call}: {subject} of type {e.args[0]}") from None
    return result


def _kind(call: str, table: Any) -> tuple[TableLibrary, bool]:
    """The library that it is of, and whether it is a column."""
    found = _known.get(type(table))
    return found if found is not None else _look_up(call, type(table))


def _look_up(call: str, kind: type) -> tuple[TableLibrary, bool]:
    for base in kind.__mro__:  # subclasses too, such as geopandas.GeoDataFrame
        library = base.__module__.partition(".")[0]
        name = f"{library}.{base.__name__}"
        if name in _KNOWN or name in _COLUMNS:
            module = importlib.import_module(f"._{library}", __package__)
            return _known.setdefault(kind, (module.LIBRARY, name in _COLUMNS))
    if any(base.__name__ == "LazyFrame" for base in kind.__mro__):
        raise TypeError(f"sortile.{call}: a LazyFrame holds no rows yet; its collect() gives a table")
    raise TypeError(
        f"sortile.{call}: {kind.__module__}.{kind.__name__} is no table that is known here; those "
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


def _order(call: str, by: Any, table: Any, library: TableLibrary) -> list[tuple[Any, Any, bool]]:
    """(name, column, whether it descends) for each, the first deciding."""
    if not isinstance(by, list):
        by = [] if by is None else [by]
    if not by:
        raise ValueError(f"sortile.{call}: by names no column; at least one is needed")
    order = []
    for entry in by:
        is_pair = isinstance(entry, tuple) and len(entry) == 2 and not library.is_name(table, entry)
        name, direction = entry if is_pair else (entry, "ascending")
        if not isinstance(direction, str) or direction not in _DIRECTIONS:
            raise ValueError(
                f"sortile.{call}: direction {direction!r} of column {name!r}; "
                'allowed are "ascending" and "descending"'
            )
        column = library.column(table, name)
        if column is None:
            raise _no_column(call, name, library.names(table))
        order.append((name, column, _DIRECTIONS[direction]))
    return order


def _no_column(call: str, name: Any, names: list[Any]) -> ValueError:
    times = sum(type(n) is type(name) and n == name for n in names)  # an array equals what it holds
    often = f"{times} columns" if times > 1 else "no column"
    return ValueError(f"sortile.{call}: {often} called {name!r}; the table has {', '.join(map(str, names))}")
