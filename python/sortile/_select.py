"""Parts of a sort: the first k, and partitions; and groups of equal keys. `_quantiles` has medians and quantiles.

Each reads the array about once, where a sort moves it several times.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._arrays import (
    Array, Nan, flag, given, in_order_of, is_only_axis, keeps_kind, nat_largest, native, need_axis, need_nan, not_taken,
    positions_back, whole,
)
from ._backend import core
from ._device import need_first, need_place
from ._frameworks import held_by, refuse_host_options
from ._progress import Progress, Tell, telling

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class TopK(NamedTuple):
    """What `top_k` gives: arrays of one shape."""

    values: NDArray[Any]
    indices: NDArray[np.int64]


class Groups(NamedTuple):
    """What `group_by` gives: group g has the key keys[g] and the positions order[offsets[g]:offsets[g + 1]]."""

    keys: NDArray[Any]
    offsets: NDArray[np.int64]
    order: NDArray[np.int64]


def rows_along(a: Array, axis: int | None) -> tuple[Array, tuple[int, ...], int]:
    """The array with the axis last, as rows without gaps; the other axes; and where the axis was."""
    if axis is None:
        a, axis = a.reshape(-1), 0
    need_axis(axis, a.ndim)
    if a.ndim == 1 and a.flags.c_contiguous and a.flags.aligned:
        return native(a).reshape(1, len(a)), (), 0
    moved = np.moveaxis(a, axis, -1)
    rows = np.require(native(moved.reshape(prod(moved.shape[:-1]), moved.shape[-1])), requirements=["C", "A"])
    return rows, moved.shape[:-1], axis % a.ndim


def done(function: str, result: Any, a: Array) -> Any:
    if result is NotImplemented:
        raise not_taken(function, a.dtype)
    return result


def _missing(a: Array, numbers: Array) -> Array | None:
    """Which elements are NaN or NaT; None for types that have none."""
    if a.dtype.kind in "mM":
        return np.asarray(numbers == np.iinfo(np.int64).max)
    if numbers.dtype.kind not in "fV":
        return None
    with np.errstate(invalid="ignore"):  # of signalling NaNs
        return np.asarray(numbers != numbers)


def top_k(
    x: ArrayLike,
    k: int,
    /,
    *,
    axis: int | None = -1,
    largest: bool = True,
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> TopK:
    """The k largest (or smallest) elements along an axis, in order, and where they are.

    Parameters
    ----------
    x : array
        Of elements that the library orders by themselves: booleans, integers, floats, datetime64, timedelta64. NumPy's,
        or one of PyTorch, CuPy and JAX, in host memory or on a GPU.
    k : int
        From 0 to the axis' length.
    axis : int or None
        The axis; None takes all elements as one.
    largest : bool
        The largest, in descending order; False: the smallest, in ascending order.
    nan : {"last", "largest"}
        NaN and NaT are chosen after all others, or count as the largest values.
    threads, progress
        As in `sort`.

    Returns
    -------
    TopK
        `values` and `indices` (int64; int32 in JAX without 64-bit types). Of equal elements those with the lowest
        indices come first, always.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `sort`; ValueError also for a k beyond the axis.

    Notes
    -----
    The array is read about once, whatever k is, and what is chosen is sorted. Rows with gaps, and another axis than the
    last, are copied first.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.top_k(np.array([3, 1, 7, 7]), 2)
    TopK(values=array([7, 7]), indices=array([2, 3]))
    """
    first, largest = whole("k", k), flag("largest", largest)
    of_lane = progress is None and (axis is None or is_only_axis(axis))
    if of_lane and type(x) is np.ndarray and x.ndim == 1 and 0 < first <= x.shape[0]:
        found = core.top_k_of_lane(x, first, largest, nan, threads)
        if found is not NotImplemented:
            return TopK(*found)
    if (framework := held_by(x)) is not None:
        refuse_host_options(None, progress)
        return TopK(*framework.top_k(x, first, axis, largest, nan))
    a, back = given(x)
    with telling(progress) as tell:
        values, indices = host_top_k(a, first, axis, largest, nan, threads, tell)
    return TopK(back(values), positions_back(x, back)(indices))


def host_top_k(
    a: Array, k: int, axis: int | None, largest: bool, nan: str, threads: int | None, tell: Tell | None
) -> tuple[Array, Array]:
    """`top_k` of an array in host memory."""
    need_nan(nan)
    rows, others, at = rows_along(a, axis)
    rows, as_given = nat_largest(rows)
    n = rows.shape[1]
    need_first(k, n)
    lacks = _missing(a, rows) if nan == "last" and largest else None
    if lacks is None or not lacks.any():
        values, indices = done("top_k", core.top_k(rows, k, largest, threads, tell), rows)
    else:  # they are the first to be chosen: as many more are, and these moved behind
        most = min(n, k + int(lacks.sum(axis=1).max()))
        values, indices = done("top_k", core.top_k(rows, most, largest, threads, tell), rows)
        behind = np.argsort(np.take_along_axis(lacks, indices, 1), axis=1, kind="stable")[:, :k]
        values, indices = np.take_along_axis(values, behind, 1), np.take_along_axis(indices, behind, 1)
    shape = (*others, k)
    values = in_order_of(a)(as_given(values))
    return np.moveaxis(values.reshape(shape), -1, at), np.moveaxis(indices.reshape(shape), -1, at)


@keeps_kind
def partition(x: ArrayLike, kth: int, /, *, axis: int | None = -1, threads: int | None = None) -> NDArray[Any]:
    """A copy in which the element at place `kth` of the axis is the one that a sort would put there.

    No element before it is larger, none behind it smaller; NaN and NaT count as the largest values, as in NumPy.

    Parameters
    ----------
    x, axis, threads
        As in `top_k`. Several rows on a GPU are sorted whole, and so are all arrays that JAX keeps.
    kth : int
        The place; negative ones count from the end.

    Returns
    -------
    array
        Of the kind, shape and type of `x`.

    Raises
    ------
    TypeError
        For elements that the library does not order by themselves.
    ValueError
        For a place beyond the axis.

    Notes
    -----
    Elements are parted, not ordered, which is cheaper than a sort. Ctrl-C is heard when the call is done.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> int(sortile.partition(np.array([5, 1, 4, 2, 3]), 2)[2])
    3
    """
    place = whole("kth", kth)
    if (framework := held_by(x)) is not None and framework.takes_partitions(x):
        return framework.partition(x, place, axis)
    a, back = given(x)
    rows, others, at = rows_along(a, axis)
    n = rows.shape[1]
    place = need_place(place, n)
    numbers, as_given = nat_largest(rows)
    copy = numbers if numbers.size and not np.may_share_memory(numbers, a) else numbers.copy()
    done("partition", core.nth_element(copy, place, threads), rows)
    return back(np.moveaxis(in_order_of(a)(as_given(copy)).reshape((*others, n)), -1, at))


def group_by(keys: ArrayLike, /, *, threads: int | None = None, progress: Progress = None) -> Groups:
    """The groups of equal keys: the distinct keys in order, and the positions of each one's elements.

    Parameters
    ----------
    keys : array of one axis
        NaNs (NaTs) are one group, the last, and so are -0.0 and 0.0 one.
    threads, progress
        As in `sort`.

    Returns
    -------
    Groups
        `keys`, `offsets` (one more than keys) and `order`: ``order[offsets[g]:offsets[g + 1]]`` are the positions of
        ``keys[g]``, rising. Of keys that are equal and differ (zeros, NaNs) the first one stands for all.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `argsort`; also for keys of several axes.

    Notes
    -----
    One `argsort` and a pass. On a GPU the call waits: the device alone knows how many groups there are.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.group_by(np.array([3, 1, 3]))
    Groups(keys=array([1, 3]), offsets=array([0, 1, 3]), order=array([1, 0, 2]))
    """
    if (framework := held_by(keys)) is not None:
        refuse_host_options(None, progress)
        return Groups(*framework.group_by(keys))
    a, back = given(keys)
    if a.ndim != 1:
        raise ValueError(f"sortile.group_by: keys of shape {a.shape}; they have one axis")
    flat, as_given = nat_largest(np.require(native(a), requirements=["C", "A"]))
    with telling(progress) as tell:
        found, offsets, order = done("group_by", core.group_by(flat, threads, tell), flat)
    back_numbers = positions_back(keys, back)
    return Groups(back(in_order_of(a)(as_given(found))), back_numbers(offsets), back_numbers(order))
