"""route against NumPy's stable argsort; PyTorch's and JAX's arrays against NumPy's."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arrays
import frameworks
import sortile
from sortile._route import host_route

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">u8"]


def routed(experts, count, block):
    """What a routing is, by NumPy: outputs in their order, as int64."""
    flat = experts.reshape(-1).astype(object)  # of any type, with its own order
    n = len(flat)
    lives = np.array([0 <= e < count for e in flat], bool)
    numbers = np.where(lives, flat, count).astype(np.int64)
    order = np.argsort(numbers, kind="stable")
    counts = np.bincount(numbers, minlength=count + 1)[:count]
    offsets = np.concatenate([[0], np.cumsum(-(-counts // block) * block)])
    rows = (n + min(n, count) * (block - 1)) // block * block
    in_rows, inverse, block_experts = np.full(rows, n), np.full(n, -1), np.full(rows // block, -1)
    taken = 0
    for e in range(count):
        pairs = order[taken : taken + counts[e]]
        taken += counts[e]
        where = np.arange(offsets[e], offsets[e] + counts[e])
        in_rows[where], inverse[pairs] = pairs, where
        block_experts[offsets[e] // block : offsets[e + 1] // block] = e
    return offsets, counts, in_rows, inverse.reshape(experts.shape), block_experts, np.array(n - counts.sum())


def assert_routed(found, experts, count, block, dtype="int64"):
    for name, a, wanted in zip(found._fields, found, routed(experts, count, block), strict=True):
        assert a.dtype == dtype and a.shape == wanted.shape, name
        np.testing.assert_array_equal(a, wanted, err_msg=name)


def on_host(found, back):
    return type(found)(*map(back, found))


def some(dtype, shape, count, seed=1):
    """Mostly numbers of experts; some below and above."""
    r, limits = np.random.default_rng(seed), np.iinfo(dtype)
    low, high = max(limits.min, -1), min(limits.max, count)
    x = r.integers(low, high, shape, endpoint=True).astype(dtype)
    return np.where(r.random(shape) < 0.02, np.array(limits.max, dtype), x).astype(dtype)


@given(st.sampled_from(TYPES), st.integers(0, 900), st.sampled_from([1, 2, 7, 64, 300, 4096]), st.sampled_from([1, 3, 16, 128]),
       st.sampled_from(["int32", "int64"]), st.sampled_from(["plain", "gaps", "backwards", "unaligned", "read-only"]),
       st.integers(0, 2**32))
def test_against_a_stable_argsort(dtype, n, count, block, numbers, layout, seed):
    x = some(dtype, n, count, seed)
    given_so = arrays.laid_out(x, layout)
    assert_routed(sortile.route(given_so, count, block=block, dtype=numbers), x, count, block, numbers)
    np.testing.assert_array_equal(given_so, x)


@pytest.mark.parametrize("shape", [(), (5, 2), (0, 4), (3, 0), (4, 3, 2)])
def test_pairs_are_read_row_by_row(shape):
    x = some("i4", shape, 5)
    for there in (x, np.asfortranarray(x), np.broadcast_to(x, (2, *shape))[1]):
        assert_routed(sortile.route(there, 5, block=4), there, 5, 4)
    assert_routed(sortile.route(x.T, 5), x.T, 5, 1)


def test_many_pairs_on_several_threads():
    x = some("i8", 300_000, 4096)
    for threads in (1, 3):
        assert_routed(sortile.route(x, 4096, block=16, threads=threads), x, 4096, 16)


def test_all_are_dropped_and_all_go_to_one():
    for e in (-1, 2, 3):
        x = np.full(1000, e, "i4")
        assert_routed(sortile.route(x, 3, block=64), x, 3, 64)
    assert sortile.route(np.array([4095, 4096]), 4096).inverse.tolist() == [0, -1]


def test_lists_and_subclasses():
    assert sortile.route([1, 0, 1], 2).order.tolist() == [1, 0, 2]
    assert sortile.route([], 2).offsets.tolist() == [0, 0, 0]
    found = sortile.route(np.array([1, 0]).view(np.recarray), 2)
    assert all(type(a) is np.ndarray for a in found)


def rows_by_expert(x, found, block):
    """Tokens gathered to rows, a weight for each expert, and back: a layer with a mixture of experts."""
    tokens, weights = np.arange(x.shape[0]) + 1.0, np.arange(10) + 1.0
    gathered = np.append(np.repeat(tokens, x.shape[1]), 0)[found.order]
    product = gathered * np.repeat(np.append(weights, 0)[found.block_experts], block)
    return np.where(found.inverse < 0, 0, product[found.inverse])


def test_it_serves_a_layer_of_experts():
    x = some("i4", (50, 2), 10)
    found = sortile.route(x, 10, block=8)
    lives = (x >= 0) & (x < 10)
    np.testing.assert_array_equal(rows_by_expert(x, found, 8), np.where(lives, (np.arange(50)[:, None] + 1) * (x + 1.0), 0))


def test_what_is_refused():
    x = np.zeros(5, "i4")
    for call, error, words in [
        (lambda: sortile.route(x, 0), ValueError, "expert_count = 0; allowed are 1 to 4096"),
        (lambda: sortile.route(x, 4097), ValueError, "expert_count = 4097"),
        (lambda: sortile.route(x, -3), ValueError, "expert_count = -3"),
        (lambda: sortile.route(x, 2.0), TypeError, "expert_count is 2.0"),
        (lambda: sortile.route(x, 2, block=0), ValueError, "block = 0"),
        (lambda: sortile.route(x, 2, block=2**70), ValueError, "multiples of 1 to 2147483647 for 2 experts"),
        (lambda: sortile.route(np.broadcast_to(x[:1], 2**32), 1), ValueError, "4294967296 rows may be needed; results of int64 have 4294967294"),
        (lambda: sortile.route(x, 1, block=2**31, dtype="int32"), ValueError, "results of int32 have 2147483647"),
        (lambda: sortile.route(x, 2, dtype=np.uint32), TypeError, "results of dtype uint32 asked for; allowed are int64, int32"),
        (lambda: sortile.route(x, 2, threads=0), ValueError, "threads is 0"),
        (lambda: sortile.route(x * 1.0, 2), TypeError, "experts of type float64; they are numbered by integers"),
        (lambda: sortile.route(x > 1, 2), TypeError, "experts of type bool"),
        (lambda: sortile.route(np.zeros(0), 2), TypeError, "experts of type float64"),
        (lambda: sortile.route(np.ma.array(x), 2), TypeError, "masked"),
    ]:
        with pytest.raises(error, match=words):
            call()


def test_what_an_operator_is_given_is_checked():
    """As `route` checks it: whoever calls an operator of PyTorch's by itself may give it anything."""
    x = np.zeros(5, "i4")
    for arguments, error, words in [
        ((1, 2**31, "int32"), ValueError, "results of int32 have 2147483647"),
        ((2, 1, "uint32"), TypeError, "results of dtype uint32 asked for"),
        ((2, 1, "f"), TypeError, "results of dtype float32 asked for"),
        ((0, 1, "int64"), ValueError, "expert_count = 0"),
    ]:
        with pytest.raises(error, match=f"^sortile.route: .*{words}"):
            host_route(x, *arguments, None)


def test_host_arrays_of_frameworks(host):
    x = some("i4", (40, 3), 7)
    there = host.there(x)
    found = sortile.route(there, 7, block=16, dtype=host.xp.int32)
    assert all(type(a) is type(there) for a in found)
    assert_routed(on_host(found, host.back), x, 7, 16, "int32")
    with pytest.raises(TypeError, match="they are numbered by integers"):
        sortile.route(host.there(np.zeros(3, "f4")), 7)


class TestJax:
    @pytest.mark.parametrize("dtype", ["i1", "u2", "i4"])
    def test_under_jit(self, jax, dtype):
        for shape, count, block in (((300,), 8, 1), ((50, 4), 100, 16), ((0,), 3, 4), ((), 3, 4)):
            x = some(dtype, shape, count)
            found = jax.jit(lambda a: sortile.route(a, count, block=block))(x)
            assert_routed(on_host(found, np.asarray), x, count, block, "int32")

    def test_vmap(self, jax):
        x = some("i4", (3, 60), 5)
        found = jax.vmap(lambda a: sortile.route(a, 5, block=8))(x)
        for number, lane in enumerate(x):
            assert_routed(on_host(found, lambda a: np.asarray(a[number])), lane, 5, 8, "int32")

    def test_gradients_go_through_what_it_orders(self, jax):
        weights = np.arange(12, dtype="f4").reshape(4, 3)

        def loss(a):
            best = sortile.top_k(a, 1).indices.reshape(-1)
            found = sortile.route(best, 3)
            return (a.reshape(-1)[found.order * 3] * weights.reshape(-1)[:4]).sum()

        x = np.array([[0, 2, 1], [5, 1, 1], [0, 0, 7], [9, 1, 2]], "f4")
        wanted = np.zeros_like(x)
        wanted[sortile.route(x.argmax(1), 3).order, 0] = weights.reshape(-1)[:4]
        assert np.array_equal(jax.grad(loss)(x), wanted)


@pytest.mark.filterwarnings("ignore")  # PyTorch warns of itself
class TestTorch:
    def test_the_operator_obeys_torchs_rules(self, device):
        import torch

        x = torch.from_numpy(some("i4", (40, 3), 7)).to(device)
        torch.library.opcheck(torch.ops.sortile.route.default, (x, 7, 16, "int32"))
        with pytest.raises(ValueError, match="results of int32 have 2147483647"):
            torch.ops.sortile.route.default(x, 1, 2**31, "int32")

    def test_under_compile(self, device):
        import torch

        import sortile.torch

        compiled = torch.compile(lambda a: sortile.route(a, 7, block=16), backend="eager", fullgraph=True, dynamic=True)
        for n in (40, 80, 3):
            x = some("i8", (n, 3), 7, n)
            found = compiled(torch.from_numpy(x).to(device))
            assert_routed(on_host(found, lambda a: a.cpu().numpy()), x, 7, 16)


class TestOnAGpu:
    def test_every_type(self, gpu):
        for dtype in (t for t in gpu.types if t[0] in "iu"):
            for shape, count, block in (((5000, 8), 64, 16), ((70_000,), 2000, 1), ((0,), 3, 4)):
                x = some(dtype, shape, count)
                for there, seen in ((gpu.there(x), x), (gpu.there(x)[::2], x[::2])):
                    found = sortile.route(there, count, block=block, dtype="int32")
                    assert_routed(on_host(found, gpu.back), seen, count, block, "int32")

    def test_a_graph_can_be_replayed(self):
        torch = frameworks.on_gpu("torch").xp
        x = torch.zeros(4096, 8, dtype=torch.int32, device="cuda")
        sortile.route(x, 64, block=128)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = sortile.route(x, 64, block=128)
        for seed in range(3):
            experts = some("i4", (4096, 8), 64, seed)
            x.copy_(torch.from_numpy(experts))
            graph.replay()
            assert_routed(on_host(found, lambda a: a.cpu().numpy()), experts, 64, 128)

    def test_what_is_refused(self, gpu):
        there = gpu.there(np.zeros(3, "i4"))
        for call, error, words in [
            (lambda: sortile.route(gpu.there(np.zeros(3, "f4")), 2), TypeError, "numbered by integers"),
            (lambda: sortile.route(there, 5000), ValueError, "expert_count = 5000"),
            (lambda: sortile.route(there, 2, dtype="int16"), TypeError, "allowed are int64, int32"),
        ]:
            with pytest.raises(error, match=words):
                call()
