"""The benchmark runs, keeps what it measured, and the page of times shows what is kept."""

import json
import re
from pathlib import Path

import pytest

from sortile import bench

ROOT = Path(__file__).parents[2]


def test_rows_and_results(tmp_path, capsys):
    kept = tmp_path / "times.json"
    assert bench.main(["--only", "sort uint32", "--below", "1000", "--seconds", "0.01", "--json", str(kept)]) == 0
    printed = capsys.readouterr().out.splitlines()
    found = json.loads(kept.read_text())
    assert [row["n"] for row in found["rows"]] == [10, 10, 100, 100, 10, 10] and len(printed) == 3
    assert [row["contender"] for row in found["rows"][:2]] == ["sortile", "np.sort"]
    assert all(0 < row["min"] <= row["median"] and len(row["seconds"]) >= 3 for row in found["rows"])
    assert found["format"] == "sortile-results 1" and found["environment"]["numpy"] and found["settings"]["threads"] >= 1
    assert bench.main(["--from", str(kept)]) == 0
    assert capsys.readouterr().out.splitlines() == printed
    assert bench.main(["--from", str(kept), "--table"]) == 0
    assert capsys.readouterr().out.count("| np.sort |") == 2


def test_memory_is_kept_and_shown(tmp_path):
    row = bench.Contest("sort", 5, lambda: None, "rival", lambda: None, 1.0, peak=lambda call: 3_000_000, workspace=1_000_000)
    outcome = bench.measure(row, 0.0)
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
