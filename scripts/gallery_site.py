#!/usr/bin/env python3
"""Makes the gallery's static site: gallery_site.py SORTILE FOLDER.

Each classic has its page on its first example (`sortile classics show NAME --html`), its essay and source; examples and pairs side by side have pages of
their own; the index is a reading path by the textbook's sections (docs/classics-index.md); the experiments come with their plots. SORTILE is the
command, FOLDER is made anew. Documents are turned into HTML by cmark-gfm. No page needs the network.
"""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYS = "9,4,12,1,15,7,0,10,3,14,6,2,13,5,11,8"
SMALL = {"tile": 4, "small": 8, "fits": 32, "local": 32}  # parameters that make several blocks, parts or runs of sixteen keys

# Two classics on the same keys: what the comparison is about, and the options.
PAIRS = [
    ("scan-blelloch", "scan-blelloch-padded-32", "Padding: the same tree with and without bank conflicts", ["-n", "64", "--workload", "range:10"]),
    ("radix-1bit", "radix-1bit-local", "Coalescing: keys written one by one, or as runs of a sorted tile", ["--keys", KEYS, "--bits", "0:4"]),
    ("radix-1bit-local", "radix-bits", "One bit a pass, or several", ["--keys", KEYS, "--bits", "0:4"]),
    ("radix-bits", "radix-bits-coarsened", "Coarsening: fewer blocks with more keys each", ["--keys", KEYS, "--bits", "0:4"]),
    ("transposition", "transposition-early-exit", "Stopping when nothing is exchanged", ["--keys", "1,0,3,2,4,5,7,6"]),
    ("bitonic-steps", "odd-even-merge", "Two networks of Batcher's", ["--keys", KEYS[:17]]),
    ("rank", "rank-tiles", "Rank sort from global and from shared memory", ["--keys", KEYS]),
    ("quicksort-atomic", "quicksort-packing", "Division by fetch-and-add, or by prefix sums", ["--keys", KEYS, "--set", "small=8"]),
]


class Site:
    def __init__(self, sortile, folder):
        self.sortile = sortile
        self.folder = folder
        self.style = (ROOT / "classics/page/style.css").read_text(encoding="utf-8")
        self.classics = self.listed()

    def command(self, *arguments):
        done = subprocess.run([self.sortile, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"gallery_site: {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def listed(self):
        """name → cells of its row in docs/classics.md's table."""
        rows = [[c.strip() for c in line.split("|")[1:-1]] for line in self.command("classics", "list", "--markdown").splitlines()[2:]]
        return {row[0].strip("`"): {"family": row[1], "summary": row[2], "parameters": row[8],
                                    "file": re.search(r"\[(.*?)\]", row[10])[1]} for row in rows}

    def parameters(self, name):
        """Those of SMALL that the classic has, at the least that it allows from there on."""
        chosen = []
        for parameter, least, most in re.findall(r"(\w+) (\d+)–(\d+)", self.classics[name]["parameters"]):
            if parameter in SMALL:
                chosen += ["--set", f"{parameter}={max(int(least), min(SMALL[parameter], int(most)))}"]
        return chosen

    def page(self, place, *options):
        """A page of the command's, with a link back."""
        path = self.folder / place
        self.command("classics", "show", *options, "-q", "--html", path)
        text = path.read_text(encoding="utf-8")
        linked = text.replace('<p class="mark">sortile classics</p>', '<p class="mark"><a href="../index.html">The gallery</a></p>', 1)
        if linked == text:
            raise SystemExit(f"gallery_site: {place}: no place for the link to the index")
        path.write_text(linked, encoding="utf-8")

    def examples(self):
        """name → (classic, what to see), where the command has examples."""
        done = subprocess.run([self.sortile, "classics", "list", "--examples"], capture_output=True, text=True)
        found = {}
        for line in done.stdout.splitlines() if done.returncode == 0 else []:
            name, classic, look = (line.split(None, 2) + ["", ""])[:3]
            if classic in self.classics:
                found[name] = (classic, look)
        return found

    # ---- documents

    def html_of(self, document):
        text = document.read_text(encoding="utf-8")
        body = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink"], input=text, capture_output=True, text=True, check=True).stdout

        def named(heading):  # as GitHub names it, for links within the document
            words = html.unescape(re.sub("<[^>]*>", "", heading[2])).lower()
            name = re.sub(r"[^\w -]", "", words).replace(" ", "-")
            return f'<h{heading[1]} id="{name}">{heading[2]}</h{heading[1]}>'

        return re.sub(r"<h([1-6])>(.*?)</h\1>", named, body, flags=re.S)

    def relinked(self, body, document):
        """Links of the repository become links of the site; what the site does not have stays as text."""
        pages = {"classics-index.md": "index.html", "experiments.md": "experiments.html", "learn.md": "learn.html"}

        def link(match):
            target, _, anchor = match[1].partition("#")
            name = target.rsplit("/", 1)[-1]
            if target.startswith("http") or match[1].startswith("#"):
                return match[0]
            if "classics/" in target and name.endswith((".cu", ".hpp")):
                place = f"essays/{name}.html"
            elif name in pages and (self.folder / pages[name]).parent.exists() and (ROOT / "docs" / name).exists():
                place = pages[name] + (f"#{anchor}" if anchor else "")
            else:
                return f"<span>{match[2]}</span>"
            return f'<a href="{place}">{match[2]}</a>'

        def plot(match):
            source = (document.parent / match[1]).resolve()
            shutil.copy(source, self.folder / "plots" / source.name)
            return f'src="plots/{source.name}"'

        body = re.sub(r'<a href="([^"]*)">(.*?)</a>', link, body, flags=re.S)
        body = re.sub(r'src="([^"]*\.svg)"', plot, body)
        return re.sub(r"<code>([\w-]+)</code>", lambda m: f'<a href="classics/{m[1]}.html"><code>{m[1]}</code></a>' if m[1] in self.classics else m[0], body)

    def write(self, place, title, body, home="index.html"):
        back = f'<a href="{home}">The gallery</a>' if place != "index.html" else "sortile"
        text = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{self.style}
{SITE_STYLE}</style>
</head>
<body class="site">
<header class="page-head"><p class="mark">{back}</p></header>
<main>
{body}
</main>
</body>
</html>
"""
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def document(self, name, title):
        source = ROOT / "docs" / name
        body = re.sub(r"(<table>.*?</table>)", r'<div class="scroller" tabindex="0" role="region" aria-label="table">\1</div>',
                      self.relinked(self.html_of(source), source), flags=re.S)
        return body if title is None else self.write(name.replace(".md", ".html"), title, body)

    def essays(self):
        for source in sorted([*(ROOT / "classics").glob("*.cu"), *(ROOT / "classics").glob("*.hpp")]):
            lines = source.read_text(encoding="utf-8").splitlines()
            end = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
            essay = "\n".join(re.sub(r"^// ?", "", line) for line in lines[:end])
            mine = [name for name, one in self.classics.items() if one["file"] == source.name]
            links = "".join(f'<li><a href="../classics/{n}.html">{n}</a> {html.escape(self.classics[n]["summary"])}</li>' for n in mine)
            seen = f"<h2>See it</h2><ul>{links}</ul>" if mine else ""
            body = (f'<h1>{source.name}</h1><pre class="essay-text" tabindex="0">{html.escape(essay)}</pre>{seen}'
                    f'<details class="panel"><summary>The source</summary><pre tabindex="0">{html.escape(chr(10).join(lines[end:]))}</pre></details>')
            self.write(f"essays/{source.name}.html", source.name, body, home="../index.html")

    def index(self, examples):
        def entries(rows):
            return "<ul class=\"entries\">" + "".join(f'<li><a href="{place}">{html.escape(name)}</a><span>{html.escape(text)}</span></li>'
                                                     for place, name, text in rows) + "</ul>"
        families = {}
        for name, one in self.classics.items():
            families.setdefault(one["family"], []).append((f"classics/{name}.html", name, one["summary"]))
        path = self.document("classics-index.md", None)
        path = re.sub(r"(</?h)2\b", r"\g<1>3", re.sub(r"<h1.*?</h1>", "", path, count=1, flags=re.S))
        learn = '<p><a href="learn.html">Learn it section by section</a>: commands, what to look at, a question each.</p>' if (ROOT / "docs/learn.md").exists() else ""
        body = f"""<h1>How parallel sorting works</h1>
<p class="lead">Every classical sort of graphics processors, run thread by thread without one, and shown: where each key goes, which lanes touch which banks and sectors, and what it
costs. Step with the arrow keys.</p>{learn}
<p><a href="experiments.html">What they cost on a GPU, measured</a>.</p>
<h2>Side by side</h2>{entries([(f"beside/{a}--{b}.html", what, f"{a}, {b}") for a, b, what, _ in PAIRS])}
{'<h2>Examples of the textbooks</h2>' + entries([(f"examples/{n}.html", n, f"{c}. {t}".rstrip(". ")) for n, (c, t) in examples.items()]) if examples else ''}
<h2>A reading path</h2>{path}
<h2>All classics</h2>{''.join(f'<h3>{f}</h3>{entries(rows)}' for f, rows in families.items())}"""
        self.write("index.html", "The gallery of parallel sorts", body)

    def make(self):
        for part in ("classics", "examples", "beside", "essays", "plots"):
            (self.folder / part).mkdir(parents=True)
        examples = self.examples()
        jobs = [(f"classics/{n}.html", n) for n in self.classics]  # on its first example
        jobs += [(f"examples/{n}.html", "--example", n) for n in examples]
        jobs += [(f"beside/{a}--{b}.html", a, *options, *self.parameters(a)[:2 * ("--set" not in options)], "--beside", b) for a, b, _, options in PAIRS]
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            list(pool.map(lambda job: self.page(*job), jobs))
        self.essays()
        self.document("experiments.md", "What the classics cost on a GPU")
        if (ROOT / "docs/learn.md").exists():
            self.document("learn.md", "Parallel sorting, section by section")
        self.index(examples)
        return len(jobs)


SITE_STYLE = """
.site main { max-width: 60rem; padding-bottom: 4rem; }
.site .page-head { max-width: 60rem; padding-bottom: 0; }
.site h1 { margin-bottom: 1rem; }
.site h2 { margin: 2.4rem 0 .8rem; }
.site h3 { margin: 1.6rem 0 .5rem; font-size: 1.12rem; }
.site p, .site li { max-width: 44rem; }
.site .lead { font: 1.2rem/1.5 var(--text); }
.site table { border-collapse: collapse; font-size: .9rem; margin: .4rem 0 1rem; }
.site td, .site th { border-bottom: 1px solid var(--line); padding: .35rem .9rem .35rem 0; text-align: left; vertical-align: top; }
.site img { max-width: 100%; height: auto; }
.site pre { background: var(--faint); padding: .9rem 1rem; border-radius: 8px; }
.site .essay-text { background: none; padding: 0; }
.entries { list-style: none; padding: 0; }
.entries li { display: grid; grid-template-columns: minmax(14rem, 2fr) 3fr; gap: 0 1.2rem; padding: .3rem 0; border-bottom: 1px solid var(--faint); max-width: none; }
.entries span { color: var(--soft); font-size: .93rem; }
@media (max-width: 34rem) { .entries li { grid-template-columns: 1fr; } }
"""


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which("cmark-gfm") is None:
        print("gallery_site: cmark-gfm is not installed (apt-get install cmark-gfm)", file=sys.stderr)
        return 1
    target = pathlib.Path(arguments[1]).resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".gallery-") as fresh:
        site = Site(arguments[0], pathlib.Path(fresh))
        pages = site.make()
        if target.exists():
            if not (target / "index.html").exists() and any(target.iterdir()):
                print(f"gallery_site: {target} holds something else (allowed: a new folder, or an older site)", file=sys.stderr)
                return 1
            shutil.rmtree(target)
        shutil.copytree(fresh, target)
    print(f"{target}/index.html: {pages} pages of runs, {len(site.classics)} classics")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
