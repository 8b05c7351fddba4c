// Calls that sortile.hpp does not have, and what to write instead. Part of sortile.hpp.
//
// Each function below takes what the one of its name refuses, and nothing that it accepts: its constraint is the
// negation. It exists to end the compilation with one sentence, where a compiler would list every overload and the
// concepts that each of them misses.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>

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

// What is often written.
template <class I, class S>
concept iterators =
    std::input_iterator<std::remove_cvref_t<I>> && std::sentinel_for<std::remove_cvref_t<S>, std::remove_cvref_t<I>>;
template <class P, class N>
concept pointer_and_length = std::is_pointer_v<std::remove_cvref_t<P>> && std::integral<std::remove_cvref_t<N>>;
template <class D>
concept direction = std::same_as<std::remove_cvref_t<D>, order>;
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

/// The second argument of a call says that another interface was meant.
template <class First, class Second>
concept another_interface = iterators<First, Second> || pointer_and_length<First, Second> || direction<Second> ||
    misses_operator<Second, First> || bare_projection<Second, First>;

template <class First, class Second>
constexpr void refuse_another_interface() {
  if constexpr (iterators<First, Second>)
    static_assert(never<First>, "sortile: calls take a range in place of two iterators: sort(v), or "
                                "sort(std::span(first, last)) for a part of it");
  else if constexpr (pointer_and_length<First, Second>)
    static_assert(never<First>, "sortile: calls take a range in place of a pointer and a length: "
                                "sort(std::span(pointer, n))");
  else if constexpr (direction<Second>)
    static_assert(never<First>, "sortile: the direction is one of the options: sort(v, {.order = order::descending})");
  else if constexpr (misses_operator<Second, First>)
    static_assert(never<First>, "sortile: elements of this type have no < for std::less, or no > for std::greater; "
                                "compare members: sort(v, [](const T& a, const T& b) { return ...; }), or name them: "
                                "sort(v, by(&T::member))");
  else
    static_assert(never<First>, "sortile: a projection is wrapped in by(): sort(v, by(&T::member))");
}

/// The elements of this range are no keys.
template <class T>
constexpr void refuse_elements() {
  if constexpr (string_like<T>)
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

template <std::ranges::range In, std::ranges::range Out>
requires(!key_range<In> || !detail::keys_out<Out>) void sort(In&&, Out&&, const options& = {}) {
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

template <class Index = std::uint64_t, class Keys>
requires(!key_range<Keys>) auto argsort(Keys&&, const options& = {}) {
  detail::check_keys<Keys>();
  return std::vector<std::uint64_t>();
}

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

template <std::ranges::range Keys, std::ranges::range Positions>
requires(!key_range<Keys> || !index_range<Positions> || !writable<Positions>) void argsort(Keys&&, Positions&&,
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

template <class Keys>
requires(!key_range<Keys>) auto is_sorted(Keys&&, const options& = {}) {
  detail::check_keys<Keys>();
  return false;
}

template <class First, class Second>
requires detail::another_interface<First, Second>
auto is_sorted(First&&, Second&&, const options& = {}) {
  detail::refuse_another_interface<First, Second>();
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

template <class Positions, class Values>
requires(!index_range<Positions> || !detail::values_out<Values>) void permute(Positions&&, Values&&,
                                                                              const options& = {}) {
  detail::check_positions<Positions>();
  if constexpr (index_range<Positions>)
    detail::check_values_out<Values>();
}

template <class A, class B, class Out>
requires(!comparison_of<Out, B> &&
         (!key_range<A> || !key_range<B> || !detail::keys_out<Out>)) void merge(A&&, B&&, Out&&, const options& = {}) {
  detail::check_keys<A>();
  if constexpr (key_range<A>)
    detail::check_keys<B>();
  if constexpr (key_range<A> && key_range<B>)
    detail::check_keys_out<Out>();
}

} // namespace sortile
#pragma GCC visibility pop
