"""Strategies: arrays of every type that is sorted, with the values that make trouble, in every layout."""

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

INTEGERS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i4", ">u8"]
FLOATS = ["f2", "f4", "f8", ">f4", ">f8", "bfloat16"]
TIMES = ["M8[s]", "m8[ns]", "M8[D]"]
PLAIN = INTEGERS + FLOATS + TIMES

DIRECTIONS = [(False, "last"), (True, "last"), (True, "largest"), (False, "largest")]
"""Whether descending, and where NaNs go."""


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def fill(dtype, n, seed, distinct):
    """n elements, few of them distinct where `distinct` is small; the extremes, and all oddities of floats, among them."""
    rng = np.random.default_rng(seed)
    if dtype.kind in "fc" or dtype == ml_dtypes.bfloat16:
        return fill_floats(dtype, n, rng, distinct)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind in "Mm":
        words = pick(np.concatenate([[np.iinfo(np.int64).min], rng.integers(-50, 50, distinct)]), n, rng)
        return words.astype("i8").view(dtype)
    limits = np.iinfo(dtype)
    pool = rng.integers(limits.min, limits.max, distinct, dtype=dtype.newbyteorder("="), endpoint=True)
    return pick(np.concatenate([pool, np.array([limits.min, limits.max], pool.dtype)]), n, rng).astype(dtype)


def filled(name, n, seed=1, distinct=1000):
    return fill(dtype_of(name), n, seed, distinct)


def fill_floats(dtype, n, rng, distinct):
    part = {"c8": np.dtype("f4"), "c16": np.dtype("f8")}.get(dtype.str[1:], dtype)
    odd = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0, -1.0])
    pool = np.concatenate([odd, rng.normal(size=distinct)]).astype(part)
    if dtype.kind != "c":
        return pick(pool, n, rng)
    made = np.empty(n, dtype)
    made.real, made.imag = pick(pool, n, rng), pick(pool, n, rng)
    return made


def pick(pool, n, rng):
    return pool[rng.integers(0, len(pool), n)]


@st.composite
def lane(draw, names=tuple(PLAIN), most=600):
    """An array of one axis: in one piece, with gaps, backwards, or not aligned."""
    dtype = dtype_of(draw(st.sampled_from(names)))
    n = draw(st.one_of(st.integers(0, 40), st.integers(0, most)))
    x = fill(dtype, n, draw(st.integers(0, 2**32)), draw(st.sampled_from([1, 5, 1000])))
    return laid_out(x, draw(st.sampled_from(["plain", "gaps", "backwards", "unaligned", "read-only"])))


def laid_out(x, layout):
    if layout == "gaps":
        wide = np.zeros(3 * len(x), x.dtype)
        wide[::3] = x
        return wide[::3]
    if layout == "backwards":
        return np.ascontiguousarray(x[::-1])[::-1]
    if layout == "unaligned":
        raw = np.zeros(x.nbytes + 1, np.uint8)
        view = raw[1:].view(x.dtype)
        view[...] = x
        return view
    if layout == "read-only":
        x = x.copy()
        x.flags.writeable = False
    return x


@st.composite
def block(draw, names=tuple(PLAIN)):
    """An array of one to four axes, and one of them; in C or Fortran order, transposed, or a part of a larger one."""
    dtype = dtype_of(draw(st.sampled_from(names)))
    shape = tuple(draw(st.lists(st.integers(0, 9), min_size=1, max_size=4)))
    grown = tuple(2 * s for s in shape)
    x = fill(dtype, int(np.prod(grown)), draw(st.integers(0, 2**32)), draw(st.sampled_from([2, 1000]))).reshape(grown)
    x = x[tuple(slice(0, 2 * s, 2) for s in shape)]
    layout = draw(st.sampled_from(["part", "C", "F", "transposed"]))
    x = {"part": x, "C": np.ascontiguousarray(x), "F": np.asfortranarray(x), "transposed": x.T}[layout]
    return x, draw(st.integers(-x.ndim, x.ndim - 1))
