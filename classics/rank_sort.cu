// Rank sort (enumeration sort): a key's place is the number of keys before it; count them.
//
// Idea. Every thread takes one key and compares it with all others:
//
//   rank(i) = |{ j : key j < key i }| + |{ j < i : key j = key i }|
//
//   keys    4  1  3  1          rank of the second 1:  1 (none smaller, one equal before it)
//   ranks   3  0  2  1
//   out     1  1  3  4
//
// The second term makes the ranks of equal keys differ, so that no two threads write to one place. (Textbooks that omit
// it lose keys.) It also makes the sort stable.
//
// Forms:
//   rank           every thread reads all keys from global memory. The threads of a warp read the same key at the same
//                  time: one sector for 32 threads, mostly from L1
//   rank-tiles     a block reads 256 keys at a time into shared memory, each thread one, as images; then all threads
//                  walk through the tile in step. Equal addresses within a warp are a broadcast, not a bank conflict.
//                  n / 256 times less traffic to global memory, and the codec is applied once for 256 comparisons
//   rank-constant  the same through constant memory: the host copies images there, `keys` at a time, and launches a
//                  kernel that adds to each rank what it finds among them. The constant cache answers a warp one
//                  address at a time, here always the same for all lanes: a broadcast, without a barrier or a load to
//                  share
//
// Source: Muller & Preparata, "Bounds to Complexities of Networks for Sorting and for Switching", 1975; Knuth, TAOCP
// vol. 3, 5.2 (comparison counting).
//
// Cost: n² comparisons, in n steps with n threads (log n with n² of them and sums by trees: the bound of 1975). Traffic
// of rank: up to n² / 32 sectors of 32 bytes. Of rank-tiles: n² / 256 keys. Of rank-constant: one launch for every 4096
// keys, which reads and writes n ranks, and reads every constant once per multiprocessor. All forms write each record
// once, to any place.
//
// On an H100, 2^18 u32 keys: rank 50 ms, rank-tiles 34, rank-constant 52; 2^14: 0.69, 0.31, 1.15. A broadcast from
// constant memory saves the barriers, and yet is slower than one from shared memory. Its launches do not explain it
// (four at 2^14): a comparison takes 70 ns there, and 19 from shared memory. The reason is not established.
//
// What it teaches: massive parallelism with no communication at all, at the price of n² work; broadcast and tiling, as
// for matrix products. Limits: n². It wins where n is so small that launches are what costs, or keys are so few that
// each multiprocessor has some.
#include "classics/records.hpp"

#include <algorithm>

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
struct rank_all {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> in, out;
  std::uint64_t n;
  key_codec<Word> codec;
  simt::global<std::uint32_t> ranks; // [n], or empty: nobody looks

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const record<Word, Pairs> mine = in.load(i);
    const Word image = codec.image(mine.key);
    std::uint64_t rank = 0;
    for (std::uint64_t other = 0; other < n; ++other) {
      const Word theirs = codec.image(in.keys.load(other));
      rank += theirs < image || (theirs == image && other < i) ? 1 : 0;
    }
    out.store(rank, mine);
    if (ranks.data() != nullptr)
      ranks[i] = static_cast<std::uint32_t>(rank);
  }
};

template <class Word, bool Pairs>
struct rank_by_tiles {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<Word, block_threads> images;
  };
  records<Word, Pairs> in, out;
  std::uint64_t n;
  key_codec<Word> codec;
  simt::global<std::uint32_t> ranks; // [n], or empty: nobody looks

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const std::uint64_t i = grid_thread();
    record<Word, Pairs> mine{};
    if (i < n)
      mine = in.load(i);
    const Word image = codec.image(mine.key);
    std::uint64_t rank = 0;
    for (std::uint64_t first = 0; first < n; first += block_threads) {
      simt::block_barrier();
      if (first + t < n)
        s.images[t] = codec.image(in.keys.load(first + t));
      simt::block_barrier();
      const auto count = static_cast<unsigned>(n - first < block_threads ? n - first : block_threads);
      for (unsigned other = 0; other < count; ++other) {
        const Word theirs = s.images.load(other);
        rank += theirs < image || (theirs == image && first + other < i) ? 1 : 0;
      }
    }
    if (i >= n)
      return;
    out.store(rank, mine);
    if (ranks.data() != nullptr)
      ranks[i] = static_cast<std::uint32_t>(rank);
  }
};

constexpr unsigned most_constants = 4096; // for both widths of keys together 48 of the file's 64 KiB

template <class Word>
struct make_images {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> keys;
  std::uint64_t n;
  key_codec<Word> codec;
  simt::global<Word> images;
  simt::global<std::uint32_t> ranks; // become 0

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    images[i] = codec.image(keys.load(i));
    ranks[i] = 0u;
  }
};

/// Adds to each rank what images [first, first + count), which the constants hold, say of it.
template <class Word>
struct rank_by_constants {
  static constexpr unsigned block_threads = 256;
  struct constants {
    simt::constant_array<Word, most_constants> images;
  };
  simt::global<const Word> images;
  std::uint64_t n, first;
  unsigned count;
  simt::global<std::uint32_t> ranks;

  SORTILE_DEVICE void operator()(const constants& c) const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const Word image = images.load(i);
    std::uint32_t before = 0;
    for (unsigned other = 0; other < count; ++other) {
      const Word theirs = c.images.load(other);
      before += theirs < image || (theirs == image && first + other < i) ? 1 : 0;
    }
    ranks[i] += before;
  }
};

template <class Word, bool Pairs>
struct move_by_rank {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> in, out;
  std::uint64_t n;
  simt::global<const std::uint32_t> ranks;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < n)
      out.store(ranks.load(i), in.load(i));
  }
};

template <class Word, bool Pairs>
void by_constants(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  using kernel = rank_by_constants<Word>;
  const std::uint64_t n = j.asked.n, at_a_time = j.parameter("keys");
  if (n == 0)
    return;
  const simt::queue q = j.on.queue();
  const simt::launch_config all{.grid = blocks_for(n, kernel::block_threads)};
  const device_array<Word> images(j.on, n);
  const device_array<std::uint32_t> ranks(j.on, n);
  simt::launch(q, all, make_images<Word>{data.keys, n, codec, view(images), view(ranks)});
  for (std::uint64_t first = 0; first < n; first += at_a_time) {
    const auto count = static_cast<unsigned>(std::min(at_a_time, n - first));
    simt::set_constants<kernel>(q, images.data() + first, count * sizeof(Word));
    simt::launch(q, all, kernel{view(images), n, first, count, view(ranks)});
  }
  j.show("ranks", ranks);
  simt::launch(q, all, move_by_rank<Word, Pairs>{data, spare, n, view(ranks)});
  std::swap(data, spare);
}

template <template <class, bool> class Kernel, class Word, bool Pairs>
void by_rank(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  using kernel = Kernel<Word, Pairs>;
  if (j.asked.n == 0)
    return;
  const device_array<std::uint32_t> ranks(j.on, j.shows_steps() ? j.asked.n : 0);
  simt::launch(j.on.queue(), {.grid = blocks_for(j.asked.n, kernel::block_threads)},
               kernel{data, spare, j.asked.n, codec, view(ranks)});
  std::swap(data, spare);
  j.show("ranks", ranks);
}

classic rank_sort(std::string_view name, std::string_view summary, run_function run) {
  return {.name = name,
          .family = "rank",
          .summary = summary,
          .work = "n^2",
          .depth = "n",
          .source = "Muller & Preparata 1975; Knuth, TAOCP vol. 3, 5.2",
          .steps_show = "the ranks",
          .stable = true,
          .largest_n = std::uint64_t{1} << 18,
          .tile = 256,
          .run = run};
}

} // namespace

SORTILE_CLASSICS_OF(rank_sort) {
  classic constant =
      rank_sort("rank-constant", "the same against constant memory, filled again and again, read by broadcast",
                [](job& j) { with_records(j, [&](auto&... a) { by_constants(j, a...); }); });
  constant.tile = most_constants;
  constant.parameters = {{"keys", 64, most_constants, most_constants, "keys in constant memory at a time"}};
  return {rank_sort("rank", "every thread counts the keys before its own, in global memory",
                    [](job& j) { with_records(j, [&](auto&... a) { by_rank<rank_all>(j, a...); }); }),
          rank_sort("rank-tiles", "the same against tiles in shared memory, read by broadcast",
                    [](job& j) { with_records(j, [&](auto&... a) { by_rank<rank_by_tiles>(j, a...); }); }),
          constant};
}

} // namespace sortile::classics
