#!/usr/bin/env python3
"""Each `cuda` block of the documents below stands, line by line, in a source that the tests compile and run.

    docs_test.py ROOT
"""
import pathlib
import re
import sys

SHOWN = [  # document, the source that holds its blocks, how many there are at least
    ("docs/kernel-dialect.md", "tests/simt/examples.cu", 4),
    ("docs/compare.md", "examples/particles.cu", 3),
    ("docs/cub.md", "tests/cub/on_gpu.cu", 1),
    ("docs/gpu-engine.md", "tests/gpu/device_memory_test.cpp", 1),
]


def lines(text):
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def contains(whole, part):
    return any(whole[i:i + len(part)] == part for i in range(len(whole) - len(part) + 1))


def complaints(root, document, source, least):
    text = (root / document).read_text()
    whole = lines((root / source).read_text())
    blocks = re.findall(r"^```cuda\n(.*?)^```", text, re.S | re.M)
    yield from (f"{document}: not in {source}:\n{b}" for b in blocks if not contains(whole, lines(b)))
    if len(blocks) < least or re.search(r"^```(cpp|c)\n", text, re.M):
        yield f"{document}: {len(blocks)} cuda blocks; at least {least} were expected, and none in another language of the compiler"


def main(root):
    found = [c for shown in SHOWN for c in complaints(root, *shown)]
    others = {str(d.relative_to(root)) for d in (*root.glob("*.md"), *root.glob("docs/*.md"))} - {s[0] for s in SHOWN}
    found += [f"{d}: its cuda blocks are not looked for in any source" for d in sorted(others) if "\n```cuda\n" in (root / d).read_text()]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
