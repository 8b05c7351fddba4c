"""Parts of sorts, and sorts within segments, of arrays on a GPU: PyTorch's, CuPy's and JAX's, against what NumPy says of
the same elements."""

import numpy as np
import pytest

import frameworks
import oracle
import sortile
from arrays import DIRECTIONS, filled


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("shape, axis", [((200_000,), 0), ((3000,), -1), ((40, 1000), 1), ((1000, 40), 0), ((4, 300), None),
                                         ((0, 7), 1), ((1,), 0)])
def test_top_k(gpu, direction, shape, axis):
    largest, nan = direction
    for name in frameworks.some_types(gpu, len(shape))[:: 3 if gpu.name == "jax" else 2]:
        x = filled(name, int(np.prod(shape)), distinct=300).reshape(shape)
        there = gpu.there(x)
        n = x.size if axis is None else x.shape[axis]
        for k in (0, min(n, 5), n):
            found = sortile.top_k(there, k, axis=axis, largest=largest, nan=nan)
            wanted = sortile.top_k(x, k, axis=axis, largest=largest, nan=nan)
            assert oracle.same_bits(gpu.back(found.values), np.ascontiguousarray(wanted.values)), (name, k)
            assert np.array_equal(gpu.back(found.indices), wanted.indices), (name, k)
        of_lanes = np.asarray(np.random.default_rng(1).integers(-1, n + 1, () if axis is None else np.delete(shape, axis)))
        for most, dtype in ((min(n, 9), of_lanes.dtype), (n, "i4"), (min(n, 300), "i2")):
            how = {"axis": axis, "largest": largest, "nan": nan, "most": most, "fill": 1}
            given_k = np.minimum(of_lanes, 2**15 - 1).astype(dtype)
            found, wanted = sortile.top_k(there, gpu.there(given_k), **how), sortile.top_k(x, np.maximum(given_k, 0), **how)
            if gpu.name == "jax" and largest and nan == "last" and x.dtype.kind == "f":  # NaN may lose its sign
                assert np.array_equal(gpu.back(found.values), wanted.values, equal_nan=True), (name, most)
            else:
                assert oracle.same_bits(gpu.back(found.values), np.ascontiguousarray(wanted.values)), (name, most)
            assert np.array_equal(gpu.back(found.indices), wanted.indices), (name, most)
        assert oracle.same_bits(gpu.back(there), x)
    with pytest.raises(ValueError, match=f"k = {n + 1} of {n} elements"):
        sortile.top_k(there, n + 1, axis=axis)


@pytest.mark.parametrize("shape, axis", [((700_000,), 0), ((3000,), -1), ((40, 1000), 1), ((1000, 40), 0), ((4, 300), None),
                                         ((1,), 0)])
def test_quantile(gpu, shape, axis):
    def same(found, wanted, method="linear"):
        if gpu.name != "jax":
            return np.array_equal(found, wanted, equal_nan=True)
        if method in ("lower", "higher", "nearest"):  # elements
            return found.dtype == wanted.dtype and np.array_equal(found, wanted, equal_nan=found.dtype.kind == "f")
        largest = np.abs(x[np.isfinite(x)].astype("f8")).max(initial=1)  # computed in 32 bits, where others have 64
        return found.dtype == "f4" and np.allclose(found, wanted, rtol=1e-5, atol=1e-6 * largest, equal_nan=True)

    for name in frameworks.some_types(gpu, len(shape))[::2]:
        x = filled(name, int(np.prod(shape)), distinct=300).reshape(shape)
        for method in ("linear", "lower", "higher", "nearest", "midpoint"):
            for q in (0.5, [0, 0.1, 0.9, 1], [[0.25], [0.75]]):
                found = gpu.back(sortile.quantile(gpu.there(x), q, axis=axis, method=method))
                wanted = sortile.quantile(x, q, axis=axis, method=method)
                assert same(found, wanted, method) and found.shape == np.shape(wanted), (name, method)
        found = gpu.back(sortile.median(gpu.there(x), axis=axis))
        assert same(found, sortile.median(x, axis=axis)), name
    with pytest.raises(ValueError, match="at least one"):
        sortile.median(gpu.there(x[..., :0]))


@pytest.mark.parametrize("shape, axis", [((200_000,), 0), ((3000,), -1), ((40, 1000), 1), ((1000, 40), 0), ((4, 300), None),
                                         ((0, 7), 1), ((1,), 0)])
def test_partition(gpu, shape, axis):
    n = int(np.prod(shape)) if axis is None else shape[axis]
    for name in frameworks.some_types(gpu, len(shape))[:: 3 if gpu.name == "jax" else 2]:
        x = filled(name, int(np.prod(shape)), distinct=300).reshape(shape)
        there = gpu.there(x)
        rows = np.sort(x if axis is None else np.moveaxis(x, axis, -1), axis=None if axis is None else -1)
        for kth in {0, n // 3, -1}:
            found = gpu.back(sortile.partition(there, kth, axis=axis))
            got, place = found if axis is None else np.moveaxis(found, axis, -1), kth % n
            middle = got[..., place : place + 1]
            assert np.array_equal(middle, rows[..., place : place + 1], equal_nan=got.dtype.kind == "f"), (name, kth)
            assert not (got[..., :place] > middle).any() and not (got[..., place:] < middle).any(), (name, kth)
            assert oracle.same_bits(np.sort(got, axis=-1), rows) or np.array_equal(
                np.sort(got, axis=-1), rows, equal_nan=got.dtype.kind == "f"
            ), (name, kth)
        assert oracle.same_bits(gpu.back(there), x)
    with pytest.raises(ValueError, match=f"kth = {n} of {n} elements"):
        sortile.partition(there, n, axis=axis)


SEGMENTS = [[0, 3, 3, 40, 5000, 90_000], [7, 500], [0], [], ([800, 0, 60_000], [60_000, 799, 60_001]), ([], [])]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("offsets", SEGMENTS)
def test_segments(gpu, direction, offsets):
    descending, nan = direction
    how = {"descending": descending, "nan": nan}
    for name in frameworks.some_types(gpu, len(offsets))[:: 3 if gpu.name == "jax" else 2]:
        x = filled(name, 90_000)
        there, rows = gpu.there(x), np.arange(180_000, dtype="i2").reshape(90_000, 2)
        wanted, order = sortile.segment_sort_by_key(x, np.arange(90_000), offsets, **how)
        places = sortile.segment_argsort(x, offsets, **how)
        elsewhere = [offsets_there(gpu, offsets, dtype) for dtype in ("i4", "u4")[: 1 if gpu.name == "jax" else 2]]
        for where in (offsets, *elsewhere):
            assert oracle.same_bits(gpu.back(sortile.segment_sort(there, where, **how)), wanted), name
            assert np.array_equal(gpu.back(sortile.segment_argsort(there, where, **how)), places), name
            found, moved = sortile.segment_sort_by_key(there, gpu.there(rows), where, **how)
            assert oracle.same_bits(gpu.back(found), wanted) and oracle.same_bits(gpu.back(moved), rows[order]), name
        assert oracle.same_bits(gpu.back(there), x)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("offsets", [*SEGMENTS, list(range(0, 90_001, 20))])
def test_first_elements_of_segments(gpu, direction, offsets):
    """A block a segment, and sorts of all: of short segments, and where many are wanted."""
    largest, nan = direction
    segments = len(offsets[0]) if isinstance(offsets, tuple) else max(0, len(offsets) - 1)
    for name in frameworks.some_types(gpu, len(offsets))[:: 3 if gpu.name == "jax" else 2]:
        x = filled(name, 90_000)
        there = gpu.there(x)
        elsewhere = [offsets_there(gpu, offsets, dtype) for dtype in ("i4", "u4")[: 1 if gpu.name == "jax" else 2]]
        for k in (0, 5, 300, 10_000)[: 3 if segments > 100 else 4]:
            how = {"largest": largest, "nan": nan, "fill": 1}
            wanted = sortile.segment_top_k(x, k, offsets, **how)
            of_each = np.random.default_rng(k).integers(-1, k + 2, segments)
            less = sortile.segment_top_k(x, np.maximum(of_each, 0), offsets, most=k, **how)
            for where in (offsets, *elsewhere):
                found = sortile.segment_top_k(there, k, where, **how)
                assert type(found.values) is type(found.indices) is type(there)
                for dtype in ("i8", "i4") if gpu.name != "jax" else ("i4",):
                    lesser = sortile.segment_top_k(there, gpu.there(of_each.astype(dtype)), where, most=k, **how)
                    for ours, theirs in ((found, wanted), (lesser, less)):
                        assert np.array_equal(gpu.back(ours.indices), theirs.indices), (name, k)
                        if gpu.name == "jax" and largest and nan == "last" and x.dtype.kind == "f":  # NaN may lose its sign
                            assert np.array_equal(gpu.back(ours.values), theirs.values, equal_nan=True), (name, k)
                        else:
                            assert oracle.same_bits(gpu.back(ours.values), theirs.values), (name, k)
        assert oracle.same_bits(gpu.back(there), x)


@pytest.mark.parametrize("offsets", [*SEGMENTS, list(range(0, 90_001, 20))])
def test_quantiles_and_partitions_of_segments(gpu, offsets):
    for name in frameworks.some_types(gpu, len(offsets))[:: 3 if gpu.name == "jax" else 2]:
        x = filled(name, 90_000, distinct=300)
        there = gpu.there(x)
        largest = np.abs(x[np.isfinite(x)].astype("f8")).max(initial=1)
        for where in (offsets, offsets_there(gpu, offsets, "i4")):
            for method in ("linear", "lower", "higher", "nearest", "midpoint"):
                for q in (0.5, [0, 0.25, 1]):
                    found = gpu.back(sortile.segment_quantile(there, q, where, method=method))
                    wanted = sortile.segment_quantile(x, q, offsets, method=method)
                    assert found.shape == wanted.shape
                    found, wanted = found.astype("f8"), wanted.astype("f8")
                    if gpu.name == "jax":  # computed in 32 bits
                        assert np.allclose(found, wanted, rtol=1e-5, atol=1e-6 * largest, equal_nan=True), (name, method)
                    else:
                        assert np.array_equal(found, wanted, equal_nan=True), (name, method)
            found = gpu.back(sortile.segment_partition(there, 5, where))
            assert oracle.same_bits(found, sortile.segment_sort(x, offsets)), name
        assert oracle.same_bits(gpu.back(there), x)


def offsets_there(gpu, offsets, dtype):
    sides = offsets if isinstance(offsets, tuple) else (offsets,)
    taken = tuple(gpu.there(np.array(side, dtype)) for side in sides)
    return taken if len(taken) == 2 else taken[0]


def test_segments_that_are_refused(gpu):
    there = gpu.there(np.arange(10, dtype="i4"))
    for call, error, text in [
        (lambda: sortile.segment_sort(there, [0, 5, 3]), ValueError, "must not decrease"),
        (lambda: sortile.segment_sort(there, [0, 11]), ValueError, "beyond"),
        (lambda: sortile.segment_argsort(there, ([0, 4], [5, 8])), ValueError, "overlap"),
        (lambda: sortile.segment_sort(there, (there, there[:2])), ValueError, "10 begins and 2 ends"),
        (lambda: sortile.segment_sort(there, gpu.there(np.zeros(3, "f4"))), TypeError, "offsets that are"),
        (lambda: sortile.segment_sort(there.reshape(2, 5), [0, 5]), ValueError, "one axis"),
        (lambda: sortile.segment_sort_by_key(there, there[:9], [0, 5]), ValueError, "value array 0 has shape"),
        (lambda: sortile.segment_sort(there, [0, 5], progress=print), ValueError, "progress cannot be told"),
        (lambda: sortile.segment_top_k(there, 2, [0, 11]), ValueError, "beyond"),
        (lambda: sortile.segment_top_k(there, -1, [0, 5]), ValueError, "k = -1; allowed are 0 and more"),
        (lambda: sortile.segment_top_k(there, [1, -1], [0, 5, 9]), ValueError, "k = -1; allowed are 0 and more"),
        (lambda: sortile.segment_top_k(there, there[:2], [0, 5, 9]), ValueError, "most is needed"),
        (lambda: sortile.segment_top_k(there, there[:3], [0, 5, 9], most=2), ValueError, r"k has the shape \(3,\)"),
        (lambda: sortile.segment_top_k(there, gpu.there(np.zeros(1, "f4")), [0, 5], most=2), TypeError, "k has elements of type"),
        (lambda: sortile.segment_top_k(there, 2, [0, 5], fill=0.5), TypeError, "fill = 0.5 is no element of type int32"),
        (lambda: sortile.segment_top_k(gpu.there(np.zeros(3, "c8")), 2, [0, 3]), TypeError, "have no order here"),
        (lambda: sortile.segment_top_k(there, 2, [0, 5], progress=print), ValueError, "progress cannot be told"),
    ]:
        with pytest.raises(error, match=text):
            call()
    found = sortile.segment_sort(there, gpu.there(np.array([3, 99], "i4")), descending=True)  # cut off at the end
    assert gpu.back(found).tolist() == [0, 1, 2, 9, 8, 7, 6, 5, 4, 3]
    found = sortile.segment_top_k(there, 4, gpu.there(np.array([7, 99, 3], "i4")), fill=-7)
    assert gpu.back(found.values).tolist() == [[9, 8, 7, -7], [-7] * 4] and gpu.back(found.indices)[0].tolist() == [2, 1, 0, -1]
