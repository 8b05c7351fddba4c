"""inclusive_scan, exclusive_scan and digit_histogram against NumPy; PyTorch's and JAX's arrays against NumPy's."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arrays
import frameworks
import sortile

TYPES = ["i4", "i8", "u4", "u8", ">i4", ">u8"]
COUNTED = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", ">f4", "M8[s]"]


def scanned(x, axis, op, initial, inclusive):
    """By NumPy: what stands before each element, and the element."""
    lanes = x.reshape(-1) if axis is None else x
    axis = 0 if axis is None else axis
    least = 0 if op == "sum" else np.iinfo(x.dtype).min
    first = np.full_like(np.take(lanes, [0], axis) if lanes.shape[axis] else lanes, least if initial is None else initial)
    with np.errstate(over="ignore"):
        all_of = np.concatenate([first, lanes], axis).astype(x.dtype.newbyteorder("="))
        found = (np.add if op == "sum" else np.maximum).accumulate(all_of, axis, dtype=all_of.dtype)
    return np.take(found, range(1, found.shape[axis]) if inclusive else range(lanes.shape[axis]), axis)


def drawn(dtype, n, seed):
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max, n, dtype=np.dtype(dtype).newbyteorder("="), endpoint=True).astype(dtype)


CALLS = [(sortile.inclusive_scan, True), (sortile.exclusive_scan, False)]


@pytest.mark.parametrize("call, inclusive", CALLS)
@given(st.sampled_from(TYPES), st.integers(0, 900), st.sampled_from(["sum", "maximum"]), st.sampled_from([None, 0, 7]),
       st.sampled_from(["plain", "gaps", "backwards", "unaligned", "read-only"]), st.integers(0, 2**32))
def test_a_lane_against_numpy(call, inclusive, dtype, n, op, initial, layout, seed):
    x = drawn(dtype, n, seed)
    given_so = arrays.laid_out(x, layout)
    found = call(given_so, op=op, initial=initial)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, scanned(x, -1, op, initial, inclusive))
    np.testing.assert_array_equal(given_so, x)


@pytest.mark.parametrize("call, inclusive", CALLS)
@given(arrays.block(names=("int32", "int64", "uint32", "uint64")), st.sampled_from(["sum", "maximum"]))
def test_lanes_along_an_axis(call, inclusive, block, op):
    x, axis = block
    for along in (axis, None):
        found = call(x, op=op, axis=along)
        np.testing.assert_array_equal(found, scanned(x, along, op, None, inclusive))


def test_long_lanes_on_several_threads():
    x = drawn("i8", 300_000, 1)
    for threads in (1, 3):
        np.testing.assert_array_equal(sortile.inclusive_scan(x, threads=threads), scanned(x, -1, "sum", None, True))
        np.testing.assert_array_equal(
            sortile.exclusive_scan(x, op="maximum", initial=-5, threads=threads), scanned(x, -1, "maximum", -5, False)
        )


def digits(x, descending):
    """The unsigned numbers by which elements are sorted, a column of digits each, the lowest first."""
    word = np.dtype(f"u{x.itemsize}")
    plain = np.ascontiguousarray(x.reshape(-1)).astype(x.dtype.newbyteorder("="))
    u, sign = plain.view(word), word.type(1 << (8 * x.itemsize - 1))
    if x.dtype.kind in "iM":
        u = u ^ sign
    elif x.dtype.kind == "f":
        u = np.where(plain == 0, sign, np.where(u & sign, ~u, u ^ sign)).astype(word)
    u = ~u if descending else u
    return np.stack([(u >> word.type(8 * d)) & word.type(255) for d in range(x.itemsize)])


@given(st.sampled_from(COUNTED), st.integers(0, 5000), st.booleans(), st.integers(0, 2**32))
def test_digits_are_counted(dtype, n, descending, seed):
    r = np.random.default_rng(seed)
    x = (r.integers(0, 1000, n) if np.dtype(dtype).kind in "?u" else r.integers(-500, 500, n)).astype(dtype)
    found = sortile.digit_histogram(x, descending=descending)
    assert found.dtype == np.int64 and found.shape == (x.itemsize, 256)
    for counts, digit in zip(found, digits(x, descending), strict=True):
        np.testing.assert_array_equal(counts, np.bincount(digit.astype(np.int64), minlength=256))


def test_digits_of_all_elements_of_an_array():
    x = drawn("i4", 24, 2).reshape(2, 3, 4)
    for there in (x, x.T, x[:, ::2], np.asfortranarray(x)):
        np.testing.assert_array_equal(sortile.digit_histogram(there), sortile.digit_histogram(there.reshape(-1).copy()))
    assert sortile.digit_histogram([3, 1, 3])[0, 3] == 2


def test_lists_and_subclasses():
    assert sortile.exclusive_scan([3, 0, 4]).tolist() == [0, 3, 3]
    assert type(sortile.inclusive_scan(np.array([1, 2]).view(np.recarray))) is np.recarray
    assert sortile.inclusive_scan(np.array(5), axis=None).tolist() == [5]


@pytest.mark.parametrize("name", frameworks.NAMES)
def test_frameworks_in_host_memory(name):
    if name == "cupy":
        pytest.skip("CuPy has no arrays there")
    f = frameworks.host(name)
    x = drawn("i4", 50, 3).reshape(5, 10)
    for call, inclusive in CALLS:
        found = call(f.there(x), axis=0)
        assert type(found) is type(f.there(x))
        np.testing.assert_array_equal(f.back(found), scanned(x, 0, "sum", None, inclusive))
    np.testing.assert_array_equal(f.back(sortile.digit_histogram(f.there(x))), sortile.digit_histogram(x))


def test_a_traced_array_is_refused():
    jax = pytest.importorskip("jax")
    for call in (sortile.inclusive_scan, sortile.exclusive_scan, sortile.digit_histogram):
        with pytest.raises(TypeError, match=f"^sortile.{call.__name__}: .*traced"):
            jax.jit(call)(np.zeros(3, "i4"))


def test_what_is_refused():
    x = np.zeros(5, "i4")
    for call, error, words in [
        (lambda: sortile.inclusive_scan(x * 1.0), TypeError, "sortile.inclusive_scan: elements of type float64; this call takes int32, int64"),
        (lambda: sortile.exclusive_scan(x.astype("i2")), TypeError, "elements of type int16"),
        (lambda: sortile.exclusive_scan(x > 0), TypeError, "elements of type bool"),
        (lambda: sortile.inclusive_scan(x, op="min"), ValueError, "op is 'min'; allowed are \"sum\" and \"maximum\""),
        (lambda: sortile.inclusive_scan(x, op=np.array(["sum"])), ValueError, "op is"),
        (lambda: sortile.exclusive_scan(x, initial=2**31), ValueError, "initial = 2147483648 is no number of int32"),
        (lambda: sortile.exclusive_scan(x.astype("u4"), initial=-1), ValueError, "initial = -1 is no number of uint32"),
        (lambda: sortile.exclusive_scan(x, initial=0.5), TypeError, "initial is 0.5"),
        (lambda: sortile.inclusive_scan(np.array(3)), ValueError, "has no axis"),
        (lambda: sortile.inclusive_scan(np.ma.array(x)), TypeError, "masked"),
        (lambda: sortile.digit_histogram(np.zeros(3, "c8")), TypeError, "sortile.digit_histogram: elements of type complex64"),
        (lambda: sortile.digit_histogram(np.zeros(3, "i4,i4")), TypeError, "sortile.digit_histogram"),
        (lambda: sortile.digit_histogram(np.ma.array(x)), TypeError, "masked"),
    ]:
        with pytest.raises(error, match=words):
            call()
