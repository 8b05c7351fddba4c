"""Measures sorts larger than memory: `sortile sort -S` beside `LC_ALL=C sort -S`, in turns, the same limit and temporary folder.

    external_sort.py --sortile build/default/cli/sortile [--lines 20M] [--limit 64M] [--rounds 3] [--folder DIR] [--json FILE]

The input are 64-bit numbers, uniformly distributed, as decimal lines; by bytes, and by number (-n). The outputs are compared. The table names the
median of all runs, and the largest memory that one took.
"""

import argparse
import filecmp
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

# A process's largest memory is counted from its fork on, so it is started by a small one.
STARTER = ("import resource, subprocess, sys, time; begin = time.perf_counter(); subprocess.run(sys.argv[1:], check=True);"
           "print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")


def measure(command):
    """Seconds and bytes."""
    done = subprocess.run([sys.executable, "-c", STARTER, *command], stdout=subprocess.PIPE, check=True, env={**os.environ, "LC_ALL": "C"})
    seconds, kibibytes = done.stdout.split()
    return float(seconds), int(kibibytes) * 1024


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


def row(arguments, folder, source, options):
    """One object of results a contender: the runs take turns."""
    outputs = {name: os.path.join(folder, name.split()[0] + ".out") for name in ("sortile", "GNU sort")}
    limit = ["-S", arguments.limit, "-T", folder]
    commands = {"sortile": [arguments.sortile, "sort", "--no-sync", *limit, *options, source, "-o", outputs["sortile"]],
                "GNU sort": ["sort", *limit, *options, source, "-o", outputs["GNU sort"]]}
    runs = {name: [] for name in commands}
    for _ in range(arguments.rounds):
        for name, command in commands.items():
            runs[name].append(measure(command))
    if not filecmp.cmp(*outputs.values(), shallow=False):
        sys.exit("the outputs differ")
    for name, measured in runs.items():
        seconds = [each[0] for each in measured]
        median = statistics.median(seconds)
        yield {"type": "lines", "workload": "uniform", "n": arguments.lines, "category": " ".join(["sort", *limit[:2], *options]), "contender": name,
               "median": median, "min": min(seconds), "noise": statistics.median(abs(each - median) for each in seconds) / median,
               "seconds": seconds, "figures": {"peak_bytes": max(each[1] for each in measured)}}


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
        version = subprocess.run(["sort", "--version"], capture_output=True, text=True, check=True).stdout.split("\n", 1)[0]
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"format": "sortile-results 1", "suite": "external-sort", "environment": {"cpu": processor(), "cpus": len(os.sched_getaffinity(0)),
                       "gnu_sort": version, "load": os.getloadavg()[0]}, "rows": rows}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
