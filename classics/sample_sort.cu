// Sample sort: quicksort with many pivots at once, taken from a sample that is large enough to make the buckets even.
//
// Idea. To divide n keys into k buckets of about equal size, one needs k − 1 good splitters. Take a sample of s·k keys,
// sort it, and use every s-th of it: the more a sample is oversampled (s), the less the buckets vary. Then every key
// finds its bucket by binary search among the splitters, and is moved there. The buckets are in order among themselves;
// each is sorted locally.
//
//   $ sortile classics show --example sample-buckets   # lines 1 to 23
//   input: 12 3 44 7 31 25 9 18 40 5 29 16
//   keys 0 to 11 by 3 splitters
//     sample     3 5 7 9 12 16 18 25
//     splitters  5 9 16
//     keys       12   3   44   7 | 31   25    9 18 | 40  5 29 16
//     buckets     4   0    6   2 |  6    6    3  6 |  6  1  6  5
//     sizes of buckets
//       0        1 0  0
//       1        0 0  1
//       2        1 0  0
//       3        0 1  0
//       4        1 0  0
//       5        0 0  1
//       6        1 3  2
//     where they begin
//       0        0 1  1
//       1        1 1  1
//       2        2 3  3
//       3        3 3  4
//       4        4 5  5
//       5        5 5  5
//       6        6 7 10
//     moved       3 | 5 |  7 | 9 | 12 | 16 | 44 18   31 25 40 29
//
// A key that equals a splitter goes to a bucket of its own between two others. Such buckets are done, however large:
// many equal keys, on which plain sample sort ends with one huge bucket, make this one faster. So there are 2k − 1
// buckets:
//
//   2 i       greater than splitter i − 1, less than splitter i
//   2 i + 1   equal to splitter i
//
// The host keeps a stack of parts. One of more than 1024 keys is divided: sample, splitters, sizes of buckets tile by
// tile, their scan, moves. Its buckets are parts in turn; those of fewer keys are kept for one launch at the end, a
// block each.
//
// Each division takes out the keys equal to some splitter, and splitters are keys: there is always progress. Keys made
// to defeat the sample can make it slow. A part that was divided 8 times falls back to the bitonic sort, and a note
// says so.
//
// Source: Frazer & McKellar, "Samplesort", 1970; Blelloch et al., "A Comparison of Sorting Algorithms for the
// Connection Machine CM-2", 1991 (oversampling); Leischner, Osipov & Sanders, "GPU Sample Sort", 2010.
//
// Cost: for k = 64, log_64(n / 1024) divisions: two for 2^22 keys, where quicksort takes 17. A division reads the keys
// twice, does log2 k comparisons with splitters in shared memory for each key, and writes records once, to 127 places
// per tile: runs of 16 records for tiles of 2048. The host reads back 127 bucket beginnings. Parameters:
// `oversampling`, s; `ways`, k (2 to 64).
//
// What it teaches: wide division saves passes over memory, as a larger radix does, without asking anything of the keys
// but an order; and how random sampling makes load balance a matter of probability. Limits: the host drives it
// (sample-sort-launching keeps it on the device); bucket search is done twice instead of being stored; unstable (places
// within a bucket are taken by atomics).
#include "classics/sample_division.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
void sample_sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  divided_array<Word, Pairs> array(j, data, spare, codec, j.parameter("small"), most_divisions);
  const division how{j.parameter("ways"), j.parameter("oversampling"), j.parameter("tile")};
  array.run(distributor<Word, Pairs>(j, array, codec, how));
}

} // namespace

SORTILE_CLASSICS_OF(sample_sort) {
  return {{.name = "sample-sort",
           .family = "sample",
           .summary = "up to 63 splitters from a sorted sample; buckets are divided again or sorted by one block",
           .work = "n log n expected",
           .depth = "log^2 n expected",
           .source = "Frazer & McKellar 1970; Leischner, Osipov & Sanders 2010",
           .steps_show = "of each division sample, splitters, buckets and moved keys; the parts that one block sorts",
           .tile = 2048,
           .parameters = {{"ways", 2, most_ways, most_ways, "buckets, one more than splitters", true},
                          tile_parameter(2048),
                          {"oversampling", 1, 8, most_oversampling, "sampled keys a bucket"},
                          {"small", 4, 1024, 1024, "keys that one block sorts", false, 1, true}},
           .run = [](job& j) { with_records(j, [&](auto&... a) { sample_sort(j, a...); }); }}};
}

} // namespace sortile::classics
