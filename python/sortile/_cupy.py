"""CuPy's arrays."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Sequence

import cupy

from ._arrays import lane_shape
from ._backend import core
from ._gpu import KEY_TYPES, KEYS, POSITIONS, Allocate, GpuArrays, need_gpu_engine

_CODES = {cupy.dtype(name): code for name, code in KEY_TYPES.items() if name != "bfloat16"}
_SIGN = {"float16": ("uint16", 15), "bfloat16": ("uint16", 15), "float32": ("uint32", 31), "float64": ("uint64", 63)}


_STAY: Any = nullcontext()


def _on_device_of(x: Any) -> Any:
    """A context in which the array's device is the current one: mostly it is already, and asking costs less."""
    return _STAY if x.data.device_id == cupy.cuda.runtime.getDevice() else x.device


def _allocate(size: int) -> tuple[int, Any]:
    try:
        memory = cupy.cuda.alloc(size)
    except cupy.cuda.memory.OutOfMemoryError as e:  # a MemoryError
        wanted = f"{size} bytes are wanted for the workspace of a sort"
        e.args = (f"sortile: out of memory: {wanted}, and CuPy's allocator says: {e}",)
        raise
    return memory.ptr, memory


class CuPy(GpuArrays):
    name = "CuPy"
    xp = cupy

    def is_array(self, kind: type) -> bool:
        return issubclass(kind, cupy.ndarray)

    def holds(self, x: Any) -> bool:
        need_gpu_engine(x)
        return True

    def type_name(self, x: Any) -> str:
        return str(x.dtype.name)

    def empty(self, shape: tuple[int, ...], dtype: Any, like: Any) -> Any:
        with _on_device_of(like):
            return cupy.empty(shape, dtype)

    def zeros(self, shape: tuple[int, ...], name: str, like: Any) -> Any:
        with _on_device_of(like):
            return cupy.zeros(shape, name)

    def numbers(self, n: int, like: Any) -> Any:
        with _on_device_of(like):
            return cupy.arange(n, dtype="int64")

    def offsets(self, x: Any, like: Any) -> Any:
        with _on_device_of(like):
            return cupy.asarray(x)

    def counts(self, x: Any) -> Any:
        with _on_device_of(x):
            wide = cupy.ascontiguousarray(x if x.dtype.itemsize >= 4 else x.astype("int32"))
            return cupy.maximum(wide, 0) if wide.dtype.kind == "i" else wide

    def repeated(self, x: Any, n: int) -> Any:
        return cupy.broadcast_to(x, (n,))

    def full(self, shape: tuple[int, ...], dtype: Any, fill: Any, like: Any) -> Any:
        with _on_device_of(like):
            return cupy.full(shape, fill, dtype)

    def is_integer(self, x: Any) -> bool:
        return x.dtype.kind in "iu"

    def address(self, x: Any) -> int:
        return int(x.data.ptr)

    def queue(self, x: Any) -> tuple[int, int, Allocate]:
        with _on_device_of(x):
            return x.data.device_id, cupy.cuda.get_current_stream().ptr, _allocate

    def sort_lane(self, x: Any, descending: bool) -> Any:
        if self._is_elsewhere(x):
            return super().sort_lane(x, descending)
        keys = x if x.flags.c_contiguous else cupy.ascontiguousarray(x)
        result = cupy.empty(keys.shape, keys.dtype)
        self._sort(KEYS, keys, result.data.ptr, 0, 0, descending)
        return result

    def argsort_lane(self, x: Any, descending: bool, positions: str) -> Any:
        if self._is_elsewhere(x):
            return super().argsort_lane(x, descending, positions)
        keys = x if x.flags.c_contiguous else cupy.ascontiguousarray(x)
        result = cupy.empty(keys.shape, positions)
        self._sort(POSITIONS, keys, 0, result.itemsize, result.data.ptr, descending)
        return result

    def _is_elsewhere(self, x: Any) -> bool:
        """Not on the current device, or of a type that the usual way refuses, or takes by another name."""
        return x.dtype not in _CODES or x.data.device_id != cupy.cuda.runtime.getDevice()

    def _sort(self, wanted: int, keys: Any, to_keys: int, width: int, to_order: int, descending: bool) -> None:
        core.device_sort(
            wanted, _CODES[keys.dtype], 1, keys.size, keys.data.ptr, to_keys, width, 0, to_order, descending,
            keys.data.device_id, cupy.cuda.get_current_stream().ptr, _allocate,
        )

    def copied(self, x: Any) -> Any:
        return x.copy()

    def fits(self, out: Any, keys: Any, n: int) -> bool:
        return bool(
            isinstance(out, cupy.ndarray)
            and out.dtype == keys.dtype
            and tuple(out.shape) == (n,)
            and out.flags.c_contiguous
            and out.device == keys.device
        )

    def stored(self, result: Any, out: Any) -> Any:
        if not isinstance(out, cupy.ndarray) or out.dtype != result.dtype:
            raise TypeError(f"sortile: out must be a cupy.ndarray of {result.dtype}")
        if out.shape != result.shape:
            raise ValueError(f"sortile: out has shape {out.shape}; needed is {result.shape}")
        out[...] = result
        return out

    def typed(self, name: str) -> Any:
        return cupy.dtype(name)

    def is_float(self, x: Any) -> bool:
        return x.dtype.name in _SIGN

    def flipped(self, x: Any) -> Any:
        word, place = _SIGN[x.dtype.name]
        return (x.view(word) ^ cupy.dtype(word).type(1 << place)).view(x.dtype)

    def contiguous(self, x: Any) -> Any:
        return cupy.ascontiguousarray(x)

    def moveaxis(self, x: Any, source: int, destination: int) -> Any:
        return cupy.moveaxis(x, source, destination)

    def single(self, like: Any, number: int) -> Any:
        with _on_device_of(like):
            return cupy.full(1, number, dtype=self.positions)

    def cast(self, x: Any, name: str) -> Any:
        return x.astype(name, copy=False)

    def take(self, x: Any, positions: Any) -> Any:
        return cupy.take(x, positions, axis=0)

    def take_along_axis(self, x: Any, positions: Any, axis: int) -> Any:
        return cupy.take_along_axis(x, positions, axis)

    def concatenate(self, arrays: Sequence[Any]) -> Any:
        return cupy.concatenate(arrays)

    def isnan(self, x: Any) -> Any:
        return cupy.isnan(x)

    def flatnonzero(self, x: Any) -> Any:
        return cupy.flatnonzero(x)

    def cumsum(self, x: Any) -> Any:
        return cupy.cumsum(x)

    def filled_behind(self, x: Any, counts: Any, axis: int, fill: Any) -> Any:
        places = cupy.arange(x.shape[axis]).reshape(lane_shape(x.ndim, axis))
        return cupy.where(places < cupy.expand_dims(counts, axis), x, x.dtype.type(fill))

    def placed(self, positions: Any, values: Any) -> Any:
        result = cupy.empty_like(values)
        result[positions] = values
        return result


FRAMEWORK = CuPy()
