// The second scan of the sort of pairs, where the first one's sample has found the keys skewed in their interval, but
// not by frequent values (chunk_scan_kernel.hpp). In all other cases it returns at once.
//
//   draw     base and height of each cell of a map from the counts of the larger sample, in each block for itself
//   judge    2048 keys from other places, put to the map's buckets and asked what the first sample was asked
//            (key_scan/skew_sample.hpp). Where they are skewed still, block 0 gives the pairs away
//   ends     the first and the last image of each bucket, by two binary searches: the local step divides what lies
//            between them. The outermost buckets end where the first sample's interval does
//   count    the chunk's keys by the map's digits (chunk_counts.hpp)
//
// How exact. Of 2^18 samples, normal keys have some 1700 in each of the 150 cells that matter: 2.4 % more or less. From
// 2^26 keys on there are 2^20 samples, for the sake of thinly filled cells. In
// buckets of up to 4096 pairs that makes a part of them too large for the local step, and the step for large buckets
// takes these. So a map is drawn only where that step is launched.
//
// Cost: 32 or 64 KB of counts from the L2 a block, four times as many from 2^26 keys on; 4 to 6 µs beside the read of
// all keys.
#pragma once

#include "kernels/key_scan/drawn_place.hpp"
#include "kernels/pairs/chunk_counts.hpp"
#include "kernels/pairs/pair_map.hpp"
#include "kernels/pairs/spread_sample.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image>
struct mapped_scan_kernel {
  using counts = chunk_counts<Word, Image>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = counts::block_threads, min_blocks = 1;
  using spread = key_spread<Word, Image>;
  using numbers = map_numbers<Word, Image>;
  using number = typename numbers::number;
  using key_map = typename numbers::map;
  using sample = typename spread_sample<Word, Image, block_threads>::sample;
  using scan_storage = primitives::block_scan_storage<std::uint32_t, block_threads>;
  static constexpr unsigned words = key_map::cells / 2; // of a row of counts
  static_assert(words <= block_threads);

  struct shared {
    typename counts::storage counted;
    alignas(16) simt::shared_array<std::uint32_t, key_map::words> map;
    typename sample::counters sampled;
    scan_storage scan;
  };

  counts chunk;
  pairs_gate gate;
  simt::global<spread> spreads; // of all keys; then, written here, of each bucket
  simt::global<const std::uint32_t> cells;
  simt::global<std::uint32_t> map;
  sample limits;
  unsigned sample_bits;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (gate.findings.load(pair_wants_map) == 0)
      return;
    const numbers by{chunk.image, spreads.load(0)};
    const number center = center_of<number>(map);
    draw(s);
    chunk.clear(s.counted);
    simt::block_barrier();
    const mapped_digits<Word, Image> digits{by, center, s.map.view(), chunk.shift, chunk.bins - 1};
    const bool skewed = is_skewed(s, digits);
    if (simt::block_index() == 0 && simt::thread_index() == 0)
      tell(skewed);
    if (skewed)
      return chunk.clear_starts();
    for (std::uint32_t q = simt::block_index() + simt::thread_index() * simt::grid_size(); q < chunk.bins;
         q += simt::grid_size() * block_threads)
      spreads[1 + q] = spread_of(s, by, center, q);
    chunk.count(s.counted, digits);
  }

 private:
  SORTILE_DEVICE void draw(shared& s) const {
    const unsigned t = simt::thread_index();
    std::uint32_t here[2] = {};
    if (t < words)
      for (unsigned r = 0; r < numbers::rows(sample_bits); ++r) {
        const std::uint32_t both = cells.load(r * words + t);
        here[0] += both & 0xffff;
        here[1] += both >> 16;
      }
    std::uint32_t before = primitives::block_exclusive_scan(s.scan, here[0] + here[1], primitives::plus{}, 0u).before;
    if (t >= words)
      return;
    for (unsigned j = 0; j < 2; ++j) {
      const unsigned cell = 2 * t + j;
      const auto drawn = key_map::drawn(cell, before, here[j], sample_bits);
      simt::store_vector<2>(s.map, 2 * cell, drawn);
      if (simt::block_index() == 0)
        simt::store_vector<2>(map, 2 * cell, drawn);
      before += here[j];
    }
  }
  SORTILE_DEVICE bool is_skewed(shared& s, mapped_digits<Word, Image> digits) const {
    constexpr unsigned each = sample::samples / block_threads;
    Word keys[each];
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j)
      keys[j] = chunk.in.load(drawn_place(j * block_threads + simt::thread_index(), sample::samples, chunk.n));
    const auto highest = [&](unsigned bits) {
      auto of = digits;
      of.shift = 32 - bits;
      of.mask = (1u << bits) - 1;
      return of;
    };
    limits.template count_bins<block_threads>(s.sampled.view(), keys, highest(limits.bits));
    return limits.template skewed<block_threads>(s.sampled.view()) ||
           limits.template share_buckets<block_threads>(s.sampled.view(), keys, highest(limits.bucket_bits));
  }
  SORTILE_DEVICE void tell(bool skewed) const {
    gate.findings[pair_mapped] = skewed ? 0 : 1;
    gate.findings[pair_skewed] = skewed ? 1 : 0;
    if (skewed)
      gate.told.give_away(verdict::many_values); // they hardly repeat
  }
  /// From the bucket's first image to the one before the next bucket's.
  SORTILE_DEVICE spread spread_of(shared& s, const numbers& by, number center, std::uint32_t q) const {
    const unsigned bits = 31 - unsigned(simt::leading_zeros(chunk.bins));
    const auto first_of = [&](std::uint32_t bucket) {
      const std::uint32_t y = bucket << (key_window<number>::spread_bits - bits);
      return first_image<Word>([&](Word v) { return key_map::spread(s.map.view(), center, by.of_image(v)) >= y; });
    };
    const auto inside_from = [&](std::uint32_t y) {
      return first_image<Word>([&](Word v) { return by.keys.y_of_image(chunk.image, v) >= y; });
    };
    const Word low = q == 0 ? inside_from(1) : first_of(q);
    const Word behind =
        q + 1 == chunk.bins ? inside_from(by.keys.y_of_image(chunk.image, Word(~Word{0}))) : first_of(q + 1);
    return spread::between(chunk.image, low, Word(behind - 1));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
