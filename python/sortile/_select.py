"""Parts of a sort: the first k, and partitions; and groups of equal keys. `_quantiles` has medians and quantiles.

Each reads the array about once, where a sort moves it several times.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np

from ._arrays import AXES, Array, Nan, flag, given, is_ordered, need_axis, not_taken, of_fields, positions_back, whole
from ._backend import core
from ._call_types import keeps_kind
from ._counts import are_counts, as_unsigned, counts_given, is_for_each, same_for_each
from ._device import need_first, need_place
from ._filling import elements, filler
from ._frameworks import Framework, held_beside, held_by, refuse_host_options
from ._progress import Progress, Tell, telling

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class TopK(NamedTuple):
    """What `top_k` and `segment_top_k` give: arrays of one shape."""

    values: NDArray[Any]
    indices: NDArray[np.int64]


class Groups(NamedTuple):
    """What `group_by` gives: group g has the key keys[g] and the positions order[offsets[g]:offsets[g + 1]]."""

    keys: NDArray[Any]
    offsets: NDArray[np.int64]
    order: NDArray[np.int64]


def along(a: Array, axis: Any) -> tuple[Array, int]:
    """An array and an axis of it, as the compiled calls take it; an error for one that is not there."""
    if axis is None:
        return a.reshape(-1), 0
    axis = whole("axis", axis, AXES)
    need_axis(axis, a.ndim)
    return a, axis


def done(function: str, result: Any, a: Array) -> Any:
    if result is NotImplemented:
        raise not_taken(function, a.dtype)
    return result


def top_k(
    x: ArrayLike,
    k: int | ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = -1,
    largest: bool = True,
    nan: Nan = "last",
    most: int | None = None,
    fill: Any = 0,
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> TopK:
    """The k largest (or smallest) elements along an axis, in order, and where they are.

    Parameters
    ----------
    x : array
        Of elements that the library orders by themselves: booleans, integers, floats, datetime64, timedelta64. NumPy's,
        or one of PyTorch, CuPy and JAX, in host memory or on a GPU.
    k : int or array of ints
        From 0 to the axis' length. An array has a k for each lane: its shape is that of x without the axis. Beside an array
        that a framework keeps on a GPU, traces or differentiates it is one of the framework's on the same device, and is
        not read by the host.
    axis : int or None
        The axis; None takes all elements as one.
    largest : bool
        The largest, in descending order; False: the smallest, in ascending order.
    nan : {"last", "largest"}
        NaN and NaT are chosen after all others, or count as the largest values.
    most : int, optional
        The length of the result along the axis: a lane has no more, and what lies behind its k is `fill`. The largest k
        unless given; needed where the host does not read k.
    fill : scalar
        What `values` has behind a lane's k: a number that an element can be, and that the host knows; `indices` have -1
        there. Among dates 0 is 1970-01-01; ``fill=np.datetime64("NaT", "D")`` is none.
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
        As `sort`; ValueError also for a k beyond the axis. Where the host does not read k, a lane's k below 0 counts as 0,
        and one above `most` as `most`.

    Notes
    -----
    The array is read about once, whatever k is, and what is chosen is sorted. Rows with gaps, and another axis than the
    last, are copied first.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.top_k(np.array([3, 1, 7, 7]), 2)
    TopK(values=array([7, 7]), indices=array([2, 3]))
    >>> sortile.top_k(np.array([[3, 1, 7], [5, 9, 2]]), [2, 1]).values
    array([[7, 3],
           [9, 0]])
    """
    if type(x) is np.ndarray and most is None and progress is None:
        found = core.top_k(x, k, None, None, axis, largest, nan, threads, None)
        if found is not NotImplemented:
            return of_fields(TopK, found)
    if most is not None or is_for_each(k):
        return _top_k_of_lanes(x, k, axis, flag("largest", largest), nan, most, fill, threads, progress)
    first, largest = whole("k", k), flag("largest", largest)
    if (framework := held_by(x)) is not None:
        refuse_host_options(None, progress)
        return TopK(*framework.top_k(x, first, axis, largest, nan))
    a, back = given(x)
    with telling(progress) as tell:
        values, indices = host_top_k(a, first, axis, largest, nan, threads, tell)
    return TopK(back(values), positions_back(x, back)(indices))


def _top_k_of_lanes(
    x: Any, k: Any, axis: Any, largest: bool, nan: str, most: int | None, fill: Any, threads: SupportsIndex | None,
    progress: Progress,
) -> TopK:
    """As many as the largest k, or `most`, of each lane; those behind its own k are filled."""
    framework, x = held_beside("top_k", x, ("k", k))
    if framework is not None:
        refuse_host_options(None, progress)
        if most is None:
            raise ValueError(
                "sortile.top_k: most is needed, the length of the result: of an array that a framework keeps on a GPU, traces "
                "or differentiates the host does not read k"
            )
        return _top_k_of_held_lanes(framework, x, k, axis, largest, nan, whole("most", most), fill)
    a, back = given(x)
    counts = counts_given(k) if is_for_each(k) else same_for_each(k, _lanes(a.shape, axis))
    _need_counts(counts.shape, are_counts(counts), counts.dtype, a.shape, axis)
    length = a.size if axis is None else a.shape[axis]
    least, largest_k = (int(counts.min()), int(counts.max())) if counts.size > 0 else (0, 0)
    need_first(least, length)
    need_first(largest_k, length)
    first = largest_k if most is None else whole("most", most)
    need_first(first, length, "most")
    if not is_ordered(a.dtype):
        raise not_taken("top_k", a.dtype)
    of_lanes = as_unsigned(counts).reshape(-1), elements("top_k", a.dtype, fill)
    with telling(progress) as tell:
        values, indices = host_top_k(a, first, axis, largest, nan, threads, tell, *of_lanes)
    return TopK(back(values), positions_back(x, back)(indices))


def _top_k_of_held_lanes(
    framework: Framework, x: Any, k: Any, axis: Any, largest: bool, nan: str, most: int, fill: Any
) -> TopK:
    """Of an array that a framework holds: k is not read, unless it is a number."""
    if not framework.is_array(type(k)) and not isinstance(k, (int, np.integer)):
        raise TypeError(
            f"sortile.top_k: k is of type {type(k).__name__}; beside an array of {framework.name}'s it is one, too"
        )
    if axis is not None:
        need_axis(axis, x.ndim)
    length = math.prod(x.shape) if axis is None else x.shape[axis]
    if not framework.is_array(type(k)):
        number = whole("k", k)
        need_first(number, length)
        k = framework.single(x, number).reshape(())
    if k.ndim == 0 and (lanes := _lanes(x.shape, axis)):
        k = framework.repeated(k, math.prod(lanes)).reshape(lanes)
    _need_counts(k.shape, framework.is_integer(k), k.dtype, x.shape, axis)
    framework.need_beside("top_k", "k", k, x)
    need_first(most, length, "most")
    element = filler("top_k", str(x.dtype).rpartition(".")[2], fill)
    return TopK(*framework.top_k_of_lanes(x, most, k, axis, largest, nan, element))


def _lanes(shape: Any, axis: Any) -> tuple[int, ...]:
    """The shape that an array of something for each lane has."""
    if axis is None:
        return ()
    need_axis(axis, len(shape))
    return tuple(n for number, n in enumerate(shape) if number != axis % len(shape))


def _need_counts(shape: Any, are_whole: bool, kind: Any, of: Any, axis: Any) -> None:
    lanes = _lanes(of, axis)
    if tuple(shape) != lanes:
        raise ValueError(
            f"sortile.top_k: k has the shape {tuple(shape)}; an array that has a k for each lane is of shape {lanes} here, "
            "that of the array without the axis"
        )
    if not are_whole:
        raise TypeError(f"sortile.top_k: k has elements of type {kind}; allowed are whole numbers")


def host_top_k(
    a: Array, k: int, axis: Any, largest: bool, nan: str, threads: SupportsIndex | None, tell: Tell | None,
    counts: Array | None = None, fill: Array | None = None,
) -> tuple[Array, Array]:
    """`top_k` of an array in host memory; with `counts` no more than so many of each lane, and `fill` behind them."""
    a, axis = along(a, axis)
    need_first(k, a.shape[axis])
    found = core.top_k(a, k, counts, fill, axis, largest, nan, threads, tell)
    first: tuple[Array, Array] = done("top_k", found, a)
    return first


@keeps_kind
def partition(x: ArrayLike, kth: SupportsIndex, /, *, axis: SupportsIndex | None = -1, threads: SupportsIndex | None = None) -> NDArray[Any]:
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
    if type(x) is np.ndarray:
        found = core.partition(x, kth, axis, threads)
        if found is not NotImplemented:
            return found
    place = whole("kth", kth)
    if (framework := held_by(x)) is not None and framework.takes_partitions(x):
        return framework.partition(x, place, axis)
    a, back = given(x)
    a, axis = along(a, axis)
    place = need_place(place, a.shape[axis])
    return back(done("partition", core.partition(a, place, axis, threads), a))


def group_by(keys: ArrayLike, /, *, threads: SupportsIndex | None = None, progress: Progress = None) -> Groups:
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
    if type(keys) is np.ndarray and progress is None:
        groups = core.group_by(keys, threads, None)
        if groups is not NotImplemented:
            return of_fields(Groups, groups)
    if (framework := held_by(keys)) is not None:
        refuse_host_options(None, progress)
        return Groups(*framework.group_by(keys))
    a, back = given(keys)
    if a.ndim != 1:
        raise ValueError(f"sortile.group_by: keys of shape {a.shape}; they have one axis")
    with telling(progress) as tell:
        found, offsets, order = done("group_by", core.group_by(a, threads, tell), a)
    numbers = positions_back(keys, back)
    return Groups(back(found), numbers(offsets), numbers(order))
