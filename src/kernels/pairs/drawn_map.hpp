// How the scan of the sort of pairs draws a map (pair_map.hpp), where its first sample has found the keys skewed in
// their interval, but not by frequent values (chunk_scan_kernel.hpp).
//
//   cells    some blocks count a larger sample by the map's cells; then all blocks meet
//   draw     base and height of each cell of a map from those counts, in each block for itself
//   judge    2048 keys from other places, put to the map's buckets and asked what the first sample was asked
//            (key_scan/skew_sample.hpp). Where they are skewed still, the pairs are given away
//   ends     the first and the last image of each bucket, by two binary searches: the local step divides what lies
//            between them. The outermost buckets end where the first sample's interval does
//
// How exact. Of 2^18 samples, normal keys have some 1700 in each of the 150 cells that matter: 2.4 % more or less. From
// 2^26 keys on there are 2^20 samples, for the sake of thinly filled cells. In
// buckets of up to 4096 pairs that makes a part of them too large for the local step, and the step for large buckets
// takes these. So a map is drawn only where that step is launched.
//
// Cost: 32 or 64 KB of counts from the L2 a block, four times as many from 2^26 keys on; a barrier of the grid, and 4
// to 6 µs beside the read of all keys.
#pragma once

#include "kernels/key_scan/drawn_place.hpp"
#include "kernels/pairs/pair_map.hpp"
#include "kernels/pairs/spread_sample.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image, unsigned Threads>
struct drawn_map {
  using spread_finder = spread_sample<Word, Image, Threads>;
  using spread = typename spread_finder::spread;
  using sample = typename spread_finder::sample;
  using numbers = map_numbers<Word, Image>;
  using number = typename numbers::number;
  using key_map = typename numbers::map;
  using digits = mapped_digits<Word, Image>;
  using center = map_center<number>;
  using scan_storage = primitives::block_scan_storage<std::uint32_t, Threads>;
  static constexpr unsigned words = key_map::cells / 2; // of a row of counts
  static_assert(words <= Threads);

  struct storage {
    alignas(16) simt::shared_array<std::uint32_t, key_map::words> map;
    typename center::storage middle;
    scan_storage scan;
  };

  simt::global<const Word> in;
  simt::global<spread> spreads;      // of all keys; then, written here, of each bucket
  simt::global<std::uint32_t> cells; // [rows][cells], 16 bits each
  simt::global<std::uint32_t> map;   // written by block 0
  sample limits;
  std::uint32_t n, bins;
  unsigned shift;       // of a bucket in y
  unsigned sample_bits; // of the map's sample, log2; 0: there is no map

  /// The map's digits, where it spreads the keys; else none of them is to be used.
  struct result {
    digits by;
    bool skewed;
  };

  /// By all threads of a cooperative grid, alike. `counters`: of `words` at least; `sampled`: the first sample's.
  template <class Counters>
  SORTILE_DEVICE result draw(storage& s, Counters& counters, typename sample::counters& sampled, const numbers& by,
                             const typename spread_finder::result& found,
                             const Word (&samples)[spread_finder::each]) const {
    const number middle = center_of_samples(s, by, found, samples);
    count_cells(counters, by, middle);
    simt::grid_barrier();
    draw_cells(s);
    simt::block_barrier();
    const digits mapped{by, middle, s.map.view(), shift, bins - 1};
    return {mapped, is_skewed(sampled, mapped)};
  }
  /// Where the map is taken.
  SORTILE_DEVICE void leave_ends(storage& s, const digits& by) const {
    for (std::uint32_t q = simt::block_index() + simt::thread_index() * simt::grid_size(); q < bins;
         q += simt::grid_size() * Threads)
      spreads[1 + q] = spread_of(s, by, q);
  }

 private:
  SORTILE_DEVICE number center_of_samples(storage& s, const numbers& by, const typename spread_finder::result& found,
                                          const Word (&samples)[spread_finder::each]) const {
    constexpr unsigned of_center = Threads / center::samples;
    const unsigned t = simt::thread_index(), nth = t / of_center;
    if (t % of_center == 0)
      s.middle.sample[nth] = nth == 0                     ? by.of_image(found.lowest)
                             : nth == center::samples - 1 ? by.of_image(found.highest)
                                                          : by(samples[nth % spread_finder::each]);
    simt::block_barrier();
    const number middle = center::find(s.middle);
    if (simt::block_index() == 0 && t == 0)
      store_center(map, middle);
    return middle;
  }
  /// Each row of the table holds the cells of an equal part of the sample, whoever counts it.
  template <class Counters>
  SORTILE_DEVICE void count_cells(Counters& counters, const numbers& by, number middle) const {
    const unsigned t = simt::thread_index();
    const std::uint32_t all = 1u << sample_bits, rows = numbers::rows(sample_bits), part = all / rows;
    for (unsigned row = simt::block_index(); row < rows; row += simt::grid_size()) {
      for (unsigned w = t; w < words; w += Threads)
        counters[w] = 0;
      simt::block_barrier();
      for (std::uint32_t i = t; i < part; i += Threads) {
        const Word key = in.load(drawn_place(row * part + i, all, n));
        const std::uint32_t cell = key_map::of(by(key), middle).cell;
        counters.fetch_add(cell / 2, 1u << (cell & 1) * 16, simt::relaxed, simt::block_scope);
      }
      simt::block_barrier();
      for (unsigned w = t; w < words; w += Threads) {
        cells[row * words + w] = counters.load(w);
        counters[w] = 0;
      }
      simt::block_barrier();
    }
  }
  SORTILE_DEVICE void draw_cells(storage& s) const {
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
  SORTILE_DEVICE bool is_skewed(typename sample::counters& sampled, const digits& mapped) const {
    constexpr unsigned each = sample::samples / Threads;
    Word keys[each];
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j)
      keys[j] = in.load(drawn_place(j * Threads + simt::thread_index(), sample::samples, n));
    const auto highest = [&](unsigned bits) {
      auto of = mapped;
      of.shift = 32 - bits;
      of.mask = (1u << bits) - 1;
      return of;
    };
    limits.template count_bins<Threads>(sampled.view(), keys, highest(limits.bits));
    return limits.template skewed<Threads>(sampled.view()) ||
           limits.template share_buckets<Threads>(sampled.view(), keys, highest(limits.bucket_bits));
  }
  /// From the bucket's first image to the one before the next bucket's.
  SORTILE_DEVICE spread spread_of(storage& s, const digits& mapped, std::uint32_t q) const {
    const numbers& by = mapped.number;
    const unsigned bits = 31 - unsigned(simt::leading_zeros(bins));
    const auto first_of = [&](std::uint32_t bucket) {
      const std::uint32_t y = bucket << (key_window<number>::spread_bits - bits);
      return first_image<Word>(
          [&](Word v) { return key_map::spread(s.map.view(), mapped.center, by.of_image(v)) >= y; });
    };
    const auto inside_from = [&](std::uint32_t y) {
      return first_image<Word>([&](Word v) { return by.keys.y_of_image(by.image, v) >= y; });
    };
    const Word low = q == 0 ? inside_from(1) : first_of(q);
    const Word behind = q + 1 == bins ? inside_from(by.keys.y_of_image(by.image, Word(~Word{0}))) : first_of(q + 1);
    return spread::between(by.image, low, Word(behind - 1));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
