"""What the benches of whole files have in common: commands that take turns, their time and their largest memory, and the results as JSON."""

import json
import os
import platform
import statistics
import subprocess
import sys

# A process's largest memory is counted from its fork on, so it is started by a small one. What the command prints comes first.
STARTER = ("import resource, subprocess, sys, time; begin = time.perf_counter(); subprocess.run(sys.argv[1:], check=True);"
           "print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")


def measure(command):
    """(seconds, bytes of memory) of one run. Where a command prints a number, that is its seconds: it has left its start out."""
    done = subprocess.run([sys.executable, "-c", STARTER, *command], stdout=subprocess.PIPE, check=True, text=True, env={**os.environ, "LC_ALL": "C"})
    *own, (seconds, kibibytes) = [line.split() for line in done.stdout.splitlines()]
    return float(own[-1][0] if own else seconds), int(kibibytes) * 1024


def race(commands, rounds):
    """{name: [(seconds, bytes) of every run]}: the commands take turns."""
    runs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(measure(command))
    return runs


def result(runs, contender, **what):
    """A row in the format of bench/results/README.md."""
    seconds = [each[0] for each in runs]
    median = statistics.median(seconds)
    return {**what, "contender": contender, "median": median, "min": min(seconds), "noise": statistics.median(abs(each - median) for each in seconds) / median,
            "seconds": seconds, "figures": {"peak_bytes": max(each[1] for each in runs)}}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


def save(path, suite, rows, load, **environment):
    """\\param load  of the machine before the race, as os.getloadavg() says"""
    gnu = subprocess.run(["sort", "--version"], capture_output=True, text=True, check=True).stdout.split("\n", 1)[0]
    facts = {"cpu": processor(), "cpus": len(os.sched_getaffinity(0)), "gnu_sort": gnu, "load": load[0], **environment}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"format": "sortile-results 1", "suite": suite, "environment": facts, "rows": rows}, file, indent=1)
        file.write("\n")
