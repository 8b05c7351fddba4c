"""scripts/performance_page.py --check notices each way in which the page, or the README, can stop agreeing with the data."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts/performance_page.py")
DATA = "bench/results/h100"
FURTHER = "bench/results/h200"


class PlantedDisagreements(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sortile-test-")
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.makedirs(self.path("docs"))
        for data in (DATA, FURTHER):
            shutil.copytree(os.path.join(ROOT, data), self.path(data))
        shutil.copy(os.path.join(ROOT, "docs/performance.md"), self.path("docs"))
        shutil.copy(os.path.join(ROOT, "README.md"), self.root)

    def path(self, name):
        return os.path.join(self.root, name)

    def edit(self, name, before, after):
        text = self.text(name)
        self.assertIn(before, text)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text.replace(before, after))

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def page(self, *options):
        done = subprocess.run([sys.executable, "-B", SCRIPT, "--sortile", os.environ["SORTILE"], "--root", self.root, *options],
                              capture_output=True, encoding="utf-8", timeout=60)
        return done.returncode, done.stderr

    def refused(self, *says):
        status, error = self.page("--check")
        self.assertEqual(status, 1, error)
        for text in says:
            self.assertIn(text, error)

    def test_as_it_is(self):
        self.assertEqual(self.page("--check"), (0, ""))

    def test_another_figure(self):
        self.edit("docs/performance.md", "missed |", "met |")
        self.refused("docs/performance.md")
        self.assertEqual(self.page(), (0, ""))
        self.assertEqual(self.page("--check"), (0, ""))

    def test_another_figure_in_the_result_in_short(self):
        for page in ("docs/performance.md", "README.md"):
            line = re.search(r"^\| `u64` keys +\|.*$", self.text(page), re.M).group()
            self.edit(page, line, line.replace(" ms", " µs", 1))
            self.refused(page)
            self.assertEqual(self.page(), (0, ""))
            self.assertIn(line, self.text(page))

    def test_the_summary_of_groups(self):
        lines = self.text("docs/performance.md").partition("<!-- summary begins -->")[2].partition("<!--")[0].splitlines()
        shown = {cells[0]: cells[1:] for cells in ([c.strip() for c in line.split("|")[1:-1]] for line in lines) if cells}
        table = self.text("docs/performance.md").partition("<!-- table pairs begins -->")[2].partition("<!--")[0].splitlines()
        column = [c.strip() for c in table[1].split("|")].index("ratio")
        ratios = sorted((line.split("|")[column].strip() for line in table[3:]), key=float)
        self.assertEqual(shown["keys with values, and argsort, uniform, 2^28"],
                         [str(len(ratios)), ratios[0], ratios[(len(ratios) - 1) // 2], ratios[-1]])

    def test_another_plot(self):
        self.edit(DATA + "/sorts-traffic.csv", "u64", "u65")
        self.refused("sorts-traffic.csv")

    def test_other_results(self):
        self.edit(DATA + "/engine-sorts.json", '"cub": "3.0.1"', '"cub": "3.1.0"')
        self.refused("docs/performance.md")
        self.edit(DATA + "/engine-sorts.json", '"uniform"', '"unknown"')
        self.refused("unknown")

    def test_other_readings_of_the_profiler(self):
        readings = DATA + "/engine-ncu-u32.csv"
        longest = max(re.findall(r'"gpu__time_duration.sum","ns",("[0-9,]+")', self.text(readings)), key=len)
        self.edit(readings, longest, '"9,' + longest[3:])
        self.refused("docs/performance.md")

    def test_a_loss_that_is_not_spoken_of(self):
        section = self.text("docs/performance.md").split("## Slower than CUB")[1]
        first = re.search(r"- \*\*([^,*]+)", section).group(1)  # of the rows that are named
        self.edit("docs/performance.md", "- **" + first, "- **" + first + " on the H200")
        self.refused(first, "Slower than CUB")

    def further_results(self, before, after):
        """Of an H200, with `before` in the H100's file replaced."""
        os.makedirs(self.path(FURTHER), exist_ok=True)
        shutil.copy(self.path(DATA + "/engine-sorts.json"), self.path(FURTHER))
        self.edit(FURTHER + "/engine-sorts.json", '"gpu": "NVIDIA H100 80GB HBM3"', '"gpu": "NVIDIA H200"')
        self.edit(FURTHER + "/engine-sorts.json", before, after)

    def test_results_of_a_further_gpu(self):
        self.further_results('"cub": "3.0.1"', '"cub": "3.0.2"')
        self.refused("docs/performance.md")
        _, error = self.page()
        self.assertIn("on the H200' is slower than CUB", error)
        section = self.text("docs/performance.md").partition("\n## On the H200\n")[2].partition("\n## ")[0]
        self.assertIn("NVIDIA H200, CUDA 13.0, CUB 3.0.2", section)
        uniform = [line for line in section.splitlines() if line.startswith("| u32 uniform") and "2^28" in line]
        self.assertEqual(len(uniform), 1, "one table")
        self.assertIn("≥ 2.2", uniform[0])
        self.assertNotIn("not measured", section)
        shutil.rmtree(self.path(FURTHER))
        self.assertEqual(self.page(), (0, ""))
        self.assertNotIn("On the H200", self.text("docs/performance.md"))

    def test_rows_of_host_memory(self):
        row = "".join('{"type": "u32 host", "workload": "uniform", "n": 268435456, "contender": "%s", "cache": "warm", "median": %s, "noise": 0.001, '
                      '"figures": {"workspace_bytes": 0, "bytes_moved": 2147483648}},' % both
                      for both in (("pinned copy", "0.04"), ("sortile", "0.05")))
        self.further_results('"rows": [', '"rows": [' + row)
        self.edit(DATA + "/engine-sorts.json", '"rows": [', '"rows": [' + row)
        self.refused("docs/performance.md")
        self.page()
        page = self.text("docs/performance.md")
        table = page.partition("<!-- table host memory begins -->")[2].partition("<!--")[0]
        shown = next(line for line in table.splitlines() if line.startswith("| u32 host uniform "))
        self.assertEqual([cell.strip() for cell in shown.split("|")][2:-1], ["2^28", "50 ms", "40 ms", "53.7 GB/s", "80 %", "0.2 %", "≥ 60 %", "met"])
        section = page.partition("\n## On the H200\n")[2].partition("\n## ")[0]
        self.assertIn("| pinned copy |", section)
        self.assertIn("| u32 host uniform ", section)

    def test_a_missing_mark(self):
        self.edit("docs/performance.md", "<!-- table pairs begins -->", "")
        self.refused("table pairs")


if __name__ == "__main__":
    unittest.main()
