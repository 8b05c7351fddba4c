"""What the array API standard says of sort, argsort and the unique functions, statement by statement.

The standard's own suite, data-apis/array-api-tests, is not on PyPI, and these tests run where nothing else can be fetched.
Its cases for what is offered here are all kept, each over the same drawn shapes, types and arguments or more:

- test_sorting_functions.py: test_argsort and test_sort, which leave out NaN and zeros, are `test_argsort` and `test_sort`
  here, with both. `test_positions_are_those_of_a_stable_sort`: Python's own.
- test_set_functions.py: test_unique_all, test_unique_counts, test_unique_inverse and test_unique_values are `test_unique`,
  `test_unique_all_by_counting` and `test_unique_by_the_names_of_the_standard`; booleans and complex numbers included.
- test_signatures.py: of these functions, `test_signatures` and `test_unique_functions_take_an_array_alone`.

test_searching_functions.py and test_statistical_functions.py test functions that are not offered under those names.
"""

import cmath
import collections
import inspect

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arrays
import oracle
import sortile

NUMBERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")


def lanes(x, axis):
    moved = np.moveaxis(x, axis, -1)
    return moved.reshape(moved.size // max(1, moved.shape[-1]), moved.shape[-1])


def parameters(function):
    return inspect.signature(function).parameters


@pytest.mark.parametrize("function", [sortile.sort, sortile.argsort])
def test_signatures(function):
    """sort(x, /, *, axis=-1, descending=False, stable=True)"""
    found = parameters(function)
    assert [n for n, p in found.items() if p.kind is p.POSITIONAL_ONLY] == ["x"]
    assert all(p.kind is p.KEYWORD_ONLY for n, p in found.items() if n != "x")
    assert {n: found[n].default for n in ("axis", "descending", "stable")} == {
        "axis": -1, "descending": False, "stable": True}


@given(arrays.block(names=NUMBERS), st.booleans(), st.booleans())
def test_sort(drawn, descending, stable):
    """Of the same type and shape; the elements of each lane are those of the input's, in order."""
    x, axis = drawn
    before = x.tobytes()
    out = sortile.sort(x, axis=axis, descending=descending, stable=stable)
    assert out.dtype == x.dtype and out.shape == x.shape and x.tobytes() == before
    for a, b in zip(lanes(x, axis), lanes(out, axis), strict=True):
        assert sorted(map(repr, a.tolist())) == sorted(map(repr, b.tolist()))
        known = b[~np.isnan(b)] if b.dtype.kind == "f" else b
        assert all(u >= v if descending else u <= v for u, v in zip(known, known[1:]))
        assert b.dtype.kind != "f" or not np.isnan(b[: len(known)]).any()


@given(arrays.block(names=NUMBERS), st.booleans())
def test_argsort(drawn, descending):
    """Of the default index type and the input's shape; taken along the axis, what sort gives; equal elements keep
    their order."""
    x, axis = drawn
    out = sortile.argsort(x, axis=axis, descending=descending)
    assert out.dtype == np.int64 and out.shape == x.shape
    assert oracle.same_bits(np.take_along_axis(x, out, axis), sortile.sort(x, axis=axis, descending=descending))
    for v, o in zip(lanes(np.take_along_axis(x, out, axis), axis), lanes(out, axis), strict=True):
        assert sorted(o.tolist()) == list(range(len(o)))
        assert all(p < q for a, b, p, q in zip(v, v[1:], o, o[1:]) if a == b)


@given(arrays.block(names=NUMBERS))
def test_the_default_axis_is_the_last(drawn):
    x, _ = drawn
    assert oracle.same_bits(sortile.sort(x), sortile.sort(x, axis=x.ndim - 1))


def test_an_array_without_dimensions_has_no_axis():
    for call in (sortile.sort, sortile.argsort):
        with pytest.raises(np.exceptions.AxisError):
            call(np.array(1.0))
        assert call(np.array(1.0), axis=None).shape == (1,)


@given(arrays.block(names=NUMBERS))
def test_unique(drawn):
    """values, counts, inverse_indices and indices; NaNs are distinct where equal_nan is off, −0 and +0 are one."""
    x, _ = drawn
    values, index, inverse, counts = sortile.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    assert values.dtype == x.dtype and values.ndim == 1
    assert inverse.shape == x.shape and index.shape == counts.shape == values.shape
    assert counts.sum() == x.size
    flat = x.reshape(-1)
    same = (flat[index] == values) | ((flat[index] != flat[index]) & (values != values))
    assert same.all()
    again = values[inverse]
    assert ((again == x) | ((again != again) & (x != x))).all()
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    assert (known[1:] > known[:-1]).all()
    if x.dtype.kind == "f":
        assert (values != values).sum() == np.isnan(x).sum()


@given(arrays.block(names=(*NUMBERS, "?", "c8", "c16")))
def test_unique_all_by_counting(drawn):
    """Each value once, its first position, how often it occurs; each NaN by itself."""
    x, _ = drawn
    out = sortile.unique_all(x)
    assert out.values.dtype == x.dtype and out.inverse_indices.shape == x.shape
    assert {a.dtype for a in out[1:]} == {np.dtype(np.int64)}
    counts, firsts, nans = collections.Counter(), {}, 0
    for i, value in enumerate(x.reshape(-1).tolist()):
        if cmath.isnan(value):
            nans += 1
        else:
            counts[value] += 1
            firsts.setdefault(value, i)
    there = [(v, i, c) for v, i, c in zip(out.values.tolist(), out.indices.tolist(), out.counts.tolist())]
    assert {v: (i, c) for v, i, c in there if not cmath.isnan(v)} == {v: (firsts[v], counts[v]) for v in counts}
    assert [c for v, _, c in there if cmath.isnan(v)] == [1] * nans and len(there) == len(counts) + nans
    for value, again in zip(x.reshape(-1).tolist(), out.values[out.inverse_indices].reshape(-1).tolist()):
        assert value == again or (cmath.isnan(value) and cmath.isnan(again))


@given(arrays.block(names=NUMBERS), st.booleans())
def test_positions_are_those_of_a_stable_sort(drawn, descending):
    x, axis = drawn
    out = sortile.argsort(x, axis=axis, descending=descending)
    for v, o in zip(lanes(x, axis).tolist(), lanes(out, axis).tolist(), strict=True):
        there = [i for i, e in enumerate(v) if e == e]
        missing = [i for i, e in enumerate(v) if e != e]
        assert o == sorted(there, key=v.__getitem__, reverse=descending) + missing


@given(arrays.block(names=NUMBERS))
def test_unique_by_the_names_of_the_standard(drawn):
    """unique_all, unique_counts, unique_inverse and unique_values: fields in this order, by these names."""
    x, _ = drawn
    values, index, inverse, counts = sortile.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    everything, number = sortile.unique_all(x), sortile.unique_counts(x)
    place, alone = sortile.unique_inverse(x), sortile.unique_values(x)
    assert everything._fields == ("values", "indices", "inverse_indices", "counts")
    assert number._fields == ("values", "counts") and place._fields == ("values", "inverse_indices")
    for found, wanted in ((everything.values, values), (everything.indices, index), (everything.inverse_indices, inverse),
                          (everything.counts, counts), (number.values, values), (number.counts, counts),
                          (place.values, values), (place.inverse_indices, inverse), (alone, values)):
        assert oracle.same_bits(found, wanted)


@pytest.mark.parametrize(
    "function", [sortile.unique_all, sortile.unique_counts, sortile.unique_inverse, sortile.unique_values])
def test_unique_functions_take_an_array_alone(function):
    assert [p.kind.name for p in parameters(function).values()] == ["POSITIONAL_ONLY"]
    assert len((lambda a: a if isinstance(a, np.ndarray) else a.values)(function(np.array([np.nan, 1.0, np.nan])))) == 3
