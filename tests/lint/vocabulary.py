#!/usr/bin/env python3
"""Refuses words that docs/glossary.md lists as not used, in what people read.

    vocabulary.py ROOT            reads ROOT's documents, the comments at the top of its sources, public headers, messages
    vocabulary.py ROOT FILE...    reads these files alone

Prints `file:line: "what was found": what to say instead` for each finding; exit status 1 if there was one.
"""
import bisect
import pathlib
import re
import sys

DOCUMENTS = ["*.md", "docs/*.md", "classics/*.md", "exercises/*.md", "bench/*.md", "bench/*/*.md", "tests/*.md", "tests/*/*.md"]
SOURCES = ["include", "src", "classics", "exercises", "cli", "testing", "tests", "bench", "examples", "python", "scripts"]
SUFFIXES = {".cu", ".cuh", ".hpp", ".h", ".cpp", ".c", ".ipp", ".py", ".sh"}
EXEMPT = {
    "docs/performance-log.md": "a log keeps the words of its day",
    "docs/performance-log-gpu.md": "likewise",
    "bench/lab": "an experiment in raw CUDA, built by no target",
    "tests/lint/vocabulary_test.py": "plants what is refused",
}
# Messages there name members of requests that the kernels' redesign renames.
MESSAGES_EXEMPT = ["src/kernels"]
CODE = re.compile(r"`[^`\n]*`|\]\([^)\n]*\)|(?<![\w/.])[\w.+-]+/[\w./+-]*|\b[\w+-]+\.(hpp|cuh?|cpp|ipp|md|py|sh|json|csv)\b")


def refused(root):
    """The patterns of the glossary's table, each with an example of what it refuses and what to say instead."""
    text = (root / "docs/glossary.md").read_text(encoding="utf-8").partition("| refused pattern |")[2]
    rows = re.findall(r"^\| `(.+?)` \| (.*?) \| (.*) \|$", text, re.M)
    return [(re.compile(pattern.replace("\\|", "|"), re.I), example, instead) for pattern, example, instead in rows]


def blank(match):
    """Spaces and a dot in place of code: offsets stay, and no two words become neighbours."""
    return "\n".join(" " * (len(line) - 1) + "·" * min(1, len(line)) for line in match.group().split("\n"))


def markdown(text):
    text = re.sub(r"^\s*```.*?^\s*```", blank, text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    return re.sub(r"^(\| refused pattern \|).*\Z", blank, text, flags=re.M | re.S)


def comments(text, everywhere):
    """The text of comments, every other line empty: those at the top of the file, or all."""
    lines, kept, top = text.split("\n"), [], True
    for line in lines:
        comment = re.match(r"^\s*(?://[/!]?<?|/?\*+)(.*)", line)
        if comment is None and everywhere:
            comment = re.search(r"//[/!]?<?(.*)", line)
        top = top and (line.startswith("//") or line.startswith("/*") or not line.strip())
        kept.append(" " * comment.start(1) + comment.group(1) if comment and (top or everywhere) else "")
    return "\n".join(kept)


def messages(text):
    """What stands between quotes, at its place."""
    kept = []
    for line in text.split("\n"):
        if line.lstrip().startswith(("#", "//")):
            kept.append("")
            continue
        shown = [" "] * len(line)
        for literal in re.finditer(r'"((?:[^"\\]|\\.)*)"', line):
            if len(literal.group(1).split()) > 1:  # a word alone is a name
                shown[literal.start(1):literal.end(1)] = literal.group(1)
        kept.append("".join(shown))
    return "\n".join(kept)


def readings(path, name):
    """The texts of a file that people read."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [markdown(text)]
    texts = [comments(text, everywhere=name.startswith("include/"))]
    if not any(name.startswith(folder) for folder in MESSAGES_EXEMPT):
        texts.append(messages(text))
    return texts


def findings(text, rules):
    """(line, what was found, what to say instead)."""
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    flat = re.sub(r"\n(?=\n)", "¶", CODE.sub(blank, text)).replace("\n", " ")  # sentences go over lines, not over paragraphs
    flat = re.sub(r"(?<= ) +", lambda m: "\0" * len(m.group()), flat)
    places = [i for i, c in enumerate(flat) if c != "\0"]
    joined = "".join(flat[i] for i in places)
    for pattern, _, instead in rules:
        for match in pattern.finditer(joined):
            yield bisect.bisect_right(starts, places[match.start()]), match.group(), instead


def files(root):
    for pattern in DOCUMENTS:
        yield from sorted(root.glob(pattern))
    for folder in SOURCES:
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)


def main(root, chosen):
    rules, found = refused(root), set()
    if not rules:
        print("docs/glossary.md has no table of refused patterns")
        return 1
    for path in chosen or files(root):
        name = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
        if any(name == exempt or name.startswith(exempt + "/") for exempt in EXEMPT):
            continue
        for text in readings(path, name):
            found |= {(name, *finding) for finding in findings(text, rules)}
    for name, line, what, instead in sorted(found):
        print(f'{name}:{line}: "{what}": {instead}')
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), [pathlib.Path(name).resolve() for name in sys.argv[2:]]))
