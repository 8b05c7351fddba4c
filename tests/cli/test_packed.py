"""gzip and zstd, in and out: by first bytes and by names, several members, damaged and cut files; against Python's gzip and the program zstd."""

import gzip
import os
import resource
import shutil
import subprocess
import unittest

from harness import SORTILE, CommandTest, npy, run

ZSTD = shutil.which("zstd")


def gz(content):
    return gzip.compress(content, mtime=0)  # the same bytes at any time of day


def zstd(content):
    return subprocess.run([ZSTD, "-q", "-c"], input=content, capture_output=True, check=True).stdout


def unzstd(content):
    return subprocess.run([ZSTD, "-q", "-d", "-c"], input=content, capture_output=True, check=True).stdout


PACKERS = {".gz": (gz, gzip.decompress), **({".zst": (zstd, unzstd)} if ZSTD else {})}


class Packed(CommandTest):
    def lines(self, n):
        return [b"%d %s" % (self.random.randrange(10**6), self.random.randbytes(5).hex().encode()) for _ in range(n)]

    def test_lines_tables_and_arrays(self):
        for ending, (pack, unpack) in PACKERS.items():
            for n in (0, 1, 3000, 60000):
                lines = self.lines(n)
                text, expected = b"".join(line + b"\n" for line in lines), b"".join(line + b"\n" for line in sorted(lines))
                path = self.file("log" + ending, pack(text))
                self.assertEqual(self.good("sort", path), expected)
                self.assertEqual(self.good("sort", stdin=pack(text)), expected)
                self.good("sort", path, "-o", self.path("out" + ending))
                self.assertEqual(unpack(self.content("out" + ending)), expected)
                self.good("check", self.path("out" + ending), "--permutation-of", path)
                self.assertEqual(self.good("merge", self.path("out" + ending), self.file("empty", b"")), expected)
                self.assertEqual(self.good("merge", "-", stdin=self.content("out" + ending)), expected)
            self.assertEqual(self.good("sort", self.file("t.csv" + ending, pack(b"a,b\n2,x\n10,y\n1,z\n")), "--by", "a"), b"a,b\n1,z\n2,x\n10,y\n")
            self.refused("sort", self.path("t.csv" + ending), "-k2", says=["t.csv" + ending, "--by"])
            array = npy("'<u2'", 3, b"\3\0\1\0\2\0")
            self.good("sort", self.file("a.npy" + ending, pack(array)), "-o", self.path("b.npy" + ending))
            self.assertEqual(unpack(self.content("b.npy" + ending)), npy("'<u2'", 3, b"\1\0\2\0\3\0"))
            self.assertEqual(self.good("sort", self.file("k.u16" + ending, pack(b"\3\0\1\0"))), b"\1\0\3\0")
            self.assertIn(b"packed by", self.good("info", self.path("t.csv" + ending)))

    def test_members_follow_each_other(self):
        for pack, _ in PACKERS.values():
            content = pack(b"c\nb") + pack(b"\n") + pack(b"") + pack(b"a\n")
            self.assertEqual(self.good("sort", self.file("x", content)), b"a\nb\nc\n")
        self.assertEqual(self.good("sort", stdin=gz(b"b\na\n") + bytes(300)), b"a\nb\n")  # padding
        both = [self.file("x.gz", gz(b"b\nd")), self.file("plain", b"c\na")]
        self.assertEqual(self.good("sort", *both), b"a\nb\nc\nd\n")
        self.assertEqual(self.good("sort", *reversed(both)), b"a\nb\nc\nd\n")

    @unittest.skipUnless(ZSTD, "the program zstd")
    def test_large_windows(self):
        """What zstd --long writes says how much memory it wants: up to 2 GiB, of which a short text takes little."""
        lines = self.lines(3000)
        text, expected = b"".join(line + b"\n" for line in lines), b"".join(line + b"\n" for line in sorted(lines))
        for window in ("27", "28", "31"):  # through a pipe, so that the window is not cut to the text
            packed = subprocess.run([ZSTD, "-q", "-c", "--long=" + window], input=text, capture_output=True, check=True).stdout
            self.assertEqual(self.good("sort", stdin=packed), expected, window)
            self.assertEqual(self.good("sort", self.file("x.zst", packed)), expected, window)
        little = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        if not os.environ.get("SORTILE_SANITIZED"):
            self.refused("sort", self.path("x.zst"), says="out of memory", preexec_fn=little)

    def test_damaged_and_cut(self):
        text = b"".join(line + b"\n" for line in self.lines(5000))
        for ending, (pack, _) in PACKERS.items():
            packed = pack(text)
            for size in (len(packed) - 1, len(packed) // 2, 11):
                path = self.file("cut" + ending, packed[:size])
                for command in ("sort", "check"):
                    self.refused(command, path, says=["cut" + ending, "cut off at offset"])
                self.refused("merge", path, "-o", self.path("o"), says=["cut" + ending])
            for at in (len(packed) // 2, len(packed) - 3):
                damaged = packed[:at] + bytes([packed[at] ^ 0x55]) + packed[at + 1:]
                self.refused("sort", self.file("bad" + ending, damaged), "-o", self.path("o"), says=["bad" + ending, "damaged"])
            self.refused("sort", self.file("more" + ending, packed + b"something else"), says=["more" + ending, "damaged", "offset %d" % len(packed)][:2])
            self.assertFalse(os.path.exists(self.path("o")))

    def test_cut_within_its_first_bytes(self):
        """A packed file, however short; of a single byte the name has to say so. An empty file holds nothing, whatever its name."""
        for ending, (pack, _) in PACKERS.items():
            packed = pack(b"b\na\n")
            for size in range(1, 9):
                path = self.file("cut" + ending, packed[:size])
                for command in (["sort"], ["check"], ["sort", self.file("a.txt", b"a\n")]):
                    self.refused(*command, path, says=["cut" + ending, f"cut off at offset {size}"])
                if size > 1:
                    self.refused("sort", stdin=packed[:size], says=["standard input", f"cut off at offset {size}"])
                self.assertEqual(self.good("sort", "--as-is", "--format", "lines", path), packed[:size] + b"\n")
            self.assertEqual(self.good("sort", stdin=packed[:1]), packed[:1] + b"\n")
            self.assertEqual(self.good("sort", self.file("empty" + ending, b"")), b"")
            self.assertEqual(self.good("sort", self.file("plain" + ending, b"b\na\n")), b"a\nb\n")

    def test_outputs_that_cannot_be_packed(self):
        for ending in (".xz", ".bz2", ".lz4", ".lzma", ".br", ".Z", ".zip", ".7z"):
            output = self.path("out.csv" + ending)
            for command in (["sort"], ["merge"]):
                self.refused(*command, "-o", output, stdin=b"a\n", says=[ending, ".gz", ".zst", "--as-is"])
                self.assertFalse(os.path.exists(output))
            self.refused("gen", "uniform", "-n", "3", "-o", output, says=[ending, ".gz"])
            self.good("sort", "-o", output, "--as-is", stdin=b"b\na\n")
            self.assertEqual(self.content("out.csv" + ending), b"a\nb\n")
            os.unlink(output)
            os.path.lexists(self.path("sort")) or os.symlink(os.path.abspath(shutil.which(SORTILE)), self.path("sort"))
            subprocess.run([self.path("sort"), "-o", output], input=b"b\na\n", check=True)
            self.assertEqual(self.content("out.csv" + ending), b"a\nb\n")

    def test_as_is(self):
        packed = gz(b"b\na\n")
        path = self.file("x.gz", packed)
        self.refused("sort", path, "--as-is", says=["x.gz", "gzip"])
        self.assertEqual(sorted(self.good("sort", path, "--as-is", "--format", "lines").rstrip(b"\n").split(b"\n")), sorted(packed.rstrip(b"\n").split(b"\n")))
        self.good("sort", "-o", self.path("y.gz"), "--as-is", stdin=b"b\na\n")
        self.assertEqual(self.content("y.gz"), b"a\nb\n")
        os.symlink(os.path.abspath(shutil.which(SORTILE)), self.path("sort"))  # called so, bytes are bytes
        done = subprocess.run([self.path("sort"), "-o", self.path("z.gz"), self.path("y.gz")], capture_output=True, check=False)
        self.assertEqual((done.returncode, self.content("z.gz")), (0, b"a\nb\n"))
        self.assertEqual(subprocess.run([self.path("sort"), path], capture_output=True, check=False).stdout,
                         subprocess.run(["sort", path], capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"}).stdout)

    def test_gen(self):
        self.good("gen", "uniform", "-n", "1000", "--type", "u32", "-o", self.path("k.u32.gz"))
        self.assertEqual(gzip.decompress(self.content("k.u32.gz")), self.good("gen", "uniform", "-n", "1000", "--type", "u32"))


if __name__ == "__main__":
    unittest.main()
