"""Arrays: .npy of every dtype and byte order, records, raw arrays, values in a second file; and broken ones."""

import bz2
import itertools
import lzma
import math
import os
import struct
import subprocess
import unittest
import zlib

from harness import SORTILE, CommandTest, gnu_sort, npy, run

INTEGERS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}
FLOATS = {"f2": "e", "f4": "f", "f8": "d"}


def order_key(value):
    """NaN last, -0 equal to +0."""
    return (math.isnan(value), 0 if math.isnan(value) else value)


class Arrays(CommandTest):
    def values(self, dtype, n):
        r = self.random
        if dtype in FLOATS:
            special = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0]
            return [r.choice(special) if r.random() < 0.2 else round(r.uniform(-1000, 1000)) / 8 for _ in range(n)]
        bits = 8 * int(dtype[1])
        return [r.randrange(-(1 << (bits - 1)), 1 << (bits - 1)) if dtype[0] == "i" else r.randrange(1 << bits) for _ in range(n)]

    def test_every_dtype_order_and_version(self):
        for dtype, letter in {**INTEGERS, **FLOATS}.items():
            for order in "<>" if dtype[1] != "1" else "|":
                for version in (1, 2, 3):
                    values = self.values(dtype, self.random.choice([0, 1, 2, 3000]))
                    code = ("<" if order == "|" else order) + str(len(values)) + letter
                    made = npy("'%s%s'" % (order, dtype), len(values), struct.pack(code, *values), version)
                    path = self.file("a.npy", made)
                    expected = npy("'%s%s'" % (order, dtype), len(values), struct.pack(code, *sorted(values, key=order_key)), version)
                    self.assertEqual(self.good("sort", path, "-o", self.path("b.npy")), b"")
                    self.assertEqual(self.content("b.npy"), expected, (dtype, order, version))
                    self.good("check", self.path("b.npy"), "--permutation-of", path)
                    down = npy("'%s%s'" % (order, dtype), len(values), struct.pack(code, *sorted(values, key=order_key, reverse=True)), version)
                    # Python's reverse sort keeps the order of equals, as ours does
                    self.good("sort", "-r", path, "-o", self.path("b.npy"))
                    self.assertEqual(self.content("b.npy"), down, (dtype, order, version))
                    self.good("check", "--order", "desc", self.path("b.npy"))

    def test_rows_and_axes(self):
        for dtype, letter in {"<u4": "I", ">i2": "h", "<f8": "d"}.items():
            for shape in ((5, 7), (1, 40), (40, 1), (3, 4, 5), (0, 3), (3, 0), (6,)):
                for fortran in (False, True):
                    count = math.prod(shape)
                    values = self.values("u1", count)
                    order = dtype[0]
                    body = lambda v: struct.pack(order + str(count) + letter, *v)
                    head = dict(shape=str(tuple(shape)), fortran=fortran)
                    path = self.file("a.npy", npy("'%s'" % dtype, count, body(values), **head))
                    for axis in range(-len(shape), len(shape)):
                        # elements that differ in the axis's place alone are a lane
                        sides = list(reversed(shape)) if fortran else list(shape)
                        place = axis % len(shape)
                        place = len(shape) - 1 - place if fortran else place
                        behind = math.prod(sides[place + 1:])
                        expected = list(values)
                        for first in range(0, count):
                            if (first // behind) % sides[place] == 0:
                                lane = slice(first, first + behind * (sides[place] - 1) + 1, behind)
                                expected[lane] = sorted(expected[lane])
                        self.good("sort", "--axis", str(axis), path, "-o", self.path("b.npy"))
                        self.assertEqual(self.content("b.npy"), npy("'%s'" % dtype, count, body(expected), **head), (shape, axis, fortran))
                        if axis == -1:
                            self.good("sort", "--rows", path, "-o", self.path("c.npy"))
                            self.assertEqual(self.content("c.npy"), self.content("b.npy"))

    def test_rows_and_axes_of_dates_texts_and_records(self):
        """Elements that are no keys of the library, along an axis: as one line after the other would be sorted."""
        draw = self.random
        nat = -(1 << 63)
        kinds = {"'<M8[s]'": (8, lambda: struct.pack("<q", draw.choice([nat, -5, 0, 7, 10**9])), lambda b: (struct.unpack("<q", b)[0] == nat, struct.unpack("<q", b)[0])),
                 "'>m8[D]'": (8, lambda: struct.pack(">q", draw.choice([nat, -5, 0, 7, 10**9])), lambda b: (struct.unpack(">q", b)[0] == nat, struct.unpack(">q", b)[0])),
                 "'|S3'": (3, lambda: draw.choice([b"a", b"ab", b"b", b"", b"\xffz"]).ljust(3, b"\0"), lambda b: b),
                 "'<U2'": (8, lambda: draw.choice(["a", "ab", "\u00e9", "\U0001f600", ""]).encode("utf-32-le").ljust(8, b"\0"), lambda b: b.decode("utf-32-le").rstrip("\0")),
                 "[('n', '<i2'), ('s', '|S1')]": (3, lambda: struct.pack("<hc", draw.randrange(-3, 3), draw.choice([b"x", b"y"])), lambda b: struct.unpack("<h", b[:2])[0])}
        for descr, (size, one, key) in kinds.items():
            for shape in ((5, 7), (1, 40), (40, 1), (3, 4, 5), (0, 3), (6,)):
                for fortran in (False, True):
                    count = math.prod(shape)
                    elements = [one() for _ in range(count)]
                    head = dict(shape=str(tuple(shape)), fortran=fortran)
                    path = self.file("a.npy", npy(descr, count, b"".join(elements), **head))
                    for axis in range(-len(shape), len(shape)):
                        sides = list(reversed(shape)) if fortran else list(shape)
                        place = axis % len(shape)
                        place = len(shape) - 1 - place if fortran else place
                        behind = math.prod(sides[place + 1:])
                        expected = list(elements)
                        for first in range(count):
                            if (first // behind) % sides[place] == 0:
                                lane = slice(first, first + behind * (sides[place] - 1) + 1, behind)
                                expected[lane] = sorted(expected[lane], key=key)
                        self.good("sort", "--axis", str(axis), path, "-o", self.path("b.npy"))
                        self.assertEqual(self.content("b.npy"), npy(descr, count, b"".join(expected), **head), (descr, shape, axis, fortran))
        path = self.file("a.npy", npy("[('n', '<i2'), ('s', '|S1')]", 4, b"".join(struct.pack("<hc", *row) for row in ((1, b"y"), (2, b"x"), (0, b"b"), (0, b"a"))), shape="(2, 2)"))
        self.good("sort", "--rows", "--key", "s", path, "-o", self.path("b.npy"))
        self.assertEqual(self.content("b.npy")[-12:], b"".join(struct.pack("<hc", *row) for row in ((2, b"x"), (1, b"y"), (0, b"a"), (0, b"b"))))
        self.good("sort", "--rows", "--key", "n:desc", "--key", "s", path, "-o", self.path("b.npy"))
        self.assertEqual(self.content("b.npy")[-12:], b"".join(struct.pack("<hc", *row) for row in ((2, b"x"), (1, b"y"), (0, b"a"), (0, b"b"))))
        self.assertIn(b"2 lines of 2 elements each", self.good("sort", "--explain", "--rows", path))
        self.refused("sort", "--axis", "2", path, "-o", self.path("o.npy"), says="--axis 2")
        self.refused("sort", "--rows", "--bits", "0:8", path, "-o", self.path("o.npy"), says="--bits does not go")
        self.refused("sort", "--rows", "--key", "q", path, "-o", self.path("o.npy"), says="'q'")

    def test_checks_along_an_axis(self):
        """In order along an axis is what a sort along it leaves; the first element that is not is named by its index."""
        kinds = {"'<u4'": lambda v: struct.pack("<I", v), "'>i2'": lambda v: struct.pack(">h", v - 3), "'|S2'": lambda v: b"%d" % v + b"\0", "[('n', '<i2'), ('s', '|S1')]": lambda v: struct.pack("<hc", v, b"x")}
        for descr, (shape, axis, fortran) in itertools.product(kinds, (((5, 7), 1, False), ((5, 7), 0, False), ((5, 7), 0, True), ((3, 4, 5), 1, False), ((3, 4, 5), 1, True), ((0, 3), 0, False), ((40, 1), 1, True))):
            count = math.prod(shape)
            one = kinds[descr]
            head = dict(shape=str(shape), fortran=fortran)
            mixed = self.file("a.npy", npy(descr, count, b"".join(one(self.random.randrange(9)) for _ in range(count)), **head))
            self.good("sort", "--axis", axis, mixed, "-o", self.path("b.npy"))
            out = self.good("check", "--axis", axis, self.path("b.npy"), "--permutation-of", mixed)
            self.assertTrue(out.startswith(b"records: %d\n" % count), out)
            self.good("sort", "-c", "--axis", axis, self.path("b.npy"))
            # All equal but one, which is out of order unless it is the first of its line.
            for place in range(count):
                index, rest = [], place
                for length in (shape if fortran else shape[::-1]):
                    index.append(rest % length)
                    rest //= length
                index = index if fortran else index[::-1]
                path = self.file("c.npy", npy(descr, count, b"".join(one(1 if i == place else 2) for i in range(count)), **head))
                if index[axis] == 0:
                    self.good("check", "-q", "--axis", axis, path)
                elif place % 2 == 0:
                    self.refused("sort", "-c", "--axis", axis, path, status=1, says="element [%s] is out of order along axis %d: its key is smaller" % (", ".join(map(str, index)), axis))
                else:
                    self.assertEqual(run("check", "-q", "--axis", axis, path), (1, b"", b""))
        rows = self.file("rows.npy", npy("'<u2'", 6, struct.pack("<6H", 1, 2, 2, 0, 5, 9), shape="(2, 3)"))
        self.good("check", "--rows", rows)
        self.refused("check", "-u", "--rows", rows, status=1, says=["element [0, 2] is out of order along axis -1", "equal to"])
        self.refused("check", "--axis", "0", rows, status=1, says="element [1, 0] is out of order along axis 0")
        self.refused("check", "-r", "--rows", rows, status=1, says="element [0, 1]")
        # The same numbers, but not in each row.
        other = self.file("other.npy", npy("'<u2'", 6, struct.pack("<6H", 1, 2, 0, 2, 5, 9), shape="(2, 3)"))
        self.refused("check", "--rows", rows, "--permutation-of", other, status=1, says="no permutation")
        self.refused("check", "--rows", rows, "--permutation-of", self.file("d.npy", npy("'<u2'", 6, bytes(12), shape="(3, 2)")), status=1, says="its shape is another")
        self.refused("check", "--rows", rows, "--permutation-of", self.file("d.npy", npy("'<i2'", 6, bytes(12), shape="(2, 3)")), status=1, says="another type")

    def test_what_is_out_of_order_is_shown_as_numbers(self):
        for dtype, keys, says in (("<i8", struct.pack("<2q", 3, -7), "key 1 is out of order: -7 follows 3"), (">u2", struct.pack(">2H", 513, 2), "2 follows 513"),
                                  ("<f8", struct.pack("<2d", 0.1, -1e300), "-1e+300 follows 0.1"), ("|u1", b"\x41\x07", "7 follows 65"), ("<f2", struct.pack("<2e", 1.5, 0.25), "0.25 follows 1.5")):
            self.refused("check", self.file("k.npy", npy(repr(dtype), 2, keys)), status=1, says=says)

    def test_axes_that_are_refused(self):
        matrix = self.file("m.npy", npy("'<u4'", 6, bytes(24), shape="(2, 3)"))
        self.refused("sort", matrix, "-o", self.path("o.npy"), says="--rows and --axis")
        self.refused("sort", "--axis", "2", matrix, "-o", self.path("o.npy"), says="--axis 2")
        for axis in ("x", "1x", "1.0", "99999999999999999999", "--"):
            self.refused("sort", "--axis=" + axis, matrix, "-o", self.path("o.npy"), says=["--axis " + axis, "0 for the first"])
        self.refused("sort", "--axis", "0", "--rows", matrix, "-o", self.path("o.npy"), says="contradict")
        self.refused("sort", "--rows", self.file("k.u32", bytes(24)), "-o", self.path("o.u32"), says="--rows goes with .npy")
        self.refused("sort", "--rows", self.file("k.txt", b"b\na\n"), says="--rows goes with .npy")
        for along in (["--rows"], ["--axis", "0"]):
            self.refused("sort", *along, "--type", "u8", matrix, "-o", self.path("o.npy"), says="--type goes with raw")
        self.refused("sort", "--rows", "-m", matrix, says="--rows does not go with -m")
        self.refused("check", "--rows", "--axis", "0", matrix, says="contradict")
        self.refused("check", "--axis", "-3", matrix, says=["--axis -3", "2 axes"])
        self.refused("sort", "--axis", "1", self.file("one.npy", npy("'<u4'", 2, bytes(8))), says=["1 axis (", "-1 to 0"])
        for along in ("--rows", "--axis=0"):
            self.refused("sort", along, self.file("none.npy", npy("'<u4'", 1, bytes(4), shape="()")), says=["none.npy", "no axis", "shape ()"])
        self.refused("check", "--rows", self.file("k.u32", bytes(24)), says="--rows goes with .npy")
        self.refused("check", "--rows", self.file("k.txt", b"b\na\n"), says="--rows goes with .npy")
        self.refused("check", "--rows", "-n", matrix, says="-n goes with text")
        self.refused("check", matrix, says="--rows and --axis")
        self.assertIn(b"transpose", self.good("sort", "--explain", "--axis", "0", matrix))

    def test_top(self):
        values = self.values("f4", 20000)
        path = self.file("a.npy", npy("'<f4'", len(values), struct.pack("<20000f", *values)))
        for k in (0, 1, 77, 19999, 20000, 30000):
            for reverse in (False, True):
                kept = sorted(values, key=order_key, reverse=reverse)[:k]
                self.good("sort", path, "--top", k, *(["-r"] if reverse else []), "-o", self.path("t.npy"))
                self.assertEqual(self.content("t.npy"), npy("'<f4'", len(kept), struct.pack("<%df" % len(kept), *kept)), (k, reverse))
        raw = self.file("a.u32", struct.pack("<5I", 9, 2, 7, 2, 1))
        self.assertEqual(self.good("sort", raw, "--top", "3"), struct.pack("<3I", 1, 2, 2))
        self.assertEqual(self.good("sort", raw, "--top", "3K"), self.good("sort", raw, "--top", "3k"))
        self.assertIn(b"the first 5", self.good("sort", path, "--top", "5", "--explain"))
        self.refused("sort", path, "--top", "x", "-o", self.path("t.npy"), says=["--top"])
        self.assertEqual(self.good("sort", raw, "-u", "--top", "2"), struct.pack("<2I", 1, 2))
        text = self.file("s.npy", npy("'|S1'", 4, b"caba"))
        self.assertEqual(self.good("sort", text, "--top", "3"), npy("'|S1'", 3, b"aab"))
        self.assertEqual(self.good("sort", text, "-u", "--top", "9"), npy("'|S1'", 3, b"abc"))
        self.refused("sort", "-c", path, "--top", "1", says=["--top", "-c"])

    def test_top_along_an_axis(self):
        """What the sort along the axis begins with, in an array whose axis is as long as that."""
        for descr, width in (("'<u4'", 4), ("'>i2'", 2), ("'<f8'", 8), ("'|S3'", 3), ("[('n', '<i2'), ('s', '|S1')]", 3)):
            for shape, axis, fortran in (((50, 70), 1, False), ((50, 70), 0, False), ((50, 70), 0, True), ((6, 7, 8), 1, True), ((9,), 0, False), ((0, 3), 1, False), ((3, 0), 1, False)):
                count = math.prod(shape)
                values = b"".join(bytes([self.random.randrange(65, 70)] * (width - 1)) + bytes([self.random.randrange(65, 90)]) for _ in range(count))
                path = self.file("a.npy", npy(descr, count, values, shape=str(shape), fortran=fortran))
                for options in ([], ["-r"], ["-S", "1M"]):
                    whole = self.good("sort", "--axis", axis, *options, path)[-count * width:] if count else b""
                    behind = math.prod(shape[:axis] if fortran else shape[axis + 1:]) * width
                    for k in (0, 5, 1000) if not options else (5,):
                        kept = min(k, shape[axis])
                        step = shape[axis] * behind
                        first = b"".join(whole[at:at + kept * behind] for at in range(0, len(whole), max(step, 1)))
                        new = (*shape[:axis], kept, *shape[axis + 1:])
                        along = ["--rows"] if axis == len(shape) - 1 else ["--axis", str(axis)]
                        self.assertEqual(self.good("sort", *along, "--top", k, *options, path), npy(descr, math.prod(new), first, shape=str(new), fortran=fortran), (descr, shape, axis, k, options))
        matrix = self.file("m.npy", npy("'<u4'", 2000, bytes(8000), shape="(2, 1000)"))
        self.assertIn(b"the first 5", self.good("sort", "--rows", "--top", "5", "--explain", matrix))
        self.refused("sort", "--rows", "--top", "x", matrix, says=["--top"])

    def test_types_are_those_of_tables(self):
        path, rows = self.file("k.npy", npy("'<i8'", 2, bytes(16))), self.file("r.npy", npy("'<i8'", 4, bytes(32), shape="(2, 2)"))
        for given in ([path], [self.file("k.u32", bytes(8))], ["--rows", rows], ["--record", "4", self.file("k.bin", bytes(8))]):
            self.refused("sort", "--types", *given, says="--types goes with tables")

    def test_quantiles(self):
        path = self.file("q.npy", npy("'<i8'", 4, struct.pack("<4q", 7, 1, 3, 10)))
        self.assertEqual(self.good("sort", path, "--quantiles", "0,0.5,0.75,1"), b"0\t1\n0.5\t5\n0.75\t7.75\n1\t10\n")
        self.assertIn(b"engine cpu", run("sort", "-v", path, "--quantiles", "0.5")[2])
        large = self.file("l.u64", struct.pack("<5Q", 2**64 - 1, 2**53 + 1, 0, 2**53 + 1, 2**53 + 1))
        self.assertEqual(self.good("sort", large, "--quantiles", "0,0.125,0.5,0.6,1"),
                         b"0\t0\n0.125\t4503599627370496\n0.5\t9007199254740993\n0.6\t9007199254740993\n1\t18446744073709551615\n")
        wide = self.file("w.i128", b"\x00" * 15 + b"\x80" + b"\xff" * 15 + b"\x7f")
        self.assertEqual(self.good("sort", wide, "--quantiles", "0,1"), b"0\t%d\n1\t%d\n" % (-2**127, 2**127 - 1))
        self.refused("sort", path, "--quantiles", "0.5,", says=["--quantiles", "no number from 0 to 1"])
        self.refused("sort", path, "--quantiles", "1.5", says=["1.5"])
        self.refused("sort", path, "--quantiles", "0.5", "--top", "2", says=["--top"])
        self.refused("sort", self.file("e.u32", b""), "--quantiles", "0.5", says=["no keys"])
        self.refused("sort", self.file("d.npy", npy("'<M8[s]'", 3, bytes(24))), "--quantiles", "0.5", says=["d.npy", "<M8[s]", "--quantiles goes with"])

    def test_quantiles_explain_themselves(self):
        path = self.file("q.npy", npy("'<f4'", 1_000_000, bytes(4_000_000)))
        self.assertIn(b"interpolate", self.good("sort", path, "--quantiles", "0.5", "--explain"))
        self.assertIn(b"runs ", self.good("sort", "-S", "1M", path, "--quantiles", "0.5", "--explain"))
        rows = self.file("r.npy", npy("'<f4'", 1_000_000, bytes(4_000_000), shape="(10, 1000, 100)"))
        self.assertIn(b"interpolate", self.good("sort", "--rows", rows, "--quantiles", "0.5", "--explain"))
        plan = self.good("sort", "--axis", "1", rows, "--quantiles", "0.5", "--explain")
        self.assertTrue(b"transpose" in plan and b"10 times" in plan, plan)

    def test_quantiles_along_an_axis(self):
        """A line for each line of the array and each probability, as that line alone has them."""
        for descr, form in (("'<u4'", "I"), ("'>i2'", "h"), ("'<f8'", "d"), ("'<i8'", "q")):
            for shape, axis, fortran in (((5, 7), 1, False), ((5, 7), 0, False), ((5, 7), 0, True), ((2, 3, 4), 1, True), ((2, 3, 4), 1, False), ((9,), 0, False), ((0, 3), 1, False), ((1, 1), -1, False)):
                count = math.prod(shape)
                values = [self.random.randrange(-1000, 1000) if form in "hqd" else self.random.randrange(2**31) for _ in range(count)]
                path = self.file("a.npy", npy(descr, count, struct.pack(descr[1] + f"{count}{form}", *values), shape=str(shape), fortran=fortran))
                strides = [math.prod(shape[:i] if fortran else shape[i + 1:]) for i in range(len(shape))]
                others = [range(n) if i != axis % len(shape) else [0] for i, n in enumerate(shape)]
                expected = set()
                for index in itertools.product(*others):
                    begin = sum(i * s for i, s in zip(index, strides))
                    line = [values[begin + k * strides[axis]] for k in range(shape[axis])]
                    one = self.file("one.npy", npy(descr, len(line), struct.pack(descr[1] + f"{len(line)}{form}", *line)))
                    name = ",".join(":" if i == axis % len(shape) else str(at) for i, at in enumerate(index))
                    expected |= {f"{name}\t{each}" for each in self.good("sort", one, "--quantiles", "0.25,0.5,1").decode().splitlines()}
                along = ["--rows"] if axis == -1 else ["--axis", str(axis)]
                found = self.good("sort", *along, path, "--quantiles", "0.25,0.5,1").decode().splitlines()
                self.assertEqual((set(found), len(found)), (expected, 3 * (count // shape[axis] if count else 0)), (descr, shape, axis))
        matrix = self.file("m.npy", npy("'<u4'", 6, struct.pack("<6I", 5, 2, 8, 7, 1, 9), shape="(2, 3)"))
        self.assertEqual(self.good("sort", "--rows", matrix, "--quantiles", "0.5,1"), b"0,:\t0.5\t5\n0,:\t1\t8\n1,:\t0.5\t7\n1,:\t1\t9\n")
        self.refused("sort", "--rows", "-r", matrix, "--quantiles", "0.5", says="-r")
        self.refused("sort", "--rows", self.file("e.npy", npy("'<u4'", 0, b"", shape="(3, 0)")), "--quantiles", "0.5", says=["e.npy", "no keys along this axis"])
        self.refused("sort", "--rows", self.file("d.npy", npy("'<M8[s]'", 4, bytes(32), shape="(2, 2)")), "--quantiles", "0.5", says=["d.npy", "<M8[s]", "--quantiles goes with"])
        self.refused("sort", "--rows", self.file("short.npy", npy("'<u4'", 6, bytes(20), shape="(2, 3)")), "--quantiles", "0.5", says="follow the header")

    def test_top_with_values(self):
        """What the sort of keys and values begins with."""
        keys = self.values("u2", 5000)
        beside = [self.random.randbytes(3) for _ in keys]
        raw, npy_keys = self.file("k.u16", struct.pack("<5000H", *keys)), self.file("k.npy", npy("'<u2'", 5000, struct.pack("<5000H", *keys)))
        values = self.file("v.raw", b"".join(beside))
        marked = self.file("v.npy", npy("'|S3'", 5000, b"".join(beside)))
        for k in (0, 1, 700, 5000, 9000):
            for reverse in ([], ["-r"]):
                order = sorted(range(5000), key=lambda i: keys[i] * (-1 if reverse else 1))[:k]
                first, moved = struct.pack("<%dH" % len(order), *(keys[i] for i in order)), b"".join(beside[i] for i in order)
                self.good("sort", raw, "--top", k, *reverse, "--values", values, "--values-type", "3", "-o", self.path("k"), "--values-output", self.path("v"))
                self.assertEqual((self.content("k"), self.content("v")), (first, moved), k)
                self.good("sort", npy_keys, "--top", k, *reverse, "--values", marked, "-o", self.path("k.out.npy"), "--values-output", self.path("v.out.npy"))
                self.assertEqual((self.content("k.out.npy"), self.content("v.out.npy")), (npy("'<u2'", len(order), first), npy("'|S3'", len(order), moved)), k)
        self.assertIn(b"the first 7", self.good("sort", raw, "--top", "7", "--explain", "--values", values, "--values-type", "3"))
        self.refused("sort", raw, "--top", "7", "--values", values, "--values-type", "1", "-o", self.path("k"), "--values-output", self.path("v"), says="holds 15000 values")

    def test_misaligned_data(self):
        values = self.values("u8", 1000)
        text = b"{'descr': '<u8', 'fortran_order': False, 'shape': (1000,)}\n"
        made = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + struct.pack("<1000Q", *values)
        self.assertNotEqual((10 + len(text)) % 8, 0)
        self.good("sort", self.file("odd.npy", made), "-o", self.path("out.npy"))
        self.assertEqual(self.content("out.npy"), made[:10 + len(text)] + struct.pack("<1000Q", *sorted(values)))

    def records(self, fields, n):
        """Records of a structured dtype; the rows as tuples, and the bytes of each."""
        code = "<" + "".join(letter for _, _, letter in fields)
        rows = [tuple(self.random.randrange(50) if letter != "5s" else b"%05d" % self.random.randrange(10**5) for _, _, letter in fields)
                for _ in range(n)]
        descr = "[" + ", ".join("('%s', '%s')" % (name, dtype) for name, dtype, _ in fields) + "]"
        return descr, rows, code

    def test_records_by_any_field(self):
        shapes = [[("key", "<u8", "Q"), ("value", "<u4", "I")], [("a", "<i2", "h"), ("b", "<u4", "I"), ("c", "|i1", "b")],
                  [("name", "|S5", "5s"), ("time", "<i8", "q")], [("k", "<u4", "I")] + [("f%d" % i, "<u8", "Q") for i in range(6)]]
        for fields in shapes:
            descr, rows, code = self.records(fields, 2000)
            path = self.file("records.npy", npy(descr, 2000, b"".join(struct.pack(code, *row) for row in rows)))
            for column, (name, _, _) in enumerate(fields):
                expected = npy(descr, 2000, b"".join(struct.pack(code, *row) for row in sorted(rows, key=lambda row: row[column])))
                self.good("sort", path, "--key", name, "-o", self.path("out.npy"))
                self.assertEqual(self.content("out.npy"), expected, (fields, name))
                self.good("check", self.path("out.npy"), "--key", name, "--permutation-of", path)
            self.refused("sort", path, "--key", "no", says=["no field 'no'"])

    def compare_by(self, descr, items, code, keys, key, down=False):
        """A .npy file of these items, sorted as Python sorts them."""
        made = lambda some: npy(descr, len(items), b"".join(struct.pack(code, *item) for item in some))
        path = self.file("a.npy", made(items))
        expected = made(sorted(items, key=key, reverse=down))
        options = [word for k in keys for word in ("--key", k)] + (["-r"] if down else [])
        self.assertEqual(self.good("sort", path, *options), expected, (descr, keys, down))
        self.assertEqual(self.good("sort", "-", *options, stdin=made(items)), expected)
        self.good("check", "-q", self.file("b.npy", expected), *options, "--permutation-of", path)
        half = len(items) // 2
        parts = [sorted(items[:half], key=key, reverse=down), sorted(items[half:], key=key, reverse=down)]
        paths = [self.file("p%d.npy" % i, npy(descr, len(p), b"".join(struct.pack(code, *item) for item in p))) for i, p in enumerate(parts)]
        self.assertEqual(self.good("merge", *paths, *options), made(sorted(items, key=key, reverse=down)))

    def test_texts_times_and_booleans(self):
        r = self.random
        for down in (False, True):
            texts = [(bytes(r.choice(b"ab\x00\xff") for _ in range(r.randrange(12))),) for _ in range(800)]
            self.compare_by("'|S11'", texts, "<11s", [], lambda item: item[0][:11].ljust(11, b"\0"), down)
            for order, name in (("<", "utf-32-le"), (">", "utf-32-be")):
                words = ["".join(r.choice("aé\U0001f600\uffff") for _ in range(r.randrange(6))) for _ in range(500)]
                self.compare_by("'%sU5'" % order, [(word.encode(name),) for word in words], "<20s", [], lambda item: item[0].decode(name).ljust(5, "\0"), down)
                nat = -(1 << 63)
                times = [(r.choice([nat, 0, -1, 1, (1 << 63) - 1, r.randrange(-10**18, 10**18)]),) for _ in range(500)]
                for unit in ("M8[ns]", "m8[s]"):
                    self.compare_by("'%s%s'" % (order, unit), times, order + "q", [], lambda item: (item[0] == nat, item[0]), down)
            self.compare_by("'|b1'", [(r.randrange(2),) for _ in range(300)], "<B", [], lambda item: item, down)
        self.refused("sort", self.file("c.npy", npy("'<c8'", 1, bytes(8))), "--force", says=["c.npy", "<c8 cannot be ordered", "M8"])

    def test_names_of_fields(self):
        """Latin-1 before version 3 of the format, UTF-8 in it, escapes in both; what is written is of a version that can say it."""
        for version, name, key in ((1, "gr\xf6\xdfe", "größe"), (2, "gr\xf6\xdfe", "größe"), (3, "größe€", "größe€"), (1, r"\xe9\u20ac\x1b", "é€\x1b"), (1, "it\\'s", "it's")):
            content = npy("[('k', '<u4'), ('NAME', '<u4')]", 3, struct.pack("<6I", 1, 9, 2, 8, 3, 9), version=version)
            encoded = name.encode("utf-8" if version == 3 else "latin-1")
            length = struct.unpack_from("<H" if version == 1 else "<I", content, 8)[0] + len(encoded) - 4
            content = content[:8] + struct.pack("<H" if version == 1 else "<I", length) + content[10 if version == 1 else 12:].replace(b"NAME", encoded)
            path = self.file("named.npy", content)
            self.assertEqual(self.good("sort", path, "--key", key)[-24:], struct.pack("<6I", 2, 8, 1, 9, 3, 9), name)
            counts = self.file("counts.npy", self.good("sort", path, "--key", key, "-u", "--count"))
            self.assertEqual(self.good("sort", counts, "--key", "count", "--key", key)[-32:], struct.pack("<IIQIIQ", 2, 8, 1, 1, 9, 2))
            self.assertEqual(self.good("merge", counts, counts, "--key", key)[-64:], struct.pack("<IIQIIQ", 2, 8, 1, 2, 8, 1) + struct.pack("<IIQIIQ", 1, 9, 2, 1, 9, 2))

    def test_headers_beyond_64_kib(self):
        fields = ", ".join(f"('a field with a long name {i:06}', '|u1')" for i in range(2000))
        path = self.file("many.npy", npy(f"[{fields}]", 3, b"".join(bytes([key] * 2000) for key in (2, 1, 2)), version=2))
        out = self.file("out.npy", self.good("sort", path, "-u"))
        self.assertEqual(self.content("out.npy")[6:8], b"\x02\x00")
        self.assertEqual(self.good("merge", out, out)[-8000:], bytes([1] * 4000 + [2] * 4000))

    def test_several_fields_and_nested_ones(self):
        descr = "[('a', '<u2'), ('in', [('x', '>i4'), ('s', '|S2'), ('deep', [('f', '<f4')])])]"
        items = [(self.random.randrange(3), self.random.randrange(-2, 2), self.random.choice([b"x", b"y", b""]), self.random.choice([1.5, -2.5, 0.0])) for _ in range(600)]
        code = "<H4s2sf"
        items = [(a, x.to_bytes(4, "big", signed=True), s, f) for a, x, s, f in items]
        number = lambda item: int.from_bytes(item[1], "big", signed=True)
        self.compare_by(descr, items, code, ["in.x"], number)
        self.compare_by(descr, items, code, ["in.s", "in.deep.f", "a"], lambda item: (item[2].ljust(2, b"\0"), item[3], item[0]))
        self.compare_by(descr, items, code, ["a:desc", "in.x"], lambda item: (-item[0], number(item)))
        self.refused("sort", self.path("a.npy"), "--key", "in", "--force", says=["'in'", "cannot be ordered", "in.deep.f"])
        self.refused("sort", self.path("a.npy"), "--key", "a", "--key", "in.x", "--bits", "0:4", "--force", says="--bits goes with one key")

    def test_raw(self):
        for kind, letter in {"u8": "B", "i16": "h", "u32": "I", "i64": "q", "f16": "e", "f64": "d"}.items():
            values = self.values(kind[0] + str(int(kind[1:]) // 8), 999)
            data = struct.pack("<999" + letter, *values)
            out = self.good("sort", "--type", kind, "-", stdin=data)
            self.assertEqual(out, struct.pack("<999" + letter, *sorted(values, key=order_key)), kind)
        wide = [self.random.randrange(-2**127, 2**127) for _ in range(500)]
        out = self.good("sort", self.file("w.i128", b"".join(v.to_bytes(16, "little", signed=True) for v in wide)), "--force")
        self.assertEqual(out, b"".join(v.to_bytes(16, "little", signed=True) for v in sorted(wide)))
        self.refused("sort", self.file("odd.u32", b"1234567"), says=["odd.u32", "7 bytes", "4 bytes", "3 bytes are left over"])
        self.refused("sort", self.file("what.bin", b"1234"), says=["what.bin", "--type u32"])
        self.refused("sort", "--type", "u31", path := self.path("odd.u32"), says="u31")
        self.assertTrue(os.path.exists(path))

    def test_values_in_a_second_file(self):
        keys = [self.random.randrange(20) for _ in range(1000)]
        for size in (1, 2, 4, 8, 12, 40):
            values = [os.urandom(size) for _ in keys]
            self.good("sort", self.file("k.u16", struct.pack("<1000H", *keys)), "--values", self.file("v.raw", b"".join(values)),
                      "--values-type", size, "-o", self.path("ks"), "--values-output", self.path("vs"))
            order = sorted(range(1000), key=lambda i: keys[i])
            self.assertEqual(self.content("ks"), struct.pack("<1000H", *sorted(keys)))
            self.assertEqual(self.content("vs"), b"".join(values[i] for i in order))
        self.refused("sort", self.path("k.u16"), "--values", self.file("v.raw", b"1234"), "--values-type", "u32", "-o", self.path("x"),
                     "--values-output", self.path("y"), says=["v.raw", "1 values", "1000 keys"])
        self.assertFalse(os.path.exists(self.path("x")))
        self.refused("sort", self.path("k.u16"), "--values", self.path("v.raw"), says="--values-output")

    def test_explain_with_values_in_a_second_file(self):
        keys = self.file("k.u32", bytes(4_000_000))
        for size in (8, 24):
            values = self.file("v.raw", bytes(1_000_000 * size))
            explained = self.good("sort", keys, "--explain", "--values", values, "--values-type", size).decode()
            self.assertRegex(explained, r"write .*values.*; reads %d MB, writes %d MB" % (4 + size, 4 + size))
            self.assertEqual("gather" in explained, size == 24, explained)
        records = npy("[('key', '<u4'), ('rest', '|S40')]", 1000, bytes(44_000))
        self.assertRegex(self.good("sort", "--explain", "--format", "npy", stdin=records).decode(), r"(?s)take .*fetch .*records by position")
        wrong = self.file("few", b"1234")
        self.refused("sort", keys, "--explain", "--values", wrong, "--values-type", "u32", says=["few", "1 values", "1000000 keys"])
        self.refused("sort", keys, "--explain", "--values-output", self.path("vs"), says="--values")
        self.nothing_left("k.u32", "v.raw", "few")

    def test_bits(self):
        keys = [self.random.randrange(1 << 32) for _ in range(5000)]
        out = self.good("sort", "--type", "u32", "--bits", "8:16", stdin=struct.pack("<5000I", *keys))
        self.assertEqual(out, struct.pack("<5000I", *sorted(keys, key=lambda k: k >> 8 & 255)))
        for bits in ("9", "9:8", "0:33", "a:b", "-1:4"):
            self.refused("sort", "--type", "u32", "--bits=" + bits, says="", stdin=b"1234")

    def test_merge(self):
        parts = [sorted(self.values("i4", n)) for n in (0, 700, 1, 1500)]
        paths = [self.file("p%d.npy" % i, npy("'>i4'", len(p), struct.pack(">%di" % len(p), *p))) for i, p in enumerate(parts)]
        everything = sorted(sum(parts, []))
        self.good("merge", *paths, "-o", self.path("all.npy"))
        self.assertEqual(self.content("all.npy"), npy("'>i4'", len(everything), struct.pack(">%di" % len(everything), *everything)))
        self.refused("merge", self.file("bad.npy", npy("'<i4'", 2, struct.pack("<2i", 2, 1))), "-o", self.path("x"), says=["bad.npy", "key 1", "out of order"])
        self.refused("merge", paths[1], self.path("bad.npy"), "-o", self.path("x"), says=["bad.npy", "another type"])

    def test_distinct_keys_are_checked_and_merged(self):
        """-u of arrays: a key that repeats the one before is a disorder, and a merge keeps the first of equal records."""
        twice, once = self.file("twice.i16", struct.pack("<4h", -3, 5, 5, 9)), self.file("once.i16", struct.pack("<3h", -3, 5, 8))
        told = b"records: 4\nchecksum: %x\nduplicate keys: 1\n" % sum(zlib.crc32(struct.pack("<h", key)) for key in (-3, 5, 5, 9))
        self.assertEqual(self.good("check", twice), told)
        self.assertEqual(self.good("check", "-q", twice), b"")
        self.assertEqual(run("check", "-r", twice)[:2], (1, told))
        self.refused("check", "-u", twice, status=1, says=["twice.i16", "record 2 (offset 4)", "equal to"])
        self.assertEqual(run("sort", "-c", "-u", twice)[:2], (1, b""))
        self.assertTrue(self.good("check", "-u", once, "--permutation-of", once).endswith(b"duplicate keys: 0\n"))
        self.refused("check", "-u", self.file("down.i16", struct.pack("<2h", 5, 4)), status=1, says=["record 1", "smaller than"])
        self.refused("check", "-u", "-r", once, status=1, says="record 1")
        self.good("merge", "-u", twice, once, "-o", self.path("both.i16"))
        self.assertEqual(self.content("both.i16"), struct.pack("<4h", -3, 5, 8, 9))
        self.good("sort", "-m", "-u", once, twice, "-o", self.path("both.i16"))
        self.assertEqual(self.content("both.i16"), struct.pack("<4h", -3, 5, 8, 9))
        zeros = self.file("zeros.npy", npy("'>f4'", 3, struct.pack(">3f", -0.0, 0.0, 1.0)))
        self.refused("check", "-u", zeros, status=1, says=["record 1", "equal to"])
        self.good("merge", "-u", zeros, zeros, "-o", self.path("z.npy"))
        self.assertEqual(self.content("z.npy"), npy("'>f4'", 2, struct.pack(">2f", -0.0, 1.0)))
        dtype = "[('k', '<u2'), ('v', 'S2')]"
        a, b = self.file("a.npy", npy(dtype, 2, b"\1\0aa\3\0aa")), self.file("b.npy", npy(dtype, 2, b"\1\0bb\2\0bb"))
        self.good("merge", "-u", a, b, "-o", self.path("ab.npy"))
        self.assertEqual(self.content("ab.npy"), npy(dtype, 3, b"\1\0aa\2\0bb\3\0aa"))
        self.good("merge", "-u", "--key", "v", "--key", "k", a, b, "-o", self.path("ab.npy"))
        self.assertEqual(self.content("ab.npy"), npy(dtype, 4, b"\1\0aa\3\0aa\1\0bb\2\0bb"))
        self.refused("merge", "-u", once, self.path("down.i16"), "-o", self.path("o.i16"), says=["down.i16", "out of order"])

    def test_gen(self):
        once = self.good("gen", "uniform", "-n", "1000", "--type", "u64", "--seed", "3")
        self.assertEqual(len(once), 8000)
        self.assertEqual(once, self.good("gen", "uniform", "-n", "1k", "--type", "u64", "--seed", "3", "--threads", "1"))
        self.assertNotEqual(once, self.good("gen", "uniform", "-n", "1000", "--type", "u64", "--seed", "4"))
        lines = self.good("gen", "uniform", "-n", "1000", "--type", "u64", "--seed", "3", "--format", "lines").split()
        self.assertEqual([int(line) for line in lines], list(struct.unpack("<1000Q", once)))
        self.good("gen", "uniform", "-n", "1000", "--type", "u64", "--seed", "3", "--pairs", "u32", "-o", self.path("p.npy"))
        pairs = b"".join(once[8 * i:8 * i + 8] + struct.pack("<I", i) for i in range(1000))
        self.assertEqual(self.content("p.npy"), npy("[('key', '<u8'), ('value', '<u4')]", 1000, pairs))
        status, out, err = run("gen", "nosuch", "-n", "1")
        self.assertEqual((status, out), (2, b""))
        self.assertIn(b"few:16", err)  # the list of those that there are
        for bad in (["uniform", "-n", "-1"], ["uniform", "-n", "1.5"], ["uniform", "-n", "1x"], ["uniform", "-n", "2^99"],
                    ["uniform"], ["uniform", "-n", "1", "--type", "q"], ["uniform", "-n", "1", "--pairs", "u32"]):
            self.refused("gen", *bad, says="")


class Broken(CommandTest):
    """Headers and shapes that are refused, by name."""

    def test_broken_npy(self):
        good = npy("'<u4'", 2, b"12345678")
        length = len(good) - 8
        cases = {
            b"\x93NUMP": "not a .npy", good[:7]: "cut off", good[:9]: "cut off", good[:50]: "only", good[:-1]: "but 7 follow", good + b"x": "but 9 follow",
            good.replace(b"\x01\x00", b"\x04\x00", 1): "version 4.0", good.replace(b"\x01\x00", b"\x01\x01", 1): "version 1.1",
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}": "4294967295", npy("'<u4'", 0, b"", shape="(2, 3)"): "2 dimensions, shape (2, 3)",
            npy("'<u4'", 0, b"1234", shape="()"): "0 dimensions", npy("'<u4'", 0, b"", shape="(-1,)"): "shape",
            npy("'<u4'", 0, b"", shape="(9223372036854775807,)"): "memory", npy("'<u4'", 0, b"", shape="5"): "'shape' is not a tuple",
            npy("'<c8'", 1, b"12345678"): "<c8", npy("'|O'", 0, b""): "O", npy("'|V1'", 1, b"1"): "|V1", npy("'<M8'", 1, b"1234567"): "but 7 follow",
            npy("'<u3'", 1, b"123"): "<u3", npy("'garbage'", 1, b"123"): "garbage", npy("[]", 0, b""): "descr", npy("[('a',)]", 0, b""): "field",
            npy("[('a', '<u4', (2,))]", 1, b"12345678"): "'a'", npy("'<u4'", 2, b"12345678", fortran="1"): "fortran_order",
            npy("'<V0'", 2, b""): "0 bytes", good.replace(b"'shape'", b"'shapf'"): "lacks 'shape'", good.replace(b"{", b"("): "not a Python dictionary",
            good.replace(b"(2,)", b"(2,["): "not a Python dictionary", npy("'" + "x" * 300 + "'", 0, b""): "not understood",
            npy("(" * 200 + "'<u4'" + ")" * 200, 0, b""): "levels", b"": "not a .npy",
            npy("[('a', '<u4'), ('b', '|S9999999999')]", 0, b""): "larger than", npy("'<u4', 'descr': '<u8'", 1, b"12345678"): "says more than once 'descr'", npy("'<u\0'", 0, b""): "the dtype '<u\\000' is not understood",
        }
        self.assertEqual(length, 128)
        for content, says in cases.items():
            path = self.file("broken.npy", content)
            for command in ("sort", "check", "merge"):
                self.refused(command, "--format", "npy", path, says=[path, says])

    def test_every_cut_of_a_file_is_refused(self):
        good = npy("[('key', '<u8'), ('value', '<u4')]", 3, bytes(36))
        for size in range(len(good)):
            self.refused("sort", "--format", "npy", self.file("cut.npy", good[:size]), says="cut.npy")

    def test_flipped_bytes_never_crash(self):
        good = npy("[('key', '<u8'), ('value', '<u4')]", 3, bytes(36))
        for _ in range(300):
            broken = bytearray(good)
            for _ in range(self.random.randrange(1, 4)):
                broken[self.random.randrange(128)] = self.random.randrange(256)
            status, _, err = run("sort", "--format", "npy", self.file("flip.npy", bytes(broken)), "--force")
            self.assertIn(status, (0, 2), (bytes(broken), err))

    def test_options_of_the_other_kind(self):
        path = self.file("a.npy", npy("'<u4'", 1, b"1234"))
        for options in (["-k1"], ["-n"], ["-t,"], ["--by", "x"], ["--random-source", path]):
            self.refused("sort", "--format", "npy", path, *options, says="goes with text")
        self.refused("sort", path, "--type", "u32", "--format", "npy", says="--type")
        self.refused("sort", path, path, says="one file at a time")



class WhatAFileIs(CommandTest):
    """Its name and first bytes say what a file is: options of another kind are refused, not applied to it."""

    def setUp(self):
        super().setUp()
        self.npy = npy("'<u4'", 3, struct.pack("<3I", 2, 0x0a0a0a, 1))
        self.files = {"k.npy": self.npy, "noname": self.npy, "t.csv": b"name,n\nb,2\na,1\n", "t.tsv": b"name\tn\nb\t2\na\t1\n",
                      "k.u32": struct.pack("<3I", 2, 1, 0x0a0a0a), "w.txt": b"2\n1\n"}

    def test_text_options(self):
        text = [["-n"], ["-k1"], ["-f"], ["-b"], ["-z"], ["-n", "-r"], ["-k2,2n", "-t,"]]
        not_of_arrays = [["--by", "name"], ["-t,"]]
        for name, content in self.files.items():
            if name == "w.txt":
                continue
            path = self.file(name, content)
            kinds = text + (not_of_arrays if name in ("k.npy", "noname", "k.u32") else [])
            for options in kinds:
                for command in (["sort", "-o", path], ["check"], ["merge", "-o", path], ["sort", "-c"], ["sort", "-m", "-o", path]):
                    said = self.refused(*command, *options, path, says=[name, "goes with"] if options[0] in ("-n", "-k1") else "goes with")
                    self.assertIn(options[0][:2].encode(), said)
                    self.assertEqual(self.content(name), content, (name, command, options))
        self.nothing_left(*[name for name in self.files if name != "w.txt"])
        # Who says the format gets what was asked for.
        self.assertEqual(self.good("sort", "-n", "--format", "lines", self.path("t.csv")), b"a,1\nb,2\nname,n\n")
        self.assertEqual(self.good("sort", "-k1", "--format", "lines", self.path("k.npy")), gnu_sort(stdin=self.npy)[1])

    def test_text_options_on_a_pipe(self):
        for options in (["-n"], ["-k1"], ["--by", "a"]):
            for command in (["sort"], ["check"], ["merge"], ["sort", "-c"]):
                self.refused(*command, *options, stdin=self.npy, says="")
        self.assertEqual(self.good("sort", stdin=self.npy), npy("'<u4'", 3, struct.pack("<3I", 1, 2, 0x0a0a0a)))  # and without: it is an array
        path = self.file("noname", self.npy)
        with open(path, "rb") as source:
            done = subprocess.run([SORTILE, "sort", "-n"], stdin=source, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))

    def test_type_of_another_kind(self):
        for name, content in self.files.items():
            path = self.file(name, content)
            for command in (["sort", "-o", path], ["check"], ["merge", "-o", path]):
                self.refused(*command, "--type", "u64", path, says=[name])
                self.assertEqual(self.content(name), content)
        self.refused("sort", "--type", "u64", stdin=self.npy, says="standard input: is a .npy array")
        signed = self.good("sort", "--type", "i32", "--format", "raw", self.file("k.u32", struct.pack("<2I", 1, 2**32 - 1)))
        self.assertEqual(signed, struct.pack("<2I", 2**32 - 1, 1))

    def test_beginning_and_name_contradict(self):
        for name in ("a.txt", "a.csv", "a.u32"):
            self.refused("sort", self.file(name, self.npy), says=[name, "begins as a .npy array"])

    def test_several_inputs_are_of_one_kind(self):
        for name, content in self.files.items():
            self.file(name, content)
        for command in (["sort"], ["merge"], ["sort", "-m"]):
            for other in ("k.npy", "noname", "t.csv", "k.u32"):
                self.refused(*command, self.path("w.txt"), self.path(other), says=[other, "the first input is text lines"])
        self.refused("check", self.path("w.txt"), "--permutation-of", self.path("k.npy"), says="k.npy")

    def test_packed_files(self):
        for name, content, says in (("x.xz", lzma.compress(b"b\n"), "xz"),
                                    ("x.bz2", bz2.compress(b"b\n"), "bzip2"), ("a.npz", b"PK\x03\x04rest", "zip"), ("z", b"\x28\xb5\x2f\xfdrest", "zstd"),
                                    ("h", b"\x89HDF\r\n\x1a\n", "HDF5")):
            path = self.file(name, content)
            for command in (["sort", "-o", path], ["sort", "-n", "-o", path], ["check"], ["merge", "-o", path], ["sort", "--by", "a"]):
                self.refused(*command, path, says=[name, says])
            self.assertEqual(self.content(name), content)
        self.good("sort", self.file("text", b"PAR1 is no Parquet file\nBZh9\nPK\n"), "-o", self.path("text"))

    def test_output_names(self):
        for name, content in self.files.items():
            self.file(name, content)
        for command, target in ((["sort", "w.txt"], "o.npy"), (["sort", "w.txt"], "o.u64"), (["sort", "k.npy"], "o.csv"), (["sort", "k.npy"], "o.u32"),
                                (["sort", "k.u32"], "o.npy"), (["sort", "k.u32"], "o.u64"), (["merge", "w.txt"], "o.npy"), (["merge", "k.u32"], "o.i32"),
                                (["sort", "t.csv", "--by", "n"], "o.npy"), (["gen", "uniform", "-n", "9", "--type", "u64"], "o.u32")):
            self.refused(*[self.path(word) if word in self.files else word for word in command], "-o", self.path(target), says=[target, "the output's name says"])
        self.nothing_left(*self.files)
        self.good("sort", self.path("k.u32"), "-o", self.path("o.bin"))
        self.good("sort", self.path("w.txt"), "-o", self.path("o.csv"))
        self.good("gen", "uniform", "-n", "9", "-o", self.path("o.u64"))
        self.assertEqual(len(self.content("o.u64")), 72)

    def test_options_that_check_and_merge_would_ignore(self):
        path = self.file("k.u32", bytes(8))
        for options in (["--explain"], ["--values", path], ["--values-output", path], ["--values-type", "u8"]):
            for command in ("-c", "-C", "-m"):
                self.refused("sort", command, *options, path, says=[options[0], "does not go with"])


if __name__ == "__main__":
    unittest.main()
