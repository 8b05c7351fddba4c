"""sortile classics: its list, its runs, what it refuses, counters, steps and schedules."""

import os
import re
import subprocess
import unittest

from harness import CommandTest, run

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
RUN = ["classics", "run"]
SHOW = ["classics", "show"]


class Classics(CommandTest):
    def test_list(self):
        lines = self.good("classics", "list").decode().splitlines()
        names = [line.split()[0] for line in lines]
        self.assertGreater(len(names), 50)
        self.assertEqual(len(set(names)), len(names))
        for name in ["scan-blelloch", "radix-1bit", "merge-path", "bitonic-shared", "quicksort-launching", "host-qsort"]:
            self.assertIn(name, names)
        self.assertIn(b"| `radix-1bit` | radix |", self.good("classics", "list", "--markdown"))

    def test_a_run_says_that_it_was_verified(self):
        for more in [[], ["--pairs", "-r"], ["--type", "f32", "--workload", "specials"], ["--bits", "3:9"],
                     ["--set", "bits=2"], ["--engine", "executor"], ["--repeat", "3"]]:
            said = self.good(*RUN, "radix-bits", "-n", 700, *more).decode().splitlines()
            self.assertRegex(said[-2], r"^[0-9.]+ ms")
            self.assertEqual(said[-1], "verified: all keys in order, each with its value")
        self.assertIn(b"verified", self.good(*RUN, "host-qsort", "-n", 100))
        self.assertIn(b"the executor ran no kernel", self.good(*RUN, "host-qsort", "-n", 100, "--engine", "executor"))

    def test_quiet_says_nothing_and_verbose_more(self):
        self.assertEqual(self.good(*RUN, "rank", "-n", 50, "-q"), b"")
        status, out, err = run(*RUN, "rank", "-n", 50, "--repeat", 2, "-v")
        self.assertEqual(status, 0)
        self.assertIn(b"rank -n 50 --type u32 --workload uniform --seed 1 on executor", err)
        self.assertIn(b"run 2: ", err)
        self.refused(*RUN, "rank", "-n", 50, "-q", "--type", "u8", says="u8")

    def test_schedules(self):
        said = self.good(*RUN, "radix-1bit", "-n", 100, "--bits", "0:2", "--schedules", 5)
        self.assertIn(b"verified: all keys in order, each with its value, on 5 schedules", said)
        one = {"SORTILE_EXECUTOR_SEED": "77"}
        status, out, err = run(*RUN, "radix-1bit", "-n", 100, "--bits", "0:2", "--schedules", 2, "-vv", env=one)
        self.assertEqual(status, 0)
        self.assertIn(b"schedule 77\n", err)
        self.assertIn(b"schedule 78\n", err)
        for wrong in ["x", "-1", "", "99999999999999999999"]:
            self.refused(*RUN, "radix-1bit", "-n", 100, says="SORTILE_EXECUTOR_SEED", env={"SORTILE_EXECUTOR_SEED": wrong})

    def test_counters_are_those_of_one_run(self):
        def counted(*more):
            return self.good(*RUN, "radix-1bit", "-n", 2000, "--bits", "0:2", "--counters", *more).decode().split("keys a second\n")[1]
        self.assertIn("barriers", counted())
        self.assertEqual(counted(), counted("--repeat", 3))

    def test_counters_by_launch_line_and_step(self):
        counted = self.good(*RUN, "radix-1bit", "-n", 2000, "--bits", "0:2", "--counters=launch").decode().split("keys a second\n")[1]
        self.assertEqual([line.split()[0] for line in counted.splitlines()[:3]], ["make_flags", "single_pass_scan_kernel", "move_by_flags"])
        self.assertRegex(counted, r"move_by_flags +1 x +8 blocks of  256 +[0-9.]+ sectors a load, [0-9.]+ a store, [0-9]+ bytes")
        counted = self.good(*RUN, "quicksort-increment", "-n", 2000, "--counters=launch").decode()
        self.assertRegex(counted, r"count_regions .* (\d+) atomics of warps \(\1 of 1 lane at one address\)\n")
        self.assertRegex(counted, r"move_by_increment .* \d+ atomics of warps \(.*\d+ of up to 32 lanes at one address\)\n")
        counted = self.good(*RUN, "scan-blelloch", "-n", 2048, "--counters=launch").decode()
        ways = {int(way): int(n) for n, way in re.findall(r"(\d+) (\d+)-way", counted)}
        self.assertEqual(sorted(ways), [2, 4, 8, 16, 32])
        # A request that is k-way takes k - 1 turns more than one.
        self.assertEqual(sum(n * (way - 1) for way, n in ways.items()), int(re.search(r"(\d+) bank conflicts", counted)[1]))
        lines = self.good(*RUN, "quicksort-increment", "-n", 2000, "--counters=line").decode()
        barriers = lambda *more: self.good(*RUN, "scan-blelloch", "-n", 2048, *more).decode()
        self.assertEqual(sum(int(n) for n in re.findall(r"block barrier +(\d+) times\n", barriers("--counters=line"))),
                         int(re.search(r"(\d+) barriers", barriers("--counters=launch"))[1]))
        self.assertRegex(lines, r"quicksort_division.hpp:[0-9]+ +global atomic +[0-9]+ requests .* up to (1[6-9]|2[0-9]|3[0-2]) lanes at one address")
        trees = {name: self.good(*RUN, name, "-n", 2048, "--counters=line").decode() for name in ["scan-blelloch", "scan-blelloch-padded-32"]}
        # A level of the tree has its own way: 32 warps of the first, 16 of the second, and as far up on the other side.
        self.assertRegex(trees["scan-blelloch"], r"scan.hpp:[0-9]+ +shared .*: 1 1-way, 33 2-way, 17 4-way, 9 8-way, 5 16-way, 3 32-way\n")
        self.assertNotIn("32-way", trees["scan-blelloch-padded-32"])
        steps = self.good(*SHOW, "radix-1bit", "--keys", "3,1,2", "--bits", "0:2", "--counters=step").decode()
        self.assertEqual(len(re.findall(r"^  counted: 3 launches, ", steps, re.M)), 2)
        levels = self.good(*RUN, "scan-blelloch", "-n", 2048, "--counters=step").decode()
        self.assertTrue(levels.startswith("up, stride 1, 2-way\nup, stride 2, 4-way\nup, stride 4, 8-way\n"), levels)
        self.assertIn("  counted in these 22 steps: 1 launch, ", levels)
        self.refused(*RUN, "radix-1bit", "-n", 5, "--counters=word", says=["word", "launch"])
        self.refused(*RUN, "radix-1bit", "-n", 5, "--counters=line", "--repeat", 2, says=["--repeat 2"])
        self.refused(*RUN, "radix-1bit", "-n", 4097, "--counters=step", says=["--counters=step", "4096"])
        self.refused(*SHOW, "radix-1bit", "-n", 65, "--counters=step", says=["show", "64"])

    def test_telling_steps_is_not_counted(self):
        of_steps = lambda text: sum(int(n) for n in re.findall(r"counted[^:]*: (\d+) launch", text))
        for name in ["scan-blelloch", "scan-kogge-stone", "radix-1bit-local", "quicksort-launching", "sample-sort-launching", "sample-sort-devices", "merge-path"]:
            total = self.good(*RUN, name, "-n", 40, "--counters").decode()
            by_step = self.good(*RUN, name, "-n", 40, "--counters=step").decode()
            self.assertEqual(of_steps(by_step), int(re.search(r"^launches +(\d+)", total, re.M)[1]), name)
            bytes_of = lambda text, pattern: sum(int(n) for n in re.findall(pattern, text))
            self.assertEqual(bytes_of(by_step, r"counted.*?(\d+) bytes"), bytes_of(total, r"global (?:loads|stores|atomics) .* (\d+) bytes"), name)
            self.assertEqual(total.split("keys a second\n")[1],
                             self.good(*RUN, name, "-n", 40, "--counters", "--steps").decode().split("keys a second\n")[1], name)

    def test_steps(self):
        steps = self.good(*RUN, "radix-1bit", "-n", 8, "--workload", "range:8", "--bits", "0:3", "--steps").decode().splitlines()
        self.assertTrue(steps[0].startswith("input: "))
        result = next(line for line in steps if line.startswith("result: "))
        self.assertEqual(sorted(map(int, steps[0].split()[1:])), list(map(int, result.split()[1:])))
        self.assertGreater(steps.index(result), 3)

    def test_own_keys(self):
        steps = self.good(*SHOW, "radix-1bit-local", "--keys", "5,2,7 4,1", "--bits", "0:3", "--set", "tile=4").decode()
        self.assertTrue(steps.startswith("input: 5 2 7 4 1\nbit 0\n"), steps)
        self.assertTrue(steps.endswith("\nresult: 1 2 4 5 7\n"), steps)
        self.assertIn("|", steps)
        self.assertEqual(steps, self.good(*SHOW, "radix-1bit-local", "--keys-file", self.file("keys.txt", "5 2\n7,4\n1\n"), "--bits", "0:3",
                                          "--set", "tile=4").decode())
        self.assertEqual(steps, self.good(*SHOW, "radix-1bit-local", "--keys-file", "-", "--bits", "0:3", "--set", "tile=4",
                                          stdin=b"5 2 7 4 1").decode())
        pairs = self.good(*SHOW, "rank", "--pairs", "3:a,1:b,3:c").decode()
        self.assertIn("input: 3/a 1/b 3/c\n", pairs)
        self.assertIn("result: 1/b 3/a 3/c\n", pairs)
        self.assertIn("result: -2 -1 3\n", self.good(*SHOW, "rank", "--keys=-1,3,-2", "--type", "i32").decode())
        self.assertIn("verified", self.good(*RUN, "rank", "--keys", "3,1,2").decode())

    def test_own_keys_say_the_rest(self):
        taken = lambda *words: re.search(r"^taken, as nothing else was said: (.*)\n\Z", self.good(*SHOW, *words).decode(), re.M)[1]
        self.assertEqual(taken("radix-1bit", "--keys", "5,7,3,1"), "--bits 0:3 --set tile=4")
        self.assertEqual(taken("radix-1bit", "--keys", "0"), "--bits 0:1 --set tile=4")
        self.assertEqual(taken("rank", "--keys", "5,-3,2"), "--type i32 --set tile=4")
        self.assertEqual(taken("rank", "--pairs", "1.5:a,-2:b"), "--type f32 --set tile=4")
        self.assertEqual(taken("rank", "--keys", "4294967296,1"), "--type u64 --set tile=4")
        self.assertEqual(taken("radix-floats", "--keys", "3,1"), "--type f32 --set bits=8 --set tile=4")
        self.assertEqual(taken("radix-cascaded", "--keys", "41/5,2/7", "--bits", "0:32"), "--show halves --set bits=8 --set tile=4")
        self.assertEqual(taken("quicksort-atomic", "--keys", "4,7,1", "--set", "pivot=3"), "--set small=4")
        told = self.good(*SHOW, "merge-path", "--keys", "42,7,19,3,88,54,23,61").decode()
        self.assertIn("\nruns of 4 merged\n", told)
        # All that was taken can be said: then nothing is.
        self.assertNotIn("taken", self.good(*SHOW, "radix-1bit", "--keys", "5,7,3,1", "--bits", "0:3", "--set", "tile=4").decode())
        # A workload's few keys are shown as own ones are: several blocks, no bits that say nothing.
        self.assertEqual(taken("radix-1bit", "-n", 16, "--workload", "range:8"), "--bits 0:3 --set tile=4")
        self.assertEqual(taken("radix-1bit", "-n", 4, "--workload", "uniform"), "--set tile=4")
        self.assertRegex(self.good(*SHOW, "radix-1bit", "-n", 16, "--workload", "range:8").decode(), r"keys +\d \d \d \d \| \d \d \d \d \| ")
        self.assertEqual(taken("merge-tiled", "--keys", "5,2,8,1,9,3,7,4"), "--set tile=4")  # its example's tile would hold them all
        self.assertNotIn("taken", self.good(*SHOW, "radix-1bit", "-n", 4, "--bits", "0:2", "--set", "tile=4").decode())
        self.assertEqual(self.good(*SHOW, "rank", "--keys", "2,1", "-q").decode().count("taken"), 0)
        self.good(*RUN, "radix-floats", "-n", 10)

    def test_pivots_and_splitters_are_keys(self):
        floats = "1.5,-2,0.25,-0,0,nan,inf,-7.5,1.5,3e5,-1e-3,2"
        self.assertIn("\nkeys 0 to 11 about 1.5: ", self.good(*SHOW, "quicksort-packing", "--keys", floats).decode())
        self.assertIn("\nkeys 0 to 11 about 1.5: ", self.good(*SHOW, "quicksort-launching", "--keys", floats, "--set", "pivot=0").decode())
        for name in ["sample-sort", "sample-sort-launching", "sample-sort-devices"]:
            told = self.good(*SHOW, name, "--keys", floats).decode()
            splitters = re.search(r"splitters +(-?[0-9.]+.*)\n", told)[1].split()
            self.assertLessEqual(set(splitters), {*floats.split(","), "300000", "-0.001"}, told)
        self.assertIn("keys from -3 to 2: 3 bits", self.good(*SHOW, "radix-masks-span", "--keys", "-1,-3,2").decode())

    def test_notations(self):
        for notation, shown in [("dec", "5 12"), ("bin", "0101 1100"), ("hex", "5 c"), ("halves", "0/5 0/12")]:
            self.assertIn(f"result: {shown}\n", self.good(*SHOW, "rank", "--keys", "0b1100,0x5", "--show", notation).decode())
        self.refused(*SHOW, "rank", "--keys", "1", "--show", "roman", says=["roman", "dec, bin, hex, halves"])

    def test_examples(self):
        names = [line.split()[0] for line in self.good("classics", "list", "--examples").decode().splitlines()]
        self.assertGreater(len(names), 40)
        self.assertIn("radix-local", names)
        shown = self.good(*SHOW, "--example", "radix-local").decode()
        self.assertIn("result: 1100 0110", shown)
        self.assertIn("result: 12 6", self.good(*SHOW, "--example", "radix-local", "--show", "dec").decode())
        self.assertEqual(shown, self.good(*SHOW, "radix-1bit-local").decode())
        self.refused(*SHOW, "--example", "no-such", says=["no-such", "radix-local"])
        self.refused(*SHOW, "rank", "--example", "radix-local", says=["radix-local", "radix-1bit-local", "rank"])

    def test_own_keys_are_refused(self):
        self.refused(*SHOW, "rank", "--keys", "1,x", "--type", "u32", says=["'x'", "u32", "whole numbers from 0 to 4294967295"])
        self.refused(*SHOW, "rank", "--keys", "1,-2", "--type", "u32", says=["'-2'", "u32"])
        self.refused(*SHOW, "rank", "--keys", "x", "--type", "f64", says="f64")
        self.refused(*SHOW, "rank", "--keys", "x", "--type", "f32", says=["'x'", "f32", "inf"])
        self.refused(*SHOW, "rank", "--keys", ",5", says=["--keys", "before comma 1"])
        self.refused(*SHOW, "rank", "--keys", "5, ,3", says=["--keys", "behind comma 1"])
        self.refused(*SHOW, "rank", "--keys", "5,3,", says=["--keys", "behind comma 2"])
        self.refused(*SHOW, "rank", "--keys-file", self.file("gap.txt", "5,3,\n,1\n"), says=["--keys-file", "behind comma 2"])
        self.refused(*SHOW, "rank", "--pairs", "5:a,,3:b", says=["--pairs", "behind comma 1"])
        # What is no key of any type is named, not what is a key of another one.
        self.refused(*SHOW, "rank", "--keys", "1.5,abc", says=["'abc' is no key", "u32, i32, u64, f32"])
        self.refused(*SHOW, "rank", "--keys", "-5,1e400", says=["'1e400' is no key"])
        self.refused(*SHOW, "scan-blelloch", "--keys", "3,-5", says=["'-5' is no u32 key"])
        self.refused(*SHOW, "rank", "--keys", "", says="no keys")
        self.refused(*SHOW, "rank", "--keys", "1", "-n", "5", says=["--keys", "-n"])
        self.refused(*SHOW, "rank", "--pairs", "3", says=["--pairs 3", "KEY:VALUE"])
        self.refused(*SHOW, "rank", "-n", 65, says=["show", "64"])
        self.refused(*SHOW, "rank", "--keys-file", self.path("none"), says="cannot be read")
        self.refused(*SHOW, "rank", "--keys-file", self.folder, says="is a directory")
        self.refused(*SHOW, "rank", "--keys-file", "", says="cannot be read")
        self.refused(*SHOW, "rank", "--keys", "3,1", "--workload", "sorted", says=["--workload", "-n"])
        self.refused(*SHOW, "rank", "--workload", "sorted", says=["--workload", "-n"])
        self.refused(*SHOW, "sample-sort-devices", "--keys", "3,1", "--devices", "0", says=["devices = 0", "2 to 8"])
        self.refused(*SHOW, "bitonic-merge", "--keys", "1,3,2,4", says="not bitonic")
        self.refused("classics", "list", "--keys", "1", says=["--keys", "list"])
        self.refused(*SHOW, "rank", "--examples", says="--examples")

    def test_the_broken_zoo(self):
        names = [line.split()[0] for line in self.good("classics", "break").decode().splitlines()]
        self.assertEqual(len(names), 8)
        status, out, err = run("classics", "break", "scan-missing-barrier")
        self.assertEqual((status, err), (1, b""))
        for says in [b"race on shared storage", b"classics/broken/scan_missing_barrier.cu, then `make tools`", b"SORTILE_EXECUTOR_SEED"]:
            self.assertIn(says, out)
        self.refused("classics", "break", "no-such", says=["no-such", "rank-without-ties"])
        self.refused("classics", "break", "rank-without-ties", "-n", 5, says=["--count", "break"])

    def test_names_types_and_sizes_are_refused(self):
        self.refused("classics", "run", says="name of a classic")
        self.refused("classics", "fly", says="fly")
        self.refused(*RUN, "radix-1bit", says="-n")
        self.refused(*RUN, "no-such", "-n", 5, says=["no-such", "radix-1bit", "host-qsort"])
        self.refused(*RUN, "radix-1bit", "-n", "many", says=["-n", "many"])
        self.refused(*RUN, "radix-1bit", "-n", "-5", says="-5")
        self.refused(*RUN, "radix-1bit", "-n", 5, "--type", "u9", says="u9")
        self.refused(*RUN, "radix-1bit", "-n", 5, "--type", "f64", says=["radix-1bit", "f64", "u32"])
        self.refused(*RUN, "radix-floats", "-n", 5, "--type", "u32", says=["radix-floats", "u32", "f32"])
        self.refused(*RUN, "scan-blelloch", "-n", 2049, says=["scan-blelloch", "2049", "2048"])
        self.refused(*RUN, "scan-blocks", "-n", 5, "--pairs", says=["scan-blocks", "pairs"])
        self.refused(*RUN, "scan-blocks", "-n", 5, "-r", says=["scan-blocks", "direction"])
        status, out, err = run(*RUN, "radix-1bit", "-n", 5, "--workload", "no-such")
        self.assertEqual((status, out), (2, b""))
        self.assertIn(b"workload 'no-such'", err)
        self.refused(*RUN, "radix-1bit", "-n", 5, "--workload", "specials", says="specials")

    def test_settings_are_refused(self):
        self.refused(*RUN, "radix-bits", "-n", 5, "--set", "bits", says=["--set", "PARAMETER=NUMBER"])
        self.refused(*RUN, "radix-bits", "-n", 5, "--set", "bits=x", says=["--set", "'x' is no number"])
        self.refused(*RUN, "radix-bits", "-n", 5, "--set", "bits=", says=["--set bits=", "PARAMETER=NUMBER"])
        self.refused(*RUN, "radix-bits", "-n", 5, "--set", "=4", says=["--set =4", "PARAMETER=NUMBER"])
        self.refused(*RUN, "radix-bits", "-n", 5, "--bits", "1:", says=["--bits 1:", "B:E"])
        self.refused(*RUN, "radix-bits", "-n", 5, "--set", "bits=9", says=["radix-bits", "bits = 9", "1 to 8"])
        self.refused(*RUN, "radix-bits", "-n", 5, "--set", "keys=2", says=["radix-bits", "keys", "bits"])
        self.refused(*RUN, "radix-bits", "-n", 5, "--bits", "7", says=["--bits", "B:E"])
        self.refused(*RUN, "radix-bits", "-n", 5, "--bits", "9:3", says=["radix-bits", "9:3"])
        for seed in ["-1", "x", "1.5", "18446744073709551616"]:
            self.refused(*RUN, "radix-bits", "-n", 5, "--seed", seed, says=["--seed", seed, "whole number"])
            self.refused("bench", "-n", 5, "--seed", seed, says=["--seed", seed, "whole number"])

    def test_what_does_not_go_together_is_refused(self):
        self.refused(*RUN, "radix-1bit", "-n", 65, "--steps", says=["--steps", "64"])
        for option in ["--schedules", "--counters"]:
            more = [option, 3] if option == "--schedules" else [option]
            for engine in [[], ["--engine", "executor"], ["--engine", "host"]]:
                self.refused(*RUN, "host-qsort", "-n", 5, *engine, *more, says=["host-qsort", "no kernel"])
            self.refused(*RUN, "radix-1bit", "-n", 5, "--engine", "cuda", *more, says=["executor", "cuda"])
        self.refused(*RUN, "host-qsort", "-n", 5, "--engine", "cuda", says=["host-qsort", "does not run on cuda", "host"])
        self.refused(*RUN, "radix-1bit", "-n", 5, "--engine", "host", says=["radix-1bit", "does not run on host"])
        self.refused(*RUN, "radix-1bit", "-n", 5, "--markdown", says="--markdown")
        self.refused("classics", "list", "radix-1bit", says="list")
        self.refused("classics", "list", "-n", 5, says=["--count", "list"])
        self.refused("classics", "list", "--steps", says=["--steps", "list"])

    def test_the_sanitizers_runs_are_runs_of_every_classic(self):
        """What scripts/classics_sanitizers.sh does on a GPU, on the executor: all accepted, all parameters' ends among it."""
        script = os.path.join(ROOT, "scripts", "classics_sanitizers.sh")
        runs = subprocess.run([script, "--list"], capture_output=True, check=True, text=True).stdout.splitlines()
        table = self.good("classics", "list", "--markdown").decode().splitlines()[2:]
        for row in table:
            cells = [cell.strip() for cell in row.split("|")[1:]]
            name, parameters = cells[0].strip("`"), cells[8]
            mine = [line for line in runs if line.split()[0] == name]
            if b"does not run on cuda" in run(*RUN, name, "-n", 3, "--engine", "cuda")[2]:
                self.assertEqual(mine, [], name)
                continue
            self.assertGreaterEqual(len(mine), 2, name)
            if cells[5] != "":
                self.assertTrue(any(" -r" in line for line in mine) and any("--pairs" in line for line in mine), name)
            for parameter, least, most in re.findall(r"([a-z]+) ([0-9]+)–([0-9]+) \(", parameters):
                for value in (least, most):
                    if (parameter, value) not in [("small", "1024"), ("pivot", "2")]:
                        self.assertTrue(any(f"{parameter}={value}" in line for line in mine), (name, parameter, value))
        for line in runs:
            options = line.split()
            options[options.index("-n") + 1] = "200"
            self.good(*RUN, *options, "-q")


if __name__ == "__main__":
    unittest.main()
