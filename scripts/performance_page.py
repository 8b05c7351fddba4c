#!/usr/bin/env python3
"""Puts what was measured into docs/performance.md and README.md, between their marks, and draws the page's plot.

    scripts/performance_page.py --sortile BUILD/cli/sortile            writes the pages and the plot
    scripts/performance_page.py --sortile BUILD/cli/sortile --check    says what does not agree with the data, and fails

The tables are those that `sortile bench gpu --from` prints of the committed results; those of single kernels are made from
the readings of the profiler that lie beside them. Results of further GPUs (FURTHER), where there are any, make a section of the
page each. The result in short (RESULT, SUMMARY) stands at the top of the page, and in the README.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = "bench/results/h100"
RESULTS = "engine-sorts.json"
# Further GPUs: the mark on the page, the section's heading, the folder of the results.
FURTHER = [("h200", "On the H200", "bench/results/h200")]
# The mark on the page, the file of ncu's readings, and which sort of the file. A file is `ncu --csv`, or its name, metric and
# value columns with "|" between; a sort ends where its first kernel comes again, or a heading.
STEPS = [("steps " + kind, "engine-ncu-%s.csv" % kind, 0) for kind in ("u32", "u64", "u32+u32", "u64+u64")]
# The result in short: rows of 2^28 elements, and what the reader is told that they are.
RESULT = [
    ("u32 uniform", "`u32` keys"),
    ("u64 uniform", "`u64` keys"),
    ("u128 uniform", "`u128` keys"),
    ("u32+u32 uniform", "`u32` keys with `u32` values"),
    ("u64+u64 uniform", "`u64` keys with `u64` values"),
    ("u64 index uniform", "argsort of `u64` keys"),
    ("u8 uniform", "`u8` keys"),
    ("f64 unit", "`f64` keys between 0 and 1"),
    ("u64 count-up", "`u64` keys that are sorted already"),
    ("u32 zipf-spread", "`u32` keys, skewed (Zipf)"),
    ("u64 zipf-spread", "`u64` keys, skewed (Zipf)"),
]
# The groups of rows in which times are compared with CUB's, and what they are.
SUMMARY = [
    ("keys", "keys alone, uniform, 2^28"),
    ("pairs", "keys with values, and argsort, uniform, 2^28"),
    ("narrow keys", "keys of 8 and 16 bits, 2^28"),
    ("ranges", "numbers from a small range, 2^28"),
    ("sorted", "sorted or descending already, 2^28"),
    ("equal", "all keys equal, 2^28"),
    ("skew", "skewed keys, 2^10 to 2^28"),
    ("worst cases", "worst cases made on purpose, 2^28"),
    ("floats", "floats, 2^12 to 2^28"),
    ("comparison", "structs, against CUB's merge sort, 2^20 and 2^28"),
    ("small n", "uniform, 2^10 to 2^24"),
]
METRICS = {
    "gpu__time_duration.sum": "time",
    "dram__bytes.sum": "bytes",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed": "shared",
    "smsp__warps_active.avg.pct_of_peak_sustained_active": "warps",
}


class Disagreement(Exception):
    pass


def readings(path):
    """The sorts of a file: lists of kernels, each a name and its metrics, in the order of their launches."""
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    bar = not lines[0].startswith('"')
    sorts, columns, previous = [], None, None
    for row in csv.reader(lines, delimiter="|" if bar else ","):
        if "Metric Name" in row:
            columns, previous = row, None
            sorts.append([])
            continue
        if columns is None or len(row) != len(columns):
            continue
        cells = dict(zip(columns, row))
        kernel = re.sub(r"^void kernel_entry<|[<>].*$", "", cells["Kernel Name"])
        metric = METRICS.get(cells["Metric Name"])
        launch = cells.get("ID")
        # Without a column of launches, a metric that the last kernel has already belongs to another.
        is_new = launch != previous if not bar else not sorts[-1] or kernel != sorts[-1][-1]["kernel"] or metric in sorts[-1][-1]
        if is_new:
            if sorts[-1] and kernel == sorts[-1][0]["kernel"]:
                sorts.append([])
            sorts[-1].append({"kernel": kernel})
        previous = launch
        if metric is not None:
            sorts[-1][-1][metric] = float(cells["Metric Value"].replace(",", ""))
    return sorts


def figures(number, digits=3):
    """Three figures, no exponent."""
    text = "%.*g" % (digits, number)
    return text if "e" not in text else "%.0f" % number


def table(rows):
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))) + " |" for row in rows]
    rule = "|" + "|".join("-" * (w + 2) if k == 0 else "-" * (w + 1) + ":" for k, w in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule] + lines[1:]) + "\n"


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def section_of(heading, content):
    """Heading, machine, and the rows that were measured, from the tables of groups: a table for those of the same columns."""
    tables = {}
    for mark, text in content.items():
        if mark.startswith("table "):
            first, _, *lines = [cells_of(line) for line in text.splitlines()]
            tables.setdefault(tuple(first), []).extend(cells for cells in lines if "not measured" not in cells)
    return "## %s\n\n%s\n%s" % (heading, content["machine"], "\n".join(table([list(first)] + rows) for first, rows in tables.items()))


def records(text):
    """The lines of a table of results, as dictionaries by column; the first column is the row's name."""
    first, _, *lines = [cells_of(line) for line in text.splitlines()]
    return [dict(zip(["row"] + first[1:], cells)) for cells in lines if "not measured" not in cells]


def result_table(content):
    """What a reader wants to know first: a few rows, sortile beside CUB."""
    found = {r["row"]: r for mark, text in content.items() if mark.startswith("table ")
             for r in records(text) if r["n"] == "2^28" and r.get("L2", "warm") == "warm"}
    rows = [["2^28 elements in the GPU's memory", "sortile", "CUB", "times as fast"]]
    for name, told in RESULT:
        if name not in found:
            raise Disagreement("the row '%s' of 2^28, which the result in short shows, was not measured" % name)
        rows.append([told] + [found[name][column] for column in ("sortile", "CUB", "ratio")])
    return table(rows)


def summary_table(content):
    """The least, the middle and the greatest ratio of each group of rows."""
    rows = [["rows", "how many", "least ratio", "median", "greatest"]]
    for group, told in SUMMARY:
        ratios = sorted(float(r["ratio"]) for r in records(content["table " + group]) if r.get("ratio", "-") != "-")
        if ratios:
            rows.append([told, str(len(ratios))] + ["%.2f" % ratios[k] for k in (0, (len(ratios) - 1) // 2, -1)])
    return table(rows)


IDLE_BYTES = 100_000  # a kernel that found nothing to do reads less


def steps_table(sort, copy_rate):
    rows = [["kernel", "ms", "GB", "of copy", "shared memory busy", "warps resident"]]
    idle = [step for step in sort if step["bytes"] < IDLE_BYTES]
    for step in sort:
        if step in idle:
            continue
        seconds = step["time"] * 1e-9
        rows.append([step["kernel"], figures(seconds * 1e3), figures(step["bytes"] / 1e9), "%.0f %%" % (100 * step["bytes"] / seconds / copy_rate),
                     "%.0f %%" % step["shared"], "%.0f %%" % step["warps"]])
    if idle:
        rows.append(["%d with nothing to do" % len(idle), figures(sum(s["time"] for s in idle) * 1e-6), "0", "", "", ""])
    whole, moved = sum(s["time"] for s in sort) * 1e-9, sum(s["bytes"] for s in sort)
    rows.append(["all", figures(whole * 1e3), figures(moved / 1e9), "%.0f %%" % (100 * moved / whole / copy_rate), "", ""])
    return table(rows)


def measured(sortile, results, *options):
    """What goes between the page's marks, by mark."""
    done = subprocess.run([sortile, "bench", "gpu", "--from", results, *options], capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise Disagreement(done.stderr.strip())
    head, _, rest = done.stdout.partition("\n## ")
    content = {"machine": head.splitlines()[0] + "\n"}
    content["tally"] = rest.rstrip("\n").splitlines()[-1] + "\n"
    for group in rest.split("\n## "):
        name, _, body = group.partition("\n")
        content["table " + name] = body.strip("\n").split("\n\n")[0] + "\n"
    return content


def copy_rate_of(results):
    import json
    with open(results, encoding="utf-8") as file:
        return json.load(file)["environment"]["copy_bytes_per_second"]


def filled(page, content):
    """The page with the content of each of its marks, but for those that performance_cpu_page.py fills: "cpu …". A table may stand empty, until
    its rows are measured."""
    marks = re.findall(r"^<!-- (?!cpu )(.*) begins -->$", page, re.M)
    for mark in marks:
        if mark not in content and not mark.startswith("table "):
            raise Disagreement("the page has a mark for '%s', and there is nothing of that name" % mark)
        begin, end = "<!-- %s begins -->\n" % mark, "<!-- %s ends -->\n" % mark
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise Disagreement("the mark '%s' does not end" % mark)
        page = before + begin + content.get(mark, "Not measured.\n") + end + after
    for mark in content:
        if mark not in marks and mark != "table others":
            raise Disagreement("the page has no mark for '%s'" % mark)
    return page


def lost_rows(content):
    """The names of the rows in which sortile is slower than CUB, with the further GPU on which they are."""
    headings = {mark: heading for mark, heading, _ in FURTHER}
    for mark, text in content.items():
        if mark in headings or mark.startswith("table ") and mark != "table others":
            for line in text.splitlines():
                if "**loses**" in line or "**wrong**" in line:
                    name = cells_of(line)[0]
                    yield name if mark not in headings else name + " " + headings[mark][0].lower() + headings[mark][1:]


def check_losses(page, content):
    """Every row that loses has to be spoken of under the heading for it."""
    _, found, section = page.partition("\n## Slower than CUB\n")
    section = " ".join(section.partition("\n## ")[0].split())
    for name in lost_rows(content):
        if not found or not re.search(r"(?<![\w+])" + re.escape(name) + r"\b(?! on the )", section):
            raise Disagreement("the row '%s' is slower than CUB, and the section 'Slower than CUB' does not name it" % name)


def content_of(root, sortile, plots):
    folder = os.path.join(root, FOLDER)
    results = os.path.join(folder, RESULTS)
    content = measured(sortile, results, "--plots", plots)
    content["result"], content["summary"] = result_table(content), summary_table(content)
    rate = copy_rate_of(results)
    for mark, name, number in STEPS:
        content[mark] = steps_table(readings(os.path.join(folder, name))[number], rate)
    for mark, heading, there in FURTHER:
        results = os.path.join(root, there, RESULTS)
        content[mark] = section_of(heading, measured(sortile, results)) if os.path.exists(results) else ""
    return content


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def run(root, sortile, check):
    path = os.path.join(root, "docs/performance.md")
    with tempfile.TemporaryDirectory() as plots:
        content = content_of(root, sortile, plots)
        wanted = {path: filled(read(path), content)}
        readme = os.path.join(root, "README.md")
        wanted[readme] = filled(read(readme), {mark: content[mark] for mark in ("machine", "result")})
        for name in sorted(os.listdir(plots)):
            wanted[os.path.join(root, FOLDER, name)] = read(os.path.join(plots, name))
    for target, text in wanted.items():
        if not check:
            write(target, text)
        elif not os.path.exists(target) or read(target) != text:
            raise Disagreement("%s does not hold what the results give; scripts/performance_page.py puts it there" % os.path.relpath(target, root))
    check_losses(wanted[path], content)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sortile", required=True, help="the built command")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where something does not agree")
    parser.add_argument("--root", default=ROOT, help="the source tree (default: that of this script)")
    asked = parser.parse_args()
    try:
        run(asked.root, os.path.abspath(asked.sortile), asked.check)
    except (Disagreement, OSError, KeyError, IndexError) as problem:
        sys.exit("performance_page: %s" % (problem if not isinstance(problem, (KeyError, IndexError)) else "no reading of %s" % problem))


if __name__ == "__main__":
    main()
