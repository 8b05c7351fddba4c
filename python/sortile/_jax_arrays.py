"""JAX's arrays: sorts of their rows by calls of XLA's, and the arithmetic around them, by JAX's own. The calls stand in
`_jax`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable, ContextManager, Sequence, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from ._arrays import lane_shape
from ._backend import core
from ._device import segment_count, segment_quantile
from ._frameworks import Framework, Where, known
from ._gpu import (
    FIRST_POSITIONS, KEY_TYPES, KEYS, KEYS_AND_POSITIONS, KEYS_AND_VALUES, POSITIONS, need_gpu_engine
)

if jax.__version_info__ < (0, 8):  # of 0.5 to 0.7 the runtime ends the program where functions come after its first use
    raise ImportError(f"sortile: JAX {jax.__version__} is too old for its arrays to be sorted; 0.8 is needed")

_ORDERED = frozenset(jnp.dtype(name) for name in KEY_TYPES)
_enable_x64: Any = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
_WORDS = {2: (np.uint16, 15), 4: (np.uint32, 31), 8: (np.uint64, 63)}
Answer = TypeVar("Answer")

for _name, _handlers in core.xla_handlers().items():
    for _platform, _handler in _handlers.items():
        jax.ffi.register_ffi_target(_name, _handler, platform=_platform)


def by_identity(look_up: Callable[[Any], Answer]) -> Callable[[Any], Answer]:
    """The function of a sharding whose answers are kept by its identity, which is found sooner than what it says."""
    answers: dict[int, tuple[Any, Answer]] = {}  # with the shardings, so that no other has such an identity

    def found(sharding: Any) -> Answer:
        answer = answers.get(id(sharding))
        if answer is None:
            if len(answers) >= 1024:
                answers.clear()
            answer = answers[id(sharding)] = sharding, look_up(sharding)
        return answer[1]

    return found


@by_identity
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
        "sortile_segments", tuple(map(like, written)), vmap_method="sequential", input_output_aliases=places
    )(*map(jax.lax.stop_gradient, operands), descending=np.int64(descending), kind=np.int64(kind))
    return found if len(written) > 1 else found[0]


_Tracer = jax.core.Tracer
OWN_STREAM = 2  # the calling thread's, as the CUDA runtime numbers it


def on_one_gpu(x: Any) -> tuple[int, int] | None:
    """The address of an array that lies on one GPU, with its elements there, and the number of the GPU; None for others."""
    if isinstance(x, _Tracer) or not x.is_fully_addressable or len(x.sharding.device_set) != 1:
        return None
    (device,) = x.sharding.device_set
    if device.platform == "cpu":
        return None
    x.block_until_ready()
    return x.unsafe_buffer_pointer(), device.local_hardware_id


def no_workspace(size: int) -> Any:
    raise MemoryError(f"sortile: {size} bytes of workspace asked for by a call that needs none")


def packed(columns: Sequence[Any], descending: Sequence[bool], nan: str) -> tuple[list[Any], list[bool]]:
    """As few columns as order the same: neighbours that a word of 64 bits holds (of 32, without 64-bit types) become
    that word, an unsigned number that is in order where they are. One sort then stands for several."""
    widest = 64 if jax.config.jax_enable_x64 else 32
    groups: list[list[tuple[Any, bool]]] = []
    for column, down in zip(columns, descending):
        need_order(column)
        if groups and 8 * sum(c.dtype.itemsize for c, _ in (*groups[-1], (column, down))) <= widest:
            groups[-1].append((column, down))
        else:
            groups.append([(column, down)])
    words = [g[0][0] if len(g) == 1 else _word_of(g, nan) for g in groups]
    return words, [len(g) == 1 and g[0][1] for g in groups]


def _word_of(columns: Sequence[tuple[Any, bool]], nan: str) -> Any:
    bits = 8 * sum(column.dtype.itemsize for column, _ in columns)
    wide = next(np.dtype(f"uint{width}") for width in (16, 32, 64) if width >= bits)
    word = jnp.zeros(columns[0][0].shape, wide)
    for column, down in columns:
        word = (word << np.array(8 * column.dtype.itemsize, wide)) | _image(column, down, nan).astype(wide)
    return word


def _image(x: Any, down: bool, nan: str) -> Any:
    """Unsigned numbers in the order of the keys: all NaN are one, and so are both zeros."""
    if x.dtype == bool:
        x = x.astype(np.uint8)
    word = np.dtype(f"uint{8 * x.dtype.itemsize}")
    bits, sign, all_ones = jax.lax.bitcast_convert_type(x, word), word.type(1 << (8 * word.itemsize - 1)), ~word.type(0)
    if jnp.issubdtype(x.dtype, jnp.floating):
        magnitude = bits & ~sign
        infinity = np.array(np.inf, x.dtype).view(word)[()]
        number = jnp.where(magnitude == 0, sign, jnp.where((bits & sign) != 0, ~bits, bits | sign))
        number = ~number if down else number
        return jnp.where(magnitude > infinity, word.type(0) if down and nan == "largest" else all_ones, number)
    if jnp.issubdtype(x.dtype, jnp.signedinteger):
        bits = bits ^ sign
    return ~bits if down else bits


def like(x: Any, dtype: Any = None) -> Any:
    return jax.ShapeDtypeStruct(x.shape, x.dtype if dtype is None else dtype)


GROUPS = "unique() and group_by() make results whose shapes the elements decide, so these"


@lru_cache(maxsize=1024, typed=True)
def compiled(call: Any, *fixed: Any) -> Any:
    """A function of arrays alone is called in less time than one some of whose arguments are told from them."""
    return jax.jit(lambda *arrays: call(*arrays, *fixed))


def _segment_quantile(
    x: Any, where: Where, f: Framework, wanted: tuple[float, ...], shape: tuple[int, ...], method: int
) -> Any:
    return segment_quantile(f, x, where, np.array(wanted).reshape(shape), method)


def need_elements(x: Any, why: str) -> None:
    """An error for what is traced, by a call that has to know."""
    if isinstance(x, jax.core.Tracer):
        raise jax.errors.ConcretizationTypeError(x, f"sortile: {why} cannot be traced. ")


def need_order(x: Any) -> None:
    if x.dtype not in _ORDERED:
        raise TypeError(
            f"sortile: elements of type {x.dtype} have no order here; in JAX those that have: {', '.join(KEY_TYPES)}"
        )


class JaxArrays(Framework):
    """What the sorts ask of JAX."""

    name = "JAX"
    xp = jnp

    def in_64_bits(self) -> ContextManager[Any]:
        within: ContextManager[Any] = _enable_x64(True)
        return within

    @property
    def computed(self) -> str:  # type: ignore[override]
        return str(jax.dtypes.canonicalize_dtype(float))

    @property
    def positions(self) -> str:  # type: ignore[override]
        return "int64" if jax.config.jax_enable_x64 else "int32"

    def is_array(self, kind: type) -> bool:
        return issubclass(kind, jax.Array) or issubclass(kind, jax.core.Tracer)

    def holds(self, x: Any) -> bool:
        if isinstance(x, _Tracer):
            return True
        if _is_on_cpu(x.sharding):
            return bool(x.is_deleted())  # which JAX refuses
        if not core.has_gpu_engine:
            need_gpu_engine(x)
        return True

    def takes_in(self, x: Any, side: Any) -> bool:
        return isinstance(side, _Tracer)  # others can be read, wherever they lie

    def adopted(self, function: str, number: int, x: Any) -> Any:
        return x if known(type(x)) is self else jnp.asarray(x)  # which takes its time over arrays too

    def sort_rows(self, keys: Any, descending: bool, into: Any = None) -> Any:
        need_order(keys)
        return _call(KEYS, (keys,), like(keys), descending)

    def argsort_rows(self, keys: Any, descending: bool, positions: str) -> Any:
        need_order(keys)
        return _call(POSITIONS, (keys,), like(keys, np.dtype(positions)), descending)

    def sort_rows_with_positions(self, keys: Any, descending: bool, positions: str) -> tuple[Any, Any]:
        need_order(keys)
        results = (like(keys), like(keys, np.dtype(positions)))
        found, order = _call(KEYS_AND_POSITIONS, (keys,), results, descending)
        return found, order

    def sort_rows_by_key(self, keys: Any, values: Any, descending: bool) -> tuple[Any, Any]:
        """Values that have more axes than the keys are taken by positions, and so are narrow ones: of many rows, which
        vmap makes, values of 4 bytes and more travel on a GPU."""
        need_order(keys)
        if values.ndim == keys.ndim and values.dtype.itemsize >= 4 and str(values.dtype) in KEY_TYPES:
            found, moved = _call(KEYS_AND_VALUES, (keys, values), (like(keys), like(values)), descending)
            return found, moved
        found, order = self.sort_rows_with_positions(keys, descending, self.positions)
        return found, jnp.take_along_axis(values, order.reshape((*order.shape, *(1,) * (values.ndim - 2))), 1)

    def top_k_rows(self, keys: Any, k: int, descending: bool) -> Any:
        need_order(keys)
        result = jax.ShapeDtypeStruct((*keys.shape[:-1], k), np.dtype(self.positions))
        return _call(FIRST_POSITIONS, (keys,), result, descending)

    def first_of_rows(self, keys: Any, k: int, descending: bool, flips: bool) -> tuple[Any, Any] | None:
        need_order(keys)
        rows, n = (1, keys.shape[0]) if keys.ndim == 1 else keys.shape
        if flips and not core.device_takes_nan_last(KEY_TYPES[str(keys.dtype)], rows, n, k):
            return None
        shape = (*keys.shape[:-1], k)
        results = (jax.ShapeDtypeStruct(shape, keys.dtype), jax.ShapeDtypeStruct(shape, np.dtype(self.positions)))
        found, order = jax.ffi.ffi_call("sortile_top_k", results, vmap_method="broadcast_all")(
            jax.lax.stop_gradient(keys), descending=np.int64(descending), nan_last=np.int64(flips)
        )
        return found, order

    def takes_partitions(self, x: Any) -> bool:
        return True

    def takes_quantiles(self, x: Any) -> bool:
        return True

    def sort_segments(self, keys: Any, where: Where, descending: bool) -> Any:
        need_order(keys)
        return _segments_call(KEYS, keys, None, where, descending)

    def argsort_segments(self, keys: Any, where: Where, descending: bool, positions: str) -> Any:
        need_order(keys)
        return _segments_call(POSITIONS, keys, jnp.zeros(keys.shape, positions), where, descending)

    def sort_segments_with_order(self, keys: Any, where: Where, descending: bool) -> tuple[Any, Any]:
        need_order(keys)
        before = jnp.arange(keys.shape[0], dtype=self.positions)
        found, order = _segments_call(KEYS_AND_VALUES, keys, before, where, descending)
        return found, order

    def first_of_segments(
        self, keys: Any, k: int, counts: Any, where: Where, descending: bool, flips: bool, fill: Any
    ) -> tuple[Any, Any]:
        begins, ends = where
        segments = segment_count(where)
        before = self.full((segments, k), keys.dtype, fill, keys), jnp.full((segments, k), -1, self.positions)
        given = [x for x in (keys, begins, ends, counts) if x is not None]
        found, order = jax.ffi.ffi_call(
            "sortile_segment_top_k", tuple(map(like, before)), vmap_method="sequential", input_output_aliases={0: 0, 1: 1}
        )(
            *map(jax.lax.stop_gradient, (*before, *given)), descending=np.int64(descending), nan_last=np.int64(flips),
            ranges=np.int64(ends is not None),
        )
        return found, order

    def segments_take_nan_last(self, keys: Any, k: int, where: Where) -> bool:
        return core.device_segments_take_nan_last(KEY_TYPES[str(keys.dtype)], keys.shape[0], k, segment_count(where))

    def segment_quantile(self, x: Any, where: Where, wanted: Any, method: int) -> Any:
        need_order(x)
        return compiled(_segment_quantile, self, tuple(wanted.reshape(-1).tolist()), wanted.shape, method)(x, where)

    def counts(self, x: Any) -> Any:
        wide = x if x.dtype.itemsize >= 4 else x.astype("int32")
        return jnp.maximum(wide, 0)

    def repeated(self, x: Any, n: int) -> Any:
        return jnp.broadcast_to(x, (n,))

    def full(self, shape: tuple[int, ...], dtype: Any, fill: Any, like: Any) -> Any:
        return jnp.full(shape, jnp.asarray(fill, dtype))

    def offsets(self, x: Any, like: Any) -> Any:
        return jnp.asarray(x)

    def is_integer(self, x: Any) -> bool:
        return x.dtype.kind in "iu" or bool(jnp.issubdtype(x.dtype, jnp.integer))

    # Arithmetic.

    def typed(self, name: str) -> Any:
        return np.dtype(name)

    def is_float(self, x: Any) -> bool:
        return x.dtype.kind == "f" or bool(jnp.issubdtype(x.dtype, jnp.floating))

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

    def filled_behind(self, x: Any, counts: Any, axis: int, fill: Any) -> Any:
        n = x.shape[axis]
        places = jnp.arange(n).reshape(lane_shape(x.ndim, axis))
        if n < jnp.iinfo(counts.dtype).max:  # a wider type's numbers may be beyond that of the places
            counts = jnp.minimum(counts, jnp.asarray(n, counts.dtype)).astype(places.dtype)
        return jnp.where(places < jnp.expand_dims(counts, axis), x, jnp.asarray(fill, x.dtype))

    def placed(self, positions: Any, values: Any) -> Any:
        return jnp.empty_like(values).at[positions].set(values)

    def stored(self, result: Any, out: Any) -> Any:
        raise ValueError("sortile: JAX's arrays cannot be written to; out= is for those of other kinds")

    def plan(self, x: Any, rows: int, n: int, positions: bool, descending: bool) -> str:
        what = POSITIONS if positions else KEYS
        return str(core.device_explain(what, KEY_TYPES[str(x.dtype)], rows, n, descending))
