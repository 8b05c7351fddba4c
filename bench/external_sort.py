"""Measures sorts larger than memory: `sortile sort -S` beside `LC_ALL=C sort -S`, in turns, the same limit and temporary folder.

    external_sort.py --sortile build/default/cli/sortile [--lines 20M] [--limit 64M] [--rounds 3] [--folder DIR] [--json FILE]

The input are 64-bit numbers, uniformly distributed, as decimal lines; by bytes, and by number (-n). The outputs are compared. The table names the
median of all runs, and the largest memory that one took.
"""

import argparse
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile

import file_race


def row(arguments, folder, source, options):
    """One object of results a contender: the runs take turns."""
    outputs = {name: os.path.join(folder, name.split()[0] + ".out") for name in ("sortile", "GNU sort")}
    limit = ["-S", arguments.limit, "-T", folder]
    commands = {"sortile": [arguments.sortile, "sort", "--no-sync", *limit, *options, source, "-o", outputs["sortile"]],
                "GNU sort": ["sort", *limit, *options, source, "-o", outputs["GNU sort"]]}
    runs = file_race.race(commands, arguments.rounds)
    if not filecmp.cmp(*outputs.values(), shallow=False):
        sys.exit("the outputs differ")
    for name, measured in runs.items():
        yield file_race.result(measured, name, type="lines", workload="uniform", n=arguments.lines, category=" ".join(["sort", *limit[:2], *options]))


def table(rows, size):
    print("| lines, MB | command | sortile | GNU sort | times as fast | memory, MB |")
    print("|---:|---|---:|---:|---:|---:|")
    for ours, theirs in zip(rows[::2], rows[1::2]):
        print(f"| {size / 1e6:.0f} | `{ours['category']}` | **{ours['median']:.1f} s** | {theirs['median']:.1f} s | {theirs['median'] / ours['median']:.1f} | "
              f"{ours['figures']['peak_bytes'] / 1e6:.0f}, {theirs['figures']['peak_bytes'] / 1e6:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sortile", required=True)
    parser.add_argument("--lines", default="20M", help="as sortile gen takes it")
    parser.add_argument("--limit", default="64M", help="of memory, as -S takes it")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="for input, outputs and temporary files")
    parser.add_argument("--json", help="results in the format of bench/results/README.md")
    arguments = parser.parse_args()
    load = os.getloadavg()
    folder = tempfile.mkdtemp(prefix="sortile-external-", dir=arguments.folder)
    try:
        source = os.path.join(folder, "lines.txt")
        subprocess.run([arguments.sortile, "gen", "uniform", "--type", "u64", "-n", arguments.lines, "-o", source, "--no-sync"], check=True)
        with open(source, "rb") as file:
            arguments.lines = sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))
        rows = [each for options in ([], ["-n"]) for each in row(arguments, folder, source, options)]
        table(rows, os.path.getsize(source))
    finally:
        shutil.rmtree(folder)
    if arguments.json:
        file_race.save(arguments.json, "external-sort", rows, load)


if __name__ == "__main__":
    main()
