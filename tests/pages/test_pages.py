"""The pages of sortile classics show --html, in a real browser without a window: they open without a complaint, every moment is reached
by keyboard, what they say is what the trace says, in light and dark, on a desk and on a phone."""

import json
import os
import re
import shlex
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))

import browser  # noqa: E402
from harness import run  # noqa: E402

PROGRAM = browser.find()
KEYS = "9,4,12,1,15,7,0,10,3,14,6,2,13,5,11,8"
BITS = ["--bits", "0:4"]

# What a page is made of, in the order of the document: roles and labels, no texts of a moment.
OUTLINE = """[...document.querySelectorAll('h1,h2,h3,[role=toolbar],[role=status],button,input,select,section.panel,details')]
  .map((e) => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + (e.classList[1] ? '.' + e.classList[1] : ''))"""
PANELS = ["idea", "flow", "ledger", "machine", "source"]

# The least contrast of any text with what lies behind it, and which text that is.
CONTRAST = r"""(() => {
  const numbers = (c) => c.match(/[\d.]+/g).map(Number);
  const luminance = (c) => numbers(c).slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if ((numbers(c)[3] ?? 1) > 0) return c;
    }
    return 'rgb(255,255,255)';
  };
  let least = [99, ''];
  for (const e of document.querySelectorAll('p,h1,h2,h3,h4,span,small,td,th,button,label,legend,code,figcaption,summary,option,output,b')) {
    const says = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!says || !e.getClientRects().length) continue;
    const [a, b] = [luminance(getComputedStyle(e).color), luminance(behind(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < least[0]) least = [ratio, e.className + ': ' + e.textContent.slice(0, 40)];
  }
  return least;
})()"""


@unittest.skipUnless(PROGRAM, f"no browser: none of {', '.join(browser.NAMES)} is installed (apt-get install chromium)")
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="sortile-pages-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = browser.Browser(PROGRAM)
        cls.addClassCleanup(cls.browser.close)

    def made(self, name, *options):
        path = os.path.join(self.folder.name, f"{name}-{len(os.listdir(self.folder.name))}.html")
        status, _, err = run("classics", "show", name, *map(str, options), "--html", path)
        self.assertEqual((status, err), (0, b""), (name, options))
        return path

    def opened(self, path, **how):
        page = self.browser.open(path, **how)
        self.addCleanup(page.close)
        page.wait_for("window.player !== undefined")
        self.assertEqual(page.complaints(), [])
        return page

    def data(self, path):
        with open(path, encoding="utf-8") as file:
            data = json.loads(re.search(r'id="data">(.*?)</script>', file.read(), re.S).group(1))
        for trace in [run["trace"] for run in data["runs"] if run["trace"]]:
            trace["events"] = [self.unpacked(event, trace["shapes"]) for event in trace["events"]]
        return data

    @staticmethod
    def walked(page, look, piece=50):
        """What an expression says at each moment of the page's pace, from the first to the last; that keys lead there is a test of its own."""
        length = page.evaluate("player.length")
        for first in range(0, length, piece):
            found = page.evaluate(f"""(() => {{ const found = [];
              for (let i = {first}; i < Math.min({first + piece}, player.length); ++i) {{
                player.go(i);
                found.push({look});
              }}
              return found; }})()""")
            assert len(found) == min(piece, length - first), (first, len(found), length)
            yield from found

    @staticmethod
    def unpacked(event, shapes):
        """An event of a page: [shape, values...], where a list in equal steps is a text, "0+4x32", and other texts are the shape's."""
        shape = shapes[event[0]]
        named = dict(zip(shape["names"], event[1:]))
        for name, value in named.items():
            if isinstance(value, str) and (steps := re.fullmatch(r"(-?\d+)\+(-?\d+)x(\d+)", value)):
                first, by, count = map(int, steps.groups())
                named[name] = [first + by * i for i in range(count)]
        return shape["texts"] | named

    def test_every_classic_has_a_page(self):
        status, out, _ = run("classics", "list", "--markdown")
        self.assertEqual(status, 0)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.decode().splitlines()[2:]]
        self.assertGreater(len(rows), 50)
        page = None
        for row in rows:
            name = row[0].strip("`")
            with self.subTest(name):
                path = self.made(name)  # its first example
                if page is None:
                    page = self.opened(path)
                page.go(path)
                page.wait_for("window.player !== undefined")
                # Its command prints these steps, in this notation.
                command = shlex.split(self.data(path)["runs"][0]["command"])
                self.assertEqual(run(*command[1:], "-q"), run("classics", "show", name, "-q"))
                page.press("End")
                self.assertEqual(page.evaluate("player.position"), page.evaluate("player.length - 1"))
                self.assertEqual(page.complaints(), [])
                self.assertGreater(page.evaluate("player.length"), 1)

    def test_every_moment_is_reached_by_keyboard(self):
        path = self.made("radix-1bit-local", "--keys", KEYS[:17], "--bits", "0:1", "--set", "tile=4")
        page = self.opened(path)
        for pace, key in [("step", "1"), ("phase", "2"), ("request", "3")]:
            page.press(key)
            page.press("Home")
            length = page.evaluate("player.length")
            self.assertEqual(page.evaluate(f"document.getElementById('pace-{pace}').checked"), True)
            for position in range(length):
                self.assertEqual(page.evaluate("[player.position, document.getElementById('count').textContent]"),
                                 [position, f"{position + 1} / {length}"])
                self.assertNotEqual(page.evaluate("document.getElementById('said').textContent"), "")
                page.press("ArrowRight")
            self.assertEqual(page.evaluate("player.position"), length - 1)
            page.press("ArrowLeft", 2)
            self.assertEqual(page.evaluate("player.position"), max(0, length - 3))
        page.press("Home")
        page.press(" ")
        self.assertEqual(page.evaluate("document.getElementById('play').getAttribute('aria-pressed')"), "true")
        page.wait_for("player.position >= 2")
        page.press(" ")
        self.assertEqual(page.evaluate("document.getElementById('play').textContent"), "Play")
        reached = []
        for _ in range(14):
            page.press("Tab")
            reached.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        for control in ["first", "back", "play", "forward", "last", "position"]:
            self.assertIn(control, reached)
        self.assertEqual(page.complaints(), [])

    def test_what_is_shown_is_what_happened(self):
        path = self.made("radix-bits", "--keys", KEYS, *BITS, "--set", "tile=4")
        page = self.opened(path)
        [shown] = self.data(path)["runs"]
        charged = [launch["counters"] for launch in shown["trace"]["launches"]]
        page.press("3")
        page.press("End")
        ledger = {k: int(v.replace(",", "")) for k, v in page.evaluate(
            "[...document.querySelectorAll('[data-ledger]')].map((e) => [e.dataset.ledger, e.textContent])")}
        self.assertEqual(ledger["launches"], len(charged))
        of = lambda space, what: sum(c.get(f"{space}_{k}", {}).get(what, 0) for c in charged for k in ("loads", "stores", "atomics"))
        self.assertEqual(ledger["sectors"], of("global", "units"))
        self.assertEqual(ledger["wavefronts"], of("shared", "units"))
        self.assertEqual(ledger.get("conflicts", 0), sum(c["bank_conflicts"] for c in charged))
        self.assertEqual(ledger["barriers"], sum(c["block_barriers"] for c in charged))
        # The keys' array ends sorted, rebuilt from the trace alone; and the idea's last row says the same.
        self.assertIn(" ".join(map(str, range(16))), page.evaluate("""[...document.querySelectorAll('.array')].map(
            (a) => [...a.querySelectorAll('.cell')].map((c) => c.textContent).join(' ')).join('|')"""))
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.idea .row:last-child .cell')].map((c) => c.textContent)"),
                         [str(i) for i in range(16)])
        # The flow is drawn with a box for each value, and says of each row what it holds.
        told, drawn, boxes = page.evaluate("""(() => { const panel = player.stages[0].panels.find((p) => p instanceof FlowPanel);
            const flow = panel.flowsAt(player.runs[0].moments[player.stages[0].index]).find((f) => f.name === panel.choice.value);
            const levels = [...document.querySelectorAll('.flow .level')];
            return [flow.rows.map((r) => r.values.map((v) => v ?? '·')), levels.map((g) => [...g.querySelectorAll('.value')].map((v) => v.textContent)),
              levels.map((g) => g.querySelectorAll('rect').length)]; })()""")
        self.assertEqual(drawn, told)
        self.assertEqual(boxes, [len(row) for row in told])
        self.assertGreater(len(told), 1)
        # At each request as many lanes are lit as take part, and what it touches.
        requests = [e for e in shown["trace"]["events"] if e["do"] == "request"]
        seen = 0
        for n, lit in self.walked(page, """(() => { const m = player.runs[0].moments[player.stages[0].index];
                return [m.isEvent ? m.event : -1,
                  ['.lane.lit', '.machine .cell.lit', '.sector.lit'].map((s) => document.querySelectorAll(s).length)]; })()"""):
            event = shown["trace"]["events"][n] if n >= 0 else {"do": "step"}
            if seen == 60: # later ones touch rows of shared memory that are not shown
                break
            if event["do"] == "request":
                seen += 1
                self.assertEqual(lit[0], len(event["lanes"]))
                self.assertEqual(lit[1], len(set(event["at"])), event)
                self.assertEqual(lit[2], len(event.get("sectors", [])))
        self.assertEqual(seen, min(60, len(requests)))

    def test_what_is_kept_shows_what_is_drawn_anew(self):
        """Panels change what a moment changes. Forward, back and by leaps they end as if they had been drawn at that moment alone."""
        page = self.opened(self.made("radix-1bit-local", "--keys", KEYS[:17], "--bits", "0:2", "--set", "tile=4"))
        page.press("3")
        length = page.evaluate("player.length")
        self.assertGreater(length, 100)
        anew = """((position) => {
          const shown = () => ['.flow svg', '.rooms'].map((s) => document.querySelector(s)?.outerHTML);
          player.go(position);
          const kept = shown();
          for (const panel of player.stages[0].panels) {
            panel.drawings?.clear();
            panel.shown = null;
          }
          player.go(position);
          return shown().every((text, i) => text === kept[i]) && kept.some((text) => text);
        })"""
        ways = [*range(0, length, 5), *range(length - 1, 0, -5), *[n * 37 % length for n in range(30)]]
        self.assertEqual(page.evaluate(f"{json.dumps(ways)}.filter((at) => !{anew}(at))"), [])
        self.assertEqual(page.complaints(), [])

    def test_keys_that_move_have_arrows_and_scans_are_trees(self):
        page = self.opened(self.made("radix-1bit", "--keys", KEYS, "--bits", "0:1"))
        moves = page.evaluate("player.runs[0].moves.launches.flat().map((m) => [m.from, m.to])")
        keys = list(map(int, KEYS.split(",")))
        sorted_by_bit = sorted(range(16), key=lambda i: keys[i] & 1)
        self.assertEqual(sorted(moves), sorted([old, new] for new, old in enumerate(sorted_by_bit)))
        page = self.opened(self.made("scan-blelloch", "--keys", "3,1,7,0,4,1,6,3"))
        page.press("2")
        page.press("ArrowRight", 5)
        lines = page.evaluate("""(() => { const panel = player.stages[0].panels.find((p) => p instanceof FlowPanel);
            const flow = panel.flowsAt(player.runs[0].moments[player.stages[0].index]).find((f) => f.name.startsWith('tree'));
            return flow.rows.map((r) => r.lines.filter((l) => !l.compared).map((l) => [l.from / 4, l.to / 4])); })()""")
        up = [sorted([i, j] for i, j in row if i != j) for row in lines]
        self.assertIn([[0, 1], [2, 3], [4, 5], [6, 7]], up)
        self.assertIn([[1, 3], [5, 7]], up)
        self.assertIn([[3, 7]], up)
        self.assertIn([[3, 7], [7, 3]], up)

    def test_memory_is_in_the_notation_of_the_steps(self):
        for options in [["radix-1bit-local"], ["radix-cascaded"], ["rank", "--pairs", "12:a,3:b,12:c", "--show", "hex"], ["merge-path", "--keys", "5,2,8,1", "--show", "bin"]]:
            page = self.opened(self.made(*options))
            page.press("End")
            result, held = page.evaluate("""(() => { const run = player.runs[0], state = run.stateAfter(run.events.length - 1);
                const arrays = run.trace.arrays.map((a, i) => i).filter((i) => run.names.holdsKeys(i));
                return [run.steps.at(-1).rows[0].cells, arrays.map((i) => run.steps[0].rows[0].cells.map((_, k) =>
                  textAt(run, state.global[i], k * run.key_bytes, run.key_bytes, true)))]; })()""")
            keys = ["/".join(cell.split("/")[:2 if options[0] == "radix-cascaded" else 1]) for cell in result]
            self.assertIn(keys, held, options)
        # Flipped bits are no floats.
        page = self.opened(self.made("radix-floats"))
        rows = page.evaluate("player.stages[0].panels.find((p) => p instanceof FlowPanel).keys.rows.map((r) => r.values)")
        self.assertTrue(all(re.fullmatch("[0-9a-f]{8}", key) for row in rows for key in row), rows)
        flipped = page.evaluate("player.runs[0].steps[1].rows[0].cells")
        self.assertTrue(all(sorted(row) == sorted(flipped) for row in rows[1:-1]), rows)

    def test_each_launch_has_all_keys(self):
        # Parts lie in either of two arrays; where a pass takes several launches, the places not yet written are unknown.
        for name in ["radix-msd-launching", "quicksort-streams", "quicksort-launching", "sample-sort", "sample-sort-launching", "large-top-down", "radix-masks"]:
            page = self.opened(self.made(name))
            first, *rows = page.evaluate("player.stages[0].panels.find((p) => p instanceof FlowPanel).keys.rows.map((r) => r.values)")
            self.assertGreater(len(rows), 1, name)
            for row in rows:
                self.assertTrue(None in row if name == "radix-masks" and row != rows[-1] else sorted(row) == sorted(first), (name, row))

    def test_idea_and_machine_are_in_step(self):
        # A step of several launches is what the idea shows while they run, and done when the last has ended.
        path = self.made("radix-1bit", "--keys", KEYS, "--bits", "0:2", "--set", "tile=4")
        page = self.opened(path)
        steps = self.data(path)["runs"][0]["steps"]
        page.press("3")
        page.press("Home")
        for launch, ended, is_event, title in self.walked(page, """(() => { const run = player.runs[0], m = run.moments[player.stages[0].index];
                const l = run.launchAround(m.event);
                return [l ? l[2] : -1, l !== null && m.event >= l[1], !!m.isEvent, document.querySelector('.idea .title')?.textContent]; })()"""):
            if is_event and launch >= 0 and not ended:
                due = next(i for i, step in enumerate(steps) if step["launches"] > launch)
                self.assertTrue(title.startswith(f"{due + 1}/{len(steps)} under way "), (launch, title))
            elif not is_event:
                self.assertNotIn("under way", title)
        # Of several steps in one launch each is done at its own barrier: shared memory then holds its words.
        for name, more in [("scan-blelloch", []), ("scan-blelloch-padded-32", ["--set", "banks=4"])]:
            page = self.opened(self.made(name, "--keys", "3,1,7,0,4,1,6,3", *more))
            page.press("1")
            levels = 0
            for said, held in self.walked(page, """(() => { const run = player.runs[0], m = run.moments[player.stages[0].index], step = run.steps[m.step];
                    const words = step.rows[0].cells, tree = run.stateAfter(m.event).shared.get(0);
                    return [step.barriers ? words : [], words.map((w, i) => w === '.' ? '.' : String(tree?.read(4 * i, 4)))]; })()"""):
                if said:
                    self.assertEqual([word.strip("[]") for word in said], held, name)
                    levels += 1
            self.assertEqual(levels, 6)
            self.assertEqual(page.complaints(), [])

        # Parts that are told when all is done: each after the launch that divided it, at the barrier after which memory holds it so.
        for options in [(), ("--set", "pivot=3", "--set", "small=4", "--keys", KEYS)]:
            page = self.opened(self.made("quicksort-launching", *options))
            page.press("1")
            launches, divided = [], 0
            for launched, title, cells, held in self.walked(page, r"""(() => { const run = player.runs[0], m = run.moments[player.stages[0].index], step = run.steps[m.step];
                    const part = step.title.match(/^keys (\d+) to (\d+)/), row = step.rows.findLast((r) => r.kind === 'keys');
                    if (!part) return [0, step.title, [], []];
                    const state = run.stateAfter(m.event), arrays = ['keys', 'spare keys'].map((name) => run.trace.arrays.findIndex((a) => a.name === name));
                    return [step.launches, step.title, row.cells, arrays.map((a) => row.cells.map((_, i) => String(state.global[a].read(4 * (Number(part[1]) + i), 4))))]; })()"""):
                if cells:
                    launches.append(launched)
                    self.assertIn(cells, held, title)
                    divided += "about" in title
            # Kernels launch kernels here: no page knows that it was the host.
            said = page.evaluate("player.runs[0].events.map((e, i) => [e, i]).filter(([e]) => e.do === 'launch').map(([, event]) => player.stages[0].narrate({event, isEvent: true}))")
            self.assertEqual(set(said), {"start is launched.", "divide is launched."})
            self.assertEqual(launches, sorted(launches))
            self.assertEqual(sorted(set(launches)), list(range(2, 2 + divided)), options)
            self.assertGreater(divided, 2)
            self.assertEqual(page.complaints(), [])

        # Levels that are told when all is done: each with the launches that were its own.
        for name, of_level in [("radix-msd-launching", 2), ("sample-sort-launching", 3)]:
            [told] = self.data(self.made(name))["runs"]
            levels = [(int(step["title"].split()[1].strip(",")), step["launches"]) for step in told["steps"] if step["title"].startswith("level ")]
            self.assertEqual({level for level, _ in levels}, {0, 1}, name)
            self.assertEqual([launches for _, launches in levels], [of_level * (level + 1) for level, _ in levels], name)

    def test_two_classics_side_by_side(self):
        path = self.made("scan-blelloch", "-n", 64, "--workload", "range:10", "--set", "banks=32", "--beside", "scan-blelloch-padded-32")
        page = self.opened(path)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('h2')].map((h) => h.textContent)"),
                         ["scan-blelloch", "scan-blelloch-padded-32"])
        keys = page.evaluate("player.runs.map((r) => r.steps[0].rows[0].cells.join())")
        self.assertEqual(keys[0], keys[1])
        plain, padded = [int(v) for v in page.evaluate("[...document.querySelectorAll('[data-total=conflicts]')].map((e) => e.textContent)")]
        self.assertGreater(plain, padded)
        page.press("2")
        page.press("End")
        self.assertEqual(page.evaluate("player.stages.map((s, i) => s.index === player.stops[i].at(-1))"), [True, True])
        self.assertEqual(page.complaints(), [])

    def test_light_and_dark_desk_and_phone(self):
        path = self.made("radix-1bit-local", "--keys", KEYS, *BITS, "--set", "tile=4")
        outlines = []
        for dark in (False, True):
            for width, height in ((1280, 900), (360, 740)):
                page = self.opened(path, width=width, height=height, dark=dark)
                page.press("3")
                page.press("ArrowRight", 9)
                outlines.append(page.evaluate(OUTLINE))
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                ratio, text = page.evaluate(CONTRAST)
                self.assertGreater(ratio, 4.5, (dark, width, text))
                self.assertGreaterEqual(page.evaluate("Math.min(...[...document.querySelectorAll('button')].map((b) => b.getBoundingClientRect().height))"), 36)
                if width == 1280: # sixteen keys of two digits are all in sight
                    cut = "[...document.querySelectorAll('.idea .scroller, .flow .scroller')].filter((e) => e.scrollWidth > e.clientWidth).length"
                    self.assertEqual(page.evaluate(cut), 0)
                dark_paper = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g)[0] < 128")
                self.assertEqual(dark_paper, dark)
                page.screenshot(os.path.join(self.folder.name, "picture.png"))
                self.assertGreater(os.path.getsize(os.path.join(self.folder.name, "picture.png")), 20000)
                self.assertEqual(page.complaints(), [])
        self.assertTrue(all(outline == outlines[0] for outline in outlines))
        self.assertEqual([e.split(".")[1] for e in outlines[0] if e.startswith("section.")], PANELS)

    def test_names_stay_in_sight(self):
        """On a phone what a panel shows is scrolled sideways; the names of arrays, blocks, warps and rows are not."""
        def stay(page, panel, *names):
            for name in names:
                seen, scrolled, lost = page.evaluate(f"""(() => {{
                  const window_ = document.querySelector('{panel} .scroller');
                  window_.scrollLeft = 1e6;
                  const frame = window_.getBoundingClientRect();
                  const box = (e) => e.getBoundingClientRect();
                  // Of what is in sight, as far as its name has room in it.
                  const found = [...window_.querySelectorAll('{name}')].filter((e) =>
                    box(e.parentElement).right - box(e).width - 12 > frame.left);
                  return [found.length, window_.scrollLeft, found.filter((e) => box(e).left < frame.left - 1).map((e) => e.textContent)];
                }})()""")
                self.assertGreater(scrolled, 20, panel)
                self.assertGreater(seen, 0, name)
                self.assertEqual(lost, [], name)
            self.assertEqual(page.complaints(), [])

        page = self.opened(self.made("radix-bits", "--keys", KEYS, *BITS, "--set", "tile=16"), width=360, height=740)
        page.press("3")
        page.wait_for("(player.go(player.position + 1), document.querySelectorAll('.machine .bank.lit').length > 0)")
        stay(page, ".machine", ".array-name", ".room h4", ".warp-name", ".banks .cost")
        stay(page, ".idea", ".row .label")
        page = self.opened(self.made("counting-sort", "--keys", KEYS, "--bits", "0:2", "--set", "keys=1", "--set", "tile=4"), width=360, height=740)
        page.press("1")
        page.press("ArrowRight")
        stay(page, ".idea", ".row .label", ".buckets th")

    def test_refusals(self):
        def refused(*arguments, says):
            path = os.path.join(self.folder.name, "none.html")
            status, out, err = run("classics", *arguments, "--html", path)
            self.assertEqual((status, out), (2, b""), arguments)
            for text in says:
                self.assertIn(text.encode(), err)
            self.assertFalse(os.path.exists(path))

        refused("show", "radix-1bit", "-n", 300, says=["radix-1bit", "300", "256"])
        refused("show", "radix-1bit", "-n", 20, "--beside", "scan-blelloch", says=["--beside", "scan"])
        refused("show", "radix-1bit", "-n", 20, "--beside", "no-such", says=["no-such"])
        refused("run", "radix-1bit", "-n", 20, says=["--html", "show"])
        for option in ["--counters", "--counters=odd", "--schedules=2", "--repeat=2", "--engine=cuda", "--steps"]:
            refused("show", "radix-1bit", "-n", 20, option, says=["--html", option.split("=")[0]])
        for path, says in [("", b"name is empty"), (self.folder.name, b"is a directory"), ("/no/such/folder/page.html", b"/no/such/folder/page.html")]:
            status, out, err = run("classics", "show", "radix-1bit", "-n", 20, "--html", path)
            self.assertEqual((status, out, err.count(b"\n")), (2, b"", 1), err)
            self.assertIn(says, err)
        status, out, _ = run("classics", "show", "radix-1bit", "-n", 20, "--html", "-")
        self.assertEqual((status, out[:15], out[-8:]), (0, b"<!doctype html>", b"</html>\n"))
        status, _, err = run("classics", "show", "radix-1bit", "-n", 20, "--beside", "rank")
        self.assertEqual(status, 2)
        self.assertIn(b"--html", err)

    def test_where_too_much_happens_the_steps_are_shown_and_the_page_says_so(self):
        page = self.opened(self.made("radix-1bit", "-n", 256, "--type", "u64"))
        self.assertIn("12000 events", page.evaluate("document.querySelector('.ledger').textContent"))
        self.assertEqual(page.evaluate("document.querySelectorAll('.machine').length"), 0)
        page.press("End")
        self.assertEqual(page.evaluate("document.querySelectorAll('.idea .row:last-child .cell').length"), 256)
        self.assertEqual(page.complaints(), [])

    def test_pages_are_light(self):
        path = self.made("radix-bits", "--keys", KEYS, *BITS)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertLess(len(text) - len(re.search(r'id="data">(.*?)</script>', text, re.S).group(1)), 1_000_000)
        self.assertNotRegex(text.split('id="data"')[0], r"https?://")
        # Six rows by two columns, 11,000 events: the page is light with its data too, and has the same events as the trace of twice its size.
        path, trace = self.made("radix-cascaded"), os.path.join(self.folder.name, "trace.json")
        self.assertLess(os.path.getsize(path), 1_000_000)
        self.assertEqual(run("classics", "show", "--example", "age-and-income", "--trace", trace)[0], 0)
        self.assertLess(2 * os.path.getsize(path), os.path.getsize(trace))
        with open(trace, encoding="utf-8") as file:
            told = json.load(file)["events"]
        for event in told:
            event.pop("banks", None)
        self.assertEqual(self.data(path)["runs"][0]["trace"]["events"], told)


if __name__ == "__main__":
    unittest.main()
