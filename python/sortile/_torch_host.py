"""PyTorch's tensors in host memory, as the operators `torch.ops.sortile` have them sorted: by NumPy's arrays."""

from __future__ import annotations

from typing import Any, Optional

import torch

from ._segments import Offsets, on_host
from ._sorting import argsort, sort


def offsets_on_host(function: str, begins: torch.Tensor, ends: Optional[torch.Tensor]) -> Offsets:
    return on_host(function, begins.numpy() if ends is None else (begins.numpy(), ends.numpy()))


def host_sort(a: Any, axis: int, descending: bool, nan: Any) -> Any:
    return sort(a, axis=axis, descending=descending, nan=nan)


def host_argsort(a: Any, axis: int, descending: bool, nan: Any) -> Any:
    return argsort(a, axis=axis, descending=descending, nan=nan)


def from_host(x: torch.Tensor, call: Any, *arguments: Any) -> torch.Tensor:
    found = call(as_numpy(x), *arguments)
    if found is NotImplemented:
        raise TypeError(f"sortile: elements of type {x.dtype} have no order here")
    result = torch.from_numpy(found).contiguous()
    return result.to(x.dtype) if x.dtype == torch.bfloat16 and result.dtype == torch.float32 else result


def as_numpy(x: torch.Tensor) -> Any:
    """NumPy has no bfloat16, and every one of its values is a float32."""
    try:
        return (x.float() if x.dtype == torch.bfloat16 else x.resolve_conj().resolve_neg()).numpy()
    except TypeError as e:
        raise TypeError(f"sortile: elements of type {x.dtype} have no order here: {e}") from e
