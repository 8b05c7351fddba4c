"""Times against NumPy, pandas, Polars and PyArrow, and on a GPU PyTorch, CuPy and JAX: ``python -m sortile.bench``.

Each row times both sides in turns, so that whatever else the machine does falls on both, and compares the fastest run
of each. Short calls are repeated inside a run, with several inputs in turn, until it takes a millisecond. ``--json FILE`` keeps the results with what
they were measured on (format "sortile-results 1"), ``--from FILE`` shows kept ones, ``--table`` either as Markdown;
``--only TEXT`` chooses rows, ``--gpu`` those of arrays on a GPU (``_bench_gpu``), ``--list`` names them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Callable, Iterator

import sortile

Call = Callable[..., Any]
Options = dict[str, Any]  # of a call, where they are given
LIBRARIES = ("numpy", "pandas", "polars", "pyarrow")


@dataclass
class Sides:
    """What is timed, and against what: calls, each of an input of its own, as processors remember the way that a short
    sort has gone."""

    ours: list[Call]
    theirs: list[Call]
    finish: Call = lambda: None  # waits for what the calls have queued
    peak: Callable[[Call], int] | None = None  # the bytes that a call takes beside its input, where they are counted
    workspace: int = 0  # of these, what the library says that its workspace takes


@dataclass
class Contest:
    """A row: its name, size and keys, whom it is against, and how many times as fast it is to be.

    The keys have the names of `_bench_keys`; those of several columns have a comma between them. They are made when the
    row is measured.
    """

    name: str
    n: int
    workload: str
    rival: str
    target: float
    make: Callable[[], Sides]

    def line(self) -> str:
        return f"{self.name:32} {self.n:>9}  {self.workload:22}  {self.rival}"


Suite = Callable[[Options, int], Iterator[Contest]]
"""Rows of fewer than so many elements, of calls with these options."""


@dataclass
class Outcome:
    """Seconds of a call in each run."""

    name: str
    n: int
    workload: str
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
                "workload": self.workload,
                "n": self.n,
                "contender": contender,
                "median": middle,
                "min": min(seconds),
                "noise": statistics.median(abs(t - middle) for t in seconds) / middle,
                "figures": memory if contender == "sortile" else {"target": self.target, **memory},
                "seconds": seconds,
            }


def repetitions(calls: list[Call], finish: Call) -> int:
    for call in calls:
        call()
    finish()
    count = 1
    while once(calls, count, finish) * count * len(calls) < 1e-3:
        count *= 2
    return count


def once(calls: list[Call], count: int, finish: Call) -> float:
    """Seconds of a call, where each is made so many times."""
    begin = time.perf_counter()
    for _ in range(count):
        for call in calls:
            call()
    finish()
    return (time.perf_counter() - begin) / (count * len(calls))


def measure(row: Contest, seconds: float) -> Outcome:
    outcome = Outcome(row.name, row.n, row.workload, row.rival, row.target)
    sides = row.make()
    our_count, their_count = repetitions(sides.ours, sides.finish), repetitions(sides.theirs, sides.finish)
    end = time.perf_counter() + seconds
    while len(outcome.ours) < 3 or time.perf_counter() < end:
        outcome.ours.append(once(sides.ours, our_count, sides.finish))
        outcome.theirs.append(once(sides.theirs, their_count, sides.finish))
    if sides.peak is not None:
        outcome.our_memory = {"peak_bytes": sides.peak(sides.ours[0]), "workspace_bytes": sides.workspace}
        outcome.their_memory = {"peak_bytes": sides.peak(sides.theirs[0])}
    return outcome


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


class NotKept(Exception):
    """Why a file is none that ``--json`` wrote."""


def kept(path: str) -> tuple[dict[str, Any], list[Outcome]]:
    """The environment and outcomes of a file that ``--json`` wrote."""
    try:
        return _kept(json.loads(Path(path).read_text()))
    except OSError as e:
        raise NotKept(f"{path}: {e.strerror}") from e
    except (KeyError, TypeError, ValueError) as e:  # json.JSONDecodeError and UnicodeDecodeError are the last
        raise NotKept(f"{path} holds no results that --json wrote: {type(e).__name__}: {e}") from e


def _kept(content: Any) -> tuple[dict[str, Any], list[Outcome]]:
    rows = content["rows"]
    return content["environment"], [
        Outcome(
            a["type"], a["n"], a["workload"], b["contender"], b["figures"]["target"], a["seconds"], b["seconds"],
            a["figures"], {name: number for name, number in b["figures"].items() if name != "target"},
        )
        for a, b in zip(rows[::2], rows[1::2])
    ]


def text_of(seconds: float) -> str:
    unit, scale = next((u, s) for u, s in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)) if seconds >= s)
    return f"{seconds / scale:.3g} {unit}"


def table(outcomes: list[Outcome]) -> str:
    lines = [
        "| | n | keys | sortile | beside it | | times as fast | asked for |",
        "|---|---:|---|---:|---|---:|---:|---:|",
    ]
    for o in outcomes:
        aim = f"{o.target:g}" if o.target else ""
        ours, theirs = text_of(min(o.ours)), text_of(min(o.theirs))
        lines.append(f"| {o.name} | {o.n} | {o.workload} | {ours} | {o.rival} | {theirs} | {o.ratio:.2f} | {aim} |")
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


def at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}; allowed are numbers from 1 up")
    return number


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sortile.bench", description="Times against NumPy and others, row by row."
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only rows whose name contains TEXT")
    parser.add_argument("--below", type=int, default=10**9, metavar="N", help="only rows of fewer than N elements")
    parser.add_argument("--gpu", action="store_true", help="rows of arrays on a GPU, in place of those in host memory")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row (default 1)")
    parser.add_argument("--threads", type=at_least_one, help="of sortile; as many as the machine offers, where not given")
    parser.add_argument("--list", action="store_true", help="measure nothing: print rows, sizes, keys and rivals")
    parser.add_argument("--table", action="store_true", help="as Markdown")
    parser.add_argument("--from", dest="kept", metavar="FILE", help="measure nothing: show what --json kept there")
    parser.add_argument("--json", metavar="FILE", help="keep the results there")
    chosen = parser.parse_args(arguments)
    if chosen.json and not (folder := Path(chosen.json).parent).is_dir():  # before anything is measured
        parser.error(f"--json: there is no folder {folder}")

    about = machine()
    suites: tuple[Suite, ...]
    if chosen.gpu:
        from . import _bench_gpu

        suites = _bench_gpu.SUITES
        about.update(_bench_gpu.machine())
    else:
        from . import _bench_cpu

        suites = _bench_cpu.SUITES
    settings = {"threads": chosen.threads or sortile.info()["threads"], "seconds": chosen.seconds}
    try:
        outcomes = kept(chosen.kept)[1] if chosen.kept else []
    except NotKept as e:
        parser.error(f"--from: {e}")
    options = {"threads": chosen.threads} if chosen.threads else {}
    rows = () if chosen.kept else (row for suite in suites for row in suite(options, chosen.below))
    found = bool(chosen.kept)
    for row in rows:
        if chosen.only not in row.name:
            continue
        found = True
        if chosen.list:
            print(row.line())
            continue
        outcomes.append(measure(row, chosen.seconds))
        if chosen.json:  # after each row: what is cut short is kept
            written(chosen.json, about, settings, outcomes)
        if not chosen.table:
            print(outcomes[-1].line(), flush=True)
    if not found:
        parser.error(f"no row of fewer than {chosen.below} elements has {chosen.only!r} in its name; --list names them")
    if chosen.table and not chosen.list:
        print(table(outcomes))
    elif chosen.kept:
        print("\n".join(o.line() for o in outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
