// Groups of equal keys: distinct keys, how often each occurs, where each lies, and to which group each key belongs;
// from one sort.
//
// Keys are equal where sorts take them for equal: −0 and +0 are, and so are all NaNs; with a bit window, keys whose
// bits in it agree. Groups stand in the order of options::order, the keys of a group in the order of their positions.
//
//     const auto found = sortile::count_keys(words);          // found.keys[i] occurs found.counts[i] times
#pragma once

#include <sortile/sortile.hpp>

#if __cplusplus >= 202002L

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// The groups of n keys. Each output may be null: then it is not wanted. All outputs but keys_out hold
/// numbers of index_bytes, and none overlaps another or the keys.
struct groups_request {
  key_type type = key_type::u32;
  std::size_t n = 0;
  const void* keys = nullptr;
  void* keys_out = nullptr;    ///< room for n keys: of each group the one with the lowest position
  std::size_t index_bytes = 8; ///< 4 or 8
  void* first = nullptr;       ///< room for n: of each group the lowest position
  void* counts = nullptr;      ///< room for n: keys of each group
  void* offsets = nullptr;     ///< room for n + 1: where each group begins in `order`; n behind the last
  void* order = nullptr;       ///< n: the positions of the keys, group by group: argsort
  void* inverse = nullptr;     ///< n: the number of each key's group

  /// With memory::device: where in device memory the number of groups is written when the work is done; n is at
  /// least 1.
  std::uint64_t* device_groups = nullptr;
};

/// Arrays lie where options::memory says; in device memory the call is asynchronous, like sorts, and returns 0.
/// \return the number of groups; what lies behind so many elements of an output (offsets: one more) is unspecified.
/// O(n) workspace; of host memory the call's own. \throws invalid_argument, unknown_engine, engine_unusable,
/// out_of_memory, cancelled
std::size_t run(const groups_request& request, const options& opts = default_options());

namespace detail {
std::size_t groups_workspace_bytes(const groups_request& request, const options& opts);
plan explain_groups(const groups_request& request, const options& opts);
} // namespace detail

/// Bytes of scratch that are enough for run() with this request in device memory, also with fewer keys; 0 in host
/// memory. Where keys is null the arrays need not be there yet: the answer is enough for any outputs. A template, so
/// that a braced list that fits a sort_request too stays one.
template <class = void>
std::size_t workspace_bytes(const groups_request& request, const options& opts = default_options()) {
  return detail::groups_workspace_bytes(request, opts);
}

/// How run() will carry this request out, as of a sort: from n, the types, and which outputs are wanted.
template <class = void>
plan explain(const groups_request& request, const options& opts = default_options()) {
  return detail::explain_groups(request, opts);
}

/// The distinct keys, in order.
template <key_range Keys>
[[nodiscard]] auto unique(Keys&& keys, const options& opts = default_options()) {
  using K = std::remove_cv_t<std::ranges::range_value_t<Keys>>;
  std::vector<K> distinct(detail::length(keys));
  distinct.resize(run(
      groups_request{
          .type = key_type_of<K>, .n = distinct.size(), .keys = std::ranges::data(keys), .keys_out = distinct.data()},
      opts));
  return distinct;
}

template <class K>
struct key_counts {
  std::vector<K> keys;
  std::vector<std::uint64_t> counts;
};

/// The distinct keys, in order, and how often each occurs.
template <key_range Keys>
[[nodiscard]] auto count_keys(Keys&& keys, const options& opts = default_options()) {
  using K = std::remove_cv_t<std::ranges::range_value_t<Keys>>;
  const std::size_t n = detail::length(keys);
  key_counts<K> found{std::vector<K>(n), std::vector<std::uint64_t>(n)};
  const std::size_t groups = run(groups_request{.type = key_type_of<K>,
                                                .n = n,
                                                .keys = std::ranges::data(keys),
                                                .keys_out = found.keys.data(),
                                                .counts = found.counts.data()},
                                 opts);
  found.keys.resize(groups);
  found.counts.resize(groups);
  return found;
}

/// Group g has the key keys[g] and the positions order[offsets[g]] … order[offsets[g + 1] − 1].
template <class K, index Index>
struct key_groups {
  std::vector<K> keys;
  std::vector<Index> offsets;
  std::vector<Index> order;
};

template <index Index = std::uint64_t, key_range Keys>
[[nodiscard]] auto group_by(Keys&& keys, const options& opts = default_options()) {
  using K = std::remove_cv_t<std::ranges::range_value_t<Keys>>;
  const std::size_t n = detail::length(keys);
  key_groups<K, Index> found{std::vector<K>(n), detail::room_for_positions<Index>("group_by", n + 1),
                             detail::room_for_positions<Index>("group_by", n)};
  const std::size_t groups = run(groups_request{.type = key_type_of<K>,
                                                .n = n,
                                                .keys = std::ranges::data(keys),
                                                .keys_out = found.keys.data(),
                                                .index_bytes = sizeof(Index),
                                                .offsets = found.offsets.data(),
                                                .order = found.order.data()},
                                 opts);
  found.keys.resize(groups);
  found.offsets.resize(groups + 1);
  return found;
}

// As in misuse.hpp: a direction where options belong.

SORTILE_REFUSES_LAST(unique, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(count_keys, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(group_by, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)

// And positions of another width, elements that are no keys, iterators, and comparisons.
template <class Index, class Keys>
requires(!index<Index> && key_range<Keys>) auto group_by(Keys&&, const options& = {}) {
  static_assert(index<Index>, "sortile: positions are integers of 32 or 64 bits: group_by<std::uint32_t>(keys)");
  return key_groups<std::uint64_t, std::uint64_t>();
}

template <class First, class Last>
requires detail::iterators<First, Last>
auto unique(First&&, Last&&) {
  detail::refuse_another_interface<First, Last>();
  return std::vector<std::uint64_t>();
}
template <class R, comparison_of<R> Compare>
auto unique(R&&, Compare&&, const options& = {}) {
  detail::refuse_comparison_of_keys<R>();
  return std::vector<std::uint64_t>();
}

SORTILE_REFUSES_ELEMENTS(unique, std::vector<std::uint64_t>(), key_range, check_keys, const options& = {})
SORTILE_REFUSES_ELEMENTS(count_keys, key_counts<std::uint64_t>(), key_range, check_keys, const options& = {})
SORTILE_REFUSES_ELEMENTS(group_by, (key_groups<std::uint64_t, std::uint64_t>()), key_range, check_keys,
                         const options& = {})

} // namespace sortile
#pragma GCC visibility pop

#endif
