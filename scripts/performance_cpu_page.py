#!/usr/bin/env python3
"""Puts what was measured of the CPU engine into docs/performance-cpu.md, between its marks.

    scripts/performance_cpu_page.py BUILD/cli/sortile-bench-cpu            writes the page
    scripts/performance_cpu_page.py BUILD/cli/sortile-bench-cpu --check    says what does not agree with the data, and fails

Each mark names a file of results in bench/results; the tables are those that `sortile bench cpu --from` prints of it.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance-cpu.md"
MARKED = re.compile(r"(<!-- results (\S+) begins -->\n).*?(<!-- results \2 ends -->)", re.S)


def tables(program, name):
    made = subprocess.run([program, "--from", str(ROOT / "bench/results" / name)], capture_output=True, text=True, check=True)
    return made.stdout.rstrip() + "\n"


def main():
    program, check = sys.argv[1], "--check" in sys.argv[2:]
    page = PAGE.read_text(encoding="utf-8")
    made = MARKED.sub(lambda m: m[1] + tables(program, m[2]) + m[3], page)
    if check:
        sys.exit("docs/performance-cpu.md does not agree with bench/results; scripts/performance_cpu_page.py makes it anew" if made != page else 0)
    PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
