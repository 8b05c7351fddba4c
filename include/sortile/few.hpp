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

#include <sortile/options.hpp>
#include <sortile/types.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <ranges>
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
inline constexpr std::size_t least_seen = 4;      // that are asked whether they are in order
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

/// Whether options leave nothing to ask the library: all but order, bits and number of threads are as they are by
/// default. Where options are made for the call, compilers see that they are, and ask nothing.
[[gnu::always_inline]] inline bool are_usual_but_bits(const options& opts) noexcept {
  return opts.order <= order::descending && opts.engine.empty() && !opts.progress && opts.workspace.data() == nullptr &&
         opts.workspace_limit == 0 && opts.memory == memory::host && opts.stream == nullptr &&
         opts.resource == nullptr && !opts.checked;
}

[[gnu::always_inline]] inline bool are_whole_keys(bit_window bits) noexcept {
  return bits.begin == 0 && bits.end == bit_window::whole_key;
}

/// The same with whole keys.
[[gnu::always_inline]] inline bool are_usual(const options& opts) noexcept {
  return are_whole_keys(opts.bits) && are_usual_but_bits(opts);
}

/// Calls f with options as they are by default but for an order. A function of its own: where few elements are sorted
/// without options, none are made.
template <class F>
[[gnu::noinline]] void with_usual_options(order direction, const F& f) {
  options opts;
  opts.order = direction;
  f(opts);
}

inline constexpr std::size_t most_inserted = 16; // strings or structs, each put between those before it

/// Whether a comparison that found below, equal or above, as a number below, equal to or above 0, puts the first of two
/// before the second.
inline bool comes_first(int found, order all) noexcept {
  return all == order::descending ? found > 0 : found < 0;
}

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

// ---- what is moved ----

/// The bytes of an object, while it is moved.
template <class T>
struct held {
  unsigned char bytes[sizeof(T)];
};

template <class T>
[[gnu::always_inline]] inline held<T> hold(const T& from) noexcept {
  held<T> object;
  std::memcpy(&object, static_cast<const void*>(&from), sizeof(T));
  return object;
}
template <class T>
[[gnu::always_inline]] inline void put_held(const held<T>& object, T& to) noexcept {
  std::memcpy(static_cast<void*>(&to), &object, sizeof(T));
}

/// An array to be sorted, and where the result belongs: in place, or apart.
template <class T>
struct few_array {
  const T* from;
  T* to;

  void copy(std::size_t n) const noexcept {
    if (from != to)
      std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(T));
  }
};
template <class R>
auto in_place(R& range) {
  auto* const data = std::ranges::data(range);
  return few_array<std::ranges::range_value_t<R>>{data, data};
}
/// Of elements of one type: that they are is said where a request is made of them.
template <class In, class Out>
auto from_to(In& in, Out& out) {
  using T = std::ranges::range_value_t<Out>;
  return few_array<T>{static_cast<const T*>(static_cast<const void*>(std::ranges::data(in))), std::ranges::data(out)};
}

// ---- two to eight ----

struct few_comparator {
  unsigned char a, b;
};
/// The fewest comparators known for eight keys. Without those that reach a key that is not there they sort two to
/// seven, as if the others were the greatest; these are the fewest, too.
inline constexpr few_comparator few_network[] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                                 {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                                 {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};

template <std::size_t A, std::size_t B, std::size_t N, class Image>
[[gnu::always_inline]] inline void order_two(Image (&images)[N]) noexcept {
  if constexpr (B < N) {
    Image &a = images[A], &b = images[B];
    const bool exchanged = b < a;
    const Image less = exchanged ? b : a;
    b = exchanged ? a : b;
    a = less;
  }
}

template <std::size_t N, class Image>
[[gnu::always_inline]] inline void sort_images(Image (&images)[N]) noexcept {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (order_two<few_network[I].a, few_network[I].b>(images), ...);
  }
  (std::make_index_sequence<std::size(few_network)>{});
}

/// The places of images in their stable order. A rank begins as the position; each pair moves one of two.
template <std::size_t N, class Image>
[[gnu::always_inline]] inline void rank_images(const Image (&images)[N], std::size_t (&ranks)[N]) noexcept {
  const auto compare = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) __attribute__((always_inline)) {
    constexpr std::size_t a = At / N, b = At % N;
    if constexpr (a < b) {
      const std::size_t second_first = images[b] < images[a];
      ranks[a] += second_first;
      ranks[b] -= second_first;
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (compare(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<N * N>{});
}

/// N elements of an array, taken out of it before they are put where their ranks say.
template <class T, std::size_t... I>
[[gnu::always_inline]] inline auto hold_all(const few_array<T>& array, std::index_sequence<I...>) noexcept {
  struct {
    held<T> elements[sizeof...(I)];
  } all{{hold(array.from[I])...}};
  return all;
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

/// Orders of few keys: ascending by the whole key, in a direction, or by some bits too.
struct natural_order {};
struct order_of_bits {
  sortile::order direction;
  bit_window bits;
};

/// The bits of a word in a window that lies within it.
template <class Word>
constexpr Word bits_within(bit_window bits) noexcept {
  constexpr unsigned width = 8 * sizeof(Word);
  const unsigned end = bits.end == bit_window::whole_key ? width : bits.end;
  const auto below = [](unsigned n) {
    return n == width ? static_cast<Word>(~Word{0}) : static_cast<Word>((Word{1} << n) - 1);
  };
  return static_cast<Word>(below(end) ^ below(bits.begin));
}
template <class Word>
constexpr bool is_within(bit_window bits) noexcept {
  constexpr unsigned width = 8 * sizeof(Word);
  return bits.begin <= width && (bits.end == bit_window::whole_key || (bits.begin <= bits.end && bits.end <= width));
}

/// The bits of an image that are compared, where not all are. A base, so that other codecs travel in one register.
template <class Word, class Order>
struct few_window {
  explicit few_window(Order) {}
};
template <class Word>
struct few_window<Word, order_of_bits> {
  Word decides;
  explicit few_window(order_of_bits by) : decides(bits_within<Word>(by.bits)) {}
};

/// How the keys of a type become images, and images keys.
template <class K, class Order>
struct few_codec : few_window<word_of<K>, Order> {
  static constexpr key_type type = key_type_of<K>;
  using word = word_of<K>;
  static constexpr bool has_bits = std::is_same_v<Order, order_of_bits>;
  static constexpr bool is_of_floats = is_float(type);
  static constexpr bool tells_keys = !is_of_floats && !has_bits; // −0 and NaNs share images

  word flip; ///< all bits where the order is descending

  explicit few_codec(Order by) : few_window<word, Order>(by), flip(all_bits_if<word>(descends(by))) {}
  static bool descends(natural_order) { return false; }
  static bool descends(order direction) { return direction == order::descending; }
  static bool descends(order_of_bits by) { return by.direction == order::descending; }

  [[gnu::always_inline]] word image(const K& given) const {
    const word whole = static_cast<word>(image_of<type>(std::bit_cast<word>(given)) ^ flip);
    if constexpr (has_bits)
      return static_cast<word>(whole & this->decides);
    else
      return whole;
  }

  /// Orders keys that are neither −0 nor NaN. Of floats it takes a third of what images take; numbers of bits, since
  /// some programs have the processor take small floats for zeros.
  [[gnu::always_inline]] word number(const K& given) const {
    if constexpr (is_of_floats && !has_bits) {
      const word u = std::bit_cast<word>(given);
      const auto negative = static_cast<word>(static_cast<std::make_signed_t<word>>(u) >> (8 * sizeof(word) - 1));
      return static_cast<word>(u ^ (negative | sign_bit<word>)^flip);
    } else {
      return image(given);
    }
  }
  [[gnu::always_inline]] bool comes_before(const K& a, const K& b) const { return number(a) < number(b); }

  /// Of n keys whose numbers rise: whether they are in order. All but NaNs with a sign are, −0 before +0 too.
  [[gnu::always_inline]] bool rise_where_numbers_do(const K* keys, std::size_t n) const {
    if constexpr (is_of_floats && !has_bits) {
      constexpr word least = static_cast<word>(sign_bit<word> | infinity_of<type, word>);
      return std::bit_cast<word>(keys[0]) <= least && std::bit_cast<word>(keys[n - 1]) <= least;
    } else {
      return true;
    }
  }
  /// Whether a −0 or a NaN is among them.
  bool have_special(const K* keys, std::size_t n) const {
    bool found = false;
    if constexpr (is_of_floats && !has_bits)
      for (std::size_t i = 0; i < n; ++i) {
        const word u = std::bit_cast<word>(keys[i]), magnitude = static_cast<word>(u << 1);
        found |= magnitude > static_cast<word>(infinity_of<type, word> << 1) || u == sign_bit<word>;
      }
    return found;
  }

  /// How many of the keys from the second on come before the one before them.
  template <std::size_t... I>
  [[gnu::always_inline]] std::size_t descents(const K* keys, std::index_sequence<I...>) const {
    return (std::size_t{comes_before(keys[I + 1], keys[I])} + ...);
  }
  template <std::size_t... I>
  [[gnu::always_inline]] bool are_in_order(const K* keys, std::index_sequence<I...>) const {
    return (unsigned{comes_before(keys[I + 1], keys[I])} | ...) == 0 && rise_where_numbers_do(keys, sizeof...(I) + 1);
  }

  /// Of an image that tells it.
  [[gnu::always_inline]] K key_of(word image) const {
    return std::bit_cast<K>(image_of<type>(static_cast<word>(image ^ flip))); // which is its own inverse
  }
};

/// Sorts elements as many as the indices. Keys that their images tell alone are exchanged, others go by ranks.
template <class Codec, class K, std::size_t... I, class... V>
[[gnu::always_inline]] inline void sort_elements(const Codec& codec, std::index_sequence<I...> all, few_array<K> keys,
                                                 few_array<V>... values) noexcept {
  constexpr std::size_t n = sizeof...(I);
  if constexpr (n >= least_seen)
    if (codec.are_in_order(keys.from, std::make_index_sequence<n - 1>{})) {
      keys.copy(n);
      (values.copy(n), ...);
      return;
    }
  typename Codec::word images[n] = {codec.image(keys.from[I])...};
  if constexpr (Codec::tells_keys && sizeof...(V) == 0) {
    sort_images(images);
    ((keys.to[I] = codec.key_of(images[I])), ...);
  } else {
    std::size_t ranks[n] = {I...};
    rank_images(images, ranks);
    const auto move = [&]<class T>(const few_array<T>& array) __attribute__((always_inline)) {
      const auto taken = hold_all(array, all);
      (put_held(taken.elements[I], array.to[ranks[I]]), ...);
    };
    move(keys);
    (move(values), ...);
  }
}

/// Writes their positions.
template <class Codec, class K, class Index, std::size_t... I>
[[gnu::always_inline]] inline void order_elements(const Codec& codec, std::index_sequence<I...>, const K* keys,
                                                  Index* positions) noexcept {
  constexpr std::size_t n = sizeof...(I);
  if constexpr (n >= least_seen)
    if (codec.are_in_order(keys, std::make_index_sequence<n - 1>{})) {
      ((positions[I] = Index{I}), ...);
      return;
    }
  typename Codec::word images[n] = {codec.image(keys[I])...};
  std::size_t ranks[n] = {I...};
  rank_images(images, ranks);
  ((positions[ranks[I]] = Index{I}), ...);
}

// ---- up to 32 ----

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
/// among all. Where numbers do not say how −0 and NaNs are ordered, there is none.
template <class K, class Codec>
[[gnu::always_inline]] inline found_order look_at_order(const K* keys, std::size_t n, std::size_t few,
                                                        const Codec& codec) noexcept {
  constexpr std::size_t all_at_first = neighbours_at_first.size();
  static_assert(all_at_first == seen_first - 1);
  std::size_t descents = codec.descents(keys, neighbours_at_first);
  if (descents > few && descents != all_at_first)
    return found_order::none;
  std::size_t i = seen_first;
  for (auto last = codec.number(keys[i - 1]); i < n; ++i) {
    const auto number = codec.number(keys[i]);
    descents += number < last;
    last = number;
  }
  if (descents == 0)
    return codec.rise_where_numbers_do(keys, n) ? found_order::rising : found_order::none;
  if ((descents > few && descents != n - 1) || codec.have_special(keys, n))
    return found_order::none;
  return descents == n - 1 ? found_order::falling : found_order::nearly_rising;
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
    [&](const K given, const held<K> key, const held<V>... value) __attribute__((always_inline)) {
      do {
        move_up(keys + at);
        (move_up(values + at), ...);
        --at;
      } while (at > 0 && codec.comes_before(given, keys[at - 1]));
      put_held(key, keys[at]);
      (put_held(value, values[at]), ...);
    }
    (keys[i], hold(keys[i]), hold(values[i])...);
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

/// Elements of which all pairs are compared; of keys alone of 4 and 8 bytes the library's vectors sort more sooner.
inline constexpr std::size_t most_ranked = 16;
template <class K>
inline constexpr std::size_t most_ranked_alone = sizeof(K) != 4 && sizeof(K) != 8 ? most_ranked : 0;

using few_rank = std::uint32_t;

/// The ranks of n elements, as rank_images() finds them; is_below(b, a) of their positions.
template <class IsBelow>
[[gnu::always_inline]] inline void rank_all(std::size_t n, few_rank* ranks, const IsBelow& is_below) noexcept {
  for (std::size_t b = 0; b < n; ++b) {
    auto rank = static_cast<few_rank>(b);
    for (std::size_t a = 0; a < b; ++a) {
      asm(""); // vectors of so few, which compilers make of this, take longer
      const few_rank second_first = is_below(b, a);
      ranks[a] += second_first;
      rank -= second_first;
    }
    ranks[b] = rank;
  }
}

/// The ranks of keys.
template <class Codec, class K>
void rank_keys(const Codec& codec, const K* keys, std::size_t n, few_rank* ranks) noexcept {
  typename Codec::word images[most_ranked];
  for (std::size_t i = 0; i < n; ++i)
    images[i] = codec.image(keys[i]);
  rank_all(n, ranks, [&](std::size_t a, std::size_t b) { return images[a] < images[b]; });
}

template <class T>
void move_to_ranks(few_array<T> array, std::size_t n, const few_rank* ranks) noexcept {
  held<T> taken[most_ranked];
  std::memcpy(taken, static_cast<const void*>(array.from), n * sizeof(T));
  for (std::size_t i = 0; i < n; ++i)
    put_held(taken[i], array.to[ranks[i]]);
}

/// Sorts up to most_ranked elements. A function of its own, so that what is in order does not pay for its frame.
template <class Codec, class K, class... V>
[[gnu::noinline]] void sort_by_ranks(std::size_t n, Codec codec, few_array<K> keys, few_array<V>... values) noexcept {
  few_rank ranks[most_ranked];
  rank_keys(codec, keys.from, n, ranks);
  move_to_ranks(keys, n, ranks);
  (move_to_ranks(values, n, ranks), ...);
}
template <class Codec, class K, class Index>
[[gnu::noinline]] void order_by_ranks(std::size_t n, Codec codec, const K* keys, Index* positions) noexcept {
  few_rank ranks[most_ranked];
  rank_keys(codec, keys, n, ranks);
  for (std::size_t i = 0; i < n; ++i)
    positions[ranks[i]] = static_cast<Index>(i);
}

/// Sorts more than most_few elements, where they are few enough for ranks, or nearly in order, or each before the one
/// before it. False: they may have moved where the result belongs, but if that is where they were, a stable sort of
/// them gives what it would have given.
template <class Codec, class K, class... V>
[[gnu::noinline]] bool place_in_order(std::size_t n, Codec codec, few_array<K> keys, few_array<V>... values) noexcept {
  const std::size_t few = sizeof...(V) > 0 || n <= most_nearly_alone<K> ? few_descents : 0;
  const found_order found = look_at_order(keys.from, n, few, codec);
  if (found != found_order::none) {
    keys.copy(n);
    (values.copy(n), ...);
    if (found == found_order::falling) {
      turn_round(keys.to, n);
      (turn_round(values.to, n), ...);
    }
    if (found != found_order::nearly_rising || insert_nearly(n, codec, keys.to, values.to...))
      return true;
    keys.from = keys.to;
    ((values.from = values.to), ...);
  }
  if (n > (sizeof...(V) > 0 ? most_ranked : most_ranked_alone<K>))
    return false;
  sort_by_ranks(n, codec, keys, values...);
  return true;
}

/// The same of positions, which are written.
template <class Codec, class K, class Index>
[[gnu::noinline]] bool number_in_order(const K* keys, Index* positions, std::size_t n, Codec codec) noexcept {
  const found_order found = look_at_order(keys, n, few_descents, codec);
  if (found == found_order::rising || found == found_order::falling) {
    for (std::size_t i = 0; i < n; ++i)
      positions[i] = static_cast<Index>(found == found_order::rising ? i : n - 1 - i);
    return true;
  }
  if (found == found_order::nearly_rising) {
    std::size_t left = most_shifts(n), i = 0;
    for (; i < n; ++i) {
      const K key = keys[i];
      std::size_t at = i;
      for (; at > 0 && codec.comes_before(key, keys[positions[at - 1]]); --at)
        positions[at] = positions[at - 1];
      positions[at] = static_cast<Index>(i);
      if (i - at > left)
        break;
      left -= i - at;
    }
    if (i == n)
      return true;
  }
  if (n > most_ranked)
    return false;
  order_by_ranks(n, codec, keys, positions);
  return true;
}

// ---- calls ----

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
  by_number(
      n, [&](auto all) __attribute__((always_inline)) { sort_elements(codec, all, keys); });
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
    by_number(
        n, [&](auto all) __attribute__((always_inline)) { sort_elements(codec, all, keys, values); });
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
  by_number(
      n, [&](auto all) __attribute__((always_inline)) { order_elements(codec, all, keys, positions); });
  return true;
}

/// Whether sort(order) has done what options ask for, which is an order at most. False: the library has to be called.
template <class Sort>
[[gnu::always_inline]] inline bool sort_as_asked(const options& opts, const Sort& sort) {
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
