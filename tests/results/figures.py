"""Holds the figures in a page's prose to the committed results.

    figures.py ROOT [PAGE...]          exit status 1 where a figure has no source, or is not what its source gives

A figure is a number with a unit (ns, µs, ms, s, %, ×, times, GB/s, ...), or a list or range of numbers with one. Sizes (bytes, KB, MB, GB) are mostly a
design's; they count on pages whose claims say so. Prose is all but headings, tables, code, generated parts (<!-- x begins --> ... <!-- x ends -->) and
paragraphs that open with **Prediction.** or **Question.** Every page of docs but the logs is read, and the README. For a page with figures
tests/results/figures/PAGE.txt names the files of results and the figures' sources, a claim a line:

    results h100/classics-experiments.json                     the files that the claims ask, in bench/results
    sizes                                                      sizes are figures too
    CUB takes 1.46 ms, production 0.94 ms :: time("staircase", "CUB"); time("staircase", "production")
    7 × of an early report :: elsewhere, elsewhere             not of these results: said by others, or a plan's arithmetic

Left stands a piece of the page, once there; right an expression for each of its numbers that has a unit, in order (measurements.py has the words). A
number in [brackets] counts too, unit or not. It is right where it is the expression's value, rounded as it is written: 0.94 is
0.935 to 0.945, 190 is 185 to 195.
"""

import os
import re
import sys

from measurements import Measurements, Wrong

CLAIMS = os.path.join("tests", "results", "figures")
SIZES = {"bytes": 1, "GB": 1e9, "MB": 1e6, "KB": 1e3}
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "%": 0.01, "×": 1, "times": 1, "GB/s": 1e9, "TB/s": 1e12, "G keys/s": 1e9, "wavefronts": 1, "sectors": 1, **SIZES}
UNIT = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
NUMBER = r"(?<![\w.^/])\d[\d,]*\d(?:\.\d+)?|(?<![\w.^/,])\d(?:\.\d+)?"
JOIN = r"(?:\s?[–→]\s?| and | or | to |, (?:and )?)"
FIGURE = re.compile(r"((?:%s)(?:%s(?:%s))*)[  ]?(%s)(?![\w^])" % (NUMBER, JOIN, NUMBER.replace(r"(?<![\w.^/])", "").replace(r"(?<![\w.^/,])", ""), UNIT))
BRACKET = re.compile(r"\[(%s)\]" % NUMBER)


def prose(text):
    """The page's prose on one line; what is none is left out."""
    text = re.sub(r"<!-- (.*?) begins -->.*?<!-- \1 ends -->", "\n\n", text, flags=re.S)
    text = re.sub(r"^```.*?^```", "\n\n", text, flags=re.S | re.M)
    kept = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line for line in paragraph.split("\n") if not re.match(r"\s*(\||#|!\[|    \S|<!--)", line)]
        joined = " ".join(line.strip() for line in lines)
        if not re.match(r"\*\*(Prediction|Question)\.\*\*", joined):
            kept.append(joined)
    return "  ".join(each for each in kept if each)


def figures_in(text, sizes=True):
    """[(begin, end, number as written, factor of its unit)]"""
    found = []
    for match in FIGURE.finditer(text):
        if match.group(2) in SIZES and not sizes:
            continue
        for number in re.finditer(r"\d[\d,]*\d(?:\.\d+)?|\d(?:\.\d+)?", match.group(1)):
            begin = match.start(1) + number.start()
            found.append((begin, begin + len(number.group()), number.group(), UNITS[match.group(2)]))
    return found


def tolerance(written):
    """Half of the last place that is written; zeros before the point say nothing."""
    digits = written.replace(",", "")
    if "." in digits:
        return 0.5 * 10 ** -len(digits.split(".")[1])
    return 0.5 * 10 ** (len(digits) - len(digits.rstrip("0")))


def agrees(written, factor, value):
    return abs(value / factor - float(written.replace(",", ""))) <= tolerance(written) * (1 + 1e-9)


def read_claims(path):
    """([files], whether sizes count, [(line number, fragment, [expression])])"""
    files, sizes, claims = [], False, []
    if not os.path.exists(path):
        return files, sizes, claims
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            if line.startswith("results "):
                files += line.split()[1:]
            elif line == "sizes":
                sizes = True
            elif line and not line.startswith("#"):
                fragment, separator, expressions = line.partition(" :: ")
                if not separator:
                    raise Wrong("%s:%d: no ' :: '" % (path, number))
                claims.append((number, fragment, [each.strip() for each in expressions.split(";")]))
    return files, sizes, claims


def complaints(root, page):
    """What is wrong with a page's figures."""
    path = os.path.join(root, CLAIMS, os.path.basename(page)[:-len(".md")] + ".txt")
    with open(os.path.join(root, page), encoding="utf-8") as file:
        whole = file.read()
    text = prose(whole)
    files, sizes, claims = read_claims(path)
    words = Measurements(root, files).words(whole)
    covered, found = set(), []
    for number, fragment, expressions in claims:
        where = "%s:%d: %s" % (os.path.relpath(path, root), number, fragment)
        plain = BRACKET.sub(r"\1", fragment)
        if text.count(plain) != 1:
            found.append("%s: stands %d times in the prose of %s" % (where, text.count(plain), page))
            continue
        offset, numbers = text.index(plain), []
        bracketed = {match.start(1) - 1 - 2 * k: match.group(1) for k, match in enumerate(BRACKET.finditer(fragment))}
        inside = {begin: (written, factor) for begin, end, written, factor in figures_in(text, sizes)
                  if offset <= begin and end <= offset + len(plain)}
        for begin, written in bracketed.items():
            inside.setdefault(offset + begin, (written, 1))
        numbers = [(begin, *inside[begin]) for begin in sorted(inside)]
        if len(numbers) != len(expressions):
            found.append("%s: %d figures (%s), %d sources" % (where, len(numbers), ", ".join(n[1] for n in numbers), len(expressions)))
            continue
        for (begin, written, factor), expression in zip(numbers, expressions):
            covered.add(begin)
            if expression == "elsewhere":
                continue
            try:
                value = eval(expression, dict(words, __builtins__={}))
            except Exception as failure:
                found.append("%s: %s: %s" % (where, expression, failure))
                continue
            if not agrees(written, factor, value):
                found.append("%s: %s is written, %s gives %.4g" % (where, written, expression, value / factor))
    for begin, end, written, factor in figures_in(text, sizes):
        if begin not in covered:
            found.append("%s: a figure without a source: …%s…" % (page, text[max(0, begin - 60):end + 30]))
    return found


def all_pages(root):
    """Every page but the logs, which are what was measured when."""
    return ["README.md"] + sorted("docs/" + name for name in os.listdir(os.path.join(root, "docs")) if name.endswith(".md") and not name.startswith("performance-log"))


def main(root, pages):
    pages = pages or all_pages(root)
    found = [each for page in pages for each in complaints(root, page)]
    for each in found:
        print(each)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
