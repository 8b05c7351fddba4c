#!/usr/bin/env python3
"""Turns the fenced code of Markdown documents into a CMake project whose tests run it: snippets.py OUT ROOT DOCUMENT...

cpp and c blocks become programs, sh blocks scripts that stop at the first failing command; each runs in an empty folder of its own. A cpp
block without main() is the body of a function; those that include the same are compiled several at a time, since headers are most of what
each would take. text, cmake, json, csv and cuda blocks are not run here; any other language is an error,
so that no code can hide behind a label. Compiler messages name the document and its line.
"""
import pathlib
import re
import shutil
import sys

RUN = ("cpp", "c", "sh")
SHOWN = ("text", "cmake", "json", "csv", "cuda", "python")  # run elsewhere: cuda by tests/simt, python by tests/python
TOGETHER = 6  # bodies in one program
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
#include <string_view>
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


def includes_of(text):
    """The lines by which a body includes more than every body does."""
    return tuple(line for line in text.splitlines() if line.startswith("#include") and line not in PRELUDE.splitlines())


def program_of(bodies):
    """Blocks that are bodies, (name, text, where) each, as one program: the name of the block that runs is its argument."""
    program, choice = PRELUDE + "".join(f"{line}\n" for line in includes_of(bodies[0][1])), ""
    for number, (name, text, where) in enumerate(bodies):
        body = "".join(("" if line.startswith("#include") else line) + "\n" for line in text.splitlines())
        program += f"static int block_{number}() {{\n#line {where}\n{body}return 0;\n}}\n"
        choice += f'  if (block == "{name}") return block_{number}();\n'
    return f"{program}int main(int, char** arguments) {{\n  const std::string_view block = arguments[1];\n{choice}  return 2;\n}}\n"


def check_links(document, root):
    """Links to files of the repository lead somewhere."""
    prose = re.sub(r"^\s*```.*?^\s*```|`[^`\n]*`", "", document.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        if "://" not in target and not (document.parent / target).exists():
            raise SystemExit(f"{document.relative_to(root)}: a link to {target}, which is not there")


def write(source, text):
    if not source.exists() or source.read_text() != text:
        source.write_text(text)


def main(out, root, documents):
    out.mkdir(parents=True, exist_ok=True)
    bodies = {}  # what they include -> the bodies that include it
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
            where = f'{line} "{document}"'
            folder = out / "run" / name
            if folder.exists():
                shutil.rmtree(folder)  # what the run before left, folders too
            folder.mkdir(parents=True)
            source = out / f"{name}.{language}"
            if language == "sh":
                write(source, text)
                command = f"bash -euo pipefail {source}"
            elif language == "cpp" and not re.search(r"\bint main\(", text):
                alike = bodies.setdefault(includes_of(text), [[]])
                if len(alike[-1]) == TOGETHER:
                    alike.append([])
                alike[-1].append((name, text, where))
                command = f"bodies-{list(bodies).index(includes_of(text))}-{len(alike)} {name}"
            else:
                write(source, f"#line {where}\n{text}")
                cmake += [f"add_executable({name} {source.name})"]
                command = name
            cmake += [f"add_test(NAME {name} COMMAND {command} WORKING_DIRECTORY {folder})"]
    for kind, programs in enumerate(bodies.values()):
        for number, these in enumerate(programs, 1):
            write(out / f"bodies-{kind}-{number}.cpp", program_of(these))
            cmake += [f"add_executable(bodies-{kind}-{number} bodies-{kind}-{number}.cpp)"]
    cmake.insert(3, "link_libraries(sortile::sortile)")
    (out / "CMakeLists.txt").write_text("\n".join(cmake) + "\n")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), [pathlib.Path(name) for name in sys.argv[3:]])
