"""Sorts of JAX's arrays that are there already, of up to 1 MiB: done at once, without a program of XLA's.

Queueing a program of XLA's takes 35 to 45 µs, whatever it does, and the wait for its end about 30 more; such a sort
takes 5. So an array of one axis that lies on one GPU, ready and not traced, is sorted by its address on a stream of our
own, and the call returns when that is done: sooner than XLA would have queued it.

Results need memory that XLA owns, and only its programs make some. One such program, whose call does nothing, makes
several arrays at once. They are spare: each is written to once, before anybody else sees it, and handed out. Workspace
is a spare array too, which comes back. No more than `KEPT` bytes of a GPU are kept; those of the kind that was not used
for the longest time go first.

A function here says None where an array is not of this kind, an argument is unusual or wrong, JAX is told to do
something of its own with every call, or there is no memory: then the call goes XLA's way, which says what is wrong.
"""

from __future__ import annotations

from functools import wraps
from math import prod
from threading import RLock
from typing import Any, Callable, Sequence

import jax
import numpy as np

from ._arrays import is_only_axis
from ._backend import core
from ._gpu import KEY_TYPES, KEYS, KEYS_AND_VALUES, POSITIONS
from ._jax_arrays import OWN_STREAM, by_identity
from ._places import CHOOSE, METHODS

try:
    from jax._src.core import trace_state_clean as _nothing_is_traced
except ImportError:

    def _nothing_is_traced() -> bool:
        """Nobody tells, so something may be."""
        return False


LONGEST = 2**20  # bytes of an array
LONGEST_IN_STEPS = 2**17  # where XLA's way is as fast before that: lexsort and top_k of 400 kB take 1.2 and 1.05 times as long
KEPT = 2**26
MADE_AT_ONCE = 64
SHAPES = 256  # and types, of spare arrays
PROGRAMS = 4096  # that make such, which take milliseconds to compile
MOST_RUNS = 16  # of a merge
_ALIGNED = 256

_Tracer = jax.core.Tracer
_KEY_TYPES = {jax.numpy.dtype(name): number for name, number in KEY_TYPES.items()}
_NAN = ("last", "largest")
NameOf = Callable[[Any, "int | None", Any], str]  # of an array, an axis, and the type that was asked for: that of positions
_IS_FLOAT = {dtype: bool(jax.numpy.issubdtype(dtype, np.floating)) for dtype in _KEY_TYPES}


class NoSpares(Exception):
    """JAX makes no such arrays now: there is no memory, or it makes others."""


Kind = tuple[bool, "tuple[int, ...]", Any]  # of arrays: whether they are bound to a GPU ("committed"), shape, type


def _size(kind: Kind) -> int:
    return prod(kind[1]) * int(kind[2].itemsize)


class Place:
    """One GPU, and what is spare on it: lists of arrays with their addresses, those that were used last behind."""

    def __init__(self, device: Any, sharding: Any) -> None:
        self.device, self.sharding = device, sharding
        self.ordinal = device.local_hardware_id
        self.is_first = device == jax.local_devices()[0]
        self.lock = RLock()
        self.free: dict[Kind, list[tuple[Any, int]]] = {}
        self.kept = 0  # bytes
        self.spares: dict[bool, Spares] = {committed: Spares(self, committed) for committed in (False, True)}

    def take(self, kind: Kind) -> tuple[Any, int] | None:
        with self.lock:
            found = self.free.pop(kind, None)
            if found is None:
                return None
            self.kept -= _size(kind)
            spare = found.pop()
            if found:
                self.free[kind] = found
            return spare

    def keep(self, kind: Kind, spares: list[tuple[Any, int]]) -> None:
        with self.lock:
            self.free[kind] = self.free.pop(kind, []) + spares
            self.kept += len(spares) * _size(kind)
            self.drop_beyond(KEPT)

    def drop_beyond(self, bytes: int) -> None:
        with self.lock:
            while self.free and (self.kept > bytes or len(self.free) > SHAPES):
                oldest = next(iter(self.free))
                self.kept -= len(self.free.pop(oldest)) * _size(oldest)
            if not self.free:
                self.kept = 0  # after interrupts too


class Spares:
    """Arrays that nobody has seen, of one place, all bound to it or none."""

    def __init__(self, place: Place, committed: bool) -> None:
        self.place, self.committed = place, committed
        self.makers: dict[Any, Any] = {}

    def take(self, shape: tuple[int, ...], dtype: Any) -> tuple[Any, int]:
        """NoSpares is raised where there are none, nor more can be made."""
        kind = self.committed, shape, dtype
        return self.place.take(kind) or self._more(kind)

    def give_back(self, spare: tuple[Any, int]) -> None:
        self.place.keep((self.committed, spare[0].shape, spare[0].dtype), [spare])

    def _more(self, kind: Kind) -> tuple[Any, int]:
        _, shape, dtype = kind
        size = max(1, _size(kind))
        count = max(1, min(MADE_AT_ONCE, max(8, 2**16 // size), KEPT // 4 // size))
        self.place.drop_beyond(KEPT - count * size)
        maker = self.makers.get((shape, dtype))
        if maker is None:
            if len(self.makers) >= PROGRAMS:
                self.makers.clear()
            maker = self.makers[shape, dtype] = self._maker(shape, dtype, count)
        try:
            with jax.default_device(self.place.device):
                made = jax.block_until_ready(maker())
        except (RuntimeError, MemoryError) as error:  # what JAX says where memory is short
            self.place.drop_beyond(0)
            raise NoSpares from error
        first = made[0]  # as all are; a mesh that is set, or 64-bit types that are off, would make others
        if (first._committed, first.shape, first.dtype) != kind or _only_device(first.sharding) != self.place.device:
            raise NoSpares
        found = [(x, x.unsafe_buffer_pointer()) for x in made]
        spare = found.pop()
        if found:
            self.place.keep(kind, found)
        return spare

    def _maker(self, shape: tuple[int, ...], dtype: Any, count: int) -> Any:
        results = (jax.ShapeDtypeStruct(shape, dtype),) * count
        bound = {"out_shardings": self.place.sharding} if self.committed else {}
        return jax.jit(lambda: jax.ffi.ffi_call("sortile_spares", results)(), **bound)


_by_device: dict[Any, Place] = {}


def _only_device(sharding: Any) -> Any:
    """Of arrays that lie in the memory of one, as arrays usually do; None for others."""
    if type(sharding) is not jax.sharding.SingleDeviceSharding or sharding.memory_kind not in (None, "device"):
        return None
    (device,) = sharding.device_set
    return device


@by_identity
def _place_of(sharding: Any) -> Place | None:
    device = _only_device(sharding)
    if device is None or device.platform == "cpu" or device.process_index != jax.process_index():
        return None
    if device not in _by_device:
        _by_device[device] = Place(device, sharding)
    return _by_device[device]


def _is_left_to_us() -> bool:
    """Nothing is traced, no mesh is set, which results would be spread over, and JAX is not told to check results for
    NaN, nor to compile nothing."""
    config = jax.config
    watched = config.jax_debug_nans or config.jax_debug_infs or config.jax_disable_jit
    return not watched and _nothing_is_traced() and _no_mesh_is_set()


def _no_mesh_is_set() -> bool:
    mesh = getattr(jax.sharding, "get_abstract_mesh", None)  # younger than JAX 0.5.0: without it nobody tells
    return mesh is not None and bool(mesh().empty)


def _spares_for(arrays: Sequence[Any], longest: int = LONGEST) -> Spares | None:
    """Those that results of these arrays are made of; None where one of them is not of the kind that is done here."""
    place, committed = None, False
    for x in arrays:
        if isinstance(x, _Tracer) or x.ndim != 1 or x.dtype not in _KEY_TYPES:
            return None
        width = x.dtype.itemsize
        if not 0 < x.shape[0] * width <= longest or x.is_deleted() or not x.is_ready():  # the last may crash if deleted
            return None
        if width == 8 and not jax.config.jax_enable_x64:  # made while such types were on: now there are no results of it
            return None
        there = _place_of(x.sharding)
        if there is None or (place is not None and there is not place):
            return None
        place, committed = there, committed or x._committed
    if place is None or not (committed or _takes_what_is_not_bound(place)) or not _is_left_to_us():
        return None
    return place.spares[committed]


def _takes_what_is_not_bound(place: Place) -> bool:
    """Whether XLA's way would leave arrays there that are not committed."""
    device = jax.config.jax_default_device  # may be a platform's name
    return place.is_first if device is None else device is place.device


class Work:
    """One call: memory, the library's call on our stream, and the wait for its end."""

    def __init__(self, spares: Spares) -> None:
        self.spares = spares
        self.scratch: list[tuple[Any, int]] = []

    def do(self, call: Callable[..., Any], *given: Any) -> None:
        """The call has these arguments, and the queue's. Whatever it raises, be it the keyboard's interrupt, all that it
        queued is done when that comes through: it writes to arrays that would be gone."""
        ordinal = self.spares.place.ordinal
        try:
            core.device_done(ordinal, OWN_STREAM, call, *given, ordinal, OWN_STREAM, self.allocate)
        finally:
            for spare in self.scratch:
                self.spares.give_back(spare)

    def allocate(self, size: int) -> tuple[int, Any]:
        room = 1 << max(12, (size + _ALIGNED).bit_length())
        spare = self.spares.take((room,), np.dtype(np.uint8))
        self.scratch.append(spare)
        return -(-spare[1] // _ALIGNED) * _ALIGNED, None


def _where_memory_is(call: Any) -> Any:
    @wraps(call)
    def tried(*given: Any) -> Any:
        try:
            return call(*given)
        except NoSpares:
            return None

    return tried


def _sorted(x: Any, spares: Spares, descending: bool) -> Any:
    result, address = spares.take(x.shape, x.dtype)
    Work(spares).do(
        core.device_sort, KEYS, _KEY_TYPES[x.dtype], 1, x.shape[0], x.unsafe_buffer_pointer(), address, 0, 0, 0, descending
    )
    return result


def _is_usual_nan(nan: Any) -> bool:
    return isinstance(nan, str) and nan in _NAN


def _is_usual(x: Any, axis: int | None, descending: bool, nan: str) -> bool:
    """Whether the order is one of the library's own, of the only axis."""
    usual = (axis is None or is_only_axis(axis)) and _is_usual_nan(nan)
    return usual and not (descending and nan == "last" and _IS_FLOAT.get(x.dtype, True))


@_where_memory_is
def sort(x: Any, axis: int | None, descending: bool, nan: str) -> Any:
    spares = _spares_for((x,))
    if spares is None or not _is_usual(x, axis, descending, nan):
        return None
    return _sorted(x, spares, descending)


@_where_memory_is
def argsort(x: Any, axis: int | None, descending: bool, dtype: Any, nan: str, name_of: NameOf) -> Any:
    spares = _spares_for((x,))
    if spares is None or not _is_usual(x, axis, descending, nan):
        return None
    positions = np.dtype(name_of(x, 0, dtype))
    result, address = spares.take(x.shape, positions)
    Work(spares).do(
        core.device_sort, POSITIONS, _KEY_TYPES[x.dtype], 1, x.shape[0], x.unsafe_buffer_pointer(), 0,
        positions.itemsize, 0, address, descending,
    )
    return result


@_where_memory_is
def sort_by_key(keys: Any, values: tuple[Any, ...], axis: int, descending: bool, nan: str) -> Any:
    if len(values) != 1 or values[0].shape != keys.shape:
        return None
    (value,) = values
    spares = _spares_for((keys, value))
    if spares is None or axis is None or not _is_usual(keys, axis, descending, nan):
        return None
    found, to_keys = spares.take(keys.shape, keys.dtype)
    moved, to_values = spares.take(keys.shape, value.dtype)
    Work(spares).do(
        core.device_sort, KEYS_AND_VALUES, _KEY_TYPES[keys.dtype], 1, keys.shape[0], keys.unsafe_buffer_pointer(), to_keys,
        value.dtype.itemsize, value.unsafe_buffer_pointer(), to_values, descending,
    )
    return found, (moved,)


@_where_memory_is
def lexsort(
    columns: Sequence[Any], axis: Any, descending: Sequence[bool], dtype: Any, nan: str, name_of: NameOf
) -> Any:
    """The first column decides."""
    if not is_only_axis(axis) or any(column.shape != columns[0].shape for column in columns):
        return None
    spares = _spares_for(columns, LONGEST_IN_STEPS)
    if spares is None or not all(_is_usual(x, 0, down, nan) for x, down in zip(columns, descending)):
        return None
    positions = np.dtype(name_of(columns[0], 0, dtype))
    result, address = spares.take(columns[0].shape, positions)
    Work(spares).do(
        core.device_lexsort,
        [(_KEY_TYPES[x.dtype], x.unsafe_buffer_pointer(), down) for x, down in zip(columns, descending)],
        columns[0].shape[0], address, positions.itemsize,
    )
    return result


@_where_memory_is
def merge(runs: Sequence[Any], descending: bool, nan: str) -> Any:
    if len(runs) > MOST_RUNS or any(run.dtype != runs[0].dtype for run in runs):
        return None
    spares = _spares_for(runs)
    n = sum(run.shape[0] for run in runs) if spares is not None else 0
    if spares is None or n * runs[0].dtype.itemsize > LONGEST or not _is_usual(runs[0], 0, descending, nan):
        return None
    work = Work(spares)
    result, address = spares.take((n,), runs[0].dtype)
    work.do(
        core.device_merge, _KEY_TYPES[runs[0].dtype], [(run.unsafe_buffer_pointer(), run.shape[0]) for run in runs],
        address, descending, False,
    )
    return result


@_where_memory_is
def top_k(x: Any, k: int, axis: int | None, largest: bool, nan: str) -> Any:
    spares = _spares_for((x,), LONGEST_IN_STEPS)
    if spares is None or not (axis is None or is_only_axis(axis)) or not _is_usual_nan(nan) or not 0 < k <= x.shape[0]:
        return None
    key_type = _KEY_TYPES[x.dtype]
    flips = largest and nan == "last" and _IS_FLOAT[x.dtype]
    if flips and not core.device_takes_nan_last(key_type, 1, x.shape[0], k):
        return None
    positions = np.dtype(np.int64 if jax.config.jax_enable_x64 else np.int32)
    found, to_keys = spares.take((k,), x.dtype)
    order, to_order = spares.take((k,), positions)
    Work(spares).do(
        core.device_top_k, key_type, 1, x.shape[0], k, x.unsafe_buffer_pointer(), to_keys, positions.itemsize, to_order,
        0, 8, largest, flips,
    )
    return found, order


@_where_memory_is
def partition(x: Any, kth: int, axis: int | None) -> Any:
    """By a sort, as XLA's way."""
    spares = _spares_for((x,))
    if spares is None or not (axis is None or is_only_axis(axis)) or not -x.shape[0] <= kth < x.shape[0]:
        return None
    return _sorted(x, spares, False)


@_where_memory_is
def quantile(x: Any, wanted: Any, axis: int | None, method: int) -> Any:
    """As float64 where JAX has that. The quantile of 1 tells whether there is a NaN, which is the largest key."""
    spares = _spares_for((x,))
    if spares is None or not (axis is None or is_only_axis(axis)) or 8 * wanted.size >= LONGEST:
        return None
    if METHODS[method] in CHOOSE:  # elements, which the compiled way gives
        return None
    work, given = Work(spares), wanted.reshape(-1).tolist()
    dtype = np.dtype(np.float64 if jax.config.jax_enable_x64 else np.float32)
    result, address = spares.take(wanted.shape, dtype)
    work.do(
        core.device_quantiles, _KEY_TYPES[x.dtype], 1, x.shape[0], [*given, 1.0], method, x.unsafe_buffer_pointer(),
        work.allocate(8 * (len(given) + 1))[0], address, dtype.itemsize,
    )
    return result


@_where_memory_is
def segment_sort(x: Any, where: Any, descending: bool, nan: str) -> Any:
    begins, ends = where
    offsets = (begins,) if ends is None else (begins, ends)
    spares = _spares_for((x, *offsets))
    if spares is None or not _is_usual(x, 0, descending, nan):
        return None
    result, address = spares.take(x.shape, x.dtype)
    Work(spares).do(
        core.device_segments, KEYS, _KEY_TYPES[x.dtype], x.shape[0], x.unsafe_buffer_pointer(), address, 0, 0, 0,
        begins.unsafe_buffer_pointer(), 0 if ends is None else ends.unsafe_buffer_pointer(), begins.dtype.itemsize,
        max(begins.shape[0] - (ends is None), 0), True, descending,
    )
    return result
