"""make gallery-site: every link leads somewhere, every classic is there, and the pages open in a browser, on a phone too."""

import html.parser
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "cli"))

import browser  # noqa: E402
from harness import SORTILE, run  # noqa: E402


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.ids = [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.found.append(value)
            if name == "id":
                self.ids.add(value)


@unittest.skipUnless(shutil.which("cmark-gfm"), "no cmark-gfm (apt-get install cmark-gfm)")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sortile-site-")
        cls.addClassCleanup(folder.cleanup)
        cls.site = pathlib.Path(folder.name) / "site"
        done = subprocess.run([sys.executable, ROOT / "scripts/gallery_site.py", SORTILE, cls.site], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def test_links_lead_somewhere(self):
        pages = sorted(self.site.rglob("*.html"))
        self.assertGreater(len(pages), 100)
        for page in pages:
            links = Links()
            links.feed(page.read_text(encoding="utf-8"))
            for link in links.found:
                if link.startswith(("data:", "#", "http")):
                    self.assertFalse(link.startswith("http") and page.parent.name == "classics", (page, link))
                    continue
                target = (page.parent / urllib.parse.unquote(link.split("#")[0])).resolve()
                self.assertTrue(target.is_file(), f"{page.relative_to(self.site)}: {link}")
                self.assertIn(self.site.resolve(), target.parents)

    def test_the_index_leads_to_every_classic(self):
        _, out, _ = run("classics", "list")
        index = (self.site / "index.html").read_text(encoding="utf-8")
        for name in [line.split()[0] for line in out.decode().splitlines()]:
            self.assertIn(f'href="classics/{name}.html"', index)
            self.assertTrue((self.site / "classics" / f"{name}.html").is_file())
        for essay in (ROOT / "classics").glob("*.cu"):
            self.assertTrue((self.site / "essays" / f"{essay.name}.html").is_file())
        self.assertGreater(len(list((self.site / "plots").glob("*.svg"))), 10)

    @unittest.skipUnless(browser.find(), f"no browser: none of {', '.join(browser.NAMES)} is installed (apt-get install chromium)")
    def test_pages_open(self):
        opener = browser.Browser(browser.find())
        self.addCleanup(opener.close)
        for name in ["index.html", "experiments.html", "essays/radix_buckets.cu.html", *[f"beside/{p.name}" for p in (self.site / "beside").iterdir()]]:
            for width in (1280, 360):
                page = opener.open(self.site / name, width=width)
                self.assertEqual(page.complaints(), [], name)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width, name)
                page.close()


if __name__ == "__main__":
    unittest.main()
