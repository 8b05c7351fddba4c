"""unique, and the four functions that the array API standard has in its place: distinct elements, where, how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np

from ._arrays import Array, Columns, flag, given, leaves, native, of_fields, positions_back
from ._backend import core
from ._frameworks import held_by, refuse_host_options
from ._lanes import checked, in_columns, rows_in_order
from ._progress import Progress, Tell, telling

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class UniqueAll(NamedTuple):
    """What `unique_all` gives."""

    values: NDArray[Any]
    indices: NDArray[np.int64]
    inverse_indices: NDArray[np.int64]
    counts: NDArray[np.int64]


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: NDArray[Any]
    counts: NDArray[np.int64]


class UniqueInverse(NamedTuple):
    """What `unique_inverse` gives."""

    values: NDArray[Any]
    inverse_indices: NDArray[np.int64]


def unique(
    x: ArrayLike,
    /,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    equal_nan: bool = True,
    threads: SupportsIndex | None = None,
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
        Those that were asked for, in this order; index, inverse and counts are int64. NaN and NaT come last.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `sort`.

    Notes
    -----
    A sort of the elements, or of their positions, and a pass. On a GPU the call waits: the device alone knows how many
    elements are distinct.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.unique(np.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    if type(x) is np.ndarray and progress is None:
        found = core.unique(x, return_index, return_inverse, return_counts, equal_nan, threads, None)
        if found is not NotImplemented:
            return found
    return_inverse = flag("return_inverse", return_inverse)
    wanted = (flag("return_index", return_index), return_inverse, flag("return_counts", return_counts))
    equal_nan = flag("equal_nan", equal_nan)
    if (framework := held_by(x)) is not None:
        refuse_host_options(None, progress)
        values, rest = framework.unique(x, wanted, equal_nan)
        return (values, *rest) if rest else values
    a, back = given(x)
    with telling(progress) as tell:
        if in_columns(a, None):
            values, *tables = _by_columns(a, equal_nan, threads, tell)
            tables = [table for table, asked in zip(tables, wanted) if asked]
        else:
            found = checked(core.unique, native(a), *wanted, equal_nan, threads, tell)
            values, *tables = found if any(wanted) else (found,)
    values = back(values.astype(a.dtype, copy=False))
    return (values, *map(positions_back(x, back), tables)) if tables else values


def unique_all(x: ArrayLike, /) -> UniqueAll:
    """Distinct elements, the first position, the inverse and the number of each: `unique` under the names of the array
    API standard, by which every NaN is a value of its own.

    Parameters
    ----------
    x : array
        As in `unique`.

    Returns
    -------
    UniqueAll
        `values`, ascending; `indices`, of each one's first occurrence; `inverse_indices`, in the shape of `x`, the place of
        each element among the values; `counts`. All but values are int64.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `unique`.

    Notes
    -----
    As `unique`.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.unique_all(np.array([3, 1, 3])).indices
    array([1, 0])
    """
    return of_fields(UniqueAll, unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False))


def unique_counts(x: ArrayLike, /) -> UniqueCounts:
    """Distinct elements and the number of each, as `unique_all` has them.

    Parameters
    ----------
    x : array
        As in `unique`.

    Returns
    -------
    UniqueCounts
        `values`, ascending, and `counts`, int64.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `unique`.

    Notes
    -----
    Elements alone are sorted, without positions: less work than `unique_all`.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.unique_counts(np.array([3, 1, 3])).counts
    array([1, 2])
    """
    return of_fields(UniqueCounts, unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: ArrayLike, /) -> UniqueInverse:
    """Distinct elements and, in the shape of `x`, the place of each element among them, as `unique_all` has them.

    Parameters
    ----------
    x : array
        As in `unique`.

    Returns
    -------
    UniqueInverse
        `values`, ascending, and `inverse_indices`, int64: ``values[inverse_indices]`` equals `x`.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `unique`.

    Notes
    -----
    As `unique`.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.unique_inverse(np.array([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    return of_fields(UniqueInverse, unique(x, return_inverse=True, equal_nan=False))


def unique_values(x: ArrayLike, /) -> NDArray[Any]:
    """Distinct elements, as `unique_all` has them; ascending, which the standard leaves open.

    Parameters
    ----------
    x : array
        As in `unique`.

    Returns
    -------
    array
        Of one axis, and of the kind and type of `x`.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `unique`.

    Notes
    -----
    As `unique_counts`.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.unique_values(np.array([3, 1, 3]))
    array([1, 3])
    """
    values: NDArray[Any] = unique(x, equal_nan=False)
    return values


def _by_columns(
    x: Array, equal_nan: bool, threads: SupportsIndex | None, tell: Tell | None
) -> tuple[Array, Array, Array, Array]:
    """Values, the first position of each, the inverse in the shape of x, counts."""
    a = x.reshape(-1)
    fields = list(leaves(a, None))
    if equal_nan:  # complex ones have an order among them, which would part equal ones, and lead with another than the first
        fields = [np.where(np.isnan(leaf), np.nan, leaf) if leaf.dtype.kind == "c" else leaf for leaf in fields]
    columns = Columns()
    for leaf in fields:
        columns.append_leaf(leaf, False, "last")
    positions = rows_in_order(columns, np.int64, "last", threads, tell)
    begins = np.zeros(len(a), dtype=bool)
    begins[:1] = True
    for leaf in fields:
        in_order = leaf[positions]
        with np.errstate(invalid="ignore"):  # of signalling NaNs
            differs = in_order[1:] != in_order[:-1]
        if equal_nan and leaf.dtype.kind in "fcMmV":  # the last of bfloat16
            lacks = np.isnat(in_order) if leaf.dtype.kind in "Mm" else np.isnan(in_order)
            differs &= ~(lacks[1:] & lacks[:-1])
        begins[1:] |= differs
    first = np.flatnonzero(begins)
    inverse = np.empty(len(a), dtype=np.int64)
    inverse[positions] = np.cumsum(begins) - 1
    return a[positions[first]], positions[first], inverse.reshape(x.shape), np.diff(np.append(first, len(a)))
