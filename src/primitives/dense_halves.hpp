// Shortens the 32-bit numbers of a block and keeps their order, so that what is sorted with something beside it (the
// place that it came from) still fits one register.
//
//   halves     which values occur among the upper 16 bits of all numbers, and which among the lower: one bit a value
//   rank       of a half: how many smaller values occur there, by the bits before it and a popcount
//   number     rank of the upper half · (values of the lower half) + rank of the lower half
//
// Fewer than 65,536 numbers. Those of n elements have at most n values in each half, so 2^24 of 4096 elements, whatever the numbers, and mostly
// far fewer of those that have much in common: AND of three random words, 4096 times, has 1056 values in each half.
// Equal numbers stay equal, different ones different and in their order.
//
// Bits that are seen set are not set again: of crowded numbers most would set the same few, one after the other. So a
// thread sets those of its first number, and then looks at the others'.
//
// Cost, of a row of 32 numbers in clocks of shared memory: 5 to mark, 9 to rank; 3 for every 32 threads' tables, twice.
// Block barriers: 1 in `count`, and one around each step. Shared storage: 24 KB.
#pragma once

#include "primitives/warp_scan.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

template <unsigned Threads>
class dense_halves {
 public:
  static constexpr unsigned words = 65536 / 32, warps = Threads / simt::warp_size;
  static constexpr int owned = int(words / Threads); // neighbouring words of each half, of a thread
  static_assert(words % Threads == 0 && owned <= 4 && Threads % simt::warp_size == 0);

  struct storage {
    simt::shared_array<std::uint32_t, 2 * words> present; // lower halves, then upper ones
    simt::shared_array<std::uint16_t, 2 * words> before;  // values in the words before
    simt::shared_array<std::uint32_t, warps> sums;
  };
  /// How many values the halves have.
  struct values {
    std::uint32_t lower, upper;
  };

  // By all threads, in this order, with a block barrier between any two: clear, mark, count, rank.
  static SORTILE_DEVICE void clear(storage& s) {
    SORTILE_UNROLL
    for (int i = 0; i < 2 * owned; ++i)
      s.present[unsigned(i) * Threads + simt::thread_index()] = 0;
  }
  /// The thread's first `used` numbers, one or more; where it has fewer, some of them again.
  template <int Items>
  static SORTILE_DEVICE void mark(storage& s, const std::uint32_t (&numbers)[Items], unsigned used) {
    set_bit(s, 0, lower_bit(numbers[0])); // the busy bits: others will see them set
    set_bit(s, 0, upper_bit(numbers[0]));
    std::uint32_t lower[Items] = {}, upper[Items] = {}; // asked for all at once
    SORTILE_UNROLL
    for (int i = 1; i < Items; ++i) {
      if (unsigned(i) >= used)
        continue;
      lower[i] = s.present.load(place_of_bit(lower_bit(numbers[i])), simt::relaxed, simt::block_scope);
      upper[i] = s.present.load(place_of_bit(upper_bit(numbers[i])), simt::relaxed, simt::block_scope);
    }
    SORTILE_UNROLL
    for (int i = 1; i < Items; ++i) {
      if (unsigned(i) >= used)
        continue;
      set_bit(s, lower[i], lower_bit(numbers[i]));
      set_bit(s, upper[i], upper_bit(numbers[i]));
    }
  }
  static SORTILE_DEVICE values count(storage& s) {
    const unsigned t = simt::thread_index(), lane = simt::lane_index(), warp = simt::warp_index();
    std::uint32_t x[owned], sum = 0; // of lower halves in the low 16 bits
    SORTILE_UNROLL
    for (int i = 0; i < owned; ++i) {
      const unsigned w = t * unsigned(owned) + unsigned(i);
      x[i] = sum;
      sum += simt::popcount(s.present.load(place_of(w))) | simt::popcount(s.present.load(place_of(words + w))) << 16;
    }
    const std::uint32_t inclusive = warp_inclusive_scan(sum, plus{});
    if (lane == simt::warp_size - 1)
      s.sums[warp] = inclusive;
    simt::block_barrier();
    const std::uint32_t others = lane < warps ? s.sums.load(lane) : 0, total = simt::warp_reduce_add(others);
    const std::uint32_t first = simt::warp_reduce_add(lane < warp ? others : 0) + inclusive - sum;
    SORTILE_UNROLL
    for (int i = 0; i < owned; ++i) {
      const unsigned w = t * unsigned(owned) + unsigned(i);
      s.before[place_of(w)] = std::uint16_t(first + x[i]);
      s.before[place_of(words + w)] = std::uint16_t((first + x[i]) >> 16);
    }
    return {total & 0xffff, total >> 16};
  }
  /// Of a number that was marked; below lower · upper.
  static SORTILE_DEVICE std::uint32_t rank(storage& s, const values& v, std::uint32_t number) {
    return rank_of_bit(s, upper_bit(number)) * v.lower + rank_of_bit(s, lower_bit(number));
  }

 private:
  /// Where word w stands: the 32 of a row change places, in each row otherwise. Crowded numbers have many zeros at
  /// their ends, and would meet in one bank.
  static SORTILE_DEVICE std::uint32_t place_of(std::uint32_t w) { return w ^ (w / 32 * 11 & 31); }
  static SORTILE_DEVICE std::uint32_t place_of_bit(std::uint32_t bit) { return place_of(bit / 32); }
  static SORTILE_DEVICE std::uint32_t lower_bit(std::uint32_t number) { return number & 0xffff; }
  static SORTILE_DEVICE std::uint32_t upper_bit(std::uint32_t number) { return 65536 + (number >> 16); }
  static SORTILE_DEVICE void set_bit(storage& s, std::uint32_t seen, std::uint32_t bit) {
    if ((seen >> bit % 32 & 1) == 0)
      s.present.fetch_or(place_of_bit(bit), 1u << bit % 32, simt::relaxed, simt::block_scope);
  }
  static SORTILE_DEVICE std::uint32_t rank_of_bit(storage& s, std::uint32_t bit) {
    const std::uint32_t place = place_of_bit(bit);
    return s.before.load(place) + simt::popcount(s.present.load(place) & ((1u << bit % 32) - 1));
  }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
