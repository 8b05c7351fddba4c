#!/usr/bin/env python3
"""Rejects raw CUDA in code that belongs on the kernel dialect: intrinsics, inline PTX, bare __shared__, CUDA's indices.

    simt_lint.py ROOT            looks through ROOT's folders of code (FOLDERS) except what EXEMPT names
    simt_lint.py --file FILE...  looks through these files

Prints `file:line: word: what to use instead` for each finding; exit status 1 if there was one. A file that must speak CUDA
(a hand-written twin, say) is named in EXEMPT with its reason, so that the list is the whole truth.
"""
import pathlib
import re
import sys

FOLDERS = ["src", "classics", "tests", "testing", "include", "bench", "cli", "examples", "python"]
SUFFIXES = {".cu", ".cuh", ".hpp", ".h", ".cpp", ".cc", ".inl"}
EXEMPT = {
    "src/simt": "the dialect itself",
    "bench/lab": "an experiment in raw CUDA, built by no target",
    "src/cpu/atomic_view.hpp": "host code: what std::atomic_ref is where the library has none",
    "src/cpu/emulated_avx512.hpp": "instructions of the processor that kernels of the CPU engine call",
    "tests/faults/allocation_hooks.cpp": "the C library's own functions behind those that are replaced",
    "include/sortile/few.hpp": "host code of a public header: one relaxed read",
    "include/sortile/few_in_order.hpp": "host code of a public header: a loop that compilers must not make vectors of",
    "tests/simt/twins.cu": "hand-written twins that the dialect is compared with",
    "tests/api/shapes_test.cpp": "keys of CUDA's own 16-bit types, made on the host",
    "tests/lint/planted.cu": "findings planted for the test of this lint",
    "tests/lint/planted.hpp": "likewise",
}

RULES = [
    (r"\b(threadIdx|blockIdx|blockDim|gridDim|warpSize)\b", "thread_index(), block_index(), block_size(), grid_size()"),
    (r"\b__syncthreads(_count|_and|_or)?\b", "block_barrier(), block_count(), block_all(), block_any()"),
    (r"\b__syncwarp\b", "warp_barrier()"),
    (r"\b__(ballot|any|all|match_any|match_all)(_sync)?\s*\(",
     "ballot(), warp_any(), warp_all(), match_any(), match_all()"),
    (r"\b__shfl\w*", "shuffle(), shuffle_up(), shuffle_down(), shuffle_xor()"),
    (r"\b__reduce_\w+_sync\b", "warp_reduce_add() and its kin"),
    (r"\b__activemask\b", "active_lanes()"),
    (r"\batomic(Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(_block|_system)?\s*\(",
     "fetch_add() and its kin on a view"),
    (r"\b__(ldg|ldcs|ldcg|ldca|ldlu|ldcv|stcs|stcg|stwb|stwt)\b", "load(i, hint), store(i, v, hint)"),
    (r"\b__threadfence(_block|_system)?\b", "fence(scope)"),
    (r"\b__nanosleep\b", "spin_hint()"),
    (r"\b__trap\b", "trap()"),
    (r"\b__(popc|popcll|clz|clzll|ffs|ffsll|brev|brevll|byte_perm|fns)\s*\(",
     "popcount(), leading_zeros(), trailing_zeros(), permute_bytes()"),
    (r"\b__cvta_\w+", "views and the words on them"),
    (r"\b__cluster_\w+|\b__mbarrier_\w+|\b__pipeline_\w+", "clusters and transfer barriers of the dialect"),
    (r"\b__shared__\b", "the kernel's `shared` struct, or dynamic_shared()"),
    (r"\b__(global|device|host|constant|managed)__\b", "a kernel struct; SORTILE_DEVICE, SORTILE_HOST_DEVICE"),
    (r"\b__(launch_bounds|cluster_dims)__\b", "block_threads and min_blocks of the kernel, cluster of the launch"),
    (r"\basm\s*((__)?(volatile|goto|inline)(__)?\s*)*\(|\b__asm(__)?\b", "a word of the dialect (add one in src/simt if it is missing)"),
    (r"\bcuda::(std::)?(atomic|atomic_ref|atomic_thread_fence|barrier|pipeline|memcpy_async|ptx)\b",
     "ordered accesses and atomics of views"),
    (r"\bcooperative_groups\b", "barriers of the dialect"),
    (r"<<<", "simt::launch()"),
    (r"(?<!::)\b(clock|clock64)\s*\(\s*\)", "no clock in a kernel: time it from the host"),
    (r"\bcuda(GridDependencySynchronize|TriggerProgrammaticLaunchCompletion)\b",
     "wait_for_prerequisites(), launch_dependents()"),
]
# CUDA's intrinsics begin with two underscores and a small letter, and are too many to list: what is not one of the host
# compilers' words is taken for one. CUDA's 16-bit types are keys of the public headers by name alone.
INTRINSIC = re.compile(r"\b__[a-z]\w*")
NOT_CUDA = re.compile(r"__(asan_\w+|tsan_\w+|sanitizer_\w+|builtin_\w+|attribute__|clang__|cplusplus|extension__|int128|linux__|x86_64__|"
                      r"aarch64__|half|nv_bfloat16|forced_unwind|has_include|has_feature|func__)$")
# In headers of kernels, which both compilers read: nvcc takes these for the device without a word, and they are wrong there.
BITS = re.compile(r"\bstd::(bit_width|bit_ceil|bit_floor|has_single_bit|count[lr]_(zero|one)|popcount)\b")
COMPILED = [(re.compile(pattern), instead) for pattern, instead in RULES]

# What is not code: comments, strings (raw ones too), characters. Each keeps its line breaks.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\\ ]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)


def code_of(text):
    return NOT_CODE.sub(lambda m: "".join(c if c == "\n" else " " for c in m.group(0)), text)


def findings(path):
    text = path.read_text(encoding="utf-8")
    of_kernels = path.suffix == ".hpp" and "SORTILE_BACKEND" in text and "classics" not in path.parts  # host code lies beside there
    for number, line in enumerate(code_of(text).split("\n"), 1):
        named = set()
        for match in BITS.finditer(line) if of_kernels else ():
            yield f"{path}:{number}: {match.group(0)}: use leading_zeros() and its kin, on the device"
        for pattern, instead in COMPILED:
            for match in pattern.finditer(line):
                named.update(range(*match.span()))
                yield f"{path}:{number}: {match.group(0).strip(' (')}: use {instead}"
        for match in INTRINSIC.finditer(line):
            if match.start() not in named and not NOT_CUDA.match(match.group(0)):
                yield f"{path}:{number}: {match.group(0)}: use a word of the dialect (add one in src/simt if it is missing)"


def exempt(relative):
    return any(relative == e or relative.startswith(e + "/") for e in EXEMPT)


def files_under(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and not exempt(path.relative_to(root).as_posix()):
                yield path


def main(arguments):
    if len(arguments) >= 2 and arguments[0] == "--file":
        paths = [pathlib.Path(a) for a in arguments[1:]]
    elif len(arguments) == 1 and pathlib.Path(arguments[0]).is_dir():
        paths = list(files_under(pathlib.Path(arguments[0])))
        if not paths:
            print(f"simt_lint: nothing to look at under {arguments[0]}", file=sys.stderr)
            return 2
    else:
        print(__doc__, file=sys.stderr)
        return 2
    found = [f for path in paths for f in findings(path)]
    print("\n".join(found + [f"simt_lint: {len(found)} findings in {len(paths)} files"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
