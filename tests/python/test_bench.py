"""The benchmark runs, and keeps what it measured."""

import json

from sortile import bench


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
