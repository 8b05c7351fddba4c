// Sample sort: quicksort with many pivots at once, taken from a sample that is large enough to make the buckets even.
//
// Idea. To divide n keys into k buckets of about equal size, one needs k − 1 good splitters. Take a sample of s·k keys,
// sort it, and use every s-th of it: the more a sample is oversampled (s), the less the buckets vary. Then every key
// finds its bucket by binary search among the splitters, and is moved there. The buckets are in order among themselves;
// each is sorted locally.
//
//   keys       12 3 44 7 31 25 9 18 40 5 29 16      k = 3, s = 2
//   sample     3 9 16 25 31 44, splitters 9 and 31
//   buckets    3 7 5 | 9 | 12 25 18 29 16 | 31 | 44 40
//
// A key that equals a splitter goes to a bucket of its own between two others. Such buckets are done, however large:
// many equal keys, on which plain sample sort ends with one huge bucket, make this one faster. So there are 2k − 1
// buckets:
//
//   2 i       greater than splitter i − 1, less than splitter i
//   2 i + 1   equal to splitter i
//
//   host: a stack of parts ─▶ sample, sort it, splitters ─▶ count buckets, tile by tile ─▶ scan ─▶ move ─▶ parts again;
//   at most 1024 keys: kept for one launch at the end, a block each
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
// per tile: runs of 16 records for tiles of 2048. The host reads back 127 bucket beginnings. Parameter: `oversampling`,
// s.
//
// What it teaches: wide division saves passes over memory, as a larger radix does, without asking anything of the keys
// but an order; and how random sampling makes load balance a matter of probability. Limits: the host drives it; bucket
// search is done twice instead of being stored; unstable (places within a bucket are taken by atomics).
#include "classics/sample_division.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
void sample_sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  divided_array<Word, Pairs> array(j, data, spare, codec, j.parameter("small"), most_divisions);
  array.run(distributor<Word, Pairs>(j, array, codec, j.parameter("oversampling")));
}

} // namespace

SORTILE_CLASSICS_OF(sample_sort) {
  return {{.name = "sample-sort",
           .family = "sample",
           .summary = "63 splitters from a sorted sample; buckets are divided again or sorted by one block",
           .work = "n log n expected",
           .depth = "log^2 n expected",
           .source = "Frazer & McKellar 1970; Leischner, Osipov & Sanders 2010",
           .steps_show = "splitters and keys of each division, the parts that one block sorts",
           .tile = 2048,
           .parameters = {{"oversampling", 1, 8, most_oversampling, "sampled keys a bucket"},
                          {"small", 32, 1024, 1024, "keys that one block sorts"}},
           .run = [](job& j) { with_records(j, [&](auto&... a) { sample_sort(j, a...); }); }}};
}

} // namespace sortile::classics
