#!/usr/bin/env python3
"""Kernels whose loads wait for each other, by the machine code in a program, library or cubin: one line each.

    serial_loads.py FILE...                  needs cuobjdump, of the CUDA toolkit

A load that stands in a branch together with what uses it is waited for before the next one goes out: eight loads of a thread take as long as eight trips to
memory. In the code it is the same few loads and the end of a branch (BSYNC) again and again; four such in a row and more are told, with the loads of one. Asking
for all first, and using them in a second loop, makes predicated loads of them. Not every row is a fault: what is seldom run costs nothing, and where a thread
has mostly one element there is nothing to be had (docs/performance-log-gpu.md, steps 222 and 226).
"""

import re
import subprocess
import sys

LETTERS = {"LDG": "G", "LDS": "s", "ATOMS": "a", "STG": "w", "BSYNC": "|"}
ACCESS = re.compile(r"\b(%s)\b" % "|".join(LETTERS))
LEAST = 4
RUN = re.compile(r"((?:[Gsaw]{1,4})\|)\1{%d,}" % (LEAST - 1))


def letters(sass):
    """Of each function its accesses to memory and ends of branches, a letter each."""
    found = {}
    name = None
    for line in sass.splitlines():
        begins = re.search(r"Function : (\S+)", line)
        if begins:
            name = begins.group(1)
            found[name] = []
        elif name and re.match(r"\s+/\*[0-9a-f]{4,}\*/", line):
            found[name] += [LETTERS[access] for access in ACCESS.findall(line)]
    return {name: "".join(code) for name, code in found.items()}


def kernel(name):
    """The kernel's own name, which a mangled one has behind its length, and what follows it: its types."""
    for length in re.finditer(r"\d+", name):
        for digits in range(len(length.group(0)), 0, -1):
            begin = length.end()
            size = int(length.group(0)[-digits:])
            if name[begin : begin + size].endswith("_kernel"):
                return "%s (%s)" % (name[begin : begin + size], name[begin + size :])
    return name


def main(files):
    if not files or files[0].startswith("-"):
        sys.exit(__doc__)
    for path in files:
        read = subprocess.run(["cuobjdump", "-sass", path], capture_output=True, text=True)
        if read.returncode != 0:
            sys.exit("serial_loads.py: cuobjdump cannot read %s: %s" % (path, read.stderr.strip()))
        for name, code in sorted(letters(read.stdout).items()):
            runs = [(len(run.group(0)) // len(run.group(1)), run.group(1).count("G")) for run in RUN.finditer(code) if "G" in run.group(1)]
            if runs:
                print("%s: %s" % (kernel(name), ", ".join("%d times %d load%s" % (times, loads, "s" * (loads > 1)) for times, loads in runs)))


if __name__ == "__main__":
    main(sys.argv[1:])
