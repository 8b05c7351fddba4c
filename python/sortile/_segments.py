"""Sorts within segments: parts of one array, each sorted by itself, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, SupportsIndex, Union

import numpy as np
from numpy.typing import NDArray

from ._arrays import (
    Back, Nan, as_array, flag, given, in_order_of, native, need_no_mask, not_taken, positions_back, positions_like, shown
)
from ._backend import core
from ._call_types import keeps_kind
from ._device import need_values
from ._frameworks import Framework, Where, held_beside, held_together, known, refuse_host_options
from ._progress import Progress, telling

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike


def _offsets(function: str, x: Any) -> NDArray[Any]:
    need_no_mask(x)
    taken = as_array(x, "offsets")
    if taken.size == 0:  # whatever their type: that of an empty list is float64
        taken = np.empty(taken.shape, np.int64)
    if taken.dtype.kind in "Of" and isinstance(x, (list, tuple)):  # numbers of which 64 bits hold not all with their signs
        taken = _large(function, x, taken)
    if taken.ndim != 1 or taken.dtype.kind not in "iu":
        raise TypeError(
            f"sortile.{function}: offsets of shape {taken.shape} and type {taken.dtype}; they are integers along one axis"
        )
    if taken.dtype.kind == "i" and taken.min(initial=0) < 0:
        raise ValueError(f"sortile.{function}: offset {taken.min()} is negative; offsets count from the array's beginning")
    return np.ascontiguousarray(taken, dtype=np.uint64 if taken.dtype.itemsize > 4 else np.uint32)


def _large(function: str, x: Any, taken: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers of Python's as such of 64 bits; all else as it was taken."""
    if taken.ndim != 1 or not all(isinstance(number, (int, np.integer)) and not isinstance(number, bool) for number in x):
        return taken
    if (least := min(x)) < 0:
        raise ValueError(f"sortile.{function}: offset {shown(least)} is negative; offsets count from the array's beginning")
    if (most := max(x)) >= 2**64:
        raise ValueError(f"sortile.{function}: offset {shown(most)} reaches beyond every array")
    return np.array(x, np.uint64)


Offsets = Union[NDArray[Any], tuple[NDArray[Any], NDArray[Any]]]


def on_host(function: str, offsets: Any) -> Offsets:
    """As the compiled calls take them: one array, or begins and ends of one width."""
    if not isinstance(offsets, tuple):
        return _offsets(function, offsets)
    begins, ends = (_offsets(function, side) for side in _pair(function, offsets))
    if begins.size != ends.size:
        raise ValueError(f"sortile.{function}: {begins.size} begins and {ends.size} ends are given")
    if begins.itemsize != ends.itemsize:
        begins, ends = begins.astype(np.uint64), ends.astype(np.uint64)
    return begins, ends


def _pair(function: str, offsets: tuple[Any, ...]) -> tuple[Any, Any]:
    if len(offsets) != 2:
        raise ValueError(f"sortile.{function}: a tuple of {len(offsets)} is given for offsets; (begins, ends) are two")
    return offsets[0], offsets[1]


def by_framework(function: str, f: Framework, x: Any, offsets: Any) -> Where:
    """The same where `x` lies. Offsets that the framework holds are not looked at: that would wait for the device. Its
    arrays in host memory are as good as NumPy's."""
    need_one_axis(function, x)
    sides = _pair(function, offsets) if isinstance(offsets, tuple) else (offsets,)
    if not any([known(type(side)) is f and f.holds(side) for side in sides]):
        where = on_host(function, offsets)
        core.check_segments(where, x.shape[0])
        narrow = np.int32 if x.shape[0] < 2**31 else np.int64
        moved = [f.offsets(o.astype(narrow), x) for o in (where if isinstance(where, tuple) else (where,))]
        return moved[0], moved[1] if len(moved) == 2 else None
    return held_offsets(function, f, x, sides)


def need_one_axis(function: str, x: Any) -> None:
    if x.ndim != 1:
        raise ValueError(f"sortile.{function}: the array has shape {tuple(x.shape)}; segments are parts of one axis")


def held_offsets(function: str, f: Framework, x: Any, sides: Sequence[Any]) -> Where:
    """One or two arrays of the framework's as they are read on the device of x: what is in them is not looked at."""
    taken = [_as_offsets(function, f, x, side) for side in sides]
    if len(taken) == 1:
        return taken[0], None
    if taken[0].shape != taken[1].shape:
        raise ValueError(f"sortile.{function}: {taken[0].shape[0]} begins and {taken[1].shape[0]} ends are given")
    if taken[0].dtype.itemsize != taken[1].dtype.itemsize:
        taken = [f.cast(side, f.positions) for side in taken]
    return taken[0], taken[1]


def _as_offsets(function: str, f: Framework, x: Any, side: Any) -> Any:
    if known(type(side)) is not f or side.ndim != 1 or not f.is_integer(side):
        raise TypeError(
            f"sortile.{function}: offsets that are {type(side).__name__}; beside an array of {f.name}'s they are its "
            "integers along one axis, or lists and NumPy's arrays"
        )
    f.need_beside(function, "offsets", side, x)
    return f.contiguous(side if side.dtype.itemsize >= 4 else f.cast(side, "int32"))


def _keys(function: str, x: Any) -> tuple[NDArray[Any], Back, Back]:
    """An array in this machine's byte order; the ways back for keys like these, and for positions in them."""
    taken, back = given(x)
    if taken.ndim != 1:
        raise ValueError(f"sortile.{function}: the array has shape {taken.shape}; segments are parts of one axis")
    return native(taken), lambda keys: back(in_order_of(taken)(keys)), positions_back(x, back)


def _done(function: str, result: Any, keys: NDArray[Any]) -> Any:
    if result is NotImplemented:
        raise not_taken(function, keys.dtype)
    return result


def _in_order(values: NDArray[Any], order: NDArray[Any], threads: SupportsIndex | None) -> NDArray[Any]:
    return np.take(values, order, axis=0) if values.dtype.hasobject else core.take(values, order, threads)


@keeps_kind
def segment_sort(
    x: ArrayLike,
    offsets: ArrayLike | tuple[ArrayLike, ArrayLike],
    *,
    descending: bool = False,
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> Any:
    """A copy of an array in which each segment is sorted by itself; what lies in no segment stays as it is.

    Parameters
    ----------
    x : array
        Of one axis: NumPy's, or one of PyTorch, CuPy and JAX, in host memory or on a GPU.
    offsets : array of integers, or a tuple of two
        One array: segment i is x[offsets[i]:offsets[i + 1]]. Two, (begins, ends): segment i is x[begins[i]:ends[i]];
        they may lie in any order, and must not overlap. Beside an array on a GPU they may lie on that one too, and are not
        looked at before the work is done: a segment that ends before it begins is then empty, and one that reaches
        beyond the array ends where that does.
    descending, nan, threads, progress
        As in `sort`.

    Returns
    -------
    array
        Of the kind, length and type of `x`. Each segment is sorted stably.

    Raises
    ------
    ValueError
        Offsets that decrease, reach beyond the array, or make segments that overlap; an array of several axes.
    TypeError
        Elements that have no order here, and offsets that are no integers along one axis.

    Notes
    -----
    One call for any number of segments, of any mix of lengths: threads take them in tasks of about the same work. Beside
    the result, each thread uses memory for the longest segment that it sorts.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.segment_sort(np.array([3, 1, 2, 9, 8]), [0, 3, 5])
    array([1, 2, 3, 8, 9])
    """
    if type(x) is np.ndarray and progress is None:
        found = core.segment_sort(x, offsets, descending, nan, threads, None)
        if found is not NotImplemented:
            return found
    framework, x = held_beside("segment_sort", x, ("offsets", offsets))
    if framework is not None:
        refuse_host_options(None, progress)
        where = by_framework("segment_sort", framework, x, offsets)
        return framework.segment_sort(x, where, flag("descending", descending), nan)
    keys, back, _ = _keys("segment_sort", x)
    segments = on_host("segment_sort", offsets)
    with telling(progress) as tell:
        found = core.segment_sort(keys, segments, descending, nan, threads, tell)
    return back(_done("segment_sort", found, keys))


@keeps_kind
def segment_argsort(
    x: ArrayLike,
    offsets: ArrayLike | tuple[ArrayLike, ArrayLike],
    *,
    descending: bool = False,
    dtype: DTypeLike | None = None,
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> Any:
    """The order of each segment's elements, as positions counted from the segment's beginning; 0 outside of segments.

    Parameters
    ----------
    x, offsets, descending, nan, threads, progress
        As in `segment_sort`.
    dtype : {int64, uint32}
        Of the positions, as in `argsort`.

    Returns
    -------
    array of int64 or uint32
        Of the length of `x`. Positions of equal elements ascend.

    Raises
    ------
    ValueError, TypeError
        As `segment_sort`; TypeError also for another `dtype`.

    Notes
    -----
    As `segment_sort`.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.segment_argsort(np.array([3, 1, 2, 9, 8]), [0, 3, 5])
    array([1, 2, 0, 1, 0])
    """
    if type(x) is np.ndarray and progress is None and dtype is None:
        places = core.segment_argsort(x, offsets, descending, None, nan, threads, None)
        if places is not NotImplemented:
            return places
    framework, x = held_beside("segment_argsort", x, ("offsets", offsets))
    if framework is not None:
        refuse_host_options(None, progress)
        where = by_framework("segment_argsort", framework, x, offsets)
        return framework.segment_argsort(x, where, flag("descending", descending), dtype, nan)
    wanted, signed = positions_like(x, dtype)
    keys, _, back = _keys("segment_argsort", x)
    segments = on_host("segment_argsort", offsets)
    with telling(progress) as tell:
        places = core.segment_argsort(keys, segments, descending, wanted, nan, threads, tell)
    return back(signed(_done("segment_argsort", places, keys)))


def segment_sort_by_key(
    keys: ArrayLike,
    values: ArrayLike | tuple[ArrayLike, ...],
    offsets: ArrayLike | tuple[ArrayLike, ArrayLike],
    *,
    descending: bool = False,
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> tuple[Any, Any]:
    """Keys sorted within segments, and values in the order of their keys; what lies in no segment stays as it is.

    Parameters
    ----------
    keys, offsets, descending, nan, threads, progress
        As `x` and the others of `segment_sort`.
    values : array or tuple of arrays
        Of any type. The first axis of each is as long as the keys, and whole rows move.

    Returns
    -------
    keys, values
        New arrays; `values` is an array or a tuple, as it was given. Values of equal keys keep their order.

    Raises
    ------
    ValueError
        As `segment_sort`; also for values that do not fit the keys.
    TypeError
        As `segment_sort`.

    Notes
    -----
    As `segment_sort`; values are moved once, whatever their type.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> keys, names = sortile.segment_sort_by_key(np.array([3, 1, 2, 9, 8]), np.array(list("abcde")), [0, 3, 5])
    >>> names
    array(['b', 'c', 'a', 'e', 'd'], dtype='<U1')
    """
    if type(keys) is np.ndarray and progress is None:
        result = core.segment_sort_by_key(keys, values, offsets, descending, nan, threads, None)
        if result is not NotImplemented:
            return result
    several = isinstance(values, tuple)
    arrays = values if isinstance(values, tuple) else (values,)
    framework, adopted = held_together("segment_sort_by_key", (keys, *arrays))
    if framework is not None:
        refuse_host_options(None, progress)
        where = by_framework("segment_sort_by_key", framework, adopted[0], offsets)
        for number, v in enumerate(adopted[1:]):
            need_values("segment_sort_by_key", adopted[0], v, number)
        descending = flag("descending", descending)
        found, moved = framework.segment_sort_by_key(adopted[0], tuple(adopted[1:]), where, descending, nan)
        return found, moved if several else moved[0]
    a, back, _ = _keys("segment_sort_by_key", keys)
    segments = on_host("segment_sort_by_key", offsets)
    taken = [given(v) for v in arrays]
    for number, (v, _) in enumerate(taken):
        need_values("segment_sort_by_key", a, v, number)
    with telling(progress) as tell:
        found, order = _done(
            "segment_sort_by_key", core.segment_sort_with_order(a, segments, descending, nan, threads, tell), a
        )
    moved = tuple(way(_in_order(v, order, threads)) for v, way in taken)
    return back(found), moved if several else moved[0]
