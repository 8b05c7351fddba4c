// Sorting arrays that are too large for one multiprocessor: the three strategies, as recipes over parts that stand in
// other files. A multiprocessor's memory holds 8192 records here; the question is what to do with more.
//
//   large-top-down     divide until every part fits, as quicksort.cu or sample_sort.cu do: the parts are in order among
//                      themselves. Then each multiprocessor sorts a part, by bitonic.cu's network, and nothing is left
//                      to do
//   large-bottom-up    cut into tiles that fit, anywhere; each multiprocessor sorts a tile, by radix_buckets.cu's local
//                      sort. Then merge runs two by two, each merge by all multiprocessors, cut into equal pieces along
//                      the merge path of merge_sort.cu
//   large-radix        no parts at all: every pass of radix_buckets.cu is global, a stable distribution of everything
//                      by one digit of 8 bits
//
// Of the second, with blocks of four keys:
//
//   $ sortile classics show --example large-merged
//   input: 12 3 6 9 15 8 5 10 9 6 11 13 4 10 7 0
//   tiles of 4 sorted: 3 6 9 12 | 5 8 10 15 | 6 9 11 13 | 0 4 7 10
//   runs of 4 merged
//     runs               3 6 9 12 | 5  8 10 15 | 6 9 11 13 | 0  4  7 10
//     co-ranks
//       block begins at  0 4 0 4
//       of these from a  0 2 0 1
//       of these from b  0 2 0 3
//       comparisons      2 2 3 3
//     loaded by block    4 4 4 4
//     merged             3 5 6  8   9 10 12 15 | 0 4  6  7   9 10 11 13
//     from run           a b a  b   a  b  a  b | b b  a  b   a  b  a  a
//   runs of 8 merged
//     runs               3 5 6 8 9 10 12 15 | 0 4  6  7  9 10 11 13
//     co-ranks
//       block begins at  0 4 8 12
//       of these from a  0 2 4  6
//       of these from b  0 2 4  6
//       comparisons      2 5 5  2
//     loaded by block    4 4 4  4
//     merged             0 3 4 5 6  6  7  8   9 9 10 10 11 12 13 15
//     from run           b a b a a  b  b  a   a b  a  b  b  a  b  a
//   result: 0 3 4 5 6 6 7 8 9 9 10 10 11 12 13 15
//
// What decides. Top-down pays before: the division must be even, or other multiprocessors wait for the one with the
// largest part. Where the keys defeat the division, it falls back to another sort (a note says so). Bottom-up pays
// after: the cut is free and exactly even, but each of the merges reads and writes everything. Radix does not depend on
// n, but on the bits of a key.
//
// Source: the strategies: any chapter on parallel sorting; Leischner, Osipov & Sanders 2010 (top-down); Satish, Harris
// & Garland 2009 (tiles and merges, and radix); Green, McColl & Bader 2012.
//
// Cost in bytes moved a 4-byte key, n = 2^25, which is 4096 parts of 8192:
//   top-down    sample sort divides twice (64 ways each), 12 bytes per division, and 8 to sort the parts: 32
//               quicksort divides some 1.2 · 12 times, 12 bytes each: 180, and a round trip to the host a part
//   bottom-up   8 to sort the tiles, then 12 merges of 8: 104
//   radix       4 passes of 16: 64
// On an H100: 408 ms, 229 ms with quicksort, 6.9 ms, 3.5 ms. Bytes do not explain the first two; round trips do. After
// two divisions a part has 8192 keys in the mean, so that half of 4096 parts are divided once more, each at the price
// of a round trip of the host. The first strategy wants its recursion on the device. Within the parts: top-down 91
// steps of a network, bottom-up 32 splits by one bit. Parameters: `fits`, keys of a part, a smaller number shows the
// strategy on few keys; `division` 0 for quicksort, 1 for sample sort; `bits` per pass.
//
// What it teaches: the three answers to one question, and that the parts are the same: partition, local sort, merge,
// distribution. Limits: those of the parts. The GPU engine (src/kernels) sorts keys by the first strategy,
// with digits for pivots and no round trips, and stably by the third.
#include "classics/merge.hpp"
#include "classics/quicksort_division.hpp"
#include "classics/radix_buckets.hpp"
#include "classics/sample_division.hpp"

namespace sortile::classics {
namespace {

constexpr unsigned most_fitting = 8192; // records; 128 KiB of the longest

template <class Word, bool Pairs>
void top_down(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const unsigned fits = j.parameter("fits");
  const bool by_samples = j.parameter("division") == 1;
  divided_array<Word, Pairs> array(j, data, spare, codec, fits,
                                   by_samples ? most_divisions : deepest_division(n, fits));
  if (by_samples)
    array.template run<most_fitting>(distributor<Word, Pairs>(j, array, codec, division{}));
  else
    array.template run<most_fitting>(
        divider<Word, Pairs>(j, array, codec, pivot_rule::median_of_three, packing::by_fetch_and_add, j.on.queue()));
}

/// Tiles sorted by all their bits, in place, a block each.
template <class Word, bool Pairs>
struct sort_fitting_tiles {
  static constexpr unsigned block_threads = 512, keys = most_fitting / block_threads;
  using shared = tile_storage<Word, Pairs, block_threads, keys>;
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;
  unsigned tile;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    load_tile(s, data, first, count);
    simt::block_barrier();
    sort_tile(s, count, codec, 0, codec.bits);
    for (unsigned i = simt::thread_index(); i < count; i += simt::block_size())
      data.store(first + i, s.tile.load(padded<32>(i)));
  }
};

template <class Word, bool Pairs>
void bottom_up(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const unsigned fits = j.parameter("fits");
  using kernel = sort_fitting_tiles<Word, Pairs>;
  simt::launch(j.on.queue(), {.grid = blocks_for(n, fits), .block = whole_warps(fits / kernel::keys)},
               kernel{data, n, codec, fits});
  j.show("tiles of " + std::to_string(fits) + " sorted", untyped(data), n, fits);
  merge_up(j, data, spare, fits, [&](const auto& from, const auto& to, std::uint64_t run, telling& t) {
    launch_path_merge(j, from, to, by_image<Word>{codec}, run, fits, t);
  });
}

} // namespace

SORTILE_CLASSICS_OF(large_arrays) {
  const parameter fits{"fits", 4, most_fitting, most_fitting, "keys that one multiprocessor sorts", true, 1, true};
  return {{.name = "large-top-down",
           .family = "large-arrays",
           .summary = "divided by quicksort or by samples until parts fit one multiprocessor, then a block each",
           .work = "n log n expected",
           .depth = "log^2 n expected",
           .source = "Leischner, Osipov & Sanders 2010",
           .steps_show = "each division, the parts that one block sorts",
           .tile = most_fitting,
           .parameters = {fits, {"division", 0, 1, 1, "quicksort, sample sort"}},
           .run = [](job& j) { with_records(j, [&](auto&... a) { top_down(j, a...); }); }},
          {.name = "large-bottom-up",
           .family = "large-arrays",
           .summary = "tiles that fit one multiprocessor sorted by a block each, then merges along the path",
           .work = "n log n",
           .depth = "log^2 n",
           .source = "Satish, Harris & Garland 2009; Green, McColl & Bader 2012",
           .steps_show = "the sorted tiles, the runs after each merge",
           .stable = true,
           .tile = most_fitting,
           .parameters = {fits},
           .run = [](job& j) { with_records(j, [&](auto&... a) { bottom_up(j, a...); }); }},
          {.name = "large-radix",
           .family = "large-arrays",
           .summary = "every pass over the whole array: tiles of 8192 sorted by a digit, buckets written as runs",
           .work = "b n",
           .depth = "b log n",
           .source = "Satish, Harris & Garland 2009",
           .steps_show = "of each pass the sorted tiles, the table before and after its scan, the written buckets",
           .stable = true,
           .tile = most_fitting,
           .parameters = {{"bits", 1, 8, 8, "bits a pass"}, tile_parameter(most_fitting)},
           .run = [](job& j) {
             with_records(j, [&](auto&... a) {
               sort_by_buckets<most_fitting / 256>(j, a..., j.parameter("bits"), j.parameter("tile"));
             });
           }}};
}

} // namespace sortile::classics
