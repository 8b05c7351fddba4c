"""PyTorch's tensors, and the operators ``torch.ops.sortile``.

A plain tensor on a GPU is sorted by its address; one in host memory is read like NumPy's arrays, and never comes here.
Where PyTorch has more to know (a gradient is wanted, torch.compile or vmap is at work), the call becomes one of its
operators: they have shape functions, rules for vmap, and `sort_with_positions` a backward. What these do not serve (torch.func's
gradients, tangents of forward mode) is differentiated by PyTorch: it gathers the elements at positions.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

import torch

from . import _device
from ._about import explained
from ._arrays import need_axis, not_taken
from ._backend import core
from ._frameworks import Where
from ._gpu import need_gpu_engine
from ._quantiles import NUMBERS
from ._route import host_route, operands, route_shapes
from ._segment_select import held_counts, host_segment_top_k, need_columns
from ._segments import held_offsets, need_one_axis
from ._select import host_top_k
from ._torch_arrays import TorchArrays
from ._torch_calls import are_plain, for_operators, is_functional, is_plain, operand, wants_gradient
from ._torch_host import as_numpy, from_host, host_argsort, host_sort, offsets_on_host


class Torch(TorchArrays):
    def holds(self, x: Any) -> bool:
        if x.is_cuda and core.has_gpu_engine:
            return True
        if for_operators(x):
            return True
        if x.is_cuda:
            need_gpu_engine(x)
        return False

    # Sorts of rows, on which the other calls are built. By address, where a tensor on a GPU is all there is to it.

    def sort_rows(self, keys: Any, descending: bool, into: Any = None) -> Any:
        if is_plain(keys):
            return super().sort_rows(keys, descending, into)
        found = self.sort_rows_with_positions(keys, descending, "int64")[0]
        return found if into is None else self.stored(found.reshape(into.shape), into)

    def merge_lanes(self, runs: Sequence[Any], descending: bool, flips: bool, into: Any = None) -> Any | None:
        return super().merge_lanes(runs, descending, flips, into) if all(map(is_plain, runs)) else None

    def argsort_rows(self, keys: Any, descending: bool, positions: str) -> Any:
        if is_plain(keys):
            return super().argsort_rows(keys, descending, positions)
        return argsort_operator(keys.detach(), 1, descending, "largest", positions)

    def sort_rows_with_positions(self, keys: Any, descending: bool, positions: str) -> tuple[Any, Any]:
        if is_plain(keys):
            return super().sort_rows_with_positions(keys, descending, positions)
        found, order = self.sorted_by_operators(keys, 1, descending, "largest")
        return found, self.cast(order, positions)

    def sorted_by_operators(self, x: Any, axis: int, descending: bool, nan: str) -> tuple[Any, Any]:
        if not is_functional(x):
            found, order = sort_with_positions(x, axis, descending, nan)
            return found, order
        order = argsort_operator(x.detach(), axis, descending, nan, "int64")
        return self.take_along_axis(x, order, axis), order

    def sort_rows_by_key(self, keys: Any, values: Any, descending: bool) -> tuple[Any, Any]:
        if is_plain(keys) and is_plain(values):
            return super().sort_rows_by_key(keys, values, descending)
        found, order = self.sort_rows_with_positions(keys, descending, "int64")
        return found, self.take(values[0], order[0])[None]

    def argsort_lane(self, x: Any, descending: bool, positions: str) -> Any:
        if is_plain(x):
            return super().argsort_lane(x, descending, positions)
        return self.argsort_rows(x[None], descending, positions)[0]

    def is_on_gpu(self, x: Any) -> bool:
        return is_plain(x)

    def takes_partitions(self, x: Any) -> bool:
        return is_plain(x)

    def takes_groups(self, x: Any) -> bool:
        return is_plain(x) and super().takes_groups(x)

    def takes_quantiles(self, x: Any) -> bool:
        return is_plain(x)

    def flipped(self, x: Any) -> Any:
        """A negative number has the bits of the positive one but for the sign; what is traced knows it by its name."""
        return super().flipped(x) if is_plain(x) else -x

    # Calls in front of which the operators stand.

    def sort(self, x: Any, axis: int | None, descending: bool, out: Any, nan: str) -> Any:
        if not for_operators(x):
            return _device.sort(self, x, axis, descending, out, nan)
        x, axis = operand(x, axis, out)
        if wants_gradient(x) or is_functional(x):
            return self.sorted_by_operators(x, axis, descending, nan)[0]
        return sort_operator(x, axis, descending, nan)

    def argsort(self, x: Any, axis: int | None, descending: bool, dtype: Any, out: Any, nan: str) -> Any:
        if not for_operators(x):
            return _device.argsort(self, x, axis, descending, dtype, out, nan)
        x, axis = operand(x, axis, out)
        name = _device.position_name(self, dtype, x.shape[axis])
        return argsort_operator(x.detach(), axis, descending, nan, name)

    def sort_by_key(
        self, keys: Any, values: tuple[Any, ...], axis: int, descending: bool, nan: str
    ) -> tuple[Any, tuple[Any, ...]]:
        if not any(map(for_operators, (keys, *values))):
            return _device.sort_by_key(self, keys, values, axis, descending, nan)
        need_axis(axis, keys.ndim)
        for number, v in enumerate(values):
            _device.need_values("sort_by_key", keys, v, number, keys.ndim == 1)
        order = argsort_operator(keys.detach(), axis, descending, nan, "int64")
        if keys.ndim == 1:
            return self.take(keys, order), tuple(self.take(v, order) for v in values)
        return self.take_along_axis(keys, order, axis), tuple(self.take_along_axis(v, order, axis) for v in values)

    def top_k(self, x: Any, k: int, axis: int | None, largest: bool, nan: str) -> tuple[Any, Any]:
        if is_plain(x):
            return _device.top_k(self, x, k, axis, largest, nan)
        x, axis = operand(x, axis, None)
        order = top_k_operator(x.detach(), axis, k, largest, nan)
        return self.take_along_axis(x, order, axis), order

    def route(self, experts: Any, count: int, block: int, dtype: str) -> tuple[Any, ...]:
        if is_plain(experts):
            return super().route(experts, count, block, dtype)
        return route_operator(experts.detach(), count, block, dtype)

    def explain(self, x: Any, axis: int | None, positions: bool, descending: bool) -> str:
        if x.is_cuda:
            return super().explain(x, axis, positions, descending)
        return explained(as_numpy(x.detach()), axis, positions, descending, None)

    def segment_sort(self, x: Any, where: Where, descending: bool, nan: str) -> Any:
        if are_plain(x, *where):
            return _device.segment_sort(self, x, where, descending, nan)
        return self.take(x, segment_order_operator(x.detach(), *where, descending, nan))

    def segment_argsort(self, x: Any, where: Where, descending: bool, dtype: Any, nan: str) -> Any:
        if are_plain(x, *where):
            return _device.segment_argsort(self, x, where, descending, dtype, nan)
        name = _device.position_name(self, dtype, x.shape[0])
        return segment_argsort_operator(x.detach(), *where, descending, nan, name)

    def segment_top_k(
        self, x: Any, k: int, counts: Any, where: Where, largest: bool, nan: str, fill: Any
    ) -> tuple[Any, Any]:
        if are_plain(x, *where, counts):
            return _device.segment_top_k(self, x, k, counts, where, largest, nan, fill)
        order = segment_top_k_operator(x.detach(), *where, counts, k, largest, nan)
        return self.taken_from_segments(x, where[0], order, fill), order

    def segment_quantile(self, x: Any, where: Where, wanted: Any, method: int) -> Any:
        if x.is_complex():
            raise not_taken("segment_quantile", x.dtype, NUMBERS)
        if are_plain(x, *where):
            return super().segment_quantile(x, where, wanted, method)
        return _device.segment_quantile(self, x, where, wanted, method)

    def segment_sort_by_key(
        self, keys: Any, values: tuple[Any, ...], where: Where, descending: bool, nan: str
    ) -> tuple[Any, tuple[Any, ...]]:
        if are_plain(keys, *values, *where):
            return _device.segment_sort_by_key(self, keys, values, where, descending, nan)
        order = segment_order_operator(keys.detach(), *where, descending, nan)
        return self.take(keys, order), tuple(self.take(v, order) for v in values)


FRAMEWORK = Torch()


# The operators. What they are given is plain, on a GPU or in host memory.


@torch.library.custom_op("sortile::sort", mutates_args=())
def sort_operator(x: torch.Tensor, axis: int, descending: bool, nan: str) -> torch.Tensor:
    x = x.detach()
    if x.is_cuda:
        need_gpu_engine(x)
        return _device.sort(FRAMEWORK, x, axis, descending, None, nan).contiguous()
    return from_host(x, host_sort, axis, descending, nan)


@torch.library.custom_op("sortile::argsort", mutates_args=())
def argsort_operator(x: torch.Tensor, axis: int, descending: bool, nan: str, positions: str) -> torch.Tensor:
    x = x.detach()
    if x.is_cuda:
        need_gpu_engine(x)
        return _device.argsort(FRAMEWORK, x, axis, descending, positions, None, nan).contiguous()
    wide = from_host(x, host_argsort, axis, descending, nan)
    return wide.to(getattr(torch, positions))


@torch.library.custom_op("sortile::sort_with_positions", mutates_args=())
def sort_with_positions(x: torch.Tensor, axis: int, descending: bool, nan: str) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.detach()
    if x.is_cuda:
        need_gpu_engine(x)
        found, order = _device.sort_with_positions(FRAMEWORK, x, axis, descending, nan)
        return found.contiguous(), order.contiguous()
    order = from_host(x, host_argsort, axis, descending, nan)
    return FRAMEWORK.take_along_axis(x, order, axis), order


@torch.library.custom_op("sortile::top_k", mutates_args=())
def top_k_operator(x: torch.Tensor, axis: int, k: int, largest: bool, nan: str) -> torch.Tensor:
    x = x.detach()
    if x.is_cuda:
        need_gpu_engine(x)
        return _device.top_k(FRAMEWORK, x, k, axis, largest, nan)[1].contiguous()
    return from_host(x, lambda a: host_top_k(a, k, axis, largest, nan, None, None)[1])


def _segments_of(function: str, x: torch.Tensor, begins: torch.Tensor, ends: Optional[torch.Tensor]) -> Where:
    """Who calls an operator itself may give it anything."""
    need_one_axis(function, x)
    return held_offsets(function, FRAMEWORK, x, (begins,) if ends is None else (begins, ends))


@torch.library.custom_op("sortile::segment_order", mutates_args=())
def segment_order_operator(
    x: torch.Tensor, begins: torch.Tensor, ends: Optional[torch.Tensor], descending: bool, nan: str
) -> torch.Tensor:
    x = x.detach()
    given = _segments_of("segment_sort", x, begins, ends)
    if x.is_cuda:
        need_gpu_engine(x)
        keys, _, down = _device.segmented(FRAMEWORK, x, descending, nan)
        return FRAMEWORK.sort_segments_with_order(keys, given, down)[1]
    where = offsets_on_host("segment_sort", *given)
    return from_host(x, lambda a: core.segment_sort_with_order(a, where, descending, nan, None, None)[1]).to(
        torch.int64
    )


@torch.library.custom_op("sortile::segment_argsort", mutates_args=())
def segment_argsort_operator(
    x: torch.Tensor, begins: torch.Tensor, ends: Optional[torch.Tensor], descending: bool, nan: str, positions: str
) -> torch.Tensor:
    x = x.detach()
    given = _segments_of("segment_argsort", x, begins, ends)
    if x.is_cuda:
        need_gpu_engine(x)
        return _device.segment_argsort(FRAMEWORK, x, given, descending, positions, nan)
    where = offsets_on_host("segment_argsort", *given)
    wide = from_host(x, lambda a: core.segment_argsort(a, where, descending, None, nan, None, None))
    return wide.to(getattr(torch, positions))


@torch.library.custom_op("sortile::segment_top_k", mutates_args=())
def segment_top_k_operator(
    x: torch.Tensor, begins: torch.Tensor, ends: Optional[torch.Tensor], counts: Optional[torch.Tensor], k: int,
    largest: bool, nan: str,
) -> torch.Tensor:
    x = x.detach()
    given = _segments_of("segment_top_k", x, begins, ends)
    segments = _device.segment_count(given)
    need_columns("k", k, segments)
    of_each = None if counts is None else held_counts(FRAMEWORK, x, counts.detach(), segments)
    if x.is_cuda:
        need_gpu_engine(x)
        return _device.segment_top_k(FRAMEWORK, x, k, of_each, given, largest, nan, 0)[1]
    where = offsets_on_host("segment_top_k", *given)
    read = None if of_each is None else of_each.numpy().astype("uint64")
    return from_host(x, lambda a: host_segment_top_k(a, k, read, None, where, largest, nan, None, None)[1])


@torch.library.custom_op("sortile::route", mutates_args=())
def route_operator(
    experts: torch.Tensor, expert_count: int, block: int, dtype: str
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    experts = experts.detach()
    if experts.is_cuda:
        need_gpu_engine(experts)
        return TorchArrays.route(FRAMEWORK, experts, *operands(experts.shape, expert_count, block, dtype))
    a, b, c, d, e, f = map(torch.from_numpy, host_route(as_numpy(experts), expert_count, block, dtype, None))
    return a, b, c, d, e, f


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


@top_k_operator.register_fake
def _(x: torch.Tensor, axis: int, k: int, largest: bool, nan: str) -> torch.Tensor:
    shape = list(x.shape)
    shape[axis] = k
    return torch.empty(shape, dtype=torch.int64, device=x.device)


@segment_order_operator.register_fake
def _(
    x: torch.Tensor, begins: torch.Tensor, ends: Optional[torch.Tensor], descending: bool, nan: str
) -> torch.Tensor:
    return torch.empty(x.shape, dtype=torch.int64, device=x.device)


@segment_argsort_operator.register_fake
def _(
    x: torch.Tensor, begins: torch.Tensor, ends: Optional[torch.Tensor], descending: bool, nan: str, positions: str
) -> torch.Tensor:
    return torch.empty(x.shape, dtype=getattr(torch, positions), device=x.device)


@segment_top_k_operator.register_fake
def _(
    x: torch.Tensor, begins: torch.Tensor, ends: Optional[torch.Tensor], counts: Optional[torch.Tensor], k: int,
    largest: bool, nan: str,
) -> torch.Tensor:
    return torch.empty((_device.segment_count((begins, ends)), k), dtype=torch.int64, device=x.device)


@route_operator.register_fake
def _(experts: torch.Tensor, expert_count: int, block: int, dtype: str) -> tuple[torch.Tensor, ...]:
    return tuple(
        torch.empty(shape, dtype=getattr(torch, dtype), device=experts.device)
        for shape in route_shapes(experts.shape, expert_count, block)
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


for _operator in (sort_operator, argsort_operator, sort_with_positions, top_k_operator):
    torch.library.register_vmap(_operator, _batched(_operator))
