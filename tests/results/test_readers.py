"""Every file under bench/results is read by something: a page, a script, a test or the sources name it."""

import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULTS = "bench/results/"
sys.path.insert(0, os.path.join(ROOT, "scripts"))


def texts_outside():
    """What the repository's files say, those of results left out."""
    for folder, names, files in os.walk(ROOT):
        here = os.path.relpath(folder, ROOT)
        names[:] = [name for name in names if not name.startswith((".", "build")) and os.path.join(here, name) != os.path.normpath("./bench/results")]
        for name in files:
            if name.endswith((".md", ".py", ".sh", ".cpp", ".hpp", ".cu", ".txt", ".h")) and here != "bench/results":
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    yield file.read()


def names_in(text):
    """All words that could be names of files."""
    return set(re.findall(r"[\w+-][\w+.-]*\.(?:json|csv|svg|txt|md)(?![\w])", text))


def is_read(path, names, made):
    """Whether some text names the file, or it is the data of a drawing that one names."""
    name = os.path.basename(path)
    stem, kind = os.path.splitext(name)
    return name in made or name in names or (kind == ".csv" and stem + ".svg" in names and
                                             os.path.exists(os.path.join(ROOT, os.path.dirname(path), stem + ".svg")))


class Readers(unittest.TestCase):
    def setUp(self):
        import performance_page
        self.made = {file for _, file, _ in performance_page.STEPS}  # by pattern
        self.names = set().union(*map(names_in, texts_outside()))

    def test_every_file_has_one(self):
        found = [os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, names in os.walk(os.path.join(ROOT, RESULTS)) for name in names]
        self.assertGreater(len(found), 50)
        unread = [path for path in found if os.path.basename(path) != "README.md" and not is_read(path, self.names, self.made)]
        self.assertEqual(unread, [], "read by nothing: link it from a page, or remove it")

    def test_a_file_that_nothing_names_is_found(self):
        self.assertFalse(is_read(RESULTS + "h100/lab-1-keys" + ".csv", self.names, self.made))
        self.assertTrue(is_read(RESULTS + "h100/engine-sorts" + ".json", self.names, self.made))


if __name__ == "__main__":
    unittest.main()
