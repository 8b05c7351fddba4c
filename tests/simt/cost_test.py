#!/usr/bin/env python3
"""The dialect costs nothing: three kernels on it and their hand-written twins, compiled for sm_80 and sm_90, have equal
registers, spills, stack and static shared memory (from ptxas) and equal counts of PTX instructions, by opcode (moves and
parameter loads aside: ptxas drops or places those). With cuobjdump at hand, SASS instructions are counted too.

    cost_test.py NVCC SOURCE_DIR WORK_DIR
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

KERNELS = ["flip_bits", "rank_digits", "chained_scan"]
ARCHITECTURES = ["80", "90"]


def run(command):
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{r.stdout}{r.stderr}")
    return r.stdout + r.stderr


def kernel_in(text):
    hits = [k for k in KERNELS if k in text]
    return hits[0] if len(hits) == 1 else None


def resources(listing):
    """kernel → (registers, spill stores, spill loads, stack, shared bytes), from ptxas -v."""
    out, name, frame = {}, None, None
    for line in listing.split("\n"):
        if "Compiling entry function" in line:
            name = kernel_in(line)
        elif m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            frame = tuple(map(int, m.groups()))
        elif name and (m := re.search(r"Used (\d+) registers", line)):
            shared = re.search(r"(\d+) bytes smem", line)
            out[name] = (int(m.group(1)),) + frame + (int(shared.group(1)) if shared else 0,)
            name = None
    return out


def ptx_counts(text):
    """kernel → count by opcode."""
    out = {}
    for body in re.split(r"\.visible \.entry|\.entry", text)[1:]:
        name = kernel_in(body.split("(")[0])
        counts = collections.Counter()
        for line in body.split("\n"):
            m = re.match(r"\s*(?:@!?%\w+\s+)?([a-z][\w.:]*)[\s;]", line)
            if m and not m.group(1).startswith(("mov", "ld.param", "cvta")):
                counts[m.group(1)] += 1
        if name:
            out[name] = counts
    return out


def sass_counts(cubin):
    tool = shutil.which("cuobjdump")
    if not tool:
        return None
    out, name = {}, None
    for line in run([tool, "-sass", cubin]).split("\n"):
        if "Function :" in line:
            name = kernel_in(line)
        elif name and re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+\S", line) and "NOP" not in line:
            out[name] = out.get(name, 0) + 1
    return out


def compile_one(nvcc, source, work, root, architecture):
    stem = work / f"{source.stem}_{architecture}"
    flags = ["-std=c++20", "--expt-relaxed-constexpr", "-O3", f"-I{root / 'src'}", f"-arch=sm_{architecture}"]
    listing = run([nvcc, *flags, "-Xptxas", "-v", "-cubin", source, "-o", stem.with_suffix(".cubin")])
    run([nvcc, *flags, "-ptx", source, "-o", stem.with_suffix(".ptx")])
    return resources(listing), ptx_counts(stem.with_suffix(".ptx").read_text()), sass_counts(stem.with_suffix(".cubin"))


def main(nvcc, root, work):
    work.mkdir(parents=True, exist_ok=True)
    failures = 0
    for architecture in ARCHITECTURES:
        ours = compile_one(nvcc, root / "tests/simt/cost_kernels.cu", work, root, architecture)
        twin = compile_one(nvcc, root / "tests/simt/twins.cu", work, root, architecture)
        for k in KERNELS:
            same = all(mine is None or mine[k] == other[k] for mine, other in zip(ours, twin))
            failures += not same
            sass = f"{ours[2][k]} and {twin[2][k]}" if ours[2] else "not compared (no cuobjdump)"
            print(f"sm_{architecture} {k}: (registers, stack, spill stores, spill loads, shared) "
                  f"{ours[0][k]} and {twin[0][k]}; "
                  f"PTX instructions {sum(ours[1][k].values())} and {sum(twin[1][k].values())}; SASS {sass}"
                  + ("" if same else "  DIFFERENT"))
            if ours[1][k] != twin[1][k]:
                print(f"  PTX only with the dialect: {dict(ours[1][k] - twin[1][k])}")
                print(f"  PTX only by hand: {dict(twin[1][k] - ours[1][k])}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])))
