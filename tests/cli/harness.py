"""What the tests of the command share: running it, temporary folders, .npy files made without numpy."""

import os
import random
import struct
import subprocess
import tempfile
import unittest

SORTILE = os.environ.get("SORTILE", "sortile")
SEED = int(os.environ.get("SORTILE_TEST_SEED", "20240229"))


def run(*arguments, stdin=b"", env=None, **more):
    """Runs sortile; gives (exit status, standard output, standard error), the two as bytes."""
    done = subprocess.run([SORTILE, *map(str, arguments)], input=stdin, capture_output=True,
                          env={**os.environ, "SORTILE_ENGINE": "", **(env or {})}, timeout=120, **more)
    return done.returncode, done.stdout, done.stderr


def gnu_sort(*arguments, stdin=b""):
    done = subprocess.run(["sort", *map(str, arguments)], input=stdin, capture_output=True,
                          env={**os.environ, "LC_ALL": "C"}, timeout=120)
    return done.returncode, done.stdout, done.stderr


class CommandTest(unittest.TestCase):
    """A test with a temporary folder of its own; whatever it leaves there besides the named files is a failure."""

    def setUp(self):
        self.random = random.Random(SEED)
        folder = tempfile.TemporaryDirectory(prefix="sortile-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, content=None):
        """Writes a file (where there is content) and gives its path."""
        path = self.path(name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def good(self, *arguments, **more):
        """Runs sortile, which must succeed and say nothing; gives standard output."""
        status, out, err = run(*arguments, **more)
        self.assertEqual((status, err), (0, b""), arguments)
        return out

    def refused(self, *arguments, says, status=2, **more):
        """Runs sortile, which must fail with one line that holds every text in `says`."""
        got, out, err = run(*arguments, **more)
        self.assertEqual(got, status, (arguments, err))
        if not (arguments[:1] == ("check",) and status == 1 and out.startswith((b"records: ", b"file: "))):  # facts, which check prints first
            self.assertEqual(out, b"", arguments)
        self.assertEqual(err.count(b"\n"), 1, err)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text.encode(), err, arguments)
        return err

    def nothing_left(self, *names):
        """The folder holds these files and no temporary ones."""
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))


def npy(descr, count, data, version=1, shape=None, fortran=False):
    """A .npy file; `descr` as Python source."""
    text = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape if shape is not None else "(%d,)" % count)
    length = 2 if version == 1 else 4
    before = 8 + length
    text += " " * (-(before + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text.encode() + data
