"""Parts of a sort, and groups, against NumPy."""

import warnings

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies as st

import arrays
import oracle
import sortile


def some(dtype, shape, seed=1):
    r = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "f":
        x = r.normal(size=shape).astype(dtype)
        x[r.random(shape) < 0.2] = 0.5
        return x
    if kind in "mM":
        return r.integers(-500, 500, shape).astype("i8").view(dtype)
    return r.integers(0, 100, shape).astype(dtype)


TYPES = ["u1", "i2", "u4", "i8", "f2", "f4", "f8", "M8[s]", "?"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape, axis", [((5000,), -1), ((7, 900), 1), ((900, 7), 0), ((4, 30, 5), None)])
@pytest.mark.parametrize("largest", [True, False])
def test_top_k(dtype, shape, axis, largest):
    x = some(dtype, shape)
    n = x.size if axis is None else x.shape[axis]
    for k in {0, 1, min(n, 20), n}:
        values, indices = sortile.top_k(x, k, axis=axis, largest=largest)
        order = sortile.argsort(x, axis=axis, descending=largest)
        flat, lanes = (x.reshape(-1), 0) if axis is None else (x, axis)
        wanted = np.take(order, range(k), lanes)
        np.testing.assert_array_equal(indices, wanted)
        np.testing.assert_array_equal(values, np.take_along_axis(flat, wanted, lanes))


@given(arrays.block(), st.data(), st.booleans(), st.sampled_from(["last", "largest"]), st.sampled_from([None, 1, 3]))
def test_top_k_of_any_layout(drawn, data, largest, nan, threads):
    """Of every type, along every axis, with gaps, in both byte orders."""
    x, axis = drawn
    before = x.tobytes()
    k = data.draw(st.integers(0, x.shape[axis]))
    values, indices = sortile.top_k(x, k, axis=axis, largest=largest, nan=nan, threads=threads)
    order = oracle.lanes(x, axis, lambda lane: oracle.positions(lane, largest, nan))
    wanted = np.take(order, range(k), axis)
    assert np.array_equal(indices, wanted) and indices.dtype == np.int64
    assert oracle.same_bits(values, np.take_along_axis(x, wanted, axis)) and x.tobytes() == before


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape, axis", [((7, 900), 1), ((900, 7), 0), ((4, 30, 5), -2), ((5000,), 0), ((4, 300), None)])
def test_top_k_with_a_k_of_each_lane(dtype, shape, axis):
    x = some(dtype, shape)
    n = x.size if axis is None else x.shape[axis]
    lanes = () if axis is None else tuple(np.delete(shape, axis))
    for seed, most in ((1, n), (2, 20), (3, None)):
        k = np.random.default_rng(seed).integers(0, (most or 9) + 1, lanes).astype(["i4", "u8", "i8"][seed - 1])
        if most is None and not lanes:
            continue  # one number is a k as ever
        found = sortile.top_k(x, k, axis=axis, most=most)
        all_first = sortile.top_k(x, int(k.max()) if most is None else most, axis=axis)
        places = np.indices(all_first.indices.shape)[0 if axis is None else axis]
        behind = places >= np.expand_dims(k, 0 if axis is None else axis)
        assert behind.any() == (found.indices == -1).any() and found.values.dtype == x.dtype
        assert np.array_equal(found.indices, np.where(behind, -1, all_first.indices))
        assert np.array_equal(found.values[~behind], all_first.values[~behind], equal_nan=dtype[0] == "f")
        assert (found.values[behind] == np.zeros((), dtype)).all()


def test_top_k_with_a_k_of_each_lane_says_what_is_behind():
    x = np.array([[3.0, 1, 7], [5, 9, 2]], "f4")
    found = sortile.top_k(x, [2, 1], fill=-np.inf, largest=False)
    assert found.values.tolist() == [[1, 3], [2, -np.inf]] and found.indices.tolist() == [[1, 0], [2, -1]]
    assert sortile.top_k(x, np.array([0, 0])).values.shape == (2, 0)
    assert sortile.top_k(x, (3, 2), most=2).indices.tolist() == [[2, 0], [1, 0]]  # most is the most
    assert sortile.top_k(x[:0], [], most=3).values.shape == (0, 3)
    assert sortile.top_k(x[0], 1, most=3).values.tolist() == [7, 0, 0]  # one k, and room for more
    days = np.array(["2020-01-02", "2021-03-04"], "M8[D]")
    assert sortile.top_k(days, 1, most=2, fill=np.datetime64("NaT", "s")).values.tolist()[1] is None
    assert x.tolist() == [[3, 1, 7], [5, 9, 2]]


def test_top_k_fills_with_elements_only():
    x = np.array([[3, 1, 7], [5, 9, 2]])
    day, hour = np.datetime64("2020-01-01"), np.datetime64("2020-01-01T05")
    for dtype, fill, kept in [
        ("i8", True, 1), ("i8", np.int8(-5), -5), ("i8", np.array(4), 4), ("u1", 255, 255), ("u8", 2**64 - 1, 2**64 - 1),
        ("?", 1, True), ("?", np.True_, True), ("f4", 2, 2.0), ("f4", np.float16(0.5), 0.5), ("f4", -np.inf, -np.inf),
        (">i4", 9, 9), (">f4", 9, 9.0), ("M8[D]", day.astype("M8[h]"), day.item()), ("M8[D]", day.item(), day.item()),
    ]:
        assert sortile.top_k(x.astype(dtype), [2, 1], fill=fill).values.tolist()[1][1] == kept, (dtype, fill)
    for dtype, fill, error in [
        ("i8", 1.5, TypeError), ("i8", 2.0, TypeError), ("i8", "12", TypeError), ("i8", [4], TypeError),
        ("i8", np.array([4, 5]), TypeError), ("i8", None, TypeError), ("i8", np.timedelta64(5, "s"), TypeError),
        ("u1", 300, ValueError), ("u1", -1, ValueError), ("u1", np.int64(300), ValueError), ("i8", 2**63, ValueError),
        ("?", 2, ValueError), ("?", 1.0, TypeError), ("f4", None, TypeError), ("f4", "1", TypeError), ("f4", 1 + 2j, TypeError),
        ("f4", np.complex64(1), TypeError), ("f4", [[1], [2, 3]], TypeError), ("f4", 1e300, ValueError),
        ("f4", 10**400, ValueError), ("f4", np.array([1.0]), TypeError), ("M8[D]", hour, TypeError), ("M8[D]", 5, TypeError),
        ("M8[D]", np.timedelta64(5, "D"), TypeError), ("M8[D]", "2020-01-01", TypeError), ("m8[s]", day, TypeError),
    ]:
        with pytest.raises(error, match="sortile.top_k: fill = .* (is no element|is beyond the elements) of type"):
            sortile.top_k(x.astype(dtype), [2, 1], fill=fill)


@pytest.mark.parametrize("dtype", ["f8", "U3", "M8[D]", "i1"])
def test_top_k_of_no_lanes_has_no_k(dtype):
    found = sortile.top_k(np.zeros((0, 5)), np.zeros(0, dtype), most=2)
    assert found.values.shape == found.indices.shape == (0, 2)


@given(arrays.block(), st.data(), st.sampled_from([None, 1, 3]))
def test_partitions_of_any_layout(drawn, data, threads):
    x, axis = drawn
    before = x.tobytes()
    n = x.shape[axis]
    if n == 0:
        with pytest.raises(ValueError, match="no place among them"):
            sortile.partition(x, 0, axis=axis)
        return
    kth = data.draw(st.integers(-n, n - 1))
    parted = sortile.partition(x, kth, axis=axis, threads=threads)
    assert parted.dtype == x.dtype and parted.shape == x.shape and x.tobytes() == before
    ranks = np.unique(oracle.comparable(np.concatenate([x, parted], axis)), return_inverse=True)[1].reshape(
        np.concatenate([x, parted], axis).shape)
    given_ranks, ranks = (np.moveaxis(side, axis, -1) for side in np.split(ranks, 2, axis))
    assert np.array_equal(np.sort(given_ranks), np.sort(ranks))
    there = ranks[..., kth % n, None]
    assert np.array_equal(there, np.sort(ranks)[..., kth % n, None])
    assert (ranks[..., : kth % n] <= there).all() and (ranks[..., kth % n :] >= there).all()


@given(arrays.block(names=tuple(arrays.INTEGERS + arrays.FLOATS)), st.lists(st.floats(0, 1), max_size=3),
       st.sampled_from(["linear", "lower", "higher", "nearest", "midpoint"]), st.booleans())
def test_quantiles_of_any_layout(drawn, q, method, one):
    x, axis = drawn
    q = np.array(0.3 if one else q)
    if x.shape[axis] == 0:
        with pytest.raises(ValueError, match="of no elements"):
            sortile.quantile(x, q, axis=axis)
        return
    found = sortile.quantile(x, q, axis=axis, method=method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of infinities, of which NumPy makes NaN
        wanted = np.quantile(x.astype("f8"), q, axis=axis, method=method)
    chosen = method in ("lower", "higher", "nearest")
    assert isinstance(found, np.ndarray) == isinstance(wanted, np.ndarray) and found.shape == wanted.shape
    assert found.dtype == (x.dtype if chosen and found.shape else x.dtype.newbyteorder("=") if chosen else np.float64)
    found = found.astype("f8")
    known = ~np.isnan(wanted)
    np.testing.assert_allclose(found[known], wanted[known], rtol=1e-12)
    lacks = np.isnan(np.moveaxis(x.astype("f8"), axis, -1)).any(axis=-1)
    assert np.isnan(found)[np.broadcast_to(lacks, found.shape)].all() and not (np.isnan(found) & known).any()


@given(arrays.lane())
def test_groups_of_any_layout(x):
    keys, offsets, order = sortile.group_by(x)
    assert np.array_equal(order, oracle.positions(x)) and order.dtype == offsets.dtype == np.int64
    assert len(keys) == len(np.unique(oracle.comparable(x))) and offsets[0] == 0 and offsets[-1] == len(x)
    assert oracle.same_bits(keys, x[order[offsets[:-1]]])


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
def test_nan_is_chosen_last(dtype):
    x = some(dtype, (5, 2000))
    x[np.random.default_rng(2).random(x.shape) < 0.4] = np.nan
    for largest in (True, False):
        values, indices = sortile.top_k(x, 1500, largest=largest)
        wanted = sortile.argsort(x, descending=largest)[:, :1500]
        np.testing.assert_array_equal(indices, wanted)
        np.testing.assert_array_equal(values, np.take_along_axis(x, wanted, 1))
    assert np.isnan(sortile.top_k(x, 3, nan="largest").values).all()


def test_nat_is_chosen_last():
    x = some("M8[s]", 1000)
    x[::3] = np.datetime64("NaT", "s")
    for largest in (True, False):
        got = sortile.top_k(x, 900, largest=largest).indices
        np.testing.assert_array_equal(got, sortile.argsort(x, descending=largest)[:900])


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint"])
def test_quantiles(dtype, method):
    for shape, axis in [((5001,), None), ((6, 400), 1), ((400, 6), 0), ((3,), None), ((1,), 0)]:
        x = some(dtype, shape)
        for q in (0.3, [0, 0.25, 0.5, 0.99, 1], [[0.1], [0.7]]):
            np.testing.assert_allclose(
                sortile.quantile(x, q, axis=axis, method=method),
                np.quantile(x.astype("f8"), q, axis=axis, method=method),
                rtol=1e-12,
            )


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "i8", ">i8", "f2", "f4", ">f8"])
@pytest.mark.parametrize("method", ["lower", "higher", "nearest"])
def test_quantiles_that_are_elements(dtype, method):
    """Exact, and of the elements' type, as NumPy's are."""
    x = some(dtype, (6, 41))
    for axis in (None, 0, 1):
        for q in (0.5, [0.5], [[0, 0.3125], [0.75, 1]], np.array(0.75)):
            found, wanted = sortile.quantile(x, q, axis=axis, method=method), np.quantile(x, q, axis=axis, method=method)
            assert type(found) is type(wanted) and found.dtype == wanted.dtype and found.shape == wanted.shape
            np.testing.assert_array_equal(found, wanted)
    if x.dtype.kind == "f":
        x[2, 5] = np.nan
        found = sortile.quantile(x, [0, 0.5], axis=1, method=method)
        assert np.isnan(found[:, 2]).all() and not np.isnan(np.delete(found, 2, 1)).any() and found.dtype == x.dtype


def test_the_largest_integers_as_quantiles():
    assert sortile.quantile(np.array([2**53 + 1]), 0.5, method="lower") == 2**53 + 1
    assert sortile.quantile(np.array([0, 2**64 - 1], "u8"), [1.0], method="nearest").tolist() == [2**64 - 1]
    assert sortile.quantile([2**53 + 1], 0.5, method="higher") == 2**53 + 1


def test_nan_in_quantiles_and_medians():
    x = some("f8", (4, 1000))
    x[2, 5] = np.nan
    np.testing.assert_allclose(sortile.median(x, axis=1), np.median(x, axis=1))
    assert np.isnan(sortile.median(x))
    assert sortile.median(np.array([np.inf, np.inf])) == np.inf


@pytest.mark.parametrize("sign", [1, -1])
def test_between_a_number_and_infinity(sign):
    x = np.array([1, sign * np.inf])
    assert sortile.median(x) == np.median(x) == sign * np.inf
    np.testing.assert_array_equal(sortile.quantile(x, [0.25, 0.5, 0.75]), np.full(3, sign * np.inf))
    rows = np.tile(x, (3, 1))
    np.testing.assert_array_equal(sortile.median(rows, axis=1), np.full(3, sign * np.inf))
    np.testing.assert_array_equal(sortile.median(np.array([np.inf, -np.inf])), np.nan)


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4"])
def test_partition(dtype):
    for shape, axis in [((5000,), -1), ((7, 300), 1), ((300, 7), 0)]:
        x = some(dtype, shape)
        before = x.copy()
        for kth in (0, 11, -1):
            got = np.moveaxis(sortile.partition(x, kth, axis=axis), axis, -1)
            in_order = np.sort(np.moveaxis(x, axis, -1), axis=-1)
            place = kth % got.shape[-1]
            np.testing.assert_array_equal(got[..., place], in_order[..., place])
            assert (got[..., :place] <= got[..., place : place + 1]).all()
            assert (got[..., place:] >= got[..., place : place + 1]).all()
            np.testing.assert_array_equal(np.sort(got, axis=-1), in_order)
        np.testing.assert_array_equal(x, before)


def test_a_partition_of_nothing_is_a_new_array():
    empty = np.empty((3, 0), "f4")
    empty.flags.writeable = False
    found = sortile.partition(empty, 0, axis=0)
    assert found.flags.writeable and found.shape == (3, 0)


def test_groups():
    for dtype in ("u1", "i8", "f4"):
        x = some(dtype, 5000)
        keys, offsets, order = sortile.group_by(x)
        wanted, counts = np.unique(x, return_counts=True)
        np.testing.assert_array_equal(keys, wanted)
        np.testing.assert_array_equal(np.diff(offsets), counts)
        np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
    assert [a.tolist() for a in sortile.group_by(np.array([], dtype="u4"))] == [[], [0], []]


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # NumPy's, of its own matrix
def test_subclasses_come_back():
    x = np.asmatrix([[1, 2], [3, 0]])
    found = sortile.top_k(x, 1)
    assert type(found.values) is np.matrix and type(found.indices) is np.ndarray
    records = np.array([2, 1]).view(np.recarray)
    groups = sortile.group_by(records)
    assert type(groups.keys) is np.recarray and type(groups.order) is np.ndarray


def test_arrays_of_no_elements_may_begin_anywhere():
    """NumPy calls them aligned."""
    for dtype in ("u2", "i4", "f8", "M8[s]"):
        x = np.zeros(0, [("before", "u1"), ("keys", dtype)])["keys"]
        for largest in (True, False):
            assert sortile.top_k(x, 0, largest=largest).values.shape == (0,)
        assert sortile.group_by(x).offsets.tolist() == [0]
        assert sortile.unique(x).shape == sortile.sort(x).shape == sortile.argsort(x).shape == sortile.merge(x, x).shape == (0,)
        assert sortile.segment_sort(x, []).shape == (0,)
        assert sortile.segment_argsort(x, [0, 0]).shape == sortile.argsort_rows([x, x]).shape == (0,)
        assert sortile.is_sorted(x)


def test_bfloat16():
    x = np.array([1, 4, 2, 3], dtype=ml_dtypes.bfloat16)
    assert sortile.median(x) == 2.5 and sortile.top_k(x, 1).values.tolist() == [4]


def test_misuse():
    x = np.arange(5)
    for call, error, word in [
        (lambda: sortile.top_k(x, 6), ValueError, "0 to 5"),
        (lambda: sortile.top_k(x, -1), ValueError, "0 to 5"),
        (lambda: sortile.top_k(x, 1, axis=1), np.exceptions.AxisError, "axis 1"),
        (lambda: sortile.top_k(x, 1.0), TypeError, "k is 1.0; allowed are whole numbers"),
        (lambda: sortile.top_k(x, [1, 2]), ValueError, r"k has the shape \(2,\); .* is of shape \(\) here"),
        (lambda: sortile.top_k(x.reshape(1, 5), [1.5]), TypeError, "k has elements of type float64; allowed are whole"),
        (lambda: sortile.top_k(x.reshape(1, 5), [6]), ValueError, "k = 6 of 5 elements"),
        (lambda: sortile.top_k(x.reshape(5, 1), [0, 0, 0, 1, 2**63]), ValueError, f"k = {2**63} of 1 elements"),
        (lambda: sortile.top_k(x.reshape(1, 5), [2**70]), ValueError, f"k = {2**70} of 5 elements"),
        (lambda: sortile.top_k(x.reshape(1, 5), [-1], most=2), ValueError, "k = -1 of 5 elements"),
        (lambda: sortile.top_k(x.reshape(1, 5), [1], most=6), ValueError, "most = 6 of 5 elements"),
        (lambda: sortile.top_k(x.reshape(1, 5), [1], most=-1), ValueError, "most = -1 of 5 elements"),
        (lambda: sortile.top_k(x.reshape(1, 5), [1], most=1.5), TypeError, "most is 1.5"),
        (lambda: sortile.top_k(x.reshape(1, 5), [1], most=2, fill="a"), TypeError, "fill = 'a' is no element of type int64"),
        (lambda: sortile.top_k(x.reshape(1, 5), [1], axis=3), np.exceptions.AxisError, "axis 3"),
        (lambda: sortile.top_k(np.array(["a"]), 1), TypeError, "top_k: elements of type <U1 are given; this call takes"),
        (lambda: sortile.top_k(x * 1j, 1), TypeError, "elements of type complex128 are given"),
        (lambda: sortile.quantile(x * 1j, 0.5), TypeError, "this call takes booleans, integers and floats"),
        (lambda: sortile.explain(x.astype("S3")), TypeError, "explain: elements of type .S3 are given"),
        (lambda: sortile.top_k(x.reshape(1, 5), 6, most=2), ValueError, "k = 6 of 5 elements"),
        (lambda: sortile.top_k(x.reshape(1, 5), 1.5, most=2), TypeError, "k is 1.5"),
        (lambda: sortile.partition(x, 1.0), TypeError, "kth is 1.0; allowed are whole numbers"),
        (lambda: sortile.partition(x, 5), ValueError, "-5 to 4"),
        (lambda: sortile.quantile(x, 1.5), ValueError, "0 to 1"),
        (lambda: sortile.quantile(x, 0.5, method="best"), ValueError, "linear"),
        (lambda: sortile.quantile(np.array([]), 0.5), ValueError, "sortile.quantile: of no elements"),
        (lambda: sortile.median(np.array([])), ValueError, "sortile.median: of no elements"),
        (lambda: sortile.median(x * 1j), TypeError, "sortile.median: elements of type complex128 are given"),
        (lambda: sortile.group_by(x.reshape(5, 1)), ValueError, "one axis"),
    ]:
        with pytest.raises(error, match=word):
            call()


def test_one_k_beside_most():
    """As if each lane, or segment, had that k."""
    x = np.array([[3, 1, 7], [5, 9, 2]])
    for k in (0, 2, np.int8(2), np.array(2)):
        for axis, lanes in ((1, 2), (0, 3), (-1, 2)):
            found = sortile.top_k(x, min(k, x.shape[axis]), axis=axis, most=2, fill=-1)
            wanted = sortile.top_k(x, [int(k)] * lanes, axis=axis, most=2, fill=-1)
            assert found.values.tolist() == wanted.values.tolist() and found.indices.tolist() == wanted.indices.tolist()
        found = sortile.segment_top_k(x.reshape(-1), k, [0, 1, 6], most=3, fill=-1)
        wanted = sortile.segment_top_k(x.reshape(-1), [int(k)] * 2, [0, 1, 6], most=3, fill=-1)
        assert found.values.tolist() == wanted.values.tolist() and found.values.shape == (2, 3)
    assert sortile.top_k(x, 1, axis=None, most=2).values.tolist() == [9, 0]
    assert sortile.segment_top_k(x.reshape(-1), 1, [], most=2).values.shape == (0, 2)


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ns]", ">M8[D]"])
def test_nat_is_the_largest_as_nan_is(dtype):
    x = some("m8[s]", 400).astype("i8").astype(np.dtype(dtype).newbyteorder("=")).astype(dtype)
    x[::7] = np.array("NaT", dtype)
    missing = np.isnat(x).sum()
    for nan in ("last", "largest"):
        for largest in (True, False):
            wanted = sortile.argsort(x, descending=largest, nan=nan)
            for k in (1, missing, 399):
                values, indices = sortile.top_k(x, k, largest=largest, nan=nan)
                np.testing.assert_array_equal(indices, wanted[:k])
                np.testing.assert_array_equal(values, x[wanted[:k]])
    groups = sortile.group_by(x)
    np.testing.assert_array_equal(groups.keys, np.unique(x))
    np.testing.assert_array_equal(groups.order, np.argsort(x, kind="stable"))
    for place in (0, 200, -missing, -1):
        parted = sortile.partition(x, place)
        np.testing.assert_array_equal(parted[place], np.sort(x)[place])
        np.testing.assert_array_equal(np.sort(parted), np.sort(x))


@pytest.mark.parametrize("dtype", [">i4", ">f8", ">u2", ">M8[s]"])
def test_results_are_of_the_byte_order_that_was_given(dtype):
    x = some(np.dtype(dtype).newbyteorder("="), 100).astype(dtype)
    found = [sortile.top_k(x, 5).values, sortile.partition(x, 5), sortile.group_by(x).keys, sortile.unique(x),
             sortile.segment_sort(x, [0, 50]), sortile.segment_sort_by_key(x, x, [0, 50])[0], sortile.merge(x, x)]
    assert [a.dtype for a in found] == [x.dtype] * len(found)
    np.testing.assert_array_equal(found[0], np.sort(x)[::-1][:5])
    there = sortile.sort(x)
    mixed = sortile.merge(there.astype(x.dtype.newbyteorder("=")), there)
    np.testing.assert_array_equal(mixed, np.sort(np.concatenate([x, x])))
