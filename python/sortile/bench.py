"""Times against NumPy, pandas, Polars and PyArrow, and on a GPU PyTorch, CuPy and JAX: ``python -m sortile.bench``.

Each row times both sides in turns, so that whatever else the machine does falls on both, and compares the fastest run
of each. Short calls are repeated inside a run until it takes a millisecond. ``--json FILE`` keeps the results with what
they were measured on (format "sortile-results 1"), ``--from FILE`` shows kept ones, ``--table`` either as Markdown;
``--only TEXT`` chooses rows, ``--gpu`` those of arrays on a GPU (``_bench_gpu``).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

import sortile

Call = Callable[[], Any]
LIBRARIES = ("numpy", "pandas", "polars", "pyarrow")


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
    peak: Callable[[Call], int] | None = None  # the bytes that a call takes beside its input, where they are counted
    workspace: int = 0  # of these, what the library says that its workspace takes


@dataclass
class Outcome:
    """Seconds of a call in each run."""

    name: str
    n: int
    rival: str
    target: float
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    our_memory: dict[str, int] = field(default_factory=dict)
    their_memory: dict[str, int] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        return min(self.theirs) / min(self.ours)

    def line(self) -> str:
        mark = "" if self.ratio >= self.target else "  below its target"
        return (
            f"{self.name:32} {self.n:>9}  {1e6 * min(self.ours):>11.2f} us  {self.rival:22}"
            f"{1e6 * min(self.theirs):>11.2f} us  {self.ratio:6.2f} x (target {self.target:g}){mark}"
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """As bench/results has them: one for each contender."""
        sides = ("sortile", self.ours, self.our_memory), (self.rival, self.theirs, self.their_memory)
        for contender, seconds, memory in sides:
            middle = statistics.median(seconds)
            yield {
                "type": self.name,
                "workload": "uniform",
                "n": self.n,
                "contender": contender,
                "median": middle,
                "min": min(seconds),
                "noise": statistics.median(abs(t - middle) for t in seconds) / middle,
                "figures": memory if contender == "sortile" else {"target": self.target, **memory},
                "seconds": seconds,
            }


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
    outcome = Outcome(row.name, row.n, row.rival, row.target)
    our_count, their_count = repetitions(row.ours, row.finish), repetitions(row.theirs, row.finish)
    end = time.perf_counter() + seconds
    while len(outcome.ours) < 3 or time.perf_counter() < end:
        outcome.ours.append(once(row.ours, our_count, row.finish))
        outcome.theirs.append(once(row.theirs, their_count, row.finish))
    if row.peak is not None:
        outcome.our_memory = {"peak_bytes": row.peak(row.ours), "workspace_bytes": row.workspace}
        outcome.their_memory = {"peak_bytes": row.peak(row.theirs)}
    return outcome


def uniform(n: int, dtype: str) -> Any:
    rng = np.random.default_rng(1)
    if np.dtype(dtype).kind == "f":
        return rng.normal(size=n).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, n, dtype=dtype)


def sorts(threads: int | None, below: int) -> Iterator[Contest]:
    for n in takewhile(below.__gt__, (10, 100, 1000, 10**4, 10**5, 10**6, 10**7)):
        for dtype in ("uint32", "int64", "float32", "float64"):
            x = uniform(n, dtype)
            ours = partial(sortile.sort, x, threads=threads)
            target = 2.5 if n == 10**7 and dtype == "uint32" else 1
            yield Contest(f"sort {dtype}", n, ours, "np.sort", partial(np.sort, x), target)


def argsorts(threads: int | None, below: int) -> Iterator[Contest]:
    for n in takewhile(below.__gt__, (10, 1000, 10**5, 10**7)):
        for dtype in ("uint32", "int64", "float64"):
            x = uniform(n, dtype)
            ours = partial(sortile.argsort, x, threads=threads)
            theirs = partial(np.argsort, x, kind="stable")
            yield Contest(f"argsort {dtype}", n, ours, "np.argsort stable", theirs, 8 if n == 10**7 else 1)


def others(threads: int | None, below: int) -> Iterator[Contest]:
    n = 10**7
    if n >= below:
        return
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


def tables(threads: int | None, below: int) -> Iterator[Contest]:
    """Rows by two columns, with three more to be taken along; against each library that is installed."""
    n = 10**6
    if n >= below:
        return
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
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "revision": os.environ.get("SORTILE_REVISION", "unknown"),
        "cpu": cpu,
        "cpus": os.cpu_count(),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "sortile": f"{sortile.__version__}, {sortile.info()['module']}",
        **{name: version(name) for name in LIBRARIES if find_spec(name)},
    }


def kept(path: str) -> tuple[dict[str, Any], list[Outcome]]:
    """The environment and outcomes of a file that ``--json`` wrote."""
    content = json.loads(Path(path).read_text())
    rows = content["rows"]
    return content["environment"], [
        Outcome(
            a["type"], a["n"], b["contender"], b["figures"]["target"], a["seconds"], b["seconds"], a["figures"],
            {name: number for name, number in b["figures"].items() if name != "target"},
        )
        for a, b in zip(rows[::2], rows[1::2])
    ]


def text_of(seconds: float) -> str:
    unit, scale = next((u, s) for u, s in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)) if seconds >= s)
    return f"{seconds / scale:.3g} {unit}"


def table(outcomes: list[Outcome]) -> str:
    lines = ["| | n | sortile | beside it | | times as fast | asked for |", "|---|---:|---:|---|---:|---:|---:|"]
    for o in outcomes:
        aim = f"{o.target:g}" if o.target else ""
        ours, theirs = text_of(min(o.ours)), text_of(min(o.theirs))
        lines.append(f"| {o.name} | {o.n} | {ours} | {o.rival} | {theirs} | {o.ratio:.2f} | {aim} |")
    counted = [o for o in outcomes if o.our_memory]
    return "\n".join(lines + (["", *memory_table(counted)] if counted else []))


def memory_table(outcomes: list[Outcome]) -> list[str]:
    lines = ["| memory beside the input, MB | n | sortile | of it workspace | | |", "|---|---:|---:|---:|---|---:|"]
    for o in outcomes:
        peak, workspace, theirs = (
            f"{number / 1e6:.1f}"
            for number in (o.our_memory["peak_bytes"], o.our_memory["workspace_bytes"], o.their_memory["peak_bytes"])
        )
        lines.append(f"| {o.name} | {o.n} | {peak} | {workspace} | {o.rival} | {theirs} |")
    return lines


def written(path: str, about: dict[str, Any], settings: dict[str, Any], outcomes: list[Outcome]) -> None:
    head = {"format": "sortile-results 1", "suite": "python", "environment": about, "settings": settings}
    rows = ",\n".join(json.dumps(row) for o in outcomes for row in o.rows())
    Path(path).write_text(json.dumps(head, indent=1)[:-2] + ',\n "rows": [\n' + rows + "\n]\n}\n")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sortile.bench", description="Times against NumPy and others, row by row."
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only rows whose name contains TEXT")
    parser.add_argument("--below", type=int, default=10**9, metavar="N", help="only rows of fewer than N elements")
    parser.add_argument("--gpu", action="store_true", help="rows of arrays on a GPU, in place of those in host memory")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row (default 1)")
    parser.add_argument("--threads", type=int, help="of sortile; as many as the machine offers, where not given")
    parser.add_argument("--table", action="store_true", help="as Markdown")
    parser.add_argument("--from", dest="kept", metavar="FILE", help="measure nothing: show what --json kept there")
    parser.add_argument("--json", metavar="FILE", help="keep the results there")
    chosen = parser.parse_args(arguments)

    suites: tuple[Callable[[int | None, int], Iterator[Contest]], ...] = (sorts, argsorts, others, tables)
    about = machine()
    if chosen.gpu:
        from . import _bench_gpu

        suites = _bench_gpu.SUITES
        about.update(_bench_gpu.machine())
    settings = {"threads": chosen.threads or sortile.info()["threads"], "seconds": chosen.seconds}
    outcomes = kept(chosen.kept)[1] if chosen.kept else []
    for suite in () if chosen.kept else suites:
        for row in suite(chosen.threads, chosen.below):
            if chosen.only in row.name:
                outcomes.append(measure(row, chosen.seconds))
                if chosen.json:  # after each row: what is cut short is kept
                    written(chosen.json, about, settings, outcomes)
                if not chosen.table:
                    print(outcomes[-1].line(), flush=True)
    if chosen.table:
        print(table(outcomes))
    elif chosen.kept:
        print("\n".join(o.line() for o in outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
