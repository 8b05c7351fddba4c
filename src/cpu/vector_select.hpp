// How large the samples of the vector selections are, and what they say of ranks: for the selections
// (vector_select.ipp) and for plans that describe them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sortile::cpu {

/// Of so many keys, how many a sample has: its sort is to take a small part of what the splits take.
inline constexpr std::size_t most_sampled = 2048;
constexpr std::size_t sample_of(std::size_t n) {
  return n < 1024 ? 32 : n < 8192 ? 64 : n < 262144 ? 128 : n < 2097152 ? 512 : most_sampled;
}

/// How far from where a sample has it the wanted key may be, in standard deviations. A miss costs a split of what is
/// then left; among keys that are only read, a read of all.
inline constexpr float split_margin = 1.1F, read_margin = 1.8F;

/// Up to so many keys a copy of all images is selected from sooner than a sample and a read find the few that matter.
inline constexpr std::size_t copied_whole = 4096;

/// Places in a sample of m between which it probably has ranks `first` to `last` of n keys: below 0, or m and above,
/// where it has no such key. In the middle of them, `middle`.
struct sampled_places {
  float low, high, middle;

  sampled_places(std::size_t n, std::size_t m, std::size_t first, std::size_t last, float deviations) {
    const auto all = static_cast<float>(m);
    const auto place = [&](std::size_t rank) { return static_cast<float>(rank) / static_cast<float>(n) * all; };
    const auto margin = [&](float at) { return 1 + deviations * std::sqrt(at * (1 - at / all)); };
    const float begin = place(first), end = place(last);
    low = begin - margin(begin), high = end + margin(end) + 1, middle = (begin + end) / 2;
  }
};

/// How many of n keys a search for ranks `first` to `last` probably copies.
inline std::size_t probably_copied(std::size_t n, std::size_t first, std::size_t last) {
  if (n <= copied_whole)
    return n;
  const std::size_t m = sample_of(n);
  const sampled_places at(n, m, first, last, read_margin);
  const float part = (std::min(at.high, static_cast<float>(m)) - std::max(at.low, 0.0F)) / static_cast<float>(m);
  return static_cast<std::size_t>(part * static_cast<float>(n));
}

/// What a read counts of keys that it does not copy: in front of an interval, and equal to its bounds.
struct interval_counts {
  std::size_t before = 0, low = 0, high = 0;
};

} // namespace sortile::cpu
