// Sorts the buckets that are too large for the local steps, whatever their size and keys: a block each, least
// significant digit first, pairs moved stably from one of two pairs of arrays to the other and back.
// local/large_sort_kernel.hpp does the same with keys, and says more.
//
// This makes the sort of pairs right for every input. It is not what makes it fast: a block moves some 10 GB/s.
#pragma once

#include "kernels/pairs/local_pairs_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Value>
struct large_pairs_kernel {
  static constexpr bool has_values = value_size<Value> != 0;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 512, radix = 256, digit_bits = 8;
  static constexpr int items = 8;
  static constexpr unsigned tile = block_threads * unsigned(items), warp_pairs = simt::warp_size * unsigned(items);
  using ranker = primitives::digit_ranker<block_threads, items, digit_bits, primitives::ranking::match>;

  struct shared {
    typename ranker::storage rank;
    primitives::block_scan_storage<std::uint32_t, block_threads> scan;
    simt::shared_array<std::uint32_t, radix> count;
    simt::shared_array<std::uint32_t, radix> running;
    simt::shared_array<std::uint32_t, radix> base; // running, less the rank of the tile's first pair of the digit
  };
  struct arrays {
    simt::global<Word> keys;
    simt::global<Value> values;
  };

  arrays out, spare;
  simt::global<const std::uint32_t> start;
  pairs_gate gate;
  pair_bucket_list deferred;
  any_image<Word> image;
  std::uint32_t above; // pairs of a bucket that others have sorted
  bool in_spare;       // where the buckets are

  SORTILE_DEVICE void operator()(shared& s) const {
    if (gate.idle())
      return;
    const std::uint32_t many = deferred.findings.load(pair_deferred);
    for (std::uint32_t q = simt::block_index(); q < many; q += simt::grid_size()) {
      const std::uint32_t b = deferred.buckets.load(q), begin = start.load(b), end = start.load(b + 1);
      if (end - begin > above)
        sort(s, begin, end);
    }
  }

 private:
  SORTILE_DEVICE void sort(shared& s, std::uint32_t begin, std::uint32_t end) const {
    bool elsewhere = in_spare;
    for (unsigned shift = 0; shift < 8 * sizeof(Word); shift += digit_bits) {
      if (!count_digits(s, elsewhere ? spare : out, begin, end, shift))
        continue;
      move(s, elsewhere ? spare : out, elsewhere ? out : spare, begin, end, shift);
      elsewhere = !elsewhere;
    }
    for (std::uint64_t i = std::uint64_t{begin} + simt::thread_index(); elsewhere && i < end; i += block_threads) {
      out.keys[i] = spare.keys.load(i);
      if constexpr (has_values)
        out.values[i] = spare.values.load(i);
    }
  }

  /// running[d] = where the pairs of digit d begin. False where all keys have the same digit.
  SORTILE_DEVICE bool count_digits(shared& s, const arrays& from, std::uint32_t begin, std::uint32_t end,
                                   unsigned shift) const {
    const unsigned t = simt::thread_index();
    if (t < radix)
      s.count[t] = 0;
    simt::block_barrier();
    for (std::uint64_t i = std::uint64_t{begin} + t; i < end; i += block_threads)
      s.count.fetch_add(image.digit(from.keys.load(i), shift, radix - 1), 1u, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    const std::uint32_t mine = t < radix ? s.count.load(t) : 0;
    const auto before = primitives::block_exclusive_scan(s.scan, mine, primitives::plus{}, begin);
    if (t < radix)
      s.running[t] = before.before;
    return !simt::block_any(mine == end - begin);
  }

  SORTILE_DEVICE void move(shared& s, const arrays& from, const arrays& to, std::uint32_t begin, std::uint32_t end,
                           unsigned shift) const {
    static_assert(ranker::owned == 1);
    const unsigned t = simt::thread_index();
    for (std::uint64_t first = begin; first < end; first += tile) {
      const std::uint64_t mine = first + simt::warp_index() * warp_pairs + simt::lane_index();
      Word keys[items];
      unsigned digits[items], ranks[items];
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i) {
        const std::uint64_t at = mine + unsigned(i) * simt::warp_size;
        keys[i] = at < end ? from.keys.load(at) : Word{0};
        digits[i] = at < end ? image.digit(keys[i], shift, radix - 1) : radix - 1; // absent ones stand last
      }
      const auto totals = ranker::rank(s.rank, digits, ranks);
      if (t < radix) {
        s.base[t] = s.running.load(t) - totals.start[0];
        s.running[t] = s.running.load(t) + totals.count[0];
      }
      simt::block_barrier();
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i) {
        const std::uint64_t at = mine + unsigned(i) * simt::warp_size;
        if (at >= end)
          continue;
        const std::uint32_t place = s.base.load(digits[i]) + ranks[i];
        to.keys[place] = keys[i];
        if constexpr (has_values)
          to.values[place] = from.values.load(at);
      }
      simt::block_barrier();
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
