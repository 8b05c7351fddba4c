"""What holds of every call: threads, the interpreter's lock, Ctrl-C, progress, errors, memory."""

import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import polars
import pyarrow
import pytest

import sortile


def keys(n, seed=1):
    return np.random.default_rng(seed).integers(0, 2**63, n, dtype=np.uint64)


def test_wrong_arguments_are_named():
    x = np.arange(4.0)
    for call, error, text in [
        (lambda: sortile.sort(x, axis=2), np.exceptions.AxisError, "axis 2 of an array with 1 dimensions"),
        (lambda: sortile.sort(x, nan="first"), ValueError, 'nan must be "last"'),
        (lambda: sortile.sort(x, threads=0), ValueError, "threads is 0"),
        (lambda: sortile.sort(x, progress=3), TypeError, "progress must be"),
        (lambda: sortile.sort(x, out=np.empty(3)), ValueError, r"out has shape \(3,\); needed is \(4,\)"),
        (lambda: sortile.sort(x, out=np.empty(4, "f4")), TypeError, "out holds float32; needed is float64"),
        (lambda: sortile.sort(x, out=[1.0]), (TypeError, ValueError), "out"),
        (lambda: sortile.argsort(x, dtype="i4"), TypeError, "allowed are int64 and uint32"),
        (lambda: sortile.argsort(x, out=np.empty(4, "u8")), TypeError, "allowed are int64 and uint32"),
        (lambda: sortile.sort_by_key(x, x[:3]), ValueError, "value array 0 has shape"),
        (lambda: sortile.sort_by_key(x, x[:3].astype(object)), ValueError, "value array 0 has shape"),
        (lambda: sortile.sort_by_key(x.reshape(2, 2), x), ValueError, "with keys of several axes"),
        (lambda: sortile.argsort_rows([]), ValueError, "at least one is needed"),
        (lambda: sortile.argsort_rows([x, x[:3]]), ValueError, "column 1 has shape"),
        (lambda: sortile.argsort_rows([x, x], descending=[True]), ValueError, "1 entries for 2 columns"),
        (lambda: sortile.argsort_rows([x], descending=np.array(True)), TypeError, r"descending is array\(True\)"),
        (lambda: sortile.lexsort([]), ValueError, "at least one is needed"),
        (lambda: sortile.lexsort([x], axis=None), TypeError, "axis is None; allowed are whole numbers"),
        (lambda: sortile.lexsort([x.reshape(2, 2)], axis=None), TypeError, "axis is None; allowed are whole numbers"),
        (lambda: sortile.median(x.astype("g")), TypeError, "^sortile.median: .* float128 .* 64 bits, and ml_dtypes.bfloat16$"),
        (lambda: sortile.sort_by_key(x.reshape(2, 2), x, axis=None), ValueError, "with keys of several axes"),
        (lambda: sortile.merge(), ValueError, "at least one is needed"),
        (lambda: sortile.merge(x, x.astype("f4")), TypeError, "run 1 holds float32, run 0 holds float64"),
        (lambda: sortile.merge(x, x.reshape(2, 2)), ValueError, "run 1 has shape"),
        (lambda: sortile.merge(x, x, out=np.empty(7)), ValueError, "out has shape"),
        (lambda: sortile.partition(x[:0], 0), ValueError, "kth = 0 of 0 elements; there is no place among them"),
        (lambda: sortile.segment_sort(x, [-1, 3]), ValueError, "offset -1 is negative"),
        (lambda: sortile.segment_sort(x, np.ma.array([0, 3], mask=[0, 1])), TypeError, "would lose its mask"),
    ]:
        with pytest.raises(error, match=text):
            call()
    for kind in ("f8", "c16", "f8,f8"):  # sorted where they lie, and by columns
        locked = np.zeros(4, kind)
        locked.flags.writeable = False
        with pytest.raises(ValueError, match="^sortile.*out is read-only"):
            sortile.sort(np.zeros(4, kind), out=locked)


X = np.arange(4.0)
EVERY_OPTION = [  # (calls that take it, values that are none of its own, what the error says)
    ("descending", ["ascending", None, [True], np.array([True, False]), 2], "descending is|descending has", {
        sortile.sort: (X,), sortile.argsort: (X,), sortile.sort_by_key: (X, X), sortile.argsort_rows: ([X, X, X],),
        sortile.lexsort: ([X, X, X],), sortile.merge: (X, X), sortile.is_sorted: (X,), sortile.segment_sort: (X, [0, 4]),
        sortile.segment_argsort: (X, [0, 4]), sortile.segment_sort_by_key: (X, X, [0, 4]), sortile.explain: (X,),
        sortile.digit_histogram: (X,)}),
    ("axis", ["x", 1.0, 0.0, (0,), True, False, np.array([0]), 5, -5, 2**70, -2**70], "axis", {
        sortile.sort: (X,), sortile.argsort: (X,), sortile.sort_by_key: (X, X), sortile.is_sorted: (X,),
        sortile.lexsort: ([X, X],), sortile.top_k: (X, 2), sortile.partition: (X, 2), sortile.quantile: (X, 0.5),
        sortile.median: (X,), sortile.explain: (X,), sortile.inclusive_scan: ([1, 2],), sortile.exclusive_scan: ([1, 2],)}),
    ("stable", ["mergesort", None, 2, [True]], "stable is", {
        sortile.sort: (X,), sortile.argsort: (X,), sortile.sort_by_key: (X, X)}),
    ("threads", ["x", 1.5, 0, -1, 2**70, True], "threads is", {
        sortile.sort: (X,), sortile.argsort: (X,), sortile.sort_by_key: (X, X), sortile.argsort_rows: ([X],),
        sortile.lexsort: ([X],), sortile.merge: (X,), sortile.is_sorted: (X,), sortile.unique: (X,), sortile.top_k: (X, 2),
        sortile.partition: (X, 2), sortile.quantile: (X, 0.5), sortile.median: (X,), sortile.group_by: (X,),
        sortile.segment_sort: (X, [0, 4]), sortile.segment_argsort: (X, [0, 4]), sortile.explain: (X,),
        sortile.segment_sort_by_key: (X, X, [0, 4]), sortile.route: ([0], 1), sortile.segment_top_k: (X, 2, [0, 4]),
        sortile.segment_quantile: (X, 0.5, [0, 4]), sortile.segment_median: (X, [0, 4]), sortile.segment_partition: (X, 2, [0, 4]),
        sortile.inclusive_scan: ([1],), sortile.exclusive_scan: ([1],), sortile.digit_histogram: (X,)}),
    ("dtype", ["x", object(), "i4", 3], "dtype", {
        sortile.argsort: (X,), sortile.argsort_rows: ([X],), sortile.lexsort: ([X],), sortile.segment_argsort: (X, [0, 4])}),
    ("dtype", ["x", object(), "u4", 3], "dtype", {sortile.route: ([0], 1)}),
    ("largest", ["x", None], "largest is", {sortile.top_k: (X, 2), sortile.segment_top_k: (X, 2, [0, 4])}),
    ("most", ["x", 1.5, True], "most is", {sortile.top_k: (X, 2), sortile.segment_top_k: (X, [2], [0, 4])}),
    ("nan", ["x", None, b"last", np.array([]), np.array(["last", "largest"])], "nan must be", {
        sortile.sort: (X,), sortile.argsort: (X + 1j,), sortile.lexsort: ([X],), sortile.top_k: (X, 2), sortile.merge: (X,),
        sortile.is_sorted: (X,), sortile.segment_sort: (X, [0, 4]), sortile.segment_top_k: (X, 2, [0, 4])}),
    ("method", ["x", None, 3, np.array(["linear", "lower"])], "no method is called", {
        sortile.quantile: (X, 0.5), sortile.segment_quantile: (X, 0.5, [0, 4])}),
    ("descending", [np.array([]), np.array([True, False])], "descending is", {
        sortile.sort: (X + 1j,), sortile.argsort: (np.zeros(3, "i4,f4"),), sortile.is_sorted: (X + 1j,)}),
    ("order", [np.array("f0"), 3, [["f0"]]], "order is", {
        sortile.sort: (np.zeros(3, "i4,f4"),), sortile.argsort: (np.zeros(3, "i4,f4"),), sortile.is_sorted: (np.zeros(3, "i4,f4"),)}),
    ("equal_nan", ["x", None], "equal_nan is", {sortile.unique: (X,)}),
    ("return_inverse", ["x", None], "return_inverse is", {sortile.unique: (X,)}),
    ("block", ["x", 1.5, 0], "block", {sortile.route: ([0], 1)}),
]


@pytest.mark.parametrize("option, values, text, calls", EVERY_OPTION, ids=lambda v: v if isinstance(v, str) else "")
def test_options_of_other_types_are_refused(option, values, text, calls):
    for call, arguments in calls.items():
        for value in values:
            with pytest.raises((TypeError, ValueError), match=f"^sortile.*({text})"):
                call(*arguments, **{option: value})


def test_axes_that_are_none_are_refused():
    x = np.arange(6).reshape(2, 3)
    for call in (
        sortile.sort, sortile.argsort, sortile.is_sorted, sortile.median, sortile.explain,
        lambda x, axis: sortile.top_k(x, 1, axis=axis), lambda x, axis: sortile.partition(x, 1, axis=axis),
        lambda x, axis: sortile.quantile(x, 0.5, axis=axis), lambda x, axis: sortile.sort_by_key(x, x, axis=axis),
    ):
        with pytest.raises(TypeError, match="axis is 0.0; allowed are whole numbers and None"):
            call(x, axis=0.0)
    for call in (sortile.argsort_rows, sortile.lexsort):
        with pytest.raises(TypeError, match=rf"sortile.{call.__name__}: a sequence .* of a dict list\(x.values\(\)\) gives"):
            call({"a": x[0], "b": x[1]})


def test_numbers_that_are_none_are_refused():
    for call in (lambda v: sortile.top_k(X, v), lambda v: sortile.segment_top_k(X, v, [0, 4]), lambda v: sortile.partition(X, v), lambda v: sortile.route([0], v),
                 lambda v: sortile.quantile(X, v), sortile.lexsort, sortile.argsort_rows):
        for value in ("x", "0.5", None, True, 1j, object(), np.ma.array([0.5], mask=[True]), float("nan"), [0.5, float("nan")]):
            with pytest.raises((TypeError, ValueError), match="^sortile"):
                call(value)
    for call in (sortile.sort, sortile.argsort, sortile.unique, sortile.is_sorted):
        with pytest.raises(TypeError, match="have no order here"):
            call(np.zeros(3, np.dtype([])))
    assert sortile.sort(X, descending=1)[0] == sortile.sort(X, descending=np.True_)[0] == 3.0


def test_errors_of_conversions_whatever_they_are_made_of():
    class Text:
        def __array__(self, *_, **__):
            return b"\xff".decode()  # an error of five arguments

    with pytest.raises(ValueError, match="^sortile: this Text cannot be taken as an array: .*invalid start byte"):
        sortile.sort(Text())


def test_what_is_no_array_is_refused():
    ragged, square = [[1, 2], [3]], memoryview(np.zeros((2, 2)))
    for call in (sortile.sort, sortile.argsort, sortile.unique, sortile.is_sorted, sortile.group_by, sortile.median,
                 sortile.explain, sortile.merge, lambda x: sortile.lexsort([x, x]), lambda x: sortile.sort_by_key(x, X),
                 lambda x: sortile.sort_by_key(X, x), lambda x: sortile.top_k(x, 1), lambda x: sortile.partition(x, 0),
                 lambda x: sortile.segment_sort(X, x), lambda x: sortile.segment_argsort(x, [0, 1]), lambda x: sortile.route(x, 2),
                 lambda x: sortile.segment_top_k(x, 1, [0, 1]), lambda x: sortile.segment_top_k(X, x, [0, 1]),
                 lambda x: sortile.segment_top_k(X, 1, x)):
        with pytest.raises(ValueError, match="^sortile: (this list|(k|offsets), of type list,) cannot be taken as an array: .*sequence"):
            call(ragged)
    for columns in (sortile.lexsort, sortile.argsort_rows):
        with pytest.raises(TypeError, match="a sequence of arrays is needed; memoryview is none"):
            columns(square)
    for offsets in (np.zeros((0, 3), "i4,f4"), np.zeros((2, 0), "c8")):
        with pytest.raises(TypeError, match="^sortile.segment_sort: offsets of shape .* they are integers along one axis"):
            sortile.segment_sort(X, offsets)
    for q in ([np.datetime64("2020"), 1j], np.array([0.5, 1j], object), np.array([2**2000], object)):
        with pytest.raises(TypeError, match="(?s)^sortile.quantile: q is .* allowed are numbers from 0 to 1"):
            sortile.quantile(X, q)
    assert sortile.quantile(X, np.array([[0, 1]], object)).tolist() == [[0.0, 3.0]]
    assert sortile.segment_sort(X, []).tolist() == X.tolist()


def test_an_engine_that_does_not_exist(monkeypatch):
    # In a process of its own: an engine may be chosen once, when it is first asked for.
    code = "import numpy, sortile; sortile.sort(numpy.arange(5000))"
    ran = subprocess.run([sys.executable, "-c", code], env={**os.environ, "SORTILE_ENGINE": "steam"},
                         capture_output=True, text=True)
    assert ran.returncode == 1 and "ValueError: sortile: no engine is called 'steam'" in ran.stderr


def test_other_threads_go_on_while_an_array_is_sorted():
    x = keys(4_000_000)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    begin = time.perf_counter()
    for _ in range(3):
        sortile.argsort(x, threads=1)
    end = time.perf_counter()
    done.set()
    other.join()
    during = [t for t in ticks if begin < t < end]
    assert len(during) >= 5, f"{len(during)} ticks of another thread in {end - begin:.2f} s"


def test_many_threads_at_once():
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for n in (3, 100, 5000, 60_000):
            x = rng.integers(0, 1000, n).astype(rng.choice(["u4", "f4", "i8"]))
            order = np.argsort(x, kind="stable")
            if not (np.array_equal(sortile.argsort(x), order) and np.array_equal(sortile.sort(x), x[order])
                    and np.array_equal(sortile.unique(x), np.unique(x))):
                failures.append((seed, n))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


def test_a_child_of_a_process_that_has_sorted_can_sort():
    x = keys(300_000)
    wanted = sortile.sort(x, threads=2)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(sortile.sort(x, threads=2), wanted) else 1)
    for _ in range(600):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child did not come to an end")


@pytest.mark.parametrize("n", [5_000, 3_000_000])
@pytest.mark.parametrize("call", [
    "sort(x)", "argsort(x)", "unique(x, return_inverse=True)", "partition(x, 9)", "sort(x, progress=tell)",
    "argsort(x, progress=tell)"])
def test_a_program_ends_while_daemon_threads_sort(call, n):
    """Python ends such threads where they ask for its lock, and that may be anywhere in a call."""
    code = f"""
import threading, time, numpy, sortile
x = numpy.random.default_rng(1).integers(0, 10**9, {n})
def tell(done):
    sum(range(1000))
def again():
    while True:
        sortile.{call}
for _ in range(3):
    threading.Thread(target=again, daemon=True).start()
time.sleep(0.2)
"""
    for _ in range(2):
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        assert (ran.returncode, ran.stderr) == (0, "")


CALLS = [
    lambda x, tell: sortile.sort(x, progress=tell),
    lambda x, tell: sortile.sort(x.reshape(-1, 100), progress=tell),
    lambda x, tell: sortile.sort(x.reshape(100, -1), axis=0, progress=tell),
    lambda x, tell: sortile.sort(x.reshape(-1, 4).T, axis=-1, progress=tell),
    lambda x, tell: sortile.argsort(x, progress=tell),
    lambda x, tell: sortile.sort_by_key(x, (x, x), progress=tell),
    lambda x, tell: sortile.argsort_rows([x, x], progress=tell),
    lambda x, tell: sortile.unique(x, return_inverse=True, progress=tell),
    lambda x, tell: sortile.merge(np.sort(x), np.sort(x), progress=tell),
    lambda x, tell: sortile.is_sorted(np.sort(x), progress=tell),
    lambda x, tell: sortile.top_k(x, 1000, progress=tell),
    lambda x, tell: sortile.quantile(x, [0.1, 0.5], progress=tell),
    lambda x, tell: sortile.group_by(x, progress=tell),
    lambda x, tell: sortile.segment_sort(x, np.arange(0, x.size + 1, 1000), progress=tell),
    lambda x, tell: sortile.segment_sort_by_key(x, x, np.arange(0, x.size + 1, 1000), progress=tell),
    lambda x, tell: sortile.segment_quantile(x, [0.1, 0.5], np.arange(0, x.size + 1, 1000), progress=tell),
    lambda x, tell: sortile.segment_top_k(x, 5, np.arange(0, x.size + 1, 1000), progress=tell),
    lambda x, tell: sortile.top_k(x.reshape(-1, 1000), np.arange(x.size // 1000) % 9, progress=tell),
]


@pytest.mark.parametrize("call", CALLS)
def test_progress_rises_to_one(call):
    told = []
    call(keys(400_000), told.append)
    assert told == sorted(told) and told[-1] == 1.0 and all(0 <= t <= 1 for t in told)


@pytest.mark.parametrize("call", CALLS)
def test_what_progress_raises_ends_the_call(call):
    class Enough(Exception):
        pass

    def stop(done):
        raise Enough(done)

    x = keys(400_000)
    before = x.copy()
    with pytest.raises(Enough):
        call(x, stop)
    assert np.array_equal(x, before)


@pytest.mark.parametrize("call", [
    lambda x, tell: sortile.unique(x, return_index=True, return_inverse=True, progress=tell),
    lambda x, tell: sortile.sort_by_key(x, (x[::-1], x, x), progress=tell),
    lambda x, tell: sortile.group_by(x, progress=tell),
])
def test_a_call_is_done_when_progress_says_so(call):
    """What follows the sort can be interrupted, too."""
    shares = []
    x = keys(2_000_000)
    for _ in range(5):
        told = []
        begin = time.perf_counter()
        call(x, lambda done: told.append(time.perf_counter()))
        shares.append((time.perf_counter() - told[-1]) / (time.perf_counter() - begin))
    assert min(shares) < 0.25, shares


def test_a_bar(capfd):
    sortile.sort(keys(100_000), progress=True)
    assert "100%" in capfd.readouterr().err


def test_a_bar_where_tqdm_is_not_installed(capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    sortile.sort(keys(100_000), progress=True)
    line = capfd.readouterr().err
    assert line.endswith(f"\rsortile [{'#' * 40}] 100 %\n")


def test_ctrl_c_ends_a_call():
    code = """
import numpy, signal, sortile, sys, threading, os, time
x = numpy.random.default_rng(1).integers(0, 2**63, 10_000_000, dtype=numpy.uint64)
before = x[:1000].copy()
print("ready", flush=True)
try:
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    while time.monotonic() < begin + 60:
        sortile.argsort(x, threads=1)
except KeyboardInterrupt:
    assert numpy.array_equal(before, x[:1000])
    sys.exit(7)
"""
    ran = subprocess.run([sys.executable, "-c", code], timeout=300)
    assert ran.returncode == 7


def test_ctrl_c_is_seen_inside_one_call():
    """The handler runs while the call is on its way, not only when it has come back."""
    seen = []
    previous = signal.signal(signal.SIGALRM, lambda *_: seen.append(time.perf_counter()))
    try:
        x = keys(8_000_000)
        begin = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, 0.08)
        sortile.argsort(x, threads=1)
        end = time.perf_counter()
    finally:
        signal.signal(signal.SIGALRM, previous)
    if end - begin < 0.4:
        pytest.skip(f"the sort was over in {end - begin:.2f} s")
    assert seen and seen[0] < end - 0.05


TABLE = pyarrow.table({"k": np.arange(3000)[::-1] % 7, "t": ["a", "b", "c"] * 1000})
SIZES = np.arange(3000) % 5


def frame():
    """A new one for each call: pandas keeps with a frame who has looked at it, and its own sort_values() grows that too."""
    return TABLE.to_pandas()


EVERY_CALL = [
    lambda x: sortile.sort(x),
    lambda x: sortile.sort(x, axis=None),
    lambda x: sortile.sort(x[::2], descending=True),
    lambda x: sortile.argsort(x, dtype=np.uint32),
    lambda x: sortile.sort_by_key(x, (x, x.astype(object))),
    lambda x: sortile.sort_by_key(x, (x, x)),
    lambda x: sortile.argsort_rows([x, x]),
    lambda x: sortile.merge(np.sort(x), np.sort(x)),
    lambda x: sortile.unique(x, return_index=True, return_inverse=True, return_counts=True),
    lambda x: sortile.is_sorted(x),
    lambda x: sortile.sort(x.astype(complex)),
    lambda x: sortile.top_k(x, 5),
    lambda x: sortile.quantile(x, 0.5),
    lambda x: sortile.partition(x, 7),
    lambda x: sortile.group_by(x),
    lambda x: sortile.segment_argsort(x, [0, 100, 3000]),
    lambda x: sortile.segment_sort_by_key(x, (x, x), ([100, 0], [3000, 50])),
    lambda x: sortile.segment_top_k(x, 50, [0, 100, 3000]),
    lambda x: sortile.segment_top_k(x[::2].astype(">f4"), [3, 7], [0, 100, 1500], most=5, fill=2),
    lambda x: sortile.top_k(x.reshape(3, -1), [3, 7, 0], fill=2),
    lambda x: sortile.segment_median(x, [0, 100, 3000]),
    lambda x: sortile.segment_quantile(x[::2].astype(">f4"), [0.1, 0.5], [0, 100, 1500], method="lower"),
    lambda x: sortile.segment_partition(x, 7, ([100, 0], [3000, 50])),
    lambda x: pytest.raises(ValueError, sortile.segment_median, x, [0, 4000]),
    lambda x: pytest.raises(ValueError, sortile.segment_top_k, x, 5, [0, 4000]),
    lambda x: pytest.raises(ValueError, sortile.segment_sort, x, [0, 4000]),
    lambda x: sortile.lexsort((x, SIZES)),
    lambda x: sortile.lexsort((x.reshape(3, -1), x.reshape(3, -1)), axis=0),
    lambda x: sortile.median(x),
    lambda x: sortile.segment_sort(x, [0, 100, 3000], descending=True),
    lambda x: sortile.route(SIZES, 5, block=16),
    lambda x: sortile.inclusive_scan(SIZES, op="maximum", initial=3),
    lambda x: sortile.exclusive_scan(SIZES.reshape(3, -1), axis=0),
    lambda x: sortile.digit_histogram(x[::2]),
    lambda x: sortile.sort_table(frame(), [("t", "descending"), "k"]),
    lambda x: sortile.argsort_table(frame(), "k"),
    lambda x: sortile.sort_table(TABLE, ["t", ("k", "descending")]),
    lambda x: sortile.argsort_table(TABLE, "t"),
    lambda x: sortile.sort_table(polars.Series(x)),
    lambda x: pytest.raises(TypeError, sortile.sort_table, frame().assign(k=[[1]] * 3000), "k"),
    lambda x: sortile.unique_all(x),
    lambda x: sortile.unique_counts(x),
    lambda x: sortile.unique_inverse(x.astype(complex)),
    lambda x: sortile.unique_values(x.view("M8[s]")),
    lambda x: sortile.release_scratch(),
    lambda x: sortile.explain(x),
    lambda x: sortile.info(),
    lambda x: pytest.raises(ValueError, sortile.sort, x, nan="nowhere"),
    lambda x: pytest.raises(TypeError, sortile.sort, x, out=x.astype("f4")),
    lambda x: pytest.raises(TypeError, sortile.sort, x.astype(str)),
]


def test_every_call_is_tried_for_leaks():
    tried = {name for call in EVERY_CALL for name in call.__code__.co_names}
    assert set(sortile.__all__) <= tried


@pytest.fixture
def a_small_heap():
    """The collector walks what the test makes, not the objects of all that is imported."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("call", EVERY_CALL)
def test_nothing_leaks(a_small_heap, call):
    x = np.random.default_rng(1).normal(size=3000)
    for _ in range(20):
        call(x)
    gc.collect()
    shared = [x, x.dtype, np.dtype("i8"), np.dtype("u4")]
    if sys.version_info < (3, 12):  # where they are no longer counted, but by modules for every version
        shared += [None, NotImplemented]
    counts = [sys.getrefcount(o) for o in shared]
    tracemalloc.start()
    try:
        for _ in range(30):
            call(x)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(100):
            call(x)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 24_000, f"{grown} bytes more after 100 calls"
    for o, count in zip(shared, counts):
        assert sys.getrefcount(o) - count < 50, repr(o)


def test_memory_that_cannot_be_had():
    code = """
import numpy, resource, sortile
x = numpy.random.default_rng(1).random(4_000_000)  # integers alone are sorted in place
before = x.copy()
sortile.sort(x[:5000])
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 20_000_000, -1))
try:
    sortile.sort(x, out=x, threads=1)
except MemoryError as e:
    assert numpy.array_equal(x, before)
    print(e)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert "out of memory" in ran.stdout


def test_memory_of_results_that_cannot_be_had():
    far = np.lib.stride_tricks.as_strided(np.zeros(1), (2**45,), (0,))
    for call in (
        lambda: sortile.sort(far), lambda: sortile.argsort(far), lambda: sortile.unique(far), lambda: sortile.group_by(far),
        lambda: sortile.segment_top_k(np.arange(3), 2**50, [0, 3]), lambda: sortile.median(far),
    ):
        with pytest.raises(MemoryError, match="^sortile: no memory for an array: Unable to allocate"):
            call()
    with pytest.raises(ValueError, match="^sortile.explain: no memory holds 4611686018427387904 elements"):
        sortile.explain(np.lib.stride_tricks.as_strided(np.zeros(1, "u1"), (2**62,), (0,)))


def test_numbers_that_python_does_not_write():
    x = np.arange(3)
    for call, error, text in [
        (lambda: sortile.sort(x, axis=-(10**5000)), np.exceptions.AxisError, "axis a number of 16610 bits of an array"),
        (lambda: sortile.median(x, axis=10**5000), np.exceptions.AxisError, "axis a number of 16610 bits of an array"),
        (lambda: sortile.sort(x, threads=10**5000), ValueError, "threads is a number of 16610 bits; allowed are"),
        (lambda: sortile.sort(x, descending=10**5000), TypeError, "descending is a number of 16610 bits; allowed are"),
    ]:
        with pytest.raises(error, match=text):
            call()


def test_peak_memory_is_the_result_and_what_explain_says():
    code = """
import numpy, re, sortile
def status(name):
    return 1024 * int(re.search(name + r":\\s+(\\d+) kB", open("/proc/self/status").read())[1])
x = numpy.random.default_rng(1).random(4_000_000)
for call, positions in ((sortile.sort, False), (sortile.argsort, True)):
    call(x[:5000])
    sortile.release_scratch()
    workspace = int(re.search(r"workspace (\\d+) bytes", sortile.explain(x, positions=positions))[1])
    open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
    before = status("VmRSS")
    found = call(x)
    print(status("VmHWM") - before, found.nbytes, workspace)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    for line in ran.stdout.splitlines():
        peak, result, workspace = map(int, line.split())
        assert result <= peak <= 1.05 * result + workspace, line


def test_explain_and_info():
    text = sortile.explain(np.zeros((3, 10**6), np.float32), positions=True)
    assert "engine    cpu" in text and "workspace" in text
    about = sortile.info()
    assert about["version"] == sortile.__version__ and about["threads"] >= 1
    assert any(e["name"] == "cpu" and e["usable"] for e in about["engines"])
    sortile.release_scratch()


def test_explain_of_elements_of_several_numbers():
    text = sortile.explain(np.zeros((2, 10**6), complex))
    assert text.startswith("engine    cpu") and "the 2 numbers of each element" in text and text.endswith("by position\n")
    assert "gather    the elements" not in sortile.explain(np.zeros(9, "c8"), positions=True)
    nested = np.zeros(5, [("a", [("x", ">f4"), ("y", "c16")]), ("b", "u1")])
    assert "the 4 numbers" in sortile.explain(nested) and "type >f4" in sortile.explain(nested)
    assert "ties" not in sortile.explain(np.zeros(5, [("a", "u1")]))
    with pytest.raises(TypeError, match="no order"):
        sortile.explain(np.zeros(5, [("a", "S3")]))


def test_names_of_other_packages_are_answered_with_a_hint():
    for name, word in (("argpartition", "top_k"), ("percentile", "quantile"), ("cumsum", "inclusive_scan"), ("topk", "top_k")):
        with pytest.raises(AttributeError, match=f"^module 'sortile' has no attribute '{name}': .*{word}") as caught:
            getattr(sortile, name)
        assert caught.value.name == name and not hasattr(sortile, name) and name not in dir(sortile)
    with pytest.raises(AttributeError, match="^module 'sortile' has no attribute 'nothing'$"):
        sortile.nothing
    from sortile._hints import HINTS

    for name, hint in HINTS.items():  # each names what is there
        assert not hasattr(sortile, name)
        assert any(hasattr(sortile, word) for word in re.findall(r"\w+", hint)), name


def test_kinds_of_numpy_make_no_difference():
    x = np.array([2.0, 1.0, np.nan, 1.0])
    for kind in (None, "quicksort", "mergesort", "heapsort", "stable"):
        assert np.array_equal(sortile.sort(x, kind=kind), np.sort(x, kind=kind), equal_nan=True)
        assert sortile.argsort(x, kind=kind).tolist() == [1, 3, 0, 2]
    for kind in ("radix", 1, "Stable"):
        with pytest.raises(ValueError, match=f"kind is {kind!r}; allowed are NumPy's"):
            sortile.sort(x, kind=kind)
        with pytest.raises(ValueError, match="kind is"):
            sortile.argsort(x, kind=kind)
