"""PyTorch's and JAX's arrays in host memory: read where they lie, or by the frameworks' own operators where these
trace, differentiate or batch the call. On a GPU: the same classes again, where there is one."""

import shutil
import subprocess
import sys
import threading
from array import array
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import arrays
import frameworks
import oracle
import sortile

DIRECTIONS = [(False, "last"), (True, "last"), (True, "largest")]


def test_host_arrays_are_read_where_they_lie(host):
    x = np.array([[3.0, 1.0], [2.0, 5.0]], "f4")
    there = host.there(x)
    for axis in (0, 1, None):
        found = sortile.sort(there, axis=axis)
        assert type(found) is type(there) and np.array_equal(host.back(found), np.sort(x, axis=axis))
        assert np.array_equal(host.back(sortile.argsort(there, axis=axis)), np.argsort(x, axis=axis, kind="stable"))
    values, counts = sortile.unique(there, return_counts=True)
    assert values.tolist() == [1, 2, 3, 5] and type(values) is type(there) and counts.tolist() == [1, 1, 1, 1]
    lanes = host.there(x.reshape(-1))
    for order in (counts, sortile.argsort_rows([lanes, lanes]), sortile.lexsort([lanes]), sortile.lexsort([there, there])):
        assert type(order) is type(there)
    assert sortile.argsort_rows([lanes, x.reshape(-1)]).tolist() == [1, 2, 0, 3]


def test_bfloat16_in_host_memory(host):
    x = host.xp.asarray(host.there(np.array([3.0, -1.0, np.nan, 2.0], "f4")), dtype=host.xp.bfloat16)
    found = sortile.sort(x)
    assert type(found) is type(x) and found.dtype == x.dtype and found[:3].tolist() == [-1, 2, 3]
    assert sortile.argsort(x, descending=True).tolist() == [0, 3, 1, 2]
    assert sortile.top_k(x, 1).values.tolist() == [3] and sortile.unique(x[:2]).tolist() == [-1, 3]
    assert sortile.segment_sort(x, [0, 2]).tolist()[:2] == [-1, 3] and "engine    cpu" in sortile.explain(x)


def test_types_by_the_frameworks_names(host):
    x = host.there(np.array([3, 1, 2], "i4"))
    for order in (sortile.argsort(x, dtype=host.xp.uint32), sortile.argsort_rows([x], dtype=host.xp.uint32),
                  sortile.lexsort([x], dtype=host.xp.uint32), sortile.segment_argsort(x, [0, 3], dtype=host.xp.uint32)):
        assert order.dtype == host.xp.uint32 and order.tolist() == [1, 2, 0]


def test_many_threads_at_once(host):
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for n in (3, 100, 5000, 60_000):
            x = rng.integers(0, 1000, n).astype(rng.choice(["u1", "f4", "i4"]))
            there = host.there(x)
            if not (np.array_equal(host.back(sortile.argsort(there)), np.argsort(x, kind="stable"))
                    and np.array_equal(host.back(sortile.sort(there, descending=True)), np.sort(x)[::-1])):
                failures.append((seed, n))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(12)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


def test_nothing_is_imported_for_those_who_do_not_use_it():
    code = ("import sys, numpy, sortile; sortile.sort(numpy.arange(5)); sortile.sort([2, 1]);"
            "print([m for m in ('torch', 'cupy', 'jax', 'pandas', 'pyarrow', 'polars', 'tqdm') if m in sys.modules])")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


class OnAGpu:
    """A tensor that says that it lies on a GPU."""

    def __dlpack__(self, **how):
        raise AssertionError("an array on a GPU was asked for")

    def __dlpack_device__(self):
        return (2, 0)

    @staticmethod
    def from_dlpack(x):
        return x

    def __array_namespace__(self):
        return OnAGpu


def test_a_gpu_array_of_an_unknown_kind_is_refused_by_name():
    with pytest.raises(TypeError, match="this OnAGpu lies in the memory of a device"):
        sortile.sort(OnAGpu())


class OfNoModule:
    """An array in host memory whose module is not there, and that has no way back."""

    __module__ = "nowhere.at.all"
    where, error = (1, 0), None

    def __dlpack__(self, **how):
        if self.error is not None:
            raise self.error
        return np.array([3, 1, 2]).__dlpack__(**how)

    def __dlpack_device__(self):
        return self.where


def test_arrays_of_an_unknown_module(monkeypatch):
    x = OfNoModule()
    assert not sortile.is_sorted(x)
    assert sortile.sort(np.array([2, 1, 0]), out=x) is x
    with pytest.raises(TypeError, match=r"nowhere, whose this OfNoModule is, has no from_dlpack\(\)"):
        sortile.sort(x)
    monkeypatch.setattr(OfNoModule, "error", ValueError("no such version"))
    with pytest.raises(TypeError, match="NumPy cannot take this OfNoModule: no such version"):
        sortile.is_sorted(x)
    monkeypatch.setattr(OfNoModule, "where", (2, 0))
    with pytest.raises(TypeError, match="this OfNoModule lies in the memory of a device"):
        sortile.sort(x)


def test_a_gpu_array_without_the_engine_is_refused_by_name(monkeypatch):
    from sortile import _gpu

    monkeypatch.setattr(_gpu.core, "has_gpu_engine", False)
    wanted = "lies on a GPU, and this package has the CPU engine alone; pip install sortile-cu13"
    with pytest.raises(TypeError, match=wanted):
        _gpu.need_gpu_engine(OnAGpu())


def test_xlas_structs_lie_as_ours_do(host):
    """xla_abi.hpp against the header of the JAX that is installed."""
    compiler = shutil.which("c++") or pytest.skip("there is no C++ compiler")
    if host.name != "jax":
        pytest.skip("JAX alone has the header")
    here, headers = Path(__file__).parent, host.jax.ffi.include_dir()
    has_details = "XLA_FFI_Error_GetDetails" in Path(headers, "xla", "ffi", "api", "c_api.h").read_text()
    ran = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", f"-I{here.parents[1] / 'python' / 'src'}",
         f"-I{headers}", *(["-DERRORS_HAVE_DETAILS"] if has_details else []), str(here / "xla_abi_check.cpp")],
        capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


class TestJax:
    @pytest.mark.parametrize("direction", DIRECTIONS)
    def test_under_jit(self, jax, direction):
        descending, nan = direction
        shapes = (((700,), 0), ((20, 30), 0), ((20, 30), 1), ((3, 4, 5), None), ((0,), 0), ((300, 200), -1))
        for seed, (shape, axis) in enumerate(shapes):
            for name in frameworks.Jax.types[seed % 3 :: 3]:
                x = arrays.fill(arrays.dtype_of(name), int(np.prod(shape)), 1, 20).reshape(shape)
                flat = x.reshape(-1) if axis is None else x
                order = oracle.lanes(flat, axis or 0, lambda lane: oracle.positions(lane, descending, nan))
                how = {"axis": axis, "descending": descending, "nan": nan}
                found, places = jax.jit(lambda a: (sortile.sort(a, **how), sortile.argsort(a, **how)))(x)
                assert oracle.same_bits(np.asarray(found), np.take_along_axis(flat, order, axis or 0)), (name, shape)
                assert np.array_equal(places, order), (name, shape)

    def test_bfloat16_under_jit(self, jax):
        x = jax.numpy.array([3, -1, float("nan"), 2], dtype="bfloat16")
        assert jax.jit(sortile.argsort)(x).tolist() == [1, 3, 0, 2]

    @settings(max_examples=25)
    @given(st.integers(0, 2**32), st.lists(st.integers(0, 6), min_size=2, max_size=4), st.data())
    def test_vmap_over_any_axis(self, jax, seed, shape, data):
        x = arrays.fill(np.dtype("f4"), int(np.prod(shape)), seed, 3).reshape(shape)
        mapped = data.draw(st.integers(0, len(shape) - 1))
        axis = data.draw(st.integers(0, len(shape) - 2))
        found = jax.vmap(lambda a: sortile.argsort(a, axis=axis), in_axes=mapped)(x)
        wanted = np.argsort(np.moveaxis(x, mapped, 0), axis=axis + 1, kind="stable")
        assert np.array_equal(found, wanted)

    def test_gradients(self, jax):
        x = arrays.fill(np.dtype("f4"), 60, 3, 1000).reshape(6, 10)
        x[~np.isfinite(x)] = 0.25
        weights = np.arange(60, dtype="f4").reshape(6, 10)
        for axis in (0, 1):
            slope = jax.grad(lambda a: (sortile.sort(a, axis=axis) * weights).sum())(x)
            wanted = np.empty_like(x)
            np.put_along_axis(wanted, np.argsort(x, axis=axis, kind="stable"), weights, axis)
            assert np.array_equal(slope, wanted)
        tangent = jax.jvp(lambda a: sortile.sort(a, axis=None, descending=True), (x,), (weights,))[1]
        assert np.array_equal(tangent, weights.reshape(-1)[sortile.argsort(x, axis=None, descending=True)])
        batched = jax.vmap(jax.grad(lambda a: (sortile.sort(a) ** 2).sum()))(x)
        assert np.allclose(batched, 2 * x)

    def test_gradients_of_values_that_travel(self, jax):
        keys = np.array([3, 1, 2], "i4")
        values = np.array([[0.5, 1], [1.5, 2], [2.5, 3]], "f4")
        weights = np.array([[1, 2], [3, 4], [5, 6]], "f4")
        slope = jax.grad(lambda v: (sortile.sort_by_key(keys, v)[1] * weights).sum())(values)
        assert np.array_equal(slope, weights[[2, 0, 1]])

    def test_other_calls_under_jit(self, jax):
        a, b = np.array([2, 1, 2, 1], "i4"), np.array([0.5, 3, 0.25, 1], "f4")
        assert jax.jit(lambda x, y: sortile.argsort_rows([x, y]))(a, b).tolist() == [3, 1, 2, 0]
        assert jax.jit(lambda x, y: sortile.lexsort([y, x]))(a, b).tolist() == [3, 1, 2, 0]
        assert jax.jit(lambda x, y: sortile.merge(sortile.sort(x), sortile.sort(y)))(b, b).tolist() == sorted([*b, *b])
        for runs in ((a, a[:1], a[:0]), (b, b[:3])):
            runs = [np.sort(r) for r in runs]
            for down, nan in ((False, "last"), (True, "last"), (True, "largest")):
                each = [r[::-1] if down else r for r in runs]
                found = jax.jit(lambda *r, down=down, nan=nan: sortile.merge(*r, descending=down, nan=nan))(*each)
                assert found.tolist() == sorted(np.concatenate(each), reverse=down)
            both = jax.vmap(sortile.merge)(*(np.stack([r, r - r.dtype.type(1)]) for r in runs))
            assert both.tolist() == [sorted(np.concatenate(runs)), sorted(np.concatenate(runs) - 1)]
        weights = np.arange(6, dtype="f4")
        slopes = jax.grad(lambda x, y: (sortile.merge(x, y) * weights).sum(), argnums=(0, 1))(np.sort(b), b[:2])
        assert [s.tolist() for s in slopes] == [[0, 1, 3, 4], [2, 5]]
        slope = jax.grad(lambda x: (x * sortile.merge(x.astype("i4"), x.astype("i4"))[2:]).sum())(b[:2])
        assert slope.tolist() == [3, 3]  # integers have no slope
        keys, values = jax.jit(sortile.sort_by_key)(a, b)
        assert keys.tolist() == [1, 1, 2, 2] and values.tolist() == [3, 1, 0.5, 0.25]
        square = (a.reshape(2, 2), b.reshape(2, 2))
        keys, values = jax.jit(lambda x, y: sortile.sort_by_key(x, y, axis=None))(*square)
        assert keys.tolist() == [1, 1, 2, 2] and values.tolist() == [3, 1, 0.5, 0.25]
        slope = jax.grad(lambda y: sortile.sort_by_key(square[0], y, axis=None)[1][0])(square[1])
        assert slope.tolist() == [[0, 1], [0, 0]]

    @pytest.mark.parametrize("nan", ["last", "largest"])
    def test_columns_that_share_a_word(self, jax, nan):
        """One sort for several columns: equal images have to be equal keys, of floats both zeros and every NaN."""
        types = ["f4", "u2", "f2", "i4", "?", "i1", "f8", "i8", "u4", "u1"]
        for wide in (False, True):
            with jax.enable_x64(wide):
                for seed in range(8):
                    rng = np.random.default_rng(seed)
                    names = [t for t in rng.choice(types, rng.integers(2, 6)) if wide or t[1:] != "8"]
                    columns = [arrays.fill(np.dtype(name), 400, seed + i, 6) for i, name in enumerate(names)]
                    for column in columns:
                        if column.dtype.kind == "f":
                            bits = column.view(f"u{column.itemsize}")
                            bits[rng.random(400) < 0.1] ^= bits.dtype.type(1 << (8 * column.itemsize - 1))
                    down = [bool(d) for d in rng.integers(0, 2, len(names))]
                    wanted = sortile.argsort_rows(columns, descending=down, nan=nan)
                    for dtype in (None, "uint32"):
                        how = {"descending": down, "nan": nan, "dtype": dtype}
                        found = jax.jit(lambda *a: sortile.argsort_rows(a, **how))(*columns)
                        assert np.array_equal(found, wanted), (names, down, seed)
                        assert found.dtype == (dtype or ("int64" if wide else "int32"))

    @pytest.mark.parametrize("direction", DIRECTIONS)
    def test_first_elements(self, jax, direction):
        largest, nan = direction
        x = arrays.fill(np.dtype("f4"), 600, 2, 40).reshape(20, 30)
        for axis in (0, 1, None):
            how = {"axis": axis, "largest": largest, "nan": nan}
            found, wanted = jax.jit(lambda a: sortile.top_k(a, 4, **how))(x), sortile.top_k(x, 4, **how)
            assert oracle.same_bits(np.asarray(found.values), np.ascontiguousarray(wanted.values))
            assert np.array_equal(found.indices, wanted.indices)
            lanes = () if axis is None else (30, 20)[axis]
            k = np.random.default_rng(3).integers(0, 6, lanes)
            found = jax.jit(lambda a, k: sortile.top_k(a, k, most=4, fill=9, **how))(x, k)
            wanted = sortile.top_k(x, k, most=4, fill=9, **how)
            assert oracle.same_bits(np.asarray(found.values), np.ascontiguousarray(wanted.values))
            assert np.array_equal(found.indices, wanted.indices)
            for call, error, word in [
                (lambda a, k: sortile.top_k(a, k.reshape(-1)[:0].reshape(1, 0), most=4, **how), ValueError, "k has the shape"),
                (lambda a, k: sortile.top_k(a, [1, 2], most=4, **how), TypeError, "k is of type list"),
                (lambda a, k: sortile.top_k(a, k * 1.5, most=4, **how), TypeError, "allowed are whole numbers"),
            ]:
                with pytest.raises(error, match=word):
                    jax.jit(call)(x, k)
        with pytest.raises(ValueError, match="most is needed"):
            jax.jit(lambda a, k: sortile.top_k(a, k))(x, np.arange(20))
        for axis, number in ((None, 3), (None, np.int8(0)), (0, 3), (-1, np.int8(2))):  # one for all lanes
            found = jax.jit(lambda a: sortile.top_k(a, number, axis=axis, most=4))(x)
            wanted = sortile.top_k(x, number, axis=axis, most=4)
            assert np.array_equal(found.indices, wanted.indices)
        for call, error, word in [
            (lambda a: sortile.top_k(a, 31, most=4), ValueError, "k = 31 of 30"),
            (lambda a: sortile.top_k(a, 601, axis=None, most=4), ValueError, "k = 601 of 600"),
            (lambda a: sortile.top_k(a, True, axis=None, most=4), TypeError, "k is True"),
            (lambda a: sortile.top_k(a, 1, axis=None, most=601), ValueError, "most = 601 of 600"),
            (lambda a: sortile.top_k(a, 1, axis=None, most=2, fill="1"), TypeError, "fill = '1' is no element of type float32"),
            (lambda a: sortile.top_k(a.astype("u1"), 1, axis=None, most=2, fill=300), ValueError, "fill = 300 is beyond"),
            (lambda a: sortile.top_k(a, a[0, 0] > 0, axis=None, most=2), TypeError, "k has elements of type bool"),
        ]:
            with pytest.raises(error, match=word):
                jax.jit(call)(x)
        found = jax.vmap(lambda a: sortile.top_k(a, 4).indices, in_axes=1)(x)
        assert np.array_equal(found, sortile.top_k(x.T, 4).indices)
        for name in ("i1", "u1", "u2", "i4", "u4"):  # its largest number is as many as there is room for
            k = np.array([np.iinfo(name).max, 1], name)
            for most in (3, 400):
                found = jax.jit(lambda a, k: sortile.top_k(a, k, most=most, fill=9))(np.tile(x.reshape(-1), (2, 1)), k)
                assert (np.asarray(found.indices[0]) >= 0).sum() == min(most, int(k[0])), (name, most)
                assert found.indices[1, 1:].tolist() == [-1] * (most - 1)
        large = jax.jit(lambda a, k: sortile.top_k(a, k, most=2, fill=2**32 - 1))(np.arange(4, dtype="u4"), np.uint32(1))
        assert large.values.tolist() == [3, 2**32 - 1]
        x[~np.isfinite(x)] = 0.25
        slope = jax.grad(lambda a: (sortile.top_k(a, 2).values * np.array([1, 10], "f4")).sum())(x)
        wanted = np.zeros_like(x)
        np.put_along_axis(wanted, sortile.top_k(x, 2).indices, np.array([[1, 10]], "f4"), 1)
        assert np.array_equal(slope, wanted)

    @pytest.mark.parametrize("name", ["f4", "i2", "?"])
    def test_quantiles(self, jax, name):
        x = arrays.fill(np.dtype(name), 600, 2, 40).reshape(20, 30)
        if name == "f4":
            x[np.isinf(x)] = 0.25
        for axis, q in ((0, 0.3), (1, [0, 0.5, 1]), (None, [[0.1], [0.9]]), (1, 0.25)):
            for method in ("linear", "lower", "higher", "nearest", "midpoint"):
                how = {"axis": axis, "method": method}
                found, wanted = jax.jit(lambda a: sortile.quantile(a, q, **how))(x), sortile.quantile(x, q, **how)
                assert found.shape == np.shape(wanted)
                assert found.dtype == (name if method in ("lower", "higher", "nearest") else "f4")
                np.testing.assert_allclose(np.asarray(found, "f8"), np.asarray(wanted, "f8"), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(jax.vmap(sortile.median, in_axes=1)(x), sortile.median(x, axis=0), rtol=1e-6)

    def test_many_quantiles(self, jax):
        """More ranks than are sliced out."""
        x = arrays.fill(np.dtype("i4"), 3000, 1, 900).reshape(10, 300)
        for n in (11, 17, 41):
            q = np.linspace(0, 1, n).tolist()
            found = jax.jit(lambda a, q=q: sortile.quantile(a, q, axis=1))(x)
            np.testing.assert_allclose(found, sortile.quantile(x, q, axis=1), rtol=1e-5)
        weights = np.arange(410, dtype="f4").reshape(41, 10)
        slope = jax.grad(lambda a: (sortile.quantile(a, q, axis=1) * weights).sum())(x.astype("f4") / 2**20)
        assert np.isclose(slope.sum(), weights.sum())

    def test_spare_arrays(self, jax):
        """What results are written to where a call of arrays on a GPU is done without a program of XLA's."""
        from sortile import _jax_now

        x = jax.numpy.arange(3)
        (device,) = x.sharding.device_set
        assert device.platform != "cpu" or _jax_now.sort(x, -1, False, "last") is None
        for spares in _jax_now.Place(device, x.sharding).spares.values():
            many = [spares.take((1000,), np.dtype("f4")) for _ in range(100)]
            assert len({address for _, address in many}) == 100
            assert all(a.shape == (1000,) and a.dtype == "f4" and a.sharding == x.sharding for a, _ in many)
            assert all(a.unsafe_buffer_pointer() == address and a.committed == spares.committed for a, address in many)
            spares.give_back(many[7])
            assert spares.take((1000,), np.dtype("f4")) is many[7]

    def test_quantiles_that_are_elements(self, jax):
        x = np.array([[2**24 + 1, 2**31 - 1, 5], [2**24 + 3, 7, 2**24 + 5]], "i4")
        for method in ("lower", "higher", "nearest"):
            for q in (0.4, np.linspace(0, 1, 41).tolist()):
                found = jax.jit(lambda a, q=q, method=method: sortile.quantile(a, q, axis=1, method=method))(x)
                wanted = np.quantile(x, q, axis=1, method=method)
                assert found.dtype == wanted.dtype and np.array_equal(found, wanted)

    def test_no_quantiles(self, jax):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        for axis in (None, 0, 1):
            found, wanted = jax.jit(lambda a, axis=axis: sortile.quantile(a, [], axis=axis))(x), np.quantile(x, [], axis=axis)
            assert found.shape == wanted.shape

    def test_quantiles_of_long_rows(self, jax):
        """By the library's call for keys at ranks; of shorter ones by a sort."""
        x = np.random.default_rng(1).permutation(2 * (2**17 + 1)).astype("f4").reshape(2, -1)
        for q in (0.25, [0.1, 0.5, 1]):
            found = jax.jit(lambda a: sortile.quantile(a, q, axis=1))(x)
            np.testing.assert_allclose(found, sortile.quantile(x, q, axis=1), rtol=1e-5)
        wanted = jax.grad(lambda a: jax.numpy.quantile(a, jax.numpy.array(0.3)))(x[0])
        slope = jax.grad(lambda a: sortile.quantile(a, 0.3))(x[0])
        np.testing.assert_allclose(slope, wanted, atol=0.01)  # JAX's place among so many has few digits of its fraction

    def test_gradients_of_quantiles(self, jax):
        x = np.random.default_rng(1).permutation(60).astype("f4").reshape(6, 10)
        for axis, q in ((0, 0.3), (1, [0.1, 0.75]), (None, 0.5)):
            slope = jax.grad(lambda a: (sortile.quantile(a, q, axis=axis) ** 2).sum())(x)
            wanted = jax.grad(lambda a: (jax.numpy.quantile(a, jax.numpy.array(q), axis=axis) ** 2).sum())(x)
            np.testing.assert_allclose(slope, wanted, rtol=1e-4, atol=1e-4)
        whole = jax.grad(lambda a: (a * sortile.median(a.astype("int32"))).sum())(x)  # integers have no slope
        assert np.array_equal(whole, np.full_like(x, np.median(x)))

    @pytest.mark.parametrize("offsets", [[0, 3, 3, 250], ([200, 3], [300, 150])])
    def test_segments(self, jax, offsets):
        x = arrays.fill(np.dtype("f4"), 300, 2, 40)
        for descending, nan in DIRECTIONS:
            how = {"descending": descending, "nan": nan}
            found = jax.jit(lambda a: (sortile.segment_sort(a, offsets, **how),
                                       sortile.segment_argsort(a, offsets, **how)))(x)
            assert oracle.same_bits(np.asarray(found[0]), sortile.segment_sort(x, offsets, **how))
            assert np.array_equal(found[1], sortile.segment_argsort(x, offsets, **how))
        given_there = jax.tree.map(lambda side: jax.numpy.array(side), offsets, is_leaf=lambda o: isinstance(o, list))
        found = jax.jit(sortile.segment_sort)(x, given_there)
        assert oracle.same_bits(np.asarray(found), sortile.segment_sort(x, offsets))
        found = jax.vmap(lambda a: sortile.segment_sort(a, offsets))(np.stack([x, x[::-1]]))
        assert oracle.same_bits(np.asarray(found[1]), sortile.segment_sort(x[::-1], offsets))
        order = sortile.segment_sort_by_key(x, np.arange(300), offsets)[1]
        weights = np.arange(300, dtype="f4")
        wanted = np.empty_like(x)
        wanted[order] = weights
        slope = jax.grad(lambda a: (sortile.segment_sort(a, offsets) * weights).sum())(np.arange(300, dtype="f4"))
        assert np.array_equal(slope, weights)
        slope = jax.grad(lambda v: (sortile.segment_sort_by_key(x, v, offsets)[1] * weights).sum())(x)
        assert np.array_equal(slope, wanted)

    @pytest.mark.parametrize("offsets", [[0, 3, 3, 250], ([200, 3], [300, 150]), [5], ([], [])])
    def test_first_elements_of_segments(self, jax, offsets):
        x = arrays.fill(np.dtype("f4"), 300, 2, 40)
        there = jax.tree.map(lambda side: jax.numpy.array(side, "int32"), offsets, is_leaf=lambda o: isinstance(o, list))
        segments = len(offsets[0]) if isinstance(offsets, tuple) else max(0, len(offsets) - 1)
        k = np.random.default_rng(3).integers(0, 6, segments)

        def same(found, wanted):
            assert oracle.same_bits(np.asarray(found.values), wanted.values), (found, wanted)
            assert np.array_equal(found.indices, wanted.indices)

        for largest, nan in DIRECTIONS:
            how = {"largest": largest, "nan": nan}
            for where in (offsets, there):
                same(jax.jit(lambda a: sortile.segment_top_k(a, 4, where, fill=7, **how))(x),
                     sortile.segment_top_k(x, 4, offsets, fill=7, **how))
                wanted = sortile.segment_top_k(x, k, offsets, most=4, **how)
                for of_each in (k, k.tolist(), jax.numpy.array(k, "int32")):
                    same(jax.jit(lambda a: sortile.segment_top_k(a, of_each, where, most=4, **how))(x), wanted)
                same(jax.jit(lambda a, k, w: sortile.segment_top_k(a, k, w, most=4, **how))(x, k, there), wanted)
                same(jax.jit(lambda a: sortile.segment_top_k(a, k, where, **how))(x), sortile.segment_top_k(x, k, offsets, **how))
        for name in arrays.INTEGERS:
            if np.dtype(name).isnative and np.dtype(name).itemsize < 8:
                y = arrays.fill(np.dtype(name), 300, 2, 40)
                same(jax.jit(lambda a: sortile.segment_top_k(a, 4, there, fill=1))(y), sortile.segment_top_k(y, 4, offsets, fill=1))
        empty = jax.jit(lambda a: sortile.segment_top_k(a, 2, [0, 0], fill=3))(x[:0])
        assert empty.values.tolist() == [[3, 3]] and empty.indices.tolist() == [[-1, -1]]

    def test_what_traced_segments_have_no_k_for(self, jax):
        x, offsets = np.arange(10, dtype="f4"), [0, 4, 10]
        for name in ("i1", "u1", "i2", "u2", "i4", "u4"):  # its largest number is as many as there is room for
            k = np.array([np.iinfo(name).max, np.iinfo(name).min], name)
            k[1] = k[1] or 1
            found = jax.jit(lambda a, k: sortile.segment_top_k(a, k, offsets, most=5))(x, k)
            assert found.indices.tolist() == [[3, 2, 1, 0, -1], [-1 if name[0] == "i" else 5] + [-1] * 4]
        large = jax.jit(lambda a: sortile.segment_top_k(a, 2, [0, 1], fill=2**32 - 1))(np.arange(4, dtype="u4"))
        assert large.values.tolist() == [[0, 2**32 - 1]]
        odd = jax.jit(lambda a: sortile.segment_top_k(a, 2, jax.numpy.array([8, 10, 10]), fill=-0.0))(x)
        assert odd.values.tolist() == [[9, 8], [-0.0, -0.0]] and np.signbit(odd.values[1]).all()
        for call, error, word in [
            (lambda a, k: sortile.segment_top_k(a, k, offsets), ValueError, "most is needed, the number of columns"),
            (lambda a, k: sortile.segment_top_k(a, k[:1], offsets, most=2), ValueError, r"k has the shape \(1,\); .* \(2,\) here"),
            (lambda a, k: sortile.segment_top_k(a, k * 1.5, offsets, most=2), TypeError, "k has elements of type float32"),
            (lambda a, k: sortile.segment_top_k(a, k > 1, offsets, most=2), TypeError, "k has elements of type bool"),
            (lambda a, k: sortile.segment_top_k(a, [1, -1], offsets, most=2), ValueError, "k = -1; allowed are 0 and more"),
            (lambda a, k: sortile.segment_top_k(a, -1, offsets), ValueError, "k = -1; allowed are 0 and more"),
            (lambda a, k: sortile.segment_top_k(a, True, offsets), TypeError, "k is True"),
            (lambda a, k: sortile.segment_top_k(a, k, offsets, most=-1), ValueError, "most = -1"),
            (lambda a, k: sortile.segment_top_k(a, 2.5, offsets, most=2), TypeError, "k is 2.5"),
            (lambda a, k: sortile.segment_top_k(a, 2, [0, 11]), ValueError, "beyond"),
            (lambda a, k: sortile.segment_top_k(a, 2, k * 0.5), TypeError, "offsets that are"),
            (lambda a, k: sortile.segment_top_k(a.reshape(2, 5), 2, offsets), ValueError, "one axis"),
            (lambda a, k: sortile.segment_top_k(a + 1j, 2, offsets), TypeError, "elements of type complex64 have no order here"),
            (lambda a, k: sortile.segment_top_k(a, 2, offsets, fill="1"), TypeError, "segment_top_k: fill = '1' is no element"),
            (lambda a, k: sortile.segment_top_k(a, 2, offsets, largest="no"), TypeError, "largest is 'no'"),
            (lambda a, k: sortile.segment_top_k(a, 2, offsets, nan="first"), ValueError, 'nan must be "last"'),
            (lambda a, k: sortile.segment_top_k(a, 2, offsets, progress=print), ValueError, "progress cannot be told"),
        ]:
            with pytest.raises(error, match=word):
                jax.jit(call)(x, np.array([1, 2]))

    def test_k_and_offsets_that_are_traced_alone(self, jax):
        """The keys are then of any kind that JAX takes: what is traced says who does the work."""
        keys, k, offsets = np.array([1, 2, 3, 6, 5, 4], "f4"), np.array([1, 2]), np.array([0, 3, 6])
        for x in (jax.numpy.array(keys), keys, keys.tolist()):
            found = jax.jit(lambda k: sortile.segment_top_k(x, k, offsets, most=2))(k)
            assert found.values.tolist() == [[3, 0], [6, 5]] and found.indices.tolist() == [[2, -1], [0, 1]]
            found = jax.jit(lambda k: sortile.segment_top_k(x, k, offsets, most=3))(2)  # one for all segments
            assert found.indices.tolist() == [[2, 1, -1], [0, 1, -1]]
            found = jax.jit(lambda o: sortile.segment_top_k(x, 2, o, most=3))(offsets)
            assert found.indices.tolist() == [[2, 1, -1], [0, 1, -1]]
            one, two, three = jax.jit(lambda o: (
                sortile.segment_top_k(x, 1, o).values, sortile.segment_sort(x, o), sortile.segment_argsort(x, o)))(offsets)
            assert one.tolist() == [[3], [6]] and two.tolist() == [1, 2, 3, 4, 5, 6] and three.tolist() == [0, 1, 2, 2, 1, 0]
            found = jax.jit(lambda k: sortile.top_k(x, k, most=3))(2)
            assert found.values.tolist() == [6, 5, 0]
        found = jax.jit(lambda k: sortile.top_k(keys.reshape(2, 3), k, most=2))(k)
        assert found.indices.tolist() == [[2, -1], [0, 1]]
        for concrete in (jax.numpy.array(k), k):  # which are read, wherever they lie
            found = sortile.segment_top_k(keys, concrete, jax.numpy.array(offsets))
            assert type(found.values) is np.ndarray and found.values.tolist() == [[3, 0], [6, 5]]
            assert type(sortile.segment_sort(keys, jax.numpy.array(offsets))) is np.ndarray
        for call in (lambda k: sortile.segment_top_k(keys, k, offsets), lambda k: sortile.top_k(keys.reshape(2, 3), k)):
            with pytest.raises(ValueError, match="most is needed"):
                jax.jit(call)(k)
        with pytest.raises(TypeError, match="^sortile.segment_top_k: k is traced by JAX, which does not take an array of type ndarray"):
            jax.jit(lambda k: sortile.segment_top_k(np.array(["a"]), k, [0, 1], most=1))(k[:1])
        with pytest.raises(TypeError, match="^sortile: this list cannot be taken as an array: .*traced"):
            jax.jit(lambda x: sortile.sort([x, x]))(keys)

    @pytest.mark.parametrize("offsets", [[0, 3, 3, 250], ([200, 3], [300, 150])])
    def test_gradients_of_first_elements_of_segments(self, jax, offsets):
        x = np.random.default_rng(1).permutation(300).astype("f4")
        found = sortile.segment_top_k(x, 4, offsets)
        weights = np.arange(1, found.values.size + 1, dtype="f4").reshape(found.values.shape)
        begins = np.array(offsets[0] if isinstance(offsets, tuple) else offsets[:-1])
        wanted = np.zeros_like(x)
        np.add.at(wanted, (begins[:, None] + found.indices)[found.indices >= 0], weights[found.indices >= 0])
        for largest in (True, False):
            slope = jax.grad(lambda a: (sortile.segment_top_k(a, 4, offsets, largest=largest, fill=2).values * weights).sum())
            assert np.array_equal(slope(x if largest else -x), wanted)
        tangent = jax.jvp(lambda a: sortile.segment_top_k(a, 4, offsets).values, (x,), (2 * x,))[1]
        assert np.array_equal(tangent, 2 * found.values)
        none = jax.grad(lambda a: sortile.segment_top_k(a, 2, [0, 0]).values.sum())(x[:0])
        assert none.shape == (0,)
        whole = jax.grad(lambda a: (a[:1] * sortile.segment_top_k(a.astype("int32"), 1, [0, 300]).values[0]).sum())(x)
        assert whole[0] == 299
        both = jax.vmap(lambda a: sortile.segment_top_k(a, 4, offsets).indices)(np.stack([x, x[::-1]]))
        assert np.array_equal(both[1], sortile.segment_top_k(x[::-1], 4, offsets).indices)

    @pytest.mark.parametrize("offsets", [[0, 3, 3, 250], ([200, 3], [300, 150]), [5], ([], [])])
    def test_quantiles_and_partitions_of_segments(self, jax, offsets):
        there = jax.tree.map(lambda side: jax.numpy.array(side, "int32"), offsets, is_leaf=lambda o: isinstance(o, list))
        for name in ("f4", "i2", "u4", "?", "f2"):
            x = arrays.fill(np.dtype(name), 300, 2, 40)
            for where in (offsets, there):
                for method in ("linear", "lower", "higher", "nearest", "midpoint"):
                    for q in (0.5, [0, 0.25, 1], []):
                        found = jax.jit(lambda a: sortile.segment_quantile(a, q, where, method=method))(x)
                        wanted = sortile.segment_quantile(x, q, offsets, method=method)
                        chosen = method in ("lower", "higher", "nearest")
                        assert found.shape == wanted.shape and found.dtype == (wanted.dtype if chosen else "f4")
                        np.testing.assert_allclose(np.asarray(found, "f8"), np.asarray(wanted, "f8"), rtol=1e-5, atol=1e-6)
                found = jax.jit(lambda a, o: sortile.segment_partition(a, 3, o))(x, there)
                assert oracle.same_bits(np.asarray(found), sortile.segment_sort(x, offsets))
        x = arrays.fill(np.dtype("f4"), 300, 2, 4000)
        x[~np.isfinite(x)] = 0.25
        both = jax.vmap(lambda a: sortile.segment_median(a, offsets))(np.stack([x, -x]))
        np.testing.assert_allclose(both, [sortile.segment_median(a, offsets) for a in (x, -x)], rtol=1e-6)
        empty = jax.jit(lambda a: sortile.segment_quantile(a, [0.5], [0, 0], method="lower"))(np.zeros(0, "i4"))
        assert empty.tolist() == [[0]]

    def test_what_traced_segments_have_no_quantiles_of(self, jax):
        for call, error, word in [
            (lambda a: sortile.segment_median(a, [0, 11]), ValueError, "beyond"),
            (lambda a: sortile.segment_median(a, a), TypeError, "offsets that are"),
            (lambda a: sortile.segment_median(a.reshape(2, 5), [0, 5]), ValueError, "one axis"),
            (lambda a: sortile.segment_median(a + 1j, [0, 5]), TypeError, "elements of type complex64 have no order here"),
            (lambda a: sortile.segment_quantile(a, 2, [0, 5]), ValueError, "0 to 1"),
            (lambda a: sortile.segment_partition(a, -1, [0, 5]), ValueError, "kth = -1"),
            (lambda a: sortile.segment_median(a, [0, 5], progress=print), ValueError, "progress cannot be told"),
        ]:
            with pytest.raises(error, match=word):
                jax.jit(call)(np.arange(10, dtype="f4"))

    def test_gradients_of_quantiles_of_segments(self, jax):
        x = np.random.default_rng(1).permutation(300).astype("f4")
        for offsets in ([0, 3, 3, 250], ([200, 3], [300, 150])):
            begins, ends = offsets if isinstance(offsets, tuple) else (offsets[:-1], offsets[1:])
            parts = [(b, e) for b, e in zip(begins, ends) if e > b]
            for q in (0.5, [0.0, 0.3]):
                slope = jax.grad(lambda a: jax.numpy.nansum(sortile.segment_quantile(a, q, offsets) ** 2))(x)
                wanted = jax.grad(lambda a: sum((sortile.quantile(a[b:e], q) ** 2).sum() for b, e in parts))(x)
                np.testing.assert_allclose(slope, wanted, rtol=1e-4, atol=1e-4)

    def test_narrow_values_of_many_rows(self, jax):
        keys = arrays.fill(np.dtype("i4"), 3000, 1, 30).reshape(10, 300)
        values = np.arange(3000).astype("u1").reshape(10, 300)
        found = jax.vmap(sortile.sort_by_key)(keys, values)[1]
        assert np.array_equal(found, np.take_along_axis(values, np.argsort(keys, kind="stable"), 1))

    def test_partition(self, jax):
        x = arrays.fill(np.dtype("f4"), 3000, 1, 900).reshape(10, 300)
        weights = np.arange(3000, dtype="f4").reshape(10, 300)
        for axis in (0, 1, None):
            found = jax.jit(lambda a, axis=axis: sortile.partition(a, 7, axis=axis))(x)
            assert np.array_equal(found, np.sort(x, axis=axis), equal_nan=True)
        slope = jax.grad(lambda a: (sortile.partition(a, 7) * weights).sum())(x)
        assert np.array_equal(slope, np.take_along_axis(weights, np.argsort(np.argsort(x, kind="stable")), 1))

    def test_what_is_refused(self, jax):
        with pytest.raises(TypeError, match="have no order here"):
            jax.jit(sortile.sort)(np.zeros(3, "c8"))
        with pytest.raises(TypeError, match="allowed are int64, int32, uint32"):
            jax.jit(lambda x: sortile.argsort(x, dtype="int16"))(np.zeros(3, "f4"))
        with pytest.raises(TypeError, match="this DynamicJaxprTracer is traced, and this call reads its elements"):
            jax.jit(lambda x: sortile._arrays.given(x)[0])(np.zeros(3, "f4"))
        with pytest.raises(ValueError, match="kth = 3 of 3 elements; allowed are -3 to 2"):
            jax.jit(lambda x: sortile.partition(x, 3))(np.zeros(3, "f4"))
        with pytest.raises(ValueError, match="progress cannot be told"):
            jax.jit(lambda x: sortile.sort(x, progress=print))(np.zeros(3, "f4"))
        for call in (sortile.unique, sortile.unique_all, sortile.unique_values, sortile.group_by):
            with pytest.raises(jax.errors.ConcretizationTypeError, match="sortile: .* whose shapes the elements decide"):
                jax.jit(call)(np.zeros(3, "f4"))
        with pytest.raises(jax.errors.ConcretizationTypeError, match="sortile: .* a bool of Python's"):
            jax.jit(sortile.is_sorted)(np.zeros(3, "f4"))
        gone = jax.numpy.zeros(3)
        gone.delete()
        for call in (sortile.sort, sortile.is_sorted, sortile.unique, sortile.group_by, sortile.median):
            with pytest.raises(RuntimeError, match="deleted"):
                call(gone)

    def test_descending_is_checked_once(self, jax):
        class Number(int):
            compared = 0

            def __eq__(self, other):
                Number.compared += 1
                return int(self) == other

            __hash__ = int.__hash__

        x, offsets = np.zeros(3, "f4"), [0, 3]
        calls = [lambda a, down: sortile.sort(a, descending=down), lambda a, down: sortile.argsort(a, descending=down),
                 lambda a, down: sortile.sort_by_key(a, a + 1, descending=down),
                 lambda a, down: sortile.merge(a, a, descending=down),
                 lambda a, down: sortile.segment_sort(a, offsets, descending=down),
                 lambda a, down: sortile.segment_argsort(a, offsets, descending=down),
                 lambda a, down: sortile.segment_sort_by_key(a, a + 1, offsets, descending=down)]
        for call in calls:
            with pytest.raises(TypeError, match="descending is 'no'"):
                jax.jit(lambda a: call(a, "no"))(x)
            Number.compared = 0
            jax.jit(lambda a: call(a, Number(1)))(x)
            assert Number.compared == 2  # with 0 and with 1


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
