#!/usr/bin/env python3
"""One-line mistakes in kernels, each of which the thinned tests have to find: mutations.py SOURCE WORK [--check] [--only TEXT] [--table FILE].

Copies the tracked files of SOURCE to WORK/tree and builds there; then, one after another, changes a line of the copy, builds the
executable that tests it, and runs it as a plain ctest does, with short tests (tests/short_tests.hpp). A mistake that no test finds, or a
line that is no longer there, is a failure. --table writes which test found what, as results.md here. A mistake costs a minute or two:
ctest runs all of them in the configuration Whole (make test-all).
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

KERNELS, PRIMITIVES, GALLERY = "tests/kernels/kernels_test", "tests/primitives/primitives_test", "tests/classics/classics_grid"
SEGMENTS, SELECT = "tests/segments/segments_executor_test", "tests/select/device_select_test"
COMPARE, MERGE = "tests/compare/compare_test", "tests/merge/device_merge_test"

# File, what stands there once, what is put in its place, executable, the tests that are run.
MUTATIONS = [
    ("src/kernels/local/bin_places.hpp", "for (; y > begin && image.less(", "for (; y > begin + 1 && image.less(", KERNELS, "sort_keys*:sort_floats*"),
    ("src/kernels/local/bin_words.hpp", "return (word >> 16) + simt::popcount(word & 0xffff);", "return (word >> 16) + simt::popcount(word & 0xfffe);", KERNELS, "sort_keys*"),
    ("src/kernels/lsd/lsd_course.hpp", "float_image<Word>{codec.complement}", "float_image<Word>{Word{0}}", KERNELS, "lsd*"),
    ("src/kernels/lsd/lsd_scan_kernel.hpp", "all.special |= !image.tells_bits(x[e]);", "all.special |= false;", KERNELS, "lsd*"),
    ("src/kernels/key_scan/window_kernel.hpp", "      if (only_repeats)\n        return leave(0, said);", "", KERNELS, "sort_keys*"),
    ("src/kernels/key_scan/skew_sample.hpp", "are_set < asked / 8 * 3 ||", "are_set < asked / 8 * 0 ||", KERNELS, "key_map*"),
    ("src/kernels/clear_words.hpp", "i < count;", "i + 1 < count;", KERNELS, "sort_keys*"),
    ("src/kernels/key_scan/bucket_tables.hpp", "keys > held ? keys : keys / part_held", "keys / part_held", KERNELS, "sort_keys*"),
    ("src/kernels/last_block.hpp", "+ 1 == all ? 1 : 0", "+ 2 == all ? 1 : 0", KERNELS, "sort_keys*"),
    ("src/kernels/pairs/repeated_samples.hpp", "primitives::plus{}) >= limit", "primitives::plus{}) > n", KERNELS, "sort_pairs_map*"),
    ("src/kernels/lsd/keys_apart.hpp", "return other <= mine; }", "return other < mine; }", KERNELS, "lsd*"),
    ("src/kernels/lsd/lsd_scan_kernel.hpp", "above += c == apart_above ? 1 : 0;", "above += c == apart_below ? 1 : 0;", KERNELS, "lsd*"),
    ("src/kernels/lsd/lsd_state.hpp", "seen.unclear != 0 || ", "", KERNELS, "lsd*"),
    ("src/kernels/lsd/lsd_state.hpp", "simt::popcount(seen.named) != 1 || ", "", KERNELS, "lsd*"),
    ("src/kernels/splitters/passes_sample.hpp", "up_to_common = (2u << d) - 1;", "up_to_common |= 1u << d;", KERNELS, "splitter*"),
    ("src/kernels/partition/partition_kernel.hpp", "keeps = !wide && ", "keeps = ", KERNELS, "key_map*"),
    ("src/kernels/lsd/heavy_key.hpp", "return below <= all - below ? parted_gap{below, true} : parted_gap{all - below, false};", "return parted_gap{below, false};", KERNELS, "lsd*"),
    ("src/kernels/lsd/lsd_state.hpp", " && findings.load(lsd_special) == 0)", ")", KERNELS, "lsd*"),
    ("src/kernels/lsd/heavy_key.hpp", "return all != 0 && image.digit(key(), shift, 255) == digit ? all : 0;", "return 0;", KERNELS, "lsd*"),
    ("src/kernels/lsd/lsd_pass_kernel.hpp", ".odd = before % 2,", ".odd = 0,", KERNELS, "lsd*"),
    ("src/kernels/lsd/lsd_pass_kernel.hpp", ".write_keys = wants.keys || before + 1 < all || apart,", ".write_keys = wants.keys || apart,", KERNELS, "lsd*"),
    ("src/kernels/lsd/lsd_pass_kernel.hpp", "s.start[t] = start.before;", "s.start[t] = start.before + (t == 255);", KERNELS, "lsd*"),
    ("src/kernels/partition/partition_kernel.hpp", "if (!more || at.segment != here.segment)", "if (!more)", KERNELS, "sort_keys*:skewed*"),
    ("src/kernels/partition/partition_kernel.hpp", "return (unsigned(i / vector) * block_threads + simt::thread_index()) * unsigned(vector)",
     "return (unsigned(i / vector) * block_threads + simt::thread_index() / 2 * 2) * unsigned(vector)", KERNELS, "sort_keys*"),
    ("src/kernels/scan/scan_kernel.hpp", "distance >= begin && distance < end;", "distance >= begin && distance <= end;", KERNELS, "scan*"),
    ("src/kernels/sample/sample_sort_kernel.hpp", "return n < bound ? std::uint32_t(n) : bound;", "return bound;", KERNELS, "sample*"),
    ("src/kernels/splitters/share_counts.hpp", "p = first + unsigned(i) * Threads; p < end)", "p = first + unsigned(i) * Threads; p <= end)", KERNELS, "splitter*"),
    ("src/kernels/splitters/splitter_digits.hpp", "x.digit[i] = kept.load(place(i));", "x.digit[i] = kept.load(place(i)) ^ 1u;", KERNELS, "splitter*"),
    ("src/kernels/local/large_sort_kernel.hpp", "s.order[smaller] = std::uint16_t(i);", "s.order[smaller] = std::uint16_t(smaller);", KERNELS, "refined_bins*"),
    ("src/kernels/splitters/share_counts.hpp", "for (unsigned w = 0; w < warps; ++w)", "for (unsigned w = 1; w < warps; ++w)", KERNELS, "splitter*"),
    ("src/kernels/narrow/count_sort_kernel.hpp", "arrays.in_shift == 0 ? 0 : unsigned(vector) - arrays.in_shift;", "arrays.in_shift;", KERNELS, "count_sort*"),
    ("src/kernels/histogram/radix_histogram.cu", "offset == 0 ? 0 : (16 - offset) / sizeof(Word)", "offset / sizeof(Word)", KERNELS, "radix_histogram*"),
    ("src/kernels/narrow/count_sort_kernel.hpp", "    publish(s, disorder);\n    simt::grid_barrier();", "    publish(s, disorder);\n    simt::block_barrier();", KERNELS, "count_sort*"),
    ("src/kernels/segments/tiny_segments.hpp", "s->shift.load(begun[1] + mine - 1)", "s->shift.load(begun[1] + mine)", SEGMENTS, "*"),
    ("src/kernels/segments/classify_kernel.hpp", "enlist(mine, unlisted);", "enlist(mine, classes.tiny);", SEGMENTS, "*mix*"),
    ("src/kernels/segments/large_kernel.hpp", "while (end < radix && !is_large(s, item, end) &&", "while (end < radix &&", SEGMENTS, "*"),
    ("src/kernels/segments/segment_moves.hpp", "places, written, target);\n    simt::block_barrier();\n    const unsigned d", "places, written, target);\n    const unsigned d", SEGMENTS, "*"),
    ("src/kernels/segments/segment_items.hpp", "if (i < capacity)", "if (i <= capacity)", SEGMENTS, "*"),
    ("src/kernels/segments/tiny_segments.hpp", "if (ties && lane == 0)", "if (ties && lane > 0)", SEGMENTS, "*mix*"),
    ("src/kernels/segments/tiny_segments.hpp", "segment = g <= group ?", "segment = g < group ?", SEGMENTS, "*mix*"),
    ("src/kernels/segments/short_kernel.hpp", "differ |= Word(a - least) ^ Word(b - least);", "differ |= a ^ b;", SEGMENTS, "*words_do_not_tell"),
    ("src/kernels/segments/short_kernel.hpp", "if (!simt::warp_any(wrong))\n        return true;", "return true;", SEGMENTS, "*words_do_not_tell"),
    ("src/kernels/segments/short_kernel.hpp", "if (!floats || is_told)", "if (true)", SEGMENTS, "*do_not_tell"),
    ("src/kernels/segments/tiny_segments.hpp", "come_last ? kinds << 1 | kind : kinds | kind << zeros;", "kinds | kind << zeros;", SEGMENTS, "*do_not_tell"),
    ("src/kernels/segments/equal_floats.hpp", "at.zeros += earlier.equal >> 16;", "at.zeros += 0;", SEGMENTS, "*do_not_tell"),
    ("src/kernels/segments/segment_moves.hpp", "floats && x == Word(~arrays.codec.sign) ? arrays.codec.sign : x;", "x;", SEGMENTS, "*do_not_tell"),
    ("src/kernels/segments/segment_moves.hpp", "floats && ranged && (digit == 0 || digit == radix - 1) ? item.bits_left : shift;", "shift;", SEGMENTS,
     "*range_of_a_sample"),
    ("src/kernels/segments/segment_words.hpp", "return W(a ^ b) >> PlaceBits == 0;", "return a == b;", SEGMENTS, "*words_do_not_tell"),
    ("src/kernels/select/displace.cu", "number - listed + behind", "number + behind", SELECT, "Displace*"),
    ("src/kernels/select/displace.cu", "if (before < behind && chosen.load(before) == place)", "if (before < behind && chosen.load(before) >= place)", SELECT,
     "Displace*"),
    ("src/kernels/ranks/pick_keys.cu", "segment.begin + place * step", "segment.begin + place", SELECT, "DeviceSegments*"),
    ("src/kernels/select/finish_kernel.hpp", "base + j < i ? x <= u : x < u", "x <= u", SELECT, "DeviceSelect.CandidatesAreRanked"),
    ("src/kernels/select/sample_groups.hpp", "group + rotation < groups ? group + rotation : group + rotation - groups", "group", SELECT,
     "DeviceSelect.ArrangementsDoNotMisleadTheSample"),
    ("src/kernels/select/lane_row.hpp", "simt::popcount(of & below(end | bit))) <= wanted", "simt::popcount(of & below(end | bit))) < wanted", SELECT, "DeviceSelect.ShortRows*"),
    ("src/kernels/select/select_short_rows_kernel.hpp", "const bool missed = left_out < last, in_doubt = missed ||", "const bool missed = false, in_doubt =", SELECT,
     "DeviceSelect.ShortRowsWhose*"),
    ("src/kernels/select/select_rows_kernel.hpp", "rank += s.elements.load(j) < e ? 1 : 0;", "rank += s.elements.load(j) <= e ? 1 : 0;", SELECT, "DeviceSelect.Rows*"),
    ("src/kernels/select/select_short_rows_kernel.hpp", "const bool several = in_row::greatest_upto(x, high) != in_row::smallest_from(x, low);", "const bool several = false;", SELECT,
     "DeviceSelect.ShortRows*"),
    ("src/kernels/key_scan/key_order.hpp", "simt::lane_index() == simt::warp_size - 1 && behind(next))\n      note", "simt::lane_index() == 0 && behind(next))\n      note", KERNELS, "backwards*"),
    ("src/kernels/any_order/rank_runs_kernel.hpp", "is_earlier ? !less.of_keys(x, tried) :", "is_earlier ? less.of_keys(tried, x) :", COMPARE, "any_order*few*"),
    ("src/kernels/any_order/rank_runs_kernel.hpp", "if (tables.taken.fetch_add(rank, 1u) != 0)", "if (tables.taken.fetch_add(rank, 1u) > 30)", COMPARE, "no_order*"),
    ("src/kernels/any_order/rank_tiles_kernel.hpp", "simt::block_all(is_alone) ? rank : t", "rank", COMPARE, "no_order*"),
    ("src/kernels/any_order/border_kernels.hpp", "return j < i ? less(sample, other) : !less(other, sample);", "return !less(other, sample);", MERGE, "*"),
    ("src/kernels/any_order/merge_two.hpp", "!less(runs.load(of_right, before - 1 - tried), runs.load(of_left, tried))", "less(runs.load(of_left, tried), runs.load(of_right, before - 1 - tried))", MERGE, "*"),
    ("src/kernels/any_order/merge_two.hpp", "(right <= last) & ((left >= part.middle) | is_less)", "(right <= last) & is_less", MERGE, "*"),
    ("src/kernels/any_order/merge_two.hpp", "if (i < borders.tiles && !borders.fits(i))", "if (i > borders.tiles)", MERGE, "*OutOfOrder*"),
    ("src/kernels/any_order/merge_two.hpp", "fits = number >= borders.tiles || borders.fits(number);", "fits = true;", MERGE, "*OutOfOrder*"),
    ("src/kernels/any_order/merge_two.hpp", "if (copies || !fits)", "if (copies)", MERGE, "*OutOfOrder*"),
    ("src/kernels/any_order/run_list.hpp", "return start(run) <= i;", "return start(run) < i;", MERGE, "*"),
    ("src/kernels/any_order/run_list.hpp", "return begin <= number;", "return begin < number;", MERGE, "*"),
    ("src/primitives/repeated_keys.hpp", "up_to = simt::lanes_below() << 1 | 1;", "up_to = simt::lanes_below();", PRIMITIVES, "repeated_keys*"),
    ("src/primitives/look_back.hpp", "seen = words_.load(end - 1 - lane, simt::relaxed);", "seen = words_.load(end - lane, simt::relaxed);", PRIMITIVES, "*look_back*"),
    ("classics/bitonic_parts.cu", "half /= 2) {\n      simt::block_barrier();\n      if (t < half", "half /= 2) {\n      if (t < half", GALLERY, "*bitonic_*"),
    ("classics/transposition.cu", "const unsigned i = 2 * t + phase % 2;\n      if (i + 1 < window", "const unsigned i = 2 * t;\n      if (i + 1 < window", GALLERY, "*transposition*"),
    ("classics/radix_one_bit.cu", "    }\n    simt::block_barrier();\n    SORTILE_UNROLL for", "    }\n    SORTILE_UNROLL for", GALLERY, "*radix_1bit*"),
    ("classics/radix_coarsened.cu", "load_tile(s, from, first, count);\n    simt::block_barrier();", "load_tile(s, from, first, count);", GALLERY, "*radix_1bit*"),
]


def mutated(text, old, new, where):
    if text.count(old) != 1:
        raise SystemExit(f"{where}: '{old}' stands there {text.count(old)} times; the mistake has to be made anew")
    return text.replace(old, new)


def copy_tree(source, tree):
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        new, old = source / name, tree / name
        if new.is_file() and not (old.exists() and old.read_bytes() == new.read_bytes()):
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(new, old)


def build(tree, target):
    return subprocess.run(["cmake", "--build", "build/cpu-only", "--parallel", str(os.cpu_count()), "--target", target.rsplit("/", 1)[1]],
                          cwd=tree, capture_output=True, text=True)


def run(tree, executable, tests):
    """The first test that fails, or None."""
    environment = {**os.environ, "SORTILE_TESTS_SHORT": "1"}
    done = subprocess.run([tree / "build/cpu-only" / executable, f"--gtest_filter={tests}", "--gtest_fail_fast", "--gtest_brief=1"],
                          env=environment, capture_output=True, text=True, timeout=3600)
    if done.returncode == 0:
        return None
    failed = re.search(r"\[  FAILED  \] ([^\s,]+)", done.stdout)
    return failed.group(1) if failed else f"ended with status {done.returncode}"


def finder(tree, mutation):
    file, old, new, executable, tests = mutation
    path = tree / file
    original = path.read_text()
    try:
        path.write_text(mutated(original, old, new, file))
        built = build(tree, executable)
        if built.returncode != 0:
            raise SystemExit(f"{file}: with '{new}' it does not compile:\n{built.stdout[-3000:]}")
        return run(tree, executable, tests)
    finally:
        path.write_text(original)


def row(mutation, found, seconds):
    shown = " ".join(mutation[1].split()), " ".join(mutation[2].split())
    quoted = [f"`{text}`".replace("|", "\\|") for text in shown]
    return f"| {mutation[0]} | {quoted[0]} | {quoted[1]} | {found or 'NOBODY'} | {seconds:.0f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path, nargs="?")
    parser.add_argument("--check", action="store_true", help="only that each mistake can still be made")
    parser.add_argument("--only", default="", help="those whose file's name holds this")
    parser.add_argument("--table", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.check:
        for file, old, new, *_ in MUTATIONS:
            mutated((arguments.source / file).read_text(), old, new, file)
        return
    tree = arguments.work.resolve() / "tree"
    copy_tree(arguments.source.resolve(), tree)
    subprocess.run(["cmake", "--preset", "cpu-only", "--log-level=WARNING"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    rows, missed = [], 0
    for mutation in MUTATIONS:
        if arguments.only not in mutation[0]:
            continue
        began = time.monotonic()
        found = finder(tree, mutation)
        missed += found is None
        rows.append(row(mutation, found, time.monotonic() - began))
        print(rows[-1], flush=True)
    head = ["# One-line mistakes and who finds them", "", "Made by `mutations.py`; seconds with the build, beside other work.", "",
            "| file | was | became | found by | seconds |", "|---|---|---|---|---:|"]
    if arguments.table:
        arguments.table.write_text("\n".join(head + rows) + "\n")
    if missed or not rows:
        sys.exit(f"{missed} of {len(rows)} mistakes were not found")


if __name__ == "__main__":
    main()
