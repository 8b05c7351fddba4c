"""What the array API standard says of sort, argsort and the unique functions, statement by statement."""

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
