"""PyTorch's tensors on a GPU, by their addresses; and the arithmetic around their sorts, by PyTorch's own."""

from __future__ import annotations

from typing import Any, Sequence

import torch

from ._arrays import lane_shape
from ._backend import core
from ._gpu import KEY_TYPES, KEYS, POSITIONS, Allocate, GpuArrays

if not hasattr(torch.library, "register_vmap"):
    raise ImportError(f"sortile: PyTorch {torch.__version__} is too old for its tensors to be sorted; 2.5 is needed")

_FLOATS = {
    torch.float16: (torch.int16, -(2**15)),
    torch.bfloat16: (torch.int16, -(2**15)),
    torch.float32: (torch.int32, -(2**31)),
    torch.float64: (torch.int64, -(2**63)),
}
_NAMES = {
    getattr(torch, name): name
    for name in (
        "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128"
    ).split()
}
_CODES = {dtype: KEY_TYPES[name] for dtype, name in _NAMES.items() if name in KEY_TYPES}
_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
_stream_of: Any = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # absent where PyTorch knows nothing of CUDA


def _allocate(size: int) -> tuple[int, Any]:
    memory = torch.empty(size, dtype=torch.uint8, device="cuda")  # the current device is that of the sort
    return memory.data_ptr(), memory


class TorchArrays(GpuArrays):
    """What the sorts ask of PyTorch; the calls stand in `_torch`."""

    name = "PyTorch"
    xp = torch

    def is_array(self, kind: type) -> bool:
        return issubclass(kind, torch.Tensor)

    def type_name(self, x: Any) -> str:
        return _NAMES.get(x.dtype) or str(x.dtype)

    def empty(self, shape: tuple[int, ...], dtype: Any, like: Any) -> Any:
        return like.new_empty(shape, dtype=dtype)

    def zeros(self, shape: tuple[int, ...], name: str, like: Any) -> Any:
        return torch.zeros(shape, dtype=self.typed(name), device=like.device)

    def numbers(self, n: int, like: Any) -> Any:
        return torch.arange(n, device=like.device)

    def offsets(self, x: Any, like: Any) -> Any:
        return torch.from_numpy(x).to(like.device)

    def counts(self, x: Any) -> Any:
        wide = x if x.dtype.itemsize >= 4 else x.to(torch.int32)
        return wide.contiguous() if wide.dtype in _SIGNED else wide.clamp(min=0).contiguous()

    def repeated(self, x: Any, n: int) -> Any:
        return x.expand(n)

    def full(self, shape: tuple[int, ...], dtype: Any, fill: Any, like: Any) -> Any:
        return torch.full(shape, fill, dtype=dtype, device=like.device)

    def is_integer(self, x: Any) -> bool:
        return not x.is_floating_point() and not x.is_complex() and x.dtype != torch.bool

    def address(self, x: Any) -> int:
        return int(x.data_ptr())

    def queue(self, x: Any) -> tuple[int, int, Allocate]:
        ordinal = x.get_device()
        return ordinal, _stream_of(ordinal), _allocate

    def sort_rows(self, keys: Any, descending: bool, into: Any = None) -> Any:
        result = super().sort_rows(keys, descending, into)
        if result is into and not into.is_inference():
            torch.autograd.graph.increment_version(into)  # a backward that has kept it notices
        return result

    def merge_lanes(self, runs: Sequence[Any], descending: bool, flips: bool, into: Any = None) -> Any | None:
        result = super().merge_lanes(runs, descending, flips, into)
        if result is not None and result is into and not into.is_inference():
            torch.autograd.graph.increment_version(into)
        return result

    def sort_lane(self, x: Any, descending: bool) -> Any:
        keys = self.contiguous(x)
        result = torch.empty_like(keys)
        self._sort(KEYS, keys, result.data_ptr(), 0, 0, descending)
        return result

    def argsort_lane(self, x: Any, descending: bool, positions: str) -> Any:
        keys = self.contiguous(x)
        result = torch.empty_like(keys, dtype=self.typed(positions))
        self._sort(POSITIONS, keys, 0, 8 if positions == "int64" else 4, result.data_ptr(), descending)
        return result

    def first_of_rows(self, keys: Any, k: int, descending: bool, flips: bool) -> tuple[Any, Any] | None:
        code = _CODES.get(keys.dtype)
        if keys.ndim == 1 and code is not None:
            found, order = keys.new_empty((k,)), keys.new_empty((k,), dtype=torch.int64)
            ordinal = keys.get_device()
            if core.device_top_k(
                code, 1, keys.shape[0], k, keys.data_ptr(), found.data_ptr(), 8, order.data_ptr(), 0, 8, descending,
                flips, ordinal, _stream_of(ordinal), _allocate,
            ):
                return found, order
        return super().first_of_rows(keys, k, descending, flips)

    def _sort(self, wanted: int, keys: Any, to_keys: int, width: int, to_order: int, descending: bool) -> None:
        code = _CODES.get(keys.dtype)
        if code is None:
            code = self.key_type(keys)
        ordinal = keys.get_device()
        core.device_sort(
            wanted, code, 1, keys.numel(), keys.data_ptr(), to_keys, width, 0, to_order, descending, ordinal,
            _stream_of(ordinal), _allocate,
        )

    def copied(self, x: Any) -> Any:
        return x.clone(memory_format=torch.contiguous_format)

    def fits(self, out: Any, keys: Any, n: int) -> bool:
        return bool(
            isinstance(out, torch.Tensor)
            and out.dtype == keys.dtype
            and tuple(out.shape) == (n,)
            and out.is_contiguous()
            and out.device == keys.device
            and not (out.requires_grad and torch.is_grad_enabled())  # which PyTorch's copy refuses, or has in its graph
        )

    def stored(self, result: Any, out: Any) -> Any:
        if not isinstance(out, torch.Tensor) or out.dtype != result.dtype:
            raise TypeError(f"sortile: out must be a torch.Tensor of {result.dtype}")
        if out.shape != result.shape:
            raise ValueError(f"sortile: out has shape {tuple(out.shape)}; needed is {tuple(result.shape)}")
        return out.copy_(result)

    def typed(self, name: str) -> Any:
        return getattr(torch, name)

    def is_float(self, x: Any) -> bool:
        return x.dtype in _FLOATS

    def flipped(self, x: Any) -> Any:
        word, sign = _FLOATS[x.dtype]
        return (x.view(word) ^ sign).view(x.dtype)

    def contiguous(self, x: Any) -> Any:
        """What an address is taken of: in one piece, and no view that stands for its negative."""
        return x.contiguous().resolve_neg()

    def bits(self, x: Any) -> Any:
        """PyTorch compares and moves no unsigned integers of more than 8 bits."""
        signed = _SIGNED.get(x.dtype)
        return x if signed is None else x.view(signed)

    def moveaxis(self, x: Any, source: int, destination: int) -> Any:
        return x.movedim(source, destination)

    def single(self, like: Any, number: int) -> Any:
        return torch.full((1,), number, dtype=torch.int64, device=like.device)

    def cast(self, x: Any, name: str) -> Any:
        return x.to(self.typed(name))

    def take(self, x: Any, positions: Any) -> Any:
        return _typed_as(x, self.bits(x).index_select(0, _for_indexing(positions)))

    def take_along_axis(self, x: Any, positions: Any, axis: int) -> Any:
        return _typed_as(x, self.bits(x).gather(axis, _for_indexing(positions)))

    def concatenate(self, arrays: Sequence[Any]) -> Any:
        return _typed_as(arrays[0], torch.cat([self.bits(a) for a in arrays]))

    def isnan(self, x: Any) -> Any:
        return x.isnan()

    def flatnonzero(self, x: Any) -> Any:
        return x.nonzero().reshape(-1)

    def cumsum(self, x: Any) -> Any:
        return x.cumsum(0)

    def filled_behind(self, x: Any, counts: Any, axis: int, fill: Any) -> Any:
        places = torch.arange(x.shape[axis], device=x.device).reshape(lane_shape(x.ndim, axis))
        if counts.dtype == torch.uint64:  # from 2^63 on they are negative as int64
            signed = counts.view(torch.int64)
            counts = torch.where(signed < 0, x.shape[axis], signed)
        kept = places < counts.to(torch.int64).unsqueeze(axis)
        return self._where(kept, x, fill)

    def _where(self, kept: Any, x: Any, fill: Any) -> Any:
        return _typed_as(x, torch.where(kept, self.bits(x), self.bits(self.full((), x.dtype, fill, x))))

    def taken_from_segments(self, x: Any, begins: Any, order: Any, fill: Any) -> Any:
        """The elements at positions in their segments, of which each has a row; `fill` where there is -1."""
        if x.shape[0] == 0:
            return self.full(tuple(order.shape), x.dtype, fill, x)
        kept = order >= 0
        places = torch.where(kept, begins[: order.shape[0]].to(torch.int64).unsqueeze(1) + order, 0)
        places = places.clamp(0, x.shape[0] - 1)  # of segments that overlap, which nobody refuses on a device, any may come
        return self._where(kept, self.take(x, places.reshape(-1)).reshape(order.shape), fill)

    def placed(self, positions: Any, values: Any) -> Any:
        return torch.empty_like(values).scatter_(0, _for_indexing(positions), values)


def _for_indexing(positions: Any) -> Any:
    """PyTorch takes int64 for indices everywhere, int32 in places, unsigned ones nowhere."""
    return positions if positions.dtype == torch.int64 else positions.to(torch.int64)


def _typed_as(x: Any, bits: Any) -> Any:
    return bits if bits.dtype == x.dtype else bits.view(x.dtype)
