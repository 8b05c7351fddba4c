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
        for text, says in {b"": "empty", b"a,b\n1,2\n3\n": "line 3: 1 cell, but the header has 2", b"a,b\n1,2,3\n": "line 2: 3 cells",
                           b'a,b\n"x\ny",1\n2\n': "line 4", b'a,b\n1,"2\n': "line 2: a quoted cell is never closed", b'a,b\n"x\ny",1\n2,3" pipe\n"4",5\n': "line 4: a quote inside the unquoted cell '3\" pipe",
                           b'a,b\n1,2\n3,"x\n5,6\n': "line 3: a quoted cell is never closed", b'a,b\n1,2"x"\n': "line 2: a quote inside",
                           b'a,b\n1,"2"x\n': "line 2: text after", b'"a,b\n1,2\n': "line 1", b"a,b\n1,2\n\n3,4\n": "line 3",
                           b"a,b\r2,x\r1,y\r": "line 1: a carriage return within the cell 'b\\r2'", b'a,b\n1,x"\0y\n': "a quote inside the unquoted cell 'x\"\\000y' (allowed: "}.items():
            path = self.file("bad.csv", text)
            self.refused("sort", path, "--by", "a", says=["bad.csv", says])
            self.refused("check", path, "--by", "a", says=["bad.csv", says])
        # Carriage returns within quotes, and several in front of a newline, are no ends of rows.
        for text in (b'a,"b\rc"\r\n%s\r\n%s\r\n', b"a,b\r\r\n%s\r\r\n%s\r\r\n"):
            self.assertEqual(self.good("sort", "--format", "csv", "--by", "a", stdin=text % (b"2,x", b"1,y")), text % (b"1,y", b"2,x"))

    def test_columns(self):
        path = self.file("t.csv", b"a,b,b\n1,2,3\n")
        self.refused("sort", path, says=["t.csv", "--by"])
        self.refused("sort", path, "--by", "c", says=["no column 'c'", "a, b, b"])
        self.refused("sort", path, "--by", "b", says="several columns 'b'")
        for by in ("", "a:up", "a,", ",a", "a:", '"a', '"a"b'):
            self.refused("sort", path, "--format", "csv", "--by", by, says="--by")
        self.refused("sort", path, "--by", "a", "-n", says="-n goes with lines")

    def test_headers_that_say_the_same(self):
        """Quotes, line ends and a byte order mark apart: where all tables are in memory, and where merge reads row by row."""
        files = [self.file("h%d.csv" % i, content) for i, content in enumerate((b"a,b\n1,x\n", b"a,b\r\n2,y\r\n", b"\xef\xbb\xbfa,b\n3,z", b'"a",b\n4,\n', b'a,"b"\r\n5,w'))]
        rows = {files[0]: b"1,x\n", files[1]: b"2,y\r\n", files[2]: b"3,z", files[3]: b"4,\n", files[4]: b"5,w"}
        for by in ("a", "a:num", "a:num,b:text"):
            for i, first in enumerate(files):
                for second in files[i:]:
                    merged = self.good("merge", first, second, "--by", by)
                    self.assertEqual(merged.replace(b"\r", b""), self.good("sort", first, second, "--by", "a").replace(b"\r", b""), (first, second, by))
                    for path in (first, second):
                        self.assertIn(b"\n" + rows[path], merged)
        other = self.file("o.csv", b"a,c\n9,x\n")
        more = self.file("m.csv", b"a,b,c\n9,x,y\n")
        semicolons = self.file("s.csv", b"a;b\n9;x\n")
        for command in (["sort", "--by", "a"], ["merge", "--by", "a"], ["merge", "--by", "a:num"]):
            self.refused(*command, files[0], other, says=["o.csv", "its header is another than that of", "h0.csv: column 2 is 'c', not 'b'"])
            self.refused(*command, files[0], more, says=["m.csv", "3 columns, not 2"])
            self.refused(*command, files[0], semicolons, says=["s.csv", "';', but that of" if command[-1] == "a" else "1 column, not 2"])
        self.refused("sort", "--no-header", "--by", "1", files[0], more, says=["m.csv", "its first row has 3 cells"])

    def test_several_inputs(self):
        parts = [[[self.random.choice(self.TEXTS), str(self.random.randrange(50))] for _ in range(n)] for n in (20, 0, 7)]
        paths = [self.file("p%d.csv" % i, write_csv([["t", "n"]] + part)[:-1 if i == 2 else None]) for i, part in enumerate(parts)]
        expected = write_csv([["t", "n"]] + sorted(sum(parts, []), key=lambda row: int(row[1])))
        self.assertEqual(self.good("sort", *paths, "--by", "n"), expected)
        self.refused("sort", paths[0], self.file("x.csv", b"t,m\n"), "--by", "n", says=["x.csv", "header"])
        self.refused("sort", paths[1], self.file("y.csv", b"t,n\na,1\nb\n"), "--by", "n", says=["y.csv", "line 3", "1 cell"])

    def test_separators_are_found(self):
        rows = [["2", "a,b"], ["10", "c|d"], ["1", "e\tf"]]
        for delimiter in ",;\t|":
            text = write_csv([["n", "t"]] + rows, delimiter=delimiter)
            expected = write_csv([["n", "t"]] + [rows[2], rows[0], rows[1]], delimiter=delimiter)
            self.assertEqual(self.good("sort", self.file("t.csv", text), "--by", "n"), expected, delimiter)
            self.good("check", self.file("s.csv", expected), "--by", "n", "--permutation-of", self.path("t.csv"))
            self.assertEqual(self.good("merge", self.path("s.csv"), self.path("s.csv"), "--by", "n:num").count(b"\n"), 7)
        self.assertEqual(self.good("sort", self.file("g.csv", b"a;b\n1,5;2\n0,5;3,25\n"), "--by", "b"), b"a;b\n1,5;2\n0,5;3,25\n")

    def test_no_header(self):
        self.assertEqual(self.good("sort", "--by", "2", "--no-header", stdin=b"a,10\nb,9\n"), b"b,9\na,10\n")
        self.assertEqual(self.good("sort", "--by", "2:desc", "--no-header", "--format", "csv", stdin=b"\xef\xbb\xbfa,9\nb,10"), b"\xef\xbb\xbfb,10\na,9\n")
        self.good("check", self.file("t.csv", b"1,x\n2,a\n"), "--by", "1", "--no-header")
        self.refused("sort", "--by", "3", "--no-header", stdin=b"a,10\n", says=["no column '3'", "1, 2"])
        self.refused("sort", "--by", "1", "--no-header", stdin=b"a,b\nc\n", says=["line 2", "the first row has 2"])

    def test_comments(self):
        text = b"# made by hand\n# twice\nn,t\n2,a\n1,b\n"
        self.assertEqual(self.good("sort", "--by", "n", "--comment", "#", stdin=text), b"# made by hand\n# twice\nn,t\n1,b\n2,a\n")
        inside = b"#c\nn,t\n2,a\n# in between\n1,b\n"
        self.refused("sort", "--by", "n", "--comment", "#", stdin=inside, says=["line 4", "comment"])
        self.assertEqual(self.good("sort", "--by", "n", "--comment", "#", "--bad-rows=last", stdin=inside), b"#c\nn,t\n1,b\n2,a\n# in between\n")
        self.refused("sort", "--by", "n", "--comment", "##", stdin=text, says="single character")

    def test_bad_rows(self):
        text = b'n,t\n3,c\n\n1,a\n2\n"x\ny",q\n2,b,c\n"2",b\n7,d"e'
        good, bad = b'n,t\n1,a\n"2",b\n3,c\n', b'\n2\n"x\ny",q\n2,b,c\n7,d"e\n'
        text += b'"\n'  # an even number of quotes
        bad = bad.replace(b'd"e', b'd"e"')
        self.refused("sort", "--by", "n:num", stdin=text, says=["line 3", "1 cell"])
        self.assertEqual(self.good("sort", "--by", "n:num", "--bad-rows=last", stdin=text), good + bad)
        self.assertEqual(self.good("sort", "--by", "n:num", "--bad-rows=drop", stdin=text), good)
        self.assertIn(b"5 bad rows, left out", run("sort", "-v", "--by", "n:num", "--bad-rows=drop", stdin=text)[2])
        self.good("check", self.file("t.csv", good + bad), "--by", "n:num", "--bad-rows=drop")
        self.assertEqual(run("check", self.file("u.csv", b"n\n1\nx,y\n0\n"), "--by", "n", "--bad-rows=drop")[2], b"sortile check: %s:4: disorder: 0\n" % self.path("u.csv").encode())
        self.assertEqual(self.good("merge", self.path("t.csv"), "--by", "n:num", "--bad-rows=drop"), good)

    def test_empty_cells(self):
        text = b"n,t\n2,a\n,b\n1,c\n ,d\n"
        for by, order in {"n": "bdca", "n:nulls-first": "bdca", "n:nulls-last": "cabd", "n:desc": "acbd", "n:desc:nulls-first": "bdac", "n:desc:nulls-last": "acbd"}.items():
            out = self.good("sort", "--by", by, stdin=text)
            self.assertEqual("".join(row.split(",")[1] for row in out.decode().split("\n")[1:-1]), order, by)
            self.good("check", self.file("o.csv", out), "--by", by)
            if by != "n":
                self.good("merge", self.file("o.csv", out), "--by", by.replace("n", "n:num", 1))
        self.assertEqual(self.good("sort", "--by", "n", "--nulls", "last", stdin=text), self.good("sort", "--by", "n:nulls-last", stdin=text))
        self.assertEqual(self.good("sort", "--by", "t:nulls-last", stdin=b"n,t\n1,\n2,a\n"), b"n,t\n2,a\n1,\n")
        # Blanks alone are text among texts, whichever way round, and empty among numbers.
        blanks = b"t,n\nb,2\n ,\n,1\na,  \n"
        for by, order in {"t:nulls-first": ",1| ,|a,  |b,2", "t:nulls-last": " ,|a,  |b,2|,1", "t:desc:nulls-first": ",1|b,2|a,  | ,", "t:desc": "b,2|a,  | ,|,1",
                          "n:nulls-last": ",1|b,2| ,|a,  ", "n:desc:nulls-first": " ,|a,  |b,2|,1"}.items():
            self.assertEqual(self.good("sort", "--format", "csv", "--by", by, stdin=blanks), b"t,n\n" + order.replace("|", "\n").encode() + b"\n", by)

    def test_times(self):
        import datetime
        utc = datetime.timezone.utc
        rows = []
        for _ in range(300):
            at = datetime.datetime(self.random.choice([1, 1969, 1970, 2024, 9998]), 2, 28, tzinfo=utc) + datetime.timedelta(seconds=self.random.randrange(-10**5, 10**5), microseconds=self.random.choice([0, 0, 1, 500000]))
            at = at if at.year > 1 else at.replace(year=2)
            zone = self.random.choice(["", "Z", "+01:00", "-0330", "+05"])
            shown = at.astimezone(datetime.timezone({"": datetime.timedelta(0), "Z": datetime.timedelta(0), "+01:00": datetime.timedelta(hours=1), "-0330": -datetime.timedelta(hours=3, minutes=30),
                                                     "+05": datetime.timedelta(hours=5)}[zone])).replace(tzinfo=None)
            rows.append((at, shown.isoformat(self.random.choice("T ")) + zone))
        rows += [(datetime.datetime(2024, 2, 29, tzinfo=utc), "2024-02-29"), (datetime.datetime(2024, 2, 29, 1, 30, tzinfo=utc), "2024-02-29T01:30")]
        self.random.shuffle(rows)
        text = lambda some: b"when,n\n" + b"".join(b"%s,%d\n" % (shown.encode(), i) for i, (_, shown) in some)
        numbered = list(enumerate(rows))
        out = self.good("sort", "--by", "when", stdin=text(numbered))
        self.assertEqual(out, text(sorted(numbered, key=lambda row: row[1][0])))
        self.assertEqual(self.good("sort", "--by", "when:time:desc", stdin=text(numbered)), text(sorted(numbered, key=lambda row: row[1][0], reverse=True)))
        self.assertIn(b"as a date or time", self.good("sort", "--explain", "--by", "when", stdin=text(numbered)))
        for wrong in ("2023-02-29", "2024-13-01", "2024-1-1", "2024-01-01T24:00", "2024-01-01T10", "2024-01-01 10:00:00.", "2024-01-01 10:00+25", "20240101", "2024-01-01x"):
            self.refused("sort", "--by", "when:time", stdin=b"when\n" + wrong.encode() + b"\n", says=["line 2", wrong, "no date or time"])

    def test_natural_and_versions(self):
        names = ["a1", "a2", "a10", "a10b2", "a10b10", "b", "B", "a", "", "a01", "1", "10", "9", "a" + "9" * 300, "a" + "9" * 301, "a-1", "ab", "a0", "a00", "a1.5", "a1.10"]

        def natural(name):
            import re
            return [((ord("0"), len(p.lstrip("0")), p.lstrip("0")) if p.isdigit() else (ord(p), 0, "")) for p in re.findall(r"\d+|\D", name)]
        for _ in range(20):
            self.random.shuffle(names)
            text = "t\n" + "\n".join(names) + "\n"
            self.assertEqual(self.good("sort", "--by", "t:natural", "--format", "csv", stdin=text.encode()).decode().split("\n")[1:-1], sorted(names, key=natural))
        self.assertEqual(self.good("sort", "--by", "v:version", stdin=b"v\n1.10\n1.9\n1.9~rc1\n"), b"v\n1.9~rc1\n1.9\n1.10\n")

    def test_semantic_versions(self):
        """In the order of semver.org, section 11, and with what it says of numbers and builds."""
        rising = ["0.0.0-0", "0.0.0", "0.9.10", "1.0.0-0", "1.0.0-1", "1.0.0-9", "1.0.0-10", "1.0.0--", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
                  "1.0.0-alpha-a", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1-x", "1.2.0", "1.10.0-rc.1", "v1.10.0", "2.0.0",
                  "10.0.0", "1" + "0" * 300 + ".0.0"]
        for _ in range(20):
            shuffled = self.random.sample(rising, len(rising))
            for order, expected in (("", rising), (":desc", rising[::-1])):
                text = "\n".join(["v", *shuffled, ""])
                self.assertEqual(self.good("sort", "--by", "v:semver" + order, stdin=text.encode(), ).decode().split("\n")[1:-1], expected)
        self.assertEqual(self.good("sort", "--by", "v:semver", "-u", stdin=b"v,w\n1.0.0+b,1\n1.0.0+a,2\n,3\n1.0.0-a+c,4\n"), b"v,w\n,3\n1.0.0-a+c,4\n1.0.0+b,1\n")
        for wrong in ("1.0", "1.0.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0-a..b", "1.0.0+", "1.0.0+a_b", "a.b.c", "vv1.0.0", "1.0.0 rc"):
            self.refused("sort", "--by", "v:semver", stdin=b"v,w\n" + wrong.encode() + b",1\n", says=["line 2", wrong, "no semantic version"])
        self.assertIn(b"as a semantic version", self.good("sort", "--explain", "--by", "v:semver", stdin=b"v\n1.0.0\n"))

    def test_types(self):
        text = b"a,b,c,d,e\n1,1.5,2024-01-01,x,\n2,,,,\n"
        self.assertEqual(self.good("sort", "--types", self.file("t.csv", text)), b"a\tinteger\nb\tnumber\nc\ttime\nd\ttext\ne\tempty\n")
        self.refused("sort", "--types", self.file("w.txt", b"x\n"), says="--types goes with tables")

    def test_wide_text(self):
        self.refused("sort", self.file("w.csv", "a,b\n1,2\n".encode("utf-16")), "--by", "a", says=["w.csv", "UTF-16", "iconv"])

    def test_merge(self):
        header = ["k", "v"]
        parts = [sorted(([str(self.random.randrange(100)), self.random.choice(self.TEXTS)] for _ in range(n)), key=lambda row: int(row[0]))
                 for n in (30, 0, 100)]
        for newline in ("\n", "\r\n"):
            paths = [self.file("p%d.csv" % i, write_csv([header] + part, newline)) for i, part in enumerate(parts)]
            expected = write_csv([header] + sorted(sum(parts, []), key=lambda row: int(row[0])), newline)
            self.assertEqual(self.good("merge", *paths, "--by", "k:num"), expected)
        self.refused("merge", paths[0], self.file("x.csv", b"k,w\r\n"), "--by", "k", says=["x.csv", "header"])
        self.refused("merge", self.file("x.csv", b"k,v\n2,a\n10,b\n"), "--by", "k:text", "-o", self.path("o"), says=["x.csv", "line 3", "out of order"])
        self.refused("merge", self.file("x.csv", b"k,v\n2,a\n3\n"), "--by", "k:num", "-o", self.path("o"), says=["x.csv", "line 3", "1 cell"])
        self.refused("merge", self.file("x.csv", b"k,v\n2,a\nx,b\n"), "--by", "k:num", "-o", self.path("o"), says=["x.csv", "line 3", "number"])

    def test_merge_takes_what_sort_takes(self):
        """Types that are found by looking, tables without header, with comments and bad rows: as sort orders each of them, and all of them."""
        row = lambda n: "%s,%s,2024-0%d-11\n" % (self.random.choice(["", "-7", "10", "9", "1e2"]), self.random.choice(["a", '"b,\nb"', "ä"]), n % 9 + 1)
        bodies = ["".join(row(self.random.randrange(99)) for _ in range(n)) for n in (40, 0, 25)]
        for options, header in ((["--by", "n"], "n,t,d\n"), (["--by", "d:desc,n"], "n,t,d\n"), (["--by", "n:desc:nulls-first,t", "-u"], "n,t,d\n"), (["--by", "1,3", "--no-header"], ""),
                                (["--by", "n", "--comment", "#"], "# of all\nn,t,d\n"), (["--by", "n,d", "--bad-rows=drop"], "n,t,d\nbad\n")):
            paths = [self.file("m%d.csv" % i, header + body) for i, body in enumerate(bodies)][:2 if not header else 3]
            if not header:
                paths = paths[:1] + [self.file("m2.csv", bodies[2])]
            expected = self.good("sort", *paths, *options)
            for path in paths:
                self.good("sort", path, *options, "-o", path)
            self.assertEqual(self.good("merge", *paths, *options), expected, options)
            self.refused("merge", paths[0], self.file("wrong.csv", header + "9,a,2024-01-01\n10,a,2024-02-02\n-3,a,2023-01-01\n9,b,2025-01-01\n"), *options,
                         says=["wrong.csv", "line ", "out of order"])
        self.refused("merge", self.file("x.csv", b"k\n9\n10\n"), self.file("y.csv", b"k\nx\n"), "--by", "k", says=["x.csv", "line 3", "out of order"])  # text in all

    def test_top(self):
        text = b'n,t\n5,"x\ny"\n3,b\n5,a\n1,c\n'
        self.assertEqual(self.good("sort", "--by", "n:desc", "--top", "2", stdin=text), b'n,t\n5,"x\ny"\n5,a\n')
        self.assertEqual(self.good("sort", "--by", "n", "--top", "0", stdin=text), b"n,t\n")
        self.assertEqual(self.good("sort", "--by", "n:desc", "-u", "--count", "--top", "2", stdin=text), b'n,t,count\n5,"x\ny",2\n3,b,1\n')
        self.assertEqual(self.good("sort", "--by", "1:desc", "--no-header", "--top", "1", stdin=b"1\n7\n"), b"7\n")
        self.refused("sort", "--by", "n", "--top", "1", "--bad-rows=last", stdin=text, says=["--top", "--bad-rows=last"])


if __name__ == "__main__":
    unittest.main()
