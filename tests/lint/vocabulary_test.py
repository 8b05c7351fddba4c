#!/usr/bin/env python3
"""The vocabulary's lint finds each planted word and passes ordinary English; what people read in the project has none."""
import pathlib
import shutil
import sys
import tempfile
import unittest

import vocabulary

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSES = """
The file is left unchanged. Nothing is left to sort. What was left over is skipped, and the left half goes first.
A key that is left of the pivot stays. The keys are left where they are. Zeros go to the front, ones behind them. Two runs, one behind the other.
Look up a name; the look-back of a tile; decoupled look-back; a name looks like this. It looks at the first line. It takes a look at it.
The bit window ends beyond the key's 32 bits. Does the name suit you? The keys stay in the window [8, 16).
It lies behind n. A lane goes behind everyone. The launch behind `look` is `crowded_bins`. See [the scan](look/look_kernel.hpp).
"""


class Vocabulary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sortile-test-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("docs/glossary.md", "")
        shutil.copy(ROOT / "docs/glossary.md", self.root / "docs")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def found(self, name, text):
        """The lines of findings in a file."""
        self.write(name, text)
        rules = vocabulary.refused(self.root)
        return sorted({line for reading in vocabulary.readings(self.root / name, name)
                       for line, _, _ in vocabulary.findings(reading, rules)})

    def test_each_pattern_refuses_its_example(self):
        rules = vocabulary.refused(ROOT)
        self.assertGreaterEqual(len(rules), 10)
        for pattern, example, instead in rules:
            with self.subTest(pattern.pattern):
                self.assertTrue(example and instead)
                self.assertEqual(len(list(vocabulary.findings(example, [(pattern, example, instead)]))), 1, example)

    def test_ordinary_english_passes(self):
        rules = vocabulary.refused(ROOT)
        for number, line in enumerate(PASSES.split("\n")):
            self.assertEqual(list(vocabulary.findings(line, rules)), [], line)

    def test_documents(self):
        self.assertEqual(self.found("docs/page.md", "A page.\n\nKeys that\ncrowd. What the\nlook sees.\n"), [4])
        self.assertEqual(self.found("docs/page.md", "A page.\n\nWhat the\n  look sees.\n"), [3])
        self.assertEqual(self.found("docs/page.md", "Code: `crowded`.\n```sh\necho the look\n```\nBut\ncrowded.\n"), [6])

    def test_comments_at_the_top_of_sources(self):
        text = "// Keys\n// that crowd.\n#include <x>\n// crowded: a comment further down\nint crowded;\n"
        self.assertEqual(self.found("src/cpu/a.hpp", text), [2])
        self.assertEqual(self.found("include/sortile/a.hpp", text), [2, 4])
        self.assertEqual(self.found("include/sortile/a.hpp", "int a; ///< keys that crowd\n"), [1])

    def test_folders(self):
        read = {str(path.relative_to(ROOT)) for path in vocabulary.files(ROOT)}
        for name in ("README.md", "docs/glossary.md", "include/sortile/sortile.hpp", "exercises/README.md", "exercises/splitters.md", "exercises/splitters.cu",
                     "tests/kernels/sort_keys.cu", "tests/mutations/results.md", "tests/lint/vocabulary.py"):
            self.assertIn(name, read)

    def test_messages(self):
        text = '#include "the look"\nthrow error("what the look " + name);\nname("look");\n'
        self.assertEqual(self.found("src/cpu/a.cpp", text), [2])
        self.assertEqual(self.found("src/kernels/a.cpp", text), [])

    def test_the_command(self):
        self.write("docs/page.md", "Keys that crowd.\n")
        self.write("docs/performance-log.md", "Keys that crowd.\n")
        self.assertEqual(vocabulary.main(self.root, []), 1)
        self.write("docs/page.md", "Skewed keys.\n")
        self.assertEqual(vocabulary.main(self.root, []), 0)
        self.write("docs/glossary.md", "# Glossary\n")
        self.assertEqual(vocabulary.main(self.root, []), 1, "without a table nothing would be refused")

    def test_the_project(self):
        self.assertEqual(vocabulary.main(ROOT, []), 0)


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    unittest.main()
