"""scripts/build_times.py: sums of a build's log and of ctest's report, and where they go."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "build_times.py"
LOG = """# ninja log v5
0\t9000\t1\tsrc/CMakeFiles/sortile.dir/cpu/merge.cpp.o\taa
0\t7000\t2\tsrc/CMakeFiles/sortile.dir/cpu/merge.cpp.o\taa
7000\t20000\t2\tsrc/kernels/CMakeFiles/x.dir/sort/sort_keys.cu.o\tbb
7000\t27000\t2\ttests/kernels/CMakeFiles/y.dir/kernels_test.kernels/lsd.cu.executor.cpp.o\tcc
27000\t28000\t2\tlibx.a\tdd
"""
REPORT = """<testsuite><testcase name="long" time="70.4" status="run"/><testcase name="short" time="1.6" status="run"/>
<testcase name="off" time="99" status="disabled"/></testsuite>"""


class BuildTimes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sortile-test-")
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        (self.build / ".ninja_log").write_text(LOG)
        (self.build / "tests.xml").write_text(REPORT)

    def made(self, *options):
        return subprocess.run([sys.executable, "-B", SCRIPT, self.build, *options], capture_output=True, text=True, check=False)

    def test_tables(self):
        text = self.made().stdout
        for row in ["| src | g++ | 1 | 7 |", "| src/kernels | nvcc | 1 | 13 |", "| tests/kernels | g++, for the executor | 1 | 20 |",
                    "| archives, programs, documents | | 1 | 1 |", "| all | | 4 | 41 |", "| long | 70 |", "| all | 72 |"]:
            self.assertIn(row, text)
        self.assertNotIn("99", text)

    def test_into_a_page(self):
        page = self.build / "page.md"
        page.write_text("before\n<!-- begin: scripts/build_times.py -->\nold\n<!-- end: scripts/build_times.py -->\nafter\n")
        self.assertEqual(self.made("--into", page, "--note", "quiet").returncode, 0)
        text = page.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertNotIn("old", text)
        self.assertIn("; quiet.", text)
        self.assertEqual(self.made("--into", page).returncode, 0)
        (self.build / "CTestTestfile.cmake").write_text("add_test(long true)\nset_tests_properties(long PROPERTIES TIMEOUT 351)\n")
        self.assertEqual(self.made("--into", page).returncode, 1, "a limit is too short")
        page.write_text("nothing to fill")
        self.assertIn("are not there once each", self.made("--into", page).stderr)

    def write_tests(self, **limits):
        """What CMake would have written of tests with these limits; 0: none."""
        lines = [f"add_test({name} true)\n" + (f"set_tests_properties({name} PROPERTIES TIMEOUT {limit})\n" if limit else "") for name, limit in limits.items()]
        (self.build / "CTestTestfile.cmake").write_text("".join(lines))

    def test_limits(self):
        self.write_tests(long=352, short=8, unlimited=0)
        self.assertEqual(self.made("--limits").returncode, 0)
        self.write_tests(long=351, short=8)
        made = self.made("--limits")
        self.assertEqual((made.returncode, made.stderr.count("\n")), (1, 1))
        self.assertTrue(made.stderr.startswith("long: its limit of 351 s is less than 5 times the 70 s"), made.stderr)

    def test_limits_by_a_page(self):
        page = self.build / "page.md"
        page.write_text("<!-- begin: scripts/build_times.py -->\n| src | g++ | 1 | 7 |\n\n| test | seconds |\n|---|---:|\n| long | 70 |\n| next | 9 |\n| 3 others | 4 |\n| all | 83 |\n"
                        "<!-- end: scripts/build_times.py -->\n| all | 7 |\n")
        self.write_tests(long=350, another=45)
        self.assertEqual(self.made("--limits", page).returncode, 0)
        self.write_tests(long=349, another=44)
        self.assertEqual([line.partition(":")[0] for line in self.made("--limits", page).stderr.splitlines()], ["another", "long"])
        page.write_text("no table")
        self.assertIn("no table of tests", self.made("--limits", page).stderr)


if __name__ == "__main__":
    unittest.main()
