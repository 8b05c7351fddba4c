// Bitonic sort: Batcher's network of bitonic merges. Its parts are in bitonic_parts.cu.
//
// Idea. A sequence is bitonic if it rises and then falls, or is a cyclic shift of such a sequence. Compare its elements
// at a distance of half its length: the smaller ones form one half, the greater ones the other. Then no element of the
// first half is greater than any of the second, and both halves are bitonic again (bitonic split). Splitting on, down
// to single elements, sorts the sequence (bitonic merge):
//
//   $ sortile classics show --example bitonic-merge-8
//   input: 3 5 8 9 7 4 2 1
//   distance 4
//     by block  0 0 1 1   0 0 1 1
//     compared  0<4 1<5* 2<6* 3<7*
//     keys      3 4 2 1 | 7 5 8 9
//   distance 2
//     by block  0 0   0 0   1 1   1 1
//     compared  0<2* 1<3* 4<6 5<7
//     keys      2 1 | 3 4 | 7 5 | 8 9
//   distance 1
//     by block  0   0   0   0   1   1   1   1
//     compared  0<1* 2<3 4<5* 6<7
//     keys      1 | 2 | 3 | 4 | 5 | 7 | 8 | 9
//   result: 1 2 3 4 5 7 8 9
//
// Two sorted halves form a bitonic sequence if one of them is reversed. That costs nothing: the first split of each
// merge compares the i-th element with the i-th from the end. All comparators then point up (compare_exchange.hpp), so
// the network of the next power of two serves any n: comparators beyond the end are left out.
//
//   $ sortile classics show --example bitonic-8
//   input: 5 2 8 1 9 3 7 4
//   launch: runs of 1, distance 1
//     by block  0 0 0 0 1 1 1 1
//     compared  0<1* 2<3* 4<5* 6<7*
//     keys      2 5 1 8 3 9 4 7
//   launch: runs of 2, distance 2
//     by block  0 0 0 0 1 1 1 1
//     compared  0<3 1<2* 4<7 5<6*
//     keys      2 1 5 8 3 4 9 7
//   launch: runs of 2, distance 1
//     by block  0 0 0 0 1 1 1 1
//     compared  0<1* 2<3 4<5 6<7*
//     keys      1 2 5 8 3 4 7 9
//   launch: runs of 4, distance 4
//     by block  0 0 1 1 1 1 0 0
//     compared  0<7 1<6 2<5* 3<4*
//     keys      1 2 4 3 8 5 7 9
//   launch: runs of 4, distance 2
//     by block  0 0 0 0 1 1 1 1
//     compared  0<2 1<3 4<6* 5<7
//     keys      1 2 4 3 7 5 8 9
//   launch: runs of 4, distance 1
//     by block  0 0 0 0 1 1 1 1
//     compared  0<1 2<3* 4<5* 6<7
//     keys      1 2 3 4 5 7 8 9
//   result: 1 2 3 4 5 7 8 9
//
// Forms:
//   bitonic-recursive    on the host: sort one half down, the other up, merge, all by recursion; any n after Lang: the
//                        distance is the greatest power of two below n
//   bitonic-loop         on the host: three loops, with mirrored first splits
//   bitonic-steps        one launch per step, one thread per comparator, global memory
//   bitonic-shared       steps of distance below 1024 stay in shared memory: one launch sorts tiles of 1024, and
//                        then in each merge the small distances take one launch together
//
// Source: Batcher, "Sorting Networks and their Applications", 1968; Knuth, TAOCP vol. 3, 5.3.4; any n: Lang, "Bitonic
// sorting network for n not a power of 2".
//
// Cost: n/4 log n (log n + 1) comparisons in log n (log n + 1) / 2 steps. bitonic-steps reads and writes everything in
// each of them: 325 times for 2^25 keys. bitonic-shared: 1 + (1 + 2 + … + 15) + 15 = 136 times.
//
// What it teaches: a network has no data-dependent branches, addresses or load imbalance; tiles turn steps into shared
// memory traffic where distances are small; and how padding can be imagined instead of stored. Limits: log² n steps, so
// that radix and merge sorts win for large n; not stable; within one block, for up to some thousand keys, hard to beat.
#include "classics/network.hpp"

#include <algorithm>
#include <bit>

namespace sortile::classics {

namespace {

template <class Word>
void lang_merge(host_record<Word>* a, std::size_t n, bool up) {
  if (n <= 1)
    return;
  const std::size_t distance = std::bit_ceil(n) / 2;
  for (std::size_t i = 0; i + distance < n; ++i)
    if (a[i].image != a[i + distance].image && (a[i].image > a[i + distance].image) == up)
      std::swap(a[i], a[i + distance]);
  lang_merge(a, distance, up);
  lang_merge(a + distance, n - distance, up);
}

/// merged(first, count, up) is called after each merge.
template <class Word, class Merged>
void lang_sort(host_record<Word>* a, std::size_t n, bool up, const Merged& merged, std::size_t first = 0) {
  if (n <= 1)
    return;
  lang_sort(a, n / 2, !up, merged, first);
  lang_sort(a + n / 2, n - n / 2, up, merged, first + n / 2);
  lang_merge(a, n, up);
  merged(first, n, up);
}

template <class Word, bool Pairs>
void recursive(job& j, records<Word, Pairs>& data, records<Word, Pairs>&, const key_codec<Word>& codec) {
  auto all = gather(data, j.asked.n, codec);
  lang_sort(all.data(), all.size(), true, [&](std::size_t first, std::size_t count, bool up) {
    if (!j.shows_steps())
      return;
    scatter(all, data);
    j.show("keys " + std::to_string(first) + " to " + std::to_string(first + count - 1) + (up ? " up" : " down"),
           untyped(piece_of(data, first, count)), count);
  });
  scatter(all, data);
}

template <class Word, bool Pairs>
void loop(job& j, records<Word, Pairs>& data, records<Word, Pairs>&, const key_codec<Word>& codec) {
  auto all = gather(data, j.asked.n, codec);
  const std::size_t n = all.size(), comparators = std::bit_ceil(n) / 2;
  for (std::size_t run = 1; run < n; run *= 2)
    for (std::size_t distance = run; distance > 0; distance /= 2) {
      for (std::size_t t = 0; t < comparators; ++t) {
        const comparator c = bitonic_network::at(t, run, distance);
        if (c.high < n && all[c.low].image > all[c.high].image)
          std::swap(all[c.low], all[c.high]);
      }
      if (j.shows_steps()) {
        telling t = j.tell("loop: runs of " + std::to_string(run) + ", distance " + std::to_string(distance));
        t.before(untyped(data), n);
        scatter(all, data);
        t.compared(wires_of_step<bitonic_network>(n, run, distance), untyped(data), n);
      }
    }
  scatter(all, data);
}

template <class Word, bool Pairs>
void with_tiles(job& j, records<Word, Pairs>& data, const key_codec<Word>& codec) {
  const unsigned tile = j.parameter("tile");
  if (j.asked.n == 0)
    return;
  launch_network_tiles<bitonic_network>(j, data, codec, tile);
  for (std::uint64_t run = tile; run < j.asked.n; run *= 2) {
    for (std::uint64_t distance = run; distance >= tile; distance /= 2)
      tell_network_step<bitonic_network>(j, data, codec, run, distance);
    launch_network_tiles<bitonic_network>(j, data, codec, tile, run);
  }
}

} // namespace

SORTILE_CLASSICS_OF(bitonic) {
  const auto bitonic = [](std::string_view name, std::string_view summary, run_function run) {
    return network_sort(name, summary, "Batcher 1968; Lang (any n)", run);
  };
  std::vector<classic> all = {
      bitonic("bitonic-recursive", "halves sorted down and up, then merged, by recursion on the host",
              [](job& j) { with_records(j, [&](auto&... a) { recursive(j, a...); }); }),
      bitonic("bitonic-loop", "the network as loops on the host",
              [](job& j) { with_records(j, [&](auto&... a) { loop(j, a...); }); }),
      bitonic("bitonic-steps", "a launch for each step of the network",
              [](job& j) {
                with_records(j, [&](auto& d, auto&, auto& codec) { merge_by_steps<bitonic_network>(j, d, codec, 1); });
              }),
      bitonic("bitonic-shared", "small distances in shared memory, large ones a launch each",
              [](job& j) { with_records(j, [&](auto& d, auto&, auto& codec) { with_tiles(j, d, codec); }); })};
  all[2].tile = 512;
  all[3].tile = 1024;
  all[3].parameters = {tile_parameter(1024)};
  for (classic* sequential : {&all[0], &all[1]}) {
    sequential->place = place::host;
    sequential->depth = sequential->work;
    sequential->parameters = {};
  }
  return all;
}

} // namespace sortile::classics
