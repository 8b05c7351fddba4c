#!/usr/bin/env python3
"""Races sortile against np.sort and np.argsort (x86-simd-sort on processors with AVX-512 or AVX2) in one process, taking turns.

    scripts/race_numpy.py LIBRARY [--threads N] [--rounds R] [--longest N] [--json FILE] [--registry SORTILE [--kinds KIND...]]

LIBRARY is a shared library of sortile (cmake -DBUILD_SHARED_LIBS=ON), called through its C interface. NumPy's sorts have one thread, and np.argsort is
not stable. With one thread, times are the processor's, so that programs beside it count less; with more, the clock's. Uniform, skewed and repeated keys of
several lengths; with --registry 4·10^6 keys of every workload that SORTILE, the command, generates.
Prints the fastest run of each in nanoseconds a key, and writes every run in the format of bench/results/README.md. Needs NumPy 2.
"""

import argparse
import ctypes
import datetime
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy

LENGTHS = (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
KINDS = {"u32": (numpy.uint32, 2), "u64": (numpy.uint64, 3), "i64": (numpy.int64, 8), "f32": (numpy.float32, 12),
         "f64": (numpy.float64, 13)}  # and the numbers of sortile_key_type
WORKLOADS = ("uniform", "and:3", "few:16")
INDEX_LENGTHS = (1_000, 100_000, 10_000_000)  # of argsort
KEYS_PER_RUN = 1 << 18
REGISTRY_KEYS = 4_000_000
REGISTRY_KINDS = ("u32", "u64", "f32", "f64")


class Options(ctypes.Structure):
    """sortile_options of sortile.h."""

    _fields_ = [("order", ctypes.c_int), ("bits_begin", ctypes.c_uint32), ("bits_end", ctypes.c_uint32), ("engine", ctypes.c_char_p),
                ("threads", ctypes.c_uint32), ("progress", ctypes.c_void_p), ("progress_user", ctypes.c_void_p), ("workspace", ctypes.c_void_p),
                ("workspace_bytes", ctypes.c_size_t), ("memory", ctypes.c_int), ("stream", ctypes.c_void_p), ("checked", ctypes.c_int),
                ("reserved", ctypes.c_uint64 * 8)]


class Sortile:
    def __init__(self, path, threads):
        self.library = ctypes.CDLL(path)
        self.library.sortile_sort.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Options)]
        self.library.sortile_argsort.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p, ctypes.POINTER(Options)]
        self.library.sortile_error_message.restype = ctypes.c_char_p
        self.options = Options(engine=b"cpu", threads=threads)

    def sort(self, kind, keys):
        at = keys.ctypes.data
        self.check(self.library.sortile_sort(KINDS[kind][1], at, at, keys.size, ctypes.byref(self.options)))

    def argsort(self, kind, keys):
        indices = numpy.empty(keys.size, dtype=numpy.int64)
        self.check(self.library.sortile_argsort(KINDS[kind][1], keys.ctypes.data, keys.size, 8, indices.ctypes.data, ctypes.byref(self.options)))
        return indices

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.library.sortile_error_message().decode())


def keys_of(workload, kind, n, random):
    """Bits of the law that the workloads of this name follow in testing/; floats lie in [0, 1)."""
    dtype = KINDS[kind][0]
    if kind in ("f32", "f64"):
        draw = lambda count: random.random(count, dtype=dtype)
    else:
        draw = lambda count: random.integers(numpy.iinfo(dtype).min, numpy.iinfo(dtype).max, count, dtype=dtype, endpoint=True)
    if workload == "few:16":
        return draw(16)[random.integers(0, 16, n)]
    return draw(n) if workload == "uniform" else draw(n) & draw(n) & draw(n)


def registry(sortile):
    """The workloads that the command lists, and some with parameters."""
    text = subprocess.run([sortile, "gen", "--help"], capture_output=True, text=True, check=True).stdout.partition("Workloads:\n")[2]
    names = [line.split()[0].partition(":")[0] for line in text.splitlines() if line.strip() and not line.startswith("   ")]
    return names + ["few:256", "and:5"]


def generated(sortile, workload, kind, n):
    """The command's keys; None where the workload has none of the type."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "keys.npy")
        made = subprocess.run([sortile, "gen", workload, "-n", str(n), "--type", kind, "-o", path], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            if "needs a float type" in made.stderr:
                return None
            raise RuntimeError(made.stderr)
        return numpy.load(path)


def race(contenders, keys, rounds, clock):
    """{name: seconds of every run}: short arrays are sorted many times a run, each from its own copy. A contender sorts an array in place, or gives
    the positions in order."""
    arrays = max(1, KEYS_PER_RUN // keys.size)
    expected = numpy.sort(keys)
    times = {name: [] for name, _ in contenders}
    for _ in range(rounds):
        for name, sort in contenders:
            copies = [keys.copy() for _ in range(arrays)]
            begin = clock()
            for copy in copies:
                positions = sort(copy)
            times[name].append(clock() - begin)
            if not numpy.array_equal(copies[-1] if positions is None else keys[positions], expected, equal_nan=keys.dtype.kind == "f"):
                raise RuntimeError(name + ": not sorted")
    return arrays, times


def sorts_of(sortile, kind):
    return [("sortile cpu", lambda keys: sortile.sort(kind, keys)), ("np.sort", lambda keys: keys.sort())]


def rows_to_race(sortile, longest):
    """(kind, type in the results, workload, length, contenders), for lengths up to the longest."""
    lengths = [n for n in LENGTHS if n <= longest]
    for kind in KINDS:
        sorts = sorts_of(sortile, kind)
        for workload in WORKLOADS if kind not in ("f32", "f64") else WORKLOADS[:1] + WORKLOADS[2:]:
            for n in lengths if workload == "uniform" else lengths[-1:]:
                yield kind, kind, workload, n, sorts
        argsorts = [("sortile cpu", lambda keys, kind=kind: sortile.argsort(kind, keys)), ("np.argsort", numpy.argsort)]
        for n in (n for n in INDEX_LENGTHS if n <= longest):
            yield kind, kind + " index", "uniform", n, argsorts


def inputs(sortile, given):
    """(type in the results, workload, length, contenders, keys) of every row."""
    if given.registry:
        for kind in given.kinds:
            for workload in registry(given.registry):
                keys = generated(given.registry, workload, kind, REGISTRY_KEYS)
                if keys is not None:
                    yield kind, workload, keys.size, sorts_of(sortile, kind), keys
        return
    for kind, what, workload, n, contenders in rows_to_race(sortile, given.longest):
        yield what, workload, n, contenders, keys_of(workload, kind, n, numpy.random.default_rng(1))


def row(what, workload, n, arrays, name, seconds):
    median = statistics.median(seconds)
    noise = statistics.median(abs(s - median) for s in seconds) / median
    return {"type": what, "workload": workload, "n": n, "contender": name, "stable": name == "sortile cpu", "parallel": name == "sortile cpu",
            "median": median, "min": min(seconds), "noise": noise, "figures": {"arrays": arrays}, "seconds": seconds}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return names[0], len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--longest", type=int, default=LENGTHS[-1])
    parser.add_argument("--registry", metavar="SORTILE")
    parser.add_argument("--kinds", nargs="+", default=REGISTRY_KINDS, choices=REGISTRY_KINDS)
    parser.add_argument("--json")
    given = parser.parse_args()
    sortile = Sortile(given.library, given.threads)
    rows = []
    clock = time.process_time if given.threads == 1 else time.perf_counter
    for what, workload, n, contenders, keys in inputs(sortile, given):
        arrays, times = race(contenders, keys, given.rounds if n < 10_000_000 else min(given.rounds, 3), clock)
        best = {name: 1e9 * min(seconds) / (n * arrays) for name, seconds in times.items()}
        print("%s %s n=%d: " % (what, workload, n) + ", ".join("%s %.2f" % each for each in best.items()), flush=True)
        rows += [row(what, workload, n, arrays, name, seconds) for name, seconds in times.items()]
    if given.json:
        name, cpus = processor()
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"format": "sortile-results 1", "suite": "cpu", "environment": {"date": date, "cpu": name, "cpus": cpus, "numpy": numpy.__version__},
                       "settings": {"threads": given.threads, "seed": 1}, "rows": rows}, file, indent=0)


if __name__ == "__main__":
    main()
