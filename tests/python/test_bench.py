"""The benchmark runs, and keeps what it measured."""

import json

from sortile import bench


def test_rows_and_results(tmp_path, capsys):
    kept = tmp_path / "times.json"
    assert bench.main(["--only", "sort uint32", "--below", "1000", "--seconds", "0.01", "--json", str(kept)]) == 0
    printed = capsys.readouterr().out.splitlines()
    found = json.loads(kept.read_text())
    assert [row["n"] for row in found["rows"]] == [10, 100, 10] and len(printed) == 3
    assert all(row["seconds"] > 0 and row["ratio"] > 0 for row in found["rows"])
    assert found["machine"]["numpy"] and found["threads"] >= 1
