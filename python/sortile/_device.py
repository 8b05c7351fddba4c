"""Sorts of arrays that a framework keeps, by what the framework offers (`_frameworks.Framework`).

Keys become rows of an array of two axes. NaN goes last in a descending order by way of the ascending one: with all
signs turned round, the largest number is the smallest, and NaN still comes last. (The library itself has NaN for the
largest value: first where the order descends, which is `nan="largest"`.)
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from ._arrays import AXES, Array, is_only_axis, need_axis, need_nan, whole
from ._places import CHOOSE, METHODS, between, chosen

if TYPE_CHECKING:
    from ._frameworks import Framework, Where
    from ._gpu import GpuArrays

POSITIONS = ("int64", "int32", "uint32")
Back = Callable[[Any], Any]


def sort(f: Framework, x: Any, axis: int | None, descending: bool, out: Any, nan: str) -> Any:
    flips = _flips(f, x, descending, nan)
    if not flips and out is None and x.ndim == 1 and is_only_axis(axis):
        return f.sort_lane(x, descending)
    keys, back = _rows(f, x, axis)
    if flips:
        result = f.flipped(f.sort_rows(f.flipped(keys), False))
    elif out is not None and x.ndim == 1:
        return f.sort_rows(keys, descending, into=out)
    else:
        result = f.sort_rows(keys, descending)
    return back(result) if out is None else f.stored(back(result), out)


def argsort(f: Framework, x: Any, axis: int | None, descending: bool, dtype: Any, out: Any, nan: str) -> Any:
    flips = _flips(f, x, descending, nan)
    if not flips and out is None and x.ndim == 1 and is_only_axis(axis):
        return f.argsort_lane(x, descending, position_name(f, dtype, x.shape[0]))
    keys, back = _rows(f, x, axis)
    name = position_name(f, dtype if out is None or dtype is not None else out.dtype, keys.shape[1])
    result = back(f.argsort_rows(f.flipped(keys) if flips else keys, descending and not flips, name))
    return result if out is None else f.stored(result, out)


def sort_with_positions(f: Framework, x: Any, axis: int, descending: bool, nan: str) -> tuple[Any, Any]:
    """The sorted keys, and where each of them was."""
    keys, back = _rows(f, x, axis)
    flips = _flips(f, x, descending, nan)
    found, positions = f.sort_rows_with_positions(
        f.flipped(keys) if flips else keys, descending and not flips, f.positions
    )
    return back(f.flipped(found) if flips else found), back(positions)


def sort_by_key(
    f: Framework, keys: Any, values: tuple[Any, ...], axis: int, descending: bool, nan: str
) -> tuple[Any, tuple[Any, ...]]:
    one_axis = keys.ndim == 1 and whole("axis", axis, AXES) in (0, -1)
    for number, v in enumerate(values):
        need_values("sort_by_key", keys, v, number, one_axis)
    if not one_axis:
        positions = argsort(f, keys, axis, descending, None, None, nan)
        return f.take_along_axis(keys, positions, axis), tuple(f.take_along_axis(v, positions, axis) for v in values)
    if len(values) != 1 or prod(values[0].shape) == 0:
        sorted_keys, positions = sort_with_positions(f, keys, 0, descending, nan)
        return sorted_keys, tuple(f.take(v, positions) for v in values)
    rows, back = _rows(f, keys, 0)
    flips = _flips(f, keys, descending, nan)
    moving = f.contiguous(values[0]).reshape((1, *values[0].shape))
    found, moved = f.sort_rows_by_key(f.flipped(rows) if flips else rows, moving, descending and not flips)
    return back(f.flipped(found) if flips else found), (moved.reshape(values[0].shape),)


def need_values(function: str, keys: Any, v: Any, number: int, one_axis: bool = True) -> None:
    start = f"sortile.{function}: value array {number} "
    if one_axis and (v.ndim == 0 or v.shape[0] != keys.shape[0]):
        raise ValueError(
            f"{start}has shape {tuple(v.shape)}; its first axis must be as long as the keys, {keys.shape[0]}"
        )
    if not one_axis and tuple(v.shape) != tuple(keys.shape):
        raise ValueError(
            f"{start}has shape {tuple(v.shape)}, the keys have {tuple(keys.shape)}; with keys of several axes they "
            "must agree"
        )


def rows_in_order(f: Framework, columns: Sequence[Any], descending: Sequence[bool], dtype: Any, nan: str) -> Any:
    n = columns[0].shape[0] if columns[0].ndim else 0
    for number, column in enumerate(columns):
        if column.ndim != 1 or column.shape[0] != n:
            raise ValueError(
                f"sortile.argsort_rows: column {number} has shape {tuple(column.shape)}; columns have one axis and the "
                f"length of the first, {n}"
            )
    return f.rows_ordered(columns, descending, position_name(f, dtype, n), nan)


def rows_ordered(f: Framework, columns: Sequence[Any], descending: Sequence[bool], name: str, nan: str) -> Any:
    """Of checked columns: stable sorts by one after another, the last first: each leaves ties as the later columns had
    them."""
    n = columns[0].shape[0]
    working = name if len(columns) == 1 else "int32" if n < 2**31 else "int64"
    order = None
    for column, down in zip(columns[::-1], descending[::-1]):
        if order is None:
            order = argsort(f, column, 0, down, working, None, nan)
        else:
            _, (order,) = sort_by_key(f, f.take(column, order), (order,), 0, down, nan)
    return f.cast(order, name)


def lexsort(
    f: Framework, keys: Sequence[Any], axis: int, descending: Sequence[bool], dtype: Any, nan: str
) -> Any:
    if any(tuple(k.shape) != tuple(keys[0].shape) for k in keys):
        shapes = ", ".join(str(tuple(k.shape)) for k in keys)
        raise ValueError(f"sortile.lexsort: keys have shapes {shapes}; one is needed")
    if keys[0].ndim == 1:
        need_axis(axis, 1)
        return rows_in_order(f, keys[::-1], descending[::-1], dtype, nan)
    need_axis(axis, keys[0].ndim)
    name = position_name(f, dtype, keys[0].shape[axis])
    order = None
    for key, down in zip(keys, descending):
        if order is None:
            order = argsort(f, key, axis, down, None, None, nan)
        else:
            step = argsort(f, f.take_along_axis(key, order, axis), axis, down, None, None, nan)
            order = f.take_along_axis(order, step, axis)
    return f.cast(order, name)


def merge(f: Framework, runs: Sequence[Any], descending: bool, out: Any, nan: str) -> Any:
    """Where the framework has no merge, by a stable sort of the runs behind each other, which gives what a stable merge
    does."""
    for number, run in enumerate(runs):
        if run.ndim != 1:
            raise ValueError(f"sortile.merge: run {number} has shape {tuple(run.shape)}; runs have one axis")
        if run.dtype != runs[0].dtype:
            raise TypeError(
                f"sortile.merge: run {number} holds {run.dtype}, run 0 holds {runs[0].dtype}; all runs must be of one "
                "type"
            )
    found = f.merge_lanes(runs, descending, _flips(f, runs[0], descending, nan), out)
    return f.sort(f.concatenate(runs), 0, descending, out, nan) if found is None else found


def is_sorted(f: Framework, x: Any, axis: int | None, descending: bool, nan: str) -> bool:
    """Whether the stable order is the one that is there. Waits for the device."""
    keys, _ = _rows(f, x, axis)
    flips = _flips(f, x, descending, nan)
    n = keys.shape[1]
    if (known := f.rows_are_in_order(keys, descending, flips)) is not None:
        return known
    name = "int32" if n < 2**31 else "int64"
    positions = f.argsort_rows(f.flipped(keys) if flips else keys, descending and not flips, name)
    return n < 2 or bool((positions[:, 1:] > positions[:, :-1]).all())


def scan(
    f: Framework, function: str, x: Any, axis: int | None, inclusive: bool, maximum: bool, initial: int | None
) -> Any:
    rows, back = _rows(f, x, axis)
    return back(f.scan_rows(function, rows, inclusive, maximum, initial))


def unique(f: Framework, x: Any, wanted: tuple[bool, bool, bool], equal_nan: bool) -> tuple[Any, list[Any]]:
    """Waits for the device, which alone knows how many elements are distinct."""
    index, inverse, counts = wanted
    keys, positions = sort_with_positions(f, x.reshape(-1), 0, False, "last")
    begins = _begins(f, keys, equal_nan)
    first = f.flatnonzero(begins)
    rest = []
    if index:
        rest.append(f.take(positions, first))
    if inverse:
        rest.append(f.placed(positions, f.cast(f.cumsum(begins), f.positions) - 1).reshape(x.shape))
    if counts:
        end = f.single(keys, keys.shape[0])[: first.shape[0]]
        rest.append(f.concatenate([first[1:], end]) - first)
    return f.take(keys, first), rest


def group_by(f: Framework, x: Any) -> tuple[Any, Any, Any]:
    """Waits for the device, which alone knows how many groups there are."""
    if x.ndim != 1:
        raise ValueError(f"sortile.group_by: keys of shape {tuple(x.shape)}; they have one axis")
    keys, order = sort_with_positions(f, x, 0, False, "last")
    first = f.flatnonzero(_begins(f, keys, True))
    return f.take(keys, first), f.concatenate([f.cast(first, f.positions), f.single(keys, x.shape[0])]), order


def _begins(f: Framework, keys: Any, equal_nan: bool) -> Any:
    """Which of sorted keys differ from the one before."""
    bits = f.bits(keys)
    differs = bits[1:] != bits[:-1]
    if equal_nan and f.is_float(keys):
        differs = differs & ~(f.isnan(keys[1:]) & f.isnan(keys[:-1]))
    return f.concatenate([f.cast(bits[:1] == bits[:1], "bool") | True, differs])


def top_k(f: Framework, x: Any, k: int, axis: int | None, largest: bool, nan: str) -> tuple[Any, Any]:
    """Positions are selected, and the elements taken by them."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    flips = _flips(f, x, largest, nan)
    if x.ndim == 1 and is_only_axis(axis):
        need_first(k, x.shape[0])
        if (found := f.first_of_rows(f.contiguous(x), k, largest, flips)) is not None:
            return found
    keys, back = _rows(f, x, axis)
    need_first(k, keys.shape[1])
    if (found := f.first_of_rows(keys, k, largest, flips)) is not None:
        return back(found[0]), back(found[1])
    indices = back(f.top_k_rows(f.flipped(keys) if flips else keys, k, largest and not flips))
    return f.take_along_axis(x, indices, axis), indices


def counted_top_k(
    f: GpuArrays, x: Any, k: int, counts: Any, axis: int | None, largest: bool, nan: str, fill: Any
) -> tuple[Any, Any]:
    """No more than counts[lane] of each, which the library reads on the device."""
    keys, back = _rows(f, x, axis)
    flips, counts = _flips(f, x, largest, nan), counts.reshape(-1)
    if not flips or f.rows_take_nan_last(keys, k):
        found, order = f.counted_of_rows(keys, k, counts, largest, flips, fill)
    else:
        turned, order = f.counted_of_rows(f.flipped(keys), k, counts, False, False, -fill)
        found = f.flipped(turned)
    return back(found), back(order)


def partition(f: Framework, x: Any, kth: int, axis: int | None) -> Any:
    keys, back = _rows(f, x, axis)
    return back(f.partition_rows(keys, need_place(kth, keys.shape[1])))


def quantile(f: Framework, x: Any, wanted: Any, axis: int | None, method: int) -> Any:
    """The axes of the wanted probabilities, an array of NumPy's, come first. NaN where the elements include one."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    keys, _ = _rows(f, x, axis)
    others = [length for number, length in enumerate(x.shape) if number != axis % x.ndim]
    if keys.shape[1] == 0:
        raise ValueError("sortile.quantile: of no elements; at least one is needed")
    result = f.quantile_rows(keys, wanted.reshape(-1).tolist(), method)
    if keys.shape[0] == 1:
        return result.reshape((*wanted.shape, *others))
    return f.moveaxis(result.reshape((*others, wanted.size)), -1, 0).reshape((*wanted.shape, *others))


def need_first(k: int, n: int, name: str = "k") -> None:
    if not 0 <= k <= n:
        raise ValueError(f"sortile.top_k: {name} = {k} of {n} elements; allowed are 0 to {n}")


def need_place(kth: int, n: int) -> int:
    """The place, from the beginning."""
    if not -n <= kth < n:
        allowed = f"allowed are {-n} to {n - 1}" if n > 0 else "there is no place among them"
        raise ValueError(f"sortile.partition: kth = {kth} of {n} elements; {allowed}")
    return kth % n


def segment_sort(f: Framework, x: Any, where: Where, descending: bool, nan: str) -> Any:
    keys, flips, down = segmented(f, x, descending, nan)
    found = f.sort_segments(keys, where, down)
    return f.flipped(found) if flips else found


def segment_argsort(f: Framework, x: Any, where: Where, descending: bool, dtype: Any, nan: str) -> Any:
    keys, _, down = segmented(f, x, descending, nan)
    return f.argsort_segments(keys, where, down, position_name(f, dtype, x.shape[0]))


def segment_sort_by_key(
    f: Framework, x: Any, values: tuple[Any, ...], where: Where, descending: bool, nan: str
) -> tuple[Any, tuple[Any, ...]]:
    keys, flips, down = segmented(f, x, descending, nan)
    found, order = f.sort_segments_with_order(keys, where, down)
    return f.flipped(found) if flips else found, tuple(f.take(v, order) for v in values)


def segment_quantile(f: Framework, x: Any, where: Where, wanted: Array, method: int) -> Any:
    """Of each segment what stands at the places of its sorted elements, as the library has them; NaN where they include
    one, which is the largest. Behind all elements stands what a segment of none has."""
    xp, name, n, positions, computed = f.xp, METHODS[method], x.shape[0], f.positions, f.computed
    keys = f.segment_sort(x, where, False, "last")
    begins, ends = (where[0][:-1], where[0][1:]) if where[1] is None else where
    first, last = (xp.where(at < 0, n, xp.clip(at, 0, n)) for at in (f.cast(begins, positions), f.cast(ends, positions)))
    length = xp.clip(last - first, 0, n)
    with f.in_64_bits():
        place = f.offsets(np.array(wanted.reshape(-1)), x)[:, None] * f.cast(length - 1, "float64")
        low, high = xp.floor(place), xp.ceil(place)
        sides = (chosen(xp, low, high, place - low, name),) if name in CHOOSE else (low, high)
        part, *places = f.cast(place - low, computed), *(f.cast(side, positions) for side in sides)
    keys = f.concatenate([keys, f.full((1,), keys.dtype, float("nan") if f.is_float(keys) else 0, keys)])

    def at(place: Any) -> Any:
        here = xp.where(length > 0, first + place, n)
        return f.take(keys, here.reshape((-1,))).reshape(tuple(here.shape))

    if name in CHOOSE:
        found = at(places[0])
    else:
        below, above = (f.cast(at(place), computed) for place in places)
        found = between(xp, below, above, part, name)
        found = xp.where(length > 0, found, float("nan"))
    if f.is_float(keys):
        found = xp.where(f.isnan(at(length - 1)), float("nan"), found)
    return found.reshape((*wanted.shape, found.shape[1]))


def segment_count(where: Where) -> int:
    """How many segments begins and ends (or begins and None) make."""
    begins, ends = where
    given: int = begins.shape[0]  # where PyTorch compiles, a number that stands for any
    return given if ends is not None else max(given - 1, 0)


def segment_top_k(
    f: Framework, x: Any, k: int, counts: Any, where: Where, largest: bool, nan: str, fill: Any
) -> tuple[Any, Any]:
    keys, flips = f.contiguous(x), _flips(f, x, largest, nan)
    if not flips or f.segments_take_nan_last(keys, k, where):
        return f.first_of_segments(keys, k, counts, where, largest, flips, fill)
    values, indices = f.first_of_segments(f.flipped(keys), k, counts, where, False, False, -fill)
    return f.flipped(values), indices


def segmented(f: Framework, x: Any, descending: bool, nan: str) -> tuple[Any, bool, bool]:
    """Keys in one piece, whether their signs are turned round, and whether their order descends then."""
    flips = _flips(f, x, descending, nan)
    keys = f.contiguous(x)
    return f.flipped(keys) if flips else keys, flips, descending and not flips


def explain(f: Framework, x: Any, axis: int | None, positions: bool, descending: bool) -> str:
    keys, _ = _rows(f, x, axis)
    return f.plan(keys, keys.shape[0], keys.shape[1], positions, descending)


# Arguments.


def _rows(f: Framework, x: Any, axis: int | None) -> tuple[Any, Back]:
    """The lanes along an axis as rows in one piece, and the way back for an array of as many rows."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    need_axis(axis, x.ndim)
    if x.ndim == 1:
        return f.contiguous(x).reshape((1, x.shape[0])), _only_row
    moved = f.contiguous(f.moveaxis(x, axis, -1))
    others = tuple(moved.shape[:-1])

    def back(result: Any) -> Any:
        return f.moveaxis(result.reshape((*others, result.shape[1])), -1, axis)

    return moved.reshape((prod(others), moved.shape[-1])), back


def _only_row(result: Any) -> Any:
    return result.reshape((result.shape[1],))


def _flips(f: Framework, x: Any, descending: bool, nan: str) -> bool:
    need_nan(nan)
    return descending and nan == "last" and f.is_float(x)


def position_name(f: Framework, dtype: Any, n: int) -> str:
    """The name of the type of positions below n."""
    name = f.positions if dtype is None else getattr(dtype, "__name__", str(dtype)).rpartition(".")[2]
    if name not in POSITIONS:
        raise TypeError(f"sortile: positions of dtype {name} asked for; allowed are {', '.join(POSITIONS)}")
    if n > {"int64": 2**63, "int32": 2**31, "uint32": 2**32}[name]:
        raise ValueError(f"sortile: {name} cannot number {n} elements")
    return name
