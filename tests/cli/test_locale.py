"""`--locale`: text in the order of a locale, beside GNU sort under the same locale, which the test makes with localedef in a folder of its own."""

import os
import pty
import shutil
import subprocess
import tempfile
import unittest

from harness import SORTILE, CommandTest, run

LOCALES = {"en_US.UTF-8": "UTF-8", "sv_SE.UTF-8": "UTF-8", "de_DE.ISO-8859-1": "ISO-8859-1"}
CAN_MAKE = shutil.which("localedef") is not None and os.path.exists("/usr/share/i18n/locales/en_US")
IS_GNU = shutil.which("sort") is not None and b"GNU coreutils" in subprocess.run(["sort", "--version"], capture_output=True, check=False).stdout
WORDS = ["", "a", "A", "b", "B", "ab", "Ab", "a b", "a-b", "zebra", "Zebra", "äpple", "Äpple", "apple", "ångström", "öl", "ol", "eclair", "éclair", "Éclair", "naïve", "naive", "ß", "ss", "10", "9", "x1", "X-1",
         "résumé", "resume", "Resume", "co-op", "coop", "CO-OP", "d'or", "dor", " lead", "tab\tin", "_", "~", "字", "中", "я", "Я", "œ", "oe", "ﬁ", "e\u0301"]


@unittest.skipUnless(CAN_MAKE and IS_GNU, "needs localedef, the package locales, and GNU sort")
class Locale(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory(prefix="sortile-locales-")
        cls.addClassCleanup(cls.made.cleanup)
        for name, charmap in LOCALES.items():
            subprocess.run(["localedef", "-i", name.partition(".")[0], "-f", charmap, os.path.join(cls.made.name, name)], check=True, capture_output=True)

    def environment(self, locale):
        return {"LOCPATH": self.made.name, "LC_ALL": locale}

    def compare(self, locale, options, text):
        environment = self.environment(locale)
        expected = subprocess.run(["sort", *options], input=text, capture_output=True, check=False, env={**os.environ, **environment})
        status, out, err = run("sort", "--locale", *options, stdin=text, env=environment)
        self.assertEqual((status, out), (expected.returncode, expected.stdout), (locale, options, text[:200], err, expected.stderr))
        return out

    def text(self, locale, end=b"\n"):
        r = self.random
        encoding = LOCALES.get(locale, "UTF-8")
        def word():
            if r.random() < 0.04:
                return bytes(r.choice(b"aA\xff\xc3\x01\x00") for _ in range(r.randrange(4))).replace(b"\0" if end == b"\0" else b"\n", b"")
            return r.choice(WORDS).encode(encoding, "ignore")
        lines = [r.choice([b" ", b":", b"  "]).join(word() for _ in range(r.randrange(4))) for _ in range(r.choice([0, 1, 2, 20, 100, 100]))]
        return end.join(lines) + (end if lines and r.random() < 0.7 else b"")

    def test_matrix(self):
        orders = [[], ["-r"], ["-f"], ["-d"], ["-i"], ["-df"], ["-b"], ["-s"], ["-u"], ["-z"], ["-fu"], ["-rs"], ["-V"], ["-n"], ["-M"], ["-k2"], ["-k2,2", "-k1,1"], ["-k1,1r"], ["-k2f,2", "-u"], ["-t:", "-k2,2"],
                  ["-k1.2,1.4"], ["-k2,2n", "-k1,1"], ["-k1,1", "-r", "-s"], ["-k3,3d", "-k1,1r", "-u"]]
        for number in range(240):
            locale = self.random.choice(["en_US.UTF-8", "en_US.UTF-8", "sv_SE.UTF-8", "C.UTF-8"])
            options = orders[number % len(orders)]
            end = b"\0" if "-z" in options else b"\n"
            text = self.text(locale, end)
            out = self.compare(locale, options, text)
            if number % 8 == 0:
                for tested in (text, out):
                    self.compare(locale, ["-C", *options], tested)
                halves = [self.file("half%d" % i, self.compare(locale, options, self.text(locale, end))) for i in range(2)]
                self.compare(locale, ["-m", *options, *halves], b"")

    def test_what_a_locale_changes(self):
        text = "ö\nz\na\nå\nZ\n".encode()
        self.assertEqual(self.compare("en_US.UTF-8", [], text), "a\nå\nö\nz\nZ\n".encode())
        self.assertEqual(self.compare("sv_SE.UTF-8", [], text), "a\nz\nZ\nå\nö\n".encode())
        self.assertEqual(self.compare("C.UTF-8", [], text), "Z\na\nz\nå\nö\n".encode())
        self.assertEqual(run("sort", stdin=text, env=self.environment("en_US.UTF-8"))[1], "Z\na\nz\nå\nö\n".encode())  # not asked for
        self.assertEqual(self.compare("de_DE.ISO-8859-1", [], b"o\n\xf6\nz\nO\n"), b"o\nO\n\xf6\nz\n")
        table = "n,w\n1,öl\n2,zebra\n3,äpple\n4,\n".encode()
        self.assertEqual(run("sort", "--locale", "--by", "w", stdin=table, env=self.environment("sv_SE.UTF-8"))[1], "n,w\n4,\n2,zebra\n3,äpple\n1,öl\n".encode())
        self.assertEqual(run("sort", "--locale", "--by", "w:desc", stdin=table, env=self.environment("en_US.UTF-8"))[1], "n,w\n2,zebra\n1,öl\n3,äpple\n4,\n".encode())

    def test_many_lines(self):
        """More than one group of equal words, and all threads."""
        text = "".join("%s %s %d\n" % (self.random.choice(WORDS), self.random.choice(WORDS), self.random.randrange(50)) for _ in range(40000)).encode()
        for options in ([], ["-u"], ["-k2,2", "-k3,3nr"], ["-f", "-s"]):
            self.compare("en_US.UTF-8", options, text)
        self.assertIn(b"locale en_US.UTF-8", run("sort", "--locale", "--explain", stdin=text, env=self.environment("en_US.UTF-8"))[1])

    def test_debug_names_the_locale(self):
        err = run("sort", "--locale", "--debug", stdin=b"a\n", env=self.environment("en_US.UTF-8"))[2]
        self.assertIn(b"text ordering performed using 'en_US.UTF-8' sorting rules", err)

    def test_refusals(self):
        self.refused("sort", "--locale", stdin=b"a\n", env={**self.environment("xx_YY.UTF-8"), "LC_MESSAGES": "C"}, says=["no locale 'xx_YY.UTF-8'", "LC_ALL"])
        self.refused("sort", "--locale", self.file("k.u32", b"1234"), env=self.environment("en_US.UTF-8"), says="--locale goes with text")

    def on_a_terminal(self, arguments, locale, stdin=b"b\na\n"):
        """What a run says on standard error, which is a terminal."""
        outer, inner = pty.openpty()
        done = subprocess.run([SORTILE, *arguments], input=stdin, stdout=subprocess.DEVNULL, stderr=inner, check=True, env={**os.environ, **self.environment(locale)}, timeout=60)
        os.write(inner, b"END")
        os.close(inner)
        said = b""
        while not said.endswith(b"END"):
            said += os.read(outer, 4096)
        os.close(outer)
        self.assertEqual(done.returncode, 0)
        return said[:-3]

    def test_note_on_a_terminal(self):
        said = self.on_a_terminal(["sort"], "en_US.UTF-8")
        self.assertEqual((said.count(b"\n"), said.count(b"en_US.UTF-8"), said.count(b"--locale")), (1, 1, 1))
        for arguments, locale in ((["sort", "--locale"], "en_US.UTF-8"), (["sort"], "C.UTF-8"), (["sort"], "C"), (["sort"], "xx_YY"), (["sort", "-q"], "en_US.UTF-8"), (["sort", "-n"], "en_US.UTF-8")):
            self.assertEqual(self.on_a_terminal(arguments, locale), b"", (arguments, locale))
        merged = self.on_a_terminal(["merge", self.file("m", b"a\nb\n"), self.path("m")], "en_US.UTF-8")
        self.assertEqual(merged.count(b"--locale"), 1)
        self.assertEqual(run("sort", stdin=b"b\na\n", env=self.environment("en_US.UTF-8")), (0, b"a\nb\n", b""))  # not into a file


if __name__ == "__main__":
    unittest.main()
