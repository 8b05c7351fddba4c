"""PyTorch's tensors, and the operators ``torch.ops.sortile``.

A plain tensor on a GPU is sorted by its address; one in host memory is read like NumPy's arrays, and never comes here.
Where PyTorch has more to know (a gradient is wanted, torch.compile or vmap is at work), the call becomes one of its
operators: they have shape functions, rules for vmap, and `sort_with_positions` a backward.
"""

from __future__ import annotations

from typing import Any, Sequence

import torch

from . import _device
from ._backend import core
from ._gpu import KEY_TYPES, KEYS, Allocate, GpuArrays, need_gpu_engine

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
_is_transformed = torch._C._functorch.is_functorch_wrapped_tensor
_stream_of: Any = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # absent where PyTorch knows nothing of CUDA


def _allocate(size: int) -> tuple[int, Any]:
    memory = torch.empty(size, dtype=torch.uint8, device="cuda")  # the current device is that of the sort
    return memory.data_ptr(), memory


class Torch(GpuArrays):
    name = "PyTorch"

    def is_array(self, kind: type) -> bool:
        return issubclass(kind, torch.Tensor)

    def holds(self, x: Any) -> bool:
        if x.is_cuda and core.has_gpu_engine:
            return True
        if _for_operators(x):
            return True
        if x.is_cuda:
            need_gpu_engine(x)
        return False

    def type_name(self, x: Any) -> str:
        return _NAMES.get(x.dtype) or str(x.dtype)

    def empty(self, shape: tuple[int, ...], dtype: Any, like: Any) -> Any:
        return torch.empty(shape, dtype=dtype, device=like.device)

    def address(self, x: Any) -> int:
        return int(x.data_ptr())

    def queue(self, x: Any) -> tuple[int, int, Allocate]:
        ordinal = x.get_device()
        return ordinal, _stream_of(ordinal), _allocate

    def sort_lane(self, x: Any, descending: bool) -> Any:
        keys = x if x.is_contiguous() else x.contiguous()
        code = _CODES.get(keys.dtype)
        if code is None:
            code = self.key_type(keys)
        result = torch.empty_like(keys)
        ordinal = keys.get_device()
        core.device_sort(
            KEYS, code, 1, keys.numel(), keys.data_ptr(), result.data_ptr(), 0, 0, 0, descending, ordinal,
            _stream_of(ordinal), _allocate,
        )
        return result

    def copied(self, x: Any) -> Any:
        return x.clone()

    def fits(self, out: Any, keys: Any) -> bool:
        return bool(
            isinstance(out, torch.Tensor)
            and out.dtype == keys.dtype
            and out.shape == keys.shape[1:]
            and out.is_contiguous()
            and out.device == keys.device
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
        return x.contiguous()

    def moveaxis(self, x: Any, source: int, destination: int) -> Any:
        return x.movedim(source, destination)

    def single(self, like: Any, number: int) -> Any:
        return torch.full((1,), number, dtype=torch.int64, device=like.device)

    def cast(self, x: Any, name: str) -> Any:
        return x.to(self.typed(name))

    def take(self, x: Any, positions: Any) -> Any:
        return x.index_select(0, _for_indexing(positions))

    def take_along_axis(self, x: Any, positions: Any, axis: int) -> Any:
        return x.gather(axis, _for_indexing(positions))

    def concatenate(self, arrays: Sequence[Any]) -> Any:
        return torch.cat(tuple(arrays))

    def isnan(self, x: Any) -> Any:
        return x.isnan()

    def flatnonzero(self, x: Any) -> Any:
        return x.nonzero().reshape(-1)

    def cumsum(self, x: Any) -> Any:
        return x.cumsum(0)

    def placed(self, positions: Any, values: Any) -> Any:
        return torch.empty_like(values).scatter_(0, _for_indexing(positions), values)

    # Calls in front of which the operators stand.

    def sort(self, x: Any, axis: int | None, descending: bool, out: Any, nan: str) -> Any:
        if not _for_operators(x):
            return _device.sort(self, x, axis, descending, out, nan)
        x, axis = _operand(x, axis, out)
        if _wants_gradient(x):
            return sort_with_positions(x, axis, bool(descending), nan)[0]
        return sort_operator(x, axis, bool(descending), nan)

    def argsort(self, x: Any, axis: int | None, descending: bool, dtype: Any, out: Any, nan: str) -> Any:
        if not _for_operators(x):
            return _device.argsort(self, x, axis, descending, dtype, out, nan)
        x, axis = _operand(x, axis, out)
        name = _device.position_name(self, dtype, x.shape[axis] if x.ndim else 1)
        return argsort_operator(x.detach(), axis, bool(descending), nan, name)

    def sort_by_key(
        self, keys: Any, values: tuple[Any, ...], axis: int, descending: bool, nan: str
    ) -> tuple[Any, tuple[Any, ...]]:
        if not any(map(_for_operators, (keys, *values))):
            return _device.sort_by_key(self, keys, values, axis, descending, nan)
        order = argsort_operator(keys.detach(), axis, bool(descending), nan, "int64")
        if keys.ndim == 1:
            return keys.gather(0, order), tuple(v.index_select(0, order) for v in values)
        return keys.gather(axis, order), tuple(v.gather(axis, order) for v in values)


def _for_indexing(positions: Any) -> Any:
    """PyTorch takes int64 for indices everywhere, int32 in places, unsigned ones nowhere."""
    return positions if positions.dtype == torch.int64 else positions.to(torch.int64)


def _wants_gradient(x: Any) -> bool:
    return bool(x.requires_grad) and torch.is_grad_enabled()


def _for_operators(x: Any) -> bool:
    """Whether PyTorch has to see this call as one of its operators."""
    return (
        torch.compiler.is_compiling()
        or (type(x) is not torch.Tensor and type(x) is not torch.nn.Parameter)
        or (x.requires_grad and torch.is_grad_enabled())
        or bool(_is_transformed(x))
    )


def _operand(x: Any, axis: int | None, out: Any) -> tuple[Any, int]:
    if out is not None:
        raise ValueError("sortile: out= is for plain tensors, of which no gradient is wanted and which nothing traces")
    return (x.reshape(-1), 0) if axis is None else (x, axis)


FRAMEWORK = Torch()


# The operators. What they are given is plain, on a GPU or in host memory.


@torch.library.custom_op("sortile::sort", mutates_args=())
def sort_operator(x: torch.Tensor, axis: int, descending: bool, nan: str) -> torch.Tensor:
    x = x.detach()
    if x.is_cuda:
        need_gpu_engine(x)
        return _device.sort(FRAMEWORK, x, axis, descending, None, nan).contiguous()
    return _from_host(x, lambda a: core.sort(a, axis, descending, None, nan, None, None))


@torch.library.custom_op("sortile::argsort", mutates_args=())
def argsort_operator(x: torch.Tensor, axis: int, descending: bool, nan: str, positions: str) -> torch.Tensor:
    x = x.detach()
    if x.is_cuda:
        need_gpu_engine(x)
        return _device.argsort(FRAMEWORK, x, axis, descending, positions, None, nan).contiguous()
    wide = _from_host(x, lambda a: core.argsort(a, axis, descending, None, None, nan, None, None))
    return wide.to(getattr(torch, positions))


@torch.library.custom_op("sortile::sort_with_positions", mutates_args=())
def sort_with_positions(x: torch.Tensor, axis: int, descending: bool, nan: str) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.detach()
    if x.is_cuda:
        need_gpu_engine(x)
        found, order = _device.sort_with_positions(FRAMEWORK, x, axis, descending, nan)
        return found.contiguous(), order.contiguous()
    order = _from_host(x, lambda a: core.argsort(a, axis, descending, None, None, nan, None, None))
    return x.gather(axis, order), order


def _from_host(x: torch.Tensor, call: Any) -> torch.Tensor:
    if x.dtype == torch.bfloat16:  # NumPy has no such type, and every one of its values is a float32
        found = call(x.float().numpy())
        result = torch.from_numpy(found).contiguous()
        return result.to(torch.bfloat16) if result.dtype == torch.float32 else result
    found = call(x.numpy())
    if found is NotImplemented:
        raise TypeError(f"sortile: elements of type {x.dtype} have no order here")
    return torch.from_numpy(found).contiguous()


@sort_operator.register_fake
def _(x: torch.Tensor, axis: int, descending: bool, nan: str) -> torch.Tensor:
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


@argsort_operator.register_fake
def _(x: torch.Tensor, axis: int, descending: bool, nan: str, positions: str) -> torch.Tensor:
    return torch.empty(x.shape, dtype=getattr(torch, positions), device=x.device)


@sort_with_positions.register_fake
def _(x: torch.Tensor, axis: int, descending: bool, nan: str) -> tuple[torch.Tensor, torch.Tensor]:
    return (
        torch.empty(x.shape, dtype=x.dtype, device=x.device),
        torch.empty(x.shape, dtype=torch.int64, device=x.device),
    )


def _keep_positions(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, torch.Tensor]) -> None:
    ctx.axis = inputs[1]
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])


def _put_back(ctx: Any, gradient: torch.Tensor, _: Any) -> tuple[torch.Tensor, None, None, None]:
    """The gradient of each sorted element goes to where the element was: every place gets one."""
    (positions,) = ctx.saved_tensors
    return torch.zeros_like(gradient).scatter(ctx.axis, positions, gradient), None, None, None


sort_with_positions.register_autograd(_put_back, setup_context=_keep_positions)


def _batched(operator: Any) -> Any:
    """The rule for vmap: the batch becomes the first axis."""

    def rule(info: Any, in_dims: tuple[Any, ...], x: torch.Tensor, axis: int, *rest: Any) -> tuple[Any, Any]:
        moved = x.movedim(in_dims[0], 0)
        result = operator(moved, axis if axis < 0 else axis + 1, *rest)
        return result, 0 if isinstance(result, torch.Tensor) else (0,) * len(result)

    return rule


for _operator in (sort_operator, argsort_operator, sort_with_positions):
    torch.library.register_vmap(_operator, _batched(_operator))
