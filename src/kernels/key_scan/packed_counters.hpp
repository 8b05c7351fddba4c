// Counters of 16 bits in shared storage, two a word: 128 KB for 65,536 digits, one block a multiprocessor. What they
// cannot hold is counted in memory.
//
//   packed[w]   | count of digit 2w + 1 | count of digit 2w |
//
// A key adds 1 to its half and gets the word's old value. A thread that moves a half from below 2^15 to 2^15 or more
// takes 2^15 away again and puts them to the counter in memory; others may add meanwhile. The half overflows only if
// they add another 2^15 between those two instructions of one thread, and then the keys no longer add up to n: the step
// that makes places of the counts checks that sum and traps, so a wrong count cannot pass for a right one.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Adds keys of a digit, 2^15 of them at most. `in_memory(digit, keys)` adds to that digit's counter in memory.
template <class Packed, class InMemory>
SORTILE_DEVICE void count_packed(Packed& packed, std::uint32_t digit, std::uint32_t keys, InMemory in_memory) {
  constexpr std::uint32_t limit = 1u << 15;
  const unsigned half = (digit & 1) * 16;
  const std::uint32_t old =
      packed.fetch_add(digit / 2, keys << half, simt::relaxed, simt::block_scope) >> half & 0xffff;
  if (old < limit && old + keys >= limit) {
    packed.fetch_add(digit / 2, 0u - (limit << half), simt::relaxed, simt::block_scope);
    in_memory(digit, limit);
  }
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
