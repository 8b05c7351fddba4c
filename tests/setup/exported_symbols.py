#!/usr/bin/env python3
"""A shared library exports what the public headers declare and nothing else: exported_symbols.py LIBRARY SOURCE_FOLDER.

Exported names of C are functions of sortile.h or words of another public header; those of C++ lie in namespace sortile, and their last name is a word of a public header or
of a declaration under src/ that is exported on purpose (gnu::visibility): what the libraries of other engines call.
"""
import pathlib
import re
import subprocess
import sys


def words_of(texts):
    return set(re.findall(r"[A-Za-z_]\w*", " ".join(texts)))


def exported(library):
    """Names of the defined dynamic symbols, demangled."""
    lines = subprocess.run(["nm", "-DC", "--defined-only", library], check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split(" ", 2)[2] for line in lines if line.split(" ", 2)[1] not in "A"]


def last_name(symbol):
    """sortile::run(sortile::merge_request const&, ...) -> run; typeinfo for sortile::error -> error."""
    name = re.sub(r"^(typeinfo name for|typeinfo for|vtable for|guard variable for) ", "", symbol)
    name = re.sub(r"\[abi:\w+\]", "", name)
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    name = name.split("(")[0].split(" ")[-1]
    if "operator" in symbol.split("(")[0]:
        name = name.split("::operator")[0]
    return name.split("::")[-1].lstrip("~")


def strangers(symbols, source):
    c_header = words_of([(source / "include/sortile/sortile.h").read_text()])
    public = [header.read_text() for header in (source / "include/sortile").rglob("*") if header.is_file()]
    on_purpose = [line for path in (source / "src").rglob("*.[ch]pp") for line in path.read_text().splitlines()
                  if 'gnu::visibility("default")' in line]
    words = words_of(public + on_purpose)
    for symbol in symbols:
        if "::" not in symbol:
            if symbol not in c_header | words:
                yield symbol
        elif "sortile::" not in symbol.split("(")[0] or last_name(symbol) not in words:
            yield symbol


def main(library, source):
    symbols = exported(library)
    if not any(name.startswith("sortile::run(") for name in symbols) and "sortile_sort" not in symbols and "sortile_engine_cuda" not in symbols:
        raise SystemExit(f"{library} exports none of what it should")
    found = list(strangers(symbols, pathlib.Path(source)))
    print(f"{len(symbols)} symbols exported, {len(found)} that no public header declares")
    if found:
        raise SystemExit("\n".join(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
