#!/usr/bin/env python3
"""Where the time of a build and of its tests goes, and whether the tests' limits leave room for a busy machine.

    build_times.py BUILD [--into HACKING.md] [--note TEXT]
    build_times.py BUILD --limits [HACKING.md]

Reads what the build left: BUILD/.ninja_log (when each step began and ended, the last time that it ran) and BUILD/tests.xml (`make test`
has ctest write it). Prints two tables; --into puts them between the two comments of that file that name this script. They say something
about a build from nothing, with an empty compiler cache, on a machine that has nothing else to do.

--limits names the tests of BUILD that ctest stops before five times what they took there (ROOM), and leaves with 1 where there are any: by
tests.xml, or by the table in a page, by which a test that has no line of its own took at most what the last one did. With --into, too, limits are
compared.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

BEGIN, END = "<!-- begin: scripts/build_times.py -->", "<!-- end: scripts/build_times.py -->"
LONGEST = 12  # tests that have a line of their own
ROOM = 5  # a limit is at least so many times what the test takes on a quiet machine
NO_LIMIT = 1500  # ctest's own, of a test that names none


def steps(log):
    """Output -> (began, ended) in seconds; of a step that ran several times the last."""
    last = {}
    for line in log.splitlines():
        fields = line.split("\t")
        if len(fields) == 5:
            last[fields[3]] = (int(fields[0]) / 1000, int(fields[1]) / 1000)
    return last


def group_of(output):
    """The folder of a compiled file, and who compiled it; None for what is no compilation."""
    match = re.match(r"(?:(.*)/)?CMakeFiles/[^/]+\.dir/(.*)\.o$", output)
    if match is None:
        return None
    folder = match.group(1) or "."
    parts = folder.split("/")
    folder = "/".join(parts[:2]) if parts[0] in ("src", "tests", "bench") else parts[0]
    compiler = "nvcc" if output.endswith(".cu.o") else "g++, for the executor" if ".executor.cpp" in output else "g++"
    return folder, compiler


def compile_table(all_steps):
    seconds, files = collections.Counter(), collections.Counter()
    for output, (began, ended) in all_steps.items():
        group = group_of(output)
        if group is not None:
            seconds[group] += ended - began
            files[group] += 1
    rows = ["| compiled | by | files | seconds |", "|---|---|---:|---:|"]
    small = [group for group in seconds if seconds[group] < 5]
    for group, spent in seconds.most_common():
        if group not in small:
            rows.append(f"| {group[0]} | {group[1]} | {files[group]} | {spent:.0f} |")
    if small:
        rows.append(f"| {len(small)} others | | {sum(files[g] for g in small)} | {sum(seconds[g] for g in small):.0f} |")
    others = sum(ended - began for output, (began, ended) in all_steps.items() if group_of(output) is None)
    rows.append(f"| archives, programs, documents | | {len(all_steps) - sum(files.values())} | {others:.0f} |")
    rows.append(f"| all | | {len(all_steps)} | {sum(seconds.values()) + others:.0f} |")
    return rows


def test_seconds(report):
    """Name -> seconds, of the tests in a report of ctest."""
    return {case.get("name"): float(case.get("time")) for case in xml.etree.ElementTree.parse(report).iter("testcase") if case.get("status") != "disabled"}


def test_table(report):
    cases = sorted(((seconds, name) for name, seconds in test_seconds(report).items()), reverse=True)
    rows = ["| test | seconds |", "|---|---:|"]
    rows += [f"| {name} | {seconds:.0f} |" for seconds, name in cases[:LONGEST]]
    rows.append(f"| {len(cases[LONGEST:])} others | {sum(seconds for seconds, _ in cases[LONGEST:]):.0f} |")
    rows.append(f"| all | {sum(seconds for seconds, _ in cases):.0f} |")
    return rows


def table_seconds(page):
    """Name -> seconds, of the lines in a page's table; and the seconds that no other test took more than."""
    table = page.partition(BEGIN)[2].partition(END)[0].partition("| test | seconds |")[2]
    rows = {name: float(seconds) for name, seconds in re.findall(r"^\| (\w+) \| (\d+) \|$", table, re.M) if name != "all"}
    if not rows:
        raise SystemExit("the page has no table of tests")
    return rows, min(rows.values())


def limits(build):
    """Name -> the seconds after which ctest stops the test."""
    told = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    return {test["name"]: next((p["value"] for p in test.get("properties", []) if p["name"] == "TIMEOUT"), NO_LIMIT)
            for test in json.loads(told.stdout)["tests"]}


def too_short(all_limits, seconds, others):
    """A line for each test whose limit is too short; `others` is what tests take that `seconds` does not name."""
    for name, limit in sorted(all_limits.items()):
        took = seconds.get(name, others)
        if limit < ROOM * took:
            at_most = "" if name in seconds else "at most "
            yield f"{name}: its limit of {limit:.0f} s is less than {ROOM} times the {at_most}{took:.0f} s that it takes on a quiet machine"


def check_limits(build, seconds, others):
    lines = list(too_short(limits(build), seconds, others))
    print("\n".join(lines), end="\n" if lines else "", file=sys.stderr)
    return 1 if lines else 0


def machine():
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return f"{len(os.sched_getaffinity(0))} cores, {model.group(1) if model else 'an unknown processor'}"


def text(build, note):
    build = pathlib.Path(build)
    lines = [f"On {machine()}{'; ' + note if note else ''}. Seconds of each step by the clock, steps side by side added up.", ""]
    lines += compile_table(steps((build / ".ninja_log").read_text()))
    if (build / "tests.xml").exists():
        lines += ["", *test_table(build / "tests.xml")]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("build")
    parser.add_argument("--into", type=pathlib.Path)
    parser.add_argument("--note", default="")
    parser.add_argument("--limits", nargs="?", const="", metavar="PAGE")
    arguments = parser.parse_args()
    if arguments.limits is not None:
        page = arguments.limits and pathlib.Path(arguments.limits).read_text()
        return check_limits(arguments.build, *(table_seconds(page) if page else (test_seconds(pathlib.Path(arguments.build) / "tests.xml"), 0)))
    made = text(arguments.build, arguments.note)
    if arguments.into is None:
        print(made, end="")
        return 0
    page = arguments.into.read_text()
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        raise SystemExit(f"{arguments.into}: the comments {BEGIN} and {END} are not there once each")
    before, rest = page.split(BEGIN)
    arguments.into.write_text(f"{before}{BEGIN}\n{made}{END}{rest.split(END)[1]}")
    report = pathlib.Path(arguments.build) / "tests.xml"
    return check_limits(arguments.build, test_seconds(report), 0) if report.exists() else 0


if __name__ == "__main__":
    sys.exit(main())
