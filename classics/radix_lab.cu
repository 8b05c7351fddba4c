// The radix sort of laboratory courses: 2 bits a pass, blocks of 1024 threads that sort 2048 elements, a scan of block
// sums; with switches for the two optimisations that reports measure, padding and coalescing.
//
// Idea. Four digit values, so four predicates. For each value the block scans the 0/1 flags of its 2048 elements, two a
// thread, by the work-efficient tree (scan_one_block.cu): the scan numbers the elements of that value within the block,
// the tree's root is how many there are. The counts of all blocks go to an array of block sums, all blocks of value 0
// first; its scan, over any number of blocks, says where each block's elements of each value begin. Then the elements
// are moved:
//
//   $ sortile classics show --example radix-lab-ranks
//   input: 11 00 10 00 01 00 11 11
//   bits 0 to 1
//     keys        11 00 10 00 | 01 00 11 11
//     ranks        0  0  0  1 |  0  0  0  1
//     sums of blocks, by value
//       0         2 1
//       1         0 1
//       2         1 0
//       3         1 2
//     their scan
//       0         0 2
//       1         3 3
//       2         4 5
//       3         5 6
//     moved       00 00 00 01   10 11 11 11
//     from block   0  0  1  1    0  0  1  1
//   result: 00 00 00 01 10 11 11 11
//
// A destination is scanned[value][block] + rank.
//
// Switches:
//   padding = 32    one unused word after every 32 in the scan's tree: without it (0) level k of the tree strides by
//                   2^k pairs of words, and its lanes meet in few of the 32 banks. 16: after every 16, as on the GPUs
//                   of 16 banks that the first reports measured
//   coalescing = 1  the block first moves its elements within shared memory to where their value's group lies (group
//                   begin + rank) and writes the sorted tile; the second kernel then reads neighbours of a group and
//                   writes neighbours. With 0 the ranks are written instead (4 bytes an element), and the second kernel
//                   scatters: neighbours of a warp go to four places in turn
//
// Source: Ha, Krüger & Silva, "Fast four-way parallel radix sorting on GPUs", 2009; course reports that rebuild it with
// the scan of Harris, Sengupta & Owens, GPU Gems 3, 2007.
//
// Cost of a pass, records of s bytes: 4 s bytes and 16 bytes of sums a block with coalescing, 3 s + 8 without; b / 2
// passes for a window of b bits, so 4 for keys below 256 and 16 for all 32 bits: twice to four times what 4 or 8 bits a
// pass would move. A block makes 4 scans of 22 levels, 25 barriers each. Shared memory: 2048 records and the tree, at
// most 40 KiB.
//
// What it teaches: what each optimisation is worth by itself. Where keys span few values (256) most passes see one
// digit value only, and then a scatter is a copy, coalesced by nature, while the coalescing variant still pays for its
// move in shared memory. So a report found the uncoalesced variant ahead there; on an H100 it is slower at every span,
// since it writes and reads a rank for each element (docs/experiments.md). Limits: 2 bits a pass, whatever the machine
// could do.
#include "classics/scan.hpp"

namespace sortile::classics {
namespace {

constexpr unsigned lab_threads = 1024, lab_elements = 2048, lab_values = 4;

struct two_bits {
  unsigned first_bit, bits; // bits: 1 or 2
  template <class Word>
  SORTILE_DEVICE unsigned of(const key_codec<Word>& codec, Word key) const {
    return static_cast<unsigned>(codec.image(key) >> first_bit) & ((1u << bits) - 1);
  }
};

template <class Word, bool Pairs, unsigned Every>
struct rank_in_blocks {
  static constexpr unsigned block_threads = lab_threads;
  struct shared {
    simt::shared_array<std::uint32_t, padded<Every>(lab_elements)> tree;
    simt::shared_array<record<Word, Pairs>, lab_elements> sorted;
  };
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;
  two_bits digit;
  simt::global<std::uint32_t> sums;  // [values][blocks]
  simt::global<std::uint32_t> ranks; // [n], or empty: the tile is sorted instead

  SORTILE_DEVICE void operator()(shared& s, bool coalescing) const {
    const unsigned threads = simt::block_size(), tile = 2 * threads;
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    record<Word, Pairs> mine[2] = {};
    unsigned value[2], rank[2] = {}, place[2] = {}, group_begin = 0;
    SORTILE_UNROLL for (unsigned k = 0; k < 2; ++k) {
      const std::uint64_t i = first + k * threads + simt::thread_index();
      if (i < n)
        mine[k] = data.load(i);
      value[k] = i < n ? digit.of(codec, mine[k].key) : lab_values;
    }
    for (unsigned v = 0; v < lab_values; ++v) {
      SORTILE_UNROLL for (unsigned k = 0; k < 2; ++k) s.tree[padded<Every>(k * threads + simt::thread_index())] =
          value[k] == v;
      const std::uint32_t count = scan_block<Every>(s.tree, tile);
      SORTILE_UNROLL for (unsigned k = 0; k < 2; ++k) if (value[k] == v) {
        rank[k] = s.tree.load(padded<Every>(k * threads + simt::thread_index()));
        place[k] = group_begin + rank[k];
      }
      if (simt::thread_index() == 0)
        sums[std::uint64_t{v} * simt::grid_size() + simt::block_index()] = count;
      group_begin += count;
    }
    SORTILE_UNROLL for (unsigned k = 0; k < 2; ++k) if (coalescing && value[k] != lab_values)
        s.sorted.store(place[k], mine[k]);
    simt::block_barrier();
    SORTILE_UNROLL for (unsigned k = 0; k < 2; ++k) {
      const unsigned at = k * threads + simt::thread_index();
      if (first + at >= n)
        continue;
      if (coalescing)
        data.store(first + at, s.sorted.load(at));
      else
        ranks[first + at] = rank[k];
    }
  }
};

/// The two kernels that differ by a switch known when the host launches them.
template <class Word, bool Pairs, unsigned Every, bool Coalescing>
struct rank_kernel : rank_in_blocks<Word, Pairs, Every> {
  SORTILE_DEVICE void operator()(typename rank_in_blocks<Word, Pairs, Every>::shared& s) const {
    rank_in_blocks<Word, Pairs, Every>::operator()(s, Coalescing);
  }
};

/// Moves elements whose tile was left as it was: rank by rank.
template <class Word, bool Pairs>
struct scatter_by_rank {
  static constexpr unsigned block_threads = lab_threads;
  records<Word, Pairs> from, to;
  std::uint64_t n;
  key_codec<Word> codec;
  two_bits digit;
  unsigned blocks, tile;
  simt::global<const std::uint32_t> sums, ranks;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const auto r = from.load(i);
    const std::uint64_t row = std::uint64_t{digit.of(codec, r.key)} * blocks;
    to.store(sums.load(row + i / tile) + ranks.load(i), r);
  }
};

/// Moves sorted tiles: the rank is the distance from where the group begins in the tile.
template <class Word, bool Pairs>
struct write_groups {
  static constexpr unsigned block_threads = lab_threads;
  struct shared {
    simt::shared_array<std::uint32_t, lab_values> count, begin;
  };
  records<Word, Pairs> from, to;
  std::uint64_t n;
  key_codec<Word> codec;
  two_bits digit;
  simt::global<const std::uint32_t> sums;
  unsigned tile;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned threads = simt::block_size();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    record<Word, Pairs> mine[2] = {};
    unsigned value[2];
    if (simt::thread_index() < lab_values)
      s.count[simt::thread_index()] = 0;
    simt::block_barrier();
    SORTILE_UNROLL for (unsigned k = 0; k < 2; ++k) {
      const unsigned place = k * threads + simt::thread_index();
      if (place < count)
        mine[k] = from.load(first + place);
      value[k] = place < count ? digit.of(codec, mine[k].key) : lab_values;
      for (unsigned v = 0; v < lab_values; ++v) {
        const unsigned votes = simt::ballot(value[k] == v);
        if (simt::lane_index() == 0 && votes != 0)
          s.count.fetch_add(v, simt::popcount(votes));
      }
    }
    simt::block_barrier();
    if (simt::thread_index() == 0)
      for (unsigned v = 0, begin = 0; v < lab_values; begin += s.count.load(v++))
        s.begin[v] = begin;
    simt::block_barrier();
    SORTILE_UNROLL for (unsigned k = 0; k < 2; ++k) if (value[k] != lab_values) {
      const std::uint64_t cell = std::uint64_t{value[k]} * simt::grid_size() + simt::block_index();
      const unsigned place = k * threads + simt::thread_index();
      to.store(sums.load(cell) + place - s.begin.load(value[k]), mine[k]);
    }
  }
};

template <unsigned Every, bool Coalescing, class Word, bool Pairs>
void lab_sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const unsigned tile = j.parameter("tile"), blocks = blocks_for(n, tile);
  const device_array<std::uint32_t> sums(j.on, std::size_t{lab_values} * blocks), ranks(j.on, Coalescing ? 0 : n);
  const block_sum_scan<lab_elements, Every> scan(j.on, sums.size(), tile);
  for (unsigned bit = 0; bit < codec.bits; bit += 2) {
    const two_bits digit{bit, std::min(2u, codec.bits - bit)};
    telling t = j.tell(name_of_bits(bit, digit.bits));
    t.keys("keys", untyped(data), n, tile);
    simt::launch(j.on.queue(), {.grid = blocks, .block = tile / 2},
                 rank_kernel<Word, Pairs, Every, Coalescing>{{data, n, codec, digit, view(sums), view(ranks)}});
    if (Coalescing)
      t.keys("blocks sorted", untyped(data), n, tile);
    else
      t.numbers("ranks", ranks, tile);
    t.table("sums of blocks, by value", sums, blocks);
    scan(view(sums), view(sums));
    t.table("their scan", sums, blocks);
    if constexpr (Coalescing)
      simt::launch(j.on.queue(), {.grid = blocks, .block = whole_warps(tile / 2)},
                   write_groups<Word, Pairs>{data, spare, n, codec, digit, view(sums), tile});
    else
      simt::launch(j.on.queue(), {.grid = blocks_for(n, tile / 2), .block = tile / 2},
                   scatter_by_rank<Word, Pairs>{data, spare, n, codec, digit, blocks, tile, view(sums), view(ranks)});
    std::swap(data, spare);
    t.moved("moved", untyped(data), n, tile);
  }
}

void run_lab(job& j) {
  const unsigned padding = j.parameter("padding");
  const bool coalescing = j.parameter("coalescing") != 0;
  with_records(j, [&](auto&... a) {
    if (padding == 32)
      coalescing ? lab_sort<32, true>(j, a...) : lab_sort<32, false>(j, a...);
    else if (padding == 16)
      coalescing ? lab_sort<16, true>(j, a...) : lab_sort<16, false>(j, a...);
    else
      coalescing ? lab_sort<0, true>(j, a...) : lab_sort<0, false>(j, a...);
  });
}

} // namespace

SORTILE_CLASSICS_OF(radix_lab) {
  return {
      {.name = "radix-lab",
       .family = "radix",
       .summary = "2 bits a pass, 1024 threads sort 2048 elements, block sums scanned; padding and coalescing switched",
       .work = "2 b n",
       .depth = "2 b log n",
       .source = "Ha, Krüger & Silva 2009",
       .steps_show = "of each pass the sorted blocks or the ranks, the sums of blocks and their scan, the moved keys",
       .stable = true,
       .tile = lab_elements,
       .parameters = {{"padding", 0, 32, 32, "an unused word after so many in the scan's tree; 0: none", false, 16},
                      {"coalescing", 0, 1, 1, "tiles sorted before they are written"},
                      tile_parameter(lab_elements)},
       .run = run_lab}};
}

} // namespace sortile::classics
