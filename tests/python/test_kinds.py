"""Arrays that are more than one axis of numbers: structures, complex numbers, subclasses, other frameworks' arrays."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies as st

import arrays
import oracle
import sortile


@given(arrays.block(names=("c8", "c16", ">c8")), st.booleans())
def test_complex_as_numpy_has_them(drawn, equal_nan):
    x, axis = drawn
    order = np.argsort(x, axis=axis, kind="stable")
    assert np.array_equal(sortile.argsort(x, axis=axis), order)
    assert oracle.same_bits(sortile.sort(x, axis=axis), np.take_along_axis(x, order, axis))
    if equal_nan:
        wanted = np.unique(x, return_counts=True)
        found = sortile.unique(x, return_counts=True)
        assert np.array_equal(found[0], wanted[0], equal_nan=True) and np.array_equal(found[1], wanted[1])


def test_complex_numbers_that_are_none_are_one_value():
    """They have an order among them, by which the first that occurs is not the first of them, nor are equal ones neighbours."""
    lacks = [complex(np.nan, 1), 2, complex(3, np.nan), complex(np.nan, 0)]
    values, index, inverse, counts = sortile.unique(np.array(lacks), return_index=True, return_inverse=True, return_counts=True)
    assert values[0] == 2 and np.isnan(values[1].real) and values[1].imag == 1
    assert index.tolist() == [1, 0] and inverse.tolist() == [1, 0, 1, 1] and counts.tolist() == [1, 3]
    x = np.zeros(4, [("c", "c16"), ("k", "i4")])
    x["c"], x["k"] = [complex(3, np.nan), complex(np.nan, 1), complex(np.nan, 1), complex(np.nan, 2)], [5, 4, 5, 4]
    values, index, inverse, counts = sortile.unique(x, return_index=True, return_inverse=True, return_counts=True)
    assert oracle.same_bits(values, x[[1, 0]]) and inverse.tolist() == [1, 0, 1, 0] and counts.tolist() == [2, 2]
    assert sortile.unique(x, equal_nan=False).shape == (4,)


@pytest.mark.parametrize("kind", ["f2", "f4", "bfloat16", "c8", "M8[s]"])
def test_missing_values_of_fields_are_one(kind):
    x = np.zeros(6, [("a", "u1"), ("b", arrays.dtype_of(kind))])
    x["b"][[0, 2, 3, 5]] = np.array("NaT", kind) if kind[0] == "M" else np.nan
    x["a"][5] = 1
    values, index, inverse, counts = sortile.unique(x, return_index=True, return_inverse=True, return_counts=True)
    assert index.tolist() == [1, 0, 5] and inverse.tolist() == [1, 0, 1, 1, 0, 2] and counts.tolist() == [2, 3, 1]
    assert oracle.same_bits(values, x[index]) and len(sortile.unique(x, equal_nan=False)) == 5


@given(st.integers(0, 2**32), st.integers(0, 200), st.booleans())
def test_structures_by_their_fields(seed, n, descending):
    x = np.empty(n, [("a", "u1"), ("b", ">f4"), ("c", [("d", "c8"), ("e", "M8[s]")])])
    for i, (field, name) in enumerate([(x["a"], "u1"), (x["b"], ">f4"), (x["c"]["d"], "c8"), (x["c"]["e"], "M8[s]")]):
        field[...] = arrays.fill(arrays.dtype_of(name), n, seed + i, 3)
    for order, columns in ((None, [x["a"], x["b"], x["c"]["d"], x["c"]["e"]]), ("b", [x["b"], x["a"], x["c"]["d"], x["c"]["e"]]),
                           (["c", "a"], [x["c"]["d"], x["c"]["e"], x["a"], x["b"]])):
        wanted = sortile.argsort_rows(columns, descending=descending)
        assert np.array_equal(sortile.argsort(x, order=order, descending=descending), wanted)
        found = sortile.sort(x, order=order, descending=descending)
        assert oracle.same_bits(found, x[wanted])
        assert sortile.is_sorted(found, order=order, descending=descending)
        assert sortile.is_sorted(x, order=order, descending=descending) == np.array_equal(wanted, np.arange(n))


def signalling(kind):
    """Numbers that some NaN signal in arithmetic: NumPy warns of their comparisons and casts."""
    bits = {"f2": "7c01 fc01 3c00 0000", "f4": "7f800001 ff800001 3f800000 00000000", "bfloat16": "7f81 ff81 3f80 0000",
            "f8": "7ff0000000000001 fff0000000000001 3ff0000000000000 0000000000000000"}
    parts = bits["f4" if kind == "c8" else "f8" if kind == "c16" else kind].split()
    words = np.array([int(p, 16) for p in (parts * 2 if kind[0] == "c" else parts)], f"u{len(parts[0]) // 2}")
    return words.view(ml_dtypes.bfloat16 if kind == "bfloat16" else kind)


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "bfloat16", "c8", "c16"])
def test_no_warning_of_nan_that_signals(kind):
    x = signalling(kind)  # and warnings are errors here
    assert len(sortile.unique(x, equal_nan=False)) == (3 if kind[0] == "c" else 4)
    assert sortile.is_sorted(sortile.sort(x)) and sortile.argsort_rows([x, x]).shape == x.shape
    if kind[0] == "c":
        return
    assert sortile.top_k(x, 2).indices.tolist() == [2, 3] and len(sortile.group_by(x).keys) == 3
    assert np.isnan(sortile.quantile(x, 0.5)) and np.isnan(sortile.median(np.stack([x, x]), axis=1)).all()
    assert float(sortile.partition(x, 1)[1]) == 1


def test_structures_against_numpy():
    numbers = np.random.default_rng(1).integers(0, 3, (40, 5, 3)).astype("i4")
    x = numbers.view([("a", "i4"), ("b", "i4"), ("c", "i4")])[..., 0]
    for axis in (0, 1, None):
        for order in (None, "b", ["c", "a"]):
            wanted = np.argsort(x, axis=axis, order=order, kind="stable")
            assert np.array_equal(sortile.argsort(x, axis=axis, order=order), wanted)
    keys, values = sortile.sort_by_key(x[:, 0], np.arange(40))
    assert np.array_equal(values, np.argsort(x[:, 0], kind="stable"))
    assert np.array_equal(keys, np.sort(x[:, 0], kind="stable"))
    wanted = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    found = sortile.unique(x, return_index=True, return_inverse=True, return_counts=True)
    assert all(np.array_equal(a, b) for a, b in zip(found, wanted))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # NumPy's, of its own matrix
def test_subclasses_come_back():
    records = np.rec.array([(2, 0.5), (1, 1.5)], dtype=[("size", "i4"), ("price", "f8")])
    found = sortile.sort(records)
    assert type(found) is np.recarray and found["size"].tolist() == [1, 2]
    assert type(sortile.argsort(records)) is np.ndarray
    matrix = np.asmatrix([[3, 1], [2, 0]])
    assert type(sortile.sort(matrix)) is np.matrix
    assert sortile.sort([3, 1, 2]).tolist() == [1, 2, 3]
    assert sortile.argsort((0.5, 0.25)).tolist() == [1, 0]


def test_missing_elements_are_not_lost():
    """pandas' arrays with a mask become floats in NumPy where one is missing, and integers above 2^53 others than they were."""
    pandas = pytest.importorskip("pandas")
    assert sortile.sort(pandas.array([3, 1], dtype="Int64")).tolist() == [1, 3]
    for kind, values in [("Int64", [2**53 + 1, 2**53, None]), ("UInt8", [1, None]), ("Float64", [0.5, None]), ("boolean", [True, None])]:
        x = pandas.array(values, dtype=kind)
        for call in (sortile.sort, sortile.argsort, sortile.unique, lambda a: sortile.top_k(a, 1), lambda a: sortile.sort_by_key(np.arange(len(a)), a),
                     lambda a: sortile.sort([a, a]), lambda a: sortile.merge(a, a)):
            with pytest.raises(TypeError, match="elements of it are missing|masked arrays in it would lose"):
                call(x)
        assert sortile.sort_table(pandas.Series(x)).isna().tolist()[-1]


def test_what_has_no_order_is_refused_by_name():
    refused = [np.array(["b", "a"]), np.array([b"b"]), np.array([object()]), np.zeros(3, "V5"), np.zeros(3, "g"),
               np.zeros(3, "G"), np.zeros(3, ml_dtypes.float8_e5m2), np.zeros(3, [("a", "U3")])]
    for x in refused:
        for call in (sortile.sort, sortile.argsort, sortile.is_sorted, sortile.unique, sortile.merge,
                     lambda a: sortile.argsort_rows([a]), lambda a: sortile.sort_by_key(a, np.arange(len(a)))):
            with pytest.raises(TypeError, match="have no order here; those that have"):
                call(x)
    with pytest.raises(TypeError, match="masked array would lose its mask"):
        sortile.sort(np.ma.array([1, 2], mask=[0, 1]))
    for held in ([np.ma.array([1, 2], mask=[0, 1])], ([3, 4], np.ma.array([1, 2])), [[np.ma.array([1, 2])]]):
        with pytest.raises(TypeError, match="this (list|tuple) cannot be taken as an array: masked arrays in it would lose"):
            sortile.sort(held)
    for nothing in (None, {1, 2}, "abc", (number for number in [1]), {"a": 1}, b"b"):
        for call in (sortile.sort, sortile.argsort, sortile.unique, lambda a: sortile.top_k(a, 1)):
            with pytest.raises(TypeError, match=f"this {type(nothing).__name__} cannot be taken as an array: it has no elements"):
                call(nothing)
    with pytest.raises(TypeError, match="field 'b' holds arrays"):
        sortile.sort(np.zeros(3, [("a", "i4"), ("b", "i4", 2)]))
    with pytest.raises(ValueError, match="no field is called 'z'; the fields are a, b"):
        sortile.sort(np.zeros(3, "i4,i4").astype([("a", "i4"), ("b", "i4")]), order="z")
    with pytest.raises(ValueError, match="have none"):
        sortile.sort(np.zeros(3), order="z")
    for order, error, text in ((3, TypeError, "order is 3"), (b"f0", TypeError, "order is b'f0'"), ([0], TypeError, r"order is \[0\]"),
                               (["f0", "f0"], ValueError, "order names a field twice: f0, f0")):
        with pytest.raises(error, match=f"^sortile: {text}"):
            sortile.argsort(np.zeros(3, "i4,i4"), order=order)


def test_columns_of_tables_are_sent_to_the_right_door():
    import pyarrow

    with pytest.raises(TypeError, match="is a column or a table"):
        sortile.sort(pyarrow.array([1, 2]))


class Foreign:
    """An array of a framework of its own, in host memory or, it says, on a device."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __array_namespace__(self):
        return Foreign

    @staticmethod
    def from_dlpack(array):
        return Foreign(np.from_dlpack(array))

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return (self.device, 0)


def test_arrays_of_other_frameworks():
    x = Foreign(np.array([3.0, 1.0, 2.0]))
    for found, wanted in ((sortile.sort(x), [1, 2, 3]), (sortile.argsort(x), [1, 2, 0]), (sortile.unique(x), [1, 2, 3]),
                          (sortile.merge(sortile.sort(x), sortile.sort(x)), [1, 1, 2, 2, 3, 3])):
        assert type(found) is Foreign and found.array.tolist() == wanted
    keys, values = sortile.sort_by_key(x, np.arange(3))
    assert type(keys) is Foreign and type(values) is np.ndarray and values.tolist() == [1, 2, 0]
    assert sortile.sort(Foreign(np.array([2.0, 1.0]), device=3)).array.tolist() == [1, 2]  # pinned by CUDA
    with pytest.raises(TypeError, match="lies in the memory of a device"):
        sortile.sort(Foreign(np.array([1.0]), device=2))


def test_results_go_where_another_framework_has_its_array():
    for x in (np.array([3.0, 1.0, 2.0]), np.array([3j, 1, 2 + 1j])):
        out = Foreign(np.zeros_like(x))
        assert sortile.sort(Foreign(x), out=out) is out and out.array.tolist() == np.sort(x).tolist()
        assert sortile.merge(Foreign(np.sort(x)), out=out) is out and out.array.tolist() == np.sort(x).tolist()
        order = Foreign(np.zeros(3, np.int64))
        assert sortile.argsort(Foreign(x), out=order) is order and order.array.tolist() == np.argsort(x).tolist()
    halves = sortile.quantile(Foreign(np.array([7.0, 1.0, 3.0])), [0.5, 1])
    assert type(halves) is Foreign and halves.array.tolist() == [3, 7]
