"""The tables that benches print of committed results stand in the pages as they are."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import performance_cpu_page


class Tables(unittest.TestCase):
    def test_cpu_pages(self):
        checked = subprocess.run([sys.executable, "-B", str(ROOT / "scripts/performance_cpu_page.py"), "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_a_changed_figure_is_found(self):
        page = (ROOT / "docs/performance-cpu.md").read_text(encoding="utf-8")
        changed = page.replace("| uniform | ", "| uniform | 1", 1)
        self.assertNotEqual(page, changed)
        self.assertEqual(performance_cpu_page.made(changed, performance_cpu_page.TABLES)[0], page)

    def test_the_worst_file_counts(self):
        times = {"sortile cpu": 2.0, "quick": 3.0, "slow": 9.0}
        measured = performance_cpu_page.Measured()
        key = ("u32", "uniform", 10)
        measured.files = [{key: times}, {key: {"sortile cpu": 4.0, "other": 2.0}}, {("u64", "uniform", 10): {"sortile cpu": 1.0}}]
        self.assertEqual(measured.worst(key), (0.5, 4.0, 2.0, "other"))
        self.assertIsNone(measured.worst(("u64", "uniform", 10)))
        self.assertIn("`u32` uniform, 10 keys: other takes 0.50 of sortile's time", performance_cpu_page.losses(measured))

    def test_files_beside_other_programs(self):
        made = subprocess.run([sys.executable, "-B", str(ROOT / "bench/files_rivals.py"), "--from", str(ROOT / "bench/results/cpu-amd-epyc-zen4-2c/files.json")],
                              capture_output=True, text=True, check=True).stdout
        self.assertEqual(len(made.splitlines()), 9)
        self.assertIn(made, (ROOT / "docs/performance-cpu.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
