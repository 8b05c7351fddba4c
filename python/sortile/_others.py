"""What the calls do with arrays that `_core` leaves to Python.

`_core` takes plain NumPy arrays of elements that the library orders by themselves. Everything else becomes such arrays
here: structures and complex numbers their columns, arrays of other kinds NumPy's, elements of the other byte order
this machine's; and results go back to what the caller gave.
"""

from __future__ import annotations

from typing import Any, Iterable, Sequence

import numpy as np
from numpy.exceptions import AxisError

from . import _core
from ._arrays import Array, Columns, given, leaves, native, no_order
from ._progress import Tell, telling

Order = "str | Sequence[str] | None"


def _call(function: Any, *arguments: Any) -> Any:
    """What `_core` does, or the error that says that the elements have no order."""
    result = function(*arguments)
    if result is NotImplemented:
        raise no_order(arguments[0].dtype)
    return result


def _in_columns(a: Array, order: str | Sequence[str] | None) -> bool:
    return a.dtype.names is not None or a.dtype.kind == "c" or order is not None


class _Lanes:
    """The lanes of an array along an axis, one after another; None: all elements as one."""

    def __init__(self, a: Array, axis: int | None) -> None:
        if axis is None:
            a, axis = a.reshape(-1), 0
        if not -a.ndim <= axis < a.ndim:
            raise AxisError(f"sortile: axis {axis} of an array with {a.ndim} dimensions")
        self.axis = axis
        self.array = np.moveaxis(a, axis, -1)
        self.length = self.array.shape[-1]
        self.count = self.array.size // self.length if self.length else 0

    def back(self, flat: Array) -> Array:
        return np.moveaxis(flat.reshape(self.array.shape), -1, self.axis)

    def starts(self) -> Array:
        """For each element, where its lane begins."""
        return np.repeat(np.arange(self.count, dtype=np.int64) * self.length, self.length)

    def positions(
        self, descending: bool, order: str | Sequence[str] | None, nan: str, threads: int | None, tell: Tell | None
    ) -> Array:
        """The order of all elements, lane by lane, counted from the first element of all."""
        columns = Columns()
        if self.count > 1:
            columns.append(np.repeat(np.arange(self.count, dtype=np.uint64), self.length), False)
        for leaf in leaves(self.array, order):
            columns.append_leaf(leaf, descending, nan)
        return _rows(columns, np.int64, nan, threads, tell)


def _rows(columns: Columns, dtype: Any, nan: str, threads: int | None, tell: Tell | None) -> Array:
    result = _core.argsort_rows(columns.arrays, columns.descending, dtype, False, nan, threads, tell)
    if result is NotImplemented:
        raise TypeError(f"sortile: a column has no order here: {', '.join(str(a.dtype) for a in columns.arrays)}")
    ordered: Array = result
    return ordered


def _store(result: Array, out: Array | None) -> Array:
    """The result, or `out` with the result in it."""
    if out is None:
        return result
    if type(out) is not np.ndarray or out.dtype != result.dtype:
        raise TypeError(f"sortile: out must be a numpy.ndarray of {result.dtype}")
    if out.shape != result.shape:
        raise ValueError(f"sortile: out has shape {out.shape}; needed is {result.shape}")
    out[...] = result
    return out


def sort(
    x: Any,
    axis: int | None,
    descending: bool,
    out: Any,
    order: str | Sequence[str] | None,
    nan: str,
    threads: int | None,
    progress: Any,
) -> Any:
    a, back = given(x)
    with telling(progress) as tell:
        if not _in_columns(a, order):
            target = given(out)[0] if out is not None else None
            result = _call(_core.sort, a, axis, descending, target, nan, threads, tell)
            return out if out is not None else back(result)
        lanes = _Lanes(a, axis)
        flat = lanes.array.reshape(-1)
        moved = _core.take(flat, lanes.positions(descending, order, nan, threads, tell), threads)
        return back(_store(lanes.back(moved), out))


def argsort(
    x: Any,
    axis: int | None,
    descending: bool,
    dtype: Any,
    out: Any,
    order: str | Sequence[str] | None,
    nan: str,
    threads: int | None,
    progress: Any,
) -> Any:
    a, back = given(x)
    with telling(progress) as tell:
        if not _in_columns(a, order):
            target = given(out)[0] if out is not None else None
            result = _call(_core.argsort, a, axis, descending, dtype, target, nan, threads, tell)
            if out is not None:
                return out
        else:
            lanes = _Lanes(a, axis)
            positions = lanes.positions(descending, order, nan, threads, tell)
            if lanes.count > 1:
                positions -= lanes.starts()
            wanted = out.dtype if dtype is None and out is not None else np.dtype(np.int64 if dtype is None else dtype)
            if wanted not in (np.dtype(np.int64), np.dtype(np.uint32)):
                raise TypeError(f"sortile: positions of dtype {wanted} asked for; allowed are int64 and uint32")
            result = _store(lanes.back(positions.astype(wanted, copy=False)), out)
    return result if isinstance(x, np.ndarray) else back(result)


def sort_by_key(
    keys: Any,
    values: tuple[Any, ...],
    axis: int,
    descending: bool,
    nan: str,
    threads: int | None,
    progress: Any,
) -> tuple[Any, tuple[Any, ...]]:
    a, back = given(keys)
    taken = [given(v) for v in values]
    arrays = tuple(v for v, _ in taken)
    with telling(progress) as tell:
        if a.ndim == 1 and axis in (0, -1):
            result = _core.sort_by_key(a, arrays, descending, nan, threads, tell)
            if result is NotImplemented:
                result = _by_positions(a, arrays, descending, nan, threads, tell)
        else:
            result = _along_axis(a, arrays, axis, descending, nan, threads, tell)
    return back(result[0]), tuple(way(v) for v, (_, way) in zip(result[1], taken))


def _by_positions(
    a: Array, arrays: tuple[Array, ...], descending: bool, nan: str, threads: int | None, tell: Tell | None
) -> tuple[Array, tuple[Array, ...]]:
    for number, v in enumerate(arrays):
        if v.ndim == 0 or len(v) != len(a):
            raise ValueError(
                f"sortile.sort_by_key: value array {number} has shape {v.shape}; its first axis must be as long as the "
                f"keys, {len(a)}"
            )
    positions = argsort(a, -1, descending, None, None, None, nan, threads, tell)

    def moved(v: Array) -> Array:
        return np.take(v, positions, axis=0) if v.dtype.hasobject else _core.take(v, positions, threads)

    return moved(a), tuple(moved(v) for v in arrays)


def _along_axis(
    a: Array, arrays: tuple[Array, ...], axis: int, descending: bool, nan: str, threads: int | None, tell: Tell | None
) -> tuple[Array, tuple[Array, ...]]:
    for number, v in enumerate(arrays):
        if v.shape != a.shape:
            raise ValueError(
                f"sortile.sort_by_key: value array {number} has shape {v.shape}, the keys have {a.shape}; with keys of "
                "several axes they must agree"
            )
    positions = argsort(a, axis, descending, None, None, None, nan, threads, tell)
    return np.take_along_axis(a, positions, axis), tuple(np.take_along_axis(v, positions, axis) for v in arrays)


def argsort_rows(
    columns: Iterable[Any],
    descending: bool | Sequence[bool],
    dtype: Any,
    nan: str,
    threads: int | None,
    progress: Any,
) -> Array:
    arrays = [given(c)[0] for c in columns]
    if not arrays:
        raise ValueError("sortile.argsort_rows: rows are to be ordered by no column; at least one is needed")
    directions = _directions(descending, len(arrays))
    prepared = Columns()
    for number, (a, down) in enumerate(zip(arrays, directions)):
        if a.ndim != 1 or len(a) != len(arrays[0]):
            raise ValueError(
                f"sortile.argsort_rows: column {number} has shape {a.shape}; columns have one axis and the length of "
                f"the first, {len(arrays[0]) if arrays[0].ndim else 0}"
            )
        for leaf in leaves(a, None):
            prepared.append_leaf(leaf, down, nan)
    with telling(progress) as tell:
        return _rows(prepared, dtype, nan, threads, tell)


def _directions(descending: bool | Sequence[bool], n: int) -> list[bool]:
    if not isinstance(descending, (list, tuple, np.ndarray)):
        return [bool(descending)] * n
    if len(descending) != n:
        raise ValueError(f"sortile: descending has {len(descending)} entries for {n} columns")
    return [bool(d) for d in descending]


def lexsort(
    keys: Iterable[Any],
    axis: int,
    descending: bool | Sequence[bool],
    dtype: Any,
    nan: str,
    threads: int | None,
    progress: Any,
) -> Array:
    arrays = [given(k)[0] for k in keys]
    if not arrays:
        raise ValueError("sortile.lexsort: no key is given; at least one is needed")
    directions = _directions(descending, len(arrays))
    if any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError(f"sortile.lexsort: keys have shapes {', '.join(str(a.shape) for a in arrays)}; one is needed")
    if arrays[0].ndim == 1 and axis in (0, -1):
        return argsort_rows(arrays[::-1], directions[::-1], dtype, nan, threads, progress)
    lanes = [_Lanes(a, axis) for a in arrays]
    columns = Columns()
    columns.append(lanes[0].starts(), False)
    for lane, down in zip(lanes[::-1], directions[::-1]):
        for leaf in leaves(lane.array, None):
            columns.append_leaf(leaf, down, nan)
    with telling(progress) as tell:
        positions = _rows(columns, np.int64, nan, threads, tell) - lanes[0].starts()
    return lanes[0].back(positions.astype(np.int64 if dtype is None else dtype, copy=False))


def merge(runs: tuple[Any, ...], descending: bool, out: Any, nan: str, threads: int | None, progress: Any) -> Any:
    if not runs:
        raise ValueError("sortile.merge: no run is given; at least one is needed")
    taken = [given(r) for r in runs]
    arrays = [a for a, _ in taken]
    with telling(progress) as tell:
        overlaps = out is not None and any(np.may_share_memory(a, out) for a in arrays)
        result: Any = NotImplemented
        if not overlaps:
            result = _core.merge(arrays, descending, out, nan, threads, tell)
        if result is NotImplemented:
            result = _merge_by_sort(arrays, descending, out, nan, threads, tell)
    return out if out is not None else taken[0][1](result)


def _merge_by_sort(
    arrays: list[Array], descending: bool, out: Any, nan: str, threads: int | None, tell: Tell | None
) -> Array:
    """A stable sort of the runs behind each other gives what a stable merge of them does."""
    for number, a in enumerate(arrays):
        if a.ndim != 1:
            raise ValueError(f"sortile.merge: run {number} has shape {a.shape}; runs have one axis")
        if a.dtype != arrays[0].dtype:
            raise TypeError(
                f"sortile.merge: run {number} holds {a.dtype}, run 0 holds {arrays[0].dtype}; all runs must be of one "
                "type"
            )
    together = np.concatenate(arrays)
    result: Array = sort(together, -1, descending, None, None, nan, threads, tell)
    return _store(result.astype(arrays[0].dtype, copy=False), out)


def is_sorted(
    x: Any,
    axis: int | None,
    descending: bool,
    order: str | Sequence[str] | None,
    nan: str,
    threads: int | None,
    progress: Any,
) -> bool:
    a, _ = given(x)
    with telling(progress) as tell:
        if not _in_columns(a, order):
            return bool(_call(_core.is_sorted, a, axis, descending, nan, threads, tell))
        lanes = _Lanes(a, axis)
        positions = lanes.positions(descending, order, nan, threads, tell)
        return bool(_core.is_sorted(positions, -1, False, nan, threads, None))


def unique(
    x: Any, index: bool, inverse: bool, counts: bool, equal_nan: bool, threads: int | None, progress: Any
) -> Any:
    a, back = given(x)
    with telling(progress) as tell:
        if _in_columns(a, None):
            found = _unique_by_columns(a.reshape(-1), equal_nan, threads, tell)
        else:
            found = _call(_core.unique, native(a), index, inverse, counts, equal_nan, threads, tell)
    values = back(found[0].astype(a.dtype, copy=False))
    rest = [t for t, wanted in zip(found[1:], (index, inverse, counts)) if wanted]
    if inverse:
        rest[int(index)] = rest[int(index)].reshape(a.shape)
    return (values, *rest) if rest else values


def _unique_by_columns(
    a: Array, equal_nan: bool, threads: int | None, tell: Tell | None
) -> tuple[Array, Array, Array, Array]:
    positions = _Lanes(a, -1).positions(False, None, "last", threads, tell)
    begins = np.zeros(len(a), dtype=bool)
    begins[:1] = True
    for leaf in leaves(a, None):
        in_order = leaf[positions]
        differs = in_order[1:] != in_order[:-1]
        if equal_nan and leaf.dtype.kind in "fcMm":
            lacks = np.isnat(in_order) if leaf.dtype.kind in "Mm" else np.isnan(in_order)
            differs &= ~(lacks[1:] & lacks[:-1])
        begins[1:] |= differs
    first = np.flatnonzero(begins)
    inverse = np.empty(len(a), dtype=np.int64)
    inverse[positions] = np.cumsum(begins) - 1
    return a[positions[first]], positions[first], inverse, np.diff(np.append(first, len(a)))


def explain(x: Any, axis: int | None, positions: bool, descending: bool, threads: int | None) -> str:
    a, _ = given(x)
    n = _Lanes(a, axis).length
    return str(_call(_core.explain, a, n, positions, descending, threads))
