// Parts of a sort of each segment of an array: partial sorts, nth_element, keys at ranks and quantiles of what
// segments.hpp says, rows and columns of a 2-D array included. Part of select.hpp, which has segment_top_k().
//
//     std::vector<double> medians = sortile::segment_median(times, sortile::segments::by_offsets(offsets));
//     sortile::segment_nth_element(matrix, 5, sortile::segments::rows(1000, 256));     // of each row
//
// A request is that of the whole array, with n its length, and the segments. k, nth, ranks and probabilities are those
// of every segment; one that is too short for them is no mistake. Segments must not overlap. What lies in none is
// neither read nor written.
//
// In device memory partial sorts and nth_element are sorts within segments. Ranks and quantiles of long rows are
// searched for; of all others the keys are sorted within their segments, into the workspace, and taken from there.
#pragma once

#include <sortile/select.hpp>

#if __cplusplus >= 202002L

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// A selection from each segment of the arrays of a request, whose `rows` and `stride`, if any, stay at their defaults.
template <class Request>
struct segmented {
  Request arrays;
  segments where;
};

/// The first k keys of each segment move to its front, in order, values with them; all where it has fewer. The others
/// follow, in an order that may differ from engine to engine.
using segmented_partial_sort_request = segmented<partial_sort_request>;

/// Of each segment the key of place `nth` in its place, as nth_element_request has it. One of nth keys or fewer holds
/// the same keys as before.
using segmented_nth_element_request = segmented<nth_element_request>;

/// The keys of each segment at ranks that count from its beginning; segment i's begin at keys_out + i · ranks.size().
/// The place of a rank that a segment has not stays as it is; where all have one length, it is refused.
using segmented_ranks_request = segmented<ranks_request>;

/// Quantiles of each segment; segment i's begin at results + i · probabilities.size(). Those of no keys are NaN.
using segmented_quantiles_request = segmented<quantiles_request>;

namespace detail {
void run_in_segments(const segmented_partial_sort_request& request, const options& opts);
void run_in_segments(const segmented_nth_element_request& request, const options& opts);
void run_in_segments(const segmented_ranks_request& request, const options& opts);
void run_in_segments(const segmented_quantiles_request& request, const options& opts);
std::size_t workspace_in_segments(const segmented_partial_sort_request& request, const options& opts);
std::size_t workspace_in_segments(const segmented_nth_element_request& request, const options& opts);
std::size_t workspace_in_segments(const segmented_ranks_request& request, const options& opts);
std::size_t workspace_in_segments(const segmented_quantiles_request& request, const options& opts);
plan explain_in_segments(const segmented_partial_sort_request& request, const options& opts);
plan explain_in_segments(const segmented_nth_element_request& request, const options& opts);
plan explain_in_segments(const segmented_ranks_request& request, const options& opts);
plan explain_in_segments(const segmented_quantiles_request& request, const options& opts);
} // namespace detail

/// Asynchronous in device memory, where offsets are read when the work is done: a segment that ends before it begins is
/// empty then, and one that reaches beyond the arrays is cut off. Only options::checked tells of it, in partial sorts.
/// \throws what the same selection of one array and sorts within segments throw
template <class Request>
void run(const segmented<Request>& request, const options& opts = default_options()) {
  detail::run_in_segments(request, opts);
}

/// Bytes of scratch that are enough for run() with this request in device memory, whatever the offsets are; neither
/// they nor the arrays need be there yet. In host memory these calls allocate their own: 0.
template <class Request>
std::size_t workspace_bytes(const segmented<Request>& request, const options& opts = default_options()) {
  return detail::workspace_in_segments(request, opts);
}

/// How the request will be carried out; from its numbers and types alone.
template <class Request>
plan explain(const segmented<Request>& request, const options& opts = default_options()) {
  return detail::explain_in_segments(request, opts);
}

/// The first k keys of each segment, or all of a shorter one, move to its front, in order.
template <key_range Keys>
requires writable<Keys>
void segment_partial_sort(Keys&& keys, std::size_t k, const segments& where, const options& opts = default_options()) {
  run(segmented_partial_sort_request{detail::partial_sort_of(keys, k), where}, opts);
}

/// The same, values[i] moving with keys[i].
template <key_range Keys, value_range Values>
requires writable<Keys> && writable<Values>
void segment_partial_sort_by_key(Keys&& keys, Values&& values, std::size_t k, const segments& where,
                                 const options& opts = default_options()) {
  run(segmented_partial_sort_request{detail::partial_sort_of("segment_partial_sort_by_key", keys, values, k), where},
      opts);
}

/// The key at place nth of each segment becomes what a sort of the segment would have there.
template <key_range Keys>
requires writable<Keys>
void segment_nth_element(Keys&& keys, std::size_t nth, const segments& where, const options& opts = default_options()) {
  run(segmented_nth_element_request{detail::nth_element_of(keys, nth), where}, opts);
}

/// The keys at these ranks of each segment, segment by segment; K{} where a segment has no such rank.
template <key_range Keys>
[[nodiscard]] auto segment_keys_at_ranks(Keys&& keys, std::span<const std::size_t> ranks, const segments& where,
                                         const options& opts = default_options()) {
  using K = std::remove_cv_t<std::ranges::range_value_t<Keys>>;
  std::vector<K> found = detail::room_for_results<K>("segment_keys_at_ranks", where.count, ranks.size());
  run(segmented_ranks_request{detail::ranks_of(keys, ranks, found.data()), where}, opts);
  return found;
}
template <key_range Keys>
[[nodiscard]] auto segment_keys_at_ranks(Keys&& keys, std::initializer_list<std::size_t> ranks, const segments& where,
                                         const options& opts = default_options()) {
  return segment_keys_at_ranks(keys, std::span<const std::size_t>(ranks.begin(), ranks.size()), where, opts);
}

/// Several quantiles of each segment, segment by segment.
template <key_range Keys>
[[nodiscard]] std::vector<double>
segment_quantiles(Keys&& keys, std::span<const double> probabilities, const segments& where,
                  quantile_method method = quantile_method::linear, const options& opts = default_options()) {
  std::vector<double> results =
      detail::room_for_results<double>("segment_quantiles", where.count, probabilities.size());
  run(segmented_quantiles_request{detail::quantiles_of(keys, probabilities, method, results.data()), where}, opts);
  return results;
}
template <key_range Keys>
[[nodiscard]] std::vector<double>
segment_quantiles(Keys&& keys, std::initializer_list<double> probabilities, const segments& where,
                  quantile_method method = quantile_method::linear, const options& opts = default_options()) {
  return segment_quantiles(keys, std::span<const double>(probabilities.begin(), probabilities.size()), where, method,
                           opts);
}

/// The median of each segment.
template <key_range Keys>
[[nodiscard]] std::vector<double> segment_median(Keys&& keys, const segments& where,
                                                 const options& opts = default_options()) {
  return segment_quantiles(keys, {0.5}, where, quantile_method::linear, opts);
}

// As in misuse.hpp: a direction where options belong, and elements that are no keys.

SORTILE_REFUSES_LAST(segment_top_k, void(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(segment_top_k_by_key, void(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(segment_arg_top_k, void(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(segment_partial_sort, void(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(segment_partial_sort_by_key, void(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(segment_nth_element, void(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(segment_keys_at_ranks, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(segment_quantiles, std::vector<double>(), ends_with_direction, refuse_direction_of_quantiles)
SORTILE_REFUSES_LAST(segment_median, std::vector<double>(), ends_with_direction, refuse_direction_of_quantiles)

// And a number where a list belongs.
template <class Keys, class Rank>
requires std::integral<std::remove_cvref_t<Rank>>
auto segment_keys_at_ranks(Keys&&, Rank&&, const segments&, const options& = {}) {
  static_assert(detail::never<Keys>, "sortile: ranks are a list: segment_keys_at_ranks(v, {rank}, segments)");
  return std::vector<std::uint64_t>();
}
template <class Keys, class Probability>
requires std::is_arithmetic_v<std::remove_cvref_t<Probability>>
auto segment_quantiles(Keys&&, Probability&&, const segments&, quantile_method = quantile_method::linear,
                       const options& = {}) {
  static_assert(detail::never<Keys>, "sortile: probabilities are a list: segment_quantiles(v, {0.5}, segments)");
  return std::vector<double>();
}

SORTILE_REFUSES_ELEMENTS(segment_partial_sort, void(), detail::keys_out, check_keys_out, std::size_t, const segments&,
                         const options& = {})
SORTILE_REFUSES_ELEMENTS(segment_nth_element, void(), detail::keys_out, check_keys_out, std::size_t, const segments&,
                         const options& = {})
SORTILE_REFUSES_ELEMENTS(segment_keys_at_ranks, std::vector<std::uint64_t>(), key_range, check_keys,
                         std::span<const std::size_t>, const segments&, const options& = {})
SORTILE_REFUSES_ELEMENTS(segment_quantiles, std::vector<double>(), key_range, check_keys, std::span<const double>,
                         const segments&, quantile_method = quantile_method::linear, const options& = {})
SORTILE_REFUSES_ELEMENTS(segment_median, std::vector<double>(), key_range, check_keys, const segments&,
                         const options& = {})

} // namespace sortile
#pragma GCC visibility pop

#endif
