// Calls that sortile.hpp does not have, and what to write instead. Part of sortile.hpp.
//
// Each function below takes what the one of its name refuses, and nothing that it accepts: its constraint is the
// negation. It exists to end the compilation with one sentence, where a compiler would list every overload and the
// concepts that each of them misses.
#pragma once

#include <sortile/refusals.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

// sort

template <class Keys>
requires(!detail::keys_out<Keys> && !detail::is_key_buffer<Keys>) void sort(Keys&&, const options& = {}) {
  if constexpr (detail::is_double_buffer<std::remove_cvref_t<Keys>>)
    detail::refuse_double_buffer<Keys>();
  else
    detail::check_keys_out<Keys>();
}

template <class First, class Second>
requires detail::another_interface<First, Second>
void sort(First&&, Second&&, const options& = {}) {
  detail::refuse_another_interface<First, Second>();
}

template <class First, class Last, class Compare>
requires detail::iterators<First, Last> &&
    (!std::convertible_to<Compare, const options&>)void sort(First&&, Last&&, Compare&&) {
  detail::refuse_another_interface<First, Last>();
}

SORTILE_REFUSES_LAST(sort, void(), without_options, refuse_last)

template <class R, class Compare, class Member>
requires detail::comparison_and_member<R, Compare, Member>
void sort(R&&, Compare&&, Member&&) {
  detail::refuse_member<R>();
}
template <class R, class Member>
requires detail::comparison_and_member<R, std::ranges::less, Member>
void sort(R&&, std::ranges::less, Member&&) { // sort(v, {}, &T::member)
  detail::refuse_member<R>();
}

template <std::ranges::range In, std::ranges::range Out>
requires(!detail::no_options<Out> && (!key_range<In> || !detail::keys_out<Out>)) void sort(In&&, Out&&,
                                                                                           const options& = {}) {
  detail::check_keys<In>();
  if constexpr (key_range<In>)
    detail::check_keys_out<Out>();
}

// sort_by_key

template <class Keys, class Values>
requires(!detail::iterators<Keys, Values> &&
         !(detail::keys_out<Keys> &&
           detail::values_out<Values>)&&!(detail::is_key_buffer<Keys> &&
                                          detail::is_value_buffer<Values>)) void sort_by_key(Keys&&, Values&&,
                                                                                             const options& = {}) {
  if constexpr (detail::is_double_buffer<std::remove_cvref_t<Keys>> ||
                detail::is_double_buffer<std::remove_cvref_t<Values>>) {
    detail::refuse_double_buffer<Keys>();
  } else {
    detail::check_keys_out<Keys>();
    if constexpr (detail::keys_out<Keys>)
      detail::check_values_out<Values>();
  }
}

template <class First, class Last, class Values>
requires detail::iterators<First, Last>
void sort_by_key(First&&, Last&&, Values&&) {
  static_assert(detail::never<First>, "sortile: calls take ranges in place of iterators: sort_by_key(keys, values), or "
                                      "spans of parts of them");
}

template <class... Arguments>
requires(sizeof...(Arguments) > 2 && detail::without_options<Arguments...>) void sort_by_key(Arguments&&...) {
  detail::refuse_last<Arguments...>();
}

template <std::ranges::range Keys, class Values, comparison_of<Keys> Compare>
requires(!detail::values_out<Values>) void sort_by_key(Keys&&, Values&&, Compare&&, const options& = {}) {
  detail::check_values_out<Values>();
}

template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut>
requires(std::ranges::range<ValuesIn>&& std::ranges::range<KeysOut> &&
         !(key_range<KeysIn> && value_range<ValuesIn> && detail::keys_out<KeysOut> &&
           detail::values_out<ValuesOut>)) void sort_by_key(KeysIn&&, ValuesIn&&, KeysOut&&, ValuesOut&&,
                                                            const options& = {}) {
  detail::check_keys<KeysIn>();
  if constexpr (key_range<KeysIn>)
    detail::check_values<ValuesIn>();
  if constexpr (key_range<KeysIn> && value_range<ValuesIn>)
    detail::check_keys_out<KeysOut>();
  if constexpr (key_range<KeysIn> && value_range<ValuesIn> && detail::keys_out<KeysOut>)
    detail::check_values_out<ValuesOut>();
}

// argsort, is_sorted: a deduced result, so that the sentence comes before what depends on the result

SORTILE_REFUSES_ELEMENTS(argsort, std::vector<std::uint64_t>(), key_range, check_keys, const options& = {})

template <class Index, key_range Keys>
requires(!index<Index>) auto argsort(Keys&&, const options& = {}) {
  static_assert(index<Index>, "sortile: positions are integers of 32 or 64 bits: argsort<std::uint32_t>(keys)");
  return std::vector<std::uint64_t>();
}

template <class Index = std::uint64_t, class First, class Second>
requires detail::another_interface<First, Second>
auto argsort(First&&, Second&&, const options& = {}) {
  detail::refuse_another_interface<First, Second>();
  return std::vector<std::uint64_t>();
}

SORTILE_REFUSES_LAST(argsort, std::vector<std::uint64_t>(), without_options, refuse_last)

template <class Index = std::uint64_t, class R, class Compare, class Member>
requires detail::comparison_and_member<R, Compare, Member>
auto argsort(R&&, Compare&&, Member&&) {
  detail::refuse_member<R>();
  return std::vector<std::uint64_t>();
}

template <std::ranges::range Keys, std::ranges::range Positions>
requires(!detail::no_options<Positions> &&
         (!key_range<Keys> || !index_range<Positions> || !writable<Positions>)) void argsort(Keys&&, Positions&&,
                                                                                             const options& = {}) {
  detail::check_keys<Keys>();
  if constexpr (key_range<Keys>)
    detail::check_positions<Positions>();
  if constexpr (key_range<Keys> && index_range<Positions>)
    detail::check_writable<Positions>();
}

template <class R, std::ranges::range Positions, comparison_of<R> Compare>
requires(!index_range<Positions> || !writable<Positions>) void argsort(R&&, Positions&&, Compare&&,
                                                                       const options& = {}) {
  detail::check_positions<Positions>();
  if constexpr (index_range<Positions>)
    detail::check_writable<Positions>();
}

SORTILE_REFUSES_ELEMENTS(is_sorted, false, key_range, check_keys, const options& = {})

template <class First, class Second>
requires detail::another_interface<First, Second>
auto is_sorted(First&&, Second&&, const options& = {}) {
  detail::refuse_another_interface<First, Second>();
  return false;
}

SORTILE_REFUSES_LAST(is_sorted, false, without_options, refuse_last)

template <class R, class Compare, class Member>
requires detail::comparison_and_member<R, Compare, Member>
auto is_sorted(R&&, Compare&&, Member&&) {
  detail::refuse_member<R>();
  return false;
}

// rows, permute, merge

template <class Keys>
requires(!(key_range<Keys> && std::ranges::borrowed_range<Keys>)&&!detail::projecting<
         std::remove_cvref_t<Keys>>) auto by(Keys&&, sortile::order = sortile::order::ascending) {
  detail::check_keys<Keys>();
  if constexpr (key_range<Keys>)
    static_assert(detail::never<Keys>,
                  "sortile: by(range) points to the keys, and this range is a temporary; give it a "
                  "name");
  return column{};
}

template <class Columns, class... Ranges>
requires(!((value_range<Ranges> && writable<Ranges&>)&&...)) void sort_rows(Columns&&, std::tuple<Ranges&...>,
                                                                            const options& = {}) {
  (detail::check_values_out<Ranges&>(), ...);
}

template <class Columns, class... Ranges>
requires std::same_as<std::remove_cvref_t<Columns>, column>
void sort_rows(Columns&&, std::tuple<Ranges&...>, const options& = {}) {
  detail::refuse_columns<Columns>();
}
template <class... Ranges>
void sort_rows(std::initializer_list<column>, std::tuple<Ranges&...>, const options& = {}) {
  detail::refuse_columns<std::tuple<Ranges&...>>();
}
template <class Columns, std::ranges::range Range>
void sort_rows(Columns&&, Range&&, const options& = {}) {
  if constexpr (!std::convertible_to<Columns, std::span<const column>>)
    detail::refuse_columns<Columns>();
  else
    detail::refuse_untied<Range>();
}
template <class Columns, class... Ranges, class Last>
requires detail::no_options<Last>
void sort_rows(Columns&&, std::tuple<Ranges&...>, Last&&) {
  detail::refuse_last_of_rows<Last>();
}

template <class Columns, class Positions>
requires(!std::convertible_to<Columns, std::span<const column>> || !index_range<Positions> ||
         !writable<Positions>) void argsort_rows(Columns&&, Positions&&, const options& = {}) {
  if constexpr (!std::convertible_to<Columns, std::span<const column>>) {
    detail::refuse_columns<Columns>();
  } else {
    detail::check_positions<Positions>();
    if constexpr (index_range<Positions>)
      detail::check_writable<Positions>();
  }
}
template <class Columns, class Positions, class Last>
requires detail::no_options<Last>
void argsort_rows(Columns&&, Positions&&, Last&&) {
  detail::refuse_last_of_rows<Last>();
}

template <class Positions, class Values>
requires(!index_range<Positions> || !detail::values_out<Values>) void permute(Positions&&, Values&&,
                                                                              const options& = {}) {
  detail::check_positions<Positions>();
  if constexpr (index_range<Positions>)
    detail::check_values_out<Values>();
}

namespace detail {
/// A merge of two arrays, not of a list of runs into one: an array of strings is a list of ranges too.
template <class A, class Out>
concept two_to_merge = std::ranges::range<Out> || !list_of_ranges<A>;
} // namespace detail

template <class A, class B, class Out>
requires(!comparison_of<Out, B> && detail::two_to_merge<A, Out> && !detail::is_on_device<std::remove_cvref_t<Out>> &&
         (!key_range<A> || !key_range<B> || !detail::keys_out<Out>)) void merge(A&&, B&&, Out&&, const options& = {}) {
  detail::check_keys<A>();
  if constexpr (key_range<A>)
    detail::check_keys<B>();
  if constexpr (key_range<A> && key_range<B>)
    detail::check_keys_out<Out>();
}

template <class... Arguments>
requires(sizeof...(Arguments) > 3 && detail::without_options<Arguments...>) void merge(Arguments&&...) {
  detail::refuse_last<Arguments...>();
}

template <detail::list_of_ranges Runs, class Out>
requires(!std::convertible_to<Out, const options&> &&
         !(key_range<std::ranges::range_reference_t<Runs>> && detail::keys_out<Out>)) void merge(Runs&&, Out&&,
                                                                                                 const options& = {}) {
  detail::check_keys<std::ranges::range_reference_t<Runs>>();
  if constexpr (key_range<std::ranges::range_reference_t<Runs>>)
    detail::check_keys_out<Out>();
}

// strings

SORTILE_REFUSES_LAST(sort_strings, void(), without_options, refuse_last)
SORTILE_REFUSES_LAST(argsort_strings, std::vector<std::uint64_t>(), without_options, refuse_last)
SORTILE_REFUSES_LAST(unique_strings, std::vector<std::uint64_t>(), without_options, refuse_last)

namespace detail {
template <class R>
concept no_strings =
    std::ranges::range<R> && !string_views<std::remove_cvref_t<R>> && !string_array<std::remove_cvref_t<R>>;

template <class R>
constexpr void refuse_no_strings() {
  static_assert(never<R>, "sortile: calls of strings take arrays of std::string_view and of std::string in one piece "
                          "of memory, and byte_strings; sort(v), argsort(v) and unique(v) take keys");
}
} // namespace detail

template <detail::no_strings R>
void sort_strings(R&&, const options& = {}) {
  detail::refuse_no_strings<R>();
}
template <std::ranges::range R>
requires(!detail::no_strings<R> && !writable<R>) void sort_strings(R&&, const options& = {}) {
  detail::check_writable<R>();
}
template <class Index = std::uint64_t, detail::no_strings R>
auto argsort_strings(R&&, const options& = {}) {
  detail::refuse_no_strings<R>();
  return std::vector<std::uint64_t>();
}
template <class Index = std::uint64_t, detail::no_strings R>
auto unique_strings(R&&, const options& = {}) {
  detail::refuse_no_strings<R>();
  return std::vector<std::uint64_t>();
}

// segments

SORTILE_REFUSES_LAST(segment_sort, void(), without_options, refuse_last)
SORTILE_REFUSES_LAST(segment_sort_by_key, void(), without_options, refuse_last)
SORTILE_REFUSES_LAST(segment_argsort, std::vector<std::uint64_t>(), without_options, refuse_last)

struct segments;

SORTILE_REFUSES_ELEMENTS(segment_sort, void(), detail::keys_out, check_keys_out, const segments&, const options& = {})
template <class Keys, class Offsets>
requires(std::ranges::range<Keys>&& std::ranges::range<Offsets> &&
         !std::same_as<std::remove_cvref_t<Offsets>, segments>) void segment_sort(Keys&&, Offsets&&,
                                                                                  const options& = {}) {
  static_assert(detail::never<Keys>, "sortile: say how offsets cut an array: segment_sort(v, "
                                     "segments::by_offsets(offsets)), or segments::by_ranges(begins, ends)");
}
template <class R, comparison_of<R> Compare>
void segment_sort(R&&, const segments&, Compare&&, const options& = {}) {
  detail::refuse_order_of_segments<R>();
}
template <class R, class Values, comparison_of<R> Compare>
void segment_sort_by_key(R&&, Values&&, const segments&, Compare&&, const options& = {}) {
  detail::refuse_order_of_segments<R>();
}
template <class Index = std::uint64_t, class R, comparison_of<R> Compare>
auto segment_argsort(R&&, const segments&, Compare&&, const options& = {}) {
  detail::refuse_order_of_segments<R>();
  return std::vector<std::uint64_t>();
}

} // namespace sortile
#pragma GCC visibility pop
