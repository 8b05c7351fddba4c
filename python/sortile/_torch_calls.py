"""Which calls of PyTorch's tensors are to be its operators: those of which PyTorch has more to know than addresses."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import forward_ad

from ._arrays import need_axis

_is_transformed = torch._C._functorch.is_functorch_wrapped_tensor


def is_plain(x: Any) -> bool:
    return x.is_cuda and not for_operators(x)


def are_plain(*arrays: Any) -> bool:
    """Of arrays, or None where there is none."""
    return all(x is None or is_plain(x) for x in arrays)


def wants_gradient(x: Any) -> bool:
    return bool(x.requires_grad) and torch.is_grad_enabled()


def is_functional(x: Any) -> bool:
    """Whether a transform of torch.func is at work, or a tangent wanted: of these the backward of an operator knows nothing."""
    return not torch.compiler.is_compiling() and (bool(_is_transformed(x)) or _has_tangent(x))


def _has_tangent(x: Any) -> bool:
    return forward_ad._current_level >= 0 and forward_ad.unpack_dual(x).tangent is not None


def for_operators(x: Any) -> bool:
    """Whether PyTorch has to see this call as one of its operators."""
    return (
        torch.compiler.is_compiling()
        or (type(x) is not torch.Tensor and type(x) is not torch.nn.Parameter)
        or (x.requires_grad and torch.is_grad_enabled())
        or bool(_is_transformed(x))
        or _has_tangent(x)
        or (x.dtype == torch.bfloat16 and not x.is_cuda)  # which NumPy cannot take
    )


def operand(x: Any, axis: int | None, out: Any) -> tuple[Any, int]:
    if out is not None:
        raise ValueError("sortile: out= is for plain tensors, of which no gradient is wanted and which nothing traces")
    if axis is None:
        return x.reshape(-1), 0
    need_axis(axis, x.ndim)
    return x, axis
