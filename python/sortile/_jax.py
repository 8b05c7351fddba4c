"""JAX's arrays: calls of its foreign function interface, under jit, vmap and gradients.

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

from . import _device
from ._arrays import need_axis
from ._backend import core
from ._frameworks import Framework, Where
from ._gpu import (
    FIRST_POSITIONS, KEY_TYPES, KEYS, KEYS_AND_POSITIONS, KEYS_AND_VALUES, POSITIONS, need_gpu_engine
)
from ._quantiles import METHODS, between, neighbours
from ._route import route_shapes

if not hasattr(jax, "ffi"):
    raise ImportError(f"sortile: JAX {jax.__version__} is too old for its arrays to be sorted; 0.5 is needed")

_WORDS = {2: (np.uint16, 15), 4: (np.uint32, 31), 8: (np.uint64, 63)}

for _name, _handlers in core.xla_handlers().items():
    for _platform, _handler in _handlers.items():
        jax.ffi.register_ffi_target(_name, _handler, platform=_platform)


@lru_cache(maxsize=1024)
def _is_on_cpu(sharding: Any) -> bool:
    return all(device.platform == "cpu" for device in sharding.device_set)


def _call(kind: int, operands: Sequence[Any], results: Any, descending: bool) -> Any:
    return jax.ffi.ffi_call("sortile_sort", results, vmap_method="broadcast_all")(
        *(jax.lax.stop_gradient(x) for x in operands), descending=np.int64(descending), kind=np.int64(kind)
    )


def _segments_call(kind: int, keys: Any, second: Any, where: Where, descending: bool) -> Any:
    """Results lie where `keys` and `second` do: what the call does not write stays."""
    written = {KEYS: (keys,), POSITIONS: (second,)}.get(kind, (keys, second))
    begins, ends = where
    operands = (keys, *(() if second is None else (second,)), begins, *(() if ends is None else (ends,)))
    places = {1: 0} if kind == POSITIONS else {number: number for number in range(len(written))}
    found = jax.ffi.ffi_call(
        "sortile_segments", tuple(map(_like, written)), vmap_method="sequential", input_output_aliases=places
    )(*map(jax.lax.stop_gradient, operands), descending=np.int64(descending), kind=np.int64(kind))
    return found if len(written) > 1 else found[0]


def _like(x: Any, dtype: Any = None) -> Any:
    return jax.ShapeDtypeStruct(x.shape, x.dtype if dtype is None else dtype)


def _need_order(x: Any) -> None:
    if str(x.dtype) not in KEY_TYPES:
        raise TypeError(
            f"sortile: elements of type {x.dtype} have no order here; in JAX those that have: {', '.join(KEY_TYPES)}"
        )


class Jax(Framework):
    name = "JAX"

    @property
    def positions(self) -> str:  # type: ignore[override]
        return "int64" if jax.config.jax_enable_x64 else "int32"

    def is_array(self, kind: type) -> bool:
        return issubclass(kind, jax.Array) or issubclass(kind, jax.core.Tracer)

    def holds(self, x: Any) -> bool:
        if isinstance(x, jax.core.Tracer):
            return True
        if _is_on_cpu(x.sharding):
            return False
        need_gpu_engine(x)
        return True

    def adopted(self, function: str, number: int, x: Any) -> Any:
        return jnp.asarray(x)

    def sort_rows(self, keys: Any, descending: bool, into: Any = None) -> Any:
        _need_order(keys)
        return _call(KEYS, (keys,), _like(keys), descending)

    def argsort_rows(self, keys: Any, descending: bool, positions: str) -> Any:
        _need_order(keys)
        return _call(POSITIONS, (keys,), _like(keys, np.dtype(positions)), descending)

    def sort_rows_with_positions(self, keys: Any, descending: bool, positions: str) -> tuple[Any, Any]:
        _need_order(keys)
        results = (_like(keys), _like(keys, np.dtype(positions)))
        found, order = _call(KEYS_AND_POSITIONS, (keys,), results, descending)
        return found, order

    def sort_rows_by_key(self, keys: Any, values: Any, descending: bool) -> tuple[Any, Any]:
        """Values that have more axes than the keys are taken by positions, and so are narrow ones: of many rows, which
        vmap makes, values of 4 bytes and more travel on a GPU."""
        _need_order(keys)
        if values.ndim == keys.ndim and values.dtype.itemsize >= 4 and str(values.dtype) in KEY_TYPES:
            found, moved = _call(KEYS_AND_VALUES, (keys, values), (_like(keys), _like(values)), descending)
            return found, moved
        found, order = self.sort_rows_with_positions(keys, descending, self.positions)
        return found, jnp.take_along_axis(values, order.reshape((*order.shape, *(1,) * (values.ndim - 2))), 1)

    def top_k_rows(self, keys: Any, k: int, descending: bool) -> Any:
        _need_order(keys)
        result = jax.ShapeDtypeStruct((*keys.shape[:-1], k), np.dtype(self.positions))
        return _call(FIRST_POSITIONS, (keys,), result, descending)

    def takes_partitions(self, x: Any) -> bool:
        return True

    def takes_quantiles(self, x: Any) -> bool:
        return True

    def quantile_rows(self, keys: Any, probabilities: list[float], method: int) -> Any:
        """Of the type that float has: computed by JAX, from the keys."""
        _need_order(keys)
        place, low, high = neighbours(np.array(probabilities), keys.shape[1])
        ranks = np.unique(np.concatenate([low, high]))
        found = _keys_at_ranks(keys, tuple(ranks.tolist())).astype(float)
        below, above = found[:, np.searchsorted(ranks, low)], found[:, np.searchsorted(ranks, high)]
        return between(jnp, below, above, (place - low).astype(found.dtype), low, METHODS[method])

    def with_nan(self, x: Any, rows: Any) -> Any:
        return jnp.where(rows[:, None], jnp.nan, x)

    def sort_segments(self, keys: Any, where: Where, descending: bool) -> Any:
        _need_order(keys)
        return _segments_call(KEYS, keys, None, where, descending)

    def argsort_segments(self, keys: Any, where: Where, descending: bool, positions: str) -> Any:
        _need_order(keys)
        return _segments_call(POSITIONS, keys, jnp.zeros(keys.shape, positions), where, descending)

    def sort_segments_with_order(self, keys: Any, where: Where, descending: bool) -> tuple[Any, Any]:
        _need_order(keys)
        before = jnp.arange(keys.shape[0], dtype=self.positions)
        found, order = _segments_call(KEYS_AND_VALUES, keys, before, where, descending)
        return found, order

    def offsets(self, x: Any, like: Any) -> Any:
        return jnp.asarray(x)

    def is_integer(self, x: Any) -> bool:
        return bool(jnp.issubdtype(x.dtype, jnp.integer))

    # Arithmetic.

    def typed(self, name: str) -> Any:
        return np.dtype(name)

    def is_float(self, x: Any) -> bool:
        return bool(jnp.issubdtype(x.dtype, jnp.floating))

    def flipped(self, x: Any) -> Any:
        word, place = _WORDS[x.dtype.itemsize]
        bits = jax.lax.bitcast_convert_type(x, word) ^ word(1 << place)
        return jax.lax.bitcast_convert_type(bits, x.dtype)

    def contiguous(self, x: Any) -> Any:
        return x

    def moveaxis(self, x: Any, source: int, destination: int) -> Any:
        return jnp.moveaxis(x, source, destination)

    def single(self, like: Any, number: int) -> Any:
        return jnp.full(1, number, dtype=self.positions)

    def cast(self, x: Any, name: str) -> Any:
        return x.astype(name)

    def take(self, x: Any, positions: Any) -> Any:
        return jnp.take(x, positions, axis=0)

    def take_along_axis(self, x: Any, positions: Any, axis: int) -> Any:
        return jnp.take_along_axis(x, positions, axis)

    def concatenate(self, arrays: Sequence[Any]) -> Any:
        return jnp.concatenate(arrays)

    def isnan(self, x: Any) -> Any:
        return jnp.isnan(x)

    def flatnonzero(self, x: Any) -> Any:
        return jnp.flatnonzero(x)

    def cumsum(self, x: Any) -> Any:
        return jnp.cumsum(x)

    def placed(self, positions: Any, values: Any) -> Any:
        return jnp.empty_like(values).at[positions].set(values)

    def stored(self, result: Any, out: Any) -> Any:
        raise ValueError("sortile: JAX's arrays cannot be written to; out= is for those of other kinds")

    def plan(self, x: Any, rows: int, n: int, positions: bool, descending: bool) -> str:
        what = POSITIONS if positions else KEYS
        return str(core.device_explain(what, KEY_TYPES[str(x.dtype)], rows, n, descending))

    # Calls, compiled once for each shape; with gradients where the result has any.

    def sort(self, x: Any, axis: int | None, descending: bool, out: Any, nan: str) -> Any:
        if out is not None:
            self.stored(None, out)
        return _sort(x, axis, descending, nan)

    def argsort(self, x: Any, axis: int | None, descending: bool, dtype: Any, out: Any, nan: str) -> Any:
        if out is not None:
            self.stored(None, out)
        return _argsort(x, axis, descending, self._position_name(x, axis, dtype), nan)

    def sort_by_key(
        self, keys: Any, values: tuple[Any, ...], axis: int, descending: bool, nan: str
    ) -> tuple[Any, tuple[Any, ...]]:
        if len(values) == 1 and values[0] is keys:  # the library wants keys and values apart
            same = self.sort(keys, axis, descending, None, nan)
            return same, (same,)
        found: tuple[Any, tuple[Any, ...]] = _sort_by_key(keys, values, axis, descending, nan)
        return found

    def top_k(self, x: Any, k: int, axis: int | None, largest: bool, nan: str) -> tuple[Any, Any]:
        found: tuple[Any, Any] = _top_k(x, k, axis, largest, nan)
        return found

    def partition(self, x: Any, kth: int, axis: int | None) -> Any:
        """By a sort, which has gradients."""
        if axis is None:
            x, axis = x.reshape(-1), 0
        need_axis(axis, x.ndim)
        _device.need_place(kth, x.shape[axis])
        return self.sort(x, axis, False, None, "last")

    def quantile(self, x: Any, wanted: Any, axis: int | None, method: int) -> Any:
        return _quantile(x, tuple(wanted.reshape(-1).tolist()), wanted.shape, axis, method)

    def route(self, experts: Any, count: int, block: int, dtype: str) -> tuple[Any, ...]:
        return _route(experts, count, block, str(jax.dtypes.canonicalize_dtype(dtype)))

    def segment_sort(self, x: Any, where: Where, descending: bool, nan: str) -> Any:
        return _segment_sort(x, where, descending, nan)

    def segment_argsort(self, x: Any, where: Where, descending: bool, dtype: Any, nan: str) -> Any:
        return _segment_argsort(x, where, descending, self._position_name(x, 0, dtype), nan)

    def segment_sort_by_key(
        self, keys: Any, values: tuple[Any, ...], where: Where, descending: bool, nan: str
    ) -> tuple[Any, tuple[Any, ...]]:
        found: tuple[Any, tuple[Any, ...]] = _segment_sort_by_key(keys, values, where, descending, nan)
        return found

    def _position_name(self, x: Any, axis: int | None, dtype: Any) -> str:
        n = prod(x.shape) if axis is None or x.ndim == 0 else x.shape[axis % x.ndim]
        name = self.positions if dtype is None and n < 2**31 else _device.position_name(self, dtype, n)
        return name if name == "int32" or jax.config.jax_enable_x64 else str(jax.dtypes.canonicalize_dtype(name))


FRAMEWORK = Jax()


@partial(jax.custom_jvp, nondiff_argnums=(1, 2, 3))
def _sorted(x: Any, axis: int | None, descending: bool, nan: str) -> Any:
    return _device.sort(FRAMEWORK, x, axis, descending, None, nan)


@partial(jax.custom_jvp, nondiff_argnums=(2, 3, 4))
def _sorted_by_key(keys: Any, values: tuple[Any, ...], axis: int, descending: bool, nan: str) -> Any:
    return _device.sort_by_key(FRAMEWORK, keys, values, axis, descending, nan)


def _order(x: Any, axis: int | None, descending: bool, name: str, nan: str) -> Any:
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


_sort = jax.jit(_sorted, static_argnums=(1, 2, 3))
_sort_by_key = jax.jit(_sorted_by_key, static_argnums=(2, 3, 4))
_argsort = jax.jit(_order, static_argnums=(1, 2, 3, 4))


@partial(jax.jit, static_argnums=(1, 2, 3, 4))
def _top_k(x: Any, k: int, axis: int | None, largest: bool, nan: str) -> tuple[Any, Any]:
    """The elements are taken by their positions, which have no gradient."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    _, order = _device.top_k(FRAMEWORK, jax.lax.stop_gradient(x), k, axis, largest, nan)
    return jnp.take_along_axis(x, order, axis), order


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _keys_at_ranks(keys: Any, ranks: tuple[int, ...]) -> Any:
    result = jax.ShapeDtypeStruct((*keys.shape[:-1], len(ranks)), keys.dtype)
    return jax.ffi.ffi_call("sortile_ranks", result, vmap_method="broadcast_all")(
        jax.lax.stop_gradient(keys), ranks=np.array(ranks, np.int64)
    )


@_keys_at_ranks.defjvp
def _(ranks: tuple[int, ...], primals: Any, tangents: Any) -> tuple[Any, Any]:
    """Which keys these are, a sort knows."""
    order = _order(primals[0], 1, False, FRAMEWORK.positions, "last")[:, np.array(ranks)]
    found, tangent = jnp.take_along_axis(primals[0], order, 1), tangents[0]
    if tangent.dtype == jax.dtypes.float0:
        return found, np.zeros(found.shape, tangent.dtype)
    return found, jnp.take_along_axis(tangent, order, 1)


@partial(jax.jit, static_argnums=(1, 2, 3, 4))
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


@partial(jax.jit, static_argnums=(3, 4))
def _segment_sort_by_key(
    keys: Any, values: tuple[Any, ...], where: Where, descending: bool, nan: str
) -> tuple[Any, tuple[Any, ...]]:
    order = _segment_order(keys, where, descending, nan)
    return jnp.take(keys, order, axis=0), tuple(jnp.take(v, order, axis=0) for v in values)


@partial(jax.jit, static_argnums=(2, 3, 4))
def _segment_argsort(x: Any, where: Where, descending: bool, name: str, nan: str) -> Any:
    return _device.segment_argsort(FRAMEWORK, jax.lax.stop_gradient(x), where, descending, name, nan)


_segment_sort = jax.jit(_segments_sorted, static_argnums=(2, 3))
