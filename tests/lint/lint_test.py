#!/usr/bin/env python3
"""The lint finds each planted line and no other; the sources of the project have none."""
import pathlib
import re
import subprocess
import sys


def main(root):
    lint = root / "tests/lint/simt_lint.py"
    planted = [root / "tests/lint/planted.cu", root / "tests/lint/planted.hpp"]
    expected = {(path.name, n) for path in planted for n, line in enumerate(path.read_text().split("\n"), 1)
                if line.endswith("// FIND")}
    run = subprocess.run([sys.executable, lint, "--file", *planted], capture_output=True, text=True)
    found = {(m.group(1), int(m.group(2))) for m in re.finditer(r"(planted\.\w+):(\d+): ", run.stdout)}
    if run.returncode != 1 or found != expected or len(expected) < 26:
        print(f"planted lines not found: {sorted(expected - found)}; found without reason: {sorted(found - expected)}")
        print(run.stdout)
        return 1
    run = subprocess.run([sys.executable, lint, root], capture_output=True, text=True)
    print(run.stdout)
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
