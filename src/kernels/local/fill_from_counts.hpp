// The sorted keys from the counts of their buckets alone, where no two different keys share one: each as often as its
// bucket counts.
//
// A thread writes vectors of a share of the output, and goes from bucket to bucket with them. It finds the first by
// bisection of the buckets' starts.
#pragma once

#include "kernels/key_scan/key_window.hpp"
#include "primitives/bisect.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image, unsigned BlockThreads>
struct fill_from_counts {
  static constexpr unsigned block_threads = BlockThreads;
  static constexpr int vector = int(16 / sizeof(Word));

  const simt::global<Word>& out;
  const simt::global<const std::uint32_t>& start; // of each bucket
  std::uint32_t n;
  unsigned bits; // of a bucket's number

  /// This block's share of the output, from the counts alone: every bucket holds one key, so many times. Of all blocks
  /// as many work as fill the device some times over: a share begins with two searches.
  SORTILE_DEVICE void operator()(const key_distance<Image>& from_low, const key_window<Word>& w) const {
    constexpr std::uint32_t most_blocks = 4096;
    const std::uint32_t bins = 1u << bits, blocks = bins < most_blocks ? bins : most_blocks;
    const std::uint32_t whole = (n + unsigned(vector) - 1) / unsigned(vector);
    const auto share = [&](std::uint32_t block) { return std::uint32_t(std::uint64_t{whole} * block / blocks); };
    if (simt::block_index() >= blocks)
      return;
    const std::uint32_t begin = share(simt::block_index()), end = share(simt::block_index() + 1);
    if (begin == end)
      return;
    const std::uint32_t behind = end * unsigned(vector) < n ? end * unsigned(vector) : n;
    std::uint32_t number = bucket_at(begin * unsigned(vector), 0, bins - 1);
    const std::uint32_t high = bucket_at(behind - 1, number, bins - 1);
    for (std::uint32_t v = begin + simt::thread_index(); v < end; v += block_threads) {
      const std::uint32_t p = v * unsigned(vector);
      simt::vec<Word, vector> x;
      std::uint32_t next = p;
      Word key{};
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e) {
        if (p + unsigned(e) >= next && p + unsigned(e) < n) {
          number = bucket_at(p + unsigned(e), number, high);
          next = start.load(number + 1);
          key = from_low.key(w.last_of(number, bits));
        }
        x[e] = key;
      }
      if (p + unsigned(vector) <= n) {
        simt::store_vector<vector>(out, p, x);
      } else {
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          if (p + unsigned(e) < n)
            out[p + unsigned(e)] = x[e];
      }
    }
  }

 private:
  /// The bucket that place p of the sorted keys belongs to, from `low` up to `high`.
  SORTILE_DEVICE std::uint32_t bucket_at(std::uint32_t p, std::uint32_t low, std::uint32_t high) const {
    return primitives::last_that(low, high, [&](std::uint32_t b) { return start.load(b) <= p; });
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
