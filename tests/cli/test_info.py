"""`sortile info FILE`: how files would be understood, and by what they are in order; what it says is tried with `check`."""

import json
import shlex
import struct
import unittest

from harness import CommandTest, npy


class Info(CommandTest):
    def told(self, *arguments, **more):
        (one,) = json.loads(self.good("info", "--json", *arguments, **more))
        return one

    def holds(self, path, *options):
        """What is said of the order holds: `check` agrees."""
        told = self.told(path, *options)
        for order in told["sorted_by"]:
            given = [] if order.startswith(("--record", "--type")) else options
            self.good("check", "-q", path, *given, *shlex.split(order))
        return told

    def test_lines(self):
        told = self.holds(self.file("n.txt", b"1\n2\n10\n"))
        self.assertEqual((told["format"], told["records"], told["record"]), ("lines", 3, "line"))
        self.assertIn("-n", told["sorted_by"])
        self.assertIn("-V", told["sorted_by"])
        self.assertNotIn("", told["sorted_by"])
        self.assertEqual(self.holds(self.file("r.txt", b"b\na"))["sorted_by"], ["-r", "-fr", "-Vr"])
        self.assertEqual(self.told(self.path("r.txt"))["facts"]["last line"], "without a newline")
        self.assertEqual(self.told(self.file("x.txt", b"b\nc\na\n"))["sorted_by"], [])
        self.assertIn(b"in order by nothing that was tried", self.good("info", self.path("x.txt")))
        self.assertEqual(self.told(stdin=b"a\r\nb\r\n", *["-"])["facts"]["line ends"], "CR LF")

    def test_tables(self):
        told = self.holds(self.file("t.csv", b'name;size;when;none\nb;3;2024-02-29;\na;3;2024-02-28 10:00;\n"a,1";1.5;;\nz;;2023-01-01T00:00:00Z;\n'))
        self.assertEqual(told["facts"], {"separator": "semicolon", "header": "yes"})
        self.assertEqual([(c["name"], c["type"], c["empty"]) for c in told["columns"]], [("name", "text", 0), ("size", "number", 1), ("when", "time", 1), ("none", "empty", 4)])
        self.assertEqual(told["sorted_by"], ["--by size:desc,name:desc"])
        self.assertEqual(told["records"], 4)
        bad = self.told(self.file("bad.csv", b"a,b\n1,2\n3\n4,5\n"))
        self.assertEqual((bad["records"], bad["facts"]["bad rows"]), (3, "1"))
        plain = self.told(self.file("p.csv", b"3,x\n4,x\n"), "--no-header")
        self.assertEqual(([c["name"] for c in plain["columns"]], plain["sorted_by"]), (["1", "2"], ["--by 1"]))

    def test_random_tables(self):
        for _ in range(30):
            rows = [[self.random.choice("ab"), str(self.random.randrange(3)), self.random.choice(["2024-01-01", "2023-12-31", ""])] for _ in range(self.random.randrange(1, 6))]
            rows.sort(key=lambda row: row[self.random.randrange(3)])
            self.holds(self.file("t.csv", ("x,y:z,w\n" + "".join(",".join(row) + "\n" for row in rows)).encode()))

    def test_arrays(self):
        told = self.holds(self.file("a.npy", npy("[('k', '<u4'), ('s', '|S3'), ('t', [('when', '<M8[s]'), ('x', '<c8')])]", 2,
                                                 struct.pack("<I3sq8s", 1, b"b", 5, b"") + struct.pack("<I3sq8s", 2, b"a", 7, b""))))
        self.assertEqual([(c["name"], c["type"], c["order"]) for c in told["columns"]],
                         [("k", "<u4", "ascending"), ("s", "|S3", "descending"), ("t", "a nested record", ""), ("t.when", "<M8[s]", "ascending"), ("t.x", "<c8", "")])
        self.assertEqual(told["sorted_by"], ["--key k", "--key s -r", "--key t.when"])
        raw = self.holds(self.file("k.i16", struct.pack("<3h", 3, 1, -1)))
        self.assertEqual((raw["records"], raw["sorted_by"]), (3, ["--type i16 -r"]))
        self.assertEqual(self.told(self.file("r.dat", b"aabb"), "--record", "2")["records"], 2)
        self.assertIn(b"3 keys", self.good("info", self.path("k.i16")))


if __name__ == "__main__":
    unittest.main()
