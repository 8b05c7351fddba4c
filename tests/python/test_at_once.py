"""Calls of plain NumPy arrays that the compiled part answers by itself: that it does, and that nothing is different there."""

import gc
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import arrays
import oracle
import sortile
from sortile._backend import core
from test_rows import complex_positions

FEWER = settings(max_examples=settings.default.max_examples // 3)  # lane by lane NumPy takes long
X, N, Z = np.array([2.5, np.nan, 1.0, 2.5]), np.array([3, 1, 3, 2]), np.array([1j, 2, 1, 1j])
BLOCK = X.reshape(2, 2)
AT_ONCE = {
    "sort": lambda: sortile.sort(X, descending=True),
    "sort of complex numbers": lambda: sortile.sort(Z),
    "argsort": lambda: sortile.argsort(BLOCK, axis=0),
    "argsort of complex numbers": lambda: sortile.argsort(Z[::2]),
    "is_sorted": lambda: sortile.is_sorted(X),
    "sort_by_key": lambda: sortile.sort_by_key(X, N),
    "sort_by_key of several": lambda: sortile.sort_by_key(X, (N, Z, np.array(list("abcd")))),
    "sort_by_key along an axis": lambda: sortile.sort_by_key(BLOCK, BLOCK, axis=0, descending=True),
    "lexsort": lambda: sortile.lexsort((X, N)),
    "top_k": lambda: sortile.top_k(X, 2, largest=False),
    "top_k of NumPy's number": lambda: sortile.top_k(X, np.int64(2)),
    "partition": lambda: sortile.partition(X, np.int8(-1)),
    "group_by": lambda: sortile.group_by(N),
    "unique": lambda: sortile.unique(N, return_inverse=True, return_counts=True),
    "quantile": lambda: sortile.quantile(X, 0.5),
    "quantiles": lambda: sortile.quantile(X, [0, 0.5, 1.0], axis=-1),
    "quantiles of an array": lambda: sortile.quantile(X, np.array([[0.1], [0.5]]).T),
    "segment_sort": lambda: sortile.segment_sort(X, [0, 2, 4]),
    "segment_argsort": lambda: sortile.segment_argsort(X, (N[1:2], N[2:3])),
    "segment_sort_by_key": lambda: sortile.segment_sort_by_key(X, (N, Z), [0, 2, 4]),
    "segment_top_k": lambda: sortile.segment_top_k(X, 1, np.array([0, 2, 4])),
    "segment_partition": lambda: sortile.segment_partition(X, 1, [0, 2, 4]),
    "route": lambda: sortile.route(N, 4, block=2, dtype=np.int32),
}
BY_ANOTHER_NAME = {  # a frame more
    "median": lambda: sortile.median(X),
    "quantile": lambda: sortile.quantile(X, 0.5),
    "segment_quantile": lambda: sortile.segment_quantile(X, [0.1, 0.5], [0, 2, 4]),
    "segment_median": lambda: sortile.segment_median(X, ([0], [4])),
    "unique_all": lambda: sortile.unique_all(N),
    "unique_values": lambda: sortile.unique_values(N),
}


def frames_of(call):
    """The functions of this package that Python runs for a call."""
    seen = []

    def note(frame, event, argument):
        if event == "call" and frame.f_code is not call.__code__:
            seen.append(frame.f_code.co_name)

    call()  # what is found out once is found out now
    gc.disable()  # others have callbacks there
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        gc.enable()
    return seen


@pytest.mark.parametrize("name", AT_ONCE)
def test_python_does_nothing_but_call_the_compiled_part(name):
    assert len(frames_of(AT_ONCE[name])) <= (2 if name.startswith("quantile") else 1)


@pytest.mark.parametrize("name", BY_ANOTHER_NAME)
def test_calls_by_another_name_add_one_frame(name):
    assert len(frames_of(BY_ANOTHER_NAME[name])) == 2


@FEWER
@given(arrays.block(names=("c8", "c16")), st.booleans(), st.sampled_from(["last", "largest"]), st.sampled_from([None, 1, 3]))
def test_complex_lanes(drawn, descending, nan, threads):
    x, axis = drawn
    options = {"axis": axis, "descending": descending, "nan": nan, "threads": threads}
    order = oracle.lanes(x, axis, lambda lane: complex_positions(lane, descending, nan))
    wanted = np.take_along_axis(x, order, axis)
    assert np.array_equal(sortile.argsort(x, dtype=np.uint32, **options), order)
    assert oracle.same_bits(sortile.sort(x, **options), wanted)
    narrow = np.zeros((*x.shape, 2), x.dtype)[..., 0]
    assert sortile.sort(x, out=narrow, **options) is narrow and oracle.same_bits(narrow, wanted)
    x = x.copy(order="K")
    assert sortile.sort(x, out=x, **options) is x and oracle.same_bits(x, wanted)


def test_many_complex_numbers():
    """More than one thread takes apart, and tells of."""
    rng, told = np.random.default_rng(1), []
    x = rng.integers(0, 100, 80_000) + 1j * rng.integers(0, 100, 80_000)
    for lacking in (0, 1000):
        x[:lacking] = complex(np.nan, 1)
        wanted = np.sort(x, kind="stable")
        for threads in (1, 3):
            assert oracle.same_bits(sortile.sort(x, threads=threads, progress=told.append), wanted)
            assert told == sorted(told) and told.pop() == 1
            told.clear()


@FEWER
@given(arrays.block(), st.lists(st.sampled_from(["u1", "c16", "U3", "i4,f8", "O", ">i4", "V7"]), max_size=3), st.booleans(),
       st.sampled_from(["last", "largest"]))
def test_values_of_keys_along_an_axis(drawn, kinds, descending, nan):
    keys, axis = drawn
    numbers = np.arange(keys.size).reshape(keys.shape)
    as_kind = {"V7": lambda: np.arange(7 * keys.size, dtype="u1").view("V7").reshape(keys.shape)}
    values = tuple(as_kind.get(kind, lambda: numbers.astype(kind))() for kind in kinds)
    values = tuple(v.T.copy().T if number % 2 else np.stack([v, v])[0] for number, v in enumerate(values))
    order = oracle.lanes(keys, axis, lambda lane: oracle.positions(lane, descending, nan))
    found, moved = sortile.sort_by_key(keys, values, axis=axis, descending=descending, nan=nan)
    assert oracle.same_bits(found, np.take_along_axis(keys, order, axis))
    assert type(moved) is tuple and len(moved) == len(values)
    for one, original in zip(moved, values):
        assert one.dtype == original.dtype and np.array_equal(one, np.take_along_axis(original, order, axis))


def test_values_that_do_not_fit_are_refused_wherever_they_lie():
    x = np.zeros((2, 3))
    agree = r"value array 1 has shape \(3, 2\), the keys have \(2, 3\); with keys of several axes they must agree"
    for keys in (x, x.astype("f8,i4"), x.astype(">f4"), x * 1j):
        with pytest.raises(ValueError, match=f"^sortile.sort_by_key: {agree}"):
            sortile.sort_by_key(keys, (x, x.T))
    for call, found in [(sortile.sort_by_key, ()), (sortile.segment_sort_by_key, ([0, 3],))]:
        for values in ((x[0], x[0, :2]), (x[0], np.array(3.0))):
            for keys in (x[0], x[0].astype(">f4")):
                shape = str(values[1].shape).replace("(", r"\(").replace(")", r"\)")
                with pytest.raises(ValueError, match=f"^sortile.{call.__name__}: value array 1 has shape {shape}; its first axis"):
                    call(keys, values, *found)


def test_probabilities_of_every_form():
    x = np.arange(11.0)
    spread = np.zeros(6)
    spread[::2] = [0.1, 0.5, 1]
    locked = np.array([0.1, 0.5, 1])
    locked.flags.writeable = False
    for q in ([0.1, 0.5, 1], (0.1, np.float64(0.5), 1), spread[::2], locked, locked[::-1][::-1], locked.astype(">f8"),
              locked.astype(object), [np.float32(0.5) * np.float64(0.2), 0.5, 1.0]):
        assert sortile.quantile(x, q).tolist() == pytest.approx([1, 5, 10])
    for q in (1, 1.0, np.float64(1), np.array(1.0), np.int8(1), np.float32(1)):
        found = sortile.quantile(x, q)
        assert type(found) is np.float64 and found == 10
    assert sortile.quantile(x, []).shape == sortile.quantile(x, np.zeros(0)).shape == (0,)
    assert sortile.quantile(x.reshape(1, 11), np.zeros((2, 3)), axis=1).shape == (2, 3, 1)
    for q in (-0.1, 1.1, np.nan, np.inf, 2, -1, [0.5, np.nan], np.array([0.5, -1e-9]), np.array([[np.nan]]), (0.5, 2)):
        with pytest.raises(ValueError, match="^sortile.quantile: q = .*; allowed are numbers from 0 to 1"):
            sortile.quantile(x, q)
    for q in (True, "0.5", None, 1j, [True], [0.5, "1"], [[0.5], [0.5, 1]], np.array([True]), {0.5}, 10**400, [10**400]):
        with pytest.raises(TypeError, match="(?s)^sortile.quantile: q is .*; allowed are numbers from 0 to 1"):
            sortile.quantile(x, q)


def test_half_of_a_pair_of_offsets_is_refused():
    x = np.array([3.0, 1, 2])
    for offsets in (([0, 3], None), (None, [0, 3]), ([0], [3], [3]), ([0],), ()):
        for call in (lambda: sortile.segment_sort(x, offsets), lambda: sortile.segment_argsort(x, offsets),
                     lambda: sortile.segment_sort_by_key(x, x, offsets), lambda: sortile.segment_top_k(x, 1, offsets)):
            with pytest.raises((TypeError, ValueError), match=r"^sortile.segment_\w+: (offsets of shape|a tuple of \d is given)"):
                call()


def test_flags_are_called_by_their_names():
    for call in (lambda v: sortile.top_k(N, 2, largest=v), lambda v: sortile.segment_top_k(N, 2, [0, 4], largest=v)):
        with pytest.raises(TypeError, match="^sortile: largest is 'yes'; allowed are True and False"):
            call("yes")
    for name in ("return_index", "return_inverse", "return_counts", "equal_nan"):
        with pytest.raises(TypeError, match=f"^sortile: {name} is 2; allowed are True and False"):
            sortile.unique(N, **{name: 2})


def test_results_own_what_they_hold_and_no_more():
    x = np.arange(100_000) // 10_000
    found = sortile.group_by(x)
    assert found.keys.tolist() == list(range(10)) and found.offsets.tolist() == list(range(0, 100_001, 10_000))
    for result in (*found, *sortile.unique_all(x)):
        assert type(result) is np.ndarray and result.base is None and result.flags.owndata and result.flags.writeable
    assert type(found) is type(sortile.group_by(x.tolist())) and type(sortile.unique_all(N)).__name__ == "UniqueAll"
    inverse = sortile.unique(N.reshape(2, 2), return_inverse=True)[1]
    assert inverse.tolist() == [[2, 0], [2, 1]]


class Answers:
    """A number that does something when it is asked for, and differs from one question to the next."""

    def __init__(self, *numbers, does=lambda: None):
        self.numbers, self.does, self.questions = numbers, does, 0

    def __index__(self):
        self.does()
        self.questions += 1
        return self.numbers[min(self.questions, len(self.numbers)) - 1]


def test_an_axis_is_asked_for_once():
    keys = np.random.default_rng(3).random((2, 5, 300))
    axis = Answers(0, 2)
    found, moved = sortile.sort_by_key(keys, keys, axis=axis)
    assert axis.questions == 1 and np.array_equal(found, np.sort(keys, axis=0)) and np.array_equal(moved, found)


def test_values_that_shrink_meanwhile_are_refused():
    for shape in (2000, (40, 50)):
        keys, values = np.random.default_rng(3).random(shape), np.ones(shape)
        shrinks = Answers(1, does=lambda: values.resize((4, 5) if values.ndim == 2 else 20, refcheck=False))
        with pytest.raises(ValueError, match=r"^sortile.sort_by_key: value array 1 has shape \((4, 5|20,)\)"):
            sortile.sort_by_key(keys, (keys, values), threads=shrinks)
    values = np.ones(2000)
    with pytest.raises(ValueError, match=r"^sortile.segment_sort_by_key: value array 0 has shape \(20,\)"):
        sortile.segment_sort_by_key(np.arange(2000), values, [0, 2000],
                                    threads=Answers(1, does=lambda: values.resize(20, refcheck=False)))


def test_arrays_that_shrink_when_threads_are_asked_for():
    for name, call in {
        "quantile": lambda x, n: sortile.quantile(x, 0.5, threads=n),
        "top_k": lambda x, n: sortile.top_k(x, 3, threads=n),
        "partition": lambda x, n: sortile.partition(x, 2, threads=n),
        "group_by": lambda x, n: sortile.group_by(x, threads=n),
        "segment_top_k": lambda x, n: sortile.segment_top_k(x, 2, [0, 5], threads=n),
        "segment_sort": lambda x, n: sortile.segment_sort(x, [0, 5], threads=n),
        "route": lambda x, n: sortile.route(x, 10, threads=n),
        "argsort_rows": lambda x, n: sortile.argsort_rows([x], threads=n),
        "lexsort": lambda x, n: sortile.lexsort((x,), threads=n),
        "unique": lambda x, n: sortile.unique(x, return_index=True, threads=n),
    }.items():
        x = np.arange(3_000_000)[::-1].copy()
        wanted = call(x[:10].copy(), 1)
        found = call(x, Answers(1, does=lambda: x.resize(10, refcheck=False)))
        as_lists = [[np.asarray(part).tolist() for part in (r if isinstance(r, tuple) else (r,))] for r in (found, wanted)]
        assert as_lists[0] == as_lists[1], name


def test_arrays_that_become_others_when_numbers_are_asked_for():
    """Bytes, eight for each element that there was."""
    def become(x):
        def does():
            x.dtype = np.uint8

        return Answers(0, does=does), Answers(1, does=does)

    for call in (lambda x, axis, n: sortile.sort(x, threads=n), lambda x, axis, n: sortile.sort(x, axis=axis),
                 lambda x, axis, n: sortile.argsort(x, threads=n), lambda x, axis, n: sortile.argsort(x, axis=axis),
                 lambda x, axis, n: sortile.is_sorted(x, threads=n), lambda x, axis, n: sortile.is_sorted(x, axis=axis),
                 lambda x, axis, n: sortile.unique(x, threads=n), lambda x, axis, n: sortile.sort_by_key(x, x, threads=n),
                 lambda x, axis, n: sortile.sort_by_key(x, x, axis=axis),
                 lambda x, axis, n: sortile.segment_sort(x, [0, 9], threads=n),
                 lambda x, axis, n: sortile.segment_argsort(x, [0, 9], threads=n),
                 lambda x, axis, n: sortile.segment_sort_by_key(x, x, [0, 9], threads=n)):
        x = np.random.default_rng(6).integers(0, 2**62, 300_000)
        try:
            found = call(x, *become(x))
        except ValueError as refused:  # values that no longer have rows for all keys
            assert "value array 0 has shape" in str(refused)
            continue
        wanted = call(x.copy(), 0, 1)
        for one, other in zip(*((r if isinstance(r, tuple) else (r,)) for r in (found, wanted))):
            assert np.array_equal(one, other) and np.asarray(one).dtype == np.asarray(other).dtype


def test_keys_that_lose_their_order_meanwhile_are_refused():
    keys = np.ones((20, 30))

    def void():
        keys.dtype = "V8"

    with pytest.raises(TypeError, match=r"\|V8"):
        sortile.sort_by_key(keys, np.ones((20, 30)), threads=Answers(1, does=void))


@pytest.mark.parametrize("kind", ["f4", "u1", ">i8", "c8", "c16"])
def test_lanes_of_one_element(kind):
    x = np.array([[3], [1], [2]], kind)
    for lanes in (x, np.repeat(x, 2, 0)[::2], x.T.copy().T):
        assert sortile.sort(lanes).tolist() == x.tolist() and sortile.sort(lanes, descending=True).dtype == x.dtype
        positions = np.full((3, 1), 7, np.uint32)
        assert sortile.argsort(lanes, out=positions) is positions and not positions.any()
        assert sortile.argsort(lanes).tolist() == [[0], [0], [0]]
        assert sortile.sort(lanes, out=lanes) is lanes and lanes.tolist() == x.tolist()


@pytest.mark.parametrize("kind", ["c8", "c16"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("nan", ["last", "largest"])
def test_few_complex_numbers_come_as_many_do(kind, descending, nan):
    parts = np.array([np.nan, 0.0, -0.0, 1, -np.inf])
    rng = np.random.default_rng(4)
    for n in (0, 1, 2, 3, 7, 15, 16, 17, 20):
        for _ in range(20):
            z = np.empty(n, kind)
            z.real, z.imag = rng.choice(parts, n), rng.choice(parts, n)
            order = complex_positions(z, descending, nan)
            for told in (None, lambda share: None):  # with progress, few go the way of many
                options = {"descending": descending, "nan": nan, "progress": told}
                assert np.array_equal(sortile.argsort(z, **options), order)
                assert np.array_equal(sortile.argsort(z, dtype=np.uint32, **options), order)
                assert oracle.same_bits(sortile.sort(z, **options), z[order])


def test_nothing_is_copied_for_numbers_that_are_none():
    x = np.zeros((2, 1_000_000))[:, ::2]
    tracemalloc.start()
    try:
        for call in (lambda: core.top_k(x, 1.5, None, None, -1, True, "last", None, None), lambda: core.partition(x, "1", -1, None),
                     lambda: core.quantiles(x, [0.5, 2.0], -1, 0, None, None)):
            assert call() is NotImplemented
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_values_are_looked_at_before_segments_are_sorted():
    with pytest.raises(ValueError, match=r"^sortile.segment_sort_by_key: value array 0 has shape \(2,\); its first axis"):
        sortile.segment_sort_by_key(np.arange(3), np.arange(2), [0, 9])


def test_results_along_an_axis_lie_as_new_arrays_do():
    x = np.random.default_rng(5).random((3, 4, 5))
    for axis in (0, 1, 2, -2):
        found, moved = sortile.sort_by_key(x, (x, x.transpose(0, 2, 1).copy().transpose(0, 2, 1)), axis=axis)
        assert np.array_equal(found, np.sort(x, axis=axis))
        for one in (found, *moved):
            assert np.array_equal(one, found) and one.flags.c_contiguous and one.flags.owndata and one.base is None


@pytest.mark.parametrize("n", [3, 3000])
def test_texts_without_letters_are_empty_ones(n):
    empty = np.ndarray(n, "S0", np.zeros(n, "S1"), strides=(0,))
    assert empty.dtype.itemsize == 0
    keys = np.arange(n)[::-1]
    for _ in range(5):
        np.full(n, 255, "u1").tolist()  # memory that was written to
        for moved in (sortile.sort_by_key(keys, empty)[1], sortile.sort_by_key(keys, (empty, keys))[1][0],
                      sortile.segment_sort_by_key(keys, empty, [0, n])[1],
                      sortile.sort_by_key(keys.reshape(-1, 1), empty.reshape(-1, 1), axis=0)[1]):
            assert moved.size == n and set(moved.reshape(-1).tolist()) == {b""}
