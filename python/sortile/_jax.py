"""Calls on JAX's arrays: of its foreign function interface, under jit, vmap and gradients.

An array that lies in host memory and is not traced is read like NumPy's arrays, and never comes here. For all others
the call is one XLA custom call, "sortile_sort" or one like it, which XLA finds by platform: on a GPU it queues its work
on XLA's stream, with workspace from XLA's allocator.
"""

from __future__ import annotations

from functools import lru_cache, partial
from math import prod
from typing import Any, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from . import _device, _jax_now
from ._arrays import Array, is_only_axis, need_axis, need_nan
from ._backend import core
from ._frameworks import Where
from ._gpu import GROUP_OUTPUTS, KEY_TYPES, SORTED_BY_PARTITION
from ._jax_arrays import (
    GROUPS, OWN_STREAM, JaxArrays, compiled, like, need_elements, need_order, no_workspace, on_one_gpu, packed
)
from ._places import CHOOSE, METHODS, between, neighbours, places_chosen
from ._route import route_shapes


class Jax(JaxArrays):
    def quantile_rows(self, keys: Any, probabilities: list[float], method: int) -> Any:
        """By JAX, from the keys: of the type that float has, or chosen ones. NaN is the largest, so the last key tells."""
        need_order(keys)
        if METHODS[method] in CHOOSE:
            result, last = _keys_at_places(keys, places_chosen(np.array(probabilities), keys.shape[1], method))
        else:
            place, low, high = neighbours(np.array(probabilities), keys.shape[1])
            below, above, last = (each.astype(float) for each in _keys_at_places(keys, low, high))
            result = between(jnp, below, above, (place - low).astype(below.dtype), METHODS[method])
        return jnp.where(jnp.isnan(last), last, result) if self.is_float(keys) else result

    # Calls, compiled once for each shape; with gradients where the result has any.

    def sort(self, x: Any, axis: int | None, descending: bool, out: Any, nan: str) -> Any:
        if out is not None:
            self.stored(None, out)
        if (now := _jax_now.sort(x, axis, descending, nan)) is not None:
            return now
        return compiled(_sorted, axis, descending, nan)(x)

    def argsort(self, x: Any, axis: int | None, descending: bool, dtype: Any, out: Any, nan: str) -> Any:
        if out is not None:
            self.stored(None, out)
        if (now := _jax_now.argsort(x, axis, descending, dtype, nan, self.position_name)) is not None:
            return now
        return compiled(_order, axis, descending, dtype, nan)(x)

    def is_sorted(self, x: Any, axis: int | None, descending: bool, nan: str) -> bool:
        need_order(x)
        need_elements(x, "is_sorted() gives a bool of Python's, which the elements decide, so it")
        if x.ndim == 1 and (axis is None or is_only_axis(axis)) and (lane := on_one_gpu(x)) is not None:
            need_nan(nan)
            address, ordinal = lane
            flips = descending and nan == "last" and self.is_float(x)
            n = x.shape[0]
            return n < 2 or core.device_is_sorted(
                KEY_TYPES[str(x.dtype)], 1, n, address, descending, flips, ordinal, OWN_STREAM, no_workspace
            )
        return bool(compiled(_is_sorted, axis, descending, nan)(x))

    def sort_by_key(
        self, keys: Any, values: tuple[Any, ...], axis: int, descending: bool, nan: str
    ) -> tuple[Any, tuple[Any, ...]]:
        if len(values) == 1 and values[0] is keys:  # the library wants keys and values apart
            same = self.sort(keys, axis, descending, None, nan)
            return same, (same,)
        if (now := _jax_now.sort_by_key(keys, values, axis, descending, nan)) is not None:
            return now
        sorted_keys, *moved = compiled(_sorted_with, axis, descending, nan)(keys, *values)
        return sorted_keys, tuple(moved)

    def rows_in_order(self, columns: Sequence[Any], descending: Sequence[bool], dtype: Any, nan: str) -> Any:
        if (now := _jax_now.lexsort(columns, 0, descending, dtype, nan, self.position_name)) is not None:
            return now
        return compiled(_rows_in_order, tuple(descending), dtype, nan)(*columns)

    def lexsort(self, keys: Sequence[Any], axis: int, descending: Sequence[bool], dtype: Any, nan: str) -> Any:
        if (now := _jax_now.lexsort(keys[::-1], axis, descending[::-1], dtype, nan, self.position_name)) is not None:
            return now
        return compiled(_lexsorted, axis, tuple(descending), dtype, nan)(*keys)

    def rows_ordered(self, columns: Sequence[Any], descending: Sequence[bool], name: str, nan: str) -> Any:
        """Of traced ones."""
        words, down = packed(columns, descending, nan)
        return super().rows_ordered(words, down, str(jax.dtypes.canonicalize_dtype(name)), nan)

    def merge(self, runs: Sequence[Any], descending: bool, out: Any, nan: str) -> Any:
        if out is not None:
            self.stored(None, out)
        if (now := _jax_now.merge(runs, descending, nan)) is not None:
            return now
        return compiled(_merged, descending, nan)(*runs)

    def unique(self, x: Any, wanted: tuple[bool, bool, bool], equal_nan: bool) -> tuple[Any, list[Any]]:
        need_order(x)
        need_elements(x, GROUPS)
        if x.size == 0 or (self.is_float(x) and not equal_nan):
            return super().unique(x, wanted, equal_nan)
        index, inverse, counts = wanted
        asked = {"first": index, "counts": counts, "inverse": inverse}
        names = tuple(name for name in asked if asked[name])
        distinct, *rest = _groups(x, names)
        by_name = dict(zip(names, rest))
        return distinct, [by_name[name] for name in ("first", "inverse", "counts") if name in by_name]

    def group_by(self, x: Any) -> tuple[Any, Any, Any]:
        if x.ndim != 1 or x.size == 0:
            return super().group_by(x)
        distinct, offsets, order = _groups(x, ("offsets", "order"))
        return distinct, offsets, order

    def top_k(self, x: Any, k: int, axis: int | None, largest: bool, nan: str) -> tuple[Any, Any]:
        if (now := _jax_now.top_k(x, k, axis, largest, nan)) is not None:
            return now
        found: tuple[Any, Any] = compiled(_top_k, k, axis, largest, nan)(x)
        return found

    def partition(self, x: Any, kth: int, axis: int | None) -> Any:
        """By a sort, which has gradients."""
        if (now := _jax_now.partition(x, kth, axis)) is not None:
            return now
        return compiled(_parted, kth, axis)(x)

    def quantile(self, x: Any, wanted: Any, axis: int | None, method: int) -> Any:
        if (now := _jax_now.quantile(x, wanted, axis, method)) is not None:
            return now
        return compiled(_quantile, tuple(wanted.reshape(-1).tolist()), wanted.shape, axis, method)(x)

    def route(self, experts: Any, count: int, block: int, dtype: str) -> tuple[Any, ...]:
        return _route(experts, count, block, str(jax.dtypes.canonicalize_dtype(dtype)))

    def segment_sort(self, x: Any, where: Where, descending: bool, nan: str) -> Any:
        if (now := _jax_now.segment_sort(x, where, descending, nan)) is not None:
            return now
        return compiled(_segments_sorted, descending, nan)(x, where)

    def segment_argsort(self, x: Any, where: Where, descending: bool, dtype: Any, nan: str) -> Any:
        return compiled(_segment_argsort, descending, dtype, nan)(x, where)

    def segment_top_k(
        self, x: Any, k: int, counts: Any, where: Where, largest: bool, nan: str, fill: Any
    ) -> tuple[Any, Any]:
        need_order(x)
        return compiled(_segments_first, k, largest, nan)(x, where, counts, jnp.asarray(fill, x.dtype))

    def segment_sort_by_key(
        self, keys: Any, values: tuple[Any, ...], where: Where, descending: bool, nan: str
    ) -> tuple[Any, tuple[Any, ...]]:
        found: tuple[Any, tuple[Any, ...]] = compiled(_segment_sort_by_key, descending, nan)(keys, values, where)
        return found

    def position_name(self, x: Any, axis: int | None, dtype: Any) -> str:
        n = prod(x.shape) if axis is None or x.ndim == 0 else x.shape[axis % x.ndim]
        name = self.positions if dtype is None and n < 2**31 else _device.position_name(self, dtype, n)
        return name if name == "int32" or jax.config.jax_enable_x64 else str(jax.dtypes.canonicalize_dtype(name))


FRAMEWORK = Jax()
SLICED = 32  # keys at so many ranks are sliced out, which XLA does within the kernel that computes; more are gathered


@partial(jax.custom_jvp, nondiff_argnums=(1, 2, 3))
def _sorted(x: Any, axis: int | None, descending: bool, nan: str) -> Any:
    return _device.sort(FRAMEWORK, x, axis, descending, None, nan)


@partial(jax.custom_jvp, nondiff_argnums=(2, 3, 4))
def _sorted_by_key(keys: Any, values: tuple[Any, ...], axis: int, descending: bool, nan: str) -> Any:
    return _device.sort_by_key(FRAMEWORK, keys, values, axis, descending, nan)


def _order(x: Any, axis: int | None, descending: bool, dtype: Any, nan: str) -> Any:
    name = FRAMEWORK.position_name(x, axis, dtype)
    return _device.argsort(FRAMEWORK, jax.lax.stop_gradient(x), axis, descending, name, None, nan)


@_sorted.defjvp
def _(axis: int | None, descending: bool, nan: str, primals: Any, tangents: Any) -> tuple[Any, Any]:
    (x,), (tangent,) = primals, tangents
    if axis is None:
        x, tangent, axis = x.reshape(-1), tangent.reshape(-1), 0
    order = _order(x, axis, descending, FRAMEWORK.positions, nan)
    return jnp.take_along_axis(x, order, axis), _moved(tangent, order, axis)


@_sorted_by_key.defjvp
def _(axis: int, descending: bool, nan: str, primals: Any, tangents: Any) -> tuple[Any, Any]:
    order = _order(primals[0], axis, descending, FRAMEWORK.positions, nan)
    return jax.tree.map(lambda x: _moved(x, order, axis), (tuple(primals), tuple(tangents)))


def _moved(x: Any, order: Any, axis: int) -> Any:
    """An array, or its tangent, in the order of the keys: whole rows where these have one axis."""
    if x.dtype == jax.dtypes.float0:  # of integers, which have no tangents
        return x
    return jnp.take(x, order, axis=0) if order.ndim == 1 else jnp.take_along_axis(x, order, axis)


def _parted(x: Any, kth: int, axis: int | None) -> Any:
    if axis is None:
        x, axis = x.reshape(-1), 0
    need_axis(axis, x.ndim)
    _device.need_place(kth, x.shape[axis])
    return _sorted(x, axis, False, "last")


def _sorted_with(keys: Any, *rest: Any) -> tuple[Any, ...]:
    *values, axis, descending, nan = rest
    sorted_keys, moved = _sorted_by_key(keys, tuple(values), axis, descending, nan)
    return sorted_keys, *moved


def _rows_in_order(*given: Any) -> Any:
    *columns, descending, dtype, nan = given
    return _device.rows_in_order(FRAMEWORK, columns, descending, dtype, nan)


def _lexsorted(*given: Any) -> Any:
    *keys, axis, descending, dtype, nan = given
    return _device.lexsort(FRAMEWORK, keys, axis, descending, dtype, nan)


def _merged(*given: Any) -> Any:
    *runs, descending, nan = given
    return _device.merge(FRAMEWORK, runs, descending, None, nan)


def _groups(x: Any, names: tuple[str, ...]) -> list[Any]:
    """The distinct elements and these outputs of the library's call, in its order. Waits for the device, which alone
    knows how many groups there are."""
    need_order(x)
    need_elements(x, GROUPS)
    distinct, *made, number = compiled(_grouped, names, FRAMEWORK.positions)(x)
    groups = int(np.asarray(number).view(np.uint64)[0])
    if groups == x.size:
        return [distinct, *made]
    short = [place for place, name in enumerate(names) if name in ("first", "counts", "offsets")]
    lengths = (groups, *(groups + (names[place] == "offsets") for place in short))
    distinct, *cut = _cut(lengths)(distinct, *(made[place] for place in short))
    for place, array in zip(short, cut):
        made[place] = array
    return [distinct, *made]


def _grouped(x: Any, names: tuple[str, ...], dtype: str) -> list[Any]:
    keys = x.reshape(-1)
    numbers = [jax.ShapeDtypeStruct((keys.shape[0] + (name == "offsets"),), np.dtype(dtype)) for name in names]
    results = (like(keys), *numbers, jax.ShapeDtypeStruct((2,), np.dtype("uint32")))  # their number has 64 bits
    wanted = sum(1 << GROUP_OUTPUTS.index(name) for name in names)
    found = list(jax.ffi.ffi_call("sortile_groups", results)(keys, outputs=np.int64(wanted)))
    if "inverse" in names:
        found[1 + names.index("inverse")] = found[1 + names.index("inverse")].reshape(x.shape)
    return found


@lru_cache(maxsize=256)  # what other lengths have had compiled is let go
def _cut(lengths: tuple[int, ...]) -> Any:
    return jax.jit(lambda *arrays: [array[:length] for array, length in zip(arrays, lengths)])


def _is_sorted(x: Any, axis: int | None, descending: bool, nan: str) -> Any:
    need_nan(nan)
    if axis is None:
        x, axis = x.reshape(-1), 0
    need_axis(axis, x.ndim)
    lanes = jnp.moveaxis(x, axis, -1)
    before, after = lanes[..., :-1], lanes[..., 1:]
    in_order = before >= after if descending else before <= after
    if FRAMEWORK.is_float(x):
        in_order |= jnp.isnan(before if descending and nan == "largest" else after)
    return in_order.all()


@partial(jax.custom_jvp, nondiff_argnums=(1, 2, 3, 4))
def _top_k(x: Any, k: int, axis: int | None, largest: bool, nan: str) -> tuple[Any, Any]:
    return _device.top_k(FRAMEWORK, x, k, axis, largest, nan)


@_top_k.defjvp
def _(k: int, axis: int | None, largest: bool, nan: str, primals: Any, tangents: Any) -> tuple[Any, Any]:
    """The positions have no gradient."""
    (x,), (tangent,) = primals, tangents
    found, order = _top_k(x, k, axis, largest, nan)
    if tangent.dtype == jax.dtypes.float0:
        moved = np.zeros(found.shape, tangent.dtype)
    else:
        moved = jnp.take_along_axis(tangent.reshape(-1) if axis is None else tangent, order, axis or 0)
    return (found, order), (moved, np.zeros(order.shape, jax.dtypes.float0))


def _keys_at_places(keys: Any, *places: Array) -> list[Any]:
    """Of each row the keys at some places, for each list of places, and the last key of all."""
    ends = (*places, np.array([keys.shape[1] - 1]))
    ranks = np.unique(np.concatenate(ends))
    every = jnp.concatenate(_keys_at_ranks(keys, tuple(ranks.tolist())), axis=1)
    return [every[:, np.searchsorted(ranks, at)] for at in ends]


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _keys_at_ranks(keys: Any, ranks: tuple[int, ...]) -> tuple[Any, ...]:
    """Few of them as columns, many as one array. Of short rows by a sort, behind which XLA needs but one kernel more."""
    if keys.shape[-1] <= SORTED_BY_PARTITION:
        return _apart(FRAMEWORK.sort_rows(keys, False), ranks)
    result = jax.ShapeDtypeStruct((*keys.shape[:-1], len(ranks)), keys.dtype)
    found = jax.ffi.ffi_call("sortile_ranks", result, vmap_method="broadcast_all")(
        jax.lax.stop_gradient(keys), ranks=np.array(ranks, np.int64)
    )
    return _apart(found, tuple(range(len(ranks))))


def _apart(keys: Any, places: tuple[int, ...]) -> tuple[Any, ...]:
    if len(places) > SLICED:
        return (keys[..., np.array(places)],)
    return tuple(keys[..., place : place + 1] for place in places)


@_keys_at_ranks.defjvp
def _(ranks: tuple[int, ...], primals: Any, tangents: Any) -> tuple[Any, Any]:
    """Which keys these are, a sort knows."""
    order, tangent = _order(primals[0], 1, False, FRAMEWORK.positions, "last")[:, np.array(ranks)], tangents[0]
    places = tuple(range(len(ranks)))
    found = _apart(jnp.take_along_axis(primals[0], order, 1), places)
    if tangent.dtype == jax.dtypes.float0:
        return found, tuple(np.zeros(column.shape, tangent.dtype) for column in found)
    return found, _apart(jnp.take_along_axis(tangent, order, 1), places)


def _quantile(x: Any, wanted: tuple[float, ...], shape: tuple[int, ...], axis: int | None, method: int) -> Any:
    return _device.quantile(FRAMEWORK, x, np.array(wanted).reshape(shape), axis, method)


@partial(jax.jit, static_argnums=(1, 2, 3))
def _route(experts: Any, count: int, block: int, dtype: str) -> tuple[Any, ...]:
    results = tuple(jax.ShapeDtypeStruct(s, np.dtype(dtype)) for s in route_shapes(experts.shape, count, block))
    return tuple(
        jax.ffi.ffi_call("sortile_route", results, vmap_method="sequential")(
            jax.lax.stop_gradient(experts), block=np.int64(block)
        )
    )


@partial(jax.custom_jvp, nondiff_argnums=(2, 3))
def _segments_sorted(x: Any, where: Where, descending: bool, nan: str) -> Any:
    return _device.segment_sort(FRAMEWORK, x, where, descending, nan)


def _segment_order(x: Any, where: Where, descending: bool, nan: str) -> Any:
    keys, _, down = _device.segmented(FRAMEWORK, jax.lax.stop_gradient(x), descending, nan)
    return FRAMEWORK.sort_segments_with_order(keys, where, down)[1]


@_segments_sorted.defjvp
def _(descending: bool, nan: str, primals: Any, tangents: Any) -> tuple[Any, Any]:
    x, where = primals
    order = _segment_order(x, where, descending, nan)
    return jnp.take(x, order, axis=0), _moved(tangents[0], order, 0)


def _segment_sort_by_key(
    keys: Any, values: tuple[Any, ...], where: Where, descending: bool, nan: str
) -> tuple[Any, tuple[Any, ...]]:
    order = _segment_order(keys, where, descending, nan)
    return jnp.take(keys, order, axis=0), tuple(jnp.take(v, order, axis=0) for v in values)


def _segment_argsort(x: Any, where: Where, descending: bool, dtype: Any, nan: str) -> Any:
    name = FRAMEWORK.position_name(x, 0, dtype)
    return _device.segment_argsort(FRAMEWORK, jax.lax.stop_gradient(x), where, descending, name, nan)


@partial(jax.custom_jvp, nondiff_argnums=(4, 5, 6))
def _segments_first(x: Any, where: Where, counts: Any, fill: Any, k: int, largest: bool, nan: str) -> tuple[Any, Any]:
    return _device.segment_top_k(FRAMEWORK, x, k, counts, where, largest, nan, fill)


@_segments_first.defjvp
def _(k: int, largest: bool, nan: str, primals: Any, tangents: Any) -> tuple[Any, Any]:
    """The positions have no gradient, and what fills the places behind a segment's has none."""
    begins, tangent = primals[1][0], tangents[0]
    found, order = _segments_first(*primals, k, largest, nan)
    if tangent.dtype == jax.dtypes.float0 or tangent.shape[0] == 0:
        moved = np.zeros(found.shape, tangent.dtype)
    else:
        places = begins[: order.shape[0], None].astype(order.dtype) + order
        moved = jnp.where(order >= 0, jnp.take(tangent, jnp.where(order >= 0, places, 0), axis=0), 0)
    return (found, order), (moved, np.zeros(order.shape, jax.dtypes.float0))
