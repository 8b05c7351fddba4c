// Splits of an array in stretches, each split by itself, by several threads or vectors: what they still have to
// exchange.
#pragma once

#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace sortile::cpu {

/// n keys from place a on against as many from place b on.
struct exchange {
  std::size_t a, b, n;
};

/// Keys [begin, end) of which the first so many are low.
struct stretch {
  std::size_t begin, end, lows;
};

/// Stretches that follow each other were split, each by itself: calls f(a, b, n) for high keys before place `lows`,
/// where the low ones of all are to end, which are to change places with as many low ones behind it.
template <class Stretches, class F>
void each_misplaced(const Stretches& stretches, std::size_t lows, F&& f) {
  std::size_t high = 0, high_end = 0, low = 0, low_end = 0; // what is left of a run of each
  for (auto at_high = std::begin(stretches), at_low = at_high;;) {
    for (; high >= high_end; ++at_high) {
      if (at_high == std::end(stretches))
        return;
      high = at_high->begin + at_high->lows, high_end = std::min(at_high->end, lows);
    }
    for (; low >= low_end; ++at_low) {
      if (at_low == std::end(stretches))
        return;
      low = std::max(at_low->begin, lows), low_end = at_low->begin + at_low->lows;
    }
    const std::size_t n = std::min(high_end - high, low_end - low);
    f(high, low, n);
    high += n, low += n;
  }
}

/// Room for what a split by threads notes down, so that it allocates nothing once keys move.
struct split_room {
  static constexpr std::size_t most_exchanged = std::size_t{1} << 16; ///< keys, by one thread

  call_vector<stretch> stretches;
  call_vector<exchange> exchanges;

  /// For splits of up to n keys in so many pairs of stretches.
  split_room(std::size_t n, std::size_t pairs) {
    stretches.reserve(2 * pairs);
    exchanges.reserve(4 * pairs + n / (2 * most_exchanged) + 1);
  }
};

/// Splits n keys in pairs of stretches, by threads: split_two(left, left_n, right, right_n, left_lows, right_lows)
/// takes one from before place `middle` and its mirror image from behind, gathers low keys in the first and others in
/// the second, and says how many low ones stand at the front of each. Where about so many keys are low, few are then on
/// the wrong side, and these change places. Returns how many are low. What ends up where depends on
/// `pairs` and `middle`, not on the number of threads.
template <class K, class SplitTwo>
std::size_t split_in_pairs(K* keys, std::size_t n, std::size_t middle, std::size_t pairs, unsigned workers,
                           progress_meter* progress, split_room& room, SplitTwo&& split_two) {
  room.stretches.resize(2 * pairs); // as they lie: the mirror image of number i is the i-th from the end
  for_each_task(workers, pairs, progress, [&](unsigned, std::size_t i) {
    stretch &left = room.stretches[i], &right = room.stretches[2 * pairs - 1 - i];
    left = {part_begin(middle, pairs, i), part_begin(middle, pairs, i + 1), 0};
    right = {n - part_begin(n - middle, pairs, i + 1), n - part_begin(n - middle, pairs, i), 0};
    split_two(keys + left.begin, left.end - left.begin, keys + right.begin, right.end - right.begin, left.lows,
              right.lows);
  });
  std::size_t lows = 0;
  for (const stretch& s : room.stretches)
    lows += s.lows;
  room.exchanges.clear();
  each_misplaced(room.stretches, lows, [&](std::size_t a, std::size_t b, std::size_t count) {
    for (std::size_t i = 0; i < count; i += split_room::most_exchanged)
      room.exchanges.push_back({a + i, b + i, std::min(split_room::most_exchanged, count - i)});
  });
  for_each_task(workers, room.exchanges.size(), nullptr, [&](unsigned, std::size_t i) {
    const exchange& e = room.exchanges[i];
    std::swap_ranges(keys + e.a, keys + e.a + e.n, keys + e.b);
  });
  return lows;
}

} // namespace sortile::cpu
