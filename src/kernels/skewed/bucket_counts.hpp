// Counts the keys of a bucket of 32-bit keys by their ranks, by a block, in shared storage.
//
// Ranks have 16 bits (bucket_values.hpp), so they are counted as keys of 16 bits are (narrow_counters.hpp): 65,536
// counters of 16 bits, few frequent values in registers, and a counter that passes 2^15 spills. A warp reads rows of
// 256 keys, two vectors of 16 bytes per lane, and has two rows under way. Both ends of a range, less than a row each,
// are counted key by key.
//
// Spills of a bucket that the block sorts by itself are kept in a short list: 64 of them, as many as 2^21 keys can
// make. A count is then the counter's 16 bits, and 2^15 more for each time that its rank is listed.
#pragma once

#include "kernels/narrow/narrow_counters.hpp"
#include "kernels/narrow/narrow_tables.hpp"
#include "kernels/skewed/bucket_values.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

struct bucket_counts {
  using Word = std::uint32_t;
  using counters = narrow_counters<std::uint16_t>;
  static constexpr unsigned block_threads = counters::block_threads, warps = block_threads / simt::warp_size;
  static constexpr unsigned most_spills = 64;
  static constexpr std::uint32_t most_keys = most_spills << spill_bits; ///< of a bucket whose spills are listed
  static constexpr unsigned in_flight = 2, frequent_rounds = 8;
  static constexpr std::uint32_t row_keys = 8 * simt::warp_size;
  static_assert(counting_rows % in_flight == 0);

  counters counting;
  simt::shared_array<std::uint32_t, most_spills> spilled; // ranks
  simt::shared_value<std::uint32_t> spills;

  // By all threads of the block.

  /// For so many values.
  SORTILE_DEVICE void clear(std::uint32_t values) {
    counting.template clear<block_threads>(bucket_ranks::chunks_of(values) * bucket_ranks::chunk);
    if (simt::thread_index() == 0)
      spills = 0;
  }
  /// Counts the keys [begin, end); what spills is listed. Between block barriers.
  template <class Image>
  SORTILE_DEVICE void count(const simt::global<const Word>& in, std::uint32_t begin, std::uint32_t end,
                            const bucket_values<Image>& values) {
    count(in, begin, end, values,
          [this](std::uint16_t rank) { spilled[spills.fetch_add(0, 1u, simt::relaxed, simt::block_scope)] = rank; });
  }
  /// The same for any number of keys; spill(rank) stands for 2^15 of them.
  template <class Image, class Spill>
  SORTILE_DEVICE void count(const simt::global<const Word>& in, std::uint32_t begin, std::uint32_t end,
                            const bucket_values<Image>& values, Spill spill) {
    const std::uint64_t aligned = (std::uint64_t{begin} + 3) / 4 * 4;
    const auto first = std::uint32_t(aligned < end ? aligned : end);
    const std::uint32_t rows = (end - first) / row_keys, behind = first + rows * row_keys;
    count_rows(in, first, rows, values, spill);
    for (std::uint32_t i = simt::thread_index(); i < (first - begin) + (end - behind); i += block_threads)
      counting.add_key(values.rank(in.load(i < first - begin ? begin + i : behind + (i - (first - begin)))), spill);
  }
  /// Keys of this lane's four ranks of a chunk.
  SORTILE_DEVICE void load(std::uint32_t chunk, std::uint32_t (&keys)[bucket_ranks::each]) const {
    const std::uint32_t first = chunk * bucket_ranks::chunk + simt::lane_index() * unsigned(bucket_ranks::each);
    const auto four = counting.of_four(first);
    const std::uint32_t listed = spills.load(0);
    SORTILE_UNROLL
    for (int j = 0; j < bucket_ranks::each; ++j)
      keys[j] = four[j];
    for (std::uint32_t k = 0; k < listed; ++k) {
      const std::uint32_t rank = spilled.load(k);
      SORTILE_UNROLL
      for (int j = 0; j < bucket_ranks::each; ++j)
        keys[j] += rank == first + unsigned(j) ? 1u << spill_bits : 0;
    }
  }

 private:
  /// Eight keys of a lane.
  struct row {
    simt::vec<Word, 4> low, high;
  };
  static SORTILE_DEVICE row load_row(const simt::global<const Word>& in, std::uint32_t at) {
    const std::uint32_t mine = at + simt::lane_index() * 4;
    return {simt::load_vector<4>(in, mine), simt::load_vector<4>(in, mine + row_keys / 2)};
  }
  template <class Image>
  static SORTILE_DEVICE narrow_vector<std::uint16_t> ranks(const row& x, const bucket_values<Image>& values) {
    return narrow_vector<std::uint16_t>::made([&](int e) { return values.rank(e < 4 ? x.low[e] : x.high[e - 4]); });
  }

  template <class Image, class Spill>
  SORTILE_DEVICE void count_rows(const simt::global<const Word>& in, std::uint32_t first, std::uint32_t rows,
                                 const bucket_values<Image>& values, Spill spill) {
    row x[in_flight];
    SORTILE_UNROLL
    for (unsigned k = 0; k < in_flight; ++k)
      if (const std::uint32_t r = k * warps + simt::warp_index(); r < rows)
        x[k] = load_row(in, first + r * row_keys);
    counters::frequent_key frequent{};
    unsigned rounds = 0;
    // All of the block go on alike.
    for (std::uint32_t base = 0; base < rows; base += counting_rows * warps) {
      if (base + simt::warp_index() < rows) {
        if (rounds++ % frequent_rounds == 0)
          frequent = counters::find_frequent(ranks(x[0], values));
        SORTILE_UNROLL
        for (unsigned k = 0; k < counting_rows; ++k)
          if (const std::uint32_t r = base + k * warps + simt::warp_index(); r < rows) {
            counting.add_row(ranks(x[k % in_flight], values), frequent, spill);
            if (r + in_flight * warps < rows)
              x[k % in_flight] = load_row(in, first + (r + in_flight * warps) * row_keys);
          }
        counting.add_frequent(frequent, spill);
      }
      simt::block_barrier();
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
