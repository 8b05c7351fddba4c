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

# So many moments a call of the browser, which draws after each call: where a moment takes half a second, a call stays far below its limit.
MOMENTS = 50

# Goes from one moment to before another; gives the steps that each run has stopped at, and the moments that say or show nothing.
WALK = """(() => {
  const seen = player.runs.map(() => []), silent = [];
  for (let i = %d; i < Math.min(player.length, 100, %d); ++i) {
    player.go(i);
    player.stages.forEach((stage, k) => {
      const moment = player.runs[k].moments[stage.index];
      if (!moment.isEvent) seen[k].push(moment.step);
    });
    const idea = [...document.querySelectorAll('.idea .title')];
    if (!document.getElementById('said').textContent || idea.length < player.runs.length && player.pace === 'step') silent.push([player.pace, i]);
  }
  return [seen, silent];
})()"""


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
        links = {page.resolve(): Links() for page in pages}
        for page, read in links.items():
            read.feed(page.read_text(encoding="utf-8"))
        anchors = 0
        for page, read in links.items():
            for link in read.found:
                if link.startswith(("data:", "http")):
                    self.assertFalse(link.startswith("http") and page.parent.name == "classics", (page, link))
                    continue
                path, _, anchor = urllib.parse.unquote(link).partition("#")
                target = (page.parent / path).resolve() if path else page
                self.assertTrue(target.is_file(), f"{page.name}: {link}")
                self.assertIn(self.site.resolve(), target.parents)
                if anchor:
                    anchors += 1
                    self.assertIn(anchor, links[target].ids, f"{page.name}: {link}")
        self.assertGreater(anchors, 5)

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
        names = ["index.html", "experiments.html", "essays/radix_buckets.cu.html", *[f"beside/{p.name}" for p in (self.site / "beside").iterdir()]]
        for width in (1280, 360):
            page = opener.open(self.site / names[0], width=width)
            for name in names:
                page.go(self.site / name)
                self.assertEqual(page.complaints(), [], name)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width, name)
            page.close()

    @unittest.skipUnless(browser.find(), f"no browser: none of {', '.join(browser.NAMES)} is installed (apt-get install chromium)")
    def test_every_step_of_every_page_is_reached(self):
        opener = browser.Browser(browser.find())
        self.addCleanup(opener.close)
        pages = sorted(page for part in ("classics", "examples", "beside") for page in (self.site / part).glob("*.html"))
        self.assertGreater(len(pages), 130)
        page = opener.open(pages[0])
        for path in pages:
            name = path.relative_to(self.site)
            page.go(path)
            page.wait_for("window.player !== undefined")
            page.press("1")
            page.press("Home")
            page.press("ArrowRight")
            self.assertEqual(page.evaluate("player.position"), 1, name)
            # Each step is a stop of its own, says something and shows its rows; so it does between barriers, as far as one would go by hand.
            steps = page.evaluate("player.runs.map((run) => run.steps.length)")
            seen, silent = [set() for _ in steps], []
            for pace in ("step", "phase"):
                for first in range(0, page.evaluate(f"(player.setPace('{pace}'), Math.min(player.length, 100))"), MOMENTS):
                    steps_here, silent_here = page.evaluate(WALK % (first, first + MOMENTS))
                    if pace == "step":
                        seen = [before | set(now) for before, now in zip(seen, steps_here)]
                    silent += silent_here
            seen = [len(of_run) for of_run in seen]
            self.assertEqual((seen, silent), (steps, []), name)
            self.assertEqual(page.complaints(), [], name)


if __name__ == "__main__":
    unittest.main()
