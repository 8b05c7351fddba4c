"""When an output is there to stay: on the disk before it is renamed, both of two or none, and never two in one file."""

import errno
import os
import shutil
import struct
import subprocess
import unittest

from harness import SORTILE, CommandTest, run

KEYS = struct.pack("<4I", 3, 1, 2, 0)
SORTED_KEYS = struct.pack("<4I", 0, 1, 2, 3)
VALUES = b"dbca"  # of 3, 1, 2, 0
SORTED_VALUES = b"abcd"


def calls_library(folder):
    """tests/cli/calls.c as a library to be loaded in front of the C library."""
    path = os.path.join(folder, "calls.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", path, source, "-ldl"], check=True)
    return path


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
@unittest.skipIf(os.environ.get("SORTILE_SANITIZED"), "a sanitizer wants to be the first library")
class Calls(CommandTest):
    """The calls to the system, in their order, and what is left where one of them fails."""

    def setUp(self):
        super().setUp()
        self.library = calls_library(self.folder)
        self.keys = self.file("keys.u32", KEYS)
        self.values = self.file("values.u8", VALUES)

    def watched(self, *arguments, fail=""):
        """Runs the command; gives the status, what it said, and its calls."""
        log = self.path("log")
        if os.path.exists(log):
            os.unlink(log)
        status, _, err = run(*arguments, env={"LD_PRELOAD": self.library, "CALLS_LOG": log, "CALLS_FAIL": fail}, stdin=b"b\na\n")
        with open(log, encoding="ascii") as file:
            return status, err, file.read().split("\n")[:-1]

    def pair(self):
        return ["sort", self.keys, "--values", self.values, "--values-type", "u8", "-o", self.path("k"), "--values-output", self.path("v")]

    def contents(self):
        return tuple(self.content(name) if os.path.exists(self.path(name)) else None for name in "kv")

    def no_temporaries(self):
        self.assertEqual([name for name in os.listdir(self.folder) if ".sortile-" in name], [])

    def test_no_memory(self):
        """From the first allocation of the program on: an error in one line, and what was there before."""
        self.file("k", b"old")
        refused = 0
        for which in range(1, 40):
            status, _, err = run("sort", "--threads", "1", self.keys, "-o", self.path("k"), "--type", "u32", "--format", "raw", env={"LD_PRELOAD": self.library, "CALLS_FAIL": "malloc:%d:12" % which})
            self.assertIn((status, err.count(b"\n")), ((0, 0), (2, 1)), (which, err))
            refused += status == 2
            self.assertEqual(self.content("k"), b"old" if status == 2 else SORTED_KEYS)
            self.file("k", b"old")
            self.no_temporaries()
        self.assertGreater(refused, 5)

    def test_synced_before_and_after_the_rename(self):
        expected = ["fsync file", "rename", "fsync folder"]
        merged = self.file("m", b"a\n")
        for command in (["sort"], ["merge", merged], ["gen", "uniform", "-n", "9"], ["sort", self.keys]):
            for _ in range(2):  # the target is new, then not
                self.assertEqual(self.watched(*command, "-o", self.path("out")), (0, b"", expected), command)
            self.assertEqual(self.watched(*command, "--no-sync", "-o", self.path("out")), (0, b"", ["rename"]), command)
        self.assertEqual(os.path.exists(self.path("log")), True)

    def test_two_outputs(self):
        for old in (None, b"old"):
            for name in "kv":
                if old is not None:
                    self.file(name, old)
            status, err, calls = self.watched(*self.pair())
            self.assertEqual((status, err), (0, b""))
            self.assertEqual(calls[:2], ["fsync file"] * 2)
            self.assertNotIn("fsync file", calls[2:])
            self.assertEqual(calls[-2:], ["fsync folder"] * 2)
            self.assertEqual(self.contents(), (SORTED_KEYS, SORTED_VALUES))
            self.no_temporaries()

    def test_a_disk_that_fails_either_output(self):
        for which in (1, 2):
            self.file("k", b"old keys")
            self.file("v", b"old values")
            status, err, calls = self.watched(*self.pair(), fail="fsync file:%d:%d" % (which, errno.EIO))
            self.assertEqual((status, self.contents()), (2, (b"old keys", b"old values")))
            self.assertIn(b"/%s: cannot write to the disk" % b" kv"[which:which + 1], err)
            self.assertNotIn("exchange", calls)
            self.no_temporaries()

    def test_second_rename_fails(self):
        # Old targets are exchanged (a rename where that fails), fresh ones renamed.
        for old in ((b"old keys", b"old values"), (b"old keys", None), (None, b"old values"), (None, None)):
            for name, content in zip("kv", old):
                if os.path.exists(self.path(name)):
                    os.unlink(self.path(name))
                if content is not None:
                    self.file(name, content)
            fail = {(True, True): "exchange:2:%d,rename:1:%d", (True, False): "exchange:9:%d,rename:1:%d",
                    (False, True): "exchange:1:%d,rename:2:%d", (False, False): "exchange:9:%d,rename:2:%d"}
            status, err, _ = self.watched(*self.pair(), fail=fail[old[0] is not None, old[1] is not None] % (errno.EIO, errno.EIO))
            self.assertEqual((status, self.contents()), (2, old))
            self.assertIn(b"/v: cannot rename", err)
            self.assertNotIn(b"already", err)
            self.no_temporaries()

    def test_says_which_is_new_where_it_cannot_go_back(self):
        no_exchange = "exchange:0:%d" % errno.EINVAL  # a file system that cannot exchange: plain renames
        self.file("k", b"old keys")
        status, err, _ = self.watched(*self.pair(), fail=no_exchange)
        self.assertEqual((status, err, self.contents()), (0, b"", (SORTED_KEYS, SORTED_VALUES)))
        self.file("k", b"old keys")
        self.file("v", b"old values")
        status, err, _ = self.watched(*self.pair(), fail=no_exchange + ",rename:2:%d" % errno.EIO)
        self.assertEqual((status, self.contents()), (2, (SORTED_KEYS, b"old values")))
        self.assertIn(b"k has its new contents already", err)
        self.no_temporaries()

    def test_a_disk_that_fails(self):
        self.file("out", b"as it was")
        for command in (["sort"], ["gen", "uniform", "-n", "9"]):
            status, err, calls = self.watched(*command, "-o", self.path("out"), fail="fsync file:1:%d" % errno.EIO)
            self.assertEqual((status, self.content("out"), calls), (2, b"as it was", ["fsync file", "unlink"]))
            self.assertIn(b"cannot write to the disk: Input/output error", err)
        # A file system that has no fsync is no failure.
        self.assertEqual(self.watched("sort", "-o", self.path("out"), fail="fsync file:1:%d" % errno.EINVAL)[:2], (0, b""))


class TwoOutputs(CommandTest):
    def setUp(self):
        super().setUp()
        self.keys = self.file("keys.u32", KEYS)
        self.values = self.file("values.u8", VALUES)

    def pair(self, keys_to, values_to):
        return ["sort", self.keys, "--values", self.values, "--values-type", "u8", "-o", keys_to, "--values-output", values_to]

    def test_never_in_one_file(self):
        target = self.file("x", b"as it was")
        os.symlink("x", self.path("link"))
        os.mkdir(self.path("folder"))
        os.symlink("..", self.path("folder/up"))
        for other in (target, self.path("link"), self.path("folder/../x"), self.path("folder/up/x")):
            for pair in ((target, other), (other, target)):
                self.refused(*self.pair(*pair), says="lead to the same file")
        for other in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            self.refused(*self.pair("-", other), says="lead to the same file")
        self.refused(*self.pair(self.path("fresh"), self.path("folder/../fresh")), says="lead to the same file")
        self.assertEqual(self.content("x"), b"as it was")
        self.nothing_left("x", "link", "folder", "keys.u32", "values.u8")

    def test_standard_output_in_the_other_target(self):
        for pair in ((self.path("x"), "-"), ("-", self.path("x")), (self.path("x"), "/dev/stdout")):
            with open(self.path("x"), "wb") as shell:
                done = subprocess.run([SORTILE, *self.pair(*pair)], stdout=shell, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, self.content("x")), (2, b""))
            self.assertIn(b"lead to the same file", done.stderr)

    def test_two_names_of_one_old_file(self):
        self.file("x", b"old")
        os.link(self.path("x"), self.path("y"))
        self.good(*self.pair(self.path("x"), self.path("y")))
        self.assertEqual((self.content("x"), self.content("y")), (SORTED_KEYS, SORTED_VALUES))

    def test_outputs_onto_inputs(self):
        self.good(*self.pair(self.values, self.keys), "--format", "raw", "--type", "u32")
        self.assertEqual((self.content("values.u8"), self.content("keys.u32")), (SORTED_KEYS, SORTED_VALUES))
        self.good("sort", self.values, "--format", "raw", "--type", "u32", "--values", self.keys, "--values-type", "u8", "-o", "/dev/null",
                  "--values-output", "/dev/null")


if __name__ == "__main__":
    unittest.main()
