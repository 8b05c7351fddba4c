// The key types that sortile orders, by name: at compile time (key_type_of) and at run time (key_type).
#pragma once

#include <sortile/language.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string_view>
#include <type_traits>

// CUDA's 16-bit floats (cuda_fp16.h, cuda_bf16.h), which are keys where a program has them.
struct __half;
struct __nv_bfloat16;

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

/// IEEE 754 binary16, stored as its bits. Conversion from float rounds to nearest, ties to even.
struct half {
  std::uint16_t bits = 0;

  half() = default;
  explicit half(float value);
  explicit operator float() const;
  static constexpr half from_bits(std::uint16_t image) {
    half h;
    h.bits = image;
    return h;
  }
};

/// bfloat16 (the upper half of a binary32), stored as its bits. Conversion from float rounds to nearest, ties to even.
struct bfloat16 {
  std::uint16_t bits = 0;

  bfloat16() = default;
  explicit bfloat16(float value);
  explicit operator float() const;
  static constexpr bfloat16 from_bits(std::uint16_t image) {
    bfloat16 b;
    b.bits = image;
    return b;
  }
};

/// The types that can be keys. The order of floats: −0 equals +0, every NaN equals every other and is the largest.
enum class key_type : std::uint8_t { u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f16, bf16, f32, f64 };

inline constexpr key_type all_key_types[] = {
    key_type::u8,  key_type::u16, key_type::u32,  key_type::u64, key_type::u128, key_type::i8,  key_type::i16,
    key_type::i32, key_type::i64, key_type::i128, key_type::f16, key_type::bf16, key_type::f32, key_type::f64};

/// Bytes of one key.
constexpr std::size_t key_bytes(key_type type) {
  switch (type) {
  case key_type::u8:
  case key_type::i8:
    return 1;
  case key_type::u16:
  case key_type::i16:
  case key_type::f16:
  case key_type::bf16:
    return 2;
  case key_type::u32:
  case key_type::i32:
  case key_type::f32:
    return 4;
  case key_type::u64:
  case key_type::i64:
  case key_type::f64:
    return 8;
  case key_type::u128:
  case key_type::i128:
    return 16;
  }
  return 0;
}

constexpr unsigned key_bits(key_type type) {
  return static_cast<unsigned>(8 * key_bytes(type));
}

constexpr bool is_float(key_type type) {
  return type == key_type::f16 || type == key_type::bf16 || type == key_type::f32 || type == key_type::f64;
}

constexpr bool is_signed_integer(key_type type) {
  return type >= key_type::i8 && type <= key_type::i128;
}

/// "u32", "f64", "bf16", …
std::string_view name(key_type type);

/// The type called `text` (the names above, and numpy's: "uint32", "float16", …).
/// \throws invalid_argument listing the names where there is none.
key_type key_type_named(std::string_view text);

namespace detail {

/// std::chrono::duration, by its shape: <chrono> takes nearly as long to compile as all of sortile.
template <class K>
concept duration = requires(const K length) {
  typename K::rep;
  requires K::period::num >
  0 && K::period::den > 0;
  { length.count() } -> std::same_as<typename K::rep>;
  { K::zero() } -> std::same_as<K>;
  requires sizeof(K) == sizeof(typename K::rep) && std::is_trivially_copyable_v<K>;
};

/// std::chrono::time_point.
template <class K>
concept time_point = requires(const K time) {
  typename K::clock;
  requires duration<typename K::duration>;
  { time.time_since_epoch() } -> std::same_as<typename K::duration>;
  requires sizeof(K) == sizeof(typename K::duration) && std::is_trivially_copyable_v<K>;
};

/// The number of the key_type that K is stored as, -1 where it is none.
template <class K>
consteval int find_key_type() {
  if constexpr (std::same_as<K, half> || std::same_as<K, ::__half>) {
    return static_cast<int>(key_type::f16);
  } else if constexpr (std::same_as<K, bfloat16> || std::same_as<K, ::__nv_bfloat16>) {
    return static_cast<int>(key_type::bf16);
  } else if constexpr (std::same_as<K, float>) {
    return static_cast<int>(key_type::f32);
  } else if constexpr (std::same_as<K, double>) {
    return static_cast<int>(key_type::f64);
#ifdef __FLT16_MAX__
  } else if constexpr (std::same_as<K, _Float16>) {
    return static_cast<int>(key_type::f16);
#endif
  } else if constexpr (std::same_as<K, uint128>) {
    return static_cast<int>(key_type::u128);
  } else if constexpr (std::same_as<K, int128>) {
    return static_cast<int>(key_type::i128);
  } else if constexpr (std::integral<K>) {
    constexpr int width = std::countr_zero(sizeof(K));
    return width + (std::is_signed_v<K> ? static_cast<int>(key_type::i8) : static_cast<int>(key_type::u8));
  } else if constexpr (std::is_enum_v<K>) {
    return find_key_type<std::underlying_type_t<K>>();
  } else if constexpr (duration<K>) {
    return find_key_type<typename K::rep>();
  } else if constexpr (time_point<K>) {
    return find_key_type<typename K::duration>();
  } else {
    return -1;
  }
}

/// A contiguous range with a size, whose elements have plain addresses.
template <class R>
concept array_like = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    !std::is_volatile_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

} // namespace detail

/// A C++ type that sortile orders: every built-in integer, uint128 and int128, half (and _Float16, CUDA's __half),
/// bfloat16 (and CUDA's __nv_bfloat16), float, double; enumerations and std::byte by their number, std::chrono's
/// durations and time points by their count.
template <class K>
concept key = detail::find_key_type<std::remove_cv_t<K>>()
>= 0;

template <key K>
inline constexpr key_type key_type_of = static_cast<key_type>(detail::find_key_type<std::remove_cv_t<K>>());

/// A type that can travel with a key. Values are copied as bytes.
template <class V>
concept value = std::is_trivially_copyable_v<V>;

/// A type in which argsort gives positions: an integer of 32 or 64 bits.
template <class I>
concept index = std::integral<I> &&(sizeof(I) == 4 || sizeof(I) == 8);

/// Keys in one piece of memory: std::vector, std::array, std::span, a C array.
template <class R>
concept key_range = detail::array_like<R> && key<std::ranges::range_value_t<R>>;

template <class R>
concept value_range = detail::array_like<R> && value<std::ranges::range_value_t<R>>;

template <class R>
concept index_range = detail::array_like<R> && index<std::ranges::range_value_t<R>>;

/// A range that takes a result: its elements may be written, and outlive the call. A temporary std::vector does not, a
/// temporary std::span does.
template <class R>
concept writable =
    std::ranges::borrowed_range<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

} // namespace sortile
#pragma GCC visibility pop
