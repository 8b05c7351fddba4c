// Two to eight keys, sorted in the caller's own code, and up to 32 that are nearly in order. Part of sortile.hpp.
//
// A call of the library takes several times as long as the comparisons of so few keys, which std::sort makes where it
// is called. So calls that ask for no more than an order and a number of threads sort them here, by exchanges of
// neighbours in turns:
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
// Where values, positions or floats go with the images, five and more are compared first: in order they need no
// exchange. Up to 32 keys are sought to be in order, too, or each before the one before it; or nearly in order, and
// then each is put between those before it, as std::sort does with so few (of keys alone of 4 and 8 bytes, which
// vectors sort sooner, up to twelve integers). Of all others the first eight say that they are not, and the library
// sorts them. Checks of order look at the first 64 keys here: most arrays that are not in order show it there.
#pragma once

#include <sortile/options.hpp>
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
inline constexpr std::size_t least_seen = 5;      // keys with more than their images to exchange
inline constexpr std::size_t most_looked_at = 32; // keys of which it is asked whether they are in order as they are

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

/// Whether options leave nothing to ask the library: all but order and number of threads are as they are by default.
/// Where options are made for the call, compilers see that they are, and ask nothing.
[[gnu::always_inline]] inline bool are_usual(const options& opts) noexcept {
  return opts.order <= order::descending && opts.bits.begin == 0 && opts.bits.end == bit_window::whole_key &&
         opts.engine.empty() && !opts.progress && opts.workspace.data() == nullptr && opts.workspace_limit == 0 &&
         opts.memory == memory::host && opts.stream == nullptr && opts.resource == nullptr && !opts.checked;
}

inline constexpr std::size_t most_inserted = 16; // strings or structs, each put between those before it

/// Whether a comparison that found below, equal or above, as a number below, equal to or above 0, puts the first of two
/// before the second.
inline bool comes_first(int found, order all) noexcept {
  return all == order::descending ? found > 0 : found < 0;
}

/// A type whose objects are assigned as one word.
template <class T>
inline constexpr bool is_word = std::is_copy_assignable_v<T>&& requires {
  typename word_of<T>;
};

template <class Word>
constexpr Word all_bits_if(bool condition) {
  return static_cast<Word>(-static_cast<Word>(condition));
}

/// The sign bit of a type, and the bits of +infinity of floats.
template <class Word>
inline constexpr Word sign_bit = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
template <key_type Type>
inline constexpr unsigned mantissa_bits = Type == key_type::f64   ? 52
                                          : Type == key_type::f32 ? 23
                                          : Type == key_type::f16 ? 10
                                                                  : 7;
template <key_type Type, class Word>
inline constexpr Word infinity_of = static_cast<Word>(static_cast<Word>((sign_bit<Word> >> mantissa_bits<Type>)-1)
                                                      << mantissa_bits<Type>);

/// The unsigned number that sorts as a key with these bits does.
template <key_type Type, class Word>
constexpr Word image_of(Word u) {
  constexpr Word sign = sign_bit<Word>;
  if constexpr (is_float(Type)) {
    constexpr Word infinity = infinity_of<Type, Word>;
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

  /// Where much is exchanged, keys in order are told first, without a branch on any.
  template <std::size_t... I>
  [[gnu::always_inline]] bool are_seen_in_order(std::index_sequence<I...>) const {
    if constexpr (N < least_seen || (std::is_same_v<Key, nothing> && std::is_same_v<Value, nothing>)) {
      return false;
    } else {
      return ((I == 0 || images[I] >= images[I == 0 ? 0 : I - 1]) & ...);
    }
  }

  template <std::size_t... I>
  [[gnu::always_inline]] void sort(std::index_sequence<I...> all) {
    if (are_seen_in_order(all))
      return;
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

/// Whether so many keys may be done here.
constexpr bool are_few(std::size_t n) noexcept {
  return n - 2 <= most_looked_at - 2;
}

/// How the keys of a type become elements, and elements keys. Direction: an order; or nothing, which is ascending.
template <class K, class... Direction>
struct few_codec {
  static constexpr key_type type = key_type_of<K>;
  using word = word_of<K>;
  static constexpr bool is_of_floats = is_float(type);
  using key = std::conditional_t<is_of_floats, word, nothing>; // −0 and NaNs share images

  word flip; ///< all bits where the order is descending

  explicit few_codec(Direction... direction) : flip(all_bits_if<word>(((direction == order::descending) || ...))) {}

  [[gnu::always_inline]] word image(const K& given) const {
    return static_cast<word>(image_of<type>(std::bit_cast<word>(given)) ^ flip);
  }

  /// Orders keys that are neither −0 nor NaN. Of floats it takes a third of what images take; numbers of bits, since
  /// some programs have the processor take small floats for zeros.
  [[gnu::always_inline]] word number(const K& given) const {
    if constexpr (is_float(type)) {
      const word u = std::bit_cast<word>(given);
      const auto negative = static_cast<word>(static_cast<std::make_signed_t<word>>(u) >> (8 * sizeof(word) - 1));
      return static_cast<word>(u ^ (negative | sign_bit<word>)^flip);
    } else {
      return image(given);
    }
  }
  [[gnu::always_inline]] bool comes_before(const K& a, const K& b) const { return number(a) < number(b); }
  [[gnu::always_inline]] bool is_special(const K& given) const {
    if constexpr (is_float(type)) {
      const word u = std::bit_cast<word>(given), magnitude = static_cast<word>(u << 1);
      return magnitude > static_cast<word>(infinity_of<type, word> << 1) || u == sign_bit<word>;
    } else {
      return false;
    }
  }
  /// How many of the keys from the second on come before the one before them. Of floats about as many.
  template <std::size_t... I>
  [[gnu::always_inline]] std::size_t descents(const K* keys, std::index_sequence<I...>) const {
    if constexpr (std::is_floating_point_v<K>)
      return flip == 0 ? (std::size_t{keys[I + 1] < keys[I]} + ...) : (std::size_t{keys[I] < keys[I + 1]} + ...);
    else
      return (std::size_t{comes_before(keys[I + 1], keys[I])} + ...);
  }

  template <std::size_t N, class Value, std::size_t... I>
  [[gnu::always_inline]] void take(const K* from, few_elements<N, word, key, Value>& e,
                                   std::index_sequence<I...>) const {
    ((e.images[I] = image(from[I])), ...);
    if constexpr (is_float(type))
      ((e.keys[I] = std::bit_cast<word>(from[I])), ...);
  }

  template <class Elements>
  [[gnu::always_inline]] K key_of(const Elements& e, std::size_t i) const {
    if constexpr (is_float(type))
      return std::bit_cast<K>(e.keys[i]);
    else
      return std::bit_cast<K>(image_of<type>(static_cast<word>(e.images[i] ^ flip))); // which is its own inverse
  }
};

inline constexpr std::size_t seen_first = 8; // keys that mostly tell that all are in random order
inline constexpr std::make_index_sequence<7> neighbours_at_first{};

/// What all keys say of their order.
enum class found_order {
  none,
  rising,        ///< each at or behind the one before it
  nearly_rising, ///< one or two come before the one before them, as where two have been exchanged
  falling,       ///< each comes before the one before it
};

/// The order of n ≥ seen_first keys, with up to `few` descents. Of the first eight those are counted that come before
/// the one before them, without a branch: of random keys mostly three to five. Where there are few, such are counted
/// among all. Where a −0 or a NaN is among them, there is none.
template <class K, class Codec>
[[gnu::always_inline]] inline found_order look_at_order(const K* keys, std::size_t n, std::size_t few,
                                                        const Codec& codec) noexcept {
  constexpr std::size_t all_at_first = neighbours_at_first.size();
  static_assert(all_at_first == seen_first - 1);
  const std::size_t at_first = codec.descents(keys, neighbours_at_first);
  if (at_first > few && at_first != all_at_first)
    return found_order::none;
  constexpr bool is_exact = !Codec::is_of_floats; // and need not be counted twice
  std::size_t descents = is_exact ? at_first : 0, i = is_exact ? seen_first : 1;
  bool has_special = codec.is_special(keys[0]);
  for (auto last = codec.number(keys[i - 1]); i < n; ++i) {
    const auto number = codec.number(keys[i]);
    descents += number < last;
    last = number;
    has_special |= codec.is_special(keys[i]);
  }
  if (has_special)
    return found_order::none;
  if (descents == n - 1)
    return found_order::falling;
  return descents == 0 ? found_order::rising : descents <= few ? found_order::nearly_rising : found_order::none;
}

inline constexpr std::size_t few_descents = 2;

/// Moves of an element by one place after which keys are not nearly in order: twice as many as there are elements,
/// which two that have been exchanged need at most.
constexpr std::size_t most_shifts(std::size_t n) noexcept {
  return 2 * n;
}

template <class T>
void turn_round(T* data, std::size_t n) noexcept {
  for (T *front = data, *back = data + n - 1; front < back; ++front, --back) {
    unsigned char a[sizeof(T)], b[sizeof(T)];
    std::memcpy(a, static_cast<const void*>(front), sizeof(T));
    std::memcpy(b, static_cast<const void*>(back), sizeof(T));
    std::memcpy(static_cast<void*>(front), b, sizeof(T));
    std::memcpy(static_cast<void*>(back), a, sizeof(T));
  }
}

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

/// The bytes of an object, while it is moved.
template <class T>
struct held_bytes {
  unsigned char bytes[sizeof(T)];
  explicit held_bytes(const T& from) { std::memcpy(bytes, static_cast<const void*>(&from), sizeof(T)); }
  void put(T& to) const { std::memcpy(static_cast<void*>(&to), bytes, sizeof(T)); }
};

template <class T>
[[gnu::always_inline]] inline void move_up(T* at) noexcept {
  std::memcpy(static_cast<void*>(at), static_cast<const void*>(at - 1), sizeof(T));
}

/// Puts each key, and its values, between those before it. False where that takes too many moves: what has been done
/// does not show in a stable sort of the rest.
template <class Codec, class K, class... V>
bool insert_nearly(std::size_t n, const Codec& codec, K* keys, V*... values) noexcept {
  std::size_t left = most_shifts(n);
  for (std::size_t i = 1; i < n; ++i) {
    if (!codec.comes_before(keys[i], keys[i - 1]))
      continue;
    std::size_t at = i;
    [&](const K given, const held_bytes<K> key, const held_bytes<V>... value) __attribute__((always_inline)) {
      do {
        move_up(keys + at);
        (move_up(values + at), ...);
        --at;
      } while (at > 0 && codec.comes_before(given, keys[at - 1]));
      key.put(keys[at]);
      (value.put(values[at]), ...);
    }
    (keys[i], held_bytes<K>(keys[i]), held_bytes<V>(values[i])...);
    if (i - at > left)
      return false;
    left -= i - at;
  }
  return true;
}

/// Keys alone that are put between each other where they are nearly in order; of 4 and 8 bytes the library's vectors
/// sort more, and floats, sooner.
template <class K>
inline constexpr std::size_t most_nearly_alone = sizeof(K) != 4 && sizeof(K) != 8 ? most_looked_at
                                                 : is_float(key_type_of<K>)       ? 0
                                                                                  : 12;

/// More than most_few keys, and their values where there are any: only where these are nearly in order, or each before
/// the one before it. False: they may have moved, but a stable sort of them gives what it would have given.
template <class Codec, class K, class... V>
[[gnu::noinline]] bool place_in_order(std::size_t n, Codec codec, K* keys, V*... values) noexcept {
  const std::size_t few = sizeof...(V) > 0 || n <= most_nearly_alone<K> ? few_descents : 0;
  switch (look_at_order(keys, n, few, codec)) {
  case found_order::none:
    return false;
  case found_order::rising:
    return true;
  case found_order::nearly_rising:
    return insert_nearly(n, codec, keys, values...);
  case found_order::falling:
    break;
  }
  turn_round(keys, n);
  (turn_round(values, n), ...);
  return true;
}

/// Sorts few keys, or somewhat more that are nearly in order. False: the library has to be called.
template <class K, class... Direction>
bool sort_few(K* keys, std::size_t n, Direction... direction) noexcept {
  if (!are_few(n) || !few_door_is_open() || !is_sound_array(keys))
    return false;
  const few_codec<K, Direction...> codec(direction...);
  if (n > most_few)
    return place_in_order(n, codec, keys);
  by_number(
      n, [ keys, codec ]<std::size_t... I>(std::index_sequence<I...> all) {
        using codecs = few_codec<K, Direction...>;
        few_elements<sizeof...(I), typename codecs::word, typename codecs::key, nothing> e;
        codec.take(keys, e, all);
        e.sort(all);
        ((keys[I] = codec.key_of(e, I)), ...);
      });
  return true;
}

inline constexpr std::size_t widest_few = 64; // bytes of a value

/// The same with their values. Those that are no words follow positions, which are sorted in their place.
template <class K, class V, class... Direction>
bool sort_few(K* keys, V* values, std::size_t n, Direction... direction) noexcept {
  if constexpr (!is_word<V> && sizeof(V) > widest_few) {
    return false;
  } else {
    if (!are_few(n) || !few_door_is_open() || !is_sound_array(keys) || values == nullptr ||
        reinterpret_cast<std::uintptr_t>(values) % alignof(V) != 0 || // the library takes such values
        !lie_apart(keys, n * sizeof(K), values, n * sizeof(V)))
      return false;
    const few_codec<K, Direction...> codec(direction...);
    if (n > most_few)
      return place_in_order(n, codec, keys, values);
    by_number(
        n, [ keys, values, codec ]<std::size_t... I>(std::index_sequence<I...> all) {
          using codecs = few_codec<K, Direction...>;
          if constexpr (is_word<V>) {
            few_elements<sizeof...(I), typename codecs::word, typename codecs::key, word_of<V>> e;
            codec.take(keys, e, all);
            ((e.values[I] = std::bit_cast<word_of<V>>(values[I])), ...);
            e.sort(all);
            ((keys[I] = codec.key_of(e, I)), ...);
            ((values[I] = std::bit_cast<V>(e.values[I])), ...);
          } else {
            few_elements<sizeof...(I), typename codecs::word, typename codecs::key, std::uint32_t> e{
                .images{}, .keys{}, .values{I...}};
            codec.take(keys, e, all);
            e.sort(all);
            ((keys[I] = codec.key_of(e, I)), ...);
            unsigned char copy[sizeof...(I) * sizeof(V)];
            std::memcpy(copy, static_cast<const void*>(values), sizeof copy);
            (std::memcpy(static_cast<void*>(values + I), copy + e.values[I] * sizeof(V), sizeof(V)), ...);
          }
        });
    return true;
  }
}

/// The same of positions, which are written.
template <class K, class Index, class Codec>
[[gnu::noinline]] bool number_in_order(const K* keys, Index* positions, std::size_t n, Codec codec) noexcept {
  const found_order found = look_at_order(keys, n, few_descents, codec);
  if (found != found_order::nearly_rising) {
    for (std::size_t i = 0; i < n && found != found_order::none; ++i)
      positions[i] = static_cast<Index>(found == found_order::rising ? i : n - 1 - i);
    return found != found_order::none;
  }
  std::size_t left = most_shifts(n);
  positions[0] = 0;
  for (std::size_t i = 1; i < n; ++i) {
    const K key = keys[i];
    std::size_t at = i;
    for (; at > 0 && codec.comes_before(key, keys[positions[at - 1]]); --at)
      positions[at] = positions[at - 1];
    positions[at] = static_cast<Index>(i);
    if (i - at > left)
      return false;
    left -= i - at;
  }
  return true;
}

/// Writes the order of few keys, or of somewhat more that are nearly in order. False: the library has to be called.
template <class K, class Index, class... Direction>
bool argsort_few(const K* keys, Index* positions, std::size_t n, Direction... direction) noexcept {
  if (!are_few(n) || !few_door_is_open() || !is_sound_array(keys) || !is_sound_array(positions) ||
      !lie_apart(keys, n * sizeof(K), positions, n * sizeof(Index)))
    return false;
  const few_codec<K, Direction...> codec(direction...);
  if (n > most_few)
    return number_in_order(keys, positions, n, codec);
  by_number(
      n, [ keys, positions, codec ]<std::size_t... I>(std::index_sequence<I...> all) {
        using codecs = few_codec<K, Direction...>;
        few_elements<sizeof...(I), typename codecs::word, typename codecs::key, Index> e{
            .images{}, .keys{}, .values{I...}};
        codec.take(keys, e, all);
        e.sort(all);
        ((positions[I] = e.values[I]), ...);
      });
  return true;
}

/// What the first keys say of the order of all.
enum class few_order { unknown, in_order, out_of_order };

inline constexpr std::size_t most_checked = 64; // keys; from here on the library's vectors are worth the call

/// Whether keys are in order, where the first most_checked show it: they are all, or one is out of order. Else the
/// library has to be called.
template <class K, class... Direction>
few_order order_of_few(const K* keys, std::size_t n, Direction... direction) noexcept {
  if (n < 2 || !few_door_is_open() || !is_sound_array(keys))
    return few_order::unknown;
  const few_codec<K, Direction...> codec(direction...);
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
