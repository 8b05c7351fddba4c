// Batcher's odd-even merge sort: a sorting network with fewer comparators than the bitonic one, and as many steps.
//
// Idea. To merge two sorted runs x and y, merge their elements at even places, and those at odd places, by recursion.
// Of the results v and w, v[0] is the least of all, and it remains to compare w[i] with v[i + 1]: since among the even
// ones there are at most two more zeros than among the odd ones (0-1 principle), nothing else can be out of order.
//
// The recursion unrolled: to merge runs of p elements, compare at distance p, then at distances k = p/2, p/4, … 1. At
// distance p all pairs within the merged run take part; at the smaller ones the first and the last k elements of it
// have no partner:
//
//   $ sortile classics show --example odd-even-8
//   input: 1 4 4 7 2 3 4 8
//   launch: runs of 1, distance 1
//     by block  0 0 0 0 1 1 1 1
//     compared  0<1 2<3 4<5 6<7
//     keys      1 4 4 7 2 3 4 8
//   launch: runs of 2, distance 2
//     by block  0 0 0 0 1 1 1 1
//     compared  0<2 1<3 4<6 5<7
//     keys      1 4 4 7 2 3 4 8
//   launch: runs of 2, distance 1
//     by block  . 0 0 . . 1 1 .
//     compared  1<2 5<6
//     keys      1 4 4 7 2 3 4 8
//   launch: runs of 4, distance 4
//     by block  0 0 1 1 0 0 1 1
//     compared  0<4 1<5* 2<6 3<7
//     keys      1 3 4 7 2 4 4 8
//   launch: runs of 4, distance 2
//     by block  . . 0 0 0 0 . .
//     compared  2<4* 3<5*
//     keys      1 3 2 4 4 7 4 8
//   launch: runs of 4, distance 1
//     by block  . 0 0 0 0 1 1 .
//     compared  1<2* 3<4 5<6*
//     keys      1 2 3 4 4 4 7 8
//   result: 1 2 3 4 4 4 7 8
//
// After distance 2 of the last merge v, 1 2 4 4, stands at the even places and w, 3 4 7 8, at the odd ones; the last
// step compares each w[i] with v[i + 1], its neighbour.
//
// All comparators point up, so the network of the next power of two serves any n (compare_exchange.hpp).
//
// Forms:
//   odd-even-merge          one launch per step, one thread per comparator, global memory
//   odd-even-merge-shared   runs of up to 1024 are made in shared memory by one launch, the rest step by step. Unlike
//                           those of the bitonic sort, the late steps of a large merge do not fall apart into tiles: a
//                           comparator of distance k bridges every multiple of 2k, and so every edge of a tile
//
// Source: Batcher, "Sorting Networks and their Applications", 1968; Knuth, TAOCP vol. 3, 5.2.2 (merge exchange) and
// 5.3.4.
//
// Cost: (log² n − log n + 4) n / 4 − 1 comparators for n a power of two: 19 for 8 keys, where the bitonic network has
// 24. Steps: log n (log n + 1) / 2, as many. odd-even-merge reads everything in each of them: 325 times for 2^25 keys;
// -shared 1 + (11 + … + 25) = 271 times.
//
// What it teaches: fewest comparators is not the same as least traffic: bitonic-shared does 136 rounds for the same
// input, because its steps suit tiles. Limits: log² n steps; not stable; idle threads at the edges of each run.
#include "classics/network.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
void tiles_first(job& j, records<Word, Pairs>& data, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  const unsigned tile = j.parameter("tile");
  launch_network_tiles<odd_even_network>(j, data, codec, tile);
  merge_by_steps<odd_even_network>(j, data, codec, tile);
}

} // namespace

SORTILE_CLASSICS_OF(odd_even_merge) {
  const char* source = "Batcher 1968; Knuth, TAOCP vol. 3, 5.2.2";
  std::vector<classic> all = {
      network_sort("odd-even-merge", "Batcher's odd-even merge sort, a launch for each step of the network", source,
                   [](job& j) {
                     with_records(
                         j, [&](auto& d, auto&, auto& codec) { merge_by_steps<odd_even_network>(j, d, codec, 1); });
                   }),
      network_sort("odd-even-merge-shared", "the same, with runs of up to 1024 made in shared memory", source,
                   [](job& j) { with_records(j, [&](auto& d, auto&, auto& codec) { tiles_first(j, d, codec); }); })};
  all[0].tile = 512;
  all[1].tile = 1024;
  all[1].parameters = {tile_parameter(1024)};
  return all;
}

} // namespace sortile::classics
