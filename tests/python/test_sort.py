"""sort, argsort and is_sorted against NumPy, over types, layouts, shapes and axes."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arrays
import oracle
import sortile
from short_tests import unless_short

DIRECTIONS = st.sampled_from([(False, "last"), (True, "last"), (True, "largest"), (False, "largest")])
THREADS = st.sampled_from([None, 1, 2, 5])


@given(arrays.lane(), DIRECTIONS, THREADS)
def test_a_lane_is_sorted_as_numpy_does(x, direction, threads):
    descending, nan = direction
    before = x.tobytes()
    order = oracle.positions(x, descending, nan)
    result = sortile.sort(x, descending=descending, nan=nan, threads=threads)
    assert oracle.same_bits(result, x[order])
    for dtype in (np.int64, np.uint32):
        found = sortile.argsort(x, descending=descending, nan=nan, threads=threads, dtype=dtype)
        assert found.dtype == dtype
        assert np.array_equal(found, order)
    assert x.tobytes() == before
    assert sortile.is_sorted(result, descending=descending, nan=nan)
    assert sortile.is_sorted(x, descending=descending, nan=nan) == np.array_equal(order, np.arange(len(x)))


@given(arrays.block(), DIRECTIONS, THREADS)
def test_lanes_along_an_axis(drawn, direction, threads):
    x, axis = drawn
    descending, nan = direction
    order = oracle.lanes(x, axis, lambda lane: oracle.positions(lane, descending, nan))
    wanted = np.take_along_axis(x, order, axis)
    result = sortile.sort(x, axis=axis, descending=descending, nan=nan, threads=threads)
    assert oracle.same_bits(result, wanted)
    assert np.array_equal(sortile.argsort(x, axis=axis, descending=descending, nan=nan, threads=threads), order)
    assert sortile.is_sorted(result, axis=axis, descending=descending, nan=nan)


@given(arrays.block())
def test_axis_none_takes_all_elements_as_one(drawn):
    x, _ = drawn
    order = oracle.positions(x.reshape(-1))
    assert oracle.same_bits(sortile.sort(x, axis=None), x.reshape(-1)[order])
    assert np.array_equal(sortile.argsort(x, axis=None), order)


@given(arrays.block())
def test_values_of_all_elements_as_one(drawn):
    x, _ = drawn
    values = np.arange(x.size).reshape(x.shape)
    keys, moved = sortile.sort_by_key(x, values, axis=None)
    assert oracle.same_bits(keys, sortile.sort(x, axis=None)) and oracle.same_bits(moved, sortile.argsort(x, axis=None))


@given(arrays.block(), st.booleans())
def test_out_takes_the_result(drawn, descending):
    x, axis = drawn
    wanted = sortile.sort(x, axis=axis, descending=descending)
    apart = np.empty_like(x)
    assert sortile.sort(x, axis=axis, descending=descending, out=apart) is apart
    assert oracle.same_bits(apart, wanted)
    x = x.copy(order="K")
    order = sortile.argsort(x, axis=axis, descending=descending)
    positions = np.empty(x.shape, np.uint32, order="F")
    assert sortile.argsort(x, axis=axis, descending=descending, out=positions) is positions
    assert np.array_equal(positions, order)
    assert sortile.sort(x, axis=axis, descending=descending, out=x) is x
    assert oracle.same_bits(x, wanted)


def test_out_may_overlap_the_input():
    x = np.random.default_rng(1).integers(0, 50, 1000)
    for shift in (1, 7):
        whole = x.copy()
        wanted = np.sort(whole[:-shift])
        assert np.array_equal(sortile.sort(whole[:-shift], out=whole[shift:]), wanted)
    for view in (lambda a: a[::-1], lambda a: a.reshape(10, 100).T):
        whole = x.copy()
        target = view(whole)
        wanted = np.sort(x.reshape(target.shape))
        assert np.array_equal(sortile.sort(whole.reshape(target.shape), out=target), wanted)
    same = x.copy()
    assert np.array_equal(sortile.argsort(same, out=same), np.argsort(x, kind="stable"))


def test_out_may_be_of_a_subclass(tmp_path):
    x = np.array([[3, 1, 2], [0, 5, 4]])
    mapped = np.memmap(tmp_path / "out", dtype=x.dtype, mode="w+", shape=x.shape)
    mapped[:] = x
    assert type(sortile.sort(mapped)) is np.ndarray and np.array_equal(sortile.sort(mapped), np.sort(x))
    assert sortile.sort(x, out=mapped) is mapped and mapped.tolist() == [[1, 2, 3], [0, 4, 5]]
    assert sortile.argsort(x, out=mapped) is mapped and mapped.tolist() == [[1, 2, 0], [0, 2, 1]]
    assert sortile.merge(mapped[0, :2], mapped[1, :2], out=mapped.reshape(-1)[:4]).tolist() == [0, 1, 2, 2]


def test_out_that_could_not_take_the_result_is_refused():
    """NumPy makes an array of a list, which would take the result in vain."""
    x = np.array([3, 1, 2])
    for given in (x, x * 1j, x.tolist(), x.view(np.recarray)):
        for out in ([0, 0, 0], (0, 0, 0), bytearray(24), 0):
            for call in (sortile.sort, sortile.argsort):
                with pytest.raises(TypeError, match=f"^sortile.{call.__name__}: out is of type {type(out).__name__}"):
                    call(given, out=out)
            with pytest.raises(TypeError, match="^sortile.merge: out is of type"):
                sortile.merge(given, out=out)
    for call in (sortile.sort, sortile.argsort, sortile.merge):
        with pytest.raises(TypeError, match=f"sortile.{call.__name__}: out is a masked array, .* give out.data"):
            call(x, out=np.ma.zeros(3, x.dtype))


def test_is_sorted_writes_nothing():
    for x in (np.arange(60)[::2], np.arange(60).reshape(6, 10)[:, ::3], np.arange(9).astype(">i4")):
        before = x.copy()
        assert sortile.is_sorted(x)
        assert sortile.is_sorted(x, axis=0)
        assert np.array_equal(x, before)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", ["u4", "f8", "M8[s]", ">i4", "bfloat16"])
def test_large_arrays(name, threads):
    n = unless_short(400_000, 140_000)  # two lanes of half of it are long enough that each is sorted by several threads
    x = arrays.fill(arrays.dtype_of(name), n, 7, 100_000)
    for descending in (False, True):
        order = oracle.positions(x, descending)
        assert oracle.same_bits(sortile.sort(x, descending=descending, threads=threads), x[order])
        assert np.array_equal(sortile.argsort(x, descending=descending, threads=threads), order)
        for shape in ((2, n // 2), (n // 4, 4), (n // 200, 200), (5, n // 1000, 200)):
            y = x.reshape(shape)
            for axis in range(y.ndim):
                result = sortile.sort(y, axis=axis, descending=descending, threads=threads)
                assert sortile.is_sorted(result, axis=axis, descending=descending)
                order = sortile.argsort(y, axis=axis, descending=descending, threads=threads)
                assert oracle.same_bits(np.take_along_axis(y, order, axis), result)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["<u4", ">i8", "f2"])
def test_long_lanes_shared_by_threads(dtype, threads):
    """So long that threads share one, so many that they do not; with gaps on both sides, on one, on none."""
    rng = np.random.default_rng(3)
    shares = {1: 3, 2: 7}[threads] * 16  # lanes with gaps are taken by sixteen
    for count in (5, shares):
        x = rng.integers(0, 1000, (70_000, count)).astype(dtype)
        told, lanes = [], np.sort(x.T, axis=-1)
        for axis, a in ((0, x), (0, np.asfortranarray(x)), (-1, x.T), (-1, np.ascontiguousarray(x.T))):
            wanted = lanes.T if axis == 0 else lanes
            result = sortile.sort(a, axis=axis, threads=threads, progress=told.append)
            assert np.array_equal(result, wanted)
            assert told == sorted(told) and told.pop() == 1
            told.clear()
            out = np.empty(a.shape[::-1], dtype).T
            assert np.array_equal(sortile.sort(a, axis=axis, threads=threads, out=out), wanted)
        order = sortile.argsort(x, axis=0, threads=threads)
        assert np.array_equal(order, np.argsort(x, axis=0, kind="stable"))


def test_empty_and_without_dimensions():
    for shape in ((0,), (0, 3), (3, 0), (2, 0, 4)):
        for axis in range(len(shape)):
            assert sortile.sort(np.zeros(shape), axis=axis).shape == shape
            assert sortile.argsort(np.zeros(shape), axis=axis).shape == shape
    assert sortile.sort(np.array(3.0), axis=None).tolist() == [3.0]
    with pytest.raises(np.exceptions.AxisError, match="without dimensions"):
        sortile.sort(np.array(3.0))


def test_arrays_of_many_axes():
    x = np.random.default_rng(3).integers(0, 9, (1,) * 30 + (4, 3))
    assert np.array_equal(sortile.sort(x, axis=-2), np.sort(x, axis=-2))
