"""Arrays on a GPU: every call, on PyTorch's, CuPy's and JAX's, against what NumPy says of the same elements; parts of sorts
and segments in test_gpu_parts.py."""

import contextlib
import gc
import os
import re
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import frameworks
import oracle
import sortile
from arrays import DIRECTIONS, filled
from sortile import _bench_gpu
from sortile._backend import core
from sortile._gpu import KEY_TYPES


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 70_001])
def test_a_lane(gpu, n, direction):
    descending, nan = direction
    for name in frameworks.some_types(gpu, n + DIRECTIONS.index(direction)):
        x = filled(name, n)
        order = oracle.positions(x, descending, nan)
        given_there = gpu.there(x)
        found = sortile.sort(given_there, descending=descending, nan=nan)
        assert type(found) is type(given_there) and oracle.same_bits(gpu.back(found), x[order]), name
        for dtype in ("int32", "uint32") + (("int64",) if gpu.name != "jax" else ()):
            positions = gpu.back(sortile.argsort(given_there, descending=descending, nan=nan, dtype=dtype))
            assert positions.dtype == dtype and np.array_equal(positions, order), name
        assert oracle.same_bits(gpu.back(given_there), x)  # the input is only read
        assert sortile.is_sorted(found, descending=descending, nan=nan)
        assert sortile.is_sorted(given_there, descending=descending, nan=nan) == np.array_equal(order, np.arange(n))


SHAPES = [((3, 50), 1), ((2, 600_000), 1), ((200, 30), 0), ((200, 30), 1), ((4, 5, 60), 1), ((2, 140_000), -1), ((300, 700), None),
          ((0, 4), 1), ((4, 0), 0), ((9, 0), 1), ((1000, 1), 1)]


@pytest.fixture
def at_once(monkeypatch):
    """JAX on a GPU, what there of an array is ready, and a list that grows with every call that is done without XLA."""
    gpu = frameworks.on_gpu("jax")
    from sortile import _jax_now

    done, whole = [], _jax_now.Work.do
    monkeypatch.setattr(_jax_now.Work, "do", lambda work, *given: done.append(work) or whole(work, *given))
    return gpu, lambda x: gpu.there(x).block_until_ready(), done


AT_ONCE = {
    "sort": lambda x, v, run, o, begins, ends, **how: sortile.sort(x, **how),
    "argsort": lambda x, v, run, o, begins, ends, **how: sortile.argsort(x, **how),
    "sort_by_key": lambda x, v, run, o, begins, ends, **how: sortile.sort_by_key(x, v, **how)[1],
    "lexsort": lambda x, v, run, o, begins, ends, **how: sortile.lexsort((v, x), **how),
    "merge": lambda x, v, run, o, begins, ends, **how: sortile.merge(run, run, **how),
    "top_k": lambda x, v, run, o, begins, ends, descending, nan: sortile.top_k(
        x, (len(x) + 1) // 2, largest=descending, nan=nan
    )[1],
    "segment_sort": lambda x, v, run, o, begins, ends, **how: sortile.segment_sort(x, o, **how),
    "segment ranges": lambda x, v, run, o, begins, ends, **how: sortile.segment_sort(x, (begins, ends), **how),
}


@pytest.mark.parametrize("n", [1, 2, 33, 1000, 30_001, 70_001])
@pytest.mark.parametrize("name", ["f4", "u2", "?"])
def test_ready_arrays_of_jax_are_done_at_once(at_once, name, n):
    """In one call each, but where the library's order is another, and long ones where XLA's way is as fast."""
    gpu, there, done = at_once
    x, values, offsets = filled(name, n, 1, 200), np.arange(n, dtype="i2"), np.array([0, n // 3, n // 2, n - 1], "i4")
    longest = {"lexsort": max(x.nbytes, values.nbytes), "top_k": x.nbytes}
    for descending, nan in DIRECTIONS:
        how = {"descending": descending, "nan": nan}
        here = x, values, sortile.sort(x, **how), offsets, offsets[::2].copy(), offsets[1::2].copy()
        given = tuple(map(there, here))
        flips = descending and nan == "last" and name == "f4"
        for call, made in AT_ONCE.items():
            before = len(done)
            found, wanted = made(*given, **how), made(*here, **how)
            takes_flips = call == "top_k" and core.device_takes_nan_last(KEY_TYPES["float32"], 1, n, (n + 1) // 2)
            quick = longest.get(call, 0) <= 2**17 and (not flips or takes_flips)
            assert len(done) == before + quick, (call, how)
            found = gpu.back(found).astype(wanted.dtype)
            if flips and call == "merge":  # where XLA turns signs, NaN loses its own
                assert np.array_equal(found, wanted, equal_nan=True), (call, how)
            else:
                assert oracle.same_bits(found, wanted), (call, how)
        assert oracle.same_bits(gpu.back(given[0]), x)  # the inputs are only read


@pytest.mark.parametrize("n", [1, 2, 33, 1000, 70_001])
@pytest.mark.parametrize("name", ["f4", "u2", "?"])
def test_partitions_of_jax_at_once(at_once, name, n):
    gpu, there, done = at_once
    x, words = filled(name, n, 1, 200), f"u{np.dtype(name).itemsize}"
    for kth in {0, n // 2, n - 1, -1}:
        before = len(done)
        found = gpu.back(sortile.partition(there(x), kth))
        assert len(done) == before + 1
        ranks = np.searchsorted(np.unique(x), found)  # NaN is the last
        assert (ranks[:kth] <= ranks[kth]).all() and (ranks[kth] <= ranks[kth:]).all()
        assert found.dtype == x.dtype and np.array_equal(np.sort(found.view(words)), np.sort(x.view(words)))


def test_what_jax_traces_is_not_done_at_once(at_once):
    gpu, there, done = at_once
    x = there(np.array([3, 1, 2], "f4"))
    assert "ffi_call" in str(gpu.jax.make_jaxpr(lambda: sortile.sort(x))())
    assert gpu.jax.grad(lambda a: sortile.sort(a)[0])(x).tolist() == [0, 1, 0]
    assert gpu.jax.vmap(sortile.sort)(x.reshape(1, 3)).tolist() == [[1, 2, 3]]
    assert not done
    x.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        sortile.sort(x)


@pytest.mark.parametrize("wide", [False, True])
def test_quantiles_of_jax_at_once(at_once, request, wide):
    gpu, there, done = at_once
    request.addfinalizer(partial(gpu.jax.config.update, "jax_enable_x64", gpu.jax.config.jax_enable_x64))
    gpu.jax.config.update("jax_enable_x64", wide)
    x = np.random.default_rng(1).normal(size=1001).astype("f8" if wide else "f4")
    for keys in (x, np.where(x > 2, np.nan, x), (1000 * x).astype("i4")):
        for q in (0.5, [[0.25, 0.9]], []):
            for method in ("linear", "nearest", "midpoint"):
                before = len(done)
                found = sortile.quantile(there(keys), q, method=method)
                chosen = method == "nearest"  # an element, which the library finds
                assert len(done) == before + (not chosen) and found.dtype == (keys.dtype if chosen else x.dtype)
                wanted = sortile.quantile(keys, q, method=method)
                np.testing.assert_allclose(gpu.back(found), wanted, rtol=1e-12 if wide else 1e-6)


def test_results_of_jax_at_once_are_each_their_own(at_once):
    """And stay what they are while others are made, and let go, by several threads."""
    gpu, there, done = at_once
    wrong = []

    def many(seed):
        random = np.random.default_rng(seed)
        for turn in range(100):
            x = random.integers(0, 1000, 777 if turn % 3 else int(random.integers(1, 777)), "i4")
            y = there(x)
            found = [sortile.sort(y) for _ in range(3)]
            more = found[0] + 1, sortile.argsort(found[1])
            right = [np.sort(x)] * 3 + [np.sort(x) + 1, np.arange(len(x))]
            wrong.extend(turn for a, b in zip((*found, *more), right) if not np.array_equal(gpu.back(a), b))

    threads = [threading.Thread(target=many, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong and len(done) == 4 * 100 * 4  # three sorts and an argsort


@pytest.mark.parametrize("shape, axis", SHAPES)
def test_lanes_along_an_axis(gpu, shape, axis):
    for name in ("f4", "i4", "u1", "f2"):
        x = filled(name, int(np.prod(shape)), distinct=20).reshape(shape)
        flat = x.reshape(-1) if axis is None else x
        for descending, nan in DIRECTIONS[:2]:
            order = oracle.lanes(flat, axis or 0, lambda lane: oracle.positions(lane, descending, nan))
            there = gpu.there(x)
            found = gpu.back(sortile.sort(there, axis=axis, descending=descending))
            assert oracle.same_bits(found, np.take_along_axis(flat, order, axis or 0))
            assert np.array_equal(gpu.back(sortile.argsort(there, axis=axis, descending=descending)), order)


def test_views_are_sorted_as_they_are_seen(gpu):
    x = filled("f4", 6000).reshape(60, 100)
    there = gpu.there(x)
    for view, seen in ((there[::2, 1::3], x[::2, 1::3]), (there.T, x.T), (there[3], x[3]), (there[:, 3], x[:, 3])):
        order = oracle.lanes(seen, -1, oracle.positions)
        assert oracle.same_bits(gpu.back(sortile.sort(view)), np.take_along_axis(seen, order, -1))
    assert oracle.same_bits(gpu.back(there), x)


def test_values_travel_with_their_keys(gpu):
    keys = filled("i4", 5000, distinct=100)
    order = oracle.positions(keys)
    rows = np.arange(15_000, dtype="f4").reshape(5000, 3)
    wide, narrow = np.arange(5000, dtype="i4"), np.arange(5000).astype("u1")
    for values in ((wide,), (narrow,), (rows,), (wide, narrow, rows), ()):
        found, moved = sortile.sort_by_key(gpu.there(keys), tuple(map(gpu.there, values)))
        assert oracle.same_bits(gpu.back(found), keys[order])
        assert all(oracle.same_bits(gpu.back(m), v[order]) for m, v in zip(moved, values, strict=True))
    there = gpu.there(keys)
    assert all(oracle.same_bits(gpu.back(found), keys[order]) for found in sortile.sort_by_key(there, there))
    block = keys.reshape(50, 100)
    found, moved = sortile.sort_by_key(gpu.there(block), gpu.there(wide.reshape(50, 100)), axis=0, descending=True)
    order = oracle.lanes(block, 0, lambda lane: oracle.positions(lane, True))
    assert oracle.same_bits(gpu.back(moved), np.take_along_axis(wide.reshape(50, 100), order, 0))
    with pytest.raises(ValueError, match="value array 0 has shape"):
        sortile.sort_by_key(gpu.there(keys), gpu.there(wide[:9]))
    if gpu.name == "jax":  # takes NumPy's arrays everywhere
        assert np.array_equal(sortile.sort_by_key(gpu.there(keys), wide)[1], oracle.positions(keys))
    else:
        with pytest.raises(TypeError, match="array 1 is of type ndarray; beside it is one of"):
            sortile.sort_by_key(gpu.there(keys), wide)


def test_values_travel_within_long_rows():
    gpu = frameworks.on_gpu("jax")
    keys = filled("i4", 1_200_000).reshape(2, 600_000)
    found, moved = gpu.jax.vmap(sortile.sort_by_key)(gpu.there(keys), gpu.there(np.arange(1_200_000).reshape(keys.shape)))
    order = np.argsort(keys, kind="stable")
    assert np.array_equal(found, np.take_along_axis(keys, order, 1))
    assert np.array_equal(moved, order + [[0], [600_000]])


def test_rows_by_several_columns(gpu):
    columns = [filled("u1", 4000, 1, 5), filled("f4", 4000, 2, 5), filled("i2", 4000, 3)]
    there = [gpu.there(c) for c in columns]
    for down in (False, True, [True, False, True]):
        wanted = sortile.argsort_rows(columns, descending=down)
        assert np.array_equal(gpu.back(sortile.argsort_rows(there, descending=down)), wanted)
        turned = down[::-1] if isinstance(down, list) else down
        assert np.array_equal(gpu.back(sortile.lexsort(there[::-1], descending=turned)), wanted)
    blocks = [c.reshape(40, 100) for c in columns]
    for axis in (0, 1):
        wanted = sortile.lexsort(blocks, axis=axis)
        assert np.array_equal(gpu.back(sortile.lexsort([gpu.there(b) for b in blocks], axis=axis)), wanted)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("lengths", [(500, 0, 3000), (0,), (9000,), (70_001, 30), (40,) * 90, (300, 9000, 1, 0) * 4, (300, 1) * 40])
def test_merge(gpu, lengths, direction):
    descending, nan = direction
    how = {"descending": descending, "nan": nan}
    for name in frameworks.some_types(gpu, len(lengths) + DIRECTIONS.index(direction)):
        runs = [sortile.sort(filled(name, n, i, 200), **how) for i, n in enumerate(lengths)]
        there = [gpu.there(run) for run in runs]
        wanted, found = sortile.merge(*runs, **how), sortile.merge(*there, **how)
        assert type(found) is type(there[0])
        if gpu.name == "jax" and descending and nan == "last" and wanted.dtype.kind == "f":  # NaN loses its sign
            assert np.array_equal(gpu.back(found), wanted, equal_nan=True), name
        else:
            assert oracle.same_bits(gpu.back(found), wanted), name
        assert all(oracle.same_bits(gpu.back(t), run) for t, run in zip(there, runs, strict=True)), name


def test_merge_into_an_array(gpu):
    if gpu.name == "jax":
        pytest.skip("JAX's arrays are never written to")
    for descending, nan in DIRECTIONS:
        how = {"descending": descending, "nan": nan}
        both = np.concatenate([sortile.sort(filled("f4", n, n), **how) for n in (6000, 9000)])
        wanted = sortile.merge(both[:6000], both[6000:], **how)
        there, out = gpu.there(both), gpu.there(np.zeros_like(both))
        assert sortile.merge(there[:6000], there[6000:], out=out, **how) is out
        assert oracle.same_bits(gpu.back(out), wanted)
        assert sortile.merge(there[:6000], there[6000:], out=there, **how) is there  # which is both runs
        assert oracle.same_bits(gpu.back(there), wanted)
        gaps = gpu.there(np.zeros((15_000, 2), "f4"))[:, 0]
        sortile.merge(out[:0], out, out=gaps, **how)
        assert oracle.same_bits(gpu.back(gaps), wanted)
        with pytest.raises((ValueError, RuntimeError)):
            sortile.merge(out, out, out=out, **how)


@pytest.mark.parametrize("equal_nan", [True, False])
def test_unique(gpu, equal_nan):
    for x in (filled("f4", 3000, distinct=50), filled("i4", 3000, distinct=50).reshape(30, 100), np.zeros(0, "i4")):
        wanted = np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=equal_nan)
        found = sortile.unique(gpu.there(x), return_index=True, return_inverse=True, return_counts=True,
                               equal_nan=equal_nan)
        for a, b in zip(found, wanted, strict=True):
            assert np.array_equal(gpu.back(a), b.reshape(a.shape), equal_nan=b.dtype.kind == "f")


@pytest.mark.parametrize("distinct", [1, 7, 40_000])
def test_unique_of_every_type_is_the_hosts(gpu, distinct):
    """Which zero and which NaN stands for all of them, too; of a strided view, and in arrays no larger than they have to be."""
    for name in frameworks.some_types(gpu, distinct):
        x = filled(name, 100_000, distinct=distinct).reshape(2, -1)
        there = gpu.there(x)[:, ::2]
        wanted = sortile.unique(x[:, ::2], return_index=True, return_inverse=True, return_counts=True)
        found = sortile.unique(there, return_index=True, return_inverse=True, return_counts=True)
        assert oracle.same_bits(gpu.back(found[0]), wanted[0]), name
        assert all(np.array_equal(gpu.back(a), b) for a, b in zip(found[1:], wanted[1:], strict=True)), name
        assert oracle.same_bits(gpu.back(sortile.unique(there)), wanted[0]), name
        order = sortile.group_by(x[0])
        assert all(np.array_equal(gpu.back(a), b) for a, b in zip(sortile.group_by(gpu.there(x[0]))[1:], order[1:])), name


def test_groups(gpu):
    for x in (filled("f4", 3000, distinct=50), filled("u1", 3000), np.zeros(0, "i4")):
        wanted, found = sortile.group_by(x), sortile.group_by(gpu.there(x))
        for a, b in zip(found, wanted, strict=True):
            assert np.array_equal(gpu.back(a), b, equal_nan=b.dtype.kind == "f")


@pytest.mark.parametrize("name", ["u2", "u4", "u8"])
def test_unsigned_types_in_every_call(gpu, name):
    if name not in gpu.types:
        pytest.skip(f"{gpu.name} has {name} only where it is turned on")
    x, y = filled(name, 3000, distinct=50), filled(name, 3000, seed=2)
    there, beside = gpu.there(x), gpu.there(y)
    wanted = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    found = sortile.unique(there, return_index=True, return_inverse=True, return_counts=True)
    assert all(np.array_equal(gpu.back(a), b) for a, b in zip(found, wanted, strict=True))
    order = np.lexsort((y, x))
    assert np.array_equal(gpu.back(sortile.argsort_rows([there, beside])), order)
    order = oracle.positions(x)
    moved = sortile.sort_by_key(there, (beside, there))[1]
    assert all(oracle.same_bits(gpu.back(m), v[order]) for m, v in zip(moved, (y, x), strict=True))
    block = gpu.there(x.reshape(30, 100))
    moved = sortile.sort_by_key(block, gpu.there(y.reshape(30, 100)))[1]
    order = np.argsort(x.reshape(30, 100), kind="stable")
    assert np.array_equal(gpu.back(moved), np.take_along_axis(y.reshape(30, 100), order, 1))
    assert np.array_equal(gpu.back(sortile.merge(sortile.sort(there), sortile.sort(beside))), np.sort([*x, *y]))
    assert np.array_equal(gpu.back(sortile.top_k(block, 3).values), -np.sort(-x.reshape(30, 100).astype("O"))[:, :3])


def test_out_takes_the_result(gpu):
    x = filled("i4", 9000)
    there = gpu.there(x)
    if gpu.name == "jax":
        with pytest.raises(ValueError, match="cannot be written to"):
            sortile.sort(there, out=there)
        return
    out = gpu.there(np.zeros(9000, "i4"))
    assert sortile.sort(there, out=out) is out and np.array_equal(gpu.back(out), np.sort(x))
    gaps = gpu.there(np.zeros(18_000, "i4"))[::2]
    sortile.sort(there, descending=True, out=gaps)
    assert np.array_equal(gpu.back(gaps), np.sort(x)[::-1])
    assert sortile.sort(there, out=there) is there and np.array_equal(gpu.back(there), np.sort(x))
    with pytest.raises(ValueError, match=r"out has shape \(4,\)"):
        sortile.sort(there, out=gpu.there(np.zeros(4, "i4")))
    with pytest.raises(TypeError, match="out must be"):
        sortile.sort(there, out=gpu.there(np.zeros(9000, "i8")))


def test_what_is_refused(gpu):
    there = gpu.there(np.zeros(3, "f4"))
    for call, error, text in [
        (lambda: sortile.sort(there, axis=1), np.exceptions.AxisError, "axis 1 of an array with 1 dimensions"),
        (lambda: sortile.sort(there, nan="first"), ValueError, 'nan must be "last"'),
        (lambda: sortile.sort(there, descending="no"), TypeError, "descending is 'no'"),
        (lambda: sortile.argsort(there, descending="no"), TypeError, "descending is 'no'"),
        (lambda: sortile.sort_by_key(there, there, descending="no"), TypeError, "descending is 'no'"),
        (lambda: sortile.merge(there, there, descending="no"), TypeError, "descending is 'no'"),
        (lambda: sortile.is_sorted(there, descending="no"), TypeError, "descending is 'no'"),
        (lambda: sortile.segment_sort(there, [0, 3], descending="no"), TypeError, "descending is 'no'"),
        (lambda: sortile.segment_argsort(there, [0, 3], descending="no"), TypeError, "descending is 'no'"),
        (lambda: sortile.segment_sort_by_key(there, there, [0, 3], descending="no"), TypeError, "descending is 'no'"),
        (lambda: sortile.sort(there, progress=print), ValueError, "progress cannot be told"),
        (lambda: sortile.sort(there, order="a"), ValueError, "order names fields"),
        (lambda: sortile.argsort(there, dtype="int16"), TypeError, "allowed are int64, int32, uint32"),
        (lambda: sortile.sort(gpu.there(np.zeros(3, "c8"))), TypeError, "have no order here"),
        (lambda: sortile.argsort_rows([there, there[:2]]), ValueError, "column 1 has shape"),
        (lambda: sortile.merge(there, gpu.there(np.zeros(3, "i4"))), TypeError, "all runs must be of one type"),
    ]:
        with pytest.raises(error, match=text):
            call()


def test_scans_and_digit_histograms(gpu):
    calls = (sortile.inclusive_scan, sortile.exclusive_scan, sortile.digit_histogram)
    if gpu.name == "jax":
        for call in calls:
            with pytest.raises(TypeError, match=f"^sortile.{call.__name__}: .*of JAX's"):
                call(gpu.there(np.zeros(3, "i4")))
        return
    for name in ("i4", "i8", "u4", "u8"):
        for shape, axis in [((0,), 0), ((1,), 0), ((5000,), -1), ((300_000,), 0), ((7, 900), 1), ((7, 900), 0), ((3, 4, 5), None), ((4, 0), 1)]:
            x = filled(name, int(np.prod(shape)), 5).reshape(shape)
            for call in calls[:2]:
                for op, initial in [("sum", None), ("maximum", 3)]:
                    found = call(gpu.there(x), op=op, axis=axis, initial=initial)
                    np.testing.assert_array_equal(gpu.back(found), call(x, op=op, axis=axis, initial=initial), strict=True)
    for name in gpu.types:
        x = filled(name, 30_000, 6).reshape(100, 300)
        for descending in (False, True):
            found = gpu.back(sortile.digit_histogram(gpu.there(x), descending=descending))
            np.testing.assert_array_equal(found, sortile.digit_histogram(x, descending=descending), strict=True)


def test_many_threads_at_once(gpu):
    """Each with arrays of its own; PyTorch's and CuPy's on streams of their own."""
    failures = []

    def work(seed):
        x = filled("i4", 100_000 + seed if gpu.name != "jax" else 100_000, seed)
        if gpu.name == "torch":
            stream = gpu.xp.cuda.stream(gpu.xp.cuda.Stream())
        else:
            stream = gpu.xp.cuda.Stream(non_blocking=True) if gpu.name == "cupy" else contextlib.nullcontext()
        with stream:
            there = gpu.there(x)
            for _ in range(10):
                if not np.array_equal(gpu.back(sortile.argsort(there)), np.argsort(x, kind="stable")):
                    failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


def test_explain(gpu):
    text = sortile.explain(gpu.there(np.zeros((2, 100_000), "f4")), positions=True)
    assert "engine    cuda" in text and "workspace" in text


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(0, 400_000), st.sampled_from([1, 3, 10**5]), st.sampled_from(DIRECTIONS))
def test_random_lanes(gpu, seed, n, distinct, direction):
    descending, nan = direction
    name = gpu.types[seed % len(gpu.types)]
    n -= n % 50_000 if gpu.name == "jax" else 0
    x = filled(name, n, seed, distinct)
    order = oracle.positions(x, descending, nan)
    assert oracle.same_bits(gpu.back(sortile.sort(gpu.there(x), descending=descending, nan=nan)), x[order])
    positions = sortile.argsort(gpu.there(x), descending=descending, nan=nan)
    assert np.array_equal(gpu.back(positions), order)


def test_large_host_arrays_go_by_the_gpu():
    frameworks.on_gpu("torch")
    x = np.random.default_rng(1).integers(0, 2**32, 30_000_000, dtype=np.uint32)
    assert "engine    cuda" in sortile.explain(x)
    assert np.array_equal(sortile.sort(x), np.sort(x))


@pytest.fixture(scope="module")
def torch():
    return frameworks.on_gpu("torch").xp


@pytest.mark.filterwarnings("ignore")  # PyTorch warns of itself
class TestTorch:
    """What only PyTorch's tensors show."""

    def test_the_current_stream_is_used(self, torch):
        x = torch.randint(0, 2**31, (4_000_000,), device="cuda", dtype=torch.int32)
        wanted = torch.sort(x).values
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            y = x.clone()
            torch.cuda._sleep(50_000_000)  # what was queued on the stream before has to be waited for
            y ^= 0x5555
            y ^= 0x5555
            found = sortile.sort(y)
        stream.synchronize()
        assert torch.equal(found, wanted)

    def test_calls_do_not_wait(self, torch):
        x = torch.zeros(1000, device="cuda")
        sortile.sort(x)
        torch.cuda.synchronize()
        begin, end = torch.cuda.Event(), torch.cuda.Event()
        torch.cuda._sleep(200_000_000)
        begin.record()
        sortile.sort(x)
        end.record()
        assert not begin.query() and not end.query()
        torch.cuda.synchronize()

    def test_a_graph_can_be_replayed(self, torch):
        x = torch.rand(1_000_000, device="cuda")
        offsets = torch.tensor([0, 500_000, 1_000_000], device="cuda")
        k = torch.tensor([3, 5], device="cuda")
        sortile.sort(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = sortile.sort(x)
            order = sortile.argsort(x, descending=True)
            first = sortile.top_k(x, 9).indices
            halves = sortile.segment_sort(x, offsets)
            best = sortile.segment_top_k(x, k, offsets, most=5, fill=-1)
            of_rows = sortile.top_k(x.reshape(2, -1), k, most=5, fill=-1)
            alone = sortile.top_k(x, k[0], most=3, fill=-1)
        for turn in range(3):
            x.copy_(torch.rand(1_000_000, device="cuda"))
            k.copy_(torch.tensor([turn, 7 - turn]))
            graph.replay()
            torch.cuda.synchronize()
            assert torch.equal(found, torch.sort(x).values)
            assert torch.equal(order, torch.argsort(x, descending=True, stable=True))
            assert torch.equal(first, order[:9])
            assert torch.equal(halves.reshape(2, -1), torch.sort(x.reshape(2, -1)).values)
            behind = torch.arange(5, device="cuda") >= k[:, None]
            assert torch.equal(best.values, x.reshape(2, -1).topk(5).values.masked_fill(behind, -1))
            assert torch.equal(of_rows.values, best.values) and torch.equal(of_rows.indices, best.indices)
            assert torch.equal(alone.indices, order[:3].masked_fill(torch.arange(3, device="cuda") >= turn, -1))

    def test_bfloat16(self, torch):
        x = torch.randn(5000, device="cuda").to(torch.bfloat16)
        assert torch.equal(sortile.sort(x), torch.sort(x).values)

    def test_views_that_stand_for_their_negative(self, torch):
        x = torch.arange(5.0, device="cuda")
        assert sortile.sort(torch._neg_view(x)).tolist() == [-4, -3, -2, -1, 0]
        assert sortile.argsort(torch._neg_view(x)).tolist() == [4, 3, 2, 1, 0]

    def test_autograd_knows_what_out_was_written_to(self, torch):
        weight, x = torch.ones(9, device="cuda", requires_grad=True), torch.rand(9, device="cuda")
        kept = (weight * x).sum()
        sortile.sort(x, out=x)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            kept.backward()
        with pytest.raises(RuntimeError, match="leaf Variable"):
            sortile.sort(x, out=weight)
        with torch.inference_mode():
            out = torch.empty_like(x)
            assert torch.equal(sortile.sort(x, out=out), x)

    def test_offsets_in_host_memory(self, torch):
        x = torch.tensor([3.0, 1, 2, 0], device="cuda")
        assert sortile.segment_sort(x, torch.tensor([0, 2, 4])).tolist() == [1, 3, 0, 2]
        with pytest.raises(ValueError, match="beyond"):
            sortile.segment_sort(x, torch.tensor([0, 5]))

    def test_memory_comes_from_torch(self, torch):
        x = torch.rand(20_000_000, device="cuda", dtype=torch.float64)
        sortile.sort(x)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        free_before = torch.cuda.mem_get_info()[0]
        torch.cuda.reset_peak_memory_stats()
        used = torch.cuda.memory_allocated()
        found = sortile.sort(x)
        torch.cuda.synchronize()
        peak = torch.cuda.max_memory_allocated() - used
        workspace = int(re.search(r"workspace (\d+) bytes", sortile.explain(x))[1])
        assert found.nbytes < peak <= 1.05 * found.nbytes + workspace
        reserved = torch.cuda.memory_reserved()
        assert free_before - torch.cuda.mem_get_info()[0] <= reserved  # nothing beside it

    def test_out_of_memory_raises_and_the_input_stays(self, torch):
        x = torch.randint(0, 2**31, (2**24,), device="cuda", dtype=torch.int32)
        before = x.clone()
        sortile.sort(x)
        torch.cuda.empty_cache()
        limit = torch.cuda.memory_allocated() + 2**20
        torch.cuda.set_per_process_memory_fraction(limit / torch.cuda.get_device_properties(0).total_memory)
        try:
            with pytest.raises(torch.cuda.OutOfMemoryError):
                sortile.sort(x, out=x)
        finally:
            torch.cuda.set_per_process_memory_fraction(1.0)
        assert torch.equal(x, before)

    def test_nothing_leaks(self, torch):
        x = torch.rand(3000, device="cuda")
        calls = [lambda: sortile.sort(x), lambda: sortile.argsort(x, descending=True),
                 lambda: sortile.sort_by_key(x, x), lambda: sortile.sort(x.reshape(30, 100)),
                 lambda: sortile.unique(x, return_inverse=True), lambda: sortile.top_k(x, 7),
                 lambda: sortile.segment_sort_by_key(x, x, [0, 5, 3000]), lambda: sortile.segment_top_k(x, 9, [0, 5, 3000]),
                 lambda: sortile.segment_top_k(x, [3, 700], [0, 5, 3000])]
        for call in calls:
            for _ in range(5):
                call()
        gc.collect()
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        for call in calls:
            for _ in range(50):
                call()
        gc.collect()
        assert torch.cuda.memory_allocated() == before


def test_cupy_streams():
    gpu = frameworks.on_gpu("cupy")
    x = gpu.xp.random.randint(0, 2**31, 3_000_000).astype("u4")
    with gpu.xp.cuda.Stream(non_blocking=True) as stream:
        y = x.copy()
        found = sortile.sort(y)
        stream.synchronize()
    assert bool((found == gpu.xp.sort(x)).all())


def test_cupy_out_of_memory_raises_and_the_input_stays():
    gpu = frameworks.on_gpu("cupy")
    x = gpu.there(filled("i4", 2**24, distinct=2**31))
    before = x.copy()
    pool = gpu.xp.get_default_memory_pool()
    pool.free_all_blocks()
    limit = pool.get_limit()
    pool.set_limit(size=pool.total_bytes() + 2**20)
    wanted = "sortile: out of memory: [0-9]+ bytes are wanted for the workspace of a sort, and CuPy's allocator says: Out"
    try:
        with pytest.raises(MemoryError, match=wanted) as raised:
            sortile.sort(x, out=x)
        assert isinstance(raised.value, gpu.xp.cuda.memory.OutOfMemoryError)
    finally:
        pool.set_limit(size=limit)
    assert bool((x == before).all())
    assert bool((sortile.sort(x, out=x) == gpu.xp.sort(before)).all())


JAX_SHORT_OF_MEMORY = """
import jax, numpy as np, sortile
device = jax.devices("gpu")[0]
n = device.memory_stats()["bytes_limit"] * 2 // 5 // 4  # two fifths the keys, as much the result, and as much the workspace
x = jax.device_put(np.random.default_rng(1).integers(-2**31, 2**31, n, dtype="i4"), device)
before = np.array(x)
try:
    sortile.sort(x).block_until_ready()
    print("no error")
except jax.errors.JaxRuntimeError as e:
    print(str(e).replace("\\n", " "))
assert np.array_equal(np.array(x), before)
assert np.array_equal(np.array(sortile.sort(x[:1000])), np.sort(before[:1000]))
"""


def test_jax_out_of_memory_raises_and_the_input_stays():
    """In a process of its own: JAX is told of its memory before it begins."""
    frameworks.on_gpu("jax")
    little = {"XLA_PYTHON_CLIENT_PREALLOCATE": "true", "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.02"}
    ran = subprocess.run([sys.executable, "-c", JAX_SHORT_OF_MEMORY], env={**os.environ, **little}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert re.search("RESOURCE_EXHAUSTED: sortile: out of memory: [0-9]+ bytes are wanted for the workspace of a sort", ran.stdout)


def test_both_sides_of_rows_of_the_benchmark_agree(gpu, request):
    if gpu.name == "jax":  # the benchmark turns 64-bit types on
        request.addfinalizer(partial(gpu.jax.config.update, "jax_enable_x64", gpu.jax.config.jax_enable_x64))
    small = list({"torch": _bench_gpu.on_torch, "cupy": _bench_gpu.on_cupy, "jax": _bench_gpu.on_jax}[gpu.name]({}, 1001))
    assert {row.n for row in small} == {10, 100, 1000}
    apart = ("PyTorch median", "CuPy top_k")  # the lower of two in the middle; positions
    for row in small:
        sides = row.make()
        ours, theirs = sides.ours[0](), sides.theirs[0]()
        sides.finish()
        if theirs is not None:  # the compiled call alone returns nothing
            ours, theirs = (x[0] if isinstance(x, (tuple, list)) else x for x in (ours, theirs))
            ours, theirs = (x if isinstance(x, bool) else gpu.back(x) for x in (ours, theirs))
            if "partition" in row.name:  # any order on both sides
                ours, theirs = np.sort(ours), np.sort(theirs)
            if not row.name.startswith(apart):
                assert np.allclose(np.ravel(ours), np.ravel(theirs), rtol=1e-6, atol=0), row
