"""sort_by_key, argsort_rows, lexsort, merge and unique against NumPy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arrays
import oracle
import sortile

SEEDS = st.integers(0, 2**32)


@given(arrays.lane(), st.lists(st.sampled_from(["u1", "f8", "U3", "O", "V7", "i4,f8", "rows"]), max_size=3),
       st.booleans(), st.sampled_from(["last", "largest"]))
def test_values_follow_their_keys(keys, kinds, descending, nan):
    n = len(keys)
    make = {"rows": lambda: np.arange(6 * n).reshape(n, 2, 3), "V7": lambda: np.arange(7 * n, dtype="u1").view("V7"),
            "i4,f8": lambda: np.array([(i, i) for i in range(n)], "i4,f8"),
            "O": lambda: np.array([[i] for i in range(n)] + [None], object)[:-1]}
    values = tuple(make.get(kind, lambda: np.arange(n).astype(kind))() for kind in kinds)
    order = oracle.positions(keys, descending, nan)
    found_keys, found = sortile.sort_by_key(keys, values, descending=descending, nan=nan)
    assert oracle.same_bits(found_keys, keys[order])
    assert isinstance(found, tuple) and len(found) == len(values)
    for one, original in zip(found, values):
        assert one.dtype == original.dtype and np.array_equal(one, original[order])


@pytest.mark.parametrize("step", [1, 2])
def test_keys_may_be_values_too(step):
    """Also where the two share memory in part, and among several."""
    x = np.random.default_rng(1).integers(0, 50, 3000)[::step]
    for values in (x, x[::-1], (x, x[::-1])):
        arrays_given = values if isinstance(values, tuple) else (values,)
        found = sortile.sort_by_key(x, values)[1]
        for one, given_one in zip(found if isinstance(values, tuple) else (found,), arrays_given):
            assert np.array_equal(one, given_one[np.argsort(x, kind="stable")])


def test_values_of_keys_with_several_axes():
    keys = np.random.default_rng(1).integers(0, 5, (7, 11))
    values = np.arange(77).reshape(7, 11)
    for axis in (0, 1, -1):
        order = np.argsort(keys, axis=axis, kind="stable")
        found_keys, found = sortile.sort_by_key(keys, values, axis=axis)
        assert np.array_equal(found_keys, np.sort(keys, axis=axis))
        assert np.array_equal(found, np.take_along_axis(values, order, axis))


@given(SEEDS, st.lists(st.tuples(st.sampled_from(arrays.PLAIN + ["c8", "c16"]), st.booleans()), min_size=1, max_size=5),
       st.integers(0, 200), st.sampled_from(["last", "largest"]))
def test_rows_are_ordered_column_by_column(seed, columns, n, nan):
    made = [arrays.fill(arrays.dtype_of(name), n, seed + i, 3) for i, (name, _) in enumerate(columns)]
    directions = [down for _, down in columns]
    order = np.arange(n)
    for column, down in reversed(list(zip(made, directions))):
        order = order[complex_positions(column[order], down, nan)]
    assert np.array_equal(sortile.argsort_rows(made, descending=directions, nan=nan), order)
    found = sortile.lexsort(made[::-1], descending=directions[::-1], nan=nan, dtype=np.uint32)
    assert found.dtype == np.uint32 and np.array_equal(found, order)


class Flags(np.ndarray):
    """Directions of a subclass of NumPy's array."""


def test_directions_may_be_any_array():
    columns = [np.array([1, 2, 1, 2], "i4"), np.array([3.0, 1.0, 2.0, 1.5])]
    wanted = np.lexsort([columns[1], -columns[0]])
    directions = np.array([True, False])
    for given in (directions, directions.view(Flags), list(directions), tuple(directions)):
        assert np.array_equal(sortile.argsort_rows(columns, descending=given), wanted)


def complex_positions(x, descending, nan):
    if x.dtype.kind != "c":
        return oracle.positions(x, descending, nan)
    lacks = 2 * np.isnan(x.real) + np.isnan(x.imag)
    order = oracle.positions(x.imag, descending, nan)
    order = order[oracle.positions(x.real[order], descending, nan)]
    return order[oracle.positions(lacks[order], descending and nan == "largest")]


def test_lexsort_as_numpy_has_it():
    rng = np.random.default_rng(2)
    keys = rng.integers(0, 3, (4, 6, 50))
    assert np.array_equal(sortile.lexsort(keys[:, 0]), np.lexsort(keys[:, 0]))
    for axis in (0, 1, -1):
        assert np.array_equal(sortile.lexsort(keys, axis=axis), np.lexsort(keys, axis=axis))
    z = rng.normal(size=300).round(1) + 1j * rng.normal(size=300).round(1)
    assert np.array_equal(sortile.argsort(z), np.argsort(z, kind="stable"))


@given(st.sampled_from(arrays.PLAIN + ["c16"]), st.lists(st.integers(0, 100), min_size=1, max_size=5), SEEDS,
       st.booleans(), st.sampled_from(["last", "largest"]))
def test_merge_is_the_stable_sort_of_all(name, lengths, seed, descending, nan):
    made = [arrays.fill(arrays.dtype_of(name), n, seed + i, 4) for i, n in enumerate(lengths)]
    runs = [sortile.sort(x, descending=descending, nan=nan) for x in made]
    wanted = sortile.sort(np.concatenate(runs), descending=descending, nan=nan)
    assert oracle.same_bits(sortile.merge(*runs, descending=descending, nan=nan), wanted.astype(made[0].dtype))
    out = np.empty_like(wanted.astype(made[0].dtype))
    assert sortile.merge(*runs, descending=descending, nan=nan, out=out) is out
    assert oracle.same_bits(out, wanted.astype(made[0].dtype))


def test_merge_into_a_run():
    both = np.array([1, 4, 2, 3])
    assert sortile.merge(both[:2], both[2:], out=both).tolist() == [1, 2, 3, 4]


def test_merge_into_an_array_with_gaps():
    wide = np.zeros(12, np.uint8)
    for out in (np.zeros(8, np.int16)[::2], np.zeros(4, np.int16)[::-1], wide[3:11].view(np.int16)):
        assert sortile.merge(np.array([1, 4], np.int16), np.array([2, 3], np.int16), out=out) is out
        assert out.tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="out is read-only"):
        sortile.merge(wide, out=np.broadcast_to(np.uint8(0), 12))
    for out in (np.zeros(8, np.int16)[::2], np.zeros(4, np.int16)):
        with pytest.raises(TypeError, match="out holds int16; needed is int64"):
            sortile.merge(np.arange(4), out=out)


@given(st.one_of(arrays.lane(), arrays.block().map(lambda drawn: drawn[0])), st.booleans())
def test_unique(x, equal_nan):
    plain = oracle.comparable(x)
    values, index, inverse, counts = np.unique(plain, return_index=True, return_inverse=True, return_counts=True,
                                               equal_nan=equal_nan)
    found = sortile.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=equal_nan)
    assert found[0].dtype == x.dtype
    assert np.array_equal(oracle.comparable(found[0]), values, equal_nan=x.dtype.kind not in "b")
    assert np.array_equal(found[1], index)
    assert np.array_equal(found[2], inverse.reshape(x.shape))
    assert np.array_equal(found[3], counts)
    alone = sortile.unique(x, equal_nan=equal_nan)
    assert oracle.same_bits(alone, found[0])
    assert len(sortile.unique(x, return_counts=True, return_index=True)) == 3


def test_orders_along_an_axis_refuse_what_orders_of_rows_refuse():
    lanes = np.arange(600).reshape(2, 1, 300)
    with pytest.raises(TypeError, match="positions of dtype int8 asked for; allowed are int64 and uint32"):
        sortile.lexsort(lanes, dtype="i1")
    assert sortile.lexsort(lanes, dtype="u4").dtype == np.uint32
    for nan in ("first", ""):
        with pytest.raises(ValueError, match="nan must be"):
            sortile.top_k(np.zeros(3), 1, nan=nan)


@pytest.mark.parametrize("threads", [1, 3])
def test_unique_of_many(threads):
    x = np.random.default_rng(5).integers(0, 30_000, 300_000).astype(np.float32)
    x[::1000] = np.nan
    wanted = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    found = sortile.unique(x, return_index=True, return_inverse=True, return_counts=True, threads=threads)
    for a, b in zip(found, wanted):
        assert np.array_equal(a, b, equal_nan=True)
