// Two to eight keys, sorted in the caller's own code, pairs and positions up to 16, and up to 32 that are nearly in
// order. Part of sortile.hpp.
//
// A call of the library takes several times as long as the comparisons of so few keys, which std::sort makes where it
// is called. So calls that ask for no more than an order, bits and a number of threads sort them here.
//
//   integers alone          a network: their images tell them, and the smaller of two and the greater take no branch
//   with values, positions, every pair of images is compared, and the place of an element is how many come before it:
//   floats, bits            n (n − 1) / 2 comparisons, none of which waits for another, and each element moves once.
//                           Equal images are told apart by their positions, so the sort is stable: −0, +0 and NaNs of
//                           many bits keep their order, and so does what differs outside of the bits.
//
// There is no branch to be guessed wrong, which is what random keys cost std::sort.
//
// What the library would ask first must be known: that no engine but the CPU's was asked for by SORTILE_ENGINE, and
// that no array lies in the memory of a GPU. The first call goes to the library, which finds out, and opens the door
// below for as long as that holds for sure. All else that a call may be refused for is asked here, and then the library
// refuses it. The number of comparisons grows with the square of n; from 17 on the library's call is less.
//
// Four and more are compared with their neighbours first: in order they need no move. Up to 32 keys are sought to be in
// order, too, or each before the one before it; or nearly in order, and then each is put between those before it, as
// std::sort does with so few (of keys alone of 4 and 8 bytes, which vectors sort sooner, up to twelve integers). Of all
// others the first eight say that they are not. Checks of order look at the first 64 keys here: most arrays that are
// not in order show it there.
#pragma once

#include <sortile/few_at_once.hpp>
#include <sortile/few_in_order.hpp>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile::detail {

/// Leads to a word that is null while the door is open. The library's alone to change.
extern void** few_door;

inline bool few_door_is_open() noexcept {
  return __atomic_load_n(__atomic_load_n(&few_door, __ATOMIC_RELAXED), __ATOMIC_RELAXED) == nullptr;
}

template <class T>
bool is_sound_array(const T* data) noexcept {
  return data != nullptr && reinterpret_cast<std::uintptr_t>(data) % sizeof(T) == 0;
}

inline bool lie_apart(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) noexcept {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x < y ? y - x >= a_bytes : x - y >= b_bytes;
}

/// A null array is none; the library takes values that are not aligned.
template <class T>
bool is_aligned_array(const T* data) noexcept {
  return data != nullptr && reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
}
template <class T>
bool is_same_or_apart(const few_array<T>& array, std::size_t n) noexcept {
  return array.from == array.to || lie_apart(array.from, n * sizeof(T), array.to, n * sizeof(T));
}
/// Of keys and values, in place both or none.
template <class K, class V>
bool are_apart(const few_array<K>& keys, const few_array<V>& values, std::size_t n) noexcept {
  const std::size_t k = n * sizeof(K), v = n * sizeof(V);
  return lie_apart(keys.to, k, values.to, v) &&
         (keys.from == keys.to ? values.from == values.to
                               : values.from != values.to && is_same_or_apart(keys, n) && is_same_or_apart(values, n) &&
                                     lie_apart(keys.from, k, values.to, v) && lie_apart(values.from, v, keys.to, k));
}

/// Whether so many keys may be done here.
constexpr bool are_few(std::size_t n) noexcept {
  return n - 2 <= most_looked_at - 2;
}

/// Where keys go by some bits, those that are not sorted at once are the library's.
template <class K>
bool are_few_of(std::size_t n, const order_of_bits& by) noexcept {
  return n - 2 <= most_few - 2 && is_within<word_of<K>>(by.bits);
}
template <class K, class Order>
bool are_few_of(std::size_t n, const Order&) noexcept {
  return are_few(n);
}

/// Sorts few keys, or somewhat more that are nearly in order. False: the library has to be called.
template <class K, class Order>
bool sort_few(few_array<K> keys, std::size_t n, Order by) noexcept {
  if (!are_few_of<K>(n, by) || !few_door_is_open() || !is_sound_array(keys.from) || !is_sound_array(keys.to) ||
      !is_same_or_apart(keys, n))
    return false;
  const few_codec<K, Order> codec(by);
  if constexpr (!few_codec<K, Order>::has_bits)
    if (n > most_few)
      return place_in_order(n, codec, keys);
  by_number(n, [&](auto all) SORTILE_INLINED { sort_elements(codec, all, keys); });
  return true;
}

inline constexpr std::size_t widest_few = 64; // bytes of a value

/// The same with their values.
template <class K, class V, class Order>
bool sort_few(few_array<K> keys, few_array<V> values, std::size_t n, Order by) noexcept {
  if constexpr (sizeof(V) > widest_few) {
    return false;
  } else {
    if (!are_few_of<K>(n, by) || !few_door_is_open() || !is_sound_array(keys.from) || !is_sound_array(keys.to) ||
        !is_aligned_array(values.from) || !is_aligned_array(values.to) || !are_apart(keys, values, n))
      return false;
    const few_codec<K, Order> codec(by);
    if constexpr (!few_codec<K, Order>::has_bits)
      if (n > most_few)
        return place_in_order(n, codec, keys, values);
    by_number(n, [&](auto all) SORTILE_INLINED { sort_elements(codec, all, keys, values); });
    return true;
  }
}

/// Writes the order of few keys, or of somewhat more that are nearly in order. False: the library has to be called.
template <class K, class Index, class Order>
bool argsort_few(const K* keys, Index* positions, std::size_t n, Order by) noexcept {
  if (!are_few_of<K>(n, by) || !few_door_is_open() || !is_sound_array(keys) || !is_sound_array(positions) ||
      !lie_apart(keys, n * sizeof(K), positions, n * sizeof(Index)))
    return false;
  const few_codec<K, Order> codec(by);
  if constexpr (!few_codec<K, Order>::has_bits)
    if (n > most_few)
      return number_in_order(keys, positions, n, codec);
  by_number(n, [&](auto all) SORTILE_INLINED { order_elements(codec, all, keys, positions); });
  return true;
}

/// Whether sort(order) has done what options ask for, which is an order at most. False: the library has to be called.
template <class Sort>
SORTILE_INLINED inline bool sort_as_asked(const options& opts, const Sort& sort) {
  return are_usual_but_bits(opts) &&
         (are_whole_keys(opts.bits) ? sort(opts.order) : sort(order_of_bits{opts.order, opts.bits}));
}

/// What the first keys say of the order of all.
enum class few_order { unknown, in_order, out_of_order };

inline constexpr std::size_t most_checked = 64; // keys; from here on the library's vectors are worth the call

/// Whether keys are in order, where the first most_checked show it: they are all, or one is out of order. Else the
/// library has to be called.
template <class K, class Order>
few_order order_of_few(const K* keys, std::size_t n, Order by) noexcept {
  if (n < 2 || !few_door_is_open() || !is_sound_array(keys))
    return few_order::unknown;
  const few_codec<K, Order> codec(by);
  const std::size_t few = n < most_checked ? n : most_checked;
  auto last = codec.image(keys[0]);
  for (std::size_t i = 1; i < few; ++i) {
    const auto image = codec.image(keys[i]);
    if (image < last)
      return few_order::out_of_order;
    last = image;
  }
  return few == n ? few_order::in_order : few_order::unknown;
}

} // namespace sortile::detail
#pragma GCC visibility pop
