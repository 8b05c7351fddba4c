"""Sorts of JAX's arrays that are there already, of up to 1 MiB: done at once, without a program of XLA's.

Queueing a program of XLA's takes 35 to 45 µs, whatever it does, and the wait for its end about 30 more; such a sort
takes 5. So an array of one axis that lies on one GPU, ready and not traced, is sorted by its address on a stream of our
own, and the call returns when that is done: sooner than XLA would have queued it.

Results need memory that XLA owns, and only its programs make some. One such program, whose call does nothing, makes
several arrays at once. They are spare: each is written to once, before anybody else sees it, and handed out. Workspace
is a spare array too, which comes back. No more than `KEPT` bytes are kept; those of the shape that was not asked for
the longest time go first.

A function here says None where an array is not of this kind, or an argument is unusual or wrong: then the call goes
XLA's way, which says what is wrong.
"""

from __future__ import annotations

from math import prod
from typing import Any, Callable, Sequence

import jax
import numpy as np

from ._arrays import is_only_axis
from ._backend import core
from ._gpu import KEY_TYPES, KEYS, KEYS_AND_VALUES, POSITIONS

try:
    from jax._src.core import trace_state_clean as _nothing_is_traced
except ImportError:

    def _nothing_is_traced() -> bool:
        return True


LONGEST = 2**20  # bytes of an array
KEPT = 2**26
OWN_STREAM = 2  # the calling thread's, as the CUDA runtime numbers it
SHAPES = 256  # and types, of spare arrays
PROGRAMS = 4096  # that make such, which take milliseconds to compile
MOST_RUNS = 16  # of a merge, each of which is a launch
_ALIGNED = 256

_Tracer = jax.core.Tracer
_KEY_TYPES = {jax.numpy.dtype(name): number for name, number in KEY_TYPES.items()}
_NAN = ("last", "largest")
NameOf = Callable[[Any, "int | None", Any], str]  # of an array, an axis, and the type that was asked for: that of positions
_IS_FLOAT = {dtype: bool(jax.numpy.issubdtype(dtype, np.floating)) for dtype in _KEY_TYPES}


class Place:
    """One GPU, and whether arrays are bound to it ("committed")."""

    def __init__(self, device: Any, sharding: Any) -> None:
        self.device, self.sharding = device, sharding
        self.ordinal = device.local_hardware_id
        self.spares: dict[bool, Spares] = {committed: Spares(self, committed) for committed in (False, True)}


class Spares:
    """Arrays that nobody has seen, by shape and type: lists of arrays with their addresses."""

    def __init__(self, place: Place, committed: bool) -> None:
        self.place, self.committed = place, committed
        self.free: dict[tuple[tuple[int, ...], Any], list[tuple[Any, int]]] = {}
        self.makers: dict[Any, Any] = {}

    def take(self, shape: tuple[int, ...], dtype: Any) -> tuple[Any, int]:
        try:
            return self.free[shape, dtype].pop()
        except (KeyError, IndexError):
            return self._more(shape, dtype)

    def give_back(self, spare: tuple[Any, int]) -> None:
        self.free.setdefault((spare[0].shape, spare[0].dtype), []).append(spare)

    def _more(self, shape: tuple[int, ...], dtype: Any) -> tuple[Any, int]:
        size = prod(shape) * dtype.itemsize
        count = max(8, min(64, 2**16 // size))
        self._keep_below(KEPT - count * size)
        maker = self.makers.get((shape, dtype))
        if maker is None:
            if len(self.makers) >= PROGRAMS:
                self.makers.clear()
            maker = self.makers[shape, dtype] = self._maker(shape, dtype, count)
        with jax.default_device(self.place.device):
            made = jax.block_until_ready(maker())
        if made[0].dtype != dtype:
            raise RuntimeError(f"sortile: JAX made an array of {made[0].dtype} where one of {dtype} is wanted")
        found = [(x, x.unsafe_buffer_pointer()) for x in made]
        spare = found.pop()
        self.free.pop((shape, dtype), None)  # the last in the order of use
        self.free[shape, dtype] = found
        return spare

    def _maker(self, shape: tuple[int, ...], dtype: Any, count: int) -> Any:
        results = (jax.ShapeDtypeStruct(shape, dtype),) * count
        bound = {"out_shardings": self.place.sharding} if self.committed else {}
        return jax.jit(lambda: jax.ffi.ffi_call("sortile_spares", results)(), **bound)

    def _keep_below(self, bytes: int) -> None:
        kept = {key: len(spares) * prod(key[0]) * key[1].itemsize for key, spares in list(self.free.items())}
        total, shapes = sum(kept.values()), len(kept)
        for key, size in kept.items():
            if total <= bytes and shapes < SHAPES:
                break
            self.free.pop(key, None)
            total, shapes = total - size, shapes - 1


_places: dict[int, tuple[Any, Place | None]] = {}  # of shardings by their identities
_by_device: dict[Any, Place] = {}


def _place_of(sharding: Any) -> Place | None:
    found = _places.get(id(sharding))
    if found is None or found[0] is not sharding:
        if len(_places) >= 1024:
            _places.clear()
        found = _places[id(sharding)] = sharding, _look_up(sharding)
    return found[1]


def _look_up(sharding: Any) -> Place | None:
    if type(sharding) is not jax.sharding.SingleDeviceSharding or sharding.memory_kind not in (None, "device"):
        return None
    (device,) = sharding.device_set
    if device.platform == "cpu" or device.process_index != jax.process_index():
        return None
    if device not in _by_device:
        _by_device[device] = Place(device, sharding)
    return _by_device[device]


def _spares_for(arrays: Sequence[Any]) -> Spares | None:
    """Those that results of these arrays are made of; None where one of them is not of the kind that is done here."""
    place, committed = None, False
    for x in arrays:
        if isinstance(x, _Tracer) or x.ndim != 1 or x.dtype not in _KEY_TYPES:
            return None
        width = x.dtype.itemsize
        if not 0 < x.shape[0] * width <= LONGEST or not x.is_ready():
            return None
        if width == 8 and not jax.config.jax_enable_x64:  # made while such types were on: now there are no results of it
            return None
        there = _place_of(x.sharding)
        if there is None or (place is not None and there is not place):
            return None
        place, committed = there, committed or x._committed
    return None if place is None or not _nothing_is_traced() else place.spares[committed]


class Work:
    """One call: memory, the library's calls on our stream, and the wait for their end."""

    def __init__(self, spares: Spares) -> None:
        self.spares = spares
        self.scratch: list[tuple[Any, int]] = []
        self.ordinal = spares.place.ordinal
        self.queue = (self.ordinal, OWN_STREAM, self.allocate)

    def __enter__(self) -> Work:
        return self

    def __exit__(self, *_: object) -> None:
        """After an error too: what was queued writes to arrays that would be gone."""
        core.device_wait(self.ordinal, OWN_STREAM)
        for spare in self.scratch:
            self.spares.give_back(spare)

    def allocate(self, size: int) -> tuple[int, Any]:
        room = 1 << max(12, (size + _ALIGNED).bit_length())
        spare = self.spares.take((room,), np.dtype(np.uint8))
        self.scratch.append(spare)
        return -(-spare[1] // _ALIGNED) * _ALIGNED, None


def _sorted(x: Any, spares: Spares, descending: bool) -> Any:
    with Work(spares) as work:
        result, address = spares.take(x.shape, x.dtype)
        core.device_sort(
            KEYS, _KEY_TYPES[x.dtype], 1, x.shape[0], x.unsafe_buffer_pointer(), address, 0, 0, 0, descending, *work.queue
        )
    return result


def _is_usual(x: Any, axis: int | None, descending: bool, nan: str) -> bool:
    """Whether the order is one of the library's own, of the only axis."""
    usual = (axis is None or is_only_axis(axis)) and nan in _NAN
    return usual and not (descending and nan == "last" and _IS_FLOAT.get(x.dtype, True))


def sort(x: Any, axis: int | None, descending: bool, nan: str) -> Any:
    spares = _spares_for((x,))
    if spares is None or not _is_usual(x, axis, descending, nan):
        return None
    return _sorted(x, spares, descending)


def argsort(x: Any, axis: int | None, descending: bool, dtype: Any, nan: str, name_of: NameOf) -> Any:
    spares = _spares_for((x,))
    if spares is None or not _is_usual(x, axis, descending, nan):
        return None
    with Work(spares) as work:
        positions = np.dtype(name_of(x, 0, dtype))
        result, address = spares.take(x.shape, positions)
        core.device_sort(
            POSITIONS, _KEY_TYPES[x.dtype], 1, x.shape[0], x.unsafe_buffer_pointer(), 0, positions.itemsize, 0, address,
            descending, *work.queue,
        )
    return result


def sort_by_key(keys: Any, values: tuple[Any, ...], axis: int, descending: bool, nan: str) -> Any:
    if len(values) != 1 or values[0].shape != keys.shape:
        return None
    (value,) = values
    spares = _spares_for((keys, value))
    if spares is None or axis is None or not _is_usual(keys, axis, descending, nan):
        return None
    with Work(spares) as work:
        found, to_keys = spares.take(keys.shape, keys.dtype)
        moved, to_values = spares.take(keys.shape, value.dtype)
        core.device_sort(
            KEYS_AND_VALUES, _KEY_TYPES[keys.dtype], 1, keys.shape[0], keys.unsafe_buffer_pointer(), to_keys,
            value.dtype.itemsize, value.unsafe_buffer_pointer(), to_values, descending, *work.queue,
        )
    return found, (moved,)


def lexsort(columns: Sequence[Any], descending: Sequence[bool], dtype: Any, nan: str, name_of: NameOf) -> Any:
    """The first column decides."""
    if any(column.shape != columns[0].shape for column in columns):
        return None
    spares = _spares_for(columns)
    if spares is None or not all(_is_usual(x, 0, down, nan) for x, down in zip(columns, descending)):
        return None
    with Work(spares) as work:
        positions = np.dtype(name_of(columns[0], 0, dtype))
        result, address = spares.take(columns[0].shape, positions)
        core.device_lexsort(
            [(_KEY_TYPES[x.dtype], x.unsafe_buffer_pointer(), down) for x, down in zip(columns, descending)],
            columns[0].shape[0], address, positions.itemsize, *work.queue,
        )
    return result


def merge(runs: Sequence[Any], descending: bool, nan: str) -> Any:
    if len(runs) > MOST_RUNS or any(run.dtype != runs[0].dtype for run in runs):
        return None
    spares = _spares_for(runs)
    n = sum(run.shape[0] for run in runs) if spares is not None else 0
    if spares is None or n * runs[0].dtype.itemsize > LONGEST or not _is_usual(runs[0], 0, descending, nan):
        return None
    with Work(spares) as work:
        result, address = spares.take((n,), runs[0].dtype)
        core.device_merge(
            _KEY_TYPES[runs[0].dtype], [(run.unsafe_buffer_pointer(), run.shape[0]) for run in runs],
            work.allocate(n * runs[0].dtype.itemsize)[0], address, descending, *work.queue,
        )
    return result


def top_k(x: Any, k: int, axis: int | None, largest: bool, nan: str) -> Any:
    spares = _spares_for((x,))
    if spares is None or not (axis is None or is_only_axis(axis)) or nan not in _NAN or not 0 < k <= x.shape[0]:
        return None
    key_type = _KEY_TYPES[x.dtype]
    flips = largest and nan == "last" and _IS_FLOAT[x.dtype]
    if flips and not core.device_takes_nan_last(key_type, 1, x.shape[0], k):
        return None
    with Work(spares) as work:
        positions = np.dtype(np.int64 if jax.config.jax_enable_x64 else np.int32)
        found, to_keys = spares.take((k,), x.dtype)
        order, to_order = spares.take((k,), positions)
        core.device_top_k(
            key_type, 1, x.shape[0], k, x.unsafe_buffer_pointer(), to_keys, positions.itemsize, to_order, largest, flips,
            *work.queue,
        )
    return found, order


def partition(x: Any, kth: int, axis: int | None) -> Any:
    """By a sort, as XLA's way."""
    spares = _spares_for((x,))
    if spares is None or not (axis is None or is_only_axis(axis)) or not -x.shape[0] <= kth < x.shape[0]:
        return None
    return _sorted(x, spares, False)


def quantile(x: Any, wanted: Any, axis: int | None, method: int) -> Any:
    """As float64 where JAX has that. The quantile of 1 tells whether there is a NaN, which is the largest key."""
    spares = _spares_for((x,))
    if spares is None or not (axis is None or is_only_axis(axis)) or 8 * wanted.size >= LONGEST:
        return None
    with Work(spares) as work:
        given = wanted.reshape(-1).tolist()
        dtype = np.dtype(np.float64 if jax.config.jax_enable_x64 else np.float32)
        result, address = spares.take(wanted.shape, dtype)
        core.device_quantiles(
            _KEY_TYPES[x.dtype], 1, x.shape[0], [*given, 1.0], method, x.unsafe_buffer_pointer(),
            work.allocate(8 * (len(given) + 1))[0], address, dtype.itemsize, *work.queue,
        )
    return result


def segment_sort(x: Any, where: Any, descending: bool, nan: str) -> Any:
    begins, ends = where
    offsets = (begins,) if ends is None else (begins, ends)
    spares = _spares_for((x, *offsets))
    if spares is None or not _is_usual(x, 0, descending, nan):
        return None
    with Work(spares) as work:
        result, address = spares.take(x.shape, x.dtype)
        core.device_segments(
            KEYS, _KEY_TYPES[x.dtype], x.shape[0], x.unsafe_buffer_pointer(), address, 0, 0, 0,
            begins.unsafe_buffer_pointer(), 0 if ends is None else ends.unsafe_buffer_pointer(), begins.dtype.itemsize,
            max(begins.shape[0] - (ends is None), 0), True, descending, *work.queue,
        )
    return result
