"""Sorting, several times as fast as NumPy's, on all cores.

Functions have the names and defaults of the array API standard, and take NumPy arrays of any shape, strides and byte
order. All sorts are stable. NaN and NaT come last in both directions, as NumPy has it; ``nan="largest"`` makes them the
largest values instead, so that they come first where the order is descending. -0.0 and 0.0 are equal and keep their
order. The interpreter's lock is released while an array is sorted, and Ctrl-C ends the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Literal, Sequence, Union

from . import _core, _others, _tables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = [
    "argsort",
    "argsort_rows",
    "argsort_table",
    "explain",
    "info",
    "is_sorted",
    "lexsort",
    "merge",
    "release_scratch",
    "sort",
    "sort_by_key",
    "sort_table",
    "unique",
]

__version__: str = _core.info()["version"]

Nan = Literal["last", "largest"]
Progress = Union[None, bool, Callable[[float], Any]]


def sort(
    x: ArrayLike,
    /,
    *,
    axis: int | None = -1,
    descending: bool = False,
    stable: bool = True,
    out: NDArray[Any] | None = None,
    order: str | Sequence[str] | None = None,
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """Sorted copy of an array.

    Parameters
    ----------
    x : array
        Of booleans, integers, floats (float16, float32, float64, ``ml_dtypes.bfloat16``), complex numbers (by real,
        then imaginary part), datetime64, timedelta64, or structured (by its fields, the first deciding).
    axis : int or None
        The axis along which to sort; None sorts all elements as one.
    descending : bool
        Largest first. Equal elements keep their order here too.
    stable : bool
        Every sort is stable; False allows one that is not, and today makes no difference.
    out : array, optional
        Where the result goes: an array of the same shape and type, which may be `x` itself (sorted in place).
    order : str or sequence of str, optional
        Of a structured array: the fields that decide, the first before the next; the others break ties in their order.
    nan : {"last", "largest"}
        Where NaN and NaT go: behind all others in both directions, or where the largest value goes.
    threads : int, optional
        CPU threads at most; as many as the machine offers, where it is not given.
    progress : callable or True, optional
        Called every 50 ms with the fraction done; what it raises ends the call. True shows a bar.

    Returns
    -------
    array
        Of the shape and type of `x`, or `out`.

    Raises
    ------
    TypeError
        For elements that have no order here, and an `out` of another type.
    ValueError
        For an axis that is not there, and an `out` of another shape.
    MemoryError
        `x` is as it was.

    Notes
    -----
    Time is proportional to the number of elements and their width. Beside the result, memory for one more copy is used
    while the sort runs. Where a sort in place (``out=x``) is interrupted, `x` holds unspecified contents.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.sort(np.array([2.5, np.nan, -1.0]), descending=True)
    array([ 2.5, -1. ,  nan])
    """
    if progress is None and order is None:
        result = _core.sort(x, axis, descending, out, nan, threads, None)
        if result is not NotImplemented:
            return result
    return _others.sort(x, axis, descending, out, order, nan, threads, progress)


def argsort(
    x: ArrayLike,
    /,
    *,
    axis: int | None = -1,
    descending: bool = False,
    stable: bool = True,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    order: str | Sequence[str] | None = None,
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """Positions that sort an array: ``np.take_along_axis(x, argsort(x), -1)`` is sorted.

    Parameters
    ----------
    x, axis, descending, stable, order, nan, threads, progress
        As in `sort`.
    dtype : {int64, uint32}
        Of the positions. uint32 halves their memory and is faster; it numbers at most 2**32 elements.
    out : array, optional
        Where the positions go: of the shape of `x`, int64 or uint32.

    Returns
    -------
    array of int64 or uint32
        Of the shape of `x`. Positions of equal elements ascend.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `sort`; also for another `dtype`, and uint32 with too many elements.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.argsort(np.array([30, 10, 20]))
    array([1, 2, 0])
    """
    if progress is None and order is None:
        result = _core.argsort(x, axis, descending, dtype, out, nan, threads, None)
        if result is not NotImplemented:
            return result
    return _others.argsort(x, axis, descending, dtype, out, order, nan, threads, progress)


def sort_by_key(
    keys: ArrayLike,
    values: ArrayLike | tuple[ArrayLike, ...],
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> tuple[NDArray[Any], Any]:
    """Sorted keys, and values in the order of their keys.

    Parameters
    ----------
    keys : array
        As `x` of `sort`.
    values : array or tuple of arrays
        Of any type. With keys of one axis, the first axis of each is as long as the keys, and whole rows move; with
        keys of several axes, each has the shape of the keys.
    axis, descending, stable, nan, threads, progress
        As in `sort`.

    Returns
    -------
    keys, values
        New arrays; `values` is an array or a tuple, as it was given.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `sort`; also for values that do not fit the keys.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> keys, names = sortile.sort_by_key(np.array([3, 1, 2]), np.array(["c", "a", "b"]))
    >>> names
    array(['a', 'b', 'c'], dtype='<U1')
    """
    several = isinstance(values, tuple)
    arrays = values if isinstance(values, tuple) else (values,)
    sorted_keys, moved = _others.sort_by_key(keys, arrays, axis, descending, nan, threads, progress)
    return sorted_keys, moved if several else moved[0]


def argsort_rows(
    columns: Iterable[ArrayLike],
    /,
    *,
    descending: bool | Sequence[bool] = False,
    dtype: DTypeLike | None = None,
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """Order of rows by several columns, the first deciding, ties by the next.

    Parameters
    ----------
    columns : sequence of arrays
        Of one axis and one length; each of a type of its own.
    descending : bool or sequence of bool
        For all columns, or for each.
    dtype, nan, threads, progress
        As in `argsort`.

    Returns
    -------
    array of int64 or uint32
        Row numbers in order. Rows that agree in all columns keep their order.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `argsort`; also for no columns, and columns of different lengths.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sizes, names = np.array([2, 1, 2]), np.array([7, 5, 6])
    >>> sortile.argsort_rows([sizes, names], descending=[True, False])
    array([2, 0, 1])
    """
    return _others.argsort_rows(columns, descending, dtype, nan, threads, progress)


def lexsort(
    keys: Iterable[ArrayLike],
    /,
    *,
    axis: int = -1,
    descending: bool | Sequence[bool] = False,
    dtype: DTypeLike | None = None,
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """Order by several keys, the last deciding: ``np.lexsort``.

    `argsort_rows` is the same with the first column deciding. Keys of several axes are ordered along `axis`.

    Parameters
    ----------
    keys : sequence of arrays, or an array of which each row is a key
        Of one shape.
    axis : int
        The axis along which to order.
    descending, dtype, nan, threads, progress
        As in `argsort_rows`; `descending` has one entry a key, in the order of `keys`.

    Returns
    -------
    array of int64 or uint32
        Of the shape of a key.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.lexsort((np.array([7, 5, 6]), np.array([2, 1, 2])))
    array([1, 2, 0])
    """
    return _others.lexsort(keys, axis, descending, dtype, nan, threads, progress)


def merge(
    *runs: ArrayLike,
    descending: bool = False,
    out: NDArray[Any] | None = None,
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """One sorted array of several sorted ones.

    Parameters
    ----------
    *runs : arrays
        Of one axis and one type, each in the order that `descending` and `nan` name, which is not checked.
    descending, nan, threads, progress
        As in `sort`.
    out : array, optional
        Where the result goes: as long as all runs together, apart from them.

    Returns
    -------
    array
        Of equal elements those of earlier runs come first.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `sort`; also for runs of different types.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.merge(np.array([1, 4]), np.array([2, 3]))
    array([1, 2, 3, 4])
    """
    return _others.merge(runs, descending, out, nan, threads, progress)


def is_sorted(
    x: ArrayLike,
    /,
    *,
    axis: int | None = -1,
    descending: bool = False,
    order: str | Sequence[str] | None = None,
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> bool:
    """Whether `sort` with the same arguments would leave the array as it is.

    Parameters
    ----------
    x, axis, descending, order, nan, threads, progress
        As in `sort`.

    Returns
    -------
    bool
        Of all lanes along the axis together. The first disorder ends the search.
    """
    if progress is None and order is None:
        result = _core.is_sorted(x, axis, descending, nan, threads, None)
        if result is not NotImplemented:
            return result
    return _others.is_sorted(x, axis, descending, order, nan, threads, progress)


def unique(
    x: ArrayLike,
    /,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    equal_nan: bool = True,
    threads: int | None = None,
    progress: Progress = None,
) -> Any:
    """Distinct elements of an array, ascending.

    Parameters
    ----------
    x : array
        As in `sort`; its elements are taken as one row of them.
    return_index : bool
        Also the position of each one's first occurrence.
    return_inverse : bool
        Also, in the shape of `x`, the position in the result that each element has.
    return_counts : bool
        Also how often each occurs.
    equal_nan : bool
        NaNs are one value; False makes each its own.
    threads, progress
        As in `sort`.

    Returns
    -------
    values, or a tuple of values, index, inverse, counts
        Those that were asked for, in this order. NaN and NaT come last.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.unique(np.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    return _others.unique(x, return_index, return_inverse, return_counts, equal_nan, threads, progress)


def sort_table(
    table: Any,
    by: Any,
    /,
    *,
    nulls: Literal["last", "first"] = "last",
    nan: Nan = "last",
    ignore_index: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Any:
    """Rows of a table in the order of some of its columns.

    Parameters
    ----------
    table : pandas.DataFrame, polars.DataFrame, pyarrow.Table or pyarrow.RecordBatch
    by : column, (column, direction), or list of these
        What decides, the first before the next; a direction is "ascending" or "descending". Columns hold numbers,
        decimals of up to 128 bits, booleans, dates, times, text (in the order of its bytes), binary, categories.
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
    table of the same kind
        Rows that agree in all columns of `by` keep their order.

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
    return _tables.sort_table(table, by, nulls, nan, ignore_index, threads, progress)


def argsort_table(
    table: Any,
    by: Any,
    /,
    *,
    dtype: DTypeLike | None = None,
    nulls: Literal["last", "first"] = "last",
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """Row numbers of a table in the order of some of its columns.

    Parameters
    ----------
    table, by, nulls, nan, threads, progress
        As in `sort_table`.
    dtype : {int64, uint32}
        Of the row numbers.

    Returns
    -------
    array of int64 or uint32

    Examples
    --------
    >>> import pandas, sortile
    >>> sortile.argsort_table(pandas.DataFrame({"size": [7, 12, 5]}), "size")
    array([2, 0, 1])
    """
    return _tables.argsort_table(table, by, dtype, nulls, nan, threads, progress)


def explain(
    x: ArrayLike,
    /,
    *,
    axis: int | None = -1,
    positions: bool = False,
    descending: bool = False,
    threads: int | None = None,
) -> str:
    """How a lane of an array would be sorted: engine, steps, the memory each moves, workspace.

    Parameters
    ----------
    x, axis, descending, threads
        As in `sort`. The elements are not looked at.
    positions : bool
        Explain `argsort` in place of `sort`.

    Returns
    -------
    str
        Several lines.
    """
    return _others.explain(x, axis, positions, descending, threads)


def info() -> dict[str, Any]:
    """What this module can use here: version, threads, engines and why one of them cannot be used."""
    return _core.info()


def release_scratch() -> None:
    """Give back to the system the scratch memory (at most 1 GiB) that large sorts keep for the next one."""
    _core.release_scratch()
