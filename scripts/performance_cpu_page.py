#!/usr/bin/env python3
"""Puts what was measured of the CPU engine into README.md and docs/performance-cpu.md, between their marks.

    scripts/performance_cpu_page.py            writes the pages
    scripts/performance_cpu_page.py --check    says which tables do not agree with bench/results, and fails

A table stands between <!-- NAME begins --> and <!-- NAME ends -->; TABLES says what makes it. A time is that of the fastest run, in nanoseconds
a key (or a pair). Rivals took turns with sortile in the same run; where several runs have an input, the one in which sortile fares worst counts.
"""

import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
OURS = "sortile cpu"
EPYC, ZEN_4, XEON, XEON_2 = "cpu-amd-epyc-2c", "cpu-amd-epyc-zen4-2c", "cpu-intel-xeon-16c", "cpu-intel-xeon-2c"
ZEN_3 = "cpu-amd-epyc-zen3-2c"
ASKED = 1.25  # times as fast as the best rival
LETTERS = {"hwy vqsort": "v", "np.sort": "n", "np.argsort": "n", "pdqsort": "p", "ips4o": "i", "ips4o parallel": "i"}


class Disagreement(Exception):
    pass


def figure(x):
    return "%.2f" % x if x < 10 else "%.1f" % x if x < 100 else "%.0f" % x


class Measured:
    """Files of results: nanoseconds by (type, workload, n) and contender, a dictionary for each file."""

    def __init__(self, *names):
        self.files = [self.read(name) for name in names]

    @staticmethod
    def read(name):
        content = json.loads((RESULTS / name).read_text(encoding="utf-8"))
        times = {}
        for row in content["rows"]:
            if row.get("seconds"):
                keys = row["n"] * row.get("figures", {}).get("arrays", 1)
                times.setdefault((row["type"], row["workload"], row["n"]), {})[row["contender"]] = 1e9 * min(row["seconds"]) / keys
        return times

    def inputs(self):
        """In the order of the files."""
        return list(dict.fromkeys(key for times in self.files for key in times))

    def time(self, contender, key):
        """None where it was not measured."""
        return next((times[key][contender] for times in self.files if contender in times.get(key, {})), None)

    def worst(self, key):
        """(ratio, sortile's time, the best rival's, the rival) of the file in which sortile fares worst; None where none has a rival."""
        found = []
        for times in self.files:
            here = times.get(key, {})
            rivals = [(time, name) for name, time in here.items() if not name.startswith("sortile")]
            if OURS in here and rivals:
                time, name = min(rivals)
                found.append((time / here[OURS], here[OURS], time, name))
        return min(found) if found else None


def table(rows):
    return "\n".join(["| " + " | ".join(rows[0]) + " |", "|---|" + "---:|" * (len(rows[0]) - 1)] +
                     ["| " + " | ".join(row) + " |" for row in rows[1:]]) + "\n"


def by_workload(measured, n, types):
    """A row a workload, for each type sortile's time, the best rival's and the ratio."""
    rows = [["keys"] + [cell for kind in types for cell in ("`%s`" % kind, "×")]]
    for workload in dict.fromkeys(key[1] for key in measured.inputs() if key[2] == n):
        row = [workload]
        for kind in types:
            found = measured.worst((kind, workload, n))
            row += ["%s / %s %s" % (figure(found[1]), figure(found[2]), LETTERS.get(found[3], found[3])), "%.2f" % found[0]] if found else ["", ""]
        rows.append(row)
    return table(rows)


def by_length(measured, types, contenders, workload="uniform"):
    """A row a length, for each type the times of the contenders."""
    rows = [["keys"] + ["`%s`" % kind for kind in types]]
    for n in sorted({key[2] for key in measured.inputs() if key[1] == workload}):
        row = [format(n, ",")]
        for kind in types:
            times = [measured.time(contender, (kind, workload, n)) for contender in contenders]
            row.append(" / ".join("–" if time is None else figure(time) for time in times) if times[0] is not None else "")
        if any(row[1:]):
            rows.append(row)
    return table(rows)


def summary(groups):
    """Of each group (what it is, Measured, which of its inputs) the least, the middle and the greatest ratio to the best rival."""
    rows = [["", "rows", "least", "median", "greatest", "%.2f or more" % ASKED, "below 1"]]
    for told, measured, suits in groups:
        ratios = sorted(found[0] for key in measured.inputs() if suits(key) for found in [measured.worst(key)] if found)
        if ratios:
            rows.append([told, str(len(ratios))] + ["%.2f" % x for x in (ratios[0], statistics.median(ratios), ratios[-1])] +
                        [str(sum(x >= ASKED for x in ratios)), str(sum(x < 1 for x in ratios))])
    return table(rows)


def losses(measured, suits=lambda key: True):
    """The inputs on which a rival is ahead, the worst first."""
    found = sorted((worst[0], key, worst[3]) for key in measured.inputs() if suits(key) for worst in [measured.worst(key)] if worst and worst[0] < 1)
    if not found:
        return "Nowhere.\n"
    return "".join("- `%s` %s, %s keys: %s takes %.2f of sortile's time\n" % (key[0], key[1], format(key[2], ","), name, ratio) for ratio, key, name in found)


def contenders(measured, inputs, columns):
    """A row an input ((type, workload, n), what the reader is told that it is); a column a contender."""
    rows = [["nanoseconds a key"] + [told for _, told in columns]]
    for key, told in inputs:
        times = [measured.time(name, key) for name, _ in columns]
        if times[0] is None:
            raise Disagreement("%s of %d %s keys was not measured" % (key[1], key[2], key[0]))
        best = min(time for time in times if time is not None)
        rows.append([told] + ["–" if time is None else ("**%s**" if time == best else "%s") % figure(time) for time in times])
    return table(rows)


KEYS = ("u32", "u64", "f32", "f64")
PAIRS = ("u32+u32", "u64+u32", "u64+u64")
EVEN_PAIRS = ("u32+u32", "u64+u64")
TWO_THREADS = ("u32", "u64+u32")
REGISTRY_KEYS = 4_000_000

epyc_one = Measured(EPYC + "/registry-one-thread.json", EPYC + "/numpy-registry-one-thread.json")
epyc_lengths = Measured(EPYC + "/lengths-one-thread.json", EPYC + "/long-one-thread.json")
epyc_pairs = Measured(EPYC + "/pairs-one-thread.json")
epyc_numpy = Measured(EPYC + "/numpy-one-thread.json")
epyc_two = Measured(EPYC + "/distributions-two-threads.json")
epyc_two_numpy = Measured(EPYC + "/numpy-two-threads.json")
zen_4_pairs = Measured(ZEN_4 + "/skewed-pairs-one-thread.json")
zen_4_specials = Measured(ZEN_4 + "/specials-one-thread.json")
zen_3 = Measured(ZEN_3 + "/registry-ten-thousand.json", ZEN_3 + "/registry-hundred-thousand.json", ZEN_3 + "/registry-million.json")
xeon_one = Measured(XEON + "/registry-one-thread.json")
xeon_skewed = Measured(XEON + "/skewed-one-thread.json")
xeon_sixteen = Measured(XEON + "/sixteen-threads.json", XEON + "/sixteen-threads-pairs.json")


def keys_alone(kind):
    return lambda key: key[0] == kind


def indices(key):
    return key[0].endswith(" index")


def of(kind, workload="uniform", n=REGISTRY_KEYS):
    return (kind, workload, n)


# What the reader of README.md wants to know first.
README_INPUTS = [(of("u32"), "`u32`, uniform"), (of("u32", "normal"), "`u32`, normally distributed"), (of("u32", "zipf"), "`u32`, skewed (Zipf)"),
                 (of("u32", "few:256"), "`u32`, 256 different keys"), (of("u32", "equal"), "`u32`, all equal"), (of("u32", "sorted"), "`u32`, sorted already"),
                 (of("u64"), "`u64`, uniform"), (of("u64", "nearly-sorted"), "`u64`, nearly sorted"), (of("f32"), "`f32`, uniform"), (of("f64"), "`f64`, uniform")]
SIXTEEN = [(of("u32", n=10_000_000), "`u32`, uniform"), (of("u32", "zipf", 10_000_000), "`u32`, skewed (Zipf)"), (of("u32", "few:16", 10_000_000), "`u32`, 16 different keys"),
           (of("u64", n=10_000_000), "`u64`, uniform"), (of("u64", "nearly-sorted", 10_000_000), "`u64`, nearly sorted"), (of("f32", n=10_000_000), "`f32`, uniform"),
           (of("u32+u32", n=5_000_000), "`u32` with `u32` values, 5·10^6, a pair")]

TABLES = {
    "cpu result": lambda: contenders(
        Measured(EPYC + "/registry-one-thread.json", EPYC + "/numpy-registry-one-thread.json", EPYC + "/long-one-thread.json",
                 EPYC + "/std-sort-one-thread.json"), README_INPUTS,
        [(OURS, "sortile"), ("std::sort", "`std::sort`"), ("np.sort", "NumPy (x86-simd-sort)"), ("hwy vqsort", "Highway's vqsort"), ("ips4o", "ips4o"), ("pdqsort", "pdqsort")]),
    "cpu result, 16 threads": lambda: contenders(xeon_sixteen, SIXTEEN, [(OURS, "sortile"), ("ips4o parallel", "ips4o")]),
    "cpu summary": lambda: summary(
        [("EPYC, one thread, `%s`" % kind, epyc_one, keys_alone(kind)) for kind in KEYS] +
        [("EPYC, one thread, pairs", epyc_pairs, lambda key: True), ("EPYC, one thread, argsort", epyc_numpy, indices)] +
        [("EPYC, two threads, `%s`" % kind, epyc_two, keys_alone(kind)) for kind in TWO_THREADS] +
        [("Xeon, one thread, `%s`" % kind, xeon_one, keys_alone(kind)) for kind in KEYS] +
        [("Xeon, one thread, skewed %s" % told, xeon_skewed, suits)
         for told, suits in (("keys", lambda key: "+" not in key[0]), ("pairs", lambda key: "+" in key[0]))] +
        [("Zen 3, one thread, 10^%d %s" % (power, told), zen_3, lambda key, n=10**power, suits=suits: key[2] == n and suits(key))
         for power in (4, 5, 6) for told, suits in (("keys", lambda key: "+" not in key[0]), ("pairs", lambda key: "+" in key[0]))]),
    "cpu epyc, one thread": lambda: by_workload(epyc_one, REGISTRY_KEYS, KEYS),
    "cpu xeon, one thread": lambda: by_workload(xeon_one, REGISTRY_KEYS, KEYS),
    "cpu zen 4, specials": lambda: by_workload(zen_4_specials, REGISTRY_KEYS, ("f32", "f64")),
    "cpu zen 4, skewed pairs": lambda: by_workload(zen_4_pairs, 10_000_000, ("u32+u32", "u64+u64")),
    "cpu zen 3, ten thousand": lambda: by_workload(zen_3, 10_000, KEYS + EVEN_PAIRS),
    "cpu zen 3, hundred thousand": lambda: by_workload(zen_3, 100_000, KEYS + EVEN_PAIRS),
    "cpu zen 3, million": lambda: by_workload(zen_3, 1_000_000, KEYS + EVEN_PAIRS),
    "cpu epyc, lengths": lambda: by_length(epyc_lengths, KEYS, [OURS, "hwy vqsort", "std::sort"]),
    "cpu epyc, pairs": lambda: by_workload(epyc_pairs, REGISTRY_KEYS, PAIRS),
    "cpu epyc, two threads": lambda: by_workload(epyc_two, 10_000_000, TWO_THREADS),
    "cpu epyc, numpy, two threads": lambda: by_length(epyc_two_numpy, ("u32", "u64", "i64", "f32", "f64"), [OURS, "np.sort"]),
    "cpu epyc, numpy": lambda: by_length(epyc_numpy, ("u32", "u64", "i64", "f32", "f64"), [OURS, "np.sort"]),
    "cpu epyc, argsort": lambda: by_length(epyc_numpy, ("u32 index", "u64 index", "i64 index", "f32 index", "f64 index"), [OURS, "np.argsort"]),
    "cpu losses, epyc, one thread": lambda: losses(epyc_one),
    "cpu losses, epyc, pairs": lambda: losses(epyc_pairs),
    "cpu losses, epyc, two threads": lambda: losses(epyc_two),
    "cpu losses, zen 4, pairs": lambda: losses(zen_4_pairs),
    "cpu losses, xeon, one thread": lambda: losses(xeon_one),
    "cpu losses, xeon, skewed": lambda: losses(xeon_skewed),
    "cpu losses, zen 3": lambda: losses(zen_3),
}


def made(text, marks):
    """The page with its tables made anew, and the names of those that it has."""
    found = []

    def replace(match):
        if match[2] not in marks:
            return match[0]
        found.append(match[2])
        return match[1] + "\n" + marks[match[2]]().rstrip("\n") + "\n\n" + match[4]

    return re.sub(r"(<!-- (cpu [\w ,-]+) begins -->\n)(.*?)(<!-- \2 ends -->)", replace, text, flags=re.S), found


def main():
    check = "--check" in sys.argv[1:]
    wrong, seen = [], []
    for name in ("README.md", "docs/performance-cpu.md"):
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        new, found = made(text, TABLES)
        seen += found
        if check and new != text:
            wrong.append(name + " does not agree with bench/results; scripts/performance_cpu_page.py makes its tables anew")
        elif not check:
            page.write_text(new, encoding="utf-8")
    wrong += ["no page has the table <!-- %s begins -->" % name for name in TABLES if name not in seen]
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
