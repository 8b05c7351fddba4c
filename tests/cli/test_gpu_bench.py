"""sortile bench gpu: its list, its refusals, and the tables and plot of kept results."""

import json
import os
import unittest

from harness import CommandTest, run

ENVIRONMENT = {"gpu": "NVIDIA H100 80GB HBM3", "toolkit": "13.0", "cub": "3.0.1", "copy_bytes_per_second": 3e12,
               "revision": "0123456789ab", "date": "2026-01-02"}


def result(name, seconds, moved):
    return {"contender": name, "cache": "warm", "median": seconds, "noise": 0.001, "figures": {"workspace_bytes": 1000, "bytes_moved": moved}}


def results(*rows):
    """Rows of (kind, workload, log n, sortile's seconds, CUB's)."""
    return file_of([dict(result(name, seconds, moved), type=kind, workload=workload, n=1 << log_n) for kind, workload, log_n, ours, cubs in rows
                    for name, seconds, moved in (("cub", cubs, 9e9), ("sortile", ours, 7e9))])


def file_of(rows):
    return json.dumps({"format": "sortile-results 1", "suite": "gpu", "environment": ENVIRONMENT,
                       "settings": {"quick": False, "single_calls": True}, "rows": rows})


class GpuBench(CommandTest):
    def test_list(self):
        lines = self.good("bench", "gpu", "--list").decode().splitlines()
        self.assertEqual(lines[0].split(), ["u32", "uniform", "2^28", "keys", "at", "least", "1.8", "x", "CUB"])
        self.assertEqual(len(lines), len({line[:28] for line in lines}))
        for group in ["keys", "pairs", "narrow keys", "ranges", "sorted", "equal", "skew", "worst cases", "floats", "comparison", "small n", "host memory"]:
            self.assertTrue(any(line[28:].startswith(group) for line in lines), group)
        host = self.good("bench", "gpu", "--list", "--row", "host").decode().splitlines()
        self.assertEqual(host[0].split(), "u32 host uniform 2^28 host memory at least 60 % of the pinned copy rate".split())
        own = self.good("bench", "gpu", "--list", "--kinds", "u64 host", "--workloads", "zipf").decode()
        self.assertIn("at least 60 % of the pinned copy rate", own)
        some = self.good("bench", "gpu", "--list", "--row", "zipf", "--row", "u16").decode().splitlines()
        self.assertTrue(0 < len(some) < len(lines))
        self.assertTrue(all("zipf" in line or "u16" in line for line in some))
        grid = self.good("bench", "gpu", "--list", "--kinds", "u32,u64+u64", "--workloads", "equal,and:3", "--log-n", "10,11")
        self.assertEqual(len(grid.splitlines()), 8)
        self.assertIn(b"u64+u64 and:3 2^11", grid)

    def test_refusals(self):
        bench = ["bench", "gpu"]
        self.refused(*bench, "--row", "no such row", says=["--row", "--list"])
        self.refused(*bench, "--kinds", "u33", says=["u33", "u64+u32", "u32 index"])
        status, _, error = run(*bench, "--workloads", "gaussian")  # with all workloads, a line each
        self.assertEqual((status, b"gaussian" in error, b"full-buckets" in error), (2, True, True))
        self.refused(*bench, "--list", "--kinds", "f32,u64", "--workloads", "unit", says=["unit", "u64", "f32, f64"])
        self.refused(*bench, "--log-n", "7", says=["--log-n", "8"])
        self.refused(*bench, "--l2", "tepid", says=["--l2", "cold"])
        self.refused(*bench, "--rounds", "0", says="--rounds")
        self.refused(*bench, "--from", self.path("missing"), says=["missing", "cannot read"])
        self.refused(*bench, "--from", self.file("text", "[1,\n"), says=["text", "line 2"])
        self.refused(*bench, "--from", self.file("other", '{"format": "another"}'), says=["other", "format"])
        for more in (["--quick"], ["--list"], ["--engine-sorts"], ["--kinds", "u32"], ["--json", "x"]):
            self.refused(*bench, "--from", self.path("text"), *more, says="--from measures nothing")
        told = json.loads(self.good("info", "--json"))
        if not any(gpu["why_unusable"] == "" for gpu in told["gpus"]["devices"]):
            self.refused(*bench, "--quick", "--json", self.path("r.json"), says=["no usable GPU", "--from FILE"])
            self.nothing_left("text", "other")

    def test_kept_results_are_shown_and_drawn(self):
        kept = self.file("r.json", results(("u32", "uniform", 28, 0.003, 0.006), ("u64", "zipf-spread", 28, 0.02, 0.01)))
        plots = self.path("plots")
        text = self.good("bench", "gpu", "--from", kept, "--plots", plots).decode()
        self.assertIn("NVIDIA H100 80GB HBM3, CUDA 13.0, CUB 3.0.1, device copy 3 TB/s, revision 0123456789ab, 2026-01-02", text)
        line = next(line for line in text.splitlines() if line.startswith("| u32 uniform "))
        self.assertEqual([cell.strip() for cell in line.split("|")][2:10], ["2^28", "warm", "3 ms", "6 ms", "2.00", "0.2 %", "≥ 1.8", "met"])
        self.assertIn("0.50 | 0.2 % |    ≥ 1 | **loses**", text)
        self.assertIn("2 of", text)
        self.assertEqual(sorted(os.listdir(plots)), ["sorts-traffic.csv", "sorts-traffic.svg"])
        self.assertNotIn("u32 uniform", self.good("bench", "gpu", "--from", kept, "--row", "zipf").decode())
        status, table, error = run("bench", "gpu", "--from", kept, "--row", "zipf", "--plots", plots)
        self.assertEqual((status, b"u64 zipf" in table), (2, True))
        self.assertIn(b"nothing to draw", error)

    def test_kept_results_of_host_memory(self):
        kept = self.file("r.json", file_of([dict(result(name, seconds, 2 << 30), type="u32 host", workload="uniform", n=1 << 28)
                                            for name, seconds in (("pinned copy", 0.04), ("sortile", 0.08))]))
        text = self.good("bench", "gpu", "--from", kept).decode()
        line = next(line for line in text.splitlines() if line.startswith("| u32 host uniform "))
        self.assertEqual([cell.strip() for cell in line.split("|")][2:-1], ["2^28", "80 ms", "40 ms", "53.7 GB/s", "50 %", "0.2 %", "≥ 60 %", "missed"])

    def test_help_and_talk(self):
        self.assertIn(b"sortile bench gpu [OPTIONS]", self.good("bench", "gpu", "-h"))
        self.assertIn(b"Examples:", self.good("bench", "gpu", "--help"))
        self.assertIn(b"sortile bench gpu", self.good("manual").replace(b"\\", b""))
        self.assertTrue(run("bench", "gpu", "--no-such")[2].startswith(b"sortile bench gpu: "))


if __name__ == "__main__":
    unittest.main()
