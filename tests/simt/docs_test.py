#!/usr/bin/env python3
"""Each `cuda` block of docs/kernel-dialect.md stands, line by line, in tests/simt/examples.cu, which the tests run.

    docs_test.py ROOT
"""
import pathlib
import re
import sys


def lines(text):
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def contains(whole, part):
    return any(whole[i:i + len(part)] == part for i in range(len(whole) - len(part) + 1))


def main(root):
    document = (root / "docs/kernel-dialect.md").read_text()
    source = lines((root / "tests/simt/examples.cu").read_text())
    blocks = re.findall(r"^```cuda\n(.*?)^```", document, re.S | re.M)
    missing = [b for b in blocks if not contains(source, lines(b))]
    for b in missing:
        print(f"not in examples.cu:\n{b}")
    if len(blocks) < 4 or re.search(r"^```(cpp|c)\n", document, re.M):
        print(f"{len(blocks)} cuda blocks; at least 4 were expected, and none in another language of the compiler")
        return 1
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
