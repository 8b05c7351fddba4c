"""Lines: byte for byte what LC_ALL=C sort makes of them, over random inputs and random combinations of options."""

import os
import subprocess
import threading
import time
import unittest
import zlib

from harness import SORTILE, CommandTest, gnu_sort, run

ROUNDS = 400


class Lines(CommandTest):
    maxDiff = None

    def words(self):
        r = self.random
        return [b"", b"a", b"A", b"b", b"ab", b"aB", b"abcdefg", b"abcdefgh", b"abcdefgH", b"\xff", b"\x00", b"-1", b"1", b"01", b"-0", b"0",
                b"1.5", b"1.50", b"-1.5", b".5", b"5.", b"1e3", b"10000000000000000000000", b"9" * 40, b"9" * 40 + b".1", b"-" + b"9" * 40,
                b"%d" % r.randrange(-10**6, 10**6), b"%d" % r.randrange(-2**70, 2**70), b"%.3f" % r.uniform(-100, 100), b"x" * r.randrange(40)]

    def text(self, end):
        r = self.random
        words = self.words()
        separators = [b" ", b"\t", b":", b"  ", b",", b""]
        if r.random() < 0.3:
            words = r.sample(words, 3)
        prefix = r.choice([b"", b"", b"common prefix of every line ", b"k" * 14])
        lines = [prefix + b"".join(r.choice(words) + r.choice(separators) for _ in range(r.randrange(5)))
                 for _ in range(r.choice([0, 1, 2, 5, 30, 200, 3000]))]
        lines = [line.replace(b"\x00", b"\n" if r.random() < 0.5 else b"Z") for line in lines] if end == b"\0" else lines
        text = end.join(lines)
        return text + end if lines and r.random() < 0.7 else text

    def key(self):
        r = self.random
        letters = lambda: "".join(sorted({r.choice("bfnr") for _ in range(r.choice([0, 0, 1, 2]))}))
        key = "%d" % r.randrange(1, 5)
        if r.random() < 0.4:
            key += ".%d" % r.randrange(1, 6)
        key += letters()
        if r.random() < 0.7:
            key += ",%d" % r.randrange(1, 5)
            if r.random() < 0.4:
                key += ".%d" % r.randrange(0, 6)
            key += letters()
        return key

    def options(self):
        r = self.random
        options = [flag for flag in ("-n", "-r", "-f", "-b", "-s", "-u", "-z") if r.random() < 0.2]
        for _ in range(r.choice([0, 0, 1, 1, 2, 3])):
            options += r.choice([["-k", self.key()], ["-k" + self.key()]])
        if r.random() < 0.4:
            options += r.choice([["-t", ":"], ["-t:"], ["-t", " "], ["-t,"]])
        return options

    def long_line(self, blocks, options, first, last):
        """Sorts a line of so many blocks, which comes and goes through pipes, and two short ones."""
        block, others = b"7" * (1 << 24), b"short\na\n"

        def feed(pipe):
            with pipe:
                for _ in range(blocks):
                    pipe.write(block)
                pipe.write(b"\n" + others)

        with subprocess.Popen([SORTILE, "sort", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as command:
            feeder = threading.Thread(target=feed, args=(command.stdin,))
            feeder.start()
            self.assertEqual(command.stdout.read(len(first)), first, options)
            self.assertTrue(all(command.stdout.read(len(block)) == block for _ in range(blocks)), options)
            self.assertEqual(command.stdout.read(), b"\n" + last, options)
            feeder.join()
        self.assertEqual(command.returncode, 0)

    @unittest.skipIf(os.environ.get("SORTILE_SANITIZED", "") not in ("", "OFF"), "a sanitizer takes several times the memory")
    def test_a_line_of_a_gigabyte(self):
        """The line is moved whole, by way of the disk too (there 128 MB of it, since disks may be slow)."""
        with open("/proc/meminfo", encoding="ascii") as facts:
            available = next(int(line.split()[1]) for line in facts if line.startswith("MemAvailable"))
        if available < 4 << 20:
            self.skipTest("a line of 1 GB needs 4 GB of memory")
        self.long_line(64, [], b"", b"a\nshort\n")  # digits come before letters
        self.long_line(8, ["-k1,1n"], b"a\nshort\n", b"")
        self.long_line(8, ["-S", "10M", "-r"], b"short\na\n", b"")

    def test_merges_in_rounds(self):
        """`merge` has the options of `sort` that say where rounds of merges leave their files."""
        parts = [self.file("%02d" % i, b"".join(b"%05d\n" % (k * 11 + i) for k in range(500))) for i in range(11)]
        os.mkdir(self.path("t"))
        whole = b"".join(b"%05d\n" % k for k in range(5500))
        for options in ([], ["--batch-size", "2"], ["--batch-size=3", "-T", self.path("t")], ["--batch-size=4", "--compress-program", "gzip"]):
            self.assertTrue(self.good("merge", *options, *parts) == whole, options)
        self.assertEqual(os.listdir(self.path("t")), [])
        self.refused("merge", "--batch-size", "2", "-T", self.path("none"), *parts, says=self.path("none"))
        self.refused("merge", "--batch-size", "1", *parts, says="minimum --batch-size argument is '2'")

    def test_against_sort(self):
        for round_number in range(ROUNDS):
            options = self.options()
            text = self.text(b"\0" if "-z" in options else b"\n")
            expected = gnu_sort(*options, stdin=text)
            self.assertEqual(expected[0], 0, (options, expected[2]))
            got = run("sort", *options, stdin=text)
            self.assertEqual(got, (0, expected[1], b""), (round_number, options, text[:300]))
            for check in (["sort", "-c"], ["check"]):
                self.assertEqual(run(*check, *options, stdin=expected[1])[0], 0, (options, expected[1][:300]))
            self.assertEqual(run("sort", "-C", *options, stdin=text)[0], gnu_sort("-C", *options, stdin=text)[0], (options, text[:300]))

    def test_merge_against_sort(self):
        for round_number in range(ROUNDS // 4):
            options = self.options()
            end = b"\0" if "-z" in options else b"\n"
            names = []
            for i in range(self.random.randrange(1, 5)):
                names.append(self.file("part%d" % i, gnu_sort(*options, stdin=self.text(end))[1]))
            expected = gnu_sort("-m", *options, *names)[1]
            self.assertEqual(run("merge", *options, *names), (0, expected, b""), (round_number, options))
            self.assertEqual(run("sort", "-m", *options, *names), (0, expected, b""), (round_number, options))

    def test_several_inputs(self):
        first, second = self.file("first", b"b\nd"), self.file("second", b"c\na\n")
        self.assertEqual(self.good("sort", first, second), b"a\nb\nc\nd\n")
        self.assertEqual(self.good("sort", first, "-", stdin=b"a"), b"a\nb\nd\n")

    def test_fields_that_begin_alike(self):
        r = self.random
        ends = [b"%d" % i for i in range(60)] + [b"", b"x", b"\xff"]
        lines = [b"of no consequence " * r.randrange(2) + b"a/common/prefix/" + r.choice(ends) + b" a/common/prefix/" + r.choice(ends) + b" %d" % r.randrange(9) for _ in range(3000)]
        for text in (b"\n".join(lines), b"\n".join(line for line in lines if line.startswith(b"a/"))):
            for options in (["-k1,1", "-u"], ["-k1,1", "-s"], ["-k1,1r", "-s"], ["-k2,2", "-u", "-r"], ["-k2", "-s"], ["-t/", "-k3,4", "-u"], ["-k1.3,1.18", "-s"], ["-k2b,2b", "-s"]):
                self.assertEqual(self.good("sort", *options, stdin=text), gnu_sort(*options, stdin=text)[1], options)

    def test_long_common_prefixes(self):
        prefix = bytes(self.random.randrange(256) for _ in range(5000)).replace(b"\n", b" ")
        lines = [prefix + b"%d" % self.random.randrange(1000) for _ in range(500)] + [prefix[:n] for n in range(4990, 5000)]
        self.random.shuffle(lines)
        text = b"\n".join(lines) + b"\n"
        self.assertEqual(self.good("sort", stdin=text), gnu_sort(stdin=text)[1])

    def test_large_groups(self):
        lines = [b"prefix%d %s" % (self.random.randrange(3), b"tail" * 4 + b"%d" % self.random.randrange(10**6)) for _ in range(150000)]
        text = b"\n".join(lines) + b"\n"
        self.assertEqual(self.good("sort", stdin=text), gnu_sort(stdin=text)[1])
        self.assertEqual(self.good("sort", "-k1,1", "-k2.5nr", stdin=text), gnu_sort("-k1,1", "-k2.5nr", stdin=text)[1])

    def test_long_records_in_linear_time(self):
        """Numbers and fields of very many characters: what reads them once a word takes minutes here."""
        r = self.random
        digits = lambda n: b"".join(b"%018d" % r.randrange(10**18) for _ in range(n // 18))
        million, part = digits(10**6), digits(3 * 10**5)
        zeros = b"0" * 3 * 10**5
        cases = {
            "two numbers": ([b"7" + million + b"2", b"7" + million + b"1"], ["-n"]),
            "equal numbers": ([b"7" + part] * 14 + [b"8" + part], ["-n"]),
            "numbers that end apart": ([b"7" + part + b"%d" % i for i in r.sample(range(100, 999), 14)], ["-n"]),
            "numbers that part one by one": ([b"7" + part[:18000 * i] + b"9" for i in range(16)], ["-n", "-r"]),
            "behind zeros": ([zeros + b"1.5" + part + b"%d" % i for i in r.sample(range(100, 999), 14)], ["-n"]),
            "far behind the point": ([b"-0." + zeros + b"%d" % i for i in r.sample(range(100, 999), 14)], ["-n"]),
            "a field behind a long one": ([part + b":" + part + b"%d" % i for i in r.sample(range(100, 999), 14)], ["-t:", "-k2,2"]),
            "folded": ([b"x" * 10**6 + b"%d" % i for i in r.sample(range(100, 999), 14)], ["-f", "-s"]),
            "many of a long common beginning": ([b"5" * 200 + b".%05d" % i for i in r.sample(range(10**5), 50000)], ["-n"]),
        }
        for name, (lines, options) in cases.items():
            text = b"\n".join(lines) + b"\n"
            begin = time.monotonic()
            self.assertEqual(self.good("sort", *options, stdin=text), gnu_sort(*options, stdin=text)[1], name)
            self.assertLess(time.monotonic() - begin, 60, name)
            expected = run("sort", *options, stdin=text)[1]
            self.assertEqual(run("sort", "-c", *options, stdin=expected)[0], 0, name)
            self.assertEqual(self.good("merge", *options, stdin=expected), expected, name)
        rows = [b"%s,x" % line for line in cases["numbers that end apart"][0]]
        table = b"\n".join([b"n,t", *rows]) + b"\n"
        expected = b"\n".join([b"n,t", *sorted(rows, key=lambda row: row[-5:])]) + b"\n"
        begin = time.monotonic()
        self.assertEqual(self.good("sort", "--by", "n:num", stdin=table), expected)
        self.assertLess(time.monotonic() - begin, 60)

    def test_check_names_the_line(self):
        path = self.file("lines.txt", b"a\nc\nb\n")
        self.refused("check", path, status=1, says=[path + ":3: disorder: b"])
        self.refused("check", "-u", self.file("twice.txt", b"a\na\n"), status=1, says=["twice.txt:2: disorder: a"])
        self.assertEqual(run("check", "-q", path), (1, b"", b""))

    def test_check_tells_what_a_benchmark_asks_for(self):
        def facts(lines, duplicates):
            return b"records: %d\nchecksum: %x\nduplicate keys: %d\n" % (len(lines), sum(map(zlib.crc32, lines)), duplicates)

        lines = [b"a 2", b"b 1", b"b 1", b"b 3"]
        path = self.file("lines.txt", b"\n".join(lines) + b"\n")
        self.assertEqual(self.good("check", path), facts(lines, 1))
        self.assertEqual(self.good("check", "-s", "-k1,1", path), facts(lines, 2))
        self.assertEqual(run("check", "-k2n", path), (1, facts(lines, 1), b"sortile check: %s:2: disorder: b 1\n" % path.encode()))
        self.assertEqual(run("check", "-u", path), (1, facts(lines, 1), b"sortile check: %s:3: disorder: b 1\n" % path.encode()))
        other = self.file("other.txt", b"x\n")
        self.assertEqual(self.good("check", path, other), b"file: %s\n%sfile: %s\n%s" % (path.encode(), facts(lines, 1), other.encode(), facts([b"x"], 0)))
        for quiet in (["check", "-q"], ["sort", "-c"], ["sort", "-C"]):
            self.assertEqual(self.good(*quiet, path), b"")
        table = self.file("t.csv", b"name,size\nfig,7\npear,7\napple,12\n")
        self.assertEqual(self.good("check", table, "--by", "size"), facts([b"fig,7", b"pear,7", b"apple,12"], 1))

    def test_top(self):
        """--top K: the first K of what sort writes, in memory and in runs, for few and for many of them."""
        lines = b"".join(b"%s %d %d\n" % (self.random.choice([b"x", b"common prefix", b"Y"]), self.random.randrange(10**9), self.random.randrange(5)) for _ in range(20000))
        path = self.file("lines", lines)
        for options in ([], ["-r"], ["-k2,2n"], ["-k3,3nr", "-k1,1"], ["-s", "-k3,3n"], ["-f", "-k1"], ["-V"], ["-u", "-k3,3"], ["-u", "--count", "-k3,3n"], ["-z"]):
            end = b"\0" if "-z" in options else b"\n"
            full = self.good("sort", *options, path).split(end)[:-1]
            for k in (0, 7, 15000):
                for memory in ([], ["-S", "1M"]):
                    self.assertEqual(self.good("sort", *options, *memory, "--top", k, path), b"".join(line + end for line in full[:k]), (options, k, memory))
        self.assertEqual(self.good("sort", "--top", "3", stdin=b""), b"")
        self.assertIn(b"select", self.good("sort", "--top", "3", "--explain", path))
        self.refused("sort", "--top", "x", path, says="--top x")
        self.refused("sort", "-m", "--top", "1", path, says="--top does not go with -m")

    def test_permutation(self):
        path = self.file("sorted", b"a\nb\nb\n")
        self.good("check", path, "--permutation-of", self.file("same", b"b\na\nb"))
        self.refused("check", path, "--permutation-of", self.file("other", b"b\na\na\n"), status=1, says="no permutation")
        self.refused("check", path, "--permutation-of", self.file("short", b"b\na\n"), status=1, says=["3 records", "holds 2"])

    def test_merge_needs_order(self):
        path = self.file("disorder", b"b\na\n")
        self.refused("merge", self.file("fine", b""), path, says=[path, "line 2", "out of order"])

    def test_an_option_that_nobody_has(self):
        self.refused("sort", "--frobnicate", says=["sortile sort: ", "unrecognized option '--frobnicate'"])

    def test_keys_that_are_none(self):
        for key in ("0", "1.0", "x", "1,0", "1,", "1,2,3", "1q", "1.x", "", "-1"):
            self.refused("sort", "-k", key, says="-k " + key)
        for separator in ("ab", ""):
            self.refused("sort", "-t", separator, says=["multi-character tab 'ab'" if separator else "empty tab", "single byte"])


if __name__ == "__main__":
    unittest.main()
