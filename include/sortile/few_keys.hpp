// What few keys are to few.hpp: bits that are moved, images that are compared, and how options order them. Part of
// sortile.hpp.
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

// Where the compiler does not optimise, copies of networks take it long, and are no quicker.
#ifdef __OPTIMIZE__
#define SORTILE_INLINED __attribute__((always_inline))
#else
#define SORTILE_INLINED
#endif

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile::detail {

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
SORTILE_INLINED inline bool are_usual_but_bits(const options& opts) noexcept {
  return opts.order <= order::descending && opts.engine.empty() && !opts.progress && opts.workspace.data() == nullptr &&
         opts.workspace_limit == 0 && opts.memory == memory::host && opts.stream == nullptr &&
         opts.resource == nullptr && !opts.checked;
}

SORTILE_INLINED inline bool are_whole_keys(bit_window bits) noexcept {
  return bits.begin == 0 && bits.end == bit_window::whole_key;
}

/// The same with whole keys.
SORTILE_INLINED inline bool are_usual(const options& opts) noexcept {
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
SORTILE_INLINED inline held<T> hold(const T& from) noexcept {
  held<T> object;
  std::memcpy(&object, static_cast<const void*>(&from), sizeof(T));
  return object;
}
template <class T>
SORTILE_INLINED inline void put_held(const held<T>& object, T& to) noexcept {
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

  SORTILE_INLINED word image(const K& given) const {
    const word whole = static_cast<word>(image_of<type>(std::bit_cast<word>(given)) ^ flip);
    if constexpr (has_bits)
      return static_cast<word>(whole & this->decides);
    else
      return whole;
  }

  /// Orders keys that are neither −0 nor NaN. Of floats it takes a third of what images take; numbers of bits, since
  /// some programs have the processor take small floats for zeros.
  SORTILE_INLINED word number(const K& given) const {
    if constexpr (is_of_floats && !has_bits) {
      const word u = std::bit_cast<word>(given);
      const auto negative = static_cast<word>(static_cast<std::make_signed_t<word>>(u) >> (8 * sizeof(word) - 1));
      return static_cast<word>(u ^ (negative | sign_bit<word>)^flip);
    } else {
      return image(given);
    }
  }
  SORTILE_INLINED bool comes_before(const K& a, const K& b) const { return number(a) < number(b); }

  /// Of n keys whose numbers rise: whether they are in order. All but NaNs with a sign are, −0 before +0 too.
  SORTILE_INLINED bool rise_where_numbers_do(const K* keys, std::size_t n) const {
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
  SORTILE_INLINED std::size_t descents(const K* keys, std::index_sequence<I...>) const {
    return (std::size_t{comes_before(keys[I + 1], keys[I])} + ...);
  }
  template <std::size_t... I>
  SORTILE_INLINED bool are_in_order(const K* keys, std::index_sequence<I...>) const {
    return (unsigned{comes_before(keys[I + 1], keys[I])} | ...) == 0 && rise_where_numbers_do(keys, sizeof...(I) + 1);
  }

  /// Of an image that tells it.
  SORTILE_INLINED K key_of(word image) const {
    return std::bit_cast<K>(image_of<type>(static_cast<word>(image ^ flip))); // which is its own inverse
  }
};

} // namespace sortile::detail
#pragma GCC visibility pop
