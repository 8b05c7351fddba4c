#!/usr/bin/env python3
"""The repairs of the broken zoo and the exercises' gaps filled, as a learner would do both: repairs.py ROOT FOLDER OUT writes the files
of a folder so to OUT, for the test that they pass. Each is a list of (what is there, what has to be); what is not there is an error.
"""
import pathlib
import sys

ZOO = {
    "radix_beyond_the_end": [("bits.load(n)", "bits.load(n - 1) + ((in.load(n - 1) >> bit) & 1)")],
    "radix_unsorted_input": [
        ("scan_block<0>(s.bits, most)", "const unsigned ones_in_total = scan_block<0>(s.bits, most)"),
        ("""      unsigned ones_in_total = 0;
      for (unsigned i = 0; i < most; ++i)
        ones_in_total += s.bits.load(i);
""", ""),
        ("""        s.moved[to % most] = key;
      }
      simt::block_barrier();
""", """        s.moved[to % most] = key;
      }
      simt::block_barrier();
      for (unsigned i = t; i < most; i += block_threads)
        s.keys[i] = s.moved.load(i);
"""),
    ],
    "radix_sign": [("n - ones_in_total.load(0) - before", "n - ones_in_total.load(0) + before")],
    "scan_missing_barrier": [("      s.sums[t] = s.sums.load(t) + before",
                              "      simt::block_barrier();\n      s.sums[t] = s.sums.load(t) + before")],
    "rank_without_ties": [("in.load(other) < mine ? 1 : 0", "in.load(other) < mine || (in.load(other) == mine && other < i) ? 1 : 0")],
    "look_back_by_index": [("const unsigned tile = simt::block_index()", "const unsigned tile = next_tile(s, begun)")],
    "barrier_in_a_branch": [
        ("      if (t < nodes) {\n        s.tree[stride", "      simt::block_barrier();\n      if (t < nodes) {\n        s.tree[stride"),
        ("- 1);\n        simt::block_barrier();", "- 1);"),
    ],
    "transposition_without_phases": [("""      if (t >= n || partner >= n)
        continue;
      const std::uint32_t mine = s.keys.load(t), theirs = s.keys.load(partner);
""", """      const bool takes_part = t < n && partner < n;
      const std::uint32_t mine = takes_part ? s.keys.load(t) : 0u, theirs = takes_part ? s.keys.load(partner) : 0u;
      simt::block_barrier();
      if (!takes_part)
        continue;
""")],
}
EXERCISES = {
    "destination": [("one ? i : i", "one ? n - ones.load(0) + ones_before.load(i) : i - ones_before.load(i)")],
    "coalesced_writes": [
        ("    // Your turn: the tile", "    simt::block_barrier();\n    split_tile(s, count, codec, bit.first_bit);\n    // Your turn: the tile"),
        ("      to.store(first + i, r);", """      const unsigned v = static_cast<unsigned>(codec.image(r.key) >> bit.first_bit) & 1;
      to.store(table.load(std::uint64_t{v} * simt::grid_size() + simt::block_index()) + i - s.begin.load(v), r);"""),
    ],
    "several_bits": [
        ("bit < codec.bits; ++bit", "bit < codec.bits; bit += a_pass"),
        ("{bit, 1}", "{bit, std::min(a_pass, codec.bits - bit)}"),
    ],
    "coarsening": [
        ("const std::uint32_t before", "std::uint32_t before"),
        ("before, zeros), mine[k]);\n", "before, zeros), mine[k]);\n      before += one;\n"),
    ],
    "co_rank": [("""  (void)b, (void)before;
  return k < a.count ? k : a.count;
""", """  std::uint64_t low = k > b.count ? k - b.count : 0, high = k < a.count ? k : a.count;
  while (low < high) {
    const std::uint64_t i = (low + high) / 2;
    if (before(b.key(k - 1 - i), a.key(i)))
      high = i;
    else
      low = i + 1;
  }
  return low;
""")],
    "bitonic_directions": [("i + k != 0", "(i & k) == 0")],
    "rank_ties": [("theirs < image ? 1 : 0", "theirs < image || (theirs == image && other < i) ? 1 : 0")],
    "scan_padding": [("  return i;", "  return i + i / 32;")],
    "partition": [("p.first + (mine == less ? less_before.load(i) : i);", """p.first + (mine == less ? less_before.load(i)
        : mine == equal ? counts.load(less) + equal_before.load(i)
                        : counts.load(less) + counts.load(equal) + i - less_before.load(i) - equal_before.load(i));""")],
    "splitters": [("s.tile.load(i).key", "s.tile.load((i + 1) * oversampling).key")],
}
REPAIRS = {"classics/broken": ZOO, "exercises": EXERCISES}


def main():
    root, folder, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    for name, changes in REPAIRS[folder].items():
        text = (root / folder / f"{name}.cu").read_text(encoding="utf-8")
        for before, after in changes:
            if text.count(before) != 1:
                raise SystemExit(f"repairs.py: {folder}/{name}.cu has {text.count(before)} times {before!r}")
            text = text.replace(before, after)
        path = out / f"{name}.cu"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    missing = {p.stem for p in (root / folder).glob("*.cu")} - set(REPAIRS[folder])
    if missing:
        raise SystemExit(f"repairs.py: no repair in {folder} of {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
