#!/usr/bin/env python3
"""docs/learn/*.ipynb are the sections of docs/learn.md, with a cell for each command; and every command does what it should.

    notebooks.py check SORTILE ROOT    compares, and runs all cells; prints what differs or fails, exit status 1 if there was any
    notebooks.py write SORTILE ROOT    makes the notebooks anew

A block ```sh of the page becomes a cell for each line of it. Of a block ```text that begins with `$ sortile` the first line becomes a
cell and the rest is its output, which the run has to print again. A block ```text of commands that leave with 1, as they should, is
kept as cells too. Cells are run here as Jupyter runs them, but without it: lines with a `!` by the shell, all others as Python.

What a section quotes in "…", and the lines of sources that it names, its commands print.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

PAGE = "docs/learn.md"
FOLDER = "docs/learn"
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r'"([^"]+)"|`(\w+\.(?:hpp|cu):\d+)`')
SAID_ELSEWHERE = {"where it is hard",  # a paragraph of the page
                  "nothing was found"}  # of a repaired kernel
LINK = re.compile(r"\]\((?!https?:|#)([^)]*)\)")
BEGIN = """# The command of this checkout, as `make tools` builds it; without this cell, the one that is installed.
import os
os.environ["PATH"] = os.path.abspath("../../build/default/cli") + os.pathsep + os.environ["PATH"]"""


def relinked(text):
    """Links from docs/ as links from docs/learn/."""
    return LINK.sub(lambda m: f"]({os.path.normpath('../' + m[1])})", text)


def markdown(text):
    return {"cell_type": "markdown", "metadata": {}, "source": relinked(text.strip())}


def command(line, printed=""):
    outputs = [{"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}] if printed else []
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": outputs, "source": "!" + line}


def cells_of(section):
    """Markdown and commands of a section, in the page's order."""
    cells, at = [], 0
    for block in BLOCK.finditer(section):
        cells += [markdown(section[at:block.start()])]
        at = block.end()
        text = block[2]
        if text.startswith("$ "):
            line, _, printed = text[2:].partition("\n")
            cells += [command(line, printed)]
        else:
            cells += [command(line) for line in text.splitlines()]
    return [cell for cell in cells + [markdown(section[at:])] if cell["source"]]


def notebook(cells):
    for i, cell in enumerate(cells):
        cell["source"] = cell["source"].splitlines(keepends=True)
        cell["id"] = f"cell-{i}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def notebooks(page):
    """The text of each notebook by its file's name; the first section says how to begin and is in none but the first."""
    opening, *sections = re.split(r"^## ", page, flags=re.MULTILINE)
    names = []
    for number, section in enumerate(sections, 1):
        words = re.findall(r"[a-z]+", section.partition("\n")[0].lower())
        names.append(f"{number:02}-{'-'.join(words)}.ipynb")
    made = {}
    for i, (name, section) in enumerate(zip(names, sections)):
        setup = command("")
        setup["source"] = BEGIN
        further = f"Next: [{names[i + 1]}]({names[i + 1]})" if i + 1 < len(names) else ""
        cells = [*([] if i else cells_of(opening)), *cells_of("## " + section)]
        title = cells.pop(0)
        last = {"cell_type": "markdown", "metadata": {}, "source": further}
        made[name] = notebook([title, setup, *cells, *([last] if further else [])])
    return made


def run_command(line, sortile):
    """What a line with a `!` prints, and what was wrong with it."""
    environment = {**os.environ, "PATH": f"{sortile.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(line[1:], shell=True, env=environment, capture_output=True, text=True, timeout=120)
    wanted = 1 if line.startswith("!sortile classics break ") else 0
    if done.returncode == wanted and not done.stderr and done.stdout:
        return done.stdout, []
    return done.stdout, [f"{line}: exit status {done.returncode}, {len(done.stdout)} characters printed; {done.stderr}"]


def run_cell(cell, sortile):
    """What a cell of code prints, and what was wrong with it."""
    source = "".join(cell["source"])
    if not source.startswith("!"):
        exec(compile(source, "cell", "exec"), {})
        return "", []
    printed, failures = run_command(source, sortile)
    kept = "".join(text for output in cell["outputs"] for text in output["text"])
    if kept and kept != printed:
        failures.append(f"{source} prints\n{printed}and the notebook has\n{kept}")
    return printed, failures


def in_one_line(text):
    return " ".join(text.lower().split())


def run_notebook(name, text, sortile):
    """How many cells of code it has, and what was wrong with them, or with what is said of them."""
    cells = json.loads(text)["cells"]
    runs = [run_cell(cell, sortile) for cell in cells if cell["cell_type"] == "code"]
    printed = in_one_line(" ".join(run[0] for run in runs))
    said = " ".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    quotes = {in_one_line(words or line) for words, line in QUOTED.findall(said)} - SAID_ELSEWHERE
    unseen = [f"{name}: no command prints {quote!r}" for quote in sorted(quotes) if quote not in printed]
    return len(runs), [failure for run in runs for failure in run[1]] + unseen


def main():
    mode, sortile, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
    made = notebooks((root / PAGE).read_text(encoding="utf-8"))
    folder = root / FOLDER
    if mode == "write":
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.ipynb"):
            old.unlink()
        for name, text in made.items():
            (folder / name).write_text(text, encoding="utf-8")
    kept = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.ipynb")}
    found = [f"{FOLDER}/{name} is not what {PAGE} makes: notebooks.py write SORTILE ROOT" for name in sorted({*made, *kept})
             if made.get(name) != kept.get(name)]
    cells = 0
    for name, text in made.items():
        count, failures = run_notebook(name, text, sortile)
        cells += count
        found += failures
    print("\n".join([*found, f"{len(made)} notebooks with {cells} cells"]))
    return 1 if found or len(made) < 10 or cells < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
