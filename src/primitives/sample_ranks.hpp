// What a sample says of ranks: between which of its keys the k-th key of the whole array lies, nearly always.
//
// Of m keys drawn from n, p = k · m / n are expected below the k-th. The number that is found there deviates from p by
// about √(p (1 − p / m)). Five such deviations and six keys are exceeded about once in a million arrays. (The six keys
// are for small p, where deviations are not normal.) Host code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sortile::primitives {

namespace sampling {
inline std::size_t root(std::size_t x, double times) {
  return static_cast<std::size_t>(times * std::sqrt(static_cast<double>(x)));
}
/// k · m / n
inline std::size_t scaled(std::size_t k, std::size_t m, std::size_t n) {
  __extension__ using wide = unsigned __int128;
  return n == 0 ? 0 : static_cast<std::size_t>(static_cast<wide>(k) * m / n);
}
} // namespace sampling

/// How far a rank of a sample of m may be from the one that is expected, p.
inline std::size_t sample_margin(std::size_t p, std::size_t m) {
  return sampling::root(sampling::scaled(p, m - p, m), 5) + 6;
}

/// The rank, in a sample of m, of a key behind the k-th of n keys; and of one before it.
inline std::size_t sample_rank_behind(std::size_t k, std::size_t n, std::size_t m) {
  const std::size_t p = sampling::scaled(k, m, n);
  return std::min(m - 1, p + sample_margin(p, m));
}
inline std::size_t sample_rank_before(std::size_t k, std::size_t n, std::size_t m) {
  const std::size_t p = sampling::scaled(k, m, n), less = sample_margin(p, m);
  return p > less ? p - less : 0;
}

/// A number of keys that nearly always exceeds what lies between two keys of the sample whose ranks in it differ by
/// `ranks`.
inline std::size_t most_between(std::size_t ranks, std::size_t n, std::size_t m) {
  const std::size_t most = ranks + sampling::root(ranks, 5) + 10;
  return most >= m ? n : std::min(n, sampling::scaled(most, n, m) + 1);
}

/// Sampled keys below the one of this rank among the smallest keys of `groups` random groups, of so many each; rank <
/// groups. A little more than `rank`: as keys are drawn one after the other, the next one falls into a group that has
/// had none yet more and more seldom. With one key a group, `rank`.
inline std::size_t rank_of_smallest(std::size_t rank, std::size_t groups, std::size_t each) {
  const double g = static_cast<double>(groups), r = static_cast<double>(rank), e = static_cast<double>(each);
  // Of each group a part p of the keys lies below, where 1 − (1 − p)^each of the groups have one.
  return static_cast<std::size_t>(g * e * (1 - std::pow(1 - r / g, 1 / e)) + 0.5);
}

} // namespace sortile::primitives
