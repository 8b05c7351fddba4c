"""Sorts larger than the memory that they may take: the same bytes as in memory, within the limit, and nothing left behind."""

import contextlib
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import time
import unittest

from harness import SORTILE, CommandTest, gnu_sort, npy, run

SANITIZED = os.environ.get("SORTILE_SANITIZED", "") not in ("", "OFF")
SMALL = ("-S", "1M")


class Larger(CommandTest):
    def runs(self, *arguments, **more):
        """Sorts in runs; gives how many there were."""
        status, out, err = run("sort", "-v", *SMALL, *arguments, **more)
        self.assertEqual(status, 0, err)
        found = re.search(rb" by (\d+) runs; ", err)
        self.assertIsNotNone(found, (arguments, err))
        return int(found.group(1))

    def agrees(self, name, *arguments, least=3):
        """The output in runs is that in memory."""
        self.good("sort", "-S", "4G", "--no-sync", *arguments, name, "-o", self.path("in-memory"))
        count = self.runs("--no-sync", *arguments, name, "-o", self.path("in-runs"))
        self.assertGreaterEqual(count, least, arguments)
        self.assertTrue(self.content("in-memory") == self.content("in-runs"), (arguments, count))
        return count

    def lines(self, count=60000, end="\n"):
        words = ["alpha", "Beta", "gamma 7", "delta", "", "-3.5e1", "x" * 40, "1K", "\x00nul" if end == "\n" else "nul"]
        choose = self.random.choice
        return "".join(f"{choose(words)} {self.random.randrange(5000)} {choose(words)}{end}" for _ in range(count)).encode()

    def test_lines_in_all_orders(self):
        name = self.file("lines.txt", self.lines())
        for options in ([], ["-r"], ["-n"], ["-u"], ["-f"], ["-s", "-k2,2"], ["-k2,2n", "-k1,1r"], ["-u", "-k2,2n"], ["-g"],
                        ["-h", "-k3"], ["-V"], ["-d", "-i", "-k1"], ["-M"], ["-s", "-u", "-k3,3"], ["-t", " ", "-k3,3", "-b"]):
            self.agrees(name, *options)
            self.assertTrue(gnu_sort(*options, name)[1] == self.content("in-runs"), options)

    def table(self, count=25000, end="\n"):
        """Rows with every kind of column, and line ends and quotes within cells."""
        draw = self.random.randrange
        rows = [f'{draw(9000) - 4000 if draw(20) else ""},"a{end}""{draw(300)}"" , b",{draw(100)}.{draw(1000)}e{draw(3)},2024-0{1 + draw(9)}-1{draw(9)},'
                + self.random.choice(["plain", '"x,y"', "", '"""q"""']) for _ in range(count)]
        return (end.join(["id,what,size,day,note"] + rows) + end).encode()

    def test_tables_in_all_orders(self):
        name = self.file("t.csv", self.table())
        for by in ("id", "size:desc,what", "day,id:num:desc", "note,what:desc", "id:nulls-last,size", "what:natural,id"):
            self.agrees(name, "--by", by)
        self.agrees(name, "--by", "note,day", "-u")
        self.agrees(name, "--by", "size", "-r", "--nulls", "last")
        self.good("check", self.path("in-runs"), "--format", "csv", "--by", "size:desc", "--permutation-of", name)

    def test_tables_with_other_ends(self):
        for text in (self.table(end="\r\n"), self.table(end="\r\n")[:-2], self.table()[:-1], b"\xef\xbb\xbf" + self.table().replace(b",", b";")):
            name = self.file("t.csv", text)
            self.agrees(name, "--by", "what,size")
        bare = self.file("bare.csv", self.table().replace(b'"', b""))
        self.refused("sort", *SMALL, bare, "--by", "id", says="cells, but the header has 5", status=2)
        self.runs("-", "--format", "csv", "--by", "id", "-o", self.path("out"), stdin=self.table())

    def test_tables_whose_later_rows_are_others(self):
        rows = [f"{i},{'x' * 60}" for i in range(40000)]
        for late, by, complaint in (("y,z", "a", ["line 39002: 'y' in the column 'a' is not a number", "a:text"]),
                                    ("5", "a", "line 39002: 1 cell, but the header has 2"),
                                    ('5,"open', "a", "a quoted cell is never closed")):
            name = self.file("late.csv", "\n".join(["a,b"] + rows[:39000] + [late] + rows[39000:]).encode())
            self.refused("sort", *SMALL, name, "--by", by, "-o", self.path("never"), says=complaint, status=2)
            self.assertFalse(os.path.exists(self.path("never")))
        self.agrees(self.file("texts.csv", "\n".join(["a,b"] + rows + ["y,z"]).encode()), "--by", "a:text")
        late = self.file("empty.csv", "\n".join(["a,b"] + [f",{'x' * 60}"] * 40000 + ["7,z"]).encode())
        self.refused("sort", *SMALL, late, "--by", "a", says=["the column 'a' is empty in the first ", "a:num"], status=2)
        self.agrees(late, "--by", "a:num")

    def test_several_tables(self):
        """Of one header, with their own ends of lines, marks in front, and ends without a newline."""
        first = self.file("a.csv", self.table(9000))
        names = [first, self.file("b.csv", self.table(9000, end="\r\n")[:-2]), self.file("c.csv", "id,what,size,day,note"), self.file("d.csv", "id,what,size,day,note\n"),
                 self.file("e.csv", b"\xef\xbb\xbf" + self.table(12000)), first]
        for options in (["--by", "day,size:num:desc"], ["--by", "what:desc", "-u"], ["--by", "id", "--top", "9"], ["--by", "note,day", "-u", "--count"]):
            self.agrees(names[0], *options, *names[1:])
        mixed = self.file("mixed.csv", self.table(9000).replace(b"id,what", b"id,which", 1))
        self.refused("sort", *SMALL, "--by", "id", first, first, mixed, says="mixed.csv: its header is another than that of ")
        self.refused("sort", *SMALL, "--by", "id", first, first, self.file("none.csv", ""), says="none.csv: is empty")
        self.refused("sort", *SMALL, "--by", "id", first, first, self.file("open.csv", 'id,what,size,day,note\n1,"x,2,3,4\n'), names[4], says="open.csv: line 2: a quoted cell is never closed")
        self.refused("sort", *SMALL, "--by", "id", first, first, self.file("short.csv", "id,what,size,day,note\n1,2,3,4,5\n1,2\n"), names[4], says="short.csv: line 3: 2 cells")
        self.refused("sort", *SMALL, "--by", "id", first, first, self.file("late.csv", "id,what,size,day,note\nx,2,3,4,5\n"), says="late.csv: line 2: 'x' in the column 'id' is not a number")

    def test_tables_without_a_header_and_with_comments(self):
        rows = self.table().split(b"\n", 1)[1]
        bare, other = self.file("bare.csv", rows), self.file("other.csv", rows[::-1][::-1])
        for options in (["--by", "3,1"], ["--by", "1:desc,2", "-u"]):
            self.agrees(bare, "--no-header", *options, other)
        self.refused("sort", *SMALL, "--no-header", "--by", "1", bare, self.file("two.csv", "1,2\n"), says="two.csv: its first row has 2 cells")
        self.agrees(self.file("commented.csv", b"# one\n# two\n" + self.table()), "--comment", "#", "--by", "id", self.file("again.csv", b"# three\n" + self.table()))

    def test_tables_with_bad_rows(self):
        rows = self.table(30000).split(b"\n")
        mixed = [rows[0]]
        for row in rows[1:-1]:
            mixed.append(row)
            if self.random.random() < 0.02:
                mixed.append(self.random.choice([b"oops", b"", b"a,b", b"1,2,3,4,5,6", b'x"y,2,3,4,5']))
        name, good = self.file("bad.csv", b"\n".join(mixed) + b"\n"), self.file("good.csv", b"\n".join(rows))
        for rule in ("last", "drop"):
            self.agrees(name, "--bad-rows", rule, "--by", "id,size", good)
            self.agrees(name, "--bad-rows", rule, "--by", "note:num")  # texts among them
        self.agrees(name, "--bad-rows", "last", "--by", "note", "-u", "--count")
        self.refused("sort", *SMALL, name, "--by", "id", says=["bad.csv: line ", "header has 5"])
        late = self.file("late.csv", "id,x\n" + "".join(f"{i},{'y' * 40}\n" for i in range(40000)) + "z,y\n")
        for rule in ("last", "drop", "refuse"):  # in memory the column would be text
            self.refused("sort", *SMALL, late, "--by", "id", "--bad-rows", rule, says=["late.csv: line 40002: 'z' in the column 'id'", "id:text"])

    def test_counts(self):
        lines = self.file("lines.txt", b"".join(b"%d %c\n" % (self.random.randrange(3000), self.random.choice(b"ab")) for _ in range(150000)))
        for options in ([], ["-k1,1n"], ["-nr", "--top", "5"]):
            self.agrees(lines, "-u", "--count", *options)
        self.assertEqual(run("sort", *SMALL, "-u", "--count", lines)[1], subprocess.run(["sh", "-c", 'LC_ALL=C sort "$0" | uniq -c', lines], capture_output=True, check=True).stdout)
        table = self.file("t.csv", self.table())
        for options in (["--by", "note"], ["--by", "note,day", "--top", "3"]):
            self.agrees(table, "-u", "--count", *options)
        self.agrees(table, "-u", "--count", "--by", "note", "--batch-size", "2")

    def test_first_and_distinct_keys_of_arrays(self):
        n = 1 << 19
        few = bytes(self.random.choices(b"\0\1\2\3", k=4 * n))
        floats = b"".join(self.random.choices([b"\0\0\0\0", b"\0\0\0\x80", b"\0\0\xc0\x7f", b"\1\0\xc0\x7f", b"\0\0\xc0\xff", b"\0\0\x80\x3f"], k=n))  # ±0, NaN
        for descr, count, data, options in (("'<u4'", n, few, []), ("'>i2'", 2 * n, few, ["-r"]), ("'<f4'", n, floats, []), ("'<f8'", n // 2, few, []), ("'|S4'", n, few, []), ("'<M8[s]'", n // 2, few, []),
                                            ("[('a', '<u2'), ('b', '>i2')]", n, few, ["--key", "b"]), ("[('a', '<u2'), ('b', '>i2')]", n, few, ["--key", "b:desc", "--key", "a"])):
            name = self.file("a.npy", npy(descr, count, data))
            for further in (["-u"], ["-u", "--count"], ["-u", "--top", "3", "--count"], ["--top", "100000"]):
                self.agrees(name, *options, *further, least=2)
        name = self.file("keys.u32", few)
        self.agrees(name, "-u", "--bits", "0:9", least=2)
        for source, options in ((name, []), (self.file("r.dat", few), ["--record", "4"]), (self.file("a.npy", npy("'<u4'", n, few)), [])):
            outputs = []
            for size in ("4G", "1M"):
                self.good("sort", "-S", size, "-u", "--count", *options, source, "-o", self.path("kept"), "--values-output", self.path("counts"), "--no-sync")
                outputs.append((self.content("kept"), self.content("counts")))
            self.assertTrue(outputs[0] == outputs[1], source)

    def test_along_an_axis(self):
        """Matrices of the axis and those behind it, as many as fit; what is sorted together has to fit."""
        data = self.random.randbytes(1 << 22)
        for descr, size in (("'<f4'", 4), ("'>u2'", 2), ("'<M8[s]'", 8), ("[('a', '<u2'), ('b', '>i2')]", 4)):
            n = len(data) // size
            for shape, axis, fortran in (((n // 64, 64), -1, False), ((64, n // 64), 0, True), ((n // 64, 8, 8), 1, False), ((n // 64, 64), 0, False), ((3, 0, 5), 1, False), ((0, n), 1, False)):
                name = self.file("a.npy", npy(descr, n, data[:0 if 0 in shape else None], shape=str(shape), fortran=fortran))
                self.good("sort", "-S", "4G", "--axis", axis, name, "--no-sync", "-o", self.path("in-memory"))
                if shape == (n // 64, 64) and axis == 0:
                    self.refused("sort", *SMALL, "--axis", axis, name, "-o", self.path("never"), says=["a.npy: what is sorted together along this axis takes ", "-S 1M allows"])
                    continue
                self.good("sort", *SMALL, "--axis", axis, name, "--no-sync", "-o", self.path("in-pieces"))
                self.assertTrue(self.content("in-memory") == self.content("in-pieces"), (descr, shape, axis))
        none = self.file("none.npy", npy("'<u4'", 0, b"", shape="(0, 1048576)"))
        self.assertEqual(self.good("sort", *SMALL, "--rows", "--quantiles", "0.5", none), b"")
        short = self.file("short.npy", npy("'<u4'", 1 << 20, data[:-4], shape="(16384, 64)"))
        self.refused("sort", *SMALL, "--rows", short, "-o", self.path("never"), says="follow the header")
        self.assertFalse(os.path.exists(self.path("never")))

    def test_values_of_a_second_file(self):
        """Keys and values in two files: the outputs in runs are those in memory, from files, packed ones and pipes."""
        count = 150_000
        keys = self.random.randbytes(4 * count)
        for name, content, values, form in (("k.u32", keys, self.random.randbytes(8 * count), ["--values-type", "u64"]), ("k.i16", keys[:2 * count], self.random.randbytes(5 * count), ["--values-type", "5"]),
                                            ("k.npy", npy("'>i4'", count, keys), npy("'<f8'", count, self.random.randbytes(8 * count)), []), ("k.npy", npy("'<f4'", count, keys), npy("'|S20'", count, self.random.randbytes(20 * count)), [])):
            path, beside, end = self.file(name, content), self.file("v.npy" if not form else "v.bin", values), name[1:]
            for order in ([], ["-r"], ["--top", "1000"]):
                outputs = lambda prefix: ["-o", self.path(prefix + end), "--values-output", self.path(prefix + ".values")]
                options = [*order, "--no-sync", "--values", beside, *form]
                self.good("sort", "-S", "4G", path, *options, *outputs("in-memory"))
                self.assertGreaterEqual(self.runs(path, *options, *outputs("in-runs")), 2)
                subprocess.run(["gzip", "-kf1", beside], check=True)
                self.good("sort", "-", *SMALL, *order, "--no-sync", "--format", "npy" if end == ".npy" else "raw", *([] if end == ".npy" else ["--type", end[1:]]), "--values", beside + ".gz", *form, *outputs("piped"), stdin=content)
                for suffix in (end, ".values"):
                    self.assertTrue(self.content("in-memory" + suffix) == self.content("in-runs" + suffix) == self.content("piped" + suffix), (name, order, suffix))
        targets = ["-o", self.path("never.u32"), "--values-output", self.path("never.v")]
        path = self.file("k.u32", keys)
        for content, says in ((bytes(count - 1), "holds %d values, but %s holds %d keys" % (count - 1, path, count)), (bytes(1), "holds 1 values"), (bytes(2 * count), "holds %d values" % (2 * count)), (b"", "holds 0 values")):
            self.refused("sort", *SMALL, path, "--values", self.file("v", content), "--values-type", "1", *targets, says=["/v: ", says])
        self.refused("sort", *SMALL, path, "--values", self.file("v", bytes(3)), "--values-type", "2", *targets, says="ends within an element")
        self.refused("sort", *SMALL, path, "--values", self.file("v.npy", npy("'<u4'", count + 1, bytes(4 * count))), *targets, says=["v.npy", "follow the header"])
        self.refused("sort", *SMALL, self.file("s.npy", npy("[('a', '<u4'), ('b', '<u4')]", count // 2, keys)), "--values", self.file("v", bytes(count)), "--values-type", "2", *targets, says="have values of their own")
        self.refused("sort", *SMALL, path, "-u", "--values", path, "--values-type", "4", *targets, says="-u does not go with --values")
        self.assertFalse(os.path.exists(self.path("never.u32")) or os.path.exists(self.path("never.v")))

    def test_quantiles(self):
        """Those of an array that does not fit are those of one that does, to the last digit."""
        count = 400_000
        data = self.random.randbytes(8 * count)
        at = "0,0.000001,0.1,0.25,0.3333,0.5,0.75,0.99999,1"
        for name, content in (("k.u32", data[:4 * count]), ("k.npy", npy("'>i2'", 4 * count, data)), ("k.u64", data), ("k.f64", struct.pack("<%dd" % count, *(self.random.gauss(0, 1e6) for _ in range(count)))),
                              ("r.npy", npy("[('a', '<i4'), ('b', '|S4')]", count, data))):
            path = self.file(name, content)
            expected = self.good("sort", "-S", "4G", path, "--quantiles", at)
            status, found, said = run("sort", "-v", *SMALL, path, "--quantiles", at)
            self.assertEqual((status, found), (0, expected), name)
            self.assertRegex(said, rb"by \d+ runs; engine cpu")
            if name == "k.u64":
                self.assertEqual(expected.split()[-1], b"%d" % max(struct.unpack("<%dQ" % count, data)))
            self.refused("sort", *SMALL, path, "--quantiles", at, "-r", says="do not go with -r")
        matrices = self.file("m.npy", npy("'<f4'", 2 * count, data, shape=f"({count // 5000}, 100, 100)"))
        for along in (["--rows"], ["--axis", "1"]):
            self.assertEqual(*(self.good("sort", "-S", size, matrices, *along, "--quantiles", "0.1,0.5") for size in ("1M", "4G")))
        self.refused("sort", "-S", "1M", matrices, "--axis", "0", "--quantiles", "0.5", says="-S 1M allows")
        self.refused("sort", *SMALL, self.file("short.npy", npy("'<u4'", 2 * count, data[:-4])), "--quantiles", "0.5", says="follow the header")
        self.refused("sort", *SMALL, self.file("odd.u32", data[:-1]), "--quantiles", "0.5", says="no whole number of u32 keys")

    def test_other_ends_of_lines(self):
        name = self.file("zeros", self.lines(end="\0") + b"no end")
        self.agrees(name, "-z", "--format", "lines", "-k2,2n")
        self.assertTrue(self.content("in-runs").endswith(b"\0"))

    def test_pipes_several_inputs_and_packed_ones(self):
        text = self.lines()
        first, second = self.file("a.txt", text[:-1]), self.file("b.txt", text[::-1].strip())
        self.runs(first, "-", second, "-o", self.path("out"), stdin=text)
        self.assertTrue(self.content("out") == gnu_sort(first, "-", second, stdin=text)[1])
        packed = self.file("c.gz", subprocess.run(["gzip", "-c"], input=text, capture_output=True, check=True).stdout)
        self.runs(packed, "-o", self.path("out"))
        self.assertTrue(self.content("out") == gnu_sort(stdin=text)[1])
        self.assertTrue(self.good("sort", *SMALL, stdin=text) == gnu_sort(stdin=text)[1])

    def test_output_onto_the_input(self):
        name = self.file("a.txt", self.lines())
        wanted = gnu_sort(name)[1]
        self.runs(name, "-o", name)
        self.assertTrue(self.content("a.txt") == wanted)
        self.nothing_left("a.txt")

    def test_lines_longer_than_the_memory(self):
        text = b"".join(b"%d%s\n" % (i % 3, b"x" * (700000 + i)) for i in range(9))
        name = self.file("long.txt", text)
        self.agrees(name)

    def test_debug_shows_keys(self):
        name = self.file("a.txt", self.lines())
        status, out, _ = run("sort", *SMALL, "--debug", "-k2,2n", name)
        self.assertEqual(status, 0)
        self.assertTrue(out == run("sort", "-S", "4G", "--debug", "-k2,2n", name)[1])

    def test_rounds_of_merges(self):
        name = self.file("lines.txt", self.lines())
        for batch in (2, 3, 16):
            self.agrees(name, "--batch-size", batch, "-s", "-k2,2n", least=5)
        self.agrees(name, "--batch-size", 2, "-u", "-k2,2n")

    def test_few_open_files(self):
        name = self.file("lines.txt", self.lines())
        wanted = gnu_sort("-s", "-k2,2n", name)[1]
        limit = lambda most: lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        for most, options in ((24, []), (10, []), (8, []), (13, ["--compress-program", "gzip"])):
            self.runs(name, *options, "-s", "-k2,2n", "-o", self.path("out"), preexec_fn=limit(most))
            self.assertTrue(self.content("out") == wanted, most)
        self.file("out", "old")
        for most, options, needed in ((7, [], 8), (6, [], 8), (9, ["--compress-program", "gzip"], 12)):
            self.refused("sort", *SMALL, name, *options, "-o", self.path("out"), says=f"a sort in runs takes {needed} open files, and {most} are allowed (ulimit -n;", preexec_fn=limit(most))
            self.assertEqual(self.content("out"), b"old")
        self.nothing_left("lines.txt", "out")

    def test_records(self):
        name = self.path("r.dat")
        self.good("gen", "sortbenchmark", "-n", "30000", "-o", name)
        for options in ([], ["--key", "0:1"], ["--key", "0:1", "-u"], ["--key", "98:2:u16:be:desc", "--key", "0:2"]):
            self.agrees(name, "--record", "100", *options)
        status, _, err = run("sort", *SMALL, "--record", "97", name, "-o", self.path("out"))
        self.assertEqual((status, b"no whole number of records of 97 bytes" in err), (2, True), err)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_arrays_of_every_type(self):
        for type_name in ("u8", "i16", "u32", "i64", "f16", "f32", "f64", "bf16", "u128", "i128"):
            name = self.file("keys." + type_name, self.random.randbytes(5 << 20))
            self.agrees(name)
            self.agrees(name, "-r")
        self.agrees(self.path("keys.f64"), "--bits", "20:40")
        self.agrees(self.path("keys.i128"), "--bits", "30:100")
        self.agrees(self.path("keys.i64"), "--bits", "50:64", "-r")

    def test_npy(self):
        n = 1 << 19
        data = self.random.randbytes(16 * n)
        for descr, count, options in (("'<u8'", 2 * n, []), ("'>f8'", 2 * n, ["-r"]), ("'<M8[s]'", 2 * n, []), ("'|S4'", 4 * n, []),
                                      ("[('a', '<u2'), ('b', '>i4'), ('c', 'S10')]", n, ["--key", "b"]),
                                      ("[('a', '<u2'), ('b', '>i4'), ('c', 'S10')]", n, ["--key", "a:desc", "--key", "c"]),
                                      ("[('a', '<u1'), ('c', 'S31')]", n // 2, [])):
            name = self.file("a.npy", npy(descr, count, data))
            self.agrees(name, *options)
        with open(name, "rb") as file:
            self.assertTrue(self.good("sort", *SMALL, "--format", "npy", "-", stdin=file.read()) == self.content("in-memory"))
        short = self.file("short.npy", npy("'<u8'", 2 * n, data[:-8]))
        self.refused("sort", *SMALL, short, "-o", self.path("out"), says="follow the header")

    def test_plan(self):
        name = self.file("lines.txt", self.lines())
        out = self.good("sort", *SMALL, "--explain", "-n", name).decode()
        self.assertIn("runs", out)
        self.assertIn("merge", out)
        self.assertNotIn("runs", self.good("sort", "-S", "1G", "--explain", "-n", name).decode())

    def test_sizes(self):
        name = self.file("a.txt", "b\na\n")
        for size in ("1b", "100", "10k", "1M", "1%", "3T", "k", " +5"):
            self.assertEqual(self.good("sort", "-S", size, name), b"a\nb\n")
        for size in ("", "x", "1q", "1MM", "-1", "99999999999999999999Y", "1Y"):
            self.refused("sort", "-S" + size if size else "-S=", name, says="-S argument")


def open_files(pid):
    """Paths of what a process has open; what it closes meanwhile may be left out."""
    paths = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            paths.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
    return paths


class Disk(CommandTest):
    def big(self, lines=60000):
        return self.file("a.txt", b"".join(b"%016x %d\n" % (self.random.getrandbits(64), i) for i in range(lines)))

    def test_programs_that_compress(self):
        name = self.big()
        wanted = gnu_sort(name)[1]
        for batch in ("2", "16"):
            self.assertTrue(self.good("sort", *SMALL, "--batch-size", batch, "--compress-program", "gzip", name) == wanted)
        self.file("out", "old")
        for program, says in (("false", "false: the program ended with status 1"), ("no-such-program", "no-such-program: cannot start the program")):
            self.refused("sort", *SMALL, "--compress-program", program, name, "-o", self.path("out"), says=says)
        reads_no_more = self.file("bad.sh", "#!/bin/sh\n[ \"$1\" = -d ] && exit 3\nexec cat\n")
        os.chmod(reads_no_more, 0o755)
        self.refused("sort", *SMALL, "--compress-program", reads_no_more, name, "-o", self.path("out"), says="ended with status 3")
        # Those that lose bytes, or add some, and think that all is well.
        for way, says in (("head -c 1000", "made 1000 bytes of the"), ("cat; echo x", " or more bytes of the"), ("cat >/dev/null", "made 0 bytes of the")):
            self.file("bad.sh", "#!/bin/sh\n[ \"$1\" = -d ] || exec cat\n" + way + "\n")
            self.refused("sort", *SMALL, "--compress-program", reads_no_more, name, "-o", self.path("out"), says=["bad.sh", says, "that it was given"])
        self.assertEqual(self.content("out"), b"old")
        self.nothing_left("a.txt", "bad.sh", "out")

    def test_folders(self):
        name = self.big()
        os.mkdir(self.path("t1")), os.mkdir(self.path("t2"))
        out = self.good("sort", *SMALL, "-T", self.path("t1"), "-T", self.path("t2"), name)
        self.assertTrue(out == gnu_sort(name)[1])
        self.refused("sort", *SMALL, "-T", self.path("none"), name, says=[self.path("none"), "create a temporary file in it"])
        self.refused("sort", *SMALL, name, env={"TMPDIR": self.path("none")}, says=self.path("none"))
        self.good("sort", "-S", "1G", "-T", self.path("none"), name, "-o", self.path("out"))
        self.assertEqual(os.listdir(self.path("t1")) + os.listdir(self.path("t2")), [])

    def test_full_disk(self):
        name = self.big()
        self.file("out", "old")
        small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
        self.refused("sort", *SMALL, name, "-o", self.path("out"), says=["a temporary file in ", "File too large"], preexec_fn=small)
        self.assertEqual(self.content("out"), b"old")
        self.nothing_left("a.txt", "out")

    def in_tmpfs(self, size, *arguments):
        """Sorts with temporary files on a disk of its own; nothing where the system lets us make none."""
        os.makedirs(self.path("disk"), exist_ok=True)
        script = f'mount -t tmpfs -o size={size} none "$0" || exit 77; exec "$@"'
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script, self.path("disk"), SORTILE, "sort", *SMALL, "-T", self.path("disk"),
                               *map(str, arguments)], capture_output=True, env={**os.environ, "SORTILE_ENGINE": "cpu"}, timeout=120)
        if done.returncode in (1, 77) and b"sort" not in done.stderr:
            self.skipTest("no disk can be mounted here")
        return done

    def test_room_on_the_disk(self):
        name = self.big(400000)
        room = os.path.getsize(name) + (3 << 20)
        for batch in ("2", "5"):
            done = self.in_tmpfs(room, "--batch-size", batch, name, "-o", self.path("out"))
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertTrue(self.content("out") == gnu_sort(name)[1])
        self.file("out", "old")
        done = self.in_tmpfs(room // 2, name, "-o", self.path("out"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"No space left on device", done.stderr)
        self.assertEqual(self.content("out"), b"old")

    def test_signals(self):
        """Whatever ends the command while runs lie on the disk: they go with it, and the target is as it was."""
        self.file("out", "old")
        os.mkdir(self.path("t"))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGKILL):
            command = subprocess.Popen([SORTILE, "sort", *SMALL, "-T", self.path("t"), "-o", self.path("out")], stdin=subprocess.PIPE,
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            command.stdin.write(b"".join(b"%016x\n" % self.random.getrandbits(64) for _ in range(150000)))
            command.stdin.flush()
            for _ in range(400):
                if any(path.startswith(self.path("t")) for path in open_files(command.pid)):
                    break
                time.sleep(0.05)
            else:
                self.fail("no run was written")
            command.send_signal(number)
            self.assertEqual(command.wait(60), -number)
            command.stdin.close()
            self.assertEqual(os.listdir(self.path("t")), [])
            self.assertEqual(self.content("out"), b"old")
            if number != signal.SIGKILL: # which leaves the unfinished output
                self.nothing_left("out", "t")


@unittest.skipIf(SANITIZED, "a sanitizer takes memory of its own")
class Memory(CommandTest):
    LIMIT = 8

    def peak(self, *arguments):
        """MiB that a sort takes at most."""
        # What a process took before it became the command counts too: so it is started by a small one, not by this one.
        start = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
                 "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        done = subprocess.run([sys.executable, "-c", start, SORTILE, "sort", "-S", f"{self.LIMIT}M", *map(str, arguments),
                               "-o", self.path("out")], capture_output=True, check=True)
        return int(done.stdout) / 1024

    def test_peak_is_below_the_limit_and_64_mib(self):
        short = self.file("short.txt", b"\n".join(b"%d" % self.random.randrange(10) for _ in range(4 << 20)))
        self.assertLess(self.peak("-n", short), self.LIMIT + 64)
        self.assertLess(self.peak("--compress-program", "gzip", "--batch-size", "8", short), self.LIMIT + 64)
        long = self.file("long.txt", b"".join(b"%0200d\n" % self.random.getrandbits(100) for _ in range(400000)))
        self.assertLess(self.peak("-k1,1", long), self.LIMIT + 64)
        keys = self.file("keys.u64", self.random.randbytes(80 << 20))
        self.assertLess(self.peak(keys), self.LIMIT + 64)

    def test_many_inputs_are_merged_within_the_limit(self):
        """Short inputs take what they hold, and of long ones no more are open at once than the limit has buffers for."""
        os.mkdir(self.path("in"))
        for size in (1, 20000):
            names = [self.file(f"in/{i}", b"%04d\n" % i * size) for i in range(1000)]
            self.assertLess(self.peak("-m", "--no-sync", *names), self.LIMIT + 64)
            self.assertTrue(self.content("out") == b"".join(b"%04d\n" % i * size for i in range(1000)))
        self.LIMIT = 1 << 14  # MiB: a limit that does not bind
        names = [self.file(f"in/{i}", b"%04d\n" % i) for i in range(1000)]
        self.assertLess(self.peak("-m", "--no-sync", *names), 64)


if __name__ == "__main__":
    unittest.main()
