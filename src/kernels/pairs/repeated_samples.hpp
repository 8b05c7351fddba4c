// Whether keys of 32 bits have so few values, each so often, that passes are quicker than buckets. Values that occur
// some dozen times and more fill the bins of the local step unevenly, although buckets are even. A few thousand samples
// cannot see how often a value occurs, but whether two of them are equal: among S samples of V values
//
//   S² / 2V        have an earlier one's value; and with 2^20 cells as many have its cell as if these were values
//
// So S grows with the root of n: then repeats show that a value occurs some dozen times, whatever n is. A sort of pairs
// asks this where its fallback is an LSD sort, which sees by itself whether keys are in order.
//
// Cost: 2048 to 8192 loads of each block, two a thread at 2^23 keys and eight from 2^26 on; blocks begin at different
// ones, so that they do not meet in the L2. Cells of one bit, in storage that is free until the keys are counted. The
// same answer in every block.
#pragma once

#include "kernels/key_scan/drawn_place.hpp"
#include "primitives/block_scan.hpp"
#include "primitives/multiplicative_hash.hpp"

#include <algorithm>
#include <cmath>

namespace sortile::kernels::inline SORTILE_BACKEND {

template <unsigned Threads>
struct repeated_samples {
  static constexpr unsigned cell_bits = 20, words = 1u << (cell_bits - 5), most_each = 8, together = 4;

  std::uint32_t each = 0;  ///< samples a thread; 0: not asked
  std::uint32_t limit = 0; ///< samples with an earlier one's cell from which on values repeat

  static repeated_samples of(std::uint64_t n) {
    const auto each = std::uint32_t(std::clamp(std::sqrt(double(n)) / Threads, 2.0, double(most_each)));
    const double samples = double(each) * Threads, by_chance = std::ldexp(samples * samples / 2, -int(cell_bits));
    return {each, std::uint32_t(std::ceil(by_chance + 4 * std::sqrt(by_chance))) + 4};
  }

  /// By all threads of a block; false where it is not asked. `cells`: so many words, which are free again afterwards.
  template <class Word, class Cells>
  SORTILE_DEVICE bool found(primitives::block_scan_storage<std::uint32_t, Threads>& sums, Cells& cells,
                            const simt::global<const Word>& in, std::uint32_t n) const {
    if (each == 0)
      return false;
    const unsigned t = simt::thread_index();
    for (unsigned w = 4 * t; w < words; w += 4 * Threads)
      simt::store_vector<4>(cells, w, simt::vec<std::uint32_t, 4>{});
    simt::block_barrier();
    std::uint32_t taken = 0;
    for (unsigned first = 0; first < each; first += together) {
      Word x[together] = {};
      SORTILE_UNROLL
      for (unsigned j = 0; j < together; ++j)
        if (first + j < each)
          x[j] = in.load(drawn_place((first + j + simt::block_index()) % each * Threads + t, each * Threads, n));
      SORTILE_UNROLL
      for (unsigned j = 0; j < together; ++j)
        if (first + j < each) {
          const std::uint32_t cell = primitives::multiplicative_hash<cell_bits>(x[j]), bit = 1u << (cell & 31);
          taken += (cells.fetch_or(cell >> 5, bit, simt::relaxed, simt::block_scope) & bit) != 0 ? 1 : 0;
        }
    }
    return primitives::block_reduce(sums, taken, primitives::plus{}) >= limit;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
