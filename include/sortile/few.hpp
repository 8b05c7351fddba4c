// Two to eight keys, sorted in the caller's own code. Part of sortile.hpp.
//
// A call of the library takes several times as long as the comparisons of so few keys, which std::sort makes where it
// is called. So calls by the usual options sort them here, by exchanges of neighbours in turns:
//
//   a ─┬─────┬─────     Four keys: a b and c d are compared, then b c, then the same once more; n keys take n such
//   b ─┴──┬──┴──┬──     rounds. Neighbours change places only where the second is below the first, so the sort is
//   c ─┬──┴──┬──┴──     stable: values and positions go with their keys, and −0, +0 and NaNs of many bits keep their
//   d ─┴─────┴─────     order. There is no branch to be guessed wrong, which is what random keys cost std::sort.
//
// What the library would ask first must be known: that no engine but the CPU's was asked for by SORTILE_ENGINE, and
// that no array lies in the memory of a GPU. The first call goes to the library, which finds out, and opens the door
// below for as long as that holds for sure. All else that a call may be refused for is asked here, and then the library
// refuses it. Eight keys take 28 exchanges, a third of what a call of the library takes; their number grows with the
// square of n.
//
// Checks of order look at the first eight keys here, too: most arrays that are not in order show it there.
#pragma once

#include <sortile/types.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile::detail {

/// Leads to a word that is null while the door is open. The library's alone to change.
extern void** few_door;

inline bool few_door_is_open() noexcept {
  return __atomic_load_n(__atomic_load_n(&few_door, __ATOMIC_RELAXED), __ATOMIC_RELAXED) == nullptr;
}

inline constexpr std::size_t most_few = 8;

template <std::size_t Bytes>
struct word_of_bytes {};
template <>
struct word_of_bytes<1> {
  using type = std::uint8_t;
};
template <>
struct word_of_bytes<2> {
  using type = std::uint16_t;
};
template <>
struct word_of_bytes<4> {
  using type = std::uint32_t;
};
template <>
struct word_of_bytes<8> {
  using type = std::uint64_t;
};
template <>
struct word_of_bytes<16> {
  using type = uint128;
};
template <class T>
using word_of = typename word_of_bytes<sizeof(T)>::type;

/// A type whose objects are assigned as one word.
template <class T>
inline constexpr bool is_word = std::is_copy_assignable_v<T>&& requires {
  typename word_of<T>;
};

template <class Word>
constexpr Word all_bits_if(bool condition) {
  return static_cast<Word>(-static_cast<Word>(condition));
}

/// The unsigned number that sorts as a key with these bits does.
template <key_type Type, class Word>
constexpr Word image_of(Word u) {
  constexpr Word sign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  if constexpr (is_float(Type)) {
    constexpr unsigned mantissa = Type == key_type::f64   ? 52
                                  : Type == key_type::f32 ? 23
                                  : Type == key_type::f16 ? 10
                                                          : 7;
    constexpr Word infinity = static_cast<Word>((sign >> mantissa) - 1) << mantissa;
    const Word magnitude = static_cast<Word>(u & static_cast<Word>(~sign));
    const Word number = static_cast<Word>(u & all_bits_if<Word>(magnitude != 0)); // −0 is 0
    const Word flipped = static_cast<Word>(number ^ (all_bits_if<Word>((number & sign) != 0) | sign));
    return static_cast<Word>(flipped | all_bits_if<Word>(magnitude > infinity)); // a NaN has all
  } else {
    return static_cast<Word>(u ^ (is_signed_integer(Type) ? sign : Word{0}));
  }
}

/// Stands for a key that its image tells, and for no value.
struct nothing {};

/// What is sorted, N of each: images of keys, the keys where images do not tell them, and what goes with them.
template <std::size_t N, class Image, class Key, class Value>
struct few_elements {
  Image images[N];
  Key keys[N];
  Value values[N];

  template <class T>
  [[gnu::always_inline]] static void exchange_if(std::int64_t mask, T& a, T& b) {
    if constexpr (!std::is_same_v<T, nothing>) {
      const T change = static_cast<T>((a ^ b) & static_cast<T>(mask));
      a = static_cast<T>(a ^ change);
      b = static_cast<T>(b ^ change);
    }
  }

  template <std::size_t A>
  [[gnu::always_inline]] void order_neighbours() {
    if constexpr (A + 1 < N) {
      Image &a = images[A], &b = images[A + 1];
      const bool exchange = b < a;
      if constexpr (!std::is_same_v<Key, nothing> || !std::is_same_v<Value, nothing>) {
        std::int64_t mask = -std::int64_t{exchange};
        asm("" : "+r"(mask)); // compilers make branches of what they know to be one of two values
        exchange_if(mask, keys[A], keys[A + 1]);
        exchange_if(mask, values[A], values[A + 1]);
      }
      const Image less = exchange ? b : a;
      b = exchange ? a : b;
      a = less;
    }
  }

  template <std::size_t... I>
  [[gnu::always_inline]] void sort(std::index_sequence<I...>) {
    const auto round = [this]<std::size_t First>(std::integral_constant<std::size_t, First>)
        __attribute__((always_inline)) {
      ((I % 2 == First ? order_neighbours<I>() : void()), ...);
    };
    (round(std::integral_constant<std::size_t, I % 2>{}), ...);
  }
};

template <class T>
bool is_sound_array(const T* data) noexcept {
  return data != nullptr && reinterpret_cast<std::uintptr_t>(data) % sizeof(T) == 0;
}

inline bool lie_apart(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) noexcept {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x < y ? y - x >= a_bytes : x - y >= b_bytes;
}

constexpr bool are_few(std::size_t n) noexcept {
  return n - 2 <= most_few - 2;
}

/// How the keys of a type become elements, and elements keys.
template <class K>
struct few_codec {
  static constexpr key_type type = key_type_of<K>;
  using word = word_of<K>;
  using key = std::conditional_t<is_float(type), word, nothing>; // −0 and NaNs share images

  template <std::size_t N, class Value, std::size_t... I>
  [[gnu::always_inline]] static void take(const K* from, few_elements<N, word, key, Value>& e,
                                          std::index_sequence<I...>) {
    const auto one = [&](std::size_t i) __attribute__((always_inline)) {
      const auto bits = std::bit_cast<word>(from[i]);
      e.images[i] = image_of<type>(bits);
      if constexpr (is_float(type))
        e.keys[i] = bits;
    };
    (one(I), ...);
  }

  template <class Elements>
  [[gnu::always_inline]] static K key_of(const Elements& e, std::size_t i) {
    if constexpr (is_float(type))
      return std::bit_cast<K>(e.keys[i]);
    else
      return std::bit_cast<K>(image_of<type>(e.images[i])); // which is its own inverse
  }
};

/// Calls sort(index_sequence<0 … n - 1>), n = 2 … most_few.
template <class Sort>
[[gnu::always_inline]] inline void by_number(std::size_t n, const Sort& sort) {
  switch (n) {
  case 2:
    return sort(std::make_index_sequence<2>{});
  case 3:
    return sort(std::make_index_sequence<3>{});
  case 4:
    return sort(std::make_index_sequence<4>{});
  case 5:
    return sort(std::make_index_sequence<5>{});
  case 6:
    return sort(std::make_index_sequence<6>{});
  case 7:
    return sort(std::make_index_sequence<7>{});
  default:
    return sort(std::make_index_sequence<8>{});
  }
}

/// Sorts few keys. False: nothing was done, and the library has to be called.
template <class K>
bool sort_few(K* keys, std::size_t n) noexcept {
  if (!are_few(n) || !few_door_is_open() || !is_sound_array(keys))
    return false;
  by_number(
      n, [keys]<std::size_t... I>(std::index_sequence<I...> all) {
        using codec = few_codec<K>;
        few_elements<sizeof...(I), typename codec::word, typename codec::key, nothing> e;
        codec::take(keys, e, all);
        e.sort(all);
        ((keys[I] = codec::key_of(e, I)), ...);
      });
  return true;
}

inline constexpr std::size_t widest_few = 64; // bytes of a value

/// The same with their values. Those that are no words follow positions, which are sorted in their place.
template <class K, class V>
bool sort_few(K* keys, V* values, std::size_t n) noexcept {
  if (!are_few(n) || !few_door_is_open() || !is_sound_array(keys) || values == nullptr ||
      reinterpret_cast<std::uintptr_t>(values) % alignof(V) != 0 || // the library takes such values
      !lie_apart(keys, n * sizeof(K), values, n * sizeof(V)))
    return false;
  if constexpr (is_word<V>) {
    by_number(
        n, [ keys, values ]<std::size_t... I>(std::index_sequence<I...> all) {
          using codec = few_codec<K>;
          few_elements<sizeof...(I), typename codec::word, typename codec::key, word_of<V>> e;
          codec::take(keys, e, all);
          ((e.values[I] = std::bit_cast<word_of<V>>(values[I])), ...);
          e.sort(all);
          ((keys[I] = codec::key_of(e, I)), ...);
          ((values[I] = std::bit_cast<V>(e.values[I])), ...);
        });
    return true;
  } else if constexpr (sizeof(V) <= widest_few) {
    by_number(
        n, [ keys, values ]<std::size_t... I>(std::index_sequence<I...> all) {
          using codec = few_codec<K>;
          few_elements<sizeof...(I), typename codec::word, typename codec::key, std::uint32_t> e{
              .images{}, .keys{}, .values{I...}};
          codec::take(keys, e, all);
          e.sort(all);
          ((keys[I] = codec::key_of(e, I)), ...);
          unsigned char copy[sizeof...(I) * sizeof(V)];
          std::memcpy(copy, static_cast<const void*>(values), sizeof copy);
          (std::memcpy(static_cast<void*>(values + I), copy + e.values[I] * sizeof(V), sizeof(V)), ...);
        });
    return true;
  } else {
    return false;
  }
}

/// What the first few keys say of the order of all.
enum class few_order { unknown, in_order, out_of_order };

/// Whether keys are in ascending order, where the first most_few show it: they are all, or one is out of order. Else
/// the library has to be called.
template <class K>
few_order order_of_few(const K* keys, std::size_t n) noexcept {
  if (n < 2 || !few_door_is_open() || !is_sound_array(keys))
    return few_order::unknown;
  const std::size_t few = n < most_few ? n : most_few;
  auto last = image_of<key_type_of<K>>(std::bit_cast<word_of<K>>(keys[0]));
  for (std::size_t i = 1; i < few; ++i) {
    const auto image = image_of<key_type_of<K>>(std::bit_cast<word_of<K>>(keys[i]));
    if (image < last)
      return few_order::out_of_order;
    last = image;
  }
  return few == n ? few_order::in_order : few_order::unknown;
}

/// Writes the order of few keys.
template <class K, class Index>
bool argsort_few(const K* keys, Index* positions, std::size_t n) noexcept {
  if (!are_few(n) || !few_door_is_open() || !is_sound_array(keys) || !is_sound_array(positions) ||
      !lie_apart(keys, n * sizeof(K), positions, n * sizeof(Index)))
    return false;
  by_number(
      n, [ keys, positions ]<std::size_t... I>(std::index_sequence<I...> all) {
        using codec = few_codec<K>;
        few_elements<sizeof...(I), typename codec::word, typename codec::key, Index> e{
            .images{}, .keys{}, .values{I...}};
        codec::take(keys, e, all);
        e.sort(all);
        ((positions[I] = e.values[I]), ...);
      });
  return true;
}

} // namespace sortile::detail
#pragma GCC visibility pop
