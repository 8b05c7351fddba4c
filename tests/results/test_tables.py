"""The tables that benches print of committed results stand in the pages as they are."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Tables(unittest.TestCase):
    def test_files_beside_other_programs(self):
        made = subprocess.run([sys.executable, "-B", str(ROOT / "bench/files_rivals.py"), "--from", str(ROOT / "bench/results/cpu-intel-xeon-2c/files.json")],
                              capture_output=True, text=True, check=True).stdout
        self.assertEqual(len(made.splitlines()), 7)
        self.assertIn(made, (ROOT / "docs/performance-cpu.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
