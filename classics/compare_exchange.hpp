// The comparator of sorting networks and transposition sorts, and a host array for those that run on the host.
//
// exchange_if_greater(a, i, j, codec) puts the smaller key to a[i] and the greater one to a[j]; equal keys stay where
// they are.
//
// All networks of the gallery point their comparators the same way: the greater key goes to the higher index. So a
// network for the next power of two serves any n: beyond the end one imagines keys greater than all, no comparator ever
// moves them, and those that would touch them are left out.
#pragma once

#include "classics/records.hpp"

#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace sortile::classics::inline SORTILE_BACKEND {

/// Puts two records in order, i < j; says whether they were not. `a` is records<…> or a shared array of records.
template <class Array, class Index, class Word>
SORTILE_DEVICE bool exchange_if_greater(Array& a, Index i, Index j, const key_codec<Word>& codec) {
  const auto low = a.load(i), high = a.load(j);
  if (codec.image(low.key) <= codec.image(high.key))
    return false;
  a.store(i, high);
  a.store(j, low);
  return true;
}

/// A comparator's lower place, for thread t of a step of distance `distance`, and its partner.
struct comparator {
  std::uint64_t low, high;
};
SORTILE_HOST_DEVICE constexpr comparator straight(std::uint64_t t, std::uint64_t distance) {
  const std::uint64_t low = 2 * t - (t & (distance - 1));
  return {low, low + distance};
}
/// The first step of merging runs of `distance`: the i-th from the left with the i-th from the right.
SORTILE_HOST_DEVICE constexpr comparator mirrored(std::uint64_t t, std::uint64_t distance) {
  const std::uint64_t low = straight(t, distance).low;
  return {low, low ^ (2 * distance - 1)};
}

/// What a sort of the host compares and moves.
template <class Word>
struct host_record {
  Word image, key;
  std::uint32_t value;
};

/// A job's records on the host; only for classics whose place is the host.
template <class Word, bool Pairs>
std::vector<host_record<Word>> gather(const records<Word, Pairs>& data, std::size_t n, const key_codec<Word>& codec) {
  std::vector<host_record<Word>> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Word key = data.keys.data()[i];
    all[i] = {codec.image(key), key, Pairs ? data.values.data()[i] : 0};
  }
  return all;
}

template <class Word, bool Pairs>
void scatter(const std::vector<host_record<Word>>& all, const records<Word, Pairs>& data) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    data.keys.data()[i] = all[i].key;
    if constexpr (Pairs)
      data.values.data()[i] = all[i].value;
  }
}

} // namespace sortile::classics::inline SORTILE_BACKEND
