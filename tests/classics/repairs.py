#!/usr/bin/env python3
"""The repairs of the broken zoo, as a learner would make them: repairs.py ROOT OUT writes the repaired files to OUT, for the test that
they pass. Each is a list of (what is there, what has to be); what is not there is an error.
"""
import pathlib
import sys

REPAIRS = {
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


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for name, changes in REPAIRS.items():
        text = (root / f"classics/broken/{name}.cu").read_text(encoding="utf-8")
        for before, after in changes:
            if text.count(before) != 1:
                raise SystemExit(f"repairs.py: classics/broken/{name}.cu has {text.count(before)} times {before!r}")
            text = text.replace(before, after)
        path = out / f"{name}.cu"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    missing = {p.stem for p in (root / "classics/broken").glob("*.cu")} - set(REPAIRS)
    if missing:
        raise SystemExit(f"repairs.py: no repair of {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
