"""JAX's arrays in host memory, by its own operators where it traces, differentiates or batches the call. On a GPU: the same
class again, where there is one."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import arrays
import frameworks
import oracle
import sortile

DIRECTIONS = [(False, "last"), (True, "last"), (True, "largest")]


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
            same_k = sortile.segment_top_k(x, k, offsets, most=4, **how)
            wanted = [sortile.segment_top_k(x, 4, offsets, fill=7, **how), *[same_k] * 4, sortile.segment_top_k(x, k, offsets, **how)]
            for where in (offsets, there):

                def calls(a, traced_k, traced_where):
                    yield sortile.segment_top_k(a, 4, where, fill=7, **how)
                    for of_each in (k, k.tolist(), jax.numpy.array(k, "int32")):
                        yield sortile.segment_top_k(a, of_each, where, most=4, **how)
                    yield sortile.segment_top_k(a, traced_k, traced_where, most=4, **how)
                    yield sortile.segment_top_k(a, k, where, **how)

                at_once = jax.jit(lambda *given: list(calls(*given)))(x, k, there)
                assert len(at_once) == len(wanted)
                for found, right in zip(at_once, wanted):
                    same(found, right)
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
                ways = [(q, method) for method in ("linear", "lower", "higher", "nearest", "midpoint") for q in (0.5, [0, 0.25, 1], [])]
                at_once = jax.jit(lambda a: [sortile.segment_quantile(a, q, where, method=method) for q, method in ways])(x)
                for (q, method), found in zip(ways, at_once):
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
                slope = jax.grad(lambda a: jax.numpy.nansum(sortile.segment_quantile(a, q, offsets) ** 2))
                slope = (jax.jit(slope) if isinstance(q, list) else slope)(x)  # with jit, and without
                wanted = jax.jit(jax.grad(lambda a: sum((sortile.quantile(a[b:e], q) ** 2).sum() for b, e in parts)))(x)
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
