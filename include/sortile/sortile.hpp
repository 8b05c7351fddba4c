// sortile: everything a C++ program includes. Sorts keys, keys with values, and positions, in host memory.
//
// All sorts are stable; floats order −0 and +0 as equal and NaN as the largest; bits are never altered. Calls block
// until done and may be made from several threads at once on different arrays. Ranges are anything contiguous:
// std::vector, std::span, arrays. Structs are sorted by their members (projections.hpp), anything by a comparison
// (any_order.hpp), and many parts of an array in one call (segments.hpp). What is no call of these ends the compilation
// with one sentence that says what to write (misuse.hpp).
#pragma once

#if __cplusplus < 202002L
#include <sortile/language.hpp>
#else

#include <sortile/arrays.hpp>
#include <sortile/error.hpp>
#include <sortile/few.hpp>
#include <sortile/options.hpp>
#include <sortile/request.hpp>
#include <sortile/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

namespace detail {

template <class T>
void swap_if(bool condition, double_buffer<T>& buffer) {
  if (condition)
    std::swap(buffer.current, buffer.other);
}

/// run() by the options as they are by default.
void run_as_usual(const sort_request& request);

template <key_range In, key_range Out>
sort_request keys_request(In& in, Out& out) {
  using K = std::ranges::range_value_t<In>;
  static_assert(std::same_as<K, std::ranges::range_value_t<Out>>,
                "sortile: input and output must have keys of one type");
  return {
      .type = key_type_of<K>, .n = length(in), .keys_in = std::ranges::data(in), .keys_out = std::ranges::data(out)};
}

template <value_range In, value_range Out>
void add_values(sort_request& request, In& in, Out& out) {
  using V = std::ranges::range_value_t<In>;
  static_assert(std::same_as<V, std::ranges::range_value_t<Out>>,
                "sortile: input and output must have values of one type");
  request.carries = payload::values;
  request.value_bytes = sizeof(V);
  request.values_in = std::ranges::data(in);
  request.values_out = std::ranges::data(out);
}

template <key_range Keys, value_range Values>
sort_request pairs_request(Keys& keys, Values& values) {
  sort_request request = keys_request(keys, keys);
  add_values(request, values, values);
  return request;
}

template <key_range Keys, index_range Positions>
sort_request positions_request(Keys& keys, Positions& positions) {
  return {.type = key_type_of<std::ranges::range_value_t<Keys>>,
          .n = length(keys),
          .keys_in = std::ranges::data(keys),
          .carries = payload::indices,
          .value_bytes = sizeof(std::ranges::range_value_t<Positions>),
          .values_out = std::ranges::data(positions)};
}

template <key_range Keys, index_range Positions>
void check_positions(Keys& keys, Positions& positions) {
  same_length("argsort", "keys", length(keys), "positions", length(positions));
  need_wide_enough<std::ranges::range_value_t<Positions>>("argsort", length(keys));
}

} // namespace detail

/// Sorts keys in place. Stable (visible with a bit window or −0, +0 and NaNs). See run() for errors.
template <key_range Keys>
requires writable<Keys>
[[gnu::always_inline]] inline void sort(Keys&& keys, const options& opts) {
  if (!detail::sort_as_asked(
          opts, [&](auto by) { return detail::sort_few(detail::in_place(keys), detail::length(keys), by); }))
    run(detail::keys_request(keys, keys), opts);
}

template <key_range Keys>
requires writable<Keys>
void sort(Keys&& keys) {
  if (!detail::sort_few(detail::in_place(keys), detail::length(keys), detail::natural_order{}))
    detail::run_as_usual(detail::keys_request(keys, keys));
}

/// Sorts `in` into `out`, which has the same length and does not overlap it.
template <key_range In, key_range Out>
requires writable<Out>
[[gnu::always_inline]] inline void sort(In&& in, Out&& out, const options& opts = default_options()) {
  detail::same_length("sort", "in", detail::length(in), "out", detail::length(out));
  if (!detail::sort_as_asked(
          opts, [&](auto by) { return detail::sort_few(detail::from_to(in, out), detail::length(in), by); }))
    run(detail::keys_request(in, out), opts);
}

/// Sorts within two buffers; afterwards keys.current is the result and keys.other is scratch.
template <key K>
requires(!std::is_const_v<K>) void sort(double_buffer<K>& keys, const options& opts = default_options()) {
  detail::same_length("sort", "keys.current", keys.current.size(), "keys.other", keys.other.size());
  sort_request request = detail::keys_request(keys.current, keys.other);
  request.input_is_scratch = true;
  detail::swap_if(run(request, opts) == result_place::output, keys);
}

/// Sorts keys in place and moves values[i] with keys[i]. Stable.
template <key_range Keys, value_range Values>
requires writable<Keys> && writable<Values>
[[gnu::always_inline]] inline void sort_by_key(Keys&& keys, Values&& values, const options& opts) {
  const std::size_t n = detail::length(keys);
  detail::same_length("sort_by_key", "keys", n, "values", detail::length(values));
  if (!detail::sort_as_asked(
          opts, [&](auto by) { return detail::sort_few(detail::in_place(keys), detail::in_place(values), n, by); }))
    run(detail::pairs_request(keys, values), opts);
}

template <key_range Keys, value_range Values>
requires writable<Keys> && writable<Values>
void sort_by_key(Keys&& keys, Values&& values) {
  detail::same_length("sort_by_key", "keys", detail::length(keys), "values", detail::length(values));
  if (!detail::sort_few(detail::in_place(keys), detail::in_place(values), detail::length(keys),
                        detail::natural_order{}))
    detail::run_as_usual(detail::pairs_request(keys, values));
}

/// Sorts keys_in, values_in into keys_out, values_out, all of one length; outputs overlap nothing.
template <key_range KeysIn, value_range ValuesIn, key_range KeysOut, value_range ValuesOut>
requires writable<KeysOut> && writable<ValuesOut>
[[gnu::always_inline]] inline void sort_by_key(KeysIn&& keys_in, ValuesIn&& values_in, KeysOut&& keys_out,
                                               ValuesOut&& values_out, const options& opts = default_options()) {
  const std::size_t n = detail::length(keys_in);
  detail::same_length("sort_by_key", "keys_in", n, "values_in", detail::length(values_in));
  detail::same_length("sort_by_key", "keys_in", n, "keys_out", detail::length(keys_out));
  detail::same_length("sort_by_key", "keys_in", n, "values_out", detail::length(values_out));
  if (detail::sort_as_asked(opts, [&](auto by) {
        return detail::sort_few(detail::from_to(keys_in, keys_out), detail::from_to(values_in, values_out), n, by);
      }))
    return;
  sort_request request = detail::keys_request(keys_in, keys_out);
  detail::add_values(request, values_in, values_out);
  run(request, opts);
}

/// Sorts pairs within two buffers each; afterwards `current` holds the results.
template <key K, value V>
requires(!std::is_const_v<K> && !std::is_const_v<V>) void sort_by_key(double_buffer<K>& keys, double_buffer<V>& values,
                                                                      const options& opts = default_options()) {
  const std::size_t n = keys.current.size();
  detail::same_length("sort_by_key", "keys.current", n, "keys.other", keys.other.size());
  detail::same_length("sort_by_key", "keys.current", n, "values.current", values.current.size());
  detail::same_length("sort_by_key", "keys.current", n, "values.other", values.other.size());
  sort_request request = detail::keys_request(keys.current, keys.other);
  detail::add_values(request, values.current, values.other);
  request.input_is_scratch = true;
  const bool swapped = run(request, opts) == result_place::output;
  detail::swap_if(swapped, keys);
  detail::swap_if(swapped, values);
}

/// Writes to `positions` the order of the keys: keys[positions[0]] is the first, and so on. The keys are only read.
/// Stable.
template <key_range Keys, index_range Positions>
requires writable<Positions>
[[gnu::always_inline]] inline void argsort(Keys&& keys, Positions&& positions, const options& opts) {
  detail::check_positions(keys, positions);
  if (!detail::sort_as_asked(opts, [&](auto by) {
        return detail::argsort_few(std::ranges::data(keys), std::ranges::data(positions), detail::length(keys), by);
      }))
    run(detail::positions_request(keys, positions), opts);
}

template <key_range Keys, index_range Positions>
requires writable<Positions>
void argsort(Keys&& keys, Positions&& positions) {
  detail::check_positions(keys, positions);
  if (!detail::argsort_few(std::ranges::data(keys), std::ranges::data(positions), detail::length(keys),
                           detail::natural_order{}))
    detail::run_as_usual(detail::positions_request(keys, positions));
}

/// The order of the keys as a new vector, of 64-bit positions unless another index type is named.
template <index Index = std::uint64_t, key_range Keys>
[[nodiscard]] std::vector<Index> argsort(Keys&& keys, const options& opts) {
  std::vector<Index> positions = detail::room_for_positions<Index>("argsort", detail::length(keys));
  argsort(keys, positions, opts);
  return positions;
}

template <index Index = std::uint64_t, key_range Keys>
[[nodiscard]] std::vector<Index> argsort(Keys&& keys) {
  std::vector<Index> positions = detail::room_for_positions<Index>("argsort", detail::length(keys));
  argsort(keys, positions);
  return positions;
}

/// A column of rows: `by(sizes, order::descending)`. It points to the keys, which must outlive it.
template <key_range Keys>
requires std::ranges::borrowed_range<Keys> column by(Keys&& keys,
                                                     sortile::order direction = sortile::order::ascending) {
  return {key_type_of<std::ranges::range_value_t<Keys>>, std::ranges::data(keys), direction, detail::length(keys)};
}

/// The order of rows by several keys, the first column deciding, ties by the next; each in its own direction. Stable.
/// Every column has positions.size() keys, or invalid_argument is thrown.
template <index_range Positions>
requires writable<Positions>
void argsort_rows(std::span<const column> columns, Positions&& positions, const options& opts = default_options()) {
  using Index = std::ranges::range_value_t<Positions>;
  const std::size_t n = detail::length(positions);
  detail::need_wide_enough<Index>("argsort_rows", n);
  run(rows_request{n, columns, std::ranges::data(positions), sizeof(Index)}, opts);
}

/// Rearranges `values` in place: afterwards values[i] is what values[positions[i]] was. O(n) workspace of its own.
/// \throws invalid_argument where a position is not below the length; then, and after out_of_memory, nothing has moved.
template <index_range Positions, value_range Values>
requires writable<Values>
void permute(Positions&& positions, Values&& values, const options& opts = default_options()) {
  detail::same_length("permute", "positions", detail::length(positions), "values", detail::length(values));
  run(permute_request{.n = detail::length(positions),
                      .indices = std::ranges::data(positions),
                      .index_bytes = sizeof(std::ranges::range_value_t<Positions>),
                      .values = std::ranges::data(values),
                      .value_bytes = sizeof(std::ranges::range_value_t<Values>)},
      opts);
}

/// Sorts rows held as separate columns, in place, by several keys: `sort_rows(std::array{by(size, order::descending),
/// by(id)}, std::tie(size, id, price))` orders all three ranges by size, largest first, ties by id. Columns that are
/// keys but not among the tied ranges stay as they are. Stable. All ranges and columns have one length.
/// \throws as run(sort_rows_request): whatever is thrown, no range has been touched.
template <value_range... Ranges>
requires(writable<Ranges&>&&...) void sort_rows(std::span<const column> columns, std::tuple<Ranges&...> ranges,
                                                const options& opts = default_options()) {
  static_assert(sizeof...(Ranges) > 0, "sortile: sort_rows needs at least one range to rearrange");
  std::apply(
      [&](auto& first, auto&... further) {
        const std::size_t n = detail::length(first);
        (detail::same_length("sort_rows", "the first range", n, "a further range", detail::length(further)), ...);
        const auto array_of = [](auto& range) {
          return row_array{std::ranges::data(range), sizeof(std::ranges::range_value_t<decltype(range)>)};
        };
        const std::array<row_array, sizeof...(Ranges)> arrays{array_of(first), array_of(further)...};
        run(sort_rows_request{n, columns, arrays}, opts);
      },
      ranges);
}

/// Whether the keys are in order (opts.order, opts.bits). Reads each key once; stops at the first disorder.
template <key_range Keys>
[[nodiscard]] bool is_sorted(Keys&& keys, const options& opts) {
  using K = std::ranges::range_value_t<Keys>;
  if (detail::are_usual(opts))
    if (const auto found = detail::order_of_few(std::ranges::data(keys), detail::length(keys), opts.order);
        found != detail::few_order::unknown)
      return found == detail::few_order::in_order;
  return !first_disorder(key_type_of<K>, std::ranges::data(keys), detail::length(keys), opts).has_value();
}

template <key_range Keys>
[[nodiscard]] bool is_sorted(Keys&& keys) {
  const detail::few_order found =
      detail::order_of_few(std::ranges::data(keys), detail::length(keys), detail::natural_order{});
  return found == detail::few_order::unknown ? sortile::is_sorted(keys, options{})
                                             : found == detail::few_order::in_order;
}

/// Merges two sorted ranges into `out`, which has room for both and overlaps neither. Stable: of equal keys, those of
/// `a` come first.
template <key_range A, key_range B, key_range Out>
requires writable<Out>
void merge(A&& a, B&& b, Out&& out, const options& opts = default_options()) {
  using K = std::ranges::range_value_t<Out>;
  static_assert(std::same_as<K, std::ranges::range_value_t<A>> && std::same_as<K, std::ranges::range_value_t<B>>,
                "sortile: ranges and output must have keys of one type");
  const std::size_t a_keys = detail::length(a), b_keys = detail::length(b);
  detail::same_length("merge", "both ranges together", a_keys + b_keys, "out", detail::length(out));
  const std::array<sorted_run, 2> runs{
      {{std::ranges::data(a), nullptr, a_keys}, {std::ranges::data(b), nullptr, b_keys}}};
  run(merge_request{.type = key_type_of<K>, .runs = runs, .keys_out = std::ranges::data(out)}, opts);
}

/// Merges any number of sorted runs, such as a std::vector of spans, into `out`, which has room for all and overlaps
/// none. Stable: of equal keys, those of earlier runs come first.
template <std::ranges::forward_range Runs, key_range Out>
requires key_range<std::ranges::range_reference_t<Runs>> && writable<Out>
void merge(Runs&& runs, Out&& out, const options& opts = default_options()) {
  using K = std::ranges::range_value_t<Out>;
  using Run = std::ranges::range_reference_t<Runs>;
  static_assert(std::same_as<K, std::ranges::range_value_t<Run>>,
                "sortile: runs and output must have keys of one type");
  std::vector<sorted_run> list;
  std::size_t n = 0;
  for (auto&& one : runs) {
    list.push_back({std::ranges::data(one), nullptr, detail::length(one)});
    n += list.back().n;
  }
  detail::same_length("merge", "all runs together", n, "out", detail::length(out));
  run(merge_request{.type = key_type_of<K>, .runs = list, .keys_out = std::ranges::data(out)}, opts);
}

} // namespace sortile
#pragma GCC visibility pop

#include <sortile/any_order.hpp>
#include <sortile/projections.hpp>
#include <sortile/strings.hpp>

#include <sortile/segments.hpp>

#include <sortile/misuse.hpp>

#endif
