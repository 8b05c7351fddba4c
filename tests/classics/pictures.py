#!/usr/bin/env python3
"""The pictures of essays and documents are what the command prints, and the worked examples print what was checked.

    pictures.py check SORTILE ROOT     compares; prints each difference, exit status 1 if there was one
    pictures.py write SORTILE ROOT     puts what the command prints there, to be read before it is committed

No essay draws anything else: boxes, lines and arrows that no command prints are complained of.

A picture begins with a line `$ sortile classics show …`, in a comment or in a ```text block, and ends at an empty line. `# lines 3
to 7` behind the command takes these lines of its output alone. An example's output is tests/classics/examples/NAME.txt.
"""
import difflib
import pathlib
import re
import shlex
import subprocess
import sys

COMMAND = re.compile(r"^(//   |)\$ (sortile classics .*?)(?:  +# lines (\d+) to (\d+))?$")

DRAWN = re.compile("[\u2500-\u25ff]") # lines, boxes, arrow heads


def output_of(sortile, command):
    words = shlex.split(command)
    done = subprocess.run([sortile, *words[1:]], capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1) or done.stderr:
        raise SystemExit(f"{command}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout.splitlines()


def with_pictures(text, sortile):
    """The text with each picture as the command prints it, and how many there are."""
    lines, kept, count, i = text.split("\n"), [], 0, 0
    while i < len(lines):
        kept.append(lines[i])
        found = COMMAND.match(lines[i])
        i += 1
        if not found:
            continue
        count += 1
        prefix, command, first, last = found.groups()
        shown = output_of(sortile, command)
        if first:
            shown = shown[int(first) - 1:int(last)]
        kept += [prefix + line for line in shown]
        while i < len(lines) and lines[i].startswith(prefix or "") and lines[i] not in ("", "```") and not COMMAND.match(lines[i]):
            i += 1
    return "\n".join(kept), count


def sources(root):
    return sorted([*root.glob("classics/*.cu"), *root.glob("classics/*.hpp"), *root.glob("classics/broken/*"), *root.glob("exercises/*.cu"), *root.glob("docs/learn.md"), *root.glob("exercises/*.md")])


def drawn_by_hand(path, text):
    return [f"{path.name}:{number}: drawn by hand, so nothing checks it: {line}" for number, line in enumerate(text.split("\n"), 1) if DRAWN.search(line)]


def differences(name, here, there):
    return list(difflib.unified_diff(here.split("\n"), there.split("\n"), f"{name} (committed)", f"{name} (printed)", lineterm=""))


def main():
    mode, sortile, root = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    found, pictures = [], 0
    for path in sources(root):
        text = path.read_text(encoding="utf-8")
        drawn, count = with_pictures(text, sortile)
        pictures += count
        if path.suffix == ".cu" and path.parent.name == "classics" and count == 0:
            found.append(f"{path.name}: its essay has no picture that the command prints")
        found += drawn_by_hand(path, text)
        if drawn != text:
            if mode == "write":
                path.write_text(drawn, encoding="utf-8")
            found += differences(path.name, text, drawn)
    folder = root / "tests/classics/examples"
    folder.mkdir(exist_ok=True)
    names = [line.split()[0] for line in output_of(sortile, "sortile classics list --examples")]
    for name in names:
        printed = "\n".join(output_of(sortile, f"sortile classics show --example {name}")) + "\n"
        path = folder / f"{name}.txt"
        committed = path.read_text(encoding="utf-8") if path.exists() else ""
        if printed != committed:
            if mode == "write":
                path.write_text(printed, encoding="utf-8")
            found += differences(path.name, committed, printed)
    found += [f"{path.name}: no such example" for path in sorted(folder.glob("*.txt")) if path.stem not in names]
    if mode == "write":
        print(f"{pictures} pictures, {len(names)} examples written; {len(found)} lines differed")
        return 0
    print("\n".join(found + [f"{pictures} pictures and {len(names)} examples looked at"]))
    return 1 if found or pictures < 20 or len(names) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
