"""scripts/gpu_run.sh with programs of our own in place of the binaries: what it runs, how it tells how each step ended."""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts/gpu_run.sh")


class GpuRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sortile-test-")
        self.addCleanup(folder.cleanup)
        self.folder, self.out = os.path.join(folder.name, "binaries"), os.path.join(folder.name, "out")
        os.mkdir(self.folder)

    def program(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)

    def script(self, *arguments, **settings):
        done = subprocess.run([SCRIPT, *arguments], capture_output=True, encoding="utf-8", timeout=60, env={**os.environ, **settings})
        return done.returncode, done.stdout, done.stderr

    def run_steps(self, *steps, **settings):
        status, out, _ = self.script("run", self.folder, self.out, *steps, **settings)
        self.assertEqual(self.content("summary.txt"), out)
        return status, out.splitlines()

    def content(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return file.read()

    def test_steps_that_end_well_leave_their_files_and_output(self):
        self.program("sortile-bench-gpu", 'echo "called with $*"\nwhile [ $# -gt 1 ]; do [ "$1" != --json ] || echo {} > "$2"; shift; done\n')
        self.program("gpu_fuzz", 'echo "fuzzing $*"\n')
        status, lines = self.run_steps("bench", "fuzz", GPU_RUN_FUZZ="7", GPU_RUN_FIRST="99")
        self.assertEqual(status, 0, lines)
        self.assertEqual([line.split()[:2] for line in lines[:-1]], [["fuzz", "well,"], ["bench", "well,"]])
        self.assertIn("fuzzing --seconds 7 --first 99", self.content("log.txt"))
        self.assertIn("called with -v", self.content("log.txt"))
        self.assertEqual(self.content("gpu.json"), "{}\n")

    def test_a_failure_is_told_and_stops_nothing(self):
        self.program("gpu_test", "echo broken >&2\nexit 3\n")
        self.program("sortile", "exit 0\n")
        status, lines = self.run_steps("tests", "info")
        self.assertEqual(status, 1)
        self.assertIn("FAILED with status 3", "\n".join(lines))
        self.assertTrue(any(line.startswith("info") and "well" in line for line in lines), lines)
        self.assertIn("broken", self.content("log.txt"))

    def test_a_step_that_takes_too_long_is_stopped_and_later_ones_are_not_begun(self):
        self.program("gpu_test", "sleep 50\n")
        self.program("gpu_fuzz", "exit 0\n")
        status, lines = self.run_steps("tests", "fuzz", GPU_RUN_SECONDS="5")
        self.assertEqual(status, 1)
        self.assertIn("STOPPED at its limit of 5 s", lines[0])
        self.assertIn("not run: no time left", lines[1])

    def test_what_is_not_there_is_named(self):
        status, lines = self.run_steps("tests")
        self.assertEqual(status, 1)
        self.assertIn("not run: there is no gpu_test", lines[0])

    def sanitized(self, *arguments, **settings):
        """sanitized_tests.sh, with a program in place of compute-sanitizer: it runs the command, or ends as the test's name says."""
        self.program("compute-sanitizer", """
while [ "${1#-}" != "$1" ]; do case $1 in --error*|--print*|--tool) shift 2;; esac; done
case $* in
*.racy*) echo "RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)"; exit 9;;
*.wrong*) exit 1;;
*.slow*) sleep 50;;
*.without_gpu*) echo "SUMMARY: 0 errors"; echo "[  PASSED  ] 0 tests."; exit 0;;
*.said_nothing*) echo "[  PASSED  ] 1 test."; exit 0;;
esac
echo "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"; exec "$@"
""")
        self.program("kernels_test", """
case $1 in --gtest_list_tests) printf '%s' "$TESTS"; exit;; esac
[ "$SORTILE_TESTS_SHORT" = 1 ] && echo "[  PASSED  ] 1 test."
""")
        os.makedirs(self.out, exist_ok=True)
        script = os.path.join(ROOT, "scripts/sanitized_tests.sh")
        done = subprocess.run([script, *arguments], capture_output=True, encoding="utf-8", timeout=60,
                              env={**os.environ, "PATH": self.folder + ":" + os.environ["PATH"], "SANITIZED_EACH": "5", **settings})
        return done.returncode, sorted(done.stdout.splitlines()), done.stderr

    def test_tests_under_a_sanitizer_are_told_one_by_one(self):
        report = os.path.join(self.out, "report")
        call = ("racecheck", os.path.join(self.folder, "kernels_test"), report)
        names = "shapes racy wrong slow without_gpu said_nothing sizes".split()
        tests = "a_on_cuda.\n" + "".join("  %s\n" % name for name in names)
        status, lines, _ = self.sanitized(*call, TESTS=tests, SANITIZED_JOBS="3")
        self.assertEqual(status, 1)
        told = {line.split(": ")[0].split(".")[-1]: line.split(": ", 1)[1].rsplit(", ", 1)[0] for line in lines if "." in line.split(": ")[0]}
        self.assertEqual(told, {"shapes": "clean", "sizes": "clean", "racy": "ERRORS (SUMMARY: 2 hazards displayed (2 errors, 0 warnings))",
                                "wrong": "FAILED with status 1", "slow": "out of time", "without_gpu": "skipped", "said_nothing": "ERRORS (no summary of none)"})
        self.assertIn("racecheck: 2 of 7 tests clean, 2 ERRORS, 1 FAILED, 1 skipped, 1 out of time, 0 not begun", lines)
        self.assertEqual(sorted(self.content("report").splitlines()), lines)
        self.assertEqual(sorted(name for name in os.listdir(self.out) if name.startswith("report.")),
                         ["report.a_on_cuda." + name for name in sorted(names) if name not in ("shapes", "sizes")])
        status, lines, _ = self.sanitized(*call, TESTS="a.\n  shapes\n  sizes\nb.\n  shapes\n", SANITIZED_PART="1/2")
        self.assertEqual((status, [line.split(": ")[0] for line in lines]), (0, ["racecheck a.shapes", "racecheck b.shapes", "racecheck"]))
        status, lines, _ = self.sanitized(*call, TESTS=tests, SANITIZED_ALL="1")
        self.assertEqual((status, lines[-1]), (1, "racecheck: 0 of 7 tests clean, 0 ERRORS, 0 FAILED, 0 skipped, 0 out of time, 7 not begun"))
        for wrong, says in [(("race", *call[1:]), "racecheck"), ((call[0], report, report), "no such program"), (call[:2], "usage"), (call, "no test")]:
            status, _, error = self.sanitized(*wrong, TESTS="")
            self.assertEqual((status, says in error), (2, True), error)

    def test_racecheck_of_the_kernels_is_a_step(self):
        self.sanitized()
        shutil.copy(os.path.join(ROOT, "scripts/sanitized_tests.sh"), self.folder)
        status, lines = self.run_steps("racecheck-kernels", TESTS="a_on_cuda.\n  shapes\n", PATH=self.folder + ":" + os.environ["PATH"])
        self.assertEqual(status, 0, lines)
        self.assertIn("racecheck a_on_cuda.shapes: clean", self.content("racecheck-kernels.txt"))
        self.assertIn("1 of 1 tests clean", self.content("log.txt"))

    def test_refusals(self):
        for arguments, says in [(("run", self.folder, self.out, "no-such"), "ncu-u32+u32"), (("run", self.folder), "usage"),
                                (("run", self.folder + "x", self.out), "no such folder"), (("fly",), "usage"),
                                (("pack", self.folder, self.out), "holds none of")]:
            status, _, error = self.script(*arguments)
            self.assertEqual(status, 2, arguments)
            self.assertIn(says, error)

    def test_packing_strips_and_brings_libraries(self):
        sortile = os.environ["SORTILE"]
        build = os.path.dirname(os.path.dirname(sortile))
        status, out, error = self.script("pack", build, self.folder)
        self.assertEqual(status, 0, error)
        packed = os.path.join(self.folder, "sortile")
        self.assertLessEqual(os.path.getsize(packed), os.path.getsize(sortile))
        self.assertTrue(any(name.startswith("libfmt.so") for name in os.listdir(os.path.join(self.folder, "lib"))))
        again = os.path.join(self.folder, "gpu_run.sh")
        self.assertTrue(os.access(again, os.X_OK))
        status, lines = self.run_steps("info")
        self.assertEqual(status, 0, lines)
        self.assertIn("executor", self.content("log.txt"))


if __name__ == "__main__":
    if shutil.which("strip") is None:
        raise SystemExit("strip is not installed")
    unittest.main()
