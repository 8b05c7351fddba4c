"""Tables: CSV and TSV, against what Python's csv module and exact arithmetic make of them."""

import csv
import decimal
import io
import unittest

from harness import CommandTest, run


def write_csv(rows, newline="\n", delimiter=","):
    text = io.StringIO()
    csv.writer(text, lineterminator=newline, delimiter=delimiter).writerows(rows)
    return text.getvalue().encode()


def number_key(cell):
    """Empty first, nan last, numbers exactly."""
    cell = cell.strip(" \t")
    if not cell:
        return (0, 0)
    if cell.lower() == "nan":
        return (2, 0)
    return (1, decimal.Decimal(cell))


class Tables(CommandTest):
    NUMBERS = ["", "0", "-0", "1", "-1", "1.0", "10", "9", "1e3", "1E-3", "-2.5e2", "+7", ".5", "5.", "inf", "-Infinity", "nan", " 12 ",
               "123456789012345678901234567890", "123456789012345678901234567891", "1e400", "1e-400", "0.0000001", "99999999999999999"]
    TEXTS = ["", "a", "b", "ab", "a,b", 'say "hi"', "two\nlines", "x" * 30, "é", "Z", "\"", "a\tb", "a b", "a\"\"b"]

    def rows(self, n):
        r = self.random
        integers = r.random() < 0.5
        return [[r.choice(self.TEXTS), str(r.randrange(-500, 500)) if integers else r.choice(self.NUMBERS), r.choice(self.TEXTS)] for _ in range(n)]

    def test_random_tables(self):
        for _ in range(120):
            rows = self.rows(self.random.choice([0, 1, 2, 20, 500]))
            newline = self.random.choice(["\n", "\r\n"])
            delimiter = self.random.choice([",", ",", "\t", ";"])
            header = ["name", "size", "rest, of it"]
            text = write_csv([header] + rows, newline, delimiter)
            down = [self.random.random() < 0.5 for _ in range(2)]
            by = "size%s%s,%s" % (":desc" if down[0] else self.random.choice(["", ":asc"]), self.random.choice(["", ":num"]),
                                  '"rest, of it"' + (":desc" if down[1] else ""))
            if not any(row[1].strip() for row in rows):
                by = by.replace("size", "size:num", 1) if ":num" not in by else by
            expected = sorted(rows, key=lambda row: row[2].encode(), reverse=down[1])
            expected = sorted(expected, key=lambda row: number_key(row[1]), reverse=down[0])
            name = self.file("table.tsv" if delimiter == "\t" else "table.csv", text)
            options = ["-t", ";"] if delimiter == ";" else []
            out = self.good("sort", name, "--by", by, *options)
            self.assertEqual(out, write_csv([header] + expected, newline, delimiter), (by, text[:500]))
            self.good("check", self.file("out.tsv" if delimiter == "\t" else "out.csv", out), "--by", by, "--permutation-of", name, *options)

    def test_detection(self):
        text = b"n,t\n10,10\n9,x\n"
        self.assertEqual(self.good("sort", "--by", "n", stdin=text), b"n,t\n9,x\n10,10\n")
        self.assertEqual(self.good("sort", "--by", "n:text", stdin=text), b"n,t\n10,10\n9,x\n")
        self.assertEqual(self.good("sort", "--by", "t", stdin=text), b"n,t\n10,10\n9,x\n")
        self.refused("sort", "--by", "t:num", says=["line 3", "'x'", "'t'", "not a number"], stdin=text)
        self.assertIn(b"as a number", self.good("sort", "--explain", "--by", "n", stdin=text))
        self.assertEqual(self.good("sort", "-r", "--by", "n:asc,t", stdin=text), b"n,t\n9,x\n10,10\n")
        self.assertEqual(self.good("sort", "-r", "--by", "n", stdin=text), text)

    def test_bytes_are_kept(self):
        text = b'\xef\xbb\xbfid,v\r\n"2",  b \r\n1,"a ""q"""\r\n1,x'
        self.assertEqual(self.good("sort", "--by", "id", stdin=text), b'\xef\xbb\xbfid,v\r\n1,"a ""q"""\r\n1,x\r\n"2",  b \r\n')
        self.assertEqual(self.good("sort", "--by", "id", stdin=b"id"), b"id\n")
        self.assertEqual(self.good("sort", "--by", "id", "-u", stdin=b"id,x\n1,b\n1,a\n0,c\n"), b"id,x\n0,c\n1,b\n")

    def test_no_quotes(self):
        path = self.file("t.tsv", b'a\tb\n5"\t2\n6"\t1\n')
        self.refused("sort", path, "--by", "b", says=["t.tsv", "line 2", "quote"])
        self.assertEqual(self.good("sort", path, "--by", "b", "--no-quotes"), b'a\tb\n6"\t1\n5"\t2\n')

    def test_malformed(self):
        for text, says in {b"": "empty", b"a,b\n1,2\n3\n": "line 3: 1 cells, but the header has 2", b"a,b\n1,2,3\n": "line 2: 3 cells",
                           b'a,b\n"x\ny",1\n2\n': "line 4", b'a,b\n1,"2\n': "never closed", b'a,b\n1,2"x"\n': "line 2: a quote inside",
                           b'a,b\n1,"2"x\n': "line 2: text after", b'"a,b\n1,2\n': "line 1", b"a,b\n1,2\n\n3,4\n": "line 3"}.items():
            path = self.file("bad.csv", text)
            self.refused("sort", path, "--by", "a", says=["bad.csv", says])
            self.refused("check", path, "--by", "a", says=["bad.csv", says])

    def test_columns(self):
        path = self.file("t.csv", b"a,b,b\n1,2,3\n")
        self.refused("sort", path, says=["t.csv", "--by"])
        self.refused("sort", path, "--by", "c", says=["no column 'c'", "a, b, b"])
        self.refused("sort", path, "--by", "b", says="several columns 'b'")
        for by in ("", "a:up", "a,", ",a", "a:", '"a', '"a"b'):
            self.refused("sort", path, "--format", "csv", "--by", by, says="--by")
        self.refused("sort", path, "--by", "a", "-n", says="-n goes with lines")
        self.refused("sort", path, path, "--by", "a", says="one file at a time")

    def test_merge(self):
        header = ["k", "v"]
        parts = [sorted(([str(self.random.randrange(100)), self.random.choice(self.TEXTS)] for _ in range(n)), key=lambda row: int(row[0]))
                 for n in (30, 0, 100)]
        for newline in ("\n", "\r\n"):
            paths = [self.file("p%d.csv" % i, write_csv([header] + part, newline)) for i, part in enumerate(parts)]
            expected = write_csv([header] + sorted(sum(parts, []), key=lambda row: int(row[0])), newline)
            self.assertEqual(self.good("merge", *paths, "--by", "k:num"), expected)
        self.refused("merge", paths[0], self.file("x.csv", b"k,w\r\n"), "--by", "k", says=["x.csv", "header"])
        self.refused("merge", self.file("x.csv", b"k,v\n2,a\n10,b\n"), "--by", "k", "-o", self.path("o"), says=["x.csv", "line 3", "out of order"])
        self.refused("merge", self.file("x.csv", b"k,v\n2,a\n3\n"), "--by", "k:num", "-o", self.path("o"), says=["x.csv", "line 3", "1 cells"])
        self.refused("merge", self.file("x.csv", b"k,v\n2,a\nx,b\n"), "--by", "k:num", "-o", self.path("o"), says=["x.csv", "line 3", "number"])


if __name__ == "__main__":
    unittest.main()
