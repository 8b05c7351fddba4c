"""Builds the fuzzers of the readers with clang and runs one of them: `fuzz.py build CLANG SOURCES OUT [LAUNCHER]`,
`fuzz.py run PROGRAM CORPUS TARGET runs=N` (the same N inputs each time) or `… max_total_time=SECONDS` (other inputs each time).

A failure leaves the input that found it beside the program, and prints the command that repeats it. `run` ends with status 77 where there is no program: clang or its
libFuzzer is not installed."""

import os
import shutil
import subprocess
import sys
import tempfile

UNITS = ["src/files/" + name for name in (
    "array_file.cpp binary_keys.cpp byte_buffer.cpp collation.cpp column_keys.cpp csv.cpp csv_cells.cpp csv_check.cpp decimal.cpp failure.cpp field_keys.cpp file_descriptor.cpp fixed_records.cpp input.cpp input_stream.cpp "
    "instant.cpp key_forms.cpp leased_pages.cpp message_text.cpp npy.cpp output.cpp packer.cpp packing.cpp python_literal.cpp record_order.cpp record_table.cpp semantic_version.cpp temporary_files.cpp unpacker.cpp").split()]
UNITS += ["src/api/error.cpp", "src/api/types.cpp", "tests/files/fuzz/main.cpp", "tests/files/fuzz/readers.cpp", "tests/files/fuzz/orders.cpp"]
FLAGS = ["-std=c++20", "-O1", "-g1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize=null,object-size,pointer-overflow,vptr", "-fno-sanitize-recover=all"]


TOGETHER = 10  # of a small file the headers are most of what it costs


def units(sources, out):
    """Files that include the sources several at a time, by paths by which a compiler cache knows them in another checkout too."""
    found = []
    for first in range(0, len(UNITS), TOGETHER):
        found.append(os.path.join(out, "unit_%d.cpp" % (first // TOGETHER)))
        with open(found[-1], "w", encoding="utf-8") as unit:
            for source in UNITS[first:first + TOGETHER]:
                unit.write('#include "%s"\n' % os.path.relpath(os.path.join(sources, source), out))
    return found


def build(clang, sources, out, launcher=""):
    if not shutil.which(clang):
        print("there is no", clang)
        return 77
    probe = subprocess.run([clang, *FLAGS, "-x", "c++", "-", "-o", os.devnull], input=b"extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }", capture_output=True)
    if probe.returncode != 0:
        print(clang, "has no libFuzzer:", probe.stderr.decode()[:300])
        return 77
    os.makedirs(out, exist_ok=True)
    objects = []
    include = ["-I" + os.path.join(sources, folder) for folder in ("src", "include", "tests/files/fuzz")]
    for unit in units(sources, out):
        objects.append(unit + ".o")
        subprocess.run([*([launcher] if launcher else []), clang, *FLAGS, *include, "-c", unit, "-o", objects[-1]], check=True)
    subprocess.run([clang, *FLAGS, *objects, "-lfmt", "-lz", "-lzstd", "-o", os.path.join(out, "files_fuzz")], check=True)
    return 0


LARGEST_WINDOW = 2048  # MiB, of a zstd frame: fourteen bytes may ask for it, and it is reserved, not touched


def run(program, corpus, target, limit):
    if not os.path.exists(program):
        print("the fuzzers are not built here")
        return 77

    def fuzz(*arguments):
        return subprocess.run([program, *arguments, "-timeout=20", "-rss_limit_mb=2048", "-malloc_limit_mb=%d" % (LARGEST_WINDOW + 64), "-print_final_stats=1",
                               "-artifact_prefix=%s-" % os.path.join(os.path.dirname(program), target)],
                              env={**os.environ, "SORTILE_FUZZ_TARGET": target}, capture_output=True, check=False)

    # Inputs that take long, half a second each, are tried as they are: others made from them would take as long.
    slow = os.path.join(corpus, target + "_once")
    if os.path.isdir(slow):
        tried = fuzz(*(os.path.join(slow, name) for name in sorted(os.listdir(slow))))
        if tried.returncode != 0:
            print(tried.stderr.decode(errors="replace")[-6000:])
            return 1
    with tempfile.TemporaryDirectory(prefix="sortile-fuzz-") as found:
        done = fuzz("-" + limit, *(["-seed=1"] if limit.startswith("runs=") else []), "-max_len=4096", found, os.path.join(corpus, target))
    told = done.stderr.decode(errors="replace")
    runs = [line.split()[-1] for line in told.splitlines() if "number_of_executed_units" in line]
    print("%s: %s inputs" % (target, runs[0] if runs else "no count of"))
    if done.returncode != 0:
        print(told[-6000:])
        print("to repeat: SORTILE_FUZZ_TARGET=%s %s FILE" % (target, program))
        return 1
    return 0 if runs and int(runs[0]) > 100 else 1


if __name__ == "__main__":
    sys.exit({"build": build, "run": run}[sys.argv[1]](*sys.argv[2:]))
