#!/usr/bin/env python3
"""docs/c-api.md has every function of sortile.h in its table, and no other: page_test.py ROOT."""
import pathlib
import re
import sys


def main(root):
    header = (root / "include/sortile/sortile.h").read_text()
    declared = set(re.findall(r"^[a-z_ *]+\b(sortile_\w+)\(", re.sub(r"const char\* ", "text ", header), re.M))
    rows = "\n".join(line for line in (root / "docs/c-api.md").read_text().splitlines() if line.startswith("| `"))
    told = set(re.findall(r"`(sortile_\w+)`", rows))
    found = [f"sortile.h: {name} is not in the table of docs/c-api.md" for name in sorted(declared - told)]
    found += [f"docs/c-api.md: {name} is not in sortile.h" for name in sorted(told - declared)]
    print("\n".join(found))
    return 1 if found or len(declared) < 30 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
