"""Help, errors, exit statuses, levels of talk, terminals, completion, manual, info and bench."""

import json
import os
import pty
import shutil
import subprocess
import unittest

from harness import SORTILE, CommandTest, npy, run

COMMANDS = ["sort", "check", "merge", "gen", "bench", "info", "completion", "manual"]


class Manners(CommandTest):
    def test_help(self):
        for command in COMMANDS:
            if command == "sort":  # -h are numbers with units
                self.assertIn(b"Examples:", self.good("sort", "--help"))
                self.assertEqual(self.good("sort", "-h", stdin=b"1K\n2\n"), b"2\n1K\n")
                continue
            brief, full = self.good(command, "-h"), self.good(command, "--help")
            self.assertIn(b"Usage: sortile " + command.encode(), brief)
            self.assertNotIn(b"Examples:", brief)
            self.assertIn(b"Examples:", full)
            self.assertTrue(full.startswith(brief.rstrip()), command)
        self.assertIn(b"Subcommands:", self.good("-h"))
        self.assertRegex(self.good("--version"), rb"^sortile \d+\.\d+\.\d+\n$")

    def test_examples_name_options_that_exist(self):
        for command in COMMANDS:
            full = self.good(command, "--help").decode()
            brief = self.good(command, "--help" if command == "sort" else "-h").decode().split("Examples:")[0]
            for word in full[full.index("Examples:"):].split("Workloads:")[0].replace("=", " ").split():
                if word.startswith("--") and word != "--":
                    self.assertIn(word, brief + self.good("sort", "--help").decode().split("Examples:")[0], command)

    def test_misuse(self):
        self.refused(says="subcommand")
        self.refused("frobnicate", says="frobnicate")
        for command in COMMANDS:
            self.refused(command, "--frobnicate", says=["sortile " + command, "--frobnicate", "-h"])
        self.refused("sort", "--format", "xml", says="xml")
        self.refused("sort", "--threads", "0", says="threads")
        self.refused("sort", "--threads", "many", says="many")
        self.refused("sort", "-r", "--order", "asc", says="contradict")
        self.refused("completion", "tcsh", says="tcsh")
        self.refused("info", "extra", says="extra")

    def test_messages_are_one_line_of_printing_characters(self):
        """Whatever names, options and files hold that a message tells of."""
        odd = "a\nb\tc\x1b[31md\x7f\u009be"
        table, odd_table = self.file("t.csv", "x\ty\n1\n"), self.file("o.csv", "x,n\n1,\x1b[31m\n")
        disorder = self.file("lines", "b\na\x1b[31m\r\n")
        header = self.file("k.npy", npy("'<q\\x1b\\n4'", 0, b""))
        for arguments in (["sort", odd], ["check", odd], ["merge", odd], ["info", odd], ["sort", "-o", self.path("no/" + odd), table, "--by", "x"], ["sort", "-k", "1" + odd], ["sort", "--by", odd, table],
                          ["gen", odd], [odd], ["sort", "--" + odd], ["sort", "--format", odd, table], ["sort", "--engine", odd, disorder], ["sort", "--threads", odd], ["sort", "--record", odd, table],
                          ["sort", "-S", "1" + odd], ["sort", "--bits", odd, "--type", "u8", table], ["sort", "--sort", odd], ["sort", "--check=" + odd], ["sort", "-t", odd], ["check", disorder],
                          ["sort", "-c", disorder], ["sort", table, "--by", "nosuch"], ["sort", odd_table, "--by", "n:num"], ["sort", header], ["sort", "--files0-from", odd], ["completion", odd]):
            status, out, err = run(*arguments)
            self.assertIn(status, (1, 2), arguments)
            self.assertTrue(err.endswith(b"\n") and b"\n" not in err[:-1], err)
            self.assertFalse([c for c in err.decode(errors="replace")[:-1] if ord(c) < 32 or 127 <= ord(c) < 160], err)
        self.assertIn(rb"sortile sort: a\nb\tc\033[31md\177\302\233e: cannot open", run("sort", odd)[2])
        self.refused("sort", "--format", "xml", table, says="xml")  # and not the operand

    def test_engines(self):
        path = self.file("a.npy", npy("'<u4'", 2, b"12345678"))
        self.refused("sort", path, "--engine", "nosuch", "--force", says=["nosuch", "cpu"])
        self.refused("sort", path, "--force", env={"SORTILE_ENGINE": "nosuch"}, says=["nosuch", "SORTILE_ENGINE"])
        self.good("sort", path, "--engine", "cpu", "--force")
        lines, table = self.file("lines", b"a\nb\n"), self.file("t.csv", b"a\n1\n")
        for command in (["check", lines], ["merge", lines], ["sort", "-c", lines], ["sort", "-m", lines], ["sort", "--types", table]):  # which use none
            self.refused(*command, "--engine", "nosuch", says=["nosuch", "cpu"])
            self.assertEqual(run(*command, "--engine", "cpu")[0], 0, command)
        explained = self.good("sort", path, "--explain").decode()
        self.assertRegex(explained, r"engine\s+\w+: \S")
        self.assertIn("workspace", explained)
        self.assertIn("words", self.good("sort", "--explain", "-n", stdin=b"1\n").decode())

    def test_levels(self):
        path = self.file("lines", b"b\na\n")
        self.assertEqual(run("sort", path, "-o", self.path("out"))[2], b"")
        self.assertRegex(run("sort", "-v", path, "-o", self.path("out"))[2], rb"^sortile sort: 2 records in [\d.]+ s, .*; engine \w+: .*\n$")
        self.assertGreater(run("sort", "-vv", path, "-o", self.path("out"))[2].count(b"\n"), 2)
        self.assertEqual(run("check", "-v", path)[0], 1)
        for name, content, count, options in (("l", b"a\nb\n", 4, []), ("t.csv", b"a\n1\n", 2, ["--by", "a"]), ("u.csv", b"a\n1\n", 2, ["--by", "a:num"]), ("k.npy", npy("'<u4'", 2, b"12345678"), 4, []),
                                              ("v.npy", npy("'<u4'", 2, b"12345678"), 2, ["-u"]), ("r", b"a1b2", 4, ["--record", "2"])):
            sorted_file = self.file(name, content)
            for quiet in ("-v", "-q"):
                said = run("merge", quiet, sorted_file, sorted_file, *options, "-o", self.path("out" + os.path.splitext(name)[1]))[2]
                self.assertRegex(said, rb"^sortile merge: %d records in [\d.]+ s, .*/s\n$" % count if quiet == "-v" else b"^$", name)

    def on_terminal(self, *arguments):
        """Runs with standard output and error on a terminal; gives the status and all that was written there."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([SORTILE, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        written = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            written += piece
        os.close(ours)
        return process.wait(timeout=120), written

    def test_no_binary_to_a_terminal(self):
        path = self.file("a.npy", npy("'<u4'", 2, b"12345678"))
        for command in (["sort", path], ["merge", path], ["gen", "uniform", "-n", "2"], ["sort", path, "-o", "/dev/stdout"]):
            status, written = self.on_terminal(*command)
            self.assertEqual(status, 2, command)
            self.assertIn(b"terminal", written)
            self.assertNotIn(b"NUMPY", written)
        status, written = self.on_terminal("sort", path, "--force")
        self.assertEqual(status, 0)
        self.assertIn(b"NUMPY", written)
        self.assertEqual(self.on_terminal("sort", self.file("lines", b"b\na\n")), (0, b"a\r\nb\r\n"))

    def test_progress_bar(self):
        status, written = self.on_terminal("gen", "uniform", "-n", "12M", "--format", "lines", "--threads", "1", "-o", self.path("lines"))
        self.assertEqual(status, 0)
        if b"\r" in written:  # a machine that is through within a second shows none
            self.assertRegex(written, rb"sortile gen: gen +\[=* *\] +\d+ %")
            self.assertTrue(written.endswith(b"\r\x1b[K"), written[-80:])

    def test_completion(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.good("completion", shell)
            for command in COMMANDS:
                self.assertIn(command.encode(), script)
            self.assertIn(b"permutation-of", script)
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.file("script", script)], check=True)
        script = self.good("completion", "bash").decode()
        asked = script + "\nCOMP_WORDS=(sortile ch); COMP_CWORD=1; _sortile; echo ${COMPREPLY[@]}" \
                         "\nCOMP_WORDS=(sortile check --perm); COMP_CWORD=2; _sortile; echo ${COMPREPLY[@]}"
        self.assertEqual(subprocess.run(["bash", "-c", asked], capture_output=True, check=True).stdout, b"check\n--permutation-of\n")

    def test_manual(self):
        page = self.good("manual").decode()
        self.assertTrue(page.startswith(".TH SORTILE 1"))
        for text in (".SH NAME", ".SH SYNOPSIS", ".SH EXIT STATUS", "\\-\\-permutation\\-of", "SORTILE_ENGINE", "zipf"):
            self.assertIn(text, page)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-k"], input=page.encode(), capture_output=True, check=True)
            self.assertEqual(done.stderr, b"")

    def test_info(self):
        told = json.loads(self.good("info", "--json"))
        self.assertIn("cpu", [engine["name"] for engine in told["engines"] if engine["usable"]])
        for engine in told["engines"]:
            self.assertEqual(engine["usable"], engine["reason"] == "")
        self.assertIn(b"cpu", self.good("info"))

    def test_empty_values(self):
        """A shell's variable that was not set is no option that was not given."""
        path = self.file("lines", b"b\na\n")
        for option in ("--by", "--top", "--record", "--comment", "--quantiles", "--type", "--values", "--values-output", "--axis", "--engine", "--format"):
            self.refused("sort", option, "", path, says=option)
        self.refused("sort", "--by=", path, says="--by: its value is empty")
        self.refused("check", "--by", "", path, says="--by: its value is empty")
        self.refused("merge", "--by", "", path, says="--by: its value is empty")
        pairs = self.file("pairs.npy", npy("[('a', '<u4'), ('b', '<u4')]", 1, b"12345678"))
        for command in ("sort", "check", "merge"):
            self.refused(command, pairs, "--key", "", says="--key: its value is empty")
        for command in ("check", "merge"):
            self.refused(command, "--by=", path, says="--by: its value is empty")
        for output in (["--output="], ["--output", ""], ["-o", ""]):  # and the input does not become the output
            self.refused("merge", *output, path, says="the name is empty")
            self.refused("gen", "uniform", "-n3", *output, says="the name is empty")
        self.assertEqual(self.content("lines"), b"b\na\n")
        for option in ("--count", "--type", "--pairs", "--seed"):
            self.refused("gen", "uniform", "-n", "3", option + "=", says=option)
        self.assertEqual(self.good("check", "-q", "--", self.file("--by=", b"a\n"), cwd=self.folder), b"")
        for option in ("-T", "--compress-program", "--random-source"):  # sort(1) takes them until it needs them
            self.assertEqual(self.good("sort", option, "", path), b"a\nb\n")

    def test_bench(self):
        table = self.good("bench", "-n", "2000", "--repeat", "2", "--json", self.path("r.json")).decode()
        for name in ("sortile", "std::sort", "qsort", "std::stable_sort"):
            self.assertIn(name, table)
        told = json.loads(self.content("r.json"))
        self.assertEqual((told["format"], told["suite"]), ("sortile-results 1", "command"))
        self.assertEqual([len(row["seconds"]) for row in told["rows"]], [2, 2, 2, 2])
        self.assertEqual([row["contender"] for row in told["rows"]].count("sortile"), 1)
        self.assertIn("cpu", told["environment"])
        for kind in ("u8", "i128", "f16", "bf16", "f64"):
            self.good("bench", "-n", "500", "--repeat", "1", "--type", kind)
        self.good("bench", "-n", "500", "--repeat", "1", "--type", "u64", "--pairs", "u64")
        self.assertIn(b"LC_ALL=C", self.good("bench", "-n", "500", "--repeat", "1", "--lines"))
        self.refused("bench", "-n", "0", says="nothing to measure")


if __name__ == "__main__":
    unittest.main()
