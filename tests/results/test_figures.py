"""The figures of the pages' prose agree with the committed results; the check finds what does not."""

import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

import figures  # noqa: E402


class Committed(unittest.TestCase):
    def test_every_figure_has_its_source(self):
        for page in figures.all_pages(ROOT):
            self.assertEqual(figures.complaints(ROOT, page), [], page)

    def test_every_list_of_claims_is_of_a_page(self):
        stems = {os.path.basename(page)[:-len(".md")] for page in figures.all_pages(ROOT)}
        self.assertLessEqual({name[:-len(".txt")] for name in os.listdir(os.path.join(ROOT, figures.CLAIMS))}, stems)


class Figures(unittest.TestCase):
    def written(self, text):
        return [(number, factor) for _, _, number, factor in figures.figures_in(figures.prose(text))]

    def test_are_numbers_with_units(self):
        self.assertEqual(self.written("takes 20 ms, 1.5 × as long; 2^28 keys of 8 threads, 3 launches"), [("20", 1e-3), ("1.5", 1)])
        self.assertEqual(self.written("22.3, 22.0 and 43.0 ms for 1 to 4 bits"), [("22.3", 1e-3), ("22.0", 1e-3), ("43.0", 1e-3)])
        self.assertEqual(self.written("at 2–5 × CUB's, 1,250 GB/s"), [("2", 1), ("5", 1), ("1,250", 1e9)])
        self.assertEqual(self.written("jumps from 18 to 61 µs"), [("18", 1e-6), ("61", 1e-6)])
        self.assertEqual(self.written("1.2 to 1.6 times as long, 3 times slower"), [("1.2", 1), ("1.6", 1), ("3", 1)])

    def test_of_size_count_where_a_page_says_so(self):
        text = "values of 4, 8 and 16 bytes take 2 ms"
        self.assertEqual([number for _, _, number, _ in figures.figures_in(text)], ["4", "8", "16", "2"])
        self.assertEqual([number for _, _, number, _ in figures.figures_in(text, sizes=False)], ["2"])

    def test_of_tables_code_generated_parts_and_predictions_do_not_count(self):
        text = ("# 1 ms\n\nText.\n\n| 2 ms |\n|---|\n\n```sh\n3 ms\n```\n\n<!-- a begins -->\n4 ms\n\n5 ms\n<!-- a ends -->\n\n**Prediction.** 6 ms\n7 ms\n\n"
                "**Question.** 8 ms\n\nIt took 9 ms.\n")
        self.assertEqual(self.written(text), [("9", 1e-3)])

    def test_are_rounded_as_they_are_written(self):
        for written, value, right in [("0.94", 0.9449, True), ("0.94", 0.9451, False), ("190", 185.1, True), ("190", 184.9, False), ("8", 8.4, True),
                                      ("8", 8.6, False), ("1,250", 1254, True), ("2.20", 2.194, False)]:
            self.assertEqual(figures.agrees(written, 1, value), right, (written, value))


class Planted(unittest.TestCase):
    """A copy of a page, its claims and the results, with a fault."""

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        for path in ["docs/classics.md", "tests/results/figures/classics.txt", "bench/results/h100/classics-experiments.json"]:
            os.makedirs(os.path.dirname(os.path.join(self.root, path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), os.path.join(self.root, path))

    def edit(self, path, old, new):
        path = os.path.join(self.root, path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))

    def found(self, *parts):
        complaints = figures.complaints(self.root, "docs/classics.md")
        for part in parts:
            self.assertTrue(any(part in each for each in complaints), (part, complaints))
        return complaints

    def test_a_copy_is_well(self):
        self.assertEqual(self.found(), [])

    def test_a_figure_without_a_source(self):
        self.edit("docs/classics.md", "up to some n.", "up to some n. It is 17 % more.")
        self.assertEqual(len(self.found("a figure without a source", "17 %")), 1)

    def test_a_wrong_figure(self):
        for path in ("docs/classics.md", "tests/results/figures/classics.txt"):
            self.edit(path, "4.98 ms", "4.89 ms")
        self.assertEqual(len(self.found("4.89 is written")), 1)

    def test_a_changed_sentence(self):
        self.edit("docs/classics.md", "sorts 2^16 keys on", "orders 2^16 keys on")
        self.found("stands 0 times", "without a source")

    def test_a_claim_with_too_few_sources(self):
        self.edit("tests/results/figures/classics.txt", ";\x20time", ", time")
        self.found("2 figures", "1 sources")

    def test_a_claim_that_the_results_do_not_answer(self):
        self.edit("tests/results/figures/classics.txt", '"rank-tiles"', '"rank-tile"')
        self.found("no row has")


if __name__ == "__main__":
    unittest.main()
