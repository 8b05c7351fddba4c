"""`sortile sort` and a link to it called `sort`, side by side with GNU sort: outputs and exit statuses over a generated matrix of options and inputs.

A round draws options and an input and compares. SORTILE_GNU_ROUNDS sets their number, which is a thousand in `make test-all`; SORTILE_TEST_SEED the seed. The real sort is
run under LC_ALL=C."""

import itertools
import os
import re
import shutil
import subprocess
import unittest

from harness import SORTILE, CommandTest, gnu_sort, run

ROUNDS = int(os.environ.get("SORTILE_GNU_ROUNDS", "400"))
IS_GNU = b"GNU coreutils" in (subprocess.run(["sort", "--version"], capture_output=True, check=False).stdout if shutil.which("sort") else b"")

NUMBERS = [b"0", b"-0", b"+1", b"1", b"-1", b"01", b"1.5", b"1.50", b"-1.5", b".5", b"5.", b"-.5", b"1e3", b"1E-3", b"-1e3", b"0x1f", b"0x1p4", b"10", b"9", b"100",
           b"1,000", b"inf", b"-inf", b"Infinity", b"nan", b"1e400", b"-1e400", b"1e-400", b"1e4932", b"1e5000", b"9" * 40, b"-" + b"9" * 40, b"9" * 40 + b".1",
           b"3.14159265358979323846264338327950288", b"--1", b"- 1", b"-", b"+", b".", b"1 2", b"1\t2", b"1.2.3", b"1e", b"0.0", b"-0.0", b"00", b"1_0"]
HUMAN = [b"1k", b"1K", b"2K", b"1M", b"999", b"1000", b"1G", b"1.5G", b"-1K", b"-2K", b"-1M", b"0K", b"0M", b"1.K", b"1.5", b"1T", b"1P", b"1E", b"1Z", b"1Y", b"1Ki", b"1m", b"K", b"-K", b"1KM",
         b"1 K", b".5K", b"0.0G", b"-0K", b"1,5K"]
MONTHS = [b"jan", b"JAN", b"Feb", b"mar", b"APR", b"may", b"Mayor", b"june", b"JUL", b"aug", b"sept", b"oct", b"NOV", b"dec", b"De", b"december", b" jan", b"\tFEB", b"xjan", b"ja n", b"jan.", b"foo"]
VERSIONS = [b"1.0", b"1.10", b"1.2", b"1.02", b"1.0~rc1", b"1.0~", b"1.0-1", b"a", b"a0", b"a00", b"a1", b"a01", b"a10", b"a2", b"a.txt", b"a1.txt", b"a10.txt", b"a2.tar.gz", b"a.b.c", b".", b"..", b".a", b".b1",
            b"..a", b"...", b"~", b"a~", b"a~1", b"1", b"10", b"2", b"1a", b"1.a", b"1.1a", b"v1.2.3", b"v1.2.10", b"v1.2.3-rc1", b"lib-1.2.so", b"lib-1.10.so.3", b"x-" + b"9" * 30, b"x-" + b"9" * 29 + b"8",
            b"a.1", b"a.1~", b"a b1", b"a b10", b"A1", b"a_1", b"a+1", b"0", b"00", b"000001", b"a.~1~", b"a.c~", b"\xff1", b"1.0.", b"1..0", b"a0b", b"a00b", b"x" * 300 + b"10", b"x" * 300 + b"9"]
TEXTS = [b"", b"a", b"A", b"b", b"ab", b"aB", b"Ab", b"a b", b"a-b", b"a\x01b", b"a_b", b"abcdefg", b"abcdefgh", b"abcdefgH", b"abcdefgha", b"\xff", b"\xfe", b"\xe9t\xe9", b"\x00", b"a\x00", b"a\x00b", b"[", b"`", b"{", b"~", b" ",
         b"  a", b"\ta", b"a ", b"\x7f", b"\r", b"a\r", b"\x0b1", b"\x0c2", b"x" * 20]


@unittest.skipUnless(IS_GNU, "sort is not GNU's here")
class GnuSort(CommandTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.drop_in = self.path("sort")
        os.symlink(os.path.abspath(shutil.which(SORTILE)), self.drop_in)

    def as_sort(self, *arguments, stdin=b"", **more):
        done = subprocess.run([self.drop_in, *arguments], input=stdin, capture_output=True, timeout=120, check=False, **more)
        return done.returncode, done.stdout, done.stderr

    # ---- what is drawn

    def word(self):
        r = self.random
        kind = r.randrange(7)
        if kind == 6:
            return bytes(r.choice(b"aAbB01. -~\x01\xff") for _ in range(r.randrange(12)))
        return r.choice([NUMBERS, HUMAN, MONTHS, VERSIONS, TEXTS, NUMBERS][kind])

    def text(self, end):
        r = self.random
        pool = r.choice([None, NUMBERS, HUMAN, MONTHS, VERSIONS, TEXTS])
        word = self.word if pool is None else lambda: r.choice(pool)
        if r.random() < 0.3:
            few = [word() for _ in range(3)]
            word = lambda: r.choice(few)
        separators = r.choice([[b" "], [b" ", b"\t", b"  "], [b":"], [b":", b" ", b","], [b""]])
        prefix = r.choice([b"", b"", b"", b"common prefix of every line ", b"12345678901234567890"])
        fields = r.choice([1, 1, 2, 3, 5])
        lines = [prefix + b"".join(word() + r.choice(separators) for _ in range(r.randrange(fields + 1))) for _ in range(r.choice([0, 1, 2, 5, 20, 60, 200]))]
        if end == b"\0":
            lines = [line.replace(b"\0", r.choice([b"\n", b"x"])) for line in lines]
        else:
            lines = [line.replace(b"\n", b"") for line in lines]
        text = end.join(lines)
        # One NaN at most: GNU sort 9.1 compares two by all bytes of a long double, some of which nobody has written.
        first = text.lower().find(b"nan")
        if first >= 0:
            text = text[:first + 3] + re.sub(b"(?i)nan", b"man", text[first + 3:])
        return text + end if lines and r.random() < 0.7 else text

    def letters(self, most):
        return "".join(self.random.choice("bdfghiMnrV") for _ in range(self.random.randrange(most + 1)))

    def key(self):
        r = self.random
        key = "%d" % r.choice([1, 1, 2, 2, 3, 4])
        if r.random() < 0.4:
            key += ".%d" % r.randrange(1, 6)
        key += self.letters(2) if r.random() < 0.6 else ""
        if r.random() < 0.7:
            key += ",%d" % r.choice([1, 2, 2, 3, 4])
            if r.random() < 0.4:
                key += ".%d" % r.randrange(0, 6)
            key += self.letters(1) if r.random() < 0.3 else ""
        return key

    def options(self):
        r = self.random
        options = ["-" + letter for letter in "bdfi" if r.random() < 0.12]
        options += r.choice([[], [], ["-g"], ["-h"], ["-M"], ["-n"], ["-V"], ["--sort=" + r.choice(["general-numeric", "human-numeric", "month", "numeric", "version", "num", "v"])],
                             [r.choice(["--general-numeric-sort", "--human-numeric-sort", "--month-sort", "--numeric-sort", "--version-sort", "--num", "--dictionary-order",
                                        "--ignore-nonprinting", "--ignore-case", "--ignore-leading-blanks"])]])
        options += ["-" + letter for letter in "rsuz" if r.random() < 0.15]
        for _ in range(r.choice([0, 0, 0, 1, 1, 2, 3])):
            options += r.choice([["-k", self.key()], ["-k" + self.key()], ["--key=" + self.key()]])
        if r.random() < 0.35:
            options += r.choice([["-t", ":"], ["-t:"], ["-t", " "], ["-t,"], ["--field-separator=:"], ["-t", "\\0"], ["-ta"]])
        if r.random() < 0.1:
            options += r.choice([["-S", "1M"], ["-S50%"], ["-T", self.folder], ["--parallel=2"], ["--batch-size=4"], ["--buffer-size=10K"], ["--compress-program=gzip"], ["-y0"]])
        if r.random() < 0.05:
            options += [r.choice(["+1", "+0.2n", "+2r"])] + r.choice([[], ["-2"], ["-3.1"], ["-2.0b"]])
        return options

    # ---- tests

    def compare(self, options, text, what, both=True):
        """A link called sort with GNU sort; and, where both are asked for, the command that it leads to."""
        expected = gnu_sort(*options, stdin=text)
        for got in ([run("sort", "--format", "lines", *options, stdin=text)] if both else []) + [self.as_sort(*options, stdin=text)]:
            self.assertEqual((got[0], got[1]), (expected[0], expected[1]), (what, options, text[:400], got[2], expected[2]))
            self.assertEqual(bool(got[2]), bool(expected[2]), (what, options, got[2], expected[2]))
        return expected

    def test_matrix(self):
        for number in range(ROUNDS):
            options = self.options()
            text = self.text(b"\0" if "-z" in options else b"\n")
            status, output, _ = self.compare(options, text, number, both=number % 4 < 2)
            if status != 0 or number % 4 != 0:
                continue
            check = self.random.choice(["-c", "-C", "--check", "--check=quiet", "--check=silent", "--check=diagnose-first"])
            for tested in (text, output):
                self.compare([check, *options], tested, (number, "check"), both=number % 8 == 0)
            halves = [self.file("half%d" % i, gnu_sort(*options, stdin=self.text(b"\0" if "-z" in options else b"\n"))[1]) for i in range(self.random.randrange(1, 4))]
            self.compare(["-m", *options, *halves], b"", (number, "merge"), both=number % 8 == 0)

    def test_ends_behind_blanks(self):
        """Keys that end at a character of a field: which one depends on whether the blanks in front of it count. The matrix hardly ever draws where that shows."""
        fields = [b"a", b" a", b"  a", b"b", b" b", b"\tb", b"   ab", b" ba", b"  ba", b"ab"]
        text = b"".join(first + b" " + second + b"\n" for first in fields for second in fields)
        for options in (["-k2b,2.1b"], ["-k2b,2.2"], ["-k2,2.2b"], ["-b", "-k2,2.1"], ["-b", "-k2,2.1b"], ["-k1,2.1b"], ["-k1b,1.2b"], ["-k1.2b,2.1b", "-r"], ["-k2,2.1bn"], ["-t ", "-k2b,3.1b"]):
            for more in ([], ["-s"], ["-u"]):
                self.compare(options + more, text, "ends")

    def odd_count(self):
        """Field numbers and offsets as people do not write them; beyond 64 bits GNU sort 9.1 takes offsets from in front of the field."""
        return self.random.choice(["0", "01", "9", "20", "999999999999", "1", "1", "2", "2", "3"])

    def odd_key(self):
        r = self.random
        key = r.choice([self.odd_count(), "18446744073709551615", "99999999999999999999999"]) if r.random() < 0.2 else r.choice("1123")
        key += "." + self.odd_count() if r.random() < 0.4 else ""
        key += self.letters(r.choice([1, 1, 2, 3])) if r.random() < 0.6 else ""
        if r.random() < 0.6:
            key += "," + r.choice("1123") + ("." + self.odd_count() if r.random() < 0.5 else "") + (self.letters(2) if r.random() < 0.3 else "")
        at = r.randrange(len(key) + 1)
        return key if r.random() < 0.9 else key[:at] + r.choice(",.- +x0bk\t\\'") + key[at:]

    def odd_options(self):
        r = self.random
        options = ["-" + letter for letter in "bdfirsuz" if r.random() < 0.1]
        options += r.choice([[], [], ["-g"], ["-h"], ["-M"], ["-n"], ["-V"], ["--sort=" + r.choice(["numeric", "g", "x", "", "month", "ver"]), "--sort=numeric"]])
        for _ in range(r.randrange(4)):
            options += ["-k", self.odd_key()]
        if r.random() < 0.4:
            separator = r.choice([":", " ", "\\0", "0", "a", ".", "-", "\n", "\t"])
            options += ["-t", separator] * r.choice([1, 1, 1, 2])
        if r.random() < 0.1:
            options += ["-t", r.choice(["", "ab", "\u00e9", "\\", "'", ":"])]
        if r.random() < 0.15:
            options += r.choice([["-S", "1M", "-S", "9"], ["--parallel=2", "--parallel=1"], ["--batch-size=2", "--batch-size=3"], ["--parallel=0"], ["--batch-size=1"], ["-S", "x"], ["--sor"], ["--uni=1"], ["+1x", "-2"],
                                 ["+1", "-3x"], ["+0.", "-1"], ["+2", "-1"], ["+1.2b", "-2.3"], ["+0n", "-0"], ["-o", ""], ["-T", "/tmp", "-T", "/var/tmp"]])
        return options

    def test_what_the_matrix_does_not_draw(self):
        """Counts that are zero or too large, letters that contradict each other, options twice, mistakes: messages too, the first of several."""
        for number in range(ROUNDS):
            options = self.odd_options()
            end = b"\0" if "-z" in options else b"\n"
            text = self.text(end).replace(b":", self.random.choice([b":", b"\0" if end == b"\n" else b":"]))
            tested = [options] if number % 3 else [["-m", *options, "-", self.file("f", gnu_sort(*options, stdin=self.text(end))[1]), self.path("f")], [self.random.choice(["-c", "-C"]), *options]]
            for arguments in tested:
                if arguments[:1] == ["-m"]:
                    text = gnu_sort(*options, stdin=text)[1]  # what is not sorted may be merged by other rounds
                expected, got = gnu_sort(*arguments, stdin=text), self.as_sort(*arguments, stdin=text)
                self.assertEqual(got, expected, (number, arguments, text[:400]))

    def test_every_pair_of_letters(self):
        """All pairs of orders, as options and as letters of a key: the same are refused, the others order alike."""
        words = NUMBERS + HUMAN + MONTHS + VERSIONS + TEXTS
        text = b"\n".join(w.replace(b"\n", b"") for w in words) + b"\n"
        for pair in itertools.combinations_with_replacement("bdfghiMnrV", 2):
            both = "".join(pair)
            for options in (["-" + both], ["-k1" + both], ["-" + pair[0], "-k1" + pair[1]], ["-s", "-k1,1" + both]):
                self.compare(options, text, "pairs")

    def test_random_order_of_a_source(self):
        source = self.file("source", bytes(range(100, 200)))
        for text in (b"", b"a\nb\na\nc\n", b"\n".join(b"%d" % (i % 50) for i in range(300)) + b"\n", b"\n".join([b"x" * n for n in range(130)] * 2) + b"\n"):
            for options in (["-R"], ["--random-sort"], ["--sort=random"], ["-k1R"], ["-u", "-R"], ["-R", "-f"], ["-R", "-d"], ["-r", "-R"], ["-k1,1R", "-k1"], ["-RV"]):
                self.compare(["--random-source=" + source, *options], text, "random")
        self.compare(["-R", "--random-source=" + self.file("short", b"0123")], b"a\nb\n", "a source that is too short")
        self.compare(["-R", "--random-source=" + self.path("missing")], b"a\nb\n", "no source")
        self.compare(["-R", "--random-source="], b"a\nb\n", "a source without a name")
        text = b"".join(b"%d\n" % (i % 40) for i in range(400))
        once, again = self.good("sort", "-R", stdin=text), self.good("sort", "-R", stdin=text)
        self.assertEqual(sorted(once.split()), sorted(text.split()))
        self.assertNotEqual(once, again)
        self.assertEqual(sum(a != b for a, b in zip(once.split(), once.split()[1:])), 39)  # equals are neighbours

    def test_refusals(self):
        two = [self.file("one", b"a\n"), self.file("two", b"b\n")]
        for options in (["--sort=x"], ["--sort="], ["--check=x"], ["--check="]):  # words have a status of their own
            self.assertEqual(gnu_sort(*options)[0], 1)
            self.refused("sort", *options, status=1, says=["invalid argument" if options[0][-1] == "x" else "ambiguous argument"])
        for options in (["-c", "-o", "x"], ["-C", "-o", "x"], ["-cC"], ["-c", *two], ["-C", *two], ["-o", "x", "-o", "y"], ["-nM"], ["-gh"], ["-k1nM"], ["-dn"], ["-in"], ["-t", ""], ["-t", "ab"],
                        ["-t", ":", "-t", ","], ["-k", "0"], ["-k", "1.0"], ["-k", "x"], ["-k", "1,0"], ["-k", "1,"], ["-k", "1.x"], ["-k", ""], ["-k", "1q"], ["-k", "1,2,3"], ["-x"], ["--nosuch"],
                        ["--batch-size=1"], ["--batch-size=x"], ["--parallel=0"], ["--parallel=x"], ["-S", "x"], ["-S", "1q"], ["-S"], ["-k"],
                        ["--compress-program=a", "--compress-program=b"], ["--random-source=a", "--random-source=b"], ["--files0-from=x", "y"], ["--numeric-sort=1"], ["--r"],
                        [self.path("missing")], [*two, self.path("missing")], [self.folder], ["-m", *two, self.path("missing")], ["-o", self.path("no/such")], ["-c", self.path("missing")],
                        ["--files0-from=" + self.path("missing")], ["--files0-from=" + self.file("empty", b"")], ["--files0-from=" + self.file("gap", b"a\0\0b\0")], ["--files0-from=-", "--", "x"]):
            status, out, err = gnu_sort(*options, stdin=b"b\na\n")
            self.assertEqual(status, 2, (options, err))
            got = run("sort", *options, stdin=b"b\na\n")
            self.assertEqual(got[:2], (2, out), (options, got[2]))
            self.assertEqual(got[2].count(b"\n"), 1, (options, got[2]))
            self.assertEqual(self.as_sort(*options, stdin=b"b\na\n"), (status, out, err), options)
        for options, says in ((["-c", "-o", "x"], b"options '-co' are incompatible"), (["-cC"], b"options '-cC' are incompatible"), (["-o", "x", "-o", "y"], b"multiple output files specified"),
                              (["-nM"], b"options '-Mn' are incompatible"), (["-t", ""], b"empty tab"), (["-t", "ab"], b"multi-character tab 'ab'"), (["-t", ":", "-t", ","], b"incompatible tabs"),
                              (["-x"], b"invalid option -- 'x'"), (["--nosuch"], b"unrecognized option '--nosuch'"), (["-S"], b"option requires an argument -- 'S'"),
                              (["-c", *two], b"extra operand"), (["--parallel=0"], b"number in parallel must be nonzero")):
            self.assertIn(says, gnu_sort(*options)[2].replace("\u2018".encode(), b"'"), options)
            self.assertIn(says, run("sort", *options)[2], options)
            self.assertIn(says, self.as_sort(*options)[2], options)

    # Files of a drawn folder. A link to nothing is left out: GNU sort makes its file before it knows whether it can sort.
    FILES = {"a": b"a\nb\nd\n", "b": b"b\nc\n", "u": b"z\nb\na\n", "e": b"", "n": b"x", "l": b"a\na\nb\n", "z": b"a\0b\0c", "a b": b"k\n", "it's": b"q\nr", "n\nl": b"", "-": b"dash\n"}

    def files_case(self):
        """Options about files, standard input, and the list that --files0-from reads or None."""
        r = self.random
        odd = [*self.FILES, "no", "d", "s", "a/x", "no/x", "", "/dev/null", "/dev/stdin", "-x", "~", "#", "a\x01", "\xe9", "./-", "d/.."]
        names = lambda count: [r.choice(odd if r.random() < 0.3 else ["a", "b", "l", "-", "e"]) for _ in range(count)]
        options = [[letter] for letter, chance in (("-m", 0.4), ("-c", 0.1), ("-C", 0.1), ("-u", 0.2), ("-r", 0.1), ("-z", 0.1), ("-n", 0.1), ("-nM", 0.02), ("-k1nM", 0.02), ("-k0", 0.02), ("-t", 0.01), ("--debug", 0.04),
                                                   ("--batch-size=2", 0.1), ("--batch-size=1", 0.02), ("--nosuch", 0.01)) if r.random() < chance]
        if r.random() < 0.05:
            options.append(["-R", "--random-source=" + r.choice(["u", "no"])])
        if r.random() < 0.35:
            options.append(["-o", r.choice(["out", "a", "no/out", "d", "-", "", "e", "s", "it's", "a b", "/dev/null", "/dev/full"])])
        stdin, listed, operands = r.choice([b"", b"b\na\n", b"a\nb\n", b"q"]), None, r.choice([0, 1, 1, 2, 3])
        if r.random() < 0.6:
            chosen = names(r.choice([0, 1, 1, 2, 2, 3, 5]))
            listed = b"\0".join(name.encode("latin1") for name in chosen) + (b"\0" if chosen and r.random() < 0.5 else b"")
            if r.random() < 0.1:
                listed = r.choice([b"\0", b"\0\0", b"\n", b"a\n", b"a\0\0b", b"-\0\0", b"\0-", b"a" * 256])
            source = r.choice(["-", "-", "-", "L", "it's L", "n\nL", "/dev/stdin", "no", "no such", "d", "", "e", "./L"])
            options.append(["--files0-from=" + source])
            stdin = listed if source in ("-", "/dev/stdin") else stdin
            operands = r.choice([0, 0, 0, 0, 0, 1])
        r.shuffle(options)
        given = [word for option in options for word in option] + names(operands)
        return [word.encode("latin1") for word in given], stdin, listed

    def in_folder_of_files(self, program, options, stdin, listed):
        """(status, output, messages, what the folder holds then) of one of the two."""
        folder = self.path("files")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "d"))
        os.symlink("a", os.path.join(folder, "s"))
        lists = {} if listed is None else {name: listed for name in ("L", "it's L", "n\nL")}
        for name, content in {**self.FILES, **lists}.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        done = subprocess.run([b"sort", *options], executable=program, input=stdin, capture_output=True, cwd=folder, env={**os.environ, "LC_ALL": "C"}, timeout=120, check=False)
        held = {}
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    held[name] = (os.path.islink(path), file.read())
        return done.returncode, done.stdout, done.stderr, held

    def test_files_and_lists_of_them(self):
        """Missing, empty, oddly called and listed files, with -m, -c, -o and -u: outputs, statuses, words and what the files hold then."""
        for _ in range(ROUNDS // 2):
            options, stdin, listed = self.files_case()
            expected, got = (self.in_folder_of_files(program, options, stdin, listed) for program in (shutil.which("sort"), self.drop_in))
            self.assertEqual(got[:3], expected[:3], (options, stdin, listed))
            lists = {} if listed is None else {name: listed for name in ("L", "it's L", "n\nL")}
            before = {**{name: (False, content) for name, content in {**self.FILES, **lists}.items()}, "s": (True, self.FILES["a"])}
            # GNU sort may have opened, and cut, an output when it finds that it cannot go on.
            self.assertEqual(got[3], expected[3] if expected[0] == 0 else before, (options, stdin, listed))

    def test_words_of_gnu_sort(self):
        """Called as `sort`, the command says what GNU sort says, in as many lines; `sortile sort` says it in one."""
        one = self.file("one", b"b\na\n")
        locked = self.file("locked", b"a\n")
        os.chmod(locked, 0)
        keys = ["x", "0", "1.0", "1,0", "1,", "1.", "1.x", "1,2.x", "1q", "1,2,3", "", "-1", "1.1.1", "1,-1", "1n,0", "1,2z", "99999999999999999999999,1x"]
        sizes = ["x", "1q", "", "-1", "1%%", "1e3", "5B", "5kB", "99999999999999999999", "1Y", "9999999999999999999%", "k9", "%", "b"]
        counts = ["x", "-1", "", "4k", "1e2", "2^4", "0x10", "1 "]
        for options in (*(["-k", key, one] for key in keys), *(["-S", size, one] for size in sizes), *(["--parallel=" + count, one] for count in (*counts, "0")),
                        *(["--batch-size=" + count, one] for count in (*counts, "0", "1")), ["--sort=x"], ["--sort="], ["--check=x"], ["--check="], ["--sort"], ["--r"], ["--nosuch"], ["-x"], ["-k"], ["--key"],
                        ["--numeric-sort=1"], ["-z=1"], ["+1", "-x"], ["-t", ""], ["-t", "ab"], ["--files0-from=" + one, "y"], ["--files0-from="], ["--files0-from=" + self.path("no")],
                        ["--files0-from=" + self.folder], ["--files0-from=" + self.file("zero", b"\0")], ["--files0-from=" + self.file("second", b"a\0\0")], ["--files0-from=" + self.file("dash", b"one\0-")],
                        [self.path("no")], [self.path("no such")], ["-m", self.path("no")], ["-c", self.path("no")], ["-o", self.path("no/such"), one], ["-o", self.folder, one], ["-o", self.path("x"), self.path("no")],
                        [self.folder], [one, self.folder, self.path("no")], ["-m", self.folder], [one + "/x"]):
            expected = gnu_sort(*options, stdin=b"b\na\n")
            self.assertNotEqual(expected[0], 0, options)
            self.assertEqual(self.as_sort(*options, stdin=b"b\na\n"), expected, options)
            ours = run("sort", *options, stdin=b"b\na\n")
            self.assertEqual((ours[0], ours[2].count(b"\n")), (expected[0], 1), (options, ours))
        # How many files may be open is another number for a command that raises its limit.
        for status, _, err in (gnu_sort("--batch-size=99999999999999999999", one), self.as_sort("--batch-size=99999999999999999999", one)):
            self.assertEqual((status, re.sub(rb"\d+$", b"N", err.strip())),
                             (2, b"sort: --batch-size argument '99999999999999999999' too large\nsort: maximum --batch-size argument with current rlimit is N"))

    def test_names_as_a_shell_would_need_them(self):
        names = [bytes([c]) for c in range(1, 256) if c not in b"/."] + [b"", b"a b", b"it's", b"it's $5", b"it's\n", b"a\n\nb\xff", b"{}", b"x{", b"#", b"a#~", b"'", b"''", b"it's{"]
        for name in names:
            for operand in ([name] if name[:1] not in (b"-", b"+") else []) + [b"no/" + name, b"it's" + name]:
                if operand == b"no/":
                    continue
                expected, got = ([subprocess.run([program, b"--", operand], executable=path, capture_output=True, cwd=self.folder, env={"LC_ALL": "C"}, check=False).stderr]
                                 for program, path in ((b"sort", shutil.which("sort")), (b"sort", self.drop_in)))
                self.assertEqual(got, expected, operand)
        for key in (b"1\n", b"1\x1b", b"\t\x7f1", b"x\r"):
            self.assertEqual(self.as_sort("-k", key)[2], gnu_sort("-k", key.decode())[2], key)

    def test_of_two_mistakes_the_same_is_told(self):
        one, two = self.file("one", b"b\na\n"), self.file("two", b"a\n")
        for options in (["-nM", self.path("no")], ["-c", "-nM", one, two], ["-c", "-k0", one, two], ["-C", "-o", "x", "-gh", one], ["-c", "-k1nM", one, "-o", "x"], ["-k0", "--files0-from=" + self.path("no")],
                        ["-m", "-di", "-n", self.path("no")], ["-nM", "-o", self.path("no/x"), one], ["-t", "ab", "-nM", one], ["-k0", "-t", "ab"],
                        ["-S", "x", "-k0"], ["-k1x", "-S", "x"], ["-R", "--random-source=/dev/null"], ["-R", "--random-source=" + self.path("no"), self.path("none")], ["--version=1"], ["-o", "", one]):
            self.assertEqual(self.as_sort(*options), gnu_sort(*options), options)

    def test_a_disorder_is_told_whole(self):
        for options, text in ((["-c"], b"b\na\x1b[31m\t\n"), (["-cz"], b"b\0a\nc\0"), (["-cz"], b"b\0a"), (["-c"], b"b\n" + b"a" * 5000 + b"\n"), (["-c", "-u"], b"a\na"), (["-C"], b"b\na\n")):
            self.assertEqual(self.as_sort(*options, stdin=text), gnu_sort(*options, stdin=text), options)

    def test_standard_error_that_cannot_be_written(self):
        lines, ordered = self.file("lines", b"b\na\n"), self.file("ordered", b"a\nb\n")
        for options in (["-c", lines], ["-C", lines], ["-c", ordered], ["--debug", lines], [lines], [self.path("no")], ["-nM"]):
            for redirection in ("2>&-", "2>/dev/full"):
                expected, got = (subprocess.run(["sh", "-c", 'exec "$0" "$@" ' + redirection, program, *options], capture_output=True, env={**os.environ, "LC_ALL": "C"}, check=False)
                                 for program in (shutil.which("sort"), self.drop_in))
                self.assertEqual((got.returncode, got.stdout), (expected.returncode, expected.stdout), (options, redirection))

    def test_standard_input_that_cannot_be_read(self):
        """Closed, or a directory; and a folder that takes no temporary files."""
        lines = self.file("lines", b"".join(b"%d\n" % (i * 7919 % 400000) for i in range(400000)))
        for options in ([], ["-"], ["-c"], ["-C"], ["-m"], [lines, "-"], ["-o", self.path("o")], ["-", "-o", self.path("no/such")], ["-", self.path("no")]):
            for redirection in ("<&-", "<" + self.folder):
                if redirection == "<&-" and lines in options:
                    continue  # the first file that GNU sort opens is then its standard input too
                expected, got = (subprocess.run(["bash", "-c", f'exec -a sort "$0" "$@" {redirection}', program, *options], capture_output=True, env={**os.environ, "LC_ALL": "C"}, check=False)
                                 for program in (shutil.which("sort"), self.drop_in))
                self.assertEqual((got.returncode, got.stdout, got.stderr), (expected.returncode, expected.stdout, expected.stderr), (options, redirection))
        for folder in (self.path("no"), self.path("it's $5")):
            self.assertEqual(self.as_sort("-S1k", "-T", folder, lines), gnu_sort("-S1k", "-T", folder, lines))
            self.refused("sort", "-S1k", "-T", folder, lines, says=[folder, "cannot create a temporary file in it"])

    def test_help_and_version_of_a_link(self):
        status, out, err = self.as_sort("--version")
        self.assertEqual((status, err), (0, b""))
        self.assertRegex(out, rb"^sort \(sortile\) \d")
        self.assertIn(b"GNU coreutils", out)
        self.assertEqual(run("sort", "--version"), run("--version"))
        status, out, err = self.as_sort("--help")
        self.assertEqual((status, err), (0, b""))
        self.assertIn(b"Usage: sort [OPTIONS] [FILE...]", out)
        for name in (b"\n  --files0-from ", b"\n  -k,--key-def "):
            self.assertIn(name, out)
        for name in (b"\n  --record ", b"\n  --by ", b"\n  --locale ", b"\n  --quantiles "):
            self.assertNotIn(name, out)

    def test_arguments(self):
        """Where options may stand, and how they may be written."""
        one, two = self.file("one", b"b 1\na 2\n"), self.file("two", b"d 0\nc 3\n")
        self.file("-n", b"dash\n")
        self.file("+1", b"plus\n")
        for options in ([one, "-r", two], ["-rnk2", one], ["-k2", "-nr", "--", one, two], ["-k", "2n", "-"], ["--key", "2", one], ["--rev", one], ["--key=2nr,2", one, "-u"],
                        ["--", "./-n"], ["--", "-n"], ["./+1"], ["--", "+1"], ["+1", one], ["+1n", "-2", one, two], ["+0.1", "-0.2", one], ["-k1", "+1", one], ["-t ", "-k2n", one],
                        ["-zk1", one], ["--parallel", "3", one], ["-o", "out", one, "-o", "out"], [one, one, "-m"], ["-su", one, one], ["--st", "--uni", one, one], ["-y", "-r", one], ["-y5", one], ["-k", " +2n", one],
                        ["-k1. 2", one], ["-k", "1,\t2", one], ["--parallel=+2", one], ["--parallel= 2", one], ["--batch-size=+3", one], ["-S", " 5", one], ["-S+5", one], ["-SM", one], ["-Sk", one],
                        ["-S1M", "-S", "2M", one], ["--parallel=1", "--parallel=2", one], ["--batch-size=2", "--batch-size=3", one], ["--sort=numeric", "--sort=numeric", one], ["--sort=month", "-n", one],
                        ["--files0-from=no", "--files0-from=" + self.file("list", one.encode())]):
            expected = subprocess.run(["sort", *options], input=b"z 1\ny 0\n", capture_output=True, cwd=self.folder, check=False, env={**os.environ, "LC_ALL": "C"})
            made = self.content("out") if os.path.exists(self.path("out")) else None
            for command in ([SORTILE, "sort"], [self.drop_in]):
                if made is not None:
                    os.unlink(self.path("out"))
                got = subprocess.run([*command, *options], input=b"z 1\ny 0\n", capture_output=True, cwd=self.folder, check=False)
                self.assertEqual((got.returncode, got.stdout), (expected.returncode, expected.stdout), (command, options, got.stderr, expected.stderr))
                if made is not None:
                    self.assertEqual(self.content("out"), made)
            if made is not None:
                os.unlink(self.path("out"))

    def in_environment(self, options, variables, commands, stdin=b"z 1\ny 0\n"):
        """Status, output, the file `out` and messages, of each command."""
        results = []
        for command in commands:
            done = subprocess.run([*command, *options], input=stdin, capture_output=True, cwd=self.folder, check=False, env={**os.environ, "LC_ALL": "C", **variables})
            results.append((done.returncode, done.stdout, self.content("out") if os.path.exists(self.path("out")) else None, done.stderr))
            if results[-1][2] is not None:
                os.unlink(self.path("out"))
        return results

    def test_manners_of_editions_of_posix(self):
        """POSIXLY_CORRECT ends the options at the first operand, but for -o; _POSIX2_VERSION says whether +1 is a key."""
        self.file("one", b"b 1\na 2\n")
        self.file("+1", b"plus\n")
        self.file("-r", b"dash\n")
        self.file("-2", b"two\n")
        words = ["one", "-r", "-o", "-oout", "out", "--output=out", "-n", "-no", "+1", "+1n", "+0.1r", "-2", "-c", "-C", "--", "-k2", "--reverse", "+x"]
        chosen = [["one", "-o", "out"], ["one", "-oout"], ["one", "-o"], ["one", "-o", "out", "-r"], ["one", "-c", "-o", "out"], ["-c", "one", "-o", "out"], ["-C", "one", "-oout"], ["one", "--output=out"], ["one", "-no", "out"],
                  ["-r", "one", "-r"], ["--", "one", "-o", "out"], ["one", "--", "-o", "out"], ["+1", "one"], ["one", "+1"], ["+1", "-2", "one"], ["+1", "-2", "+1", "one"], ["+1", "+1", "-2", "one"], ["+1n", "one", "-o", "out"],
                  ["one", "-o", "out", "+1"], ["one", "-o", "out", "one"], ["+1", "-o", "out"], ["+x", "-2", "one"], ["-", "-o", "out"]]
        editions = ["", "0", "-5", "199209", "200111", "200112", " 200112", "+200112", "200808", "200809", "200112z", "x", "99999999999999999999"]
        # How an edition is read does not depend on the operands: all of them with those in which +1 is a key or a file, else the three that differ.
        cases = [(options, edition) for options in chosen for edition in (editions if "+1" in options else ["199209", "200112", "200809"])]
        cases += [(self.random.choices(words, k=self.random.randrange(1, 6)), self.random.choice(["", "199209", "200112", "200809"])) for _ in range(ROUNDS // 4)]
        for options, edition in cases:
            for variables in ({"_POSIX2_VERSION": edition}, {"_POSIX2_VERSION": edition, "POSIXLY_CORRECT": ""}):
                expected, link, ours = self.in_environment(options, variables, (["sort"], [self.drop_in], [SORTILE, "sort"]))
                self.assertEqual(link, expected, (options, variables))
                self.assertEqual(ours[:3], expected[:3], (options, variables, ours, expected))

    def test_every_prefix_of_every_long_option(self):
        """Which are clear, which are ambiguous and with what, which lack an argument or have one too many: word for word."""
        names = sorted(set(re.findall(r"--([a-z0-9-]+)", subprocess.run(["sort", "--help"], capture_output=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout.decode())))
        self.assertGreater(len(names), 25)
        prefixes = sorted({name[:length] for name in names for length in range(1, len(name) + 1)})
        for prefix in prefixes + ["x", "reverse-", "Reverse", "-reverse", "check-quietly", "key-def"]:
            for options in (["--" + prefix], ["--" + prefix + "="], ["--" + prefix + "=1"], ["-r", "--" + prefix + "=a=b", "x"], ["x", "--" + prefix]):
                if {"--he", "--hel", "--help", "--version"} & set(options):
                    continue  # texts of each command's own
                expected, link = self.in_environment(options, {}, (["sort"], [self.drop_in]), stdin=b"z\n")  # one line: orders may be random
                self.assertEqual(link, expected, options)

    def test_shortened_options(self):
        """As far as a long option of GNU sort is clear there, it is clear to a link called sort."""
        one = self.file("one", b"b 1\na 2\n")
        for options in (["--chec", one], ["--ch=quiet", one], ["--ke=2", one], ["--p=1", one], ["--ba=4", one], ["--t=" + self.folder, one], ["--v", one], ["--hu", one], ["--z", one], ["--co=gzip", one],
                        ["--c", one], ["--se=x", one], ["--s", one], ["--f=x", one], ["--fi=:", one], ["--ig", one], ["--ignore-c", one], ["--check-quietly", one], ["--key-def=1", one], ["--thr=1", one]):
            self.assertEqual(self.as_sort(*options)[:2], gnu_sort(*options)[:2], options)

    def test_debug(self):
        """What --debug shows and warns of is what GNU sort shows."""
        lines = [b"a\tb 1", b"  -1.5K\t2,3", b"12 x.5y", b"\x01\xff\t", b"", b"JANuary feb", b" 1e3 -7", b".5", b"x-1.2-3", b"3+4"]
        chosen = [[], ["-r"], ["-b"], ["-n"], ["-M"], ["-u"], ["-s"], ["-k2"], ["-k1,1", "-r"], ["-k1,1", "-rs"], ["-k2,1"], ["-k1.2,1.3"], ["-k1,1r", "-n", "-s"], ["-k1,1n", "-bdf"], ["-t.", "-k1,2n"],
                  ["-t-", "-k1n"], ["-t+", "-k1g"], ["-t.", "-k1,1n"], ["-k1M", "-i"], ["-d", "-i", "-k1r"], ["-i", "-d", "-k1d"], ["-di", "-k1i"], ["-i", "-k1di"], ["-k3M,1"], ["-h", "-k2.2,1"], ["-k3b,1.2b"], ["-k2n,1.1"], ["-k2b,2", "-k1.2b,1.3b"], ["-c"], ["-C"], ["-o", "x"], ["-m"]]
        for options in chosen + [self.options() for _ in range(ROUNDS // 4)]:
            if any(option.startswith("+") for option in options) or "-z" in options:
                continue
            text = b"\n".join(self.random.sample(lines, self.random.randrange(len(lines) + 1)))
            expected = gnu_sort("--debug", *options, stdin=text)
            got = self.as_sort("--debug", *options, stdin=text)
            self.assertEqual(got[:2], expected[:2], (options, text))
            if expected[0] == 0:
                self.assertEqual(got[2], expected[2], (options, text))

    def test_names_from_a_file(self):
        names = [self.file(name, content) for name, content in (("a", b"3\n1"), ("b", b"2\n"), ("c", b""))]
        listed = b"\0".join(name.encode() for name in names)
        for content in (listed, listed + b"\0"):
            for options in ([], ["-r"], ["-m"], ["-n", "-u"]):
                self.compare(["--files0-from=" + self.file("list", content), *options], b"", "names")
                self.compare(["--files0-from=-", *options], content, "names on standard input")

    def test_same_messages_of_disorder(self):
        path = self.file("f", b"b\na\n")
        for options in (["-c", path], ["-c"], ["-c", "-u", self.file("g", b"a\na\n")]):
            with open(path, "rb") as source:
                stdin = source.read()
            expected = gnu_sort(*options, stdin=stdin)
            self.assertEqual(self.as_sort(*options, stdin=stdin), expected)

    def test_pipelines_of_a_shell(self):
        """A session's usual lines, with `sort` being ours and being GNU's."""
        self.file("passwd", b"root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/:/usr/sbin/nologin\nbin:x:2:2::/bin:/usr/sbin/nologin\nu10:x:1010:10::/home/u10:/bin/bash\nu9:x:1009:10::/home/u9:/bin/sh\n")
        self.file("log", b"".join(b"10.0.%d.%d GET /p%d %d\n" % (i % 3, i % 7, i % 5, i * 37 % 1000) for i in range(200)))
        self.file("du", b"4.0K\t./a\n12M\t./b\n1.5G\t./c\n900\t./d\n12K\t./e\n")
        self.file("t.csv", b"name,size\nb,10\na,9\n")
        lines = ["sort -t: -k3,3n passwd", "cut -d: -f7 passwd | sort | uniq -c | sort -rn", "awk '{print $1}' log | sort -u", "awk '{print $3}' log | sort | uniq -c | sort -k1,1nr -k2 | head -n 3",
                 "sort -h du", "sort -rh du | head -n 2 | cut -f2", "sort -V < log | tail -n 3", "sort -t. -k1,1n -k2,2n -k3,3n -k4,4n log", "sort -k4,4n log | sort -c -k4,4n && echo ok",
                 "sort passwd > s1; sort -r passwd > s2; comm -12 s1 s1; sort -m s1 s1 | uniq -d", "sort -o passwd passwd && cat passwd", "head -n 1 t.csv; tail -n +2 t.csv | sort -t, -k2,2n",
                 "sort -t, -k2n t.csv", "printf 'c\\0b\\0a' | sort -z | tr '\\0' '\\n'", "find . -name '*.csv' -print0 | sort -z | xargs -0 ls", "sort -R --random-source=passwd log | cksum",
                 "ls | sort -f", "sort nosuch; echo $?", "sort -c log; echo $?", "printf '3 c\\n1 a\\n' | sort +0n", "join <(sort -k1,1 du) <(sort -k1,1 du)", "sort -u -k1,1 log | wc -l",
                 "seq 1000 | sort -g | tail -n 1", "printf 'Mar\\njan\\nFeb\\n' | sort -M", "sort -s -k3,3 log | md5sum", "seq 100 | shuf --random-source=log | sort -n | paste -sd+ | bc 2>/dev/null"]
        ours = os.path.dirname(self.drop_in)
        for line in lines:
            results = []
            for path in (os.environ["PATH"], ours + ":" + os.environ["PATH"]):
                done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, check=False, timeout=120,
                                      env={**os.environ, "LC_ALL": "C", "PATH": path})
                results.append((done.returncode, done.stdout))
            self.assertEqual(results[1], results[0], line)


if __name__ == "__main__":
    unittest.main()
