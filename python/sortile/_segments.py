"""Sorts within segments: parts of one array, each sorted by itself, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from numpy.typing import NDArray

from ._arrays import Nan, given, no_order
from ._backend import core
from ._progress import Progress, telling

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike


def _offsets(function: str, x: Any) -> NDArray[Any]:
    taken = np.asarray(x)
    if taken.size == 0:
        taken = taken.astype(np.int64)
    if taken.ndim != 1 or taken.dtype.kind not in "iu":
        raise TypeError(
            f"sortile.{function}: offsets of shape {taken.shape} and type {taken.dtype}; they are integers along one axis"
        )
    wide = taken.dtype.itemsize > 4 or taken.dtype == np.int32  # negative numbers stay what they are: refused
    return np.ascontiguousarray(taken, dtype=np.int64 if wide and taken.dtype.kind == "i" else np.uint64 if wide else np.uint32)


def _segments(function: str, offsets: Any) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Begins, and ends where there are any, of one width."""
    if not isinstance(offsets, tuple):
        return _offsets(function, offsets), None
    if len(offsets) != 2:
        raise ValueError(f"sortile.{function}: a tuple of {len(offsets)} is given for offsets; (begins, ends) are two")
    begins, ends = (_offsets(function, side) for side in offsets)
    if begins.size != ends.size:
        raise ValueError(f"sortile.{function}: {begins.size} begins and {ends.size} ends are given")
    if begins.itemsize != ends.itemsize:
        begins, ends = begins.astype(np.int64), ends.astype(np.int64)
    return begins, ends


def _keys(function: str, x: Any) -> tuple[NDArray[Any], Callable[[NDArray[Any]], Any]]:
    taken, back = given(x)
    if taken.ndim != 1:
        raise ValueError(f"sortile.{function}: the array has shape {taken.shape}; segments are parts of one axis")
    if not taken.dtype.isnative:
        taken = taken.astype(taken.dtype.newbyteorder("="))
    return taken, back


def segment_sort(
    x: ArrayLike,
    offsets: ArrayLike | tuple[ArrayLike, ArrayLike],
    *,
    descending: bool = False,
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> Any:
    """A copy of an array in which each segment is sorted by itself; what lies in no segment stays as it is.

    Parameters
    ----------
    x : array
        Of one axis.
    offsets : array of integers, or a tuple of two
        One array: segment i is x[offsets[i]:offsets[i + 1]]. Two, (begins, ends): segment i is x[begins[i]:ends[i]]; they
        may lie in any order, and must not overlap.
    descending, nan, threads, progress
        As in `sort`.

    Raises
    ------
    ValueError
        Offsets that decrease, reach beyond the array, or make segments that overlap.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.segment_sort(np.array([3, 1, 2, 9, 8]), [0, 3, 5])
    array([1, 2, 3, 8, 9])
    """
    keys, back = _keys("segment_sort", x)
    begins, ends = _segments("segment_sort", offsets)
    with telling(progress) as tell:
        result = core.segment_sort(keys, begins, ends, descending, nan, threads, tell)
    if result is NotImplemented:
        raise no_order(keys.dtype)
    return back(result)


def segment_argsort(
    x: ArrayLike,
    offsets: ArrayLike | tuple[ArrayLike, ArrayLike],
    *,
    descending: bool = False,
    dtype: DTypeLike | None = None,
    nan: Nan = "last",
    threads: int | None = None,
    progress: Progress = None,
) -> Any:
    """The order of each segment's elements, as positions counted from the segment's beginning; 0 outside of segments.

    The parameters are those of `segment_sort`; `dtype` is int64 (None) or uint32, as in `argsort`.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.segment_argsort(np.array([3, 1, 2, 9, 8]), [0, 3, 5])
    array([1, 2, 0, 1, 0])
    """
    keys, back = _keys("segment_argsort", x)
    begins, ends = _segments("segment_argsort", offsets)
    with telling(progress) as tell:
        result = core.segment_argsort(keys, begins, ends, descending, dtype, nan, threads, tell)
    if result is NotImplemented:
        raise no_order(keys.dtype)
    return back(result)
