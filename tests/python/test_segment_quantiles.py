"""segment_quantile, segment_median and segment_partition against the calls on single arrays, segment by segment."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies as st

import arrays
import oracle
import sortile
from test_segment_top_k import cut

METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]
CHOOSE = ["lower", "higher", "nearest"]
NUMBERS = tuple(arrays.INTEGERS + arrays.FLOATS)


def expected(x, q, begins, ends, method):
    """The quantiles of each segment by itself, their axes before that of the segments."""
    found = np.zeros((*np.shape(q), len(begins)), x.dtype if method in CHOOSE else "f8")
    for i, (begin, end) in enumerate(zip(begins, ends)):
        if end > begin:
            found[..., i] = sortile.quantile(x[int(begin) : int(end)], q, method=method)
        elif found.dtype.kind == "f" or found.dtype == ml_dtypes.bfloat16:
            found[..., i] = np.nan
    return found


def same(found, wanted):
    assert type(found) is np.ndarray and found.dtype == wanted.dtype and found.shape == wanted.shape
    np.testing.assert_array_equal(oracle.comparable(found), oracle.comparable(wanted))


@given(arrays.lane(names=NUMBERS), st.data(), st.sampled_from(METHODS), st.sampled_from([None, 1, 3]))
def test_quantiles_of_any_array_and_any_segments(x, data, method, threads):
    offsets, begins, ends = cut(len(x), data)
    before = x.tobytes()
    q = data.draw(st.one_of(st.floats(0, 1), st.lists(st.floats(0, 1), max_size=3), st.just(np.array([[0.25], [1.0]]))))
    same(sortile.segment_quantile(x, q, offsets, method=method, threads=threads), expected(x, q, begins, ends, method))
    same(sortile.segment_median(x, offsets), expected(x, 0.5, begins, ends, "linear"))
    assert x.tobytes() == before


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["f4", "i8", "u1", "f2", "bfloat16"])
def test_long_and_short_segments(name, method):
    """Those that are sorted, those that are selected from, and one that all threads share."""
    lengths = [0, 1, 5, 3000, 0, 40, 20_000, 2, 700, 1_100_000]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    x = arrays.fill(arrays.dtype_of(name), int(offsets[-1]), 3, 500)
    same(sortile.segment_quantile(x, [0.1, 0.5], offsets, method=method), expected(x, [0.1, 0.5], offsets[:-1], offsets[1:], method))
    if x.dtype.kind == "f":
        x[~np.isfinite(x)] = 0.5
        found = sortile.segment_quantile(x, [0.1, 0.5], offsets, method=method)
        assert np.isnan(found).sum() == 4  # of no elements
        np.testing.assert_array_equal(found[:, 6], np.quantile(x[3046:23_046].astype("f8"), [0.1, 0.5], method=method))


def test_the_largest_integers_are_exact():
    x = np.array([2**53 + 1, 5, 2**53 + 3, 7], "i8")
    assert sortile.segment_quantile(x, 1, [0, 2, 2, 4], method="lower").tolist() == [2**53 + 1, 0, 2**53 + 3]
    assert sortile.segment_median(x.tolist(), [0, 1]).tolist() == [float(2**53)]


def parted(x, found, kth, begins, ends):
    """What holds of partitions of segments."""
    outside = np.ones(len(x), bool)
    for begin, end in zip(begins, ends):
        begin, end = int(begin), int(end)
        outside[begin:end] = False
        both = np.stack([x[begin:end], found[begin:end]])
        before, after = np.unique(oracle.comparable(both), return_inverse=True)[1].reshape(both.shape)
        assert np.array_equal(np.sort(before), np.sort(after))
        if kth < end - begin:
            assert after[kth] == np.sort(before)[kth]
            assert (after[:kth] <= after[kth]).all() and (after[kth:] >= after[kth]).all()
    assert oracle.same_bits(found[outside], x[outside])


@given(arrays.lane(), st.data(), st.integers(0, 50), st.sampled_from([None, 1, 3]))
def test_partitions_of_any_array_and_any_segments(x, data, kth, threads):
    offsets, begins, ends = cut(len(x), data)
    before = x.tobytes()
    found = sortile.segment_partition(x, kth, offsets, threads=threads)
    assert type(found) is np.ndarray and found.dtype == x.dtype and x.tobytes() == before
    parted(x, found, kth, begins, ends)


@pytest.mark.parametrize("name", arrays.PLAIN)
def test_partitions_of_long_and_short_segments(name):
    lengths = [0, 1, 5, 3000, 0, 40, 20_000, 2, 700]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    x = arrays.fill(arrays.dtype_of(name), int(offsets[-1]) + 9, 3, 500)
    for kth in (0, 30, 2500, 2**70):
        parted(x, sortile.segment_partition(x, kth, offsets), kth, offsets[:-1], offsets[1:])


def test_of_no_segments_and_no_elements():
    x = np.zeros(0, "f4")
    assert sortile.segment_quantile(x, [0.5, 1], []).shape == (2, 0) and sortile.segment_median(x, [0]).shape == (0,)
    assert np.isnan(sortile.segment_median(x, [0, 0])).all() and sortile.segment_partition(x, 3, [0, 0]).shape == (0,)
    assert sortile.segment_quantile(x, 0.5, [0, 0], method="lower").dtype == x.dtype
    assert sortile.segment_quantile(np.arange(3), [], [0, 3]).shape == (0, 1)


def test_what_is_refused():
    x = np.arange(6.0)
    for call in (lambda a, o: sortile.segment_quantile(a, 0.5, o), sortile.segment_median, lambda a, o: sortile.segment_partition(a, 1, o)):
        for a, offsets, error, text in [
            (x, [0, 7], ValueError, "beyond"), (x, [0, 5, 3], ValueError, "must not decrease"), (x, [-1, 3], ValueError, "negative"),
            (x, ([0, 1], [3, 4]), ValueError, "overlap"), (x.reshape(2, 3), [0, 3], ValueError, "one axis"),
            (x, [0.5, 3], TypeError, "integers along one axis"), (x * 1j, [0, 3], TypeError, "this call takes"),
            (np.array(["a", "b"]), [0, 2], TypeError, "this call takes"),
        ]:
            with pytest.raises(error, match=f"(?s)^sortile.*{text}"):
                call(a, offsets)
    for call, error, text in [
        (lambda: sortile.segment_quantile(x, 1.5, [0, 3]), ValueError, "^sortile.segment_quantile: q = 1.5; allowed"),
        (lambda: sortile.segment_quantile(x, "a", [0, 3]), TypeError, "^sortile.segment_quantile: q is 'a'; allowed"),
        (lambda: sortile.segment_quantile(x, 0.5, [0, 3], method="best"), ValueError, "^sortile.segment_quantile: no method"),
        (lambda: sortile.segment_median(x.astype("M8[s]"), [0, 3]), TypeError, "segment_median: .* floats"),
        (lambda: sortile.segment_partition(x, -1, [0, 3]), ValueError, "kth = -1; it counts from"),
        (lambda: sortile.segment_partition(x, 1.5, [0, 3]), TypeError, "kth is 1.5"),
    ]:
        with pytest.raises(error, match=text):
            call()
