#!/usr/bin/env python3
"""Turns the fenced code of Markdown documents into a CMake project whose tests run it: snippets.py OUT ROOT DOCUMENT...

cpp and c blocks become programs (a block without main() is the body of one), sh blocks scripts that stop at the first failing
command; each runs in an empty folder of its own. text, cmake, json, csv and cuda blocks are not run here; any other language is an error,
so that no code can hide behind a label. Compiler messages name the document and its line.
"""
import pathlib
import re
import shutil
import sys

RUN = ("cpp", "c", "sh")
SHOWN = ("text", "cmake", "json", "csv", "cuda", "python")  # run elsewhere: cuda by tests/simt, python by tests/python
PRELUDE = """#include <sortile/sortile.hpp>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>
"""


def blocks(document):
    """(language, first line number, text) of each fenced block."""
    language, start, lines = None, 0, []
    for number, line in enumerate(document.read_text().splitlines(), 1):
        fence = re.match(r"^\s*```+\s*(\S*)", line)
        if language is None and fence:
            language, start, lines = fence.group(1), number + 1, []
        elif language is not None and fence:
            yield language, start, "\n".join(lines) + "\n"
            language = None
        elif language is not None:
            lines.append(line)
    if language is not None:
        raise SystemExit(f"{document}:{start - 1}: this block is never closed")


def program(text, where):
    """A block of C++ as a whole program: includes first, the rest inside main() where it has none."""
    if re.search(r"\bint main\(", text):
        return f'#line {where}\n{text}'
    includes = "".join(line + "\n" for line in text.splitlines() if line.startswith("#include"))
    body = "".join(("" if line.startswith("#include") else line) + "\n" for line in text.splitlines())
    return f"{PRELUDE}{includes}int main() {{\n#line {where}\n{body}}}\n"


def check_links(document, root):
    """Links to files of the repository lead somewhere."""
    prose = re.sub(r"^\s*```.*?^\s*```|`[^`\n]*`", "", document.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        if "://" not in target and not (document.parent / target).exists():
            raise SystemExit(f"{document.relative_to(root)}: a link to {target}, which is not there")


def main(out, root, documents):
    out.mkdir(parents=True, exist_ok=True)
    cmake = ["cmake_minimum_required(VERSION 3.25)", "project(snippets LANGUAGES C CXX)", "find_package(sortile REQUIRED)",
             "enable_testing()"]
    for document in documents:
        check_links(document, root)
        for language, line, text in blocks(document):
            place = document.relative_to(root)
            if language not in RUN + SHOWN:
                raise SystemExit(f"{place}:{line - 1}: a block of '{language}'; there are {', '.join(RUN + SHOWN)}")
            if language in SHOWN:
                continue
            name = f"{str(place.with_suffix('')).replace('/', '-')}-{line}"
            source = out / f"{name}.{language}"
            where = f'{line} "{document}"'
            written = {"cpp": program(text, where), "c": f"#line {where}\n{text}", "sh": text}[language]
            if not source.exists() or source.read_text() != written:
                source.write_text(written)
            folder = out / "run" / name
            if folder.exists():
                shutil.rmtree(folder)  # what the run before left, folders too
            folder.mkdir(parents=True)
            if language == "sh":
                command = f"bash -euo pipefail {source}"
            else:
                cmake += [f"add_executable({name} {source.name})", f"target_link_libraries({name} PRIVATE sortile::sortile)"]
                command = name
            cmake += [f"add_test(NAME {name} COMMAND {command} WORKING_DIRECTORY {folder})"]
    (out / "CMakeLists.txt").write_text("\n".join(cmake) + "\n")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), [pathlib.Path(name) for name in sys.argv[3:]])
