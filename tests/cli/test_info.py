"""`sortile info FILE`: how files would be understood, and by what they are in order; what it says is tried with `check`."""

import json
import os
import shlex
import struct
import subprocess
import time
import unittest

from harness import CommandTest, npy, run


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

    def test_wide_tables(self):
        """In time that grows with the cells, not with the square of the columns."""
        names = ["c%d" % i for i in range(6000)]
        rows = [[str(row), str(9 - row), "x"] + [str(self.random.randrange(50)) for _ in names[3:]] for row in range(8)]
        for row in rows:
            row[40], row[41] = '"%s"' % "a\"\"b", '"%s,"' % row[0]
        path = self.file("w.csv", "".join(",".join(row) + "\n" for row in [names, *rows]).encode())
        told = self.holds(path)
        self.assertEqual([told["columns"][i]["order"] for i in (0, 1, 2, 40, 41)], ["ascending", "descending", "constant", "constant", "ascending"])
        self.assertEqual(told["sorted_by"], ["--by c0"])
        equal = self.file("e.csv", (",".join(["c%d" % i for i in range(15000)]) + "\n" + (",".join(["1"] * 15000) + "\n") * 20).encode())
        begin = time.monotonic()
        self.assertEqual(self.told(equal)["sorted_by"], [])
        self.assertLess(time.monotonic() - begin, 10)  # a quarter of a second; once for each column took a minute

    def test_random_tables(self):
        for _ in range(30):
            rows = [[self.random.choice("ab"), str(self.random.randrange(3)), self.random.choice(["2024-01-01", "2023-12-31", ""])] for _ in range(self.random.randrange(1, 6))]
            rows.sort(key=lambda row: row[self.random.randrange(3)])
            self.holds(self.file("t.csv", ("x,y:z,w\n" + "".join(",".join(row) + "\n" for row in rows)).encode()))

    def test_names_that_a_terminal_would_obey(self):
        """Control characters are written as in messages; what is told as JSON has them as they are."""
        table = self.file("t\x1b.csv", b"\x1b[31m,\xc2\x9b,a\n1,2,3\n2,1,4\n")
        array = self.file("n.npy", npy(r"[('\x1b[31m\n', '<u4'), ('\x9b', [('\x85', '<u4')])]", 2, struct.pack("<4I", 1, 5, 2, 4)))
        for options in ((table,), (array,)):
            shown = self.good("info", *options).decode()
            self.assertFalse([c for c in shown if ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160], shown)
            self.assertIn("  \\033[31m", shown)
        self.assertEqual(self.good("sort", table, "--types"), b"\\033[31m\tinteger\n\\302\\233\tinteger\na\tinteger\n")
        self.assertEqual(self.told(array)["columns"][0]["name"], "\x1b[31m\n")
        for path in (table, array):
            shown = self.good("info", path).decode()
            (line, *_) = [line for line in shown.splitlines() if line.startswith("in order by")]
            arguments = subprocess.run(["bash", "-c", f"printf '%s\\0' {line.split('sortile sort ')[1]}"], capture_output=True, check=True).stdout.split(b"\0")[:-1]
            self.good("check", "-q", path, *[os.fsdecode(argument) for argument in arguments])

    def test_columns_without_a_name(self):
        """As pandas writes the numbers of rows."""
        path = self.file("t.csv", b",a\n0,7\n1,7\n3,5\n")
        self.assertEqual(self.holds(path)["sorted_by"], ['--by \'""\''])
        self.assertEqual(self.good("sort", path, "--by", '"":desc'), b",a\n3,5\n1,7\n0,7\n")
        self.refused("sort", path, "--by", "b", says='(columns: "", a)')
        self.refused("sort", path, "--by", ":desc", says="a column name is missing")

    def test_arrays(self):
        told = self.holds(self.file("a.npy", npy("[('k', '<u4'), ('s', '|S3'), ('t', [('when', '<M8[s]'), ('x', '<c8')])]", 2,
                                                 struct.pack("<I3sq8s", 1, b"b", 5, b"") + struct.pack("<I3sq8s", 2, b"a", 7, b""))))
        self.assertEqual([(c["name"], c["type"], c["order"]) for c in told["columns"]],
                         [("k", "<u4", "ascending"), ("s", "|S3", "descending"), ("t", "[('when', '<M8[s]'), ('x', '<c8')]", ""), ("t.when", "<M8[s]", "ascending"), ("t.x", "<c8", "")])
        self.assertEqual(told["sorted_by"], ["--key k", "--key s -r", "--key t.when"])
        raw = self.holds(self.file("k.i16", struct.pack("<3h", 3, 1, -1)))
        self.assertEqual((raw["records"], raw["sorted_by"]), (3, ["--type i16 -r"]))
        self.assertEqual(self.told(self.file("r.dat", b"aabb"), "--record", "2")["records"], 2)
        self.assertIn(b"3 keys", self.good("info", self.path("k.i16")))

    def test_arrays_of_several_axes(self):
        def matrix(values, shape, fortran=False, dtype="'<i4'"):
            return self.file("m.npy", npy(dtype, 0, struct.pack(f"<{len(values)}i", *values), shape=shape, fortran=fortran))

        told = self.holds(matrix([1, 2, 2, 0, 5, 9], "(2, 3)"))
        self.assertEqual((told["record"], told["records"], told["bytes"]), ("key", 6, 128 + 24))
        self.assertEqual(told["facts"], {"dtype": "'<i4'", "element": "4 bytes", "shape": "(2, 3)", "layout": "C order"})
        self.assertEqual(told["columns"], [{"name": "", "type": "<i4", "empty": 0, "order": ""}])
        self.assertEqual(told["sorted_by"], ["--rows"])
        shown = self.good("info", self.path("m.npy"))
        self.assertIn(b"shape       (2, 3)\nlayout      C order\n", shown)
        self.assertIn(b"in order by sortile sort --rows\n", shown)
        told = self.holds(matrix([1, 2, 2, 0, 5, 9], "(3, 2)", fortran=True))  # 1 2 2 is the first column
        self.assertEqual((told["facts"]["layout"], told["sorted_by"]), ("Fortran order", ["--axis 0"]))
        self.assertEqual(self.holds(matrix([3, 9, 2, 9, 1, 9], "(3, 2)"))["sorted_by"], ["--rows", "--axis 0 -r"])
        self.assertEqual(self.holds(matrix([1, 0, 0, 1], "(2, 2)"))["sorted_by"], [])
        self.assertEqual(self.holds(matrix([7, 7], "(1, 2)"))["sorted_by"], ["--rows", "--rows -r", "--axis 0", "--axis 0 -r"])
        self.assertEqual(self.holds(matrix([], "(0, 3)"))["records"], 0)
        scalar = self.told(matrix([7], "()"))
        self.assertEqual((scalar["facts"]["shape"], scalar["sorted_by"]), ("()", []))
        pairs = self.holds(matrix([1, 3, 2, 1, 5, 5, 6, 4], "(2, 2)", dtype="[('a', '<i4'), ('b', '<i4')]"))
        self.assertEqual(pairs["sorted_by"], ["--rows --key a", "--axis 0 --key a", "--rows --key b -r", "--axis 0 --key b"])
        self.assertEqual(self.told(self.file("v.npy", npy("'|u1'", 2, b"ab")))["facts"]["shape"], "(2,)")

    def test_random_arrays_of_several_axes(self):
        for _ in range(30):
            shape = [self.random.randrange(1, 4) for _ in range(3)]
            values = bytes(self.random.randrange(2) for _ in range(shape[0] * shape[1] * shape[2]))
            path = self.file("a.npy", npy("'|u1'", 0, values, shape=tuple(shape), fortran=self.random.random() < 0.5))
            said = self.holds(path)["sorted_by"]
            for axis, option in enumerate(["--axis 0", "--axis 1", "--rows"]):
                for order in (option, option + " -r"):
                    self.assertEqual(run("check", "-q", path, *shlex.split(order))[0], 0 if order in said else 1, (shape, values, order))


if __name__ == "__main__":
    unittest.main()
