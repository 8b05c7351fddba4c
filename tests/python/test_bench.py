"""The benchmark runs, keeps what it measured, and the page of times shows what is kept."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import sortile
from sortile import _bench_cpu, _bench_gpu, _bench_keys, bench

ROOT = Path(__file__).parents[2]


def test_rows_and_results(tmp_path, capsys):
    kept = tmp_path / "times.json"
    assert bench.main(["--only", "sort float32", "--below", "1000", "--seconds", "0.01", "--json", str(kept)]) == 0
    printed = capsys.readouterr().out.splitlines()
    found = json.loads(kept.read_text())
    assert [row["n"] for row in found["rows"]] == [10, 10, 100, 100] * 2 and len(printed) == 4
    assert [row["contender"] for row in found["rows"][:2]] == ["sortile", "np.sort"]
    assert {row["workload"] for row in found["rows"]} == {"normal"}
    assert all(0 < row["min"] <= row["median"] and len(row["seconds"]) >= 3 for row in found["rows"])
    assert found["format"] == "sortile-results 1" and found["environment"]["numpy"] and found["settings"]["threads"] >= 1
    assert bench.main(["--from", str(kept)]) == 0
    assert capsys.readouterr().out.splitlines() == printed
    assert bench.main(["--from", str(kept), "--table"]) == 0
    assert capsys.readouterr().out.count("| np.sort |") == 2


def test_what_cannot_be_done_is_said_first(tmp_path, capsys):
    other = tmp_path / "other.json"
    other.write_text('{"rows": [{}, {}]}')
    text = tmp_path / "text.json"
    text.write_text("no JSON")
    for arguments, wanted in [
        (["--from", str(tmp_path / "none.json")], "--from: .*none.json: No such file or directory"),
        (["--from", str(text)], "--from: .*text.json holds no results that --json wrote: JSONDecodeError"),
        (["--from", str(other)], "--from: .*other.json holds no results that --json wrote: KeyError"),
        (["--json", str(tmp_path / "no" / "times.json")], "--json: there is no folder .*no"),
        (["--only", "no such row"], "no row of fewer than 1000000000 elements has 'no such row' in its name; --list names"),
        (["--list", "--below", "1"], "no row of fewer than 1 elements"),
        (["--threads", "0"], "--threads: 0; allowed are numbers from 1 up"),
    ]:
        with pytest.raises(SystemExit) as end:
            bench.main(arguments)
        assert end.value.code == 2 and re.search(wanted, capsys.readouterr().err)


def rows():
    return [row for suite in _bench_cpu.SUITES for row in suite({}, 10**9)]


def test_rows_are_listed(capsys):
    assert bench.main(["--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed == [row.line() for row in rows()] and len(set(listed)) == len(listed)
    assert bench.main(["--list", "--below", "11", "--only", "argsort"]) == 0
    assert {line.split()[1] for line in capsys.readouterr().out.splitlines()} == {*_bench_cpu.TYPES, *_bench_cpu.NARROW_TYPES}


def test_both_sides_of_a_row_agree():
    """Of all rows of few elements: what is timed is the same work."""
    small = [row for row in rows() if row.n <= 1000]
    assert {row.n for row in small} == {10, 100, 1000}
    for row in small:
        sides = row.make()
        assert len(sides.ours) == len(sides.theirs)
        for our_call, their_call in zip(sides.ours, sides.theirs):
            ours, theirs = our_call(), their_call()
            if hasattr(ours, "equals"):  # tables
                assert ours.equals(theirs), row
                continue
            several = isinstance(ours, tuple)
            for a, b in zip(ours, theirs) if several else [(ours, theirs)]:
                assert np.array_equal(a, b), row


def test_sides_of_rows_on_a_gpu_are_made():
    """With arrays of NumPy's in place of a GPU's."""
    for make in (_bench_gpu.lanes(np.asarray, (4, 50), "float32", sortile.sort, np.sort, int),
                 _bench_gpu.groups(np.asarray, 50, sortile.unique, np.unique, int)):
        sides = make()
        assert np.array_equal(sides.ours[0](), sides.theirs[0]())


@pytest.mark.parametrize("workload, dtype", [
    ("uniform", "bool"), ("uniform", "int8"), ("uniform", "uint32"), ("uniform", "datetime64[us]"), ("unit", "float32"),
    ("normal", "float16"), ("normal", "float64"), ("range:50", "int64"), ("runs:3", "int64")])
def test_keys_are_what_their_name_says(workload, dtype):
    x = _bench_keys.keys(workload, 6000, dtype)
    assert x.dtype == dtype and x.shape == (6000,) and np.array_equal(x, _bench_keys.keys(workload, 6000, dtype))
    numbers = x.view("i8").astype("f8") if x.dtype.kind == "M" else x.astype("f8")
    low, mean, high = numbers.min(), numbers.mean(), numbers.max()
    if workload in ("uniform", "runs:3"):
        limits = np.iinfo({"b": "u1", "M": "i8"}.get(x.dtype.kind, dtype))
        least, most = (0, 1) if x.dtype.kind == "b" else (float(limits.min), float(limits.max))
    else:
        least, most = {"unit": (0, 1), "range:50": (0, 49), "normal": (-3.6, 3.6)}[workload]
    width = most - least
    assert abs(low - least) <= 0.1 * width and abs(high - most) <= 0.1 * width and abs(mean - (least + most) / 2) < 0.02 * width
    if workload == "normal":
        assert abs(numbers.std() - 1) < 0.05
    if workload == "runs:3":
        assert np.flatnonzero(x[1:] < x[:-1]).tolist() == [1999, 3999]


def test_keys_without_a_rule_are_refused():
    with pytest.raises(ValueError, match="no keys 'normal' of type int32"):
        _bench_keys.keys("normal", 5, "int32")


def test_workloads_have_names_of_the_registry():
    registry = (ROOT / "testing" / "workloads.cpp").read_text()
    for workload in {row.workload for row in rows()}:
        for name in workload.split(", "):
            assert f'"{name.partition(":")[0]}", "' in registry, workload


def test_memory_is_kept_and_shown(tmp_path):
    sides = bench.Sides([lambda: None], [lambda: None], peak=lambda call: 3_000_000, workspace=1_000_000)
    outcome = bench.measure(bench.Contest("sort", 5, "uniform", "rival", 1.0, lambda: sides), 0.0)
    kept = tmp_path / "times.json"
    bench.written(str(kept), {}, {}, [outcome])
    assert bench.kept(str(kept))[1] == [outcome]
    assert bench.table([outcome]).splitlines()[-1] == "| sort | 5 | 3.0 | 1.0 | rival | 3.0 |"


PAGE = ROOT / "docs" / "python-performance.md"
TABLES = re.findall(r"<!-- (\S+\.json) begins -->\n(.*?)\n<!-- \1 ends -->", PAGE.read_text(), re.DOTALL)


@pytest.mark.parametrize("name, text", TABLES, ids=[name for name, _ in TABLES])
def test_the_page_shows_what_was_measured(name, text):
    _, outcomes = bench.kept(str(ROOT / "bench" / "results" / name))
    assert text == bench.table(outcomes), f"python -m sortile.bench --from bench/results/{name} --table"


def test_the_page_has_tables():
    assert TABLES
