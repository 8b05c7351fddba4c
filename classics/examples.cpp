// See examples.hpp.
#include "classics/examples.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <sstream>

namespace sortile::classics {

namespace {

std::vector<std::string> split(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> parts;
  for (std::string part; std::getline(in, part, ',');)
    parts.push_back(part);
  return parts;
}

using settings = std::map<std::string, unsigned>;

/// The example's keys are numbers of 32 bits.
example shown(std::string_view name, std::string_view classic, std::string_view keys, settings parameters,
              std::string_view look) {
  example e{name, classic, look, {}};
  e.asked.keys = split(keys);
  e.asked.n = e.asked.keys.size();
  e.asked.parameters = std::move(parameters);
  return e;
}

example in_bits(example e, unsigned end) {
  e.asked.bits = {0, end};
  e.asked.shown = notation::binary;
  return e;
}

example with_values(example e, std::string_view values) {
  e.asked.pairs = true;
  e.asked.values = split(values);
  return e;
}

example of_two_bits(example e) {
  e.asked.bits = {0, 2};
  return e;
}

example of_type(example e, key_type type, notation as) {
  e.asked.type = type;
  e.asked.shown = as;
  return e;
}

constexpr std::string_view sixteen = "12,3,6,9,15,8,5,10,9,6,11,13,4,10,7,0"; // of 4 bits
constexpr std::string_view eight = "3,1,7,0,4,1,6,3", twelve = "3,1,7,0,4,1,6,3,2,2,0,1";
constexpr std::string_view two_runs = "1,4,4,7,2,3,4,8", unsorted = "5,2,8,1,9,3,7,4";

std::vector<example> scans() {
  return {
      shown("scan-recursion", "scan-recursive", eight, {}, "sums of pairs, their scan, and back"),
      shown("scan-loops", "scan-loop", eight, {}, "the same tree, in place: up-sweep, then down-sweep"),
      shown("scan-tree", "scan-blelloch", eight, {{"banks", 4}},
            "what each level writes, and how many lanes meet in one of 4 banks"),
      shown("scan-tree-padded-16", "scan-blelloch-padded-16", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18", {},
            "the unused word after the first 16 numbers"),
      shown("scan-tree-padded", "scan-blelloch-padded-32", eight, {{"banks", 4}},
            "the same levels with an unused word after every 4: no two lanes meet"),
      shown("scan-strides", "scan-kogge-stone", eight, {}, "stride doubles, every number adds the one before it"),
      shown("scan-three-blocks", "scan-blocks", twelve, {{"tile", 4}}, "sums of blocks, their scan, and what is added"),
      shown("scan-look-back", "scan-single-pass", twelve, {{"tile", 4}},
            "how many states each block read until it met a prefix"),
      shown("scan-votes", "scan-ballot", twelve, {{"tile", 4}}, "a vote is a word of flags, a count of bits its sum"),
  };
}

std::vector<example> radix_by_bits() {
  return {
      in_bits(
          shown("radix-destinations", "radix-1bit", "5,2,7,4,1,6", {}, "flags, their scan, and where each key goes"),
          1),
      in_bits(shown("radix-16-keys", "radix-1bit", sixteen, {{"tile", 4}},
                    "16 keys of 4 bits in four blocks: neighbours of a block are written far apart"),
              4),
      in_bits(shown("radix-one-launch", "radix-1bit-one-launch", sixteen, {{"tile", 4}},
                    "blocks look back for the ones of the blocks before them"),
              1),
      in_bits(
          shown(
              "radix-local", "radix-1bit-local", sixteen, {{"tile", 4}},
              "each block sorts its keys first; the table of bucket sizes, scanned row by row, says where runs begin"),
          1),
      in_bits(shown("radix-local-all", "radix-1bit-local", sixteen, {{"tile", 4}},
                    "the same for all four bits: what one pass achieved survives the next"),
              4),
      in_bits(shown("radix-2bit", "radix-bits", sixteen, {{"tile", 4}, {"bits", 2}},
                    "four buckets a block: half the passes, a table of twice the rows, shorter runs"),
              4),
      in_bits(shown("radix-table", "radix-bits", "2,1,0,2,3,0,1,1", {{"tile", 4}, {"bits", 2}},
                    "the table before and after its scan, two blocks"),
              2),
      in_bits(shown("radix-coarsening", "radix-bits-coarsened", sixteen, {{"tile", 8}, {"bits", 1}, {"keys", 2}},
                    "two keys a thread: two blocks in place of four, longer runs, half the table"),
              1),
      in_bits(shown("radix-neighbours", "radix-1bit-coarsened", "1,0,2,3,4,6,5,8,7,9,10,11", {{"tile", 8}, {"keys", 4}},
                    "a thread counts the ones of its four neighbours before the block scans"),
              1),
      in_bits(shown("radix-queues-as-masks", "radix-masks", "2,0,3,0,2,1", {{"bits", 2}},
                    "a mask and its scan for each digit value; a queue begins where those before it end"),
              2),
      in_bits(shown("radix-queues-in-blocks", "radix-masks", "2,0,3,0,2,1,3,0", {{"bits", 2}, {"tile", 4}},
                    "a queue's first keys are those of the first block"),
              2),
      in_bits(shown("counting-places", "counting-sort", "2,1,0,2,3,0,1,1", {{"bits", 2}, {"keys", 4}},
                    "two threads count their four keys; the scan of the table gives each its places"),
              2),
      in_bits(shown("counting-blocks", "counting-sort", sixteen, {{"bits", 2}, {"keys", 2}, {"tile", 4}},
                    "two blocks of four threads with two keys each: a column of the table for each thread"),
              2),
      shown("radix-span", "radix-masks-span", "257,255,258,256,255", {{"bits", 1}},
            "keys from 255 to 258 need two passes of one bit"),
      shown("radix-span-blocks", "radix-masks-span", "257,255,258,256,255,258", {{"bits", 1}, {"tile", 4}},
            "the same in two blocks: the scan of a mask goes through both"),
      in_bits(shown("radix-lab-sorted", "radix-lab", "3,0,2,0,1,0,3,3", {{"tile", 4}},
                    "blocks sorted by two bits, sums of blocks by value, written as groups"),
              2),
      in_bits(shown("radix-lab-ranks", "radix-lab", "3,0,2,0,1,0,3,3", {{"tile", 4}, {"coalescing", 0}},
                    "the same by ranks: the block stays as it is, and its keys are scattered"),
              2),
  };
}

std::vector<example> radix_of_other_keys() {
  return {
      of_type(shown("radix-negative-floats", "radix-floats", "1,-2,-0,2,0,-1", {{"bits", 8}, {"tile", 4}},
                    "flipped bits are in the order of the numbers, -0 before 0"),
              key_type::f32, notation::decimal),
      of_two_bits(with_values(shown("radix-values-last", "radix-by-position", "3,1,2,0,2,1", {{"bits", 2}, {"tile", 4}},
                                    "positions travel with the keys, values are fetched once"),
                              "U,V,W,X,Y,Z")),
      of_type(shown("age-and-income", "radix-cascaded", "41/52000,25/31000,41/38000,33/52000,25/47000,33/29000",
                    {{"bits", 8}, {"tile", 4}},
                    "rows by income first, then stably by age: equal ages keep the order of incomes"),
              key_type::u64, notation::halves),
      of_type(shown("age-income-name", "radix-columns",
                    "41/52000/Ann,25/31000/Bob,41/38000/Eve,33/-0/Cid,25/31000/Ada,33/0/Abe",
                    {{"bits", 8}, {"tile", 4}},
                    "columns of three types: by name, then by income downwards, then by age"),
              key_type::u64, notation::decimal),
      in_bits(shown("radix-msd-buckets", "radix-msd", "13,2,12,5,15,4,1", {{"bits", 2}, {"local", 4}, {"tile", 4}},
                    "the leading digit divides, each bucket is sorted by itself"),
              4),
      in_bits(shown("radix-msd-levels", "radix-msd-launching", sixteen, {{"bits", 2}, {"small", 4}, {"tile", 4}},
                    "parts of a level in one grid; the last block of a part lists its buckets"),
              4),
      shown("decimal-queues", "host-radix-queues-10", "329,457,657,839,436,720,355", {},
            "dealt to ten queues and collected, digit by digit"),
      of_type(shown("byte-queues", "host-radix-queues-256", "329,457,657,839,436,720,355", {},
                    "the same with a queue for each value of a byte"),
              key_type::u32, notation::hexadecimal),
      of_type(shown("queue-lengths", "host-radix-prefix", "329,457,657,839,436,720,355", {},
                    "prefix sums of how often digits occur are where queues would begin"),
              key_type::u32, notation::hexadecimal),
  };
}

std::vector<example> merges() {
  return {
      shown("merge-recursion", "merge-recursive", unsorted, {}, "halves, each merged from its halves"),
      shown("merge-co-ranks", "merge-co-rank", two_runs, {{"tile", 4}},
            "each thread's place in the output, and how many records before it are from either run"),
      shown("merge-two-runs", "merge-path", two_runs, {{"tile", 4}},
            "two blocks, each with its co-ranks; of equal keys those of the left run come first"),
      shown("merge-sort-16", "merge-path", sixteen, {{"tile", 4}}, "tiles of four, then runs of 4 and of 8 merged"),
      shown("merge-loads", "merge-tiled", "1,4,4,7,9,11,12,15,2,3,4,8,9,10,13,14", {{"tile", 8}},
            "records loaded: what was loaded and not used is loaded again"),
      shown("merge-rings", "merge-circular", "1,4,4,7,9,11,12,15,2,3,4,8,9,10,13,14", {{"tile", 8}},
            "records loaded: each one once"),
      of_type(shown("merge-low-byte", "merge-custom-order", "0x0102,0x0201,0x0002,0x0101,0x0301,0x0100,0x0200,0x0001",
                    {{"tile", 4}}, "in order of the low byte, then of the rest"),
              key_type::u32, notation::hexadecimal),
  };
}

std::vector<example> comparisons() {
  const std::string_view bitonic = "3,5,8,9,7,4,2,1", shifted = "6,9,8,5,3,1,2,4";
  return {
      shown("transposition-4", "transposition", "3,2,1,0", {}, "even and odd phases; * marks an exchange"),
      shown("transposition-8", "transposition", unsorted, {{"tile", 4}}, "eight phases sort eight keys"),
      shown("transposition-exit", "transposition-early-exit", "1,2,4,3,5,6,8,7", {{"tile", 4}},
            "the flag of a double phase that exchanged nothing ends it"),
      shown("transposition-edges", "transposition-tiles", "8,7,6,5,4,3,2,1", {{"tile", 4}},
            "each block loads two keys beyond either edge, for two phases a launch"),
      shown("transposition-edges-exit", "transposition-tiles-early-exit", "2,1,3,4,5,6,8,7", {{"tile", 4}},
            "launches until one exchanged nothing"),
      with_values(shown("rank-ties", "rank", "4,1,3,1", {}, "equal keys before a key give it another rank"), "a,b,c,d"),
      shown("rank-blocks", "rank", unsorted, {{"tile", 4}}, "every thread of both blocks reads all keys"),
      shown("rank-by-tiles", "rank-tiles", unsorted, {{"tile", 4}}, "ranks grow from tile to tile"),
      shown("rank-by-constants", "rank-constant", unsorted, {{"tile", 4}, {"keys", 4}},
            "ranks grow from one filling of constant memory to the next"),
      shown("bitonic-recursion", "bitonic-recursive", unsorted, {}, "halves sorted down and up, then merged"),
      shown("bitonic-loops", "bitonic-loop", unsorted, {}, "the network as three loops"),
      shown("bitonic-8", "bitonic-steps", unsorted, {{"tile", 4}},
            "comparators of each step; the first of a merge mirrors"),
      shown("bitonic-tiles", "bitonic-shared", unsorted, {{"tile", 4}}, "distances below the tile share a launch"),
      shown("bitonic-split-8", "bitonic-split", shifted, {{"tile", 4}}, "the smaller of each pair to the left half"),
      shown("bitonic-merge-8", "bitonic-merge", bitonic, {{"tile", 4}},
            "splits at distances 4, 2, 1 sort a bitonic sequence"),
      shown("bitonic-merge-shifted", "bitonic-merge", shifted, {{"tile", 4}},
            "a shifted bitonic sequence is no harder"),
      shown("bitonic-directions", "bitonic-directions", unsorted, {{"tile", 4}},
            "partners at i ^ j; > marks a comparator that points down"),
      shown("odd-even-8", "odd-even-merge", two_runs, {{"tile", 4}}, "fewer comparators than the bitonic merge"),
      shown("odd-even-tiles", "odd-even-merge-shared", unsorted, {{"tile", 4}}, "tiles first, then a launch a step"),
  };
}

std::vector<example> divisions() {
  const std::string_view many = "12,3,44,7,31,25,9,18,40,5,29,16";
  return {
      shown("quicksort-places", "quicksort-atomic", "4,7,1,4,9,2", {{"pivot", 0}, {"small", 4}},
            "three regions about the pivot; the middle is done"),
      shown("quicksort-one-by-one", "quicksort-increment", "4,7,1,4,9,2", {{"pivot", 0}, {"small", 4}},
            "the same places, one atomic for each key"),
      shown("quicksort-sums", "quicksort-packing", "4,7,1,4,9,2", {{"pivot", 0}, {"small", 4}},
            "prefix sums of flags give the same places in order"),
      shown("quicksort-queues", "quicksort-streams", sixteen, {{"small", 4}, {"queues", 2}},
            "the sides of a part go to different queues"),
      shown("quicksort-children", "quicksort-launching", sixteen, {{"small", 4}},
            "a block launches blocks for its sides"),
      shown("sample-buckets", "sample-sort", many, {{"ways", 4}, {"oversampling", 2}, {"small", 4}, {"tile", 4}},
            "a sorted sample, every second key a splitter; odd buckets hold the keys equal to one"),
      shown("sample-levels", "sample-sort-launching", many,
            {{"ways", 4}, {"oversampling", 2}, {"small", 4}, {"tile", 4}},
            "each part of a level has splitters of its own; no bucket is seen by the host"),
      shown("sample-devices", "sample-sort-devices", sixteen, {{"devices", 4}, {"oversampling", 1}, {"tile", 4}},
            "what each device holds: its piece, divided, what it received, sorted"),
      shown("sample-two-devices", "sample-sort-devices", sixteen, {{"devices", 2}, {"oversampling", 2}, {"tile", 4}},
            "two devices of two blocks each: what a block sends to either"),
      shown("large-divided", "large-top-down", many, {{"fits", 4}, {"division", 0}}, "divided until four keys fit"),
      shown("large-merged", "large-bottom-up", sixteen, {{"fits", 4}}, "blocks of four sorted, then merged"),
      shown("large-digits", "large-radix", sixteen, {{"tile", 4}, {"bits", 4}}, "every pass is of the whole array"),
      shown("qsort-comparisons", "host-qsort", "3,1,2", {}, "the keys that C's qsort compares"),
      shown("std-sort-comparisons", "host-std-sort", "3,1,2", {}, "the keys that std::sort compares"),
  };
}

std::vector<example> gather_examples() {
  std::vector<example> all;
  for (auto part : {scans(), radix_by_bits(), radix_of_other_keys(), merges(), comparisons(), divisions()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace

std::span<const example> all_examples() {
  static const std::vector<example> all = gather_examples();
  return all;
}

const example& example_named(std::string_view name) {
  std::string names;
  for (const example& e : all_examples()) {
    if (e.name == name)
      return e;
    names += (names.empty() ? "" : ", ") + std::string(e.name);
  }
  throw invalid_argument("no example is called " + std::string(name) + " (there are: " + names + ")");
}

const example* first_example_of(std::string_view classic) {
  const auto all = all_examples();
  const auto found = std::find_if(all.begin(), all.end(), [&](const example& e) { return e.classic == classic; });
  return found == all.end() ? nullptr : &*found;
}

std::map<std::string, unsigned> parameters_to_follow(const classic& c, std::uint64_t n) {
  std::map<std::string, unsigned> taken;
  if (const example* first = first_example_of(c.name))
    taken = first->asked.parameters;
  for (const parameter& p : c.parameters)
    if (const auto tile = taken.find(std::string(p.name)); p.is_tile && (tile == taken.end() || tile->second >= n))
      taken[std::string(p.name)] = p.least;
  return taken;
}

std::string list_of_examples() {
  std::string text;
  std::size_t name_width = 0, classic_width = 0;
  for (const example& e : all_examples()) {
    name_width = std::max(name_width, e.name.size());
    classic_width = std::max(classic_width, e.classic.size());
  }
  for (const example& e : all_examples())
    text += std::string(e.name) + std::string(name_width + 2 - e.name.size(), ' ') + std::string(e.classic) +
            std::string(classic_width + 2 - e.classic.size(), ' ') + std::string(e.look) + "\n";
  return text;
}

} // namespace sortile::classics
