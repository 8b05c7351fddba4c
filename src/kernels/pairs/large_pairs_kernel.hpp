// Sorts the buckets that are too large for the local steps, whatever their size and keys: a block each, least
// significant digit first, pairs moved stably from one of two pairs of arrays to the other and back.
// local/large_sort_kernel.hpp does the same with keys, and says more.
//
// This makes the sort of pairs right for every input. It is not what makes it fast: a block moves some 10 GB/s.
#pragma once

#include "kernels/local/digit_moves.hpp"
#include "kernels/pairs/local_pairs_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Value>
struct large_pairs_kernel {
  static constexpr bool has_values = value_size<Value> != 0;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 512;
  using moves = digit_moves<Word, block_threads, 8, any_image<Word>>;
  using shared = typename moves::storage;
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
    const moves by_digit{image};
    bool elsewhere = in_spare;
    for (unsigned shift = 0; shift < 8 * sizeof(Word); shift += moves::digit_bits) {
      const arrays &from = elsewhere ? spare : out, &to = elsewhere ? out : spare;
      if (!by_digit.count(s, from.keys, begin, end, shift))
        continue;
      by_digit.move(s, from.keys, begin, end, shift, [&](std::uint32_t place, Word key, std::uint64_t at) {
        to.keys[place] = key;
        if constexpr (has_values)
          to.values[place] = from.values.load(at);
      });
      elsewhere = !elsewhere;
    }
    for (std::uint64_t i = std::uint64_t{begin} + simt::thread_index(); elsewhere && i < end; i += block_threads) {
      out.keys[i] = spare.keys.load(i);
      if constexpr (has_values)
        out.values[i] = spare.values.load(i);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
