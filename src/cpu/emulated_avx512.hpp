// AVX-512 in plain C++: what the kernels use of it, an instruction a function, so that they run on processors without.
//
// For tests alone (the CMake option SORTILE_EMULATE_AVX512, which the preset asan sets): a machine without AVX-512 runs
// the kernels that another one will, and AddressSanitizer sees each element that a masked load or store touches, and
// none that it does not. The instructions are macros by their names, so a source need not know; cpu/intrinsics.hpp
// includes this file behind <immintrin.h>. A name that is not here does not compile.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <immintrin.h>

// Compiled as their callers, since values of 32 bytes are passed. Instructions are not written out where they are
// called: sorting networks have thousands of them.
#define SORTILE_EMULATED_PART [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")]] inline
#define SORTILE_EMULATED [[gnu::noinline]] SORTILE_EMULATED_PART

namespace sortile::cpu::emulated {

// A type that the compiler knows, and takes apart: a structure would take it three times as long.
using m512i = unsigned long long __attribute__((vector_size(64)));
struct alignas(64) m512d {
  double at[8];
};

template <class T>
using lanes = std::array<T, 64 / sizeof(T)>;

template <class T>
SORTILE_EMULATED_PART lanes<T> as(const m512i& v) {
  return std::bit_cast<lanes<T>>(v);
}
template <class T>
SORTILE_EMULATED_PART m512i from(const std::array<T, 64 / sizeof(T)>& v) {
  return std::bit_cast<m512i>(v);
}
template <class To, class From>
SORTILE_EMULATED_PART To
reinterpret(const From& v) { // registers of other sizes, whose attributes std::bit_cast would lose
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &v, sizeof to);
  return to;
}

/// The vector whose lanes are f(0), f(1), …
template <class T, class F>
SORTILE_EMULATED_PART m512i made(F f) {
  lanes<T> to;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<T>(f(i));
  return from<T>(to);
}
/// The mask whose bits are f(0), f(1), …
template <class T, class F>
SORTILE_EMULATED_PART std::uint64_t mask_of(F f) {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < 64 / sizeof(T); ++i)
    mask |= std::uint64_t{f(i)} << i;
  return mask;
}
SORTILE_EMULATED_PART bool has(std::uint64_t mask, std::size_t i) {
  return (mask >> i & 1) != 0;
}

// ---- memory ----

SORTILE_EMULATED m512i load_unaligned(const void* p) {
  m512i v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
SORTILE_EMULATED void store_unaligned(void* p, m512i v) {
  std::memcpy(p, &v, sizeof v);
}
/// A processor faults where 64 bytes do not lie in one line.
SORTILE_EMULATED_PART const void* aligned(const void* p) {
  if (reinterpret_cast<std::uintptr_t>(p) % 64 != 0)
    std::abort();
  return p;
}
SORTILE_EMULATED m512i load(const void* p) {
  return load_unaligned(aligned(p));
}
SORTILE_EMULATED void stream(void* p, m512i v) {
  aligned(p);
  store_unaligned(p, v);
}
template <class T>
SORTILE_EMULATED_PART T element(const void* p, std::ptrdiff_t bytes) {
  T x;
  std::memcpy(&x, static_cast<const std::byte*>(p) + bytes, sizeof x);
  return x;
}
template <class T>
SORTILE_EMULATED m512i load_some(std::uint64_t mask, const void* p) {
  return made<T>(
      [&](std::size_t i) { return has(mask, i) ? element<T>(p, static_cast<std::ptrdiff_t>(i * sizeof(T))) : T{0}; });
}
SORTILE_EMULATED __m128i load_some_of_16(__mmask16 mask, const void* p) {
  std::array<std::uint8_t, 16> to{};
  for (std::size_t i = 0; i < to.size(); ++i)
    if (has(mask, i))
      to[i] = element<std::uint8_t>(p, static_cast<std::ptrdiff_t>(i));
  return reinterpret<__m128i>(to);
}
template <class T>
SORTILE_EMULATED void store_some(void* p, std::uint64_t mask, m512i v) {
  const auto x = as<T>(v);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (has(mask, i))
      std::memcpy(static_cast<std::byte*>(p) + i * sizeof(T), &x[i], sizeof(T));
}
template <class T>
SORTILE_EMULATED m512i gather(m512i index, const void* p, int scale) {
  const auto at = as<T>(index);
  return made<T>(
      [&](std::size_t i) { return element<T>(p, static_cast<std::make_signed_t<T>>(at[i]) * std::ptrdiff_t{scale}); });
}

// ---- constants, and lane by lane ----

template <class T>
SORTILE_EMULATED m512i all(T x) {
  return made<T>([&](std::size_t) { return x; });
}
template <class T, class... Lane>
SORTILE_EMULATED m512i in_order(Lane... lane) {
  return from<T>({static_cast<T>(lane)...});
}
SORTILE_EMULATED m512i zero() {
  return m512i{};
}

template <class T, class F>
SORTILE_EMULATED_PART m512i by_lane(m512i a, m512i b, F f) {
  const auto x = as<T>(a), y = as<T>(b);
  return made<T>([&](std::size_t i) { return f(x[i], y[i]); });
}
template <class T>
SORTILE_EMULATED m512i add(m512i a, m512i b) {
  return by_lane<T>(a, b, [](T x, T y) { return x + y; });
}
template <class T>
SORTILE_EMULATED m512i subtract(m512i a, m512i b) {
  return by_lane<T>(a, b, [](T x, T y) { return x - y; });
}
template <class T>
SORTILE_EMULATED m512i multiply(m512i a, m512i b) {
  return by_lane<T>(a, b, [](T x, T y) { return std::uint64_t{x} * y; });
}
SORTILE_EMULATED m512i multiply_high(m512i a, m512i b) {
  return by_lane<std::uint16_t>(a, b, [](std::uint32_t x, std::uint32_t y) { return x * y >> 16; });
}
template <class T>
SORTILE_EMULATED m512i least(m512i a, m512i b) {
  return by_lane<T>(a, b, [](T x, T y) { return x < y ? x : y; });
}
template <class T>
SORTILE_EMULATED m512i greatest(m512i a, m512i b) {
  return by_lane<T>(a, b, [](T x, T y) { return x < y ? y : x; });
}
SORTILE_EMULATED m512i bits_and(m512i a, m512i b) {
  return by_lane<std::uint64_t>(a, b, [](std::uint64_t x, std::uint64_t y) { return x & y; });
}
SORTILE_EMULATED m512i bits_or(m512i a, m512i b) {
  return by_lane<std::uint64_t>(a, b, [](std::uint64_t x, std::uint64_t y) { return x | y; });
}
SORTILE_EMULATED m512i bits_xor(m512i a, m512i b) {
  return by_lane<std::uint64_t>(a, b, [](std::uint64_t x, std::uint64_t y) { return x ^ y; });
}
/// A bit for each triple of bits, by a table of eight.
SORTILE_EMULATED m512i ternary(m512i a, m512i b, m512i c, int table) {
  m512i to{};
  for (std::size_t i = 0; i < 8; ++i)
    for (unsigned row = 0; row < 8; ++row)
      if (has(static_cast<std::uint64_t>(table), row))
        to[i] |= (row & 4 ? a[i] : ~a[i]) & (row & 2 ? b[i] : ~b[i]) & (row & 1 ? c[i] : ~c[i]);
  return to;
}

template <class T>
SORTILE_EMULATED m512i left_by(m512i a, std::uint64_t by) {
  const auto x = as<T>(a);
  return made<T>([&](std::size_t i) { return by < 8 * sizeof(T) ? x[i] << by : 0; });
}
template <class T>
SORTILE_EMULATED m512i right_by(m512i a, std::uint64_t by) {
  const auto x = as<T>(a);
  return made<T>([&](std::size_t i) { return by < 8 * sizeof(T) ? x[i] >> by : 0; });
}
SORTILE_EMULATED_PART std::uint64_t low_half(__m128i count) {
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(count));
}
template <class T>
SORTILE_EMULATED m512i left_by(m512i a, __m128i count) {
  return left_by<T>(a, low_half(count));
}
template <class T>
SORTILE_EMULATED m512i right_by(m512i a, __m128i count) {
  return right_by<T>(a, low_half(count));
}
template <class T>
SORTILE_EMULATED m512i signed_right_by(m512i a, unsigned by) {
  const auto x = as<std::make_signed_t<T>>(a);
  return made<T>([&](std::size_t i) { return x[i] >> (by < 8 * sizeof(T) ? by : 8 * sizeof(T) - 1); });
}
template <class T>
SORTILE_EMULATED m512i right_by_lane(m512i a, m512i by) {
  return by_lane<T>(a, by, [](T x, T y) { return y < 8 * sizeof(T) ? x >> y : 0; });
}
template <class T>
SORTILE_EMULATED m512i turned_right_by_lane(m512i a, m512i by) {
  return by_lane<T>(a, by, [](T x, T y) { return std::rotr(x, static_cast<int>(y % (8 * sizeof(T)))); });
}

// ---- masks ----

template <class T, class F>
SORTILE_EMULATED_PART auto compared(m512i a, m512i b, F f) {
  const auto x = as<T>(a), y = as<T>(b);
  const std::uint64_t mask = mask_of<T>([&](std::size_t i) { return f(x[i], y[i]); });
  if constexpr (sizeof(T) == 4)
    return static_cast<__mmask16>(mask);
  else
    return static_cast<__mmask8>(mask);
}
template <class T>
SORTILE_EMULATED auto equal(m512i a, m512i b) {
  return compared<T>(a, b, [](T x, T y) { return x == y; });
}
template <class T>
SORTILE_EMULATED auto not_equal(m512i a, m512i b) {
  return compared<T>(a, b, [](T x, T y) { return x != y; });
}
template <class T>
SORTILE_EMULATED auto less(m512i a, m512i b) {
  return compared<T>(a, b, [](T x, T y) { return x < y; });
}
template <class T>
SORTILE_EMULATED auto less_or_equal(m512i a, m512i b) {
  return compared<T>(a, b, [](T x, T y) { return x <= y; });
}
template <class T>
SORTILE_EMULATED auto greater(m512i a, m512i b) {
  return compared<T>(a, b, [](T x, T y) { return x > y; });
}
template <class T>
SORTILE_EMULATED auto have_common_bits(m512i a, m512i b) {
  return compared<T>(a, b, [](T x, T y) { return (x & y) != 0; });
}
template <class T>
SORTILE_EMULATED __mmask16 equal_some(__mmask16 mask, m512i a, m512i b) {
  return static_cast<__mmask16>(mask & equal<T>(a, b));
}
SORTILE_EMULATED std::uint64_t not_equal_bytes(std::uint64_t mask, m512i a, m512i b) {
  const auto x = as<std::uint8_t>(a), y = as<std::uint8_t>(b);
  return mask & mask_of<std::uint8_t>([&](std::size_t i) { return x[i] != y[i]; });
}
SORTILE_EMULATED std::uint64_t not_equal_of_16(__mmask16 mask, __m128i a, __m128i b) {
  const auto x = reinterpret<std::array<std::uint8_t, 16>>(a), y = reinterpret<std::array<std::uint8_t, 16>>(b);
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    differ |= std::uint64_t{has(mask, i) && x[i] != y[i]} << i;
  return differ;
}
template <class Mask>
SORTILE_EMULATED Mask not_mask(Mask a) {
  return static_cast<Mask>(~a);
}
template <class Mask>
SORTILE_EMULATED Mask and_not_mask(Mask a, Mask b) {
  return static_cast<Mask>(~a & b);
}

/// Lanes of `b` where the mask has them, others of `a`.
template <class T>
SORTILE_EMULATED m512i chosen(m512i a, std::uint64_t mask, m512i b) {
  const auto x = as<T>(a), y = as<T>(b);
  return made<T>([&](std::size_t i) { return has(mask, i) ? y[i] : x[i]; });
}
template <class T>
SORTILE_EMULATED m512i all_some(m512i a, std::uint64_t mask, T x) {
  return chosen<T>(a, mask, all<T>(x));
}
template <class T>
SORTILE_EMULATED m512i add_some(m512i other, std::uint64_t mask, m512i a, m512i b) {
  return chosen<T>(other, mask, add<T>(a, b));
}
template <class T>
SORTILE_EMULATED m512i subtract_some(m512i other, std::uint64_t mask, m512i a, m512i b) {
  return chosen<T>(other, mask, subtract<T>(a, b));
}
template <class T>
SORTILE_EMULATED m512i ternary_some(m512i a, std::uint64_t mask, m512i b, m512i c, int table) {
  return chosen<T>(a, mask, ternary(a, b, c, table));
}

// ---- from lane to lane ----

/// The lanes that the mask has, at the front; lanes of `other` behind them.
template <class T>
SORTILE_EMULATED m512i compress(m512i other, std::uint64_t mask, m512i a) {
  const auto x = as<T>(a);
  auto to = as<T>(other);
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (has(mask, i))
      to[at++] = x[i];
  return from<T>(to);
}
template <class T>
SORTILE_EMULATED m512i compress(std::uint64_t mask, m512i a) {
  return compress<T>(zero(), mask, a);
}
/// The front lanes, where the mask has lanes.
template <class T>
SORTILE_EMULATED m512i expand(std::uint64_t mask, m512i a) {
  const auto x = as<T>(a);
  std::size_t at = 0;
  return made<T>([&](std::size_t i) { return has(mask, i) ? x[at++] : T{0}; });
}
template <class T>
SORTILE_EMULATED m512i permuted(m512i which, m512i a) {
  const auto w = as<T>(which), x = as<T>(a);
  return made<T>([&](std::size_t i) { return x[w[i] % x.size()]; });
}
template <class T>
SORTILE_EMULATED m512i permuted_of_two(m512i a, m512i which, m512i b) {
  const auto x = as<T>(a), w = as<T>(which), y = as<T>(b);
  return made<T>([&](std::size_t i) { return (w[i] / x.size() % 2 == 0 ? x : y)[w[i] % x.size()]; });
}
/// In each group of four lanes, those that pairs of bits say.
template <class T>
SORTILE_EMULATED m512i shuffled(m512i a, int pairs) {
  const auto x = as<T>(a);
  return made<T>([&](std::size_t i) { return x[i / 4 * 4 + (static_cast<unsigned>(pairs) >> i % 4 * 2 & 3)]; });
}
/// Quarters, two of each.
SORTILE_EMULATED m512i quarters(m512i a, m512i b, int pairs) {
  return made<std::uint64_t>(
      [&](std::size_t i) { return (i < 4 ? a : b)[(static_cast<unsigned>(pairs) >> i / 2 * 2 & 3) * 2 + i % 2]; });
}
/// Of each quarter of both, the low or the high lanes by turns.
template <class T>
SORTILE_EMULATED m512i interleaved(m512i a, m512i b, std::size_t high) {
  constexpr std::size_t quarter = 16 / sizeof(T);
  const auto x = as<T>(a), y = as<T>(b);
  return made<T>([&](std::size_t i) {
    return (i % 2 == 0 ? x : y)[i / quarter * quarter + high * quarter / 2 + i % quarter / 2];
  });
}
template <class T>
SORTILE_EMULATED m512i interleaved_low(m512i a, m512i b) {
  return interleaved<T>(a, b, 0);
}
template <class T>
SORTILE_EMULATED m512i interleaved_high(m512i a, m512i b) {
  return interleaved<T>(a, b, 1);
}
template <class T>
SORTILE_EMULATED T least_of(m512i a) {
  T least = ~T{0};
  for (const T x : as<T>(a))
    least = x < least ? x : least;
  return least;
}
template <class T>
SORTILE_EMULATED T greatest_of(m512i a) {
  T greatest = 0;
  for (const T x : as<T>(a))
    greatest = x > greatest ? x : greatest;
  return greatest;
}

// ---- between registers ----

/// Its low lanes behind each other in a narrower register.
template <class To, class From, class Register>
SORTILE_EMULATED Register narrowed(m512i a) {
  const auto x = as<From>(a);
  std::array<To, 64 / sizeof(From)> to;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<To>(x[i]);
  return reinterpret<Register>(to);
}
SORTILE_EMULATED __m256i half(m512i a, int which) {
  __m256i to;
  std::memcpy(&to, reinterpret_cast<const std::uint64_t*>(&a) + 4 * which, sizeof to);
  return to;
}
SORTILE_EMULATED __m256i low_256(m512i a) {
  return half(a, 0);
}
/// What is above the register is not said: so it is not zero here.
SORTILE_EMULATED m512i from_256(__m256i a) {
  m512i to = all<std::uint64_t>(0xdeadbeefdeadbeef);
  std::memcpy(&to, &a, sizeof a);
  return to;
}
template <class Register>
SORTILE_EMULATED m512i inserted(m512i a, Register b, int where) {
  std::memcpy(reinterpret_cast<std::byte*>(&a) + static_cast<std::size_t>(where) * sizeof b, &b, sizeof b);
  return a;
}
SORTILE_EMULATED m512d doubles_of(m512i a) {
  m512d to;
  for (std::size_t i = 0; i < 8; ++i)
    to.at[i] = static_cast<double>(a[i]);
  return to;
}
SORTILE_EMULATED m512i bits_of(m512d a) {
  return std::bit_cast<m512i>(a);
}

} // namespace sortile::cpu::emulated

#undef SORTILE_EMULATED
#undef SORTILE_EMULATED_PART

#undef _mm512_setr_epi32 // macros of g++'s
#undef _mm512_setr_epi64
#undef _knot_mask8
#undef _knot_mask16
#undef _kandn_mask8
#undef _kandn_mask16
#define __m512i ::sortile::cpu::emulated::m512i
#define _mm512_load_si512 ::sortile::cpu::emulated::load
#define _mm512_loadu_si512 ::sortile::cpu::emulated::load_unaligned
#define _mm512_storeu_si512 ::sortile::cpu::emulated::store_unaligned
#define _mm512_stream_si512 ::sortile::cpu::emulated::stream
#define _mm_maskz_loadu_epi8 ::sortile::cpu::emulated::load_some_of_16
#define _mm512_maskz_loadu_epi8 ::sortile::cpu::emulated::load_some<std::uint8_t>
#define _mm512_maskz_loadu_epi32 ::sortile::cpu::emulated::load_some<std::uint32_t>
#define _mm512_maskz_loadu_epi64 ::sortile::cpu::emulated::load_some<std::uint64_t>
#define _mm512_mask_storeu_epi32 ::sortile::cpu::emulated::store_some<std::uint32_t>
#define _mm512_mask_storeu_epi64 ::sortile::cpu::emulated::store_some<std::uint64_t>
#define _mm512_i32gather_epi32 ::sortile::cpu::emulated::gather<std::uint32_t>
#define _mm512_i64gather_epi64 ::sortile::cpu::emulated::gather<std::uint64_t>
#define _mm512_setzero_si512 ::sortile::cpu::emulated::zero
#define _mm512_set1_epi32 ::sortile::cpu::emulated::all<std::uint32_t>
#define _mm512_set1_epi64 ::sortile::cpu::emulated::all<std::uint64_t>
#define _mm512_setr_epi32 ::sortile::cpu::emulated::in_order<std::uint32_t>
#define _mm512_setr_epi64 ::sortile::cpu::emulated::in_order<std::uint64_t>
#define _mm512_mask_set1_epi8 ::sortile::cpu::emulated::all_some<std::uint8_t>
#define _mm512_mask_set1_epi16 ::sortile::cpu::emulated::all_some<std::uint16_t>
#define _mm512_mask_set1_epi32 ::sortile::cpu::emulated::all_some<std::uint32_t>
#define _mm512_mask_set1_epi64 ::sortile::cpu::emulated::all_some<std::uint64_t>
#define _mm512_add_epi32 ::sortile::cpu::emulated::add<std::uint32_t>
#define _mm512_add_epi64 ::sortile::cpu::emulated::add<std::uint64_t>
#define _mm512_sub_epi32 ::sortile::cpu::emulated::subtract<std::uint32_t>
#define _mm512_sub_epi64 ::sortile::cpu::emulated::subtract<std::uint64_t>
#define _mm512_mullo_epi32 ::sortile::cpu::emulated::multiply<std::uint32_t>
#define _mm512_mullo_epi64 ::sortile::cpu::emulated::multiply<std::uint64_t>
#define _mm512_mulhi_epu16 ::sortile::cpu::emulated::multiply_high
#define _mm512_min_epu32 ::sortile::cpu::emulated::least<std::uint32_t>
#define _mm512_min_epu64 ::sortile::cpu::emulated::least<std::uint64_t>
#define _mm512_max_epu32 ::sortile::cpu::emulated::greatest<std::uint32_t>
#define _mm512_max_epu64 ::sortile::cpu::emulated::greatest<std::uint64_t>
#define _mm512_reduce_min_epu32 ::sortile::cpu::emulated::least_of<std::uint32_t>
#define _mm512_reduce_min_epu64 ::sortile::cpu::emulated::least_of<std::uint64_t>
#define _mm512_reduce_max_epu32 ::sortile::cpu::emulated::greatest_of<std::uint32_t>
#define _mm512_reduce_max_epu64 ::sortile::cpu::emulated::greatest_of<std::uint64_t>
#define _mm512_and_si512 ::sortile::cpu::emulated::bits_and
#define _mm512_or_si512 ::sortile::cpu::emulated::bits_or
#define _mm512_xor_si512 ::sortile::cpu::emulated::bits_xor
#define _mm512_ternarylogic_epi32 ::sortile::cpu::emulated::ternary
#define _mm512_ternarylogic_epi64 ::sortile::cpu::emulated::ternary
#define _mm512_mask_ternarylogic_epi32 ::sortile::cpu::emulated::ternary_some<std::uint32_t>
#define _mm512_mask_ternarylogic_epi64 ::sortile::cpu::emulated::ternary_some<std::uint64_t>
#define _mm512_mask_add_epi32 ::sortile::cpu::emulated::add_some<std::uint32_t>
#define _mm512_mask_sub_epi64 ::sortile::cpu::emulated::subtract_some<std::uint64_t>
#define _mm512_mask_mov_epi32 ::sortile::cpu::emulated::chosen<std::uint32_t>
#define _mm512_mask_mov_epi64 ::sortile::cpu::emulated::chosen<std::uint64_t>
#define _mm512_sll_epi32 ::sortile::cpu::emulated::left_by<std::uint32_t>
#define _mm512_sll_epi64 ::sortile::cpu::emulated::left_by<std::uint64_t>
#define _mm512_slli_epi32 ::sortile::cpu::emulated::left_by<std::uint32_t>
#define _mm512_srl_epi32 ::sortile::cpu::emulated::right_by<std::uint32_t>
#define _mm512_srl_epi64 ::sortile::cpu::emulated::right_by<std::uint64_t>
#define _mm512_srli_epi32 ::sortile::cpu::emulated::right_by<std::uint32_t>
#define _mm512_srli_epi64 ::sortile::cpu::emulated::right_by<std::uint64_t>
#define _mm512_srai_epi32 ::sortile::cpu::emulated::signed_right_by<std::uint32_t>
#define _mm512_srai_epi64 ::sortile::cpu::emulated::signed_right_by<std::uint64_t>
#define _mm512_srlv_epi32 ::sortile::cpu::emulated::right_by_lane<std::uint32_t>
#define _mm512_rorv_epi32 ::sortile::cpu::emulated::turned_right_by_lane<std::uint32_t>
#define _mm512_cmpeq_epu32_mask ::sortile::cpu::emulated::equal<std::uint32_t>
#define _mm512_cmpeq_epu64_mask ::sortile::cpu::emulated::equal<std::uint64_t>
#define _mm512_cmpneq_epu32_mask ::sortile::cpu::emulated::not_equal<std::uint32_t>
#define _mm512_cmpneq_epu64_mask ::sortile::cpu::emulated::not_equal<std::uint64_t>
#define _mm512_cmplt_epu32_mask ::sortile::cpu::emulated::less<std::uint32_t>
#define _mm512_cmplt_epu64_mask ::sortile::cpu::emulated::less<std::uint64_t>
#define _mm512_cmple_epu32_mask ::sortile::cpu::emulated::less_or_equal<std::uint32_t>
#define _mm512_cmple_epu64_mask ::sortile::cpu::emulated::less_or_equal<std::uint64_t>
#define _mm512_cmpgt_epu32_mask ::sortile::cpu::emulated::greater<std::uint32_t>
#define _mm512_cmpgt_epu64_mask ::sortile::cpu::emulated::greater<std::uint64_t>
#define _mm512_cmpeq_epi32_mask ::sortile::cpu::emulated::equal<std::uint32_t>
#define _mm512_cmpeq_epi64_mask ::sortile::cpu::emulated::equal<std::uint64_t>
#define _mm512_test_epi32_mask ::sortile::cpu::emulated::have_common_bits<std::uint32_t>
#define _mm_mask_cmpneq_epu8_mask ::sortile::cpu::emulated::not_equal_of_16
#define _mm512_mask_cmpneq_epu8_mask ::sortile::cpu::emulated::not_equal_bytes
#define _mm512_mask_cmpeq_epu32_mask ::sortile::cpu::emulated::equal_some<std::uint32_t>
#define _knot_mask8 ::sortile::cpu::emulated::not_mask<__mmask8>
#define _kandn_mask8 ::sortile::cpu::emulated::and_not_mask<__mmask8>
#define _knot_mask16 ::sortile::cpu::emulated::not_mask<__mmask16>
#define _kandn_mask16 ::sortile::cpu::emulated::and_not_mask<__mmask16>
#define _mm512_maskz_compress_epi32 ::sortile::cpu::emulated::compress<std::uint32_t>
#define _mm512_maskz_compress_epi64 ::sortile::cpu::emulated::compress<std::uint64_t>
#define _mm512_mask_compress_epi32 ::sortile::cpu::emulated::compress<std::uint32_t>
#define _mm512_mask_compress_epi64 ::sortile::cpu::emulated::compress<std::uint64_t>
#define _mm512_maskz_expand_epi32 ::sortile::cpu::emulated::expand<std::uint32_t>
#define _mm512_maskz_expand_epi64 ::sortile::cpu::emulated::expand<std::uint64_t>
#define _mm512_permutexvar_epi32 ::sortile::cpu::emulated::permuted<std::uint32_t>
#define _mm512_permutexvar_epi64 ::sortile::cpu::emulated::permuted<std::uint64_t>
#define _mm512_permutex2var_epi32 ::sortile::cpu::emulated::permuted_of_two<std::uint32_t>
#define _mm512_permutex2var_epi64 ::sortile::cpu::emulated::permuted_of_two<std::uint64_t>
#define _mm512_shuffle_epi32 ::sortile::cpu::emulated::shuffled<std::uint32_t>
#define _mm512_permutex_epi64 ::sortile::cpu::emulated::shuffled<std::uint64_t>
#define _mm512_shuffle_i32x4 ::sortile::cpu::emulated::quarters
#define _mm512_shuffle_i64x2 ::sortile::cpu::emulated::quarters
#define _mm512_unpacklo_epi32 ::sortile::cpu::emulated::interleaved_low<std::uint32_t>
#define _mm512_unpacklo_epi64 ::sortile::cpu::emulated::interleaved_low<std::uint64_t>
#define _mm512_unpackhi_epi32 ::sortile::cpu::emulated::interleaved_high<std::uint32_t>
#define _mm512_unpackhi_epi64 ::sortile::cpu::emulated::interleaved_high<std::uint64_t>
#define _mm512_cvtepi32_epi16 ::sortile::cpu::emulated::narrowed<std::uint16_t, std::uint32_t, __m256i>
#define _mm512_cvtepi64_epi16 ::sortile::cpu::emulated::narrowed<std::uint16_t, std::uint64_t, __m128i>
#define _mm512_cvtepi64_epi32 ::sortile::cpu::emulated::narrowed<std::uint32_t, std::uint64_t, __m256i>
#define _mm512_extracti64x4_epi64 ::sortile::cpu::emulated::half
#define _mm512_castsi512_si256 ::sortile::cpu::emulated::low_256
#define _mm512_castsi256_si512 ::sortile::cpu::emulated::from_256
#define _mm512_inserti64x4 ::sortile::cpu::emulated::inserted
#define _mm512_inserti64x2 ::sortile::cpu::emulated::inserted
#define _mm512_cvtepu64_pd ::sortile::cpu::emulated::doubles_of
#define _mm512_castpd_si512 ::sortile::cpu::emulated::bits_of
