// Rank sort (enumeration sort): a key's place is the number of keys before it; count them.
//
// Idea. Every thread takes one key and compares it with all others:
//
//   rank(i) = |{ j : key j < key i }| + |{ j < i : key j = key i }|
//
//   $ sortile classics show --example rank-ties
//   input: 4/a 1/b 3/c 1/d
//   each key against all
//     keys          4/a 1/b 3/c 1/d
//     smaller         3   0   2   0
//     equal before    0   0   0   1
//     ranks           3   0   2   1
//     moved         1/b 1/d 3/c 4/a
//   result: 1/b 1/d 3/c 4/a
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
  simt::global<std::uint32_t> told; // [2][n]: smaller keys, then equal ones before it; or empty: nobody looks

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const record<Word, Pairs> mine = in.load(i);
    const Word image = codec.image(mine.key);
    std::uint32_t smaller = 0, equal_before = 0;
    for (std::uint64_t other = 0; other < n; ++other) {
      const Word theirs = codec.image(in.keys.load(other));
      smaller += theirs < image ? 1 : 0;
      equal_before += theirs == image && other < i ? 1 : 0;
    }
    out.store(smaller + equal_before, mine);
    if (told.data() != nullptr) {
      told[i] = smaller;
      told[n + i] = equal_before;
    }
  }

  static void tell(telling& t, const std::vector<std::uint32_t>& told, std::uint64_t n, unsigned tile) {
    std::vector<std::uint32_t> smaller(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(n)), equal, ranks;
    equal.assign(told.begin() + static_cast<std::ptrdiff_t>(n), told.end());
    for (std::uint64_t i = 0; i < n; ++i)
      ranks.push_back(smaller[i] + equal[i]);
    t.numbers("smaller", smaller, tile).numbers("equal before", equal, tile).numbers("ranks", ranks, tile);
  }
  static std::uint64_t told_rows(std::uint64_t, unsigned) { return 2; }
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
  simt::global<std::uint32_t> told; // [tiles][n]: the rank among the tiles so far; or empty: nobody looks

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), tile = simt::block_size();
    const std::uint64_t i = grid_thread();
    record<Word, Pairs> mine{};
    if (i < n)
      mine = in.load(i);
    const Word image = codec.image(mine.key);
    std::uint64_t rank = 0;
    for (std::uint64_t first = 0; first < n; first += tile) {
      simt::block_barrier();
      if (first + t < n)
        s.images[t] = codec.image(in.keys.load(first + t));
      simt::block_barrier();
      const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
      for (unsigned other = 0; other < count; ++other) {
        const Word theirs = s.images.load(other);
        rank += theirs < image || (theirs == image && first + other < i) ? 1 : 0;
      }
      if (told.data() != nullptr && i < n)
        told[first / tile * n + i] = static_cast<std::uint32_t>(rank);
    }
    if (i < n)
      out.store(rank, mine);
  }

  static void tell(telling& t, const std::vector<std::uint32_t>& told, std::uint64_t n, unsigned tile) {
    for (std::uint64_t row = 0; row * n < told.size(); ++row) {
      const auto begin = told.begin() + static_cast<std::ptrdiff_t>(row * n);
      const std::uint64_t last = std::min((row + 1) * tile, n) - 1;
      t.numbers("with keys to " + std::to_string(last),
                std::vector<std::uint32_t>(begin, begin + static_cast<std::ptrdiff_t>(n)), tile)
          .in_table("ranks");
    }
  }
  static std::uint64_t told_rows(std::uint64_t n, unsigned tile) { return blocks_for(n, tile); }
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
  const unsigned tile = j.parameter("tile");
  const simt::launch_config all{.grid = blocks_for(n, tile), .block = tile};
  telling t = j.tell("each key against all");
  t.keys("keys", untyped(data), n, tile);
  const device_array<Word> images(j.on, n);
  const device_array<std::uint32_t> ranks(j.on, n);
  simt::launch(q, all, make_images<Word>{data.keys, n, codec, view(images), view(ranks)});
  for (std::uint64_t first = 0; first < n; first += at_a_time) {
    const auto count = static_cast<unsigned>(std::min(at_a_time, n - first));
    simt::set_constants<kernel>(q, images.data() + first, count * sizeof(Word));
    simt::launch(q, all, kernel{view(images), n, first, count, view(ranks)});
    t.numbers("with constants to " + std::to_string(first + count - 1), ranks, tile).in_table("ranks");
  }
  simt::launch(q, all, move_by_rank<Word, Pairs>{data, spare, n, view(ranks)});
  std::swap(data, spare);
  t.moved("moved", untyped(data), n, tile);
}

template <template <class, bool> class Kernel, class Word, bool Pairs>
void by_rank(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  using kernel = Kernel<Word, Pairs>;
  if (j.asked.n == 0)
    return;
  const std::uint64_t n = j.asked.n;
  const unsigned tile = j.parameter("tile");
  telling t = j.tell("each key against all");
  t.keys("keys", untyped(data), n, tile);
  const device_array<std::uint32_t> told(j.on, t.is_read() ? kernel::told_rows(n, tile) * n : 0);
  simt::launch(j.on.queue(), {.grid = blocks_for(n, tile), .block = tile}, kernel{data, spare, n, codec, view(told)});
  std::swap(data, spare);
  if (t.is_read())
    kernel::tell(t, told.to_host(), n, tile);
  t.moved("moved", untyped(data), n, tile);
}

classic rank_sort(std::string_view name, std::string_view summary, run_function run) {
  return {.name = name,
          .family = "rank",
          .summary = summary,
          .work = "n^2",
          .depth = "n",
          .source = "Muller & Preparata 1975; Knuth, TAOCP vol. 3, 5.2",
          .steps_show = "smaller keys and equal ones before each, or ranks so far; the moved keys",
          .stable = true,
          .largest_n = std::uint64_t{1} << 18,
          .tile = 256,
          .parameters = {tile_parameter(256)},
          .run = run};
}

} // namespace

SORTILE_CLASSICS_OF(rank_sort) {
  classic constant =
      rank_sort("rank-constant", "the same against constant memory, filled again and again, read by broadcast",
                [](job& j) { with_records(j, [&](auto&... a) { by_constants(j, a...); }); });
  constant.tile = most_constants;
  constant.parameters = {
      tile_parameter(256),
      {"keys", 4, most_constants, most_constants, "keys in constant memory at a time", false, 1, true}};
  return {rank_sort("rank", "every thread counts the keys before its own, in global memory",
                    [](job& j) { with_records(j, [&](auto&... a) { by_rank<rank_all>(j, a...); }); }),
          rank_sort("rank-tiles", "the same against tiles in shared memory, read by broadcast",
                    [](job& j) { with_records(j, [&](auto&... a) { by_rank<rank_by_tiles>(j, a...); }); }),
          constant};
}

} // namespace sortile::classics
