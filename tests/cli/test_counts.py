"""`sortile sort --unique --count`: how often each line, row, record and key occurs."""

import struct
import subprocess
import unittest

from harness import CommandTest, gnu_sort, npy, run


class Counts(CommandTest):
    def test_lines_as_uniq_has_them(self):
        words = [b"%d" % self.random.randrange(300) for _ in range(40000)] + [b"", b"x" * 300, b"a\r"]
        for options, end in (([], b"\n"), (["-r"], b"\n"), (["-z"], b"\0")):
            text = end.join(self.random.sample(words, len(words)))
            expected = subprocess.run(["uniq", "-c", *(["-z"] if end == b"\0" else [])], input=gnu_sort(*options, stdin=text)[1],
                                      capture_output=True, check=True).stdout
            self.assertEqual(self.good("sort", "-u", "--count", *options, stdin=text), expected)

    def test_lines_by_their_keys(self):
        text = b"b 10\na 1\nB 3\nb 10\na 01\n"
        self.assertEqual(self.good("sort", "-u", "--count", "-k2,2n", stdin=text), b"      2 a 1\n      1 B 3\n      2 b 10\n")
        self.assertEqual(self.good("sort", "-u", "--count", "-fk1,1", stdin=text), b"      2 a 1\n      3 b 10\n")
        self.assertEqual(self.good("sort", "-u", "--count", stdin=b""), b"")
        self.assertEqual(self.good("sort", "-u", "--count", stdin=b"\n" * 10000000), b"10000000 \n")

    def test_tables_get_a_column(self):
        self.assertEqual(self.good("sort", "-u", "--count", "--by", "n:desc", stdin=b"n,t\n1,a\n2,b\n1.0,c\n"), b"n,t,count\n2,b,1\n1,a,2\n")
        self.assertEqual(self.good("sort", "-u", "--count", "--comment", "#", "--by", "n", stdin=b"# c\r\nn;t\r\n1;a\r\n1;b"), b"# c\r\nn;t;count\r\n1;a;2\r\n")
        self.assertEqual(self.good("sort", "-u", "--count", "--no-header", "--by", "1", stdin=b'"x\ny",1\n"x\ny",2\n'), b'"x\ny",1,2\n')
        self.assertEqual(self.good("sort", "-u", "--count", "--by", "n", "--bad-rows=last", stdin=b"n,t\n1,a\noops\n1,c\n"), b"n,t,count\n1,a,2\noops\n")
        self.refused("sort", "-u", "--count", "--by", "count", self.file("t.csv", b"count\n1\n"), says=["t.csv", "column 'count' already"])

    def test_plain_records_count_into_a_file(self):
        file = self.file("r", b"ab1cd1ab2")
        self.assertEqual(self.good("sort", "-u", "--count", "--record", "3", "--key", "0:2", "--values-output", self.path("n"), file), b"ab1cd1")
        self.assertEqual(self.content("n"), struct.pack("<2Q", 2, 1))
        self.refused("sort", "-u", "--count", "--record", "3", file, says=["--count", "--values-output FILE"])

    def test_arrays(self):
        keys = self.file("k.npy", npy("'>u4'", 6, struct.pack(">6I", 3, 1, 3, 2, 1, 3)))
        self.good("sort", "-u", keys, "-o", self.path("u.npy"))
        self.assertEqual(self.content("u.npy"), npy("'>u4'", 3, struct.pack(">3I", 1, 2, 3)))
        self.good("sort", "-u", "-r", "--count", keys, "-o", self.path("c.npy"))
        self.assertEqual(self.content("c.npy"), npy("[('key', '>u4'), ('count', '<u8')]", 3, b"".join(struct.pack(">I", k) + struct.pack("<Q", n) for k, n in ((3, 3), (2, 1), (1, 2)))))
        self.good("sort", "-u", "--count", keys, "-o", self.path("d.npy"), "--values-output", self.path("n.npy"))
        self.assertEqual(self.content("d.npy"), self.content("u.npy"))
        self.assertEqual(self.content("n.npy"), npy("'<u8'", 3, struct.pack("<3Q", 2, 1, 3)))
        empty = self.file("e.npy", npy("'<f4'", 0, b""))
        self.good("sort", "-u", "--count", empty, "-o", self.path("f.npy"))
        self.assertEqual(self.content("f.npy"), npy("[('key', '<f4'), ('count', '<u8')]", 0, b""))

    def test_floats_that_are_equal(self):
        keys = self.file("k.f64", struct.pack("<5d", 0.0, float("nan"), -0.0, 1.0, float("nan")))
        self.good("sort", "-u", "--count", keys, "-o", self.path("u.f64"), "--values-output", self.path("n.u64"))
        self.assertEqual(struct.unpack("<3Q", self.content("n.u64")), (2, 1, 2))
        self.assertEqual(struct.unpack("<2d", self.content("u.f64")[:16]), (0.0, 1.0))

    def test_records_of_a_dtype(self):
        rows = [(1, 2.5), (0, 3.5), (1, 4.5)]
        file = self.file("s.npy", npy("[('a', '<u4'), ('b', '<f8')]", 3, b"".join(struct.pack("<Id", *row) for row in rows)))
        self.good("sort", "-u", "--count", file, "-o", self.path("c.npy"))
        self.assertEqual(self.content("c.npy"), npy("[('a', '<u4'), ('b', '<f8'), ('count', '<u8')]", 2, struct.pack("<IdQIdQ", 0, 3.5, 1, 1, 2.5, 2)))
        self.good("sort", "-u", file, "--key", "b:desc", "-o", self.path("b.npy"))
        self.assertEqual(self.content("b.npy"), npy("[('a', '<u4'), ('b', '<f8')]", 3, struct.pack("<IdIdId", 1, 4.5, 0, 3.5, 1, 2.5)))
        text = self.file("t.npy", npy("'|S2'", 3, b"b\0a\0b\0"))
        self.good("sort", "-u", "--count", text, "-o", self.path("d.npy"))
        self.assertEqual(self.content("d.npy"), npy("[('key', '|S2'), ('count', '<u8')]", 2, b"a\0" + struct.pack("<Q", 1) + b"b\0" + struct.pack("<Q", 2)))
        self.refused("sort", "-u", "--count", self.file("c1.npy", npy("[('count', '<u4')]", 0, b"")), says="field 'count' already")

    def test_refusals(self):
        lines, keys = self.file("l", b"a\n"), self.file("k.u32", b"\0" * 8)
        for arguments, says in ((["--count", lines], "--count goes with -u"), (["-u", "--count", "-c", lines], "--count does not go with -c"),
                                (["-u", "--count", "-m", lines], "--count does not go with -m"), (["-u", "--count", keys], "--values-output FILE"),
                                (["-u", keys, "--quantiles", "0.5"], "-u"), (["-u", "-n", "--type", "u32", keys], "-n goes with text"),
                                (["-u", "--count", lines, "--values-output", "x"], "go with arrays"), (["-u", keys, "-o", "a.u32", "--values-output", "b.u64"], "--values-output"),
                                (["-u", "--count", keys, "-o", self.path("same"), "--values-output", self.path("same")], "same file")):
            self.refused("sort", *arguments, says=says)
        status, out, err = run("sort", "-u", "--count", "--debug", lines)
        self.assertEqual((status, out, err.splitlines()[-1]), (2, b"", b"sortile sort: --count does not go with --debug"))
        self.nothing_left("l", "k.u32")


if __name__ == "__main__":
    unittest.main()
