// The sentences that end the compilation of calls that sortile.hpp does not have (misuse.hpp), and how a call that is
// often written is recognised. Part of sortile.hpp.
#pragma once

#include <sortile/any_order.hpp>
#include <sortile/arrays.hpp>
#include <sortile/projections.hpp>
#include <sortile/strings.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

namespace detail {

template <class>
inline constexpr bool never = false;

template <class T>
inline constexpr bool is_double_buffer = false;
template <class T>
inline constexpr bool is_double_buffer<double_buffer<T>> = true;

template <class T>
inline constexpr bool is_projection = false;
template <class F>
inline constexpr bool is_projection<projection<F>> = true;

/// A comparison that is called on a device (compare.cuh).
template <class T>
inline constexpr bool is_on_device = false;

// What a call accepts; negated below.
template <class R>
concept keys_out = key_range<R> && writable<R>;
template <class R>
concept values_out = value_range<R> && writable<R>;
template <class B>
inline constexpr bool is_key_buffer = false;
template <class K>
inline constexpr bool is_key_buffer<double_buffer<K>&> = key<K> && !std::is_const_v<K>;
template <class B>
inline constexpr bool is_value_buffer = false;
template <class V>
inline constexpr bool is_value_buffer<double_buffer<V>&> = value<V> && !std::is_const_v<V>;

template <class R>
concept list_of_ranges = std::ranges::range<R> && std::ranges::range<std::ranges::range_reference_t<R>>;

// What is often written.
template <class I, class S>
concept iterators = !std::ranges::range<S> && std::input_iterator<std::decay_t<I>> &&
                    std::sentinel_for<std::decay_t<S>, std::decay_t<I>>;
template <class D>
concept direction = std::same_as<std::remove_cvref_t<D>, order>;
template <class W>
concept word = std::convertible_to<W, std::string_view> && !(std::ranges::range<W> && writable<W>);
/// What is written where options belong, and is none.
template <class O>
concept no_options = direction<O> || word<O> || std::is_arithmetic_v<std::remove_cvref_t<O>>;
template <class... Arguments>
using last_of = std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>;
/// The arguments of a call, without projections: sorts by these have a sentence of their own.
template <class... Arguments>
concept without_options = (sizeof...(Arguments) > 1) && no_options<last_of<Arguments...>> &&
                          !(is_projection<std::remove_cvref_t<Arguments>> || ...);
template <class... Arguments>
concept ends_with_direction = (sizeof...(Arguments) > 1) && direction<last_of<Arguments...>>;
/// std::less or std::greater of elements that have no < or >.
template <class C, class R>
concept misses_operator = std::ranges::range<R> && !comparison_of<C, R> &&
                          (is_less<std::remove_cvref_t<C>, std::ranges::range_value_t<R>> ||
                           is_greater<std::remove_cvref_t<C>, std::ranges::range_value_t<R>>);
template <class F, class R>
concept bare_projection =
    std::ranges::range<R> && !std::ranges::range<F> && !is_projection<std::remove_cvref_t<F>> && requires {
  requires key<projected_key<std::remove_cvref_t<F>, std::ranges::range_value_t<R>>>;
};
template <class M, class R>
concept names_member = std::is_member_pointer_v<std::remove_cvref_t<M>> || bare_projection<M, R>;
/// As algorithms of std::ranges take them.
template <class R, class Compare, class Member>
concept comparison_and_member = std::ranges::range<R> && !std::ranges::range<Compare> &&
                                !is_projection<std::remove_cvref_t<Compare>> && names_member<Member, R>;

/// The second argument of a call says that another interface was meant.
template <class First, class Second>
concept another_interface =
    iterators<First, Second> || misses_operator<Second, First> || bare_projection<Second, First>;

template <class First, class Second>
constexpr void refuse_another_interface() {
  if constexpr (iterators<First, Second>)
    static_assert(never<First>, "sortile: calls take a range in place of two iterators: sort(v), or "
                                "sort(std::span(first, last)) for a part of it");
  else if constexpr (misses_operator<Second, First>)
    static_assert(never<First>, "sortile: elements of this type have no < for std::less, or no > for std::greater; "
                                "compare members: sort(v, [](const T& a, const T& b) { return ...; }), or name them: "
                                "sort(v, by(&T::member))");
  else
    static_assert(never<First>, "sortile: a projection is wrapped in by(): sort(v, by(&T::member))");
}

template <class R>
constexpr void refuse_member() {
  static_assert(never<R>,
                "sortile: a comparison of members is written out: sort(v, [](const T& a, const T& b) { return "
                "a.member < b.member; }), or in the members' own order sort(v, by(&T::member))");
}

template <class First, class... More>
constexpr void refuse_last() {
  using last = last_of<First, More...>;
  constexpr bool compared = (comparison_of<More, First> || ...);
  if constexpr (!std::ranges::range<First> && std::is_pointer_v<std::decay_t<First>> && !direction<last>)
    static_assert(never<First>, "sortile: calls take a range in place of a pointer and a length: "
                                "sort(std::span(pointer, n))");
  else if constexpr (direction<last> && compared)
    static_assert(never<First>, "sortile: the comparison says the direction; turn it round: std::greater in place of "
                                "std::less");
  else if constexpr (direction<last>)
    static_assert(never<First>, "sortile: the direction is one of the options: sort(v, {.order = order::descending})");
  else
    static_assert(never<First>, "sortile: a number or a word says nothing here; what a call may be told are options: "
                                "sort(v, {.order = order::descending, .threads = 2})");
}

template <class R>
constexpr void refuse_comparison_of_keys() {
  static_assert(never<R>, "sortile: selections and groups go by the keys' own order, {.order = order::descending} or "
                          "ascending; by a comparison sort(v, less) and argsort(v, less) give all places");
}

template <class R>
constexpr void refuse_order_of_segments() {
  static_assert(never<R>,
                "sortile: within segments keys are sorted in their own order, {.order = order::descending} or "
                "ascending; by a comparison sort(std::span(v).subspan(begin, n), less) sorts one");
}

template <class First, class... More>
constexpr void refuse_direction_of_quantiles() {
  static_assert(never<First>, "sortile: quantiles have no direction: in a descending order that at 0.1 is the one at "
                              "0.9, and the median is the same");
}

template <class Columns>
constexpr void refuse_columns() {
  static_assert(never<Columns>, "sortile: rows have an array of columns: sort_rows(std::array{by(v)}, std::tie(v, w)), "
                                "argsort_rows(std::array{by(v)}, positions)");
}
template <class Range>
constexpr void refuse_untied() {
  static_assert(never<Range>, "sortile: the ranges that move are tied: sort_rows(std::array{by(v)}, std::tie(v, w))");
}
template <class Last>
constexpr void refuse_last_of_rows() {
  if constexpr (direction<Last>)
    static_assert(never<Last>, "sortile: each column has its direction: std::array{by(v, order::descending)}");
  else
    static_assert(never<Last>, "sortile: a number or a word says nothing here; what a call may be told are options: "
                               "{.threads = 2}");
}

/// The elements of this range are no keys.
template <class T>
constexpr void refuse_elements() {
  if constexpr (string_like<T> && !std::same_as<T, std::string> && !std::same_as<T, std::string_view>)
    static_assert(never<T>,
                  "sortile: strings of this type are no keys; make them std::string_view or std::string, which "
                  "sort_strings, argsort_strings and unique_strings take");
  else if constexpr (string_like<T>)
    static_assert(never<T>, "sortile: strings are no keys; sort_strings, argsort_strings and unique_strings take them");
  else if constexpr (std::same_as<T, long double>)
    static_assert(never<T>, "sortile: long double is no key type; float and double are");
  else if constexpr (std::is_pointer_v<T>)
    static_assert(never<T>,
                  "sortile: pointers are no keys; name what they point to: sort(v, by([](const T* p) { return "
                  "p->member; }))");
  else if constexpr (std::is_class_v<T>)
    static_assert(never<T>, "sortile: elements of this type are no keys; name the members that decide: sort(v, "
                            "by(&T::member)), argsort(v, by(&T::member))");
  else
    static_assert(never<T>, "sortile: elements of this type are no keys; keys are integers, floats, enumerations and "
                            "std::chrono times");
}

/// This is no range that lies in memory as the library needs it.
template <class R>
constexpr void refuse_layout() {
  if constexpr (!std::ranges::range<R>)
    static_assert(never<R>, "sortile: this argument must be a range: a std::vector, std::array, std::span or array");
  else if constexpr (std::same_as<std::ranges::range_value_t<R>, bool> && !std::ranges::contiguous_range<R>)
    static_assert(never<R>, "sortile: std::vector<bool> packs its elements into bits; use a std::vector<char>");
  else if constexpr (!std::ranges::contiguous_range<R>)
    static_assert(never<R>,
                  "sortile: this range does not lie in one piece of memory; copy it to a std::vector (sorts by "
                  "projections take any with random access: sort(r, by(std::identity{})))");
  else if constexpr (!std::ranges::sized_range<R>)
    static_assert(never<R>, "sortile: this range does not know its size; make it a std::span");
  else
    static_assert(never<R>, "sortile: the elements are volatile; copy them to a std::vector");
}

/// Says nothing where R is a range of keys.
template <class R>
constexpr void check_keys() {
  if constexpr (!array_like<R>)
    refuse_layout<R>();
  else if constexpr (!key<std::ranges::range_value_t<R>>)
    refuse_elements<std::ranges::range_value_t<R>>();
}

template <class R>
constexpr void check_values() {
  if constexpr (!array_like<R>)
    refuse_layout<R>();
  else if constexpr (!value<std::ranges::range_value_t<R>>)
    static_assert(never<R>, "sortile: values are moved as bytes and must be trivially copyable, which std::pair, "
                            "std::tuple and std::string are not; use a struct, or argsort(keys) and move by position");
}

template <class R>
constexpr void check_positions() {
  if constexpr (!array_like<R>)
    refuse_layout<R>();
  else if constexpr (!index<std::ranges::range_value_t<R>>)
    static_assert(never<R>, "sortile: positions are integers of 32 or 64 bits");
}

/// Says nothing where the elements of R may be written.
template <class R>
constexpr void check_writable() {
  if constexpr (array_like<R> && !writable<R>) {
    if constexpr (!std::ranges::borrowed_range<R>)
      static_assert(never<R>,
                    "sortile: this range is a temporary, and the result would be lost with it; give it a name");
    else
      static_assert(never<R>,
                    "sortile: the elements of this range are const, and the call writes to them; to leave the "
                    "input as it is write sort(in, out) or argsort(in)");
  }
}

template <class B>
constexpr void refuse_double_buffer() {
  static_assert(never<B>,
                "sortile: a double_buffer must be a variable, of keys (and values) that are not const: the call "
                "leaves the result in its `current`");
}

template <class R>
constexpr void check_keys_out() {
  check_keys<R>();
  if constexpr (key_range<R>)
    check_writable<R>();
}

template <class R>
constexpr void check_values_out() {
  check_values<R>();
  if constexpr (value_range<R>)
    check_writable<R>();
}

} // namespace detail

} // namespace sortile

// Overloads that are written alike for many names. Each takes an Index, which some calls name and most leave out, and
// has a deduced result, so that the sentence comes before what depends on the result.

/// NAME with a last argument of which CONDITION, of all arguments, says that it is no options.
#define SORTILE_REFUSES_LAST(NAME, RESULT, CONDITION, REFUSE)                                                          \
  template <class Index = std::uint64_t, class... Arguments>                                                           \
  requires detail::CONDITION<Arguments...>                                                                             \
  auto NAME(Arguments&&...) {                                                                                          \
    detail::REFUSE<Arguments...>();                                                                                    \
    return RESULT;                                                                                                     \
  }

/// NAME of what is not TAKEN, with the other parameters behind it.
#define SORTILE_REFUSES_ELEMENTS(NAME, RESULT, TAKEN, CHECK, ...)                                                      \
  template <class Index = std::uint64_t, class Keys>                                                                   \
  requires(!TAKEN<Keys>) auto NAME(Keys&&, __VA_ARGS__) {                                                              \
    detail::CHECK<Keys>();                                                                                             \
    return RESULT;                                                                                                     \
  }

#pragma GCC visibility pop
