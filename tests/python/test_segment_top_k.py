"""segment_top_k against NumPy, segment by segment; and top_k with a k for each lane."""

from array import array

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies as st

import arrays
import oracle
import sortile
from arrays import DIRECTIONS
from sortile._backend import core


def expected(x, k, begins, ends, largest, nan, most=None, fill=0):
    """A row for each segment, from the stable order of its elements."""
    k = np.broadcast_to(k, len(begins))
    columns = int(max(k, default=0)) if most is None else most
    values = np.full((len(begins), columns), fill, x.dtype)
    indices = np.full((len(begins), columns), -1)
    for row, (begin, end) in enumerate(zip(begins, ends)):
        part = x[int(begin) : int(end)]
        first = oracle.positions(part.astype(x.dtype.newbyteorder("=")), largest, nan)[: min(int(k[row]), columns)]
        values[row, : len(first)], indices[row, : len(first)] = part[first], first
    return values, indices


def same(found, wanted):
    values, indices = wanted
    assert type(found.values) is type(found.indices) is np.ndarray and found.indices.dtype == np.int64
    return np.array_equal(found.indices, indices) and oracle.same_bits(found.values, values)


def cut(n, data):
    """Offsets that do not decrease, or begins and ends in any order, with gaps."""
    places = sorted(data.draw(st.lists(st.integers(0, n), max_size=12)))
    if data.draw(st.booleans()):
        return places, places[:-1], places[1:]
    begins, ends = places[: len(places) // 2 * 2 : 2], places[1::2]
    order = data.draw(st.permutations(range(len(begins))))
    begins, ends = [begins[i] for i in order], [ends[i] for i in order]
    return (begins, ends), begins, ends


@given(arrays.lane(), st.data(), st.sampled_from(DIRECTIONS), st.sampled_from([None, 1, 3]))
def test_any_array_and_any_segments(x, data, direction, threads):
    largest, nan = direction
    offsets, begins, ends = cut(len(x), data)
    before = x.tobytes()
    how = {"largest": largest, "nan": nan, "threads": threads}
    k = data.draw(st.integers(0, 20))
    found = sortile.segment_top_k(x, k, offsets, **how)
    assert same(found, expected(x, np.full(len(begins), k), begins, ends, largest, nan, k))
    of_each = np.array(data.draw(st.lists(st.integers(0, 30), min_size=len(begins), max_size=len(begins))), dtype="i8")
    assert same(sortile.segment_top_k(x, of_each, offsets, **how), expected(x, of_each, begins, ends, largest, nan))
    most, fill = data.draw(st.integers(0, 9)), data.draw(st.sampled_from([0, 1]))
    if x.dtype.kind in "Mm" and fill:
        fill = x.dtype.type(7, np.datetime_data(x.dtype)[0])
    found = sortile.segment_top_k(x, of_each.tolist(), offsets, most=most, fill=fill, **how)
    assert same(found, expected(x, of_each, begins, ends, largest, nan, most, fill))
    assert x.tobytes() == before


@pytest.mark.parametrize("name", arrays.PLAIN)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_long_and_short_segments(name, direction):
    """Those that are sorted, those that are selected from, and one that all threads share."""
    largest, nan = direction
    lengths = [0, 1, 5, 3000, 0, 40, 20_000, 2, 700]
    if name in ("f4", "i8", "u1"):
        lengths.append(1_100_000)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    x = arrays.fill(arrays.dtype_of(name), int(offsets[-1]), 3, 500)
    for k in (1, 7, 2500):
        found = sortile.segment_top_k(x, k, offsets, largest=largest, nan=nan)
        assert same(found, expected(x, np.full(len(lengths), k), offsets[:-1], offsets[1:], largest, nan, k)), k
    of_each = np.arange(len(lengths), dtype="u2") * 30
    found = sortile.segment_top_k(x, of_each, offsets, largest=largest, nan=nan)
    assert same(found, expected(x, of_each, offsets[:-1], offsets[1:], largest, nan))


def test_nan_in_some_segments_only():
    """The others are not done again; nor are those of which nothing is wanted."""
    rng = np.random.default_rng(1)
    offsets = np.arange(0, 60_001, 600)
    for dtype in ("f2", "f4", "f8", ml_dtypes.bfloat16):
        x = rng.integers(-50, 50, 60_000).astype(dtype)
        x[rng.random(60_000) < 0.3] = np.nan
        x.reshape(100, 600)[::3] = rng.integers(-9, 9, (34, 600)).astype(dtype)
        x.reshape(100, 600)[7] = -np.array(np.nan, dtype)  # nothing else, and of the other sign
        for k in (np.full(100, 500), np.arange(100) % 5, np.where(np.arange(100) == 7, 600, 0)):
            found = sortile.segment_top_k(x, k, offsets, fill=-1)
            assert same(found, expected(x, k, offsets[:-1], offsets[1:], True, "last", fill=-1))


def test_is_what_a_sort_of_each_segment_begins_with():
    x = np.random.default_rng(2).integers(0, 50, 5000)
    offsets = [0, 100, 100, 3000, 5000]
    found = sortile.segment_top_k(x, 9, offsets, largest=False)
    whole, order = sortile.segment_sort(x, offsets), sortile.segment_argsort(x, offsets)
    for row, begin in ((0, 0), (2, 100), (3, 3000)):
        assert found.values[row].tolist() == whole[begin : begin + 9].tolist()
        assert found.indices[row].tolist() == order[begin : begin + 9].tolist()
    assert found.values[1].tolist() == [0] * 9 and found.indices[1].tolist() == [-1] * 9
    rows = x.reshape(50, 100)
    first = sortile.top_k(rows, 9)
    assert same(sortile.segment_top_k(x, 9, np.arange(0, 5001, 100)), (first.values, first.indices))


def test_k_and_offsets_of_every_form():
    x = np.array([9.0, 3.0, 1.0, 7.0, 5.0, 4.0])
    forms = [list, tuple, lambda k: np.repeat(k, 2)[::2],
             *[lambda k, name=name: np.array(k).astype(name) for name in ("i1", "u1", "i2", ">i4", "u4", ">u8", "i8")]]
    for form in forms:
        found = sortile.segment_top_k(x, form([2, 3, 1]), [0, 3, 3, 6], fill=-1)
        assert found.values.tolist() == [[9, 3, -1], [-1, -1, -1], [7, -1, -1]]
        assert found.indices.tolist() == [[0, 1, -1], [-1, -1, -1], [0, -1, -1]]
        found = sortile.segment_top_k(x, form([2, 1]), ([4, 0], [6, 3]))
        assert found.values.tolist() == [[5, 4], [9, 0]] and found.indices.tolist() == [[0, 1], [0, -1]]
    for number in (2, np.int8(2), np.uint64(2), np.array(2)):
        for offsets in ([0, 3, 6], np.array([0, 3, 6], ">u4"), np.array([0, 3, 6], "u1"), np.array([0, 3, 6], "i8")):
            assert sortile.segment_top_k(x, number, offsets).values.tolist() == [[9, 3], [7, 5]]
    assert sortile.segment_top_k([3, 1, 2], 1, [0, 3]).values.tolist() == [[3]]
    above = np.array([2**64 - 1, 2**40], "u8")
    assert sortile.segment_top_k(x, above, [0, 3, 6], most=2).values.tolist() == [[9, 3], [7, 5]]


def test_nothing_to_select():
    for dtype in ("u1", "f8", ">i4", "M8[s]"):
        x = np.zeros(5, dtype)
        for offsets in ([], [3], ([], [])):
            for k in (0, 4, [], np.zeros(0, "f4"), 2**40):
                found = sortile.segment_top_k(x, k, offsets)
                assert found.values.shape == found.indices.shape == (0, k if type(k) is int else 0)
                assert found.values.dtype == x.dtype
        assert sortile.segment_top_k(x, 0, [0, 2, 5]).values.shape == (2, 0)
        assert sortile.segment_top_k(x, [0, 0], [0, 2, 5]).indices.shape == (2, 0)
        nothing = sortile.segment_top_k(x[:0], 2, [0, 0, 0])
        assert nothing.values.tolist() == np.zeros((2, 2), dtype).tolist() and (nothing.indices == -1).all()
        assert sortile.segment_top_k(x, 3, ([2], [2])).indices.tolist() == [[-1, -1, -1]]


def test_what_fills():
    x = np.array([5, 1, 2])
    day, nat = np.datetime64("2024-05-01", "D"), np.datetime64("NaT", "D")
    for dtype, fill, wanted in [("i8", -7, -7), ("u1", np.uint8(255), 255), ("?", True, True), (">f4", 0.5, 0.5), ("f8", np.inf, np.inf),
                                (ml_dtypes.bfloat16, -2, -2.0), (ml_dtypes.bfloat16, np.inf, np.inf), ("M8[D]", day, day), (">M8[s]", day, day), ("m8[s]", np.timedelta64(2, "m"), 120), (">m8[s]", np.timedelta64(0, "D"), 0), ("u8", 2**64 - 1, 2**64 - 1)]:
        found = sortile.segment_top_k(x.astype(dtype), 2, [0, 1, 3], fill=fill)
        assert found.values.dtype == np.dtype(dtype) and found.values[0, 1] == np.array(wanted).astype(dtype), dtype
        assert found.indices.tolist()[0] == [0, -1]
    for dtype, none in [("M8[D]", nat), ("m8[s]", np.timedelta64("NaT", "h"))]:
        assert np.isnat(sortile.segment_top_k(x.astype(dtype), 2, [0, 1, 3], fill=none).values[0, 1])
    for zero in (0, np.int64(0), np.uint8(0)):  # the first day of 1970, and no time
        assert sortile.segment_top_k(x.astype("M8[D]"), 2, [0, 1, 3], fill=zero).values[0, 1] == np.datetime64("1970-01-01")
        assert sortile.segment_top_k(x.astype("m8[s]"), 2, [0, 1, 3], fill=zero).values[0, 1] == np.timedelta64(0, "s")
    assert np.isnan(sortile.segment_top_k(x.astype("f4"), 2, [0, 1, 3], fill=np.nan).values[0, 1])
    for dtype, fill, error in [("i8", 1.5, TypeError), ("u1", 300, ValueError), ("f4", "1", TypeError), ("M8[D]", 5, TypeError),
                               ("M8[D]", 0.0, TypeError), ("M8[D]", False, TypeError), ("f4", 3.5e38, ValueError),
                               (ml_dtypes.bfloat16, 3.4e38, ValueError), (ml_dtypes.bfloat16, -3.4e38, ValueError)]:
        with pytest.raises(error, match="^sortile.segment_top_k: fill = .* (is no element|is beyond the elements) of type"):
            sortile.segment_top_k(x.astype(dtype), 2, [0, 3], fill=fill)


def test_subclasses_and_byte_orders():
    x = np.array([3, 1, 2], ">i4")
    found = sortile.segment_top_k(x, 2, [0, 3])
    assert found.values.dtype == x.dtype and found.values.tolist() == [[3, 2]] and found.indices.dtype == np.int64
    records = np.array([2, 1]).view(np.recarray)
    found = sortile.segment_top_k(records, 1, [0, 2])
    assert type(found.values) is np.recarray and type(found.indices) is np.ndarray and found.values.tolist() == [[2]]


@pytest.mark.parametrize("call, error, text", [
    (lambda x: sortile.segment_top_k(x, -1, [0, 5]), ValueError, "k = -1; allowed are 0 and more"),
    (lambda x: sortile.segment_top_k(x, [2, -3], [0, 2, 5]), ValueError, "k = -3; allowed are 0 and more"),
    (lambda x: sortile.segment_top_k(x, 1.0, [0, 5]), TypeError, "k is 1.0; allowed are whole numbers"),
    (lambda x: sortile.segment_top_k(x, True, [0, 5]), TypeError, "k is True"),
    (lambda x: sortile.segment_top_k(x, None, [0, 5]), TypeError, "k is None"),
    (lambda x: sortile.segment_top_k(x, {3}, [0, 5]), TypeError, "k is .3.; allowed are whole numbers"),
    (lambda x: sortile.segment_top_k(x, [1.0], [0, 5]), TypeError, "k has elements of type float64; allowed are whole"),
    (lambda x: sortile.segment_top_k(x, [True], [0, 5]), TypeError, "k has elements of type bool"),
    (lambda x: sortile.segment_top_k(x, [1, 2], [0, 5]), ValueError, r"k has the shape \(2,\); .* of shape \(1,\) here"),
    (lambda x: sortile.segment_top_k(x, [[1]], [0, 5]), ValueError, r"k has the shape \(1, 1\)"),
    (lambda x: sortile.segment_top_k(x, [1], [0, 5], most=-1), ValueError, "most = -1; allowed are 0 and more"),
    (lambda x: sortile.segment_top_k(x, [1], [0, 5], most=1.5), TypeError, "most is 1.5"),
    (lambda x: sortile.segment_top_k(x, 2.5, [0, 5], most=2), TypeError, "k is 2.5"),
    (lambda x: sortile.segment_top_k(x, np.ma.array([1], mask=[True]), [0, 5]), TypeError, "would lose its mask"),
    (lambda x: sortile.segment_top_k(x, 1, [0, 6]), ValueError, "beyond"),
    (lambda x: sortile.segment_top_k(x, 1, [0, 3, 1]), ValueError, "must not decrease"),
    (lambda x: sortile.segment_top_k(x, 1, ([0, 2], [3, 5])), ValueError, "overlap"),
    (lambda x: sortile.segment_top_k(x, 1, ([0], [1, 2])), ValueError, "1 begins and 2 ends"),
    (lambda x: sortile.segment_top_k(x, 1, [-1, 5]), ValueError, "^sortile.segment_top_k: offset -1 is negative"),
    (lambda x: sortile.segment_top_k(x, 1, [0.0, 5.0]), TypeError, "^sortile.segment_top_k: offsets of shape"),
    (lambda x: sortile.segment_top_k(x, [0, 5], 1), TypeError, "^sortile.segment_top_k: offsets of shape"),  # the wrong way round
    (lambda x: sortile.segment_top_k(x[:0], 1, [0, 1]), ValueError, "beyond"),
    (lambda x: sortile.segment_top_k(x, 0, [0, 6]), ValueError, "beyond"),
    (lambda x: sortile.segment_top_k(x.reshape(1, 5), 1, [0, 5]), ValueError, r"the array has shape \(1, 5\); segments are"),
    (lambda x: sortile.segment_top_k(x * 1j, 1, [0, 5]), TypeError, "segment_top_k: elements of type complex128 are given"),
    (lambda x: sortile.segment_top_k(x.astype("U1"), 1, [0, 5]), TypeError, "elements of type <U1 are given; this call takes"),
    (lambda x: sortile.segment_top_k(x.astype("i4,f4"), 1, [0, 5]), TypeError, "are given; this call takes booleans"),
    (lambda x: sortile.segment_top_k(x, 2**62, [0, 5]), MemoryError, "k = 4611686018427387904 for 1 segments"),
    (lambda x: sortile.segment_top_k(x, [2**63], [0, 5]), MemoryError, "k = 9223372036854775808 for 1 segments"),
    (lambda x: sortile.segment_top_k(x, [2**70], [0, 5]), MemoryError, f"k = {2**70} for 1 segments"),
    (lambda x: sortile.segment_top_k(x, [1, 2**63], [0, 2, 5]), MemoryError, f"k = {2**63} for 2 segments"),
    (lambda x: sortile.segment_top_k(x, [-1, 2**63], [0, 2, 5]), ValueError, "k = -1; allowed are 0 and more"),
    (lambda x: sortile.segment_top_k(x, [[1], [1, 2]], [0, 5]), ValueError, "^sortile: k, of type list, cannot be taken as an array"),
    (lambda x: sortile.segment_top_k(x, 2**50, [0, 5]), MemoryError, "Unable to allocate"),
    (lambda x: sortile.segment_top_k(x, 1, [0, 5], largest="x"), TypeError, "largest is 'x'"),
    (lambda x: sortile.segment_top_k(x, 1, [0, 5], nan="first"), ValueError, "nan must be"),
])
def test_misuse(call, error, text):
    with pytest.raises(error, match=text):
        call(np.arange(5))


@pytest.mark.parametrize("kind", ["ints", "floats", "nan"])
def test_progress_rises_to_one(kind):
    x = np.random.default_rng(1).integers(0, 1 << 40, 600_000)
    if kind != "ints":
        x = x.astype("f8")
    if kind == "nan":
        x[::1000] = np.nan
    told = []
    found = sortile.segment_top_k(x, 3, np.arange(0, 600_001, 1000), progress=told.append)
    assert told == sorted(told) and told[-1] == 1
    assert np.array_equal(found.values, -np.sort(-x.reshape(600, 1000))[:, :3])


@given(arrays.block(), st.data(), st.sampled_from(DIRECTIONS))
def test_lanes_with_a_k_each(drawn, data, direction):
    x, axis = drawn
    largest, nan = direction
    n = x.shape[axis]
    others = np.delete(np.array(x.shape), axis)
    seed = data.draw(st.integers(0, 2**32))
    k = np.random.default_rng(seed).integers(0, n + 1, others)
    most = data.draw(st.none() | st.integers(0, n))
    found = sortile.top_k(x, k, axis=axis, largest=largest, nan=nan, most=most)
    columns = int(k.max(initial=0)) if most is None else most
    whole = sortile.top_k(x, columns, axis=axis, largest=largest, nan=nan)
    behind = np.arange(columns) >= np.expand_dims(k, -1)
    for made, full, fill in ((found.values, whole.values, 0), (found.indices, whole.indices, -1)):
        wanted = np.moveaxis(full, axis, -1).copy()
        wanted[behind] = fill
        assert made.dtype == full.dtype and made.shape == full.shape
        assert oracle.same_bits(np.ascontiguousarray(np.moveaxis(made, axis, -1)), np.ascontiguousarray(wanted))


def test_k_in_any_sequence():
    x = np.array([9.0, 3.0, 1.0, 7.0, 5.0, 4.0])
    for form in (lambda k: range(k[0], k[0] - 2, -1), lambda k: array("i", k), lambda k: memoryview(np.array(k)), lambda k: np.array(k, object)):
        assert sortile.segment_top_k(x, form([2, 1]), [0, 3, 6]).values.tolist() == [[9, 3], [7, 0]]
        assert sortile.top_k(x.reshape(2, 3), form([2, 1])).values.tolist() == [[9, 3], [7, 0]]
    for above in ([2**63, 1], [1, 2**63], [2**70, 1]):  # which NumPy takes for floats, or for objects
        found = sortile.segment_top_k(x, above, [0, 3, 6], most=2)
        assert found.indices.tolist() == [[0, 1 if above[0] > 1 else -1], [0, 1 if above[1] > 1 else -1]]
    pandas = pytest.importorskip("pandas")
    assert sortile.segment_top_k(x, pandas.Series([2, 1]), [0, 3, 6]).values.tolist() == [[9, 3], [7, 0]]


def test_the_compiled_call_refuses_what_it_would_read_beyond():
    """Python makes k and fill of the right form; others would be read behind their end."""
    x, offsets = np.arange(12.0), np.arange(0, 13, 3)
    of_each, one = np.ones(4, np.uint64), np.ones(1)

    def of_segments(counts, fill=None):
        return core.segment_top_k(x, 2, counts, fill, offsets, True, "last", None, None)

    def of_rows(counts, fill=None):
        return core.top_k(x.reshape(4, 3), 2, counts, fill, -1, True, "last", None, None)

    for call in (of_segments, of_rows):
        assert call(of_each, one)[0][0].tolist() == [2, 1]
        for counts in (of_each[:3], of_each.astype(np.int64), of_each.astype(np.uint32), np.ones(8, np.uint64)[::2], of_each.astype(">u8"), [1, 1, 1, 1]):
            with pytest.raises(ValueError, match="^sortile: counts are uint64, in one piece, one for each row"):
                call(counts)
        for fill in (one[:0], np.ones(2), one.astype("f4"), one.view("i8"), one.astype(">f8"), 1.0):
            with pytest.raises(ValueError, match="^sortile: fill is one element of the array's type"):
                call(of_each, fill)


def test_offsets_that_change_during_the_call():
    """What was checked is what the call goes by, whoever writes to the caller's array meanwhile."""
    x, offsets = np.arange(5000), np.arange(5001, dtype=np.uint64)
    for where in (offsets, (offsets[:-1], offsets[1:])):
        offsets[:] = np.arange(5001)

        def change(done):
            offsets[:] = 2 * np.arange(5001)

        found = sortile.segment_top_k(x, 2, where, progress=change)
        assert offsets[1] == 2 and found.indices.tolist() == [[0, -1]] * 5000 and (found.values[:, 0] == x).all()
