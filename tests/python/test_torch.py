"""PyTorch's tensors in host memory, by its own operators where it traces, differentiates or batches the call. On a GPU: the
same class again, where there is one."""

import subprocess
import sys
from array import array

import numpy as np
import pytest

import frameworks
import sortile

DIRECTIONS = [(False, "last"), (True, "last"), (True, "largest")]


@pytest.mark.filterwarnings("ignore")  # PyTorch warns of itself
class TestTorch:
    def test_gradients(self, device):
        import torch

        x = torch.randn(6, 10, device=device, dtype=torch.float64, requires_grad=True)
        weights = torch.rand(6, 10, device=device, dtype=torch.float64)
        for axis, descending in ((0, False), (1, True)):
            (ours,) = torch.autograd.grad((sortile.sort(x, axis=axis, descending=descending) * weights).sum(), x)
            (theirs,) = torch.autograd.grad((torch.sort(x, dim=axis, descending=descending, stable=True).values * weights).sum(), x)
            assert torch.equal(ours, theirs)
        keys, values = sortile.sort_by_key(x[0], x[1])
        (ours,) = torch.autograd.grad((keys * weights[0] + values * weights[1]).sum(), x)
        order = torch.argsort(x[0].detach(), stable=True)
        wanted = torch.zeros_like(x)
        wanted[0, order], wanted[1, order] = weights[0], weights[1]
        assert torch.equal(ours, wanted)
        with torch.no_grad():
            assert not sortile.sort(x).requires_grad

    @pytest.mark.parametrize("descending", [False, True])
    def test_the_operators_obey_torchs_rules(self, device, descending):
        import torch

        import sortile.torch  # no call has brought the operators

        x = torch.randn(4, 7, device=device)
        for operator, tail in ((torch.ops.sortile.sort, ()), (torch.ops.sortile.argsort, ("int32",)),
                               (torch.ops.sortile.sort_with_positions, ())):
            torch.library.opcheck(operator.default, (x, 1, descending, "last", *tail))
        offsets = torch.tensor([0, 3, 6], device=device)
        torch.library.opcheck(torch.ops.sortile.top_k.default, (x, 1, 3, descending, "last"))
        torch.library.opcheck(torch.ops.sortile.segment_order.default, (x[0], offsets, None, descending, "last"))
        torch.library.opcheck(torch.ops.sortile.segment_argsort.default,
                              (x[0], offsets[:2], offsets[1:], descending, "last", "int32"))
        torch.library.opcheck(torch.ops.sortile.segment_top_k.default, (x[0], offsets, None, None, 2, descending, "last"))
        torch.library.opcheck(torch.ops.sortile.segment_top_k.default,
                              (x[0], offsets[:2], offsets[1:], offsets[1:].int(), 4, descending, "largest"))
        torch.library.opcheck(torch.ops.sortile.sort_with_positions.default,
                              (x.double().requires_grad_(), 0, descending, "largest"))

    def test_gradients_of_first_elements_and_segments(self, device):
        import torch

        x = torch.randn(5, 8, device=device, requires_grad=True)
        weights = torch.rand(5, 8, device=device)
        for axis, largest in ((0, True), (1, False)):
            (ours,) = torch.autograd.grad((sortile.top_k(x, 3, axis=axis, largest=largest).values).square().sum(), x)
            (theirs,) = torch.autograd.grad(torch.topk(x, 3, axis, largest).values.square().sum(), x)
            assert torch.equal(ours, theirs)
        rows = list(range(0, 41, 8))
        for offsets in (rows, torch.tensor(rows, device=device), (rows[:-1], rows[1:])):
            (ours,) = torch.autograd.grad((sortile.segment_sort(x.reshape(-1), offsets) * weights.reshape(-1)).sum(), x)
            (theirs,) = torch.autograd.grad((torch.sort(x).values * weights).sum(), x)
            assert torch.equal(ours, theirs)
            places = sortile.segment_argsort(x.reshape(-1), offsets)
            assert torch.equal(places, torch.argsort(x, stable=True).reshape(-1))
        _, values = sortile.segment_sort_by_key(x[0].detach(), x[1], [0, 8])
        (ours,) = torch.autograd.grad((values * weights[0]).sum(), x)
        assert torch.equal(ours[1], torch.zeros(8, device=device).scatter(0, x[0].detach().argsort(), weights[0]))

    @pytest.mark.parametrize("wanted_gradient", [False, True])
    def test_quantiles_and_partitions_of_segments(self, device, wanted_gradient):
        """By addresses, by NumPy's way, and by operators."""
        import torch

        for name in ("float32", "float64", "float16", "bfloat16", "int16", "int64", "uint8", "bool", "uint32"):
            dtype = getattr(torch, name)
            if wanted_gradient and not dtype.is_floating_point:
                continue
            here = torch.randint(0, 40, (300,)).to(dtype)
            plain = here.float().numpy() if name == "bfloat16" else here.numpy()
            x = here.to(device).requires_grad_() if wanted_gradient else here.to(device)
            for offsets in ([0, 3, 3, 250], ([200, 3], [300, 150]), [4]):
                sides = offsets if isinstance(offsets, tuple) else (offsets,)
                there = tuple(torch.tensor(side, device=device, dtype=torch.int32) for side in sides)
                there = there if len(there) == 2 else there[0]
                for where in (offsets, there):
                    for method in ("linear", "lower", "higher", "nearest", "midpoint"):
                        for q in (0.5, [[0.25], [1]]):
                            found = sortile.segment_quantile(x, q, where, method=method)
                            wanted = sortile.segment_quantile(plain, q, offsets, method=method)
                            assert found.dtype == (dtype if method in ("lower", "higher", "nearest") else torch.float64)
                            np.testing.assert_array_equal(found.detach().double().cpu().numpy(), wanted.astype("f8"))
                    found = sortile.segment_partition(x, 0, where).detach()
                    for begin, end in zip(*(offsets if isinstance(offsets, tuple) else (offsets[:-1], offsets[1:]))):
                        assert end == begin or found[begin].item() == plain[begin:end].min()
        with pytest.raises(TypeError, match="complex|no order"):
            sortile.segment_median(torch.zeros(3, dtype=torch.complex64, device=device), [0, 3])

    def test_gradients_of_quantiles_of_segments(self, device):
        import torch

        x = torch.randn(5, 8, device=device, dtype=torch.float64, requires_grad=True)
        for offsets in (list(range(0, 41, 8)), torch.arange(0, 41, 8, device=device)):
            (ours,) = torch.autograd.grad(sortile.segment_quantile(x.reshape(-1), 0.3, offsets).square().sum(), x)
            (theirs,) = torch.autograd.grad(torch.quantile(x, 0.3, dim=1).square().sum(), x)
            assert torch.allclose(ours, theirs)

    @pytest.mark.parametrize("wanted_gradient", [False, True])
    def test_first_elements_of_segments(self, device, wanted_gradient):
        """By addresses, by NumPy's way, and by operators."""
        import torch

        for name in ("float32", "float64", "float16", "bfloat16", "int16", "uint8", "bool", "uint32", "uint64"):
            dtype = getattr(torch, name)
            if wanted_gradient and not dtype.is_floating_point:
                continue
            here = torch.randint(0, 40, (300,)).to(torch.float32).to(dtype) if name[0] != "b" else torch.rand(300) < 0.5
            if name == "bfloat16":
                here = torch.randint(0, 40, (300,)).to(dtype)
            if dtype.is_floating_point:
                here[::7] = float("nan")
            x = here.to(device)
            plain = here.float().numpy() if name == "bfloat16" else here.numpy()
            leaf = x.requires_grad_() if wanted_gradient else x
            for offsets in ([0, 3, 3, 250], ([200, 3], [300, 150]), [4]):
                sides = offsets if isinstance(offsets, tuple) else (offsets,)
                there = tuple(torch.tensor(side, device=device, dtype=torch.int32) for side in sides)
                there = there if len(there) == 2 else there[0]
                segments = len(offsets[0]) if isinstance(offsets, tuple) else len(offsets) - 1
                k = torch.arange(segments) * 3 % 5
                for largest, nan in DIRECTIONS:
                    how = {"largest": largest, "nan": nan, "fill": 1}
                    for where in (offsets, there):
                        found, wanted = sortile.segment_top_k(leaf, 4, where, **how), sortile.segment_top_k(plain, 4, offsets, **how)
                        for of_each in (k.tolist(), k.to(device), k.to(device, torch.int8)):
                            lesser = sortile.segment_top_k(leaf, of_each, where, most=4, **how)
                            wanted_less = sortile.segment_top_k(plain, k.numpy(), offsets, most=4, **how)
                            assert np.array_equal(lesser.indices.cpu(), wanted_less.indices)
                        for ours, theirs in ((found, wanted), (lesser, wanted_less)):
                            assert ours.values.dtype == dtype and ours.values.requires_grad == wanted_gradient
                            values = ours.values.detach().cpu()
                            values = (values.float() if name == "bfloat16" else values).numpy()
                            assert np.array_equal(values, theirs.values, equal_nan=dtype.is_floating_point), name
                            assert np.array_equal(ours.indices.cpu(), theirs.indices), name
        x = torch.tensor([2**64 - 1, 3], dtype=torch.uint64, device=device)
        filled = sortile.segment_top_k(x, 2, [0, 1], fill=2**64 - 1)
        assert filled.values.cpu().numpy().tolist() == [[2**64 - 1, 2**64 - 1]] and filled.indices.tolist() == [[0, -1]]

    def test_gradients_of_first_elements_of_segments(self, device):
        import torch

        x = torch.randn(5, 8, device=device, requires_grad=True)
        rows, k = list(range(0, 41, 8)), torch.tensor([3, 0, 1, 9, -1 if device == "cuda" else 0], device=device)
        for offsets in (rows, torch.tensor(rows, device=device), (rows[:-1], rows[1:])):
            found = sortile.segment_top_k(x.reshape(-1), 3, offsets)
            (ours,) = torch.autograd.grad(found.values.square().sum(), x)
            (theirs,) = torch.autograd.grad(x.topk(3).values.square().sum(), x)
            assert torch.equal(ours, theirs) and torch.equal(found.indices, x.topk(3).indices)
            found = sortile.segment_top_k(x.reshape(-1), k, offsets, most=3, fill=5)
            kept = torch.arange(3, device=device) < k[:, None]
            (ours,) = torch.autograd.grad(found.values.square().sum(), x)
            (theirs,) = torch.autograd.grad(x.topk(3).values.square()[kept].sum(), x)
            assert torch.equal(ours, theirs) and (found.values[~kept] == 5).all() and (found.indices[~kept] == -1).all()
        empty = sortile.segment_top_k(x.reshape(-1)[:0], 2, [0, 0], fill=4)
        assert empty.values.tolist() == [[4, 4]] and empty.indices.tolist() == [[-1, -1]]
        flat = x.detach().reshape(-1)
        for call, error, word in [
            (lambda: sortile.segment_top_k(x.reshape(-1), k > 0, rows, most=3), TypeError, "k has elements of type (torch.)?bool"),
            (lambda: sortile.segment_top_k(x.reshape(-1), k[:2], rows, most=3), ValueError, r"k has the shape \(2,\)"),
            (lambda: sortile.segment_top_k(x.reshape(-1), [1, 2, 3, 4, -1], rows), ValueError, "k = -1"),
            (lambda: sortile.segment_top_k(flat, 3, [0, 41]), ValueError, "beyond"),
            (lambda: sortile.segment_top_k(flat, 3, rows, fill="2"), TypeError, "fill = '2' is no element of type float32"),
        ]:
            with pytest.raises(error, match=word):
                call()

    def test_a_k_in_host_memory_is_read(self, device):
        """Beside whatever PyTorch holds, so that nobody has to say how many columns there are."""
        import torch

        plain, k = torch.tensor([1.0, 2, 3, 6, 5, 4], device=device), torch.tensor([1, 2])
        for x in (plain.clone().requires_grad_(), plain.bfloat16(), *([plain] if device == "cuda" else [])):
            for given in (k, k.to(torch.int8), k.tolist(), k.numpy(), range(1, 3), array("i", [1, 2])):
                for most in (None, 2, 3):
                    found = sortile.segment_top_k(x, given, [0, 3, 6], most=most)
                    behind = [] if most != 3 else [-1]
                    assert found.indices.tolist() == [[2, -1, *behind], [0, 1, *behind]]
                    assert found.values.tolist() == [[3, 0, *[0] * len(behind)], [6, 5, *[0] * len(behind)]]
            with pytest.raises(ValueError, match="segment_top_k: k = -2; allowed are 0 and more"):
                sortile.segment_top_k(x, -k, [0, 3, 6], most=2)

    def test_offsets_and_k_of_each_of_a_batch(self, device):
        """vmap has its eye on them alone: the keys are a plain tensor."""
        import torch

        x, k = torch.tensor([1.0, 2, 3, 6, 5, 4], device=device), torch.tensor([[1, 2], [3, 0]], device=device)
        places = torch.tensor([[0, 3, 6], [0, 1, 6]], device=device)
        several = lambda call, *of: [[tensor.tolist() for tensor in found] for found in zip(*torch.vmap(call)(*of))]  # noqa: E731
        found = several(lambda k: tuple(sortile.segment_top_k(x, k, places[0], most=2)), k)
        assert found == [[list(map(list, part)) for part in each] for each in
                         ((([3, 0], [6, 5]), ([2, -1], [0, 1])), (([3, 2], [0, 0]), ([2, 1], [-1, -1])))]
        found = several(lambda offsets: (sortile.segment_top_k(x, 2, offsets).indices, sortile.segment_sort(x, offsets),
                                         sortile.segment_argsort(x, offsets)), places)
        for part, at in zip(found, places.tolist()):
            assert part == [sortile.segment_top_k(x, 2, at).indices.tolist(), sortile.segment_sort(x, at).tolist(),
                            sortile.segment_argsort(x, at).tolist()]
        found = torch.vmap(lambda k: sortile.top_k(x.reshape(2, 3), k, most=2).indices)(k)
        assert found.tolist() == [[[2, -1], [0, 1]], [[2, 1], [-1, -1]]]

    def test_operators_called_by_themselves_check_what_they_are_given(self, device):
        import torch

        import sortile.torch  # no call has brought the operators

        x, offsets = torch.randn(12, device=device), torch.arange(0, 13, 3, device=device)
        of_each = torch.tensor([1, -1, 0, 5], device=device)
        wanted = torch.tensor([min(max(k, 0), 2) for k in of_each.tolist()])
        for counts in (of_each, of_each.to(torch.int8), of_each.repeat_interleave(2)[::2]):
            found = torch.ops.sortile.segment_top_k(x, offsets, None, counts, 2, True, "last")
            assert torch.equal((found >= 0).sum(1).cpu(), wanted)
        elsewhere = offsets.cpu() if device == "cuda" else offsets
        top, order, places = (getattr(torch.ops.sortile, name) for name in ("segment_top_k", "segment_order", "segment_argsort"))
        for call, error, text in [
            (lambda: top(x, offsets, None, of_each[:1], 2, True, "last"), ValueError, r"k has the shape \(1,\); .* \(4,\) here"),
            (lambda: top(x, offsets[1:], offsets[:-1], offsets, 2, True, "last"), ValueError, r"k has the shape \(5,\)"),
            (lambda: top(x, offsets, None, of_each * 1.0, 2, True, "last"), TypeError, "k has elements of type torch.float32"),
            (lambda: top(x, offsets, None, None, -1, True, "last"), ValueError, "segment_top_k: k = -1; allowed are"),
            (lambda: top(x, offsets, None, None, 2**61, True, "last"), MemoryError, f"k = {2**61} for 4 segments"),
            (lambda: top(x.reshape(3, 4), offsets, None, None, 2, True, "last"), ValueError, r"segment_top_k: the array has shape \(3, 4\)"),
            (lambda: top(x, offsets * 1.0, None, None, 2, True, "last"), TypeError, "segment_top_k: offsets that are Tensor"),
            (lambda: top(x, offsets, offsets[1:], None, 2, True, "last"), ValueError, "5 begins and 4 ends"),
            (lambda: order(x.reshape(3, 4), offsets, None, True, "last"), ValueError, r"segment_sort: the array has shape \(3, 4\)"),
            (lambda: places(x, offsets * 1.0, None, True, "last", "int64"), TypeError, "segment_argsort: offsets that are Tensor"),
            *([(lambda: top(x, elsewhere, None, None, 2, True, "last"), ValueError, "offsets lies on cpu"),
               (lambda: top(x, offsets, None, of_each.cpu(), 2, True, "last"), ValueError, "k lies on cpu")] if device == "cuda" else []),
        ]:
            with pytest.raises(error, match=text):
                call()

    def test_offsets_lie_where_the_keys_do(self, device):
        import torch

        import sortile.torch  # no call has brought the operators
        from sortile._segments import held_offsets
        from sortile._torch import FRAMEWORK

        x, here = torch.arange(6.0, device=device), torch.tensor([0, 3, 6], device=device)
        for sides in ([here.to("meta")], [here[:-1], here[1:].to("meta")]):
            with pytest.raises(ValueError, match=f"^sortile.segment_sort: offsets lies on meta; beside an array on {device}"):
                held_offsets("segment_sort", FRAMEWORK, x, sides)
        if device == "cuda":
            for keys, begins, ends in ((x, here[:-1], here[1:].cpu()), (x.cpu(), here[:-1], here[1:])):
                for name, call in {"segment_sort": sortile.segment_sort, "segment_argsort": sortile.segment_argsort,
                                   "segment_top_k": lambda x, offsets: sortile.segment_top_k(x, 2, offsets)}.items():
                    with pytest.raises(ValueError, match=f"^sortile.{name}: offsets lies on c"):
                        call(keys, (begins, ends))

    def test_positions_beyond_the_keys_take_none_from_there(self, device):
        """On a device segments may overlap, whose positions are then any."""
        import torch

        import sortile.torch  # no call has brought the operators
        from sortile._torch import FRAMEWORK

        x, begins = torch.arange(1.0, 5, device=device), torch.tensor([0, 3, 4], device=device)
        found = FRAMEWORK.taken_from_segments(x, begins, torch.tensor([[0, -1], [3, 0]], device=device), 9.0)
        assert found.tolist() == [[1, 9], [4, 4]]

    def test_compiled_once_for_any_number_of_segments(self, device):
        import torch
        from torch._dynamo.testing import CompileCounterWithBackend

        import sortile.torch  # no call has brought the operators

        for several in (False, True):
            counter = CompileCounterWithBackend("aot_eager")
            first = torch.compile(lambda x, k, offsets, most: sortile.segment_top_k(x, k, offsets, most=most).indices,
                                  fullgraph=True, dynamic=True, backend=counter)
            for n in (3, 4, 5, 9):
                x, offsets = torch.randn(3 * n, device=device), torch.arange(0, 3 * n + 1, 3, device=device)
                k = torch.full((n,), 2, device=device) if several else n - 1
                found = first(x, k, offsets, 2 if several else None)
                assert torch.equal(found, sortile.segment_top_k(x, k, offsets, most=2 if several else None).indices)
            assert counter.frame_count == 1
        counter = CompileCounterWithBackend("aot_eager")
        first = torch.compile(lambda x, k: sortile.top_k(x, k).values, fullgraph=True, dynamic=True, backend=counter)
        for k in (3, 4, 7):
            assert torch.equal(first(x, k), x.topk(k).values)
        assert counter.frame_count == 1

    def test_functional_gradients_and_tangents(self, device):
        """No backward of an operator serves these."""
        import torch

        x, weights = torch.randn(2, 9, device=device, dtype=torch.float64)
        rows = torch.stack((x, weights))
        forward_ad = torch.autograd.forward_ad
        for ours, theirs in (
            (sortile.sort, lambda a: a.sort().values),
            (lambda a: sortile.top_k(a, 3).values, lambda a: a.topk(3).values),
            (lambda a: sortile.merge(a, a), lambda a: torch.cat((a, a)).sort().values),
            (lambda a: sortile.sort_by_key(a, a * a)[1], lambda a: (a * a)[a.argsort()]),
            (lambda a: sortile.segment_sort(a, [0, 4, 9]), lambda a: torch.cat((a[:4].sort().values, a[4:].sort().values))),
            (lambda a: sortile.segment_top_k(a, 2, [0, 4, 9]).values.reshape(-1),
             lambda a: torch.cat((a[:4].topk(2).values, a[4:].topk(2).values))),
        ):
            our_sum, their_sum = (lambda a, call=call: (call(a) ** 3).sum() for call in (ours, theirs))
            assert torch.allclose(torch.func.grad(our_sum)(x), torch.func.grad(their_sum)(x))
            assert torch.allclose(torch.func.hessian(our_sum)(x), torch.func.hessian(their_sum)(x))
            found, wanted = (torch.func.jvp(call, (x,), (weights,)) for call in (ours, theirs))
            assert all(map(torch.allclose, found, wanted))
            with forward_ad.dual_level():
                tangent = forward_ad.unpack_dual(ours(forward_ad.make_dual(x, weights))).tangent
                assert torch.equal(sortile.sort(weights), weights.sort().values)
            assert torch.allclose(tangent, wanted[1])
        for of_rows in (lambda f: torch.func.vmap(torch.func.grad(lambda a: (f(a) ** 3).sum())),
                        lambda f: torch.func.grad(lambda a: (torch.func.vmap(f)(a) ** 3).sum())):
            found, wanted = (of_rows(call)(rows) for call in (sortile.sort, lambda a: a.sort().values))
            assert torch.allclose(found, wanted)

    def test_every_call_where_a_gradient_is_wanted(self, device):
        """On a GPU and in host memory: what is not sorted by its address is sorted by operators."""
        import torch

        plain = torch.randn(300, device=device).round(decimals=1)
        x = plain.clone().requires_grad_()
        offsets = [0, 100, 300]
        for call in (lambda a: sortile.unique(a, return_index=True, return_inverse=True, return_counts=True),
                     lambda a: sortile.unique(a), lambda a: sortile.group_by(a), lambda a: sortile.argsort_rows([a, a]),
                     lambda a: sortile.lexsort([a, a]), lambda a: sortile.lexsort([a.reshape(3, 100)] * 2, descending=True),
                     lambda a: sortile.merge(sortile.sort(a), sortile.sort(a)), lambda a: sortile.top_k(a, 9),
                     lambda a: sortile.sort_by_key(a, (a, a)), lambda a: sortile.segment_argsort(a, offsets),
                     lambda a: sortile.segment_sort_by_key(a, a, offsets), lambda a: sortile.sort(a.reshape(3, 100)),
                     lambda a: sortile.segment_top_k(a, 9, offsets)):
            wanted, found = torch.utils._pytree.tree_leaves(call(plain)), torch.utils._pytree.tree_leaves(call(x))
            assert len(wanted) == len(found) and all(map(torch.equal, wanted, found))
        assert not sortile.is_sorted(x) and sortile.is_sorted(sortile.sort(x)) and sortile.explain(x) == sortile.explain(plain)
        values = sortile.unique(x)
        values.sum().backward()
        assert x.grad.sum() == len(values)
        for call in (lambda a: sortile.median(a), lambda a: sortile.partition(a, 5)):
            with pytest.raises(TypeError, match="gives no gradient"):
                call(x)
            with torch.no_grad():
                call(x)
        both = torch.vmap(lambda a: sortile.argsort_rows([a, -a], descending=[True, False]))(plain.reshape(3, 100))
        assert torch.equal(both, plain.reshape(3, 100).argsort(descending=True, stable=True))

    def test_views_that_stand_for_others(self, device):
        import torch

        x = torch.arange(3.0, device=device)
        for view in (torch._neg_view(x), torch._neg_view(x).requires_grad_()):
            assert sortile.sort(view).tolist() == [-2, -1, 0]
            assert sortile.argsort(view).tolist() == [2, 1, 0]
        if device == "cpu":
            z = torch.tensor([1 + 2j, 1 - 3j]).conj()
            assert sortile.sort(z).tolist() == [1 - 2j, 1 + 3j]

    def test_vmap(self, device):
        import torch

        x = torch.randn(5, 6, 7, device=device)
        assert torch.equal(torch.vmap(lambda a: sortile.sort(a, axis=0), in_dims=1)(x), x.movedim(1, 0).sort(1).values)
        assert torch.equal(torch.vmap(sortile.argsort)(x), x.argsort(-1))
        k = torch.arange(5, device=device) % 4
        found, wanted = sortile.top_k(x[:, 0], k, most=3), x[:, 0].topk(3, 1)
        behind = torch.arange(3, device=device) >= k[:, None]
        assert torch.equal(found.values, wanted.values.masked_fill(behind, 0))
        assert torch.equal(found.indices, wanted.indices.masked_fill(behind, -1))
        for name in ("uint8", "int8", "int16", "uint16", "int32", "uint32", "uint64"):
            of_lanes = torch.tensor([1, 127, 0, 2, 3], device=device).to(getattr(torch, name))
            if name == "uint64":
                of_lanes = torch.tensor([1, -1, 0, 2, 3], device=device).view(torch.uint64)
            leaf = x[:, 0].detach().requires_grad_()
            behind = torch.arange(3, device=device) >= torch.tensor([1, 3, 0, 2, 3], device=device)[:, None]
            found = sortile.top_k(leaf, of_lanes, most=3)
            assert torch.equal(found.values.detach(), wanted.values.masked_fill(behind, 0)), name
            assert torch.equal(found.indices, wanted.indices.masked_fill(behind, -1)), name
        with pytest.raises(ValueError, match="k lies on meta; beside an array on"):
            sortile.top_k(leaf, k.to("meta"), most=3)
        with pytest.raises(TypeError, match="k has elements of type torch.bool"):
            sortile.top_k(leaf, k > 0, most=3)
        with pytest.raises(TypeError, match="fill = '2' is no element of type float32"):
            sortile.top_k(leaf, k, most=3, fill="2")
        found = torch.vmap(lambda a: sortile.top_k(a, 2, axis=0), in_dims=2)(x)
        assert torch.equal(found.values, x.movedim(2, 0).topk(2, 1).values)

    @pytest.mark.parametrize("descending", [False, True])
    def test_compiled(self, device, descending):
        import sortile.torch
        import torch

        def f(x, y):
            offsets = torch.tensor([0, 400, 1000], device=device)
            return (sortile.sort(x * 2, descending=descending) + 1, sortile.argsort(y, axis=0),
                    sortile.top_k(x + 1, 7, largest=descending).values, sortile.segment_sort(x, offsets),
                    *sortile.segment_top_k(x, 7, offsets, largest=descending),
                    *sortile.segment_top_k(x, offsets[1:] // 100, offsets, most=12, largest=descending, fill=1))

        compiled = torch.compile(f, fullgraph=True, backend="inductor" if device == "cuda" else "aot_eager")
        x, y = torch.randn(1000, device=device), torch.randn(30, 40, device=device)
        for a, b in zip(compiled(x, y), f(x, y), strict=True):
            assert torch.equal(a, b)
        wanted = torch.sort(x * 2, descending=descending).values + 1
        assert torch.equal(compiled(x, y)[0], wanted)

    def test_compiled_before_anything_else(self, device):
        code = f"""if True:
            import torch, sortile.torch
            f = torch.compile(lambda x: sortile.sort(x * 2), fullgraph=True, backend="aot_eager")
            assert f(torch.tensor([3.0, 1.0, 2.0], device="{device}")).tolist() == [2, 4, 6]"""
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_orders_and_merges_compiled(self, device):
        import sortile.torch
        import torch

        x, y = torch.randint(0, 9, (2, 50), device=device)
        for call in (lambda a, b: sortile.lexsort((a, b), descending=[True, False]), lambda a, b: sortile.argsort_rows([a, b]),
                     lambda a, b: sortile.merge(sortile.sort(a), sortile.sort(b)), lambda a, b: sortile.argsort(a, dtype="int32"),
                     lambda a, b: sortile.sort_by_key(a, (b, a))[1]):
            found, wanted = torch.compile(call, fullgraph=True, backend="aot_eager")(x, y), call(x, y)
            assert all(map(torch.equal, *map(torch.utils._pytree.tree_leaves, (found, wanted))))

    def test_positions_may_be_int32(self, device):
        import torch

        x = torch.tensor([3.0, 1.0, 2.0], device=device)
        for call in (sortile.argsort, lambda a, dtype: sortile.argsort_rows([a, a], dtype=dtype),
                     lambda a, dtype: sortile.lexsort((a, a), dtype=dtype),
                     lambda a, dtype: sortile.lexsort((a[None], a[None]), dtype=dtype)[0],
                     lambda a, dtype: sortile.segment_argsort(a, [0, 3], dtype=dtype)):
            for dtype in ("int32", torch.int32):
                found = call(x, dtype=dtype)
                assert found.dtype == torch.int32 and found.tolist() == [1, 2, 0]
            with pytest.raises(TypeError, match="positions of dtype int16 asked for"):
                call(x, dtype=torch.int16)

    def test_bfloat16_in_every_call(self, device):
        import torch

        x = torch.tensor([3.0, 1.0, 2.0, 7.0], dtype=torch.bfloat16, device=device)
        for found in (sortile.partition(x, 2), sortile.unique(x), sortile.group_by(x).keys, sortile.top_k(x, 2).values,
                      sortile.merge(sortile.sort(x), x[:0]), sortile.segment_sort(x, [0, 4]),
                      sortile.segment_top_k(x, 3, [0, 4]).values[0], sortile.segment_top_k(x, [2, 1], [0, 4, 4], fill=2).values[1]):
            assert found.dtype == torch.bfloat16 and set(found.tolist()) <= {1.0, 2.0, 3.0, 7.0}
        assert sortile.partition(x, 2)[2] == 3 and sortile.median(x) == 2.5
        assert sortile.quantile(x, [0.0, 1.0]).tolist() == [1, 7] and sortile.median(x).dtype == torch.float64

    def test_complex_numbers_with_gradients(self, device):
        import torch

        if device == "cuda":
            pytest.skip("complex numbers are sorted in host memory alone")
        z = torch.tensor([1 + 2j, 1 - 3j, -1 + 0j], requires_grad=True)
        assert sortile.argsort(z).tolist() == [2, 1, 0]
        (sortile.sort(z) * torch.tensor([1, 10, 100])).real.sum().backward()
        assert z.grad.tolist() == [100, 10, 1]

    def test_tensors_without_elements_of_their_own_are_refused(self):
        torch = frameworks.host("torch").xp
        for x in (torch.empty(3, device="meta"), torch.eye(3).to_sparse(), torch.zeros(3).to(torch.float8_e4m3fn)):
            with pytest.raises(TypeError, match="^sortile"):
                sortile.sort(x)

    def test_half_types(self, device):
        import torch

        for dtype in (torch.float16, torch.bfloat16):
            x = torch.tensor([2.0, -1.0, float("nan"), 0.5], dtype=dtype, device=device, requires_grad=True)
            assert sortile.sort(x).detach()[:3].tolist() == [-1.0, 0.5, 2.0]
