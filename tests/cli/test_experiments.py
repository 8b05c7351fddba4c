"""sortile bench classics: its list, its refusals, a run that counts on the executor, and results kept and drawn again."""

import functools
import json
import os
import tempfile
import unittest

from harness import CommandTest, run

NAMES = ["lab-report", "lab-counters", "staircase", "sweeps", "scan-share", "crossings", "quicksort", "inputs", "oversampling", "contention", "sequential", "recursion",
         "against-cub", "counters"]
WITHOUT_GPU = {"lab-counters", "oversampling", "contention", "sequential", "counters"}


@functools.cache
def counted():
    """What a quick run on the executor printed, its results, and its plots by name; counted once for all tests."""
    with tempfile.TemporaryDirectory(prefix="sortile-test-") as folder:
        kept, plots = os.path.join(folder, "r.json"), os.path.join(folder, "plots")
        status, table, err = run("bench", "classics", "--quick", "--engine", "executor", "--json", kept, "--plots", plots)
        assert (status, err) == (0, b""), err
        with open(kept, "rb") as file:
            content = file.read()
        drawn = {}
        for name in os.listdir(plots):
            with open(os.path.join(plots, name), "rb") as file:
                drawn[name] = file.read()
        return table, content, drawn


class Experiments(CommandTest):
    def test_list(self):
        lines = self.good("bench", "classics", "--list").decode().splitlines()
        self.assertEqual([line.split()[0] for line in lines], NAMES)

    def test_refusals(self):
        bench = ["bench", "classics"]
        self.refused(*bench, "--experiment", "no-such", says=["no-such", "staircase"])
        self.refused(*bench, "--experiment", "staircase", "--engine", "executor", says=["staircase", "counters"])
        self.refused(*bench, "--engine", "cpu", says="cpu")
        self.refused(*bench, "--from", self.path("missing"), says=["missing", "cannot read"])
        self.refused(*bench, "--from", self.file("text", "[1,\n"), says=["text", "line 2"])
        self.refused(*bench, "--from", self.file("other", '{"format": "another"}'), says=["other", "format"])
        self.refused(*bench, "--from", self.path("text"), "--quick", says="--from")
        self.refused("bench", "-n", "5", *bench[1:], "--list", says=["count", "sortile bench classics"])
        for more in [["--experiment", "counters"], ["--from", "x"], ["--quick"], ["--seed", 3]]:
            self.refused(*bench, "--list", *more, says=[str(more[0]), "--list"])
        self.refused(*bench, "--from", self.path("text"), "--seed", 9, says=["--from", "--seed"])
        self.refused(*bench, "--recount", says=["--recount", "--from"])
        self.refused(*bench, "--seed", "-1", says=["--seed", "-1"])
        told = json.loads(self.good("info", "--json"))
        if not any(gpu["why_unusable"] == "" for gpu in told["gpus"]["devices"]):
            self.refused(*bench, says=["no usable GPU", "--engine executor"])

    def test_counts_are_kept_and_drawn_again(self):
        again = self.path("again")
        table, content, plots = counted()
        kept = self.file("r.json", content)
        results = json.loads(content)
        self.assertEqual((results["format"], results["suite"], results["settings"]), ("sortile-results 1", "classics", {"quick": True}))
        self.assertEqual({row["experiment"] for row in results["rows"]}, WITHOUT_GPU)
        self.assertIn("cpu", results["environment"])
        by_name = {row["category"]: row["figures"] for row in results["rows"] if row["experiment"] == "counters"}
        self.assertGreater(by_name["scan-blelloch"]["bank conflicts"], 10 * by_name["scan-blelloch-padded-32"]["bank conflicts"])
        self.assertGreater(by_name["rank"]["sectors a store"], by_name["rank"]["ideal sectors a store"])
        self.assertEqual(self.good("bench", "classics", "--from", kept, "--plots", again), table)
        names = sorted(plots)
        self.assertEqual(sorted(os.listdir(again)), names)
        self.assertIn("classics-lab-counters-full.svg", names)
        for name in names:
            self.assertEqual(self.content(os.path.join("again", name)), plots[name], name)

    def test_places_that_cannot_be_written_are_known_before_anything_is_counted(self):
        count = ["bench", "classics", "--quick", "--engine", "executor"]
        self.refused(*count, "--json", self.path("no/such/r.json"), says="r.json")
        self.file("taken", "")
        self.refused(*count, "--plots", self.path("taken"), says=["--plots", "taken"])
        self.nothing_left("taken")

    def test_counts_are_taken_anew_beside_kept_times(self):
        kept, again = self.path("r.json"), self.path("again.json")
        results = json.loads(counted()[1])
        chosen = [p for p in results["rows"] if p.get("category") in ("scan-blelloch", "rank-tiles")]
        self.assertEqual(len(chosen), 2)
        for p in chosen:
            p["seconds"], p["figures"] = [0.5, 0.25, 0.25], {}
        results["rows"] = chosen
        self.file("r.json", json.dumps(results))
        self.good("bench", "classics", "--from", kept, "--recount", "--json", again)
        for before, after in zip(chosen, json.loads(self.content("again.json"))["rows"]):
            self.assertEqual(after["seconds"], before["seconds"])
            self.assertGreater(after["figures"]["counted at n"], 2000)

    def test_help_and_talk(self):
        self.assertIn(b"sortile bench classics [OPTIONS]", self.good("bench", "classics", "-h"))
        self.assertIn(b"Examples:", self.good("bench", "classics", "--help"))
        self.assertIn(b"sortile bench classics", self.good("manual").replace(b"\\", b""))
        self.assertIn(b"classics", self.good("completion", "bash"))
        self.assertTrue(run("bench", "classics", "--no-such")[2].startswith(b"sortile bench classics: "))


if __name__ == "__main__":
    unittest.main()
