"""segment_sort, segment_sort_by_key and segment_argsort against NumPy, segment by segment."""

import numpy as np
import pytest

import sortile
from short_tests import unless_short


def lengths(rng, kind, n):
    made = {
        "tiny": lambda: rng.integers(0, 6, n),
        "short": lambda: rng.integers(0, 60, n // 8),
        "mixed": lambda: np.minimum(rng.zipf(1.3, n // 20), 5000),
        "one": lambda: np.array([3 * n]),
        "empty": lambda: np.zeros(n, int),
    }
    return np.concatenate([[0], np.cumsum(made[kind]())])


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f2", "f4", "f8", "datetime64[s]", ">i4", "bool"])
@pytest.mark.parametrize("kind", ["tiny", "short", "mixed", "one", "empty"])
@pytest.mark.parametrize("descending", [False, True])
def test_against_numpy(dtype, kind, descending):
    rng = np.random.default_rng(5)
    offsets = lengths(rng, kind, unless_short(2000, 600))
    n = int(offsets[-1])
    x = rng.integers(0, 100, n).astype(dtype)
    if x.dtype.kind == "f":
        x[rng.random(n) < 0.1] = np.nan
    if x.dtype.kind == "M":
        x[rng.random(n) < 0.1] = np.datetime64("NaT", "s")
    for typed in (offsets, offsets.astype("u4"), offsets.astype("i4"), list(offsets)):
        found = sortile.segment_sort(x, typed, descending=descending)
        order = sortile.segment_argsort(x, typed, descending=descending)
        assert found.dtype == x.dtype and order.dtype == np.int64
    keys, (places, rows) = sortile.segment_sort_by_key(
        x, (np.arange(n), np.arange(2 * n, dtype="i2").reshape(n, 2)), offsets, descending=descending)
    np.testing.assert_array_equal(keys, found)
    np.testing.assert_array_equal(places, order + np.repeat(offsets[:-1], np.diff(offsets)))
    np.testing.assert_array_equal(rows, np.arange(2 * n, dtype="i2").reshape(n, 2)[places])
    for begin, end in zip(offsets, offsets[1:]):
        expected = sortile.argsort(x[begin:end], descending=descending)
        assert (order[begin:end] == expected).all()
        np.testing.assert_array_equal(found[begin:end], x[begin:end][expected])


def test_begins_and_ends_with_gaps():
    x = np.array([9, 3, 1, 7, 5, 4])
    assert sortile.segment_sort(x, ([4, 0], [6, 3])).tolist() == [1, 3, 9, 7, 4, 5]
    assert sortile.segment_argsort(x, ([4, 0], [6, 3]), dtype=np.uint32).tolist() == [2, 1, 0, 0, 1, 0]
    keys, values = sortile.segment_sort_by_key(x, np.array(list("abcdef"), object), ([4, 0], [6, 3]))
    assert keys.tolist() == [1, 3, 9, 7, 4, 5] and "".join(values) == "cbadfe"
    assert x.tolist() == [9, 3, 1, 7, 5, 4]


def test_offsets_of_every_form():
    """Some are read where they lie, others are converted first."""
    x = np.array([9.0, 3.0, 1.0, 7.0, 5.0, 4.0])
    bounds, begins, ends = [0, 3, 3, 6], [4, 0], [6, 3]
    def typed(name):
        return lambda side: np.array(side).astype(name)

    signed = [list, *map(typed, ("i2", "i4", "i8", ">i4", ">i8")), lambda side: np.repeat(side, 2)[::2],
              lambda side: [np.int16(number) for number in side], lambda side: np.array(side).view(np.recarray)]
    forms = signed + list(map(typed, ("u1", "u4", "u8", ">u8")))
    for form in forms:
        assert sortile.segment_sort(x, form(bounds)).tolist() == [1, 3, 9, 4, 5, 7]
        assert sortile.segment_argsort(x, form(bounds)).tolist() == [2, 1, 0, 2, 1, 0]
        assert sortile.segment_sort_by_key(x, np.arange(6), form(bounds))[1].tolist() == [2, 1, 0, 5, 4, 3]
        for other in (*forms, tuple):
            assert sortile.segment_sort(x, (form(begins), other(ends))).tolist() == [1, 3, 9, 7, 4, 5]
        for wrong, text in (([0, 7], "beyond"), ([3, 0], "must not decrease"), *[([0, -3], "offset -3 is negative")] * (form in signed)):
            with pytest.raises(ValueError, match=text):
                sortile.segment_sort(x, form(wrong))
    with pytest.raises(TypeError, match="are integers"):
        sortile.segment_sort(x, [0, 2.0**70])
    for offsets in ([0, 1.0], ["0"], [None], 3, None, np.array(3), np.zeros((2, 2), int), np.zeros(2, bool)):
        with pytest.raises((TypeError, ValueError), match="^sortile"):
            sortile.segment_sort(x, offsets)
    assert sortile.segment_sort(x, []).tolist() == sortile.segment_sort(x, ([], [])).tolist() == x.tolist()
    for form in ((0, 3, 6), ([0],)):
        with pytest.raises(ValueError, match="begins, ends"):
            sortile.segment_sort(x, form)


def test_nan_as_the_largest():
    x = np.array([1.0, np.nan, 2.0])
    np.testing.assert_array_equal(sortile.segment_sort(x, [0, 3], descending=True), [2, 1, np.nan])
    np.testing.assert_array_equal(sortile.segment_sort(x, [0, 3], descending=True, nan="largest"), [np.nan, 2, 1])


def test_what_is_refused():
    x = np.arange(10)
    for offsets, words in [
        ([0, 5, 3], "must not decrease"),
        ([0, 11], "beyond"),
        ([-3, 4], "offset -3 is negative"),
        (([0, 4], [5, 8]), "overlap"),
        (([0], [1, 2]), "1 begins and 2 ends"),
    ]:
        with pytest.raises(ValueError, match=words):
            sortile.segment_sort(x, offsets)
    with pytest.raises(TypeError, match="integers"):
        sortile.segment_sort(x, [0.0, 5.0])
    with pytest.raises(ValueError, match="one axis"):
        sortile.segment_sort(x.reshape(2, 5), [0, 5])
    with pytest.raises(TypeError, match="elements of type object are given; this call takes booleans"):
        sortile.segment_sort(np.array([None, 1]), [0, 2])
    with pytest.raises(ValueError, match=r"value array 1 has shape \(9,\)"):
        sortile.segment_sort_by_key(x, (x, x[1:]), [0, 5])
    assert sortile.segment_sort(x, []).tolist() == x.tolist()


def test_progress_and_threads():
    told = []
    x = np.random.default_rng(1).integers(0, 1 << 40, 400_000)
    offsets = np.arange(0, 400_001, 1000)
    found = sortile.segment_sort(x, offsets, threads=2, progress=told.append)
    assert told and told[-1] == 1
    np.testing.assert_array_equal(found.reshape(400, 1000), np.sort(x.reshape(400, 1000)))


def test_offsets_beyond_all_integers():
    x = np.array([3, 1, 2])
    for offsets, text in [
        ([0, 2**70], "^sortile.segment_sort: offset 1180591620717411303424 reaches beyond every array"),
        ([0, 10**5000], "offset a number of 16610 bits reaches beyond every array"),
        ([0, 2**63], r"segment 0, \[0, 9223372036854775808\), reaches beyond the arrays' 3 elements"),
        (([0], [2**64 - 1]), "reaches beyond the arrays' 3 elements"),
        ([-(2**70), 3], "offset -1180591620717411303424 is negative"),
    ]:
        with pytest.raises(ValueError, match=text):
            sortile.segment_sort(x, offsets)
    for offsets in ([0, 1.5], [0, 2.0**70], [0, True, 2**70]):
        with pytest.raises(TypeError, match="they are integers along one axis"):
            sortile.segment_sort(x, offsets)
