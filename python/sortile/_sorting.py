"""sort, argsort, sort_by_key, is_sorted.

Each tries the compiled call first, which takes plain NumPy arrays of elements that the library orders by themselves.
What it leaves to Python goes on here: arrays of other kinds become NumPy's, structures become columns, and results go
back to what the caller gave. Arrays on a GPU, and those that a framework traces or differentiates, go to their framework
(`_frameworks`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, SupportsIndex

import numpy as np

from ._arrays import (
    AXES, Array, Nan, flag, given, need_kind, position_type, positions_back, positions_like, target_of, whole,
)
from ._backend import core
from ._call_types import keeps_kind, moves_values
from ._device import need_values
from ._frameworks import held_by, held_together, refuse_host_options
from ._lanes import Lanes, checked, in_columns, stored
from ._progress import Progress, Tell, telling

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

_ndarray = np.ndarray


@keeps_kind
def sort(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = -1,
    descending: bool = False,
    stable: bool = True,
    kind: str | None = None,
    out: NDArray[Any] | None = None,
    order: str | Sequence[str] | None = None,
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """Sorted copy of an array.

    Parameters
    ----------
    x : array
        NumPy's or what NumPy takes, or one of PyTorch, CuPy and JAX, in host memory or on a GPU
        (docs/python-frameworks.md). Of booleans, integers, floats (float16, float32, float64, ``ml_dtypes.bfloat16``),
        complex numbers (by real, then imaginary part), datetime64, timedelta64, or structured (by its fields, the first
        deciding).
    axis : int or None
        The axis along which to sort; None sorts all elements as one.
    descending : bool
        Largest first. Equal elements keep their order here too.
    stable : bool
        Every sort is stable; False allows one that is not, and today makes no difference.
    kind : {None, "quicksort", "mergesort", "heapsort", "stable"}
        As NumPy's sorts take it: a stable sort is of every kind, so that it makes no difference.
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
        Of the kind, shape and type of `x`, or `out`.

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
    while the sort runs; for complex numbers and structures, which are sorted by their positions, more (docs/python.md).
    No other thread may write to `x` meanwhile. Where a sort in place (``out=x``) is interrupted, `x` holds unspecified
    contents.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.sort(np.array([2.5, np.nan, -1.0]), descending=True)
    array([ 2.5, -1. ,  nan])
    """
    if stable is not True:
        flag("stable", stable)
    if kind is not None:
        need_kind(kind)
    if type(x) is not _ndarray and (framework := held_by(x)) is not None:
        refuse_host_options(order, progress)
        return framework.sort(x, axis, flag("descending", descending), out, nan)
    if progress is None and order is None:
        result = core.sort(x, axis, descending, out, nan, threads, None)
        if result is not NotImplemented:
            return result
    a, back = given(x)
    target = target_of("sort", out)
    with telling(progress) as tell:
        result = NotImplemented
        if order is None:
            result = core.sort(a, axis, descending, target, nan, threads, tell)
        if result is not NotImplemented:
            return out if out is not None else back(result)
        lanes = Lanes(a, axis)
        flat = lanes.array.reshape(-1)
        moved = core.take(flat, lanes.positions(descending, order, nan, threads, tell), threads)
        result = stored(lanes.back(moved), target)
    return out if out is not None else back(result)


@keeps_kind
def argsort(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = -1,
    descending: bool = False,
    stable: bool = True,
    kind: str | None = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    order: str | Sequence[str] | None = None,
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """Positions that sort an array: ``np.take_along_axis(x, argsort(x), -1)`` is sorted.

    Parameters
    ----------
    x, axis, descending, stable, kind, order, nan, threads, progress
        As in `sort`.
    dtype : {int64, uint32}
        Of the positions. uint32 halves their memory and is faster; it numbers at most 2**32 elements. Of arrays of
        PyTorch, CuPy and JAX int32 too, which is JAX's default on a GPU, and traced.
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

    Notes
    -----
    Time is proportional to the number of elements and to the width of both elements and positions. Memory for up to
    three copies of the array is used while it runs (`explain`).

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.argsort(np.array([30, 10, 20]))
    array([1, 2, 0])
    """
    if stable is not True:
        flag("stable", stable)
    if kind is not None:
        need_kind(kind)
    if type(x) is not _ndarray and (framework := held_by(x)) is not None:
        refuse_host_options(order, progress)
        return framework.argsort(x, axis, flag("descending", descending), dtype, out, nan)
    signed = None
    if dtype is not None:
        dtype, signed = positions_like(x, dtype)
    if progress is None and order is None:
        result = core.argsort(x, axis, descending, dtype, out, nan, threads, None)
        if result is not NotImplemented:
            return result
    a, back = given(x)
    target = target_of("argsort", out)
    with telling(progress) as tell:
        result = NotImplemented
        if order is None:
            result = core.argsort(a, axis, descending, dtype, target, nan, threads, tell)
        if result is NotImplemented:
            lanes = Lanes(a, axis)
            positions = lanes.positions(descending, order, nan, threads, tell)
            if lanes.count > 1:
                positions -= lanes.starts()
            wanted = position_type(target.dtype if dtype is None and target is not None else dtype)
            result = stored(lanes.back(positions.astype(wanted, copy=False)), target)
    if out is not None:
        return out
    return positions_back(x, back)(result if signed is None else signed(result))


@moves_values
def sort_by_key(
    keys: ArrayLike,
    values: ArrayLike | tuple[ArrayLike, ...],
    /,
    *,
    axis: SupportsIndex | None = -1,
    descending: bool = False,
    stable: bool = True,
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
    progress: Progress = None,
) -> tuple[NDArray[Any], Any]:
    """Sorted keys, and values in the order of their keys.

    Parameters
    ----------
    keys : array
        As `x` of `sort`.
    values : array or tuple of arrays
        Of any type. With keys of one axis, the first axis of each is as long as the keys, and whole rows move; with
        keys of several axes, each has the shape of the keys. (``axis=None`` takes all of them as one row, too.)
    axis, descending, stable, nan, threads, progress
        As in `sort`.

    Returns
    -------
    keys, values
        New arrays; `values` is an array or a tuple, as it was given. Values of equal keys keep their order.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `sort`; also for values that do not fit the keys.

    Notes
    -----
    Time is proportional to the number of elements and to the bytes that move with each.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> keys, names = sortile.sort_by_key(np.array([3, 1, 2]), np.array(["c", "a", "b"]))
    >>> names
    array(['a', 'b', 'c'], dtype='<U1')
    """
    if stable is not True:
        flag("stable", stable)
    if type(keys) is _ndarray and progress is None:
        result = core.sort_by_key(keys, values, axis, descending, nan, threads, None)
        if result is not NotImplemented:
            return result
    several = isinstance(values, tuple)
    arrays = values if isinstance(values, tuple) else (values,)
    framework, adopted = held_together("sort_by_key", (keys, *arrays))
    if framework is not None:
        refuse_host_options(None, progress)
        descending = flag("descending", descending)
        held, moving = adopted[0], tuple(adopted[1:])
        if axis is None:
            (held, moving), axis = _flat(held, moving), 0
        sorted_keys, moved = framework.sort_by_key(held, moving, axis, descending, nan)
        return sorted_keys, moved if several else moved[0]
    a, back = given(keys)
    taken = [given(v) for v in arrays]
    plain = tuple(v for v, _ in taken)
    if axis is None:
        (a, plain), axis = _flat(a, plain), 0
    with telling(progress) as tell:
        result = core.sort_by_key(a, plain, axis, descending, nan, threads, tell)
        if result is NotImplemented:
            by_positions = _by_positions if a.ndim == 1 and whole("axis", axis, AXES) in (0, -1) else _along_axis
            result = by_positions(a, plain, axis, descending, nan, threads, tell)
    moved = tuple(way(v) for v, (_, way) in zip(result[1], taken))
    return back(result[0]), moved if several else moved[0]


def _flat(keys: Any, values: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """All elements as one row, and their values; the rows of values of keys that have one axis stay whole."""
    if keys.ndim == 1:
        return keys, values
    for number, v in enumerate(values):
        need_values("sort_by_key", keys, v, number, one_axis=False)
    return keys.reshape(-1), tuple(v.reshape(-1) for v in values)


def _by_positions(
    a: Array, arrays: tuple[Array, ...], axis: Any, descending: bool, nan: Nan, threads: SupportsIndex | None, tell: Tell | None
) -> tuple[Array, tuple[Array, ...]]:
    for number, v in enumerate(arrays):
        need_values("sort_by_key", a, v, number)
    positions = argsort(a, axis=axis, descending=descending, nan=nan, threads=threads, progress=tell)

    def moved(v: Array) -> Array:
        return np.take(v, positions, axis=0) if v.dtype.hasobject else core.take(v, positions, threads)

    return moved(a), tuple(moved(v) for v in arrays)


def _along_axis(
    a: Array, arrays: tuple[Array, ...], axis: Any, descending: bool, nan: Nan, threads: SupportsIndex | None, tell: Tell | None
) -> tuple[Array, tuple[Array, ...]]:
    for number, v in enumerate(arrays):
        need_values("sort_by_key", a, v, number, one_axis=False)
    positions = argsort(a, axis=axis, descending=descending, nan=nan, threads=threads, progress=tell)
    return np.take_along_axis(a, positions, axis), tuple(np.take_along_axis(v, positions, axis) for v in arrays)


def is_sorted(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = -1,
    descending: bool = False,
    order: str | Sequence[str] | None = None,
    nan: Nan = "last",
    threads: SupportsIndex | None = None,
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
        Of all lanes along the axis together.

    Raises
    ------
    TypeError, ValueError
        As `sort`.

    Notes
    -----
    One read of plain elements, which the first disorder ends in host memory. On a GPU the call waits for the answer.
    Structures and complex numbers are ordered as by `argsort`.

    Examples
    --------
    >>> import numpy as np, sortile
    >>> sortile.is_sorted(np.array([1, 1, 3]))
    True
    """
    if type(x) is not _ndarray and (framework := held_by(x)) is not None:
        refuse_host_options(order, progress)
        return framework.is_sorted(x, axis, flag("descending", descending), nan)
    if progress is None and order is None:
        result = core.is_sorted(x, axis, descending, nan, threads, None)
        if result is not NotImplemented:
            return result
    a, _ = given(x, comes_back=False)
    with telling(progress) as tell:
        if not in_columns(a, order):
            return bool(checked(core.is_sorted, a, axis, descending, nan, threads, tell))
        positions = Lanes(a, axis).positions(descending, order, nan, threads, tell)
        return bool(core.is_sorted(positions, -1, False, nan, threads, None))
