"""Times against NumPy, pandas, Polars and PyArrow, and on a GPU PyTorch, CuPy and JAX: ``python -m sortile.bench``.

Each row times both sides in turns, so that whatever else the machine does falls on both, and compares the fastest run
of each. Short calls are repeated inside a run until it takes a millisecond. ``--json FILE`` keeps the results with what
they were measured on; ``--only TEXT`` chooses rows, ``--gpu`` those of arrays on a GPU (``_bench_gpu``).
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

import sortile

Call = Callable[[], Any]


@dataclass
class Contest:
    """A row: what is timed, against what, and how many times as fast it is to be."""

    name: str
    n: int
    ours: Call
    rival: str
    theirs: Call
    target: float
    finish: Call = lambda: None  # waits for what the calls have queued


@dataclass
class Outcome:
    name: str
    n: int
    seconds: float
    rival: str
    rival_seconds: float
    ratio: float
    target: float

    def line(self) -> str:
        mark = "" if self.ratio >= self.target else "  below its target"
        return (
            f"{self.name:32} {self.n:>9}  {1e6 * self.seconds:>11.2f} us  {self.rival:22}"
            f"{1e6 * self.rival_seconds:>11.2f} us  {self.ratio:6.2f} x (target {self.target:g}){mark}"
        )


def repetitions(call: Call, finish: Call) -> int:
    call()
    finish()
    count = 1
    while once(call, count, finish) * count < 1e-3:
        count *= 2
    return count


def once(call: Call, count: int, finish: Call) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        call()
    finish()
    return (time.perf_counter() - begin) / count


def measure(row: Contest, seconds: float) -> Outcome:
    ours = theirs = float("inf")
    our_count, their_count = repetitions(row.ours, row.finish), repetitions(row.theirs, row.finish)
    end = time.perf_counter() + seconds
    runs = 0
    while runs < 3 or time.perf_counter() < end:
        ours = min(ours, once(row.ours, our_count, row.finish))
        theirs = min(theirs, once(row.theirs, their_count, row.finish))
        runs += 1
    return Outcome(row.name, row.n, ours, row.rival, theirs, theirs / ours, row.target)


def uniform(n: int, dtype: str) -> Any:
    rng = np.random.default_rng(1)
    if np.dtype(dtype).kind == "f":
        return rng.normal(size=n).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, n, dtype=dtype)


def sorts(threads: int | None) -> Iterator[Contest]:
    for n in (10, 100, 1000, 10**4, 10**5, 10**6, 10**7):
        for dtype in ("uint32", "int64", "float32", "float64"):
            x = uniform(n, dtype)
            ours = partial(sortile.sort, x, threads=threads)
            target = 2.5 if n == 10**7 and dtype == "uint32" else 1
            yield Contest(f"sort {dtype}", n, ours, "np.sort", partial(np.sort, x), target)


def argsorts(threads: int | None) -> Iterator[Contest]:
    for n in (10, 1000, 10**5, 10**7):
        for dtype in ("uint32", "int64", "float64"):
            x = uniform(n, dtype)
            ours = partial(sortile.argsort, x, threads=threads)
            theirs = partial(np.argsort, x, kind="stable")
            yield Contest(f"argsort {dtype}", n, ours, "np.argsort stable", theirs, 8 if n == 10**7 else 1)


def others(threads: int | None) -> Iterator[Contest]:
    n = 10**7
    x = uniform(n, "uint32")
    small = x % np.uint32(10**5)
    wide = small.astype("int64")
    y = uniform(n, "float64").round(2)
    yield Contest(
        "unique with inverse, int64", n, lambda: sortile.unique(wide, return_inverse=True, threads=threads),
        "np.unique", lambda: np.unique(wide, return_inverse=True), 8,
    )
    yield Contest(
        "lexsort uint32, float64", n, lambda: sortile.lexsort((y, small), threads=threads),
        "np.lexsort", lambda: np.lexsort((y, small)), 8,
    )
    rows = x.reshape(-1, 100)
    yield Contest(
        "sort 10^5 rows of 100", n, lambda: sortile.sort(rows, threads=threads), "np.sort", lambda: np.sort(rows), 1
    )
    yield Contest(
        "sort 100 columns of 10^5", n, lambda: sortile.sort(rows, axis=0, threads=threads),
        "np.sort", lambda: np.sort(rows, axis=0), 1,
    )


def tables(threads: int | None) -> Iterator[Contest]:
    """Rows by two columns, with three more to be taken along; against each library that is installed."""
    n = 10**6
    rng = np.random.default_rng(1)
    columns = {
        "size": rng.integers(0, 1000, n),
        "price": rng.normal(size=n).round(3),
        "name": np.array([f"name {i}" for i in range(5000)])[rng.integers(0, 5000, n)],
        "row": np.arange(n),
    }
    with suppress(ImportError):
        import pandas

        frame = pandas.DataFrame(columns)
        for by, target in ((["size", "price"], 4), (["name"], 4)):
            ours = partial(sortile.sort_table, frame, by, threads=threads)
            theirs = partial(frame.sort_values, by, kind="stable")
            yield Contest(f"pandas by {', '.join(by)}", n, ours, "sort_values", theirs, target)
    with suppress(ImportError):
        import polars

        data = polars.DataFrame(columns)
        for by in (["size", "price"], ["name"]):
            ours = partial(sortile.sort_table, data, by, threads=threads)
            yield Contest(f"Polars by {', '.join(by)}", n, ours, "sort", partial(data.sort, by, maintain_order=True), 1)
    with suppress(ImportError):
        import pyarrow

        table = pyarrow.table(columns)
        for by in (["size", "price"], ["name"]):
            ours = partial(sortile.sort_table, table, by, threads=threads)
            theirs = partial(table.sort_by, [(name, "ascending") for name in by])
            yield Contest(f"PyArrow by {', '.join(by)}", n, ours, "sort_by", theirs, 1)


def machine() -> dict[str, Any]:
    cpu = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = models[0].partition(":")[2].strip() if models else cpu
    return {
        "cpu": cpu,
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sortile": f"{sortile.__version__}, {sortile.info()['module']}",
        "date": time.strftime("%Y-%m-%d"),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sortile.bench", description="Times against NumPy and others, row by row."
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only rows whose name contains TEXT")
    parser.add_argument("--below", type=int, default=10**9, metavar="N", help="only rows of fewer than N elements")
    parser.add_argument("--gpu", action="store_true", help="rows of arrays on a GPU, in place of those in host memory")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row (default 1)")
    parser.add_argument("--threads", type=int, help="of sortile; as many as the machine offers, where not given")
    parser.add_argument("--json", metavar="FILE", help="keep the results there")
    chosen = parser.parse_args(arguments)

    suites: tuple[Callable[[int | None], Iterator[Contest]], ...] = (sorts, argsorts, others, tables)
    about = machine()
    if chosen.gpu:
        from . import _bench_gpu

        suites = _bench_gpu.SUITES
        about.update(_bench_gpu.machine())
    outcomes = []
    for suite in suites:
        for row in suite(chosen.threads):
            if chosen.only in row.name and row.n < chosen.below:
                outcomes.append(measure(row, chosen.seconds))
                print(outcomes[-1].line(), flush=True)
    if chosen.json:
        threads = chosen.threads or sortile.info()["threads"]
        result = {"machine": about, "threads": threads, "rows": [asdict(o) for o in outcomes]}
        Path(chosen.json).write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
