// The dialect under nvcc: votes, matches, shuffles, reductions.
#pragma once

#include "simt/cuda/index.hpp"

namespace sortile::simt {
inline namespace cuda_backend {

SORTILE_DEVICE unsigned ballot(bool p, unsigned mask = full_warp) {
  return __ballot_sync(mask, p);
}
SORTILE_DEVICE bool warp_any(bool p, unsigned mask = full_warp) {
  return __any_sync(mask, p) != 0;
}
SORTILE_DEVICE bool warp_all(bool p, unsigned mask = full_warp) {
  return __all_sync(mask, p) != 0;
}
SORTILE_DEVICE unsigned active_lanes() {
  return __activemask();
}

namespace detail {
/// A value as the 32-bit words that a shuffle moves.
template <class T>
struct words {
  static constexpr int count = (sizeof(T) + 3) / 4;
  std::uint32_t word[count];
};

template <class To, class From>
SORTILE_DEVICE To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

template <class T, class Move>
SORTILE_DEVICE T by_words(const T& value, Move move) {
  static_assert(std::is_trivially_copyable_v<T>);
  if constexpr (sizeof(T) == 1) {
    return bits_as<T>(std::uint8_t(move(bits_as<std::uint8_t>(value))));
  } else if constexpr (sizeof(T) == 2) {
    return bits_as<T>(std::uint16_t(move(bits_as<std::uint16_t>(value))));
  } else {
    static_assert(sizeof(T) % 4 == 0, "a shuffle moves 1, 2 or a multiple of 4 bytes");
    auto in = bits_as<words<T>>(value);
#pragma unroll
    for (int i = 0; i < words<T>::count; ++i)
      in.word[i] = move(in.word[i]);
    return bits_as<T>(in);
  }
}
} // namespace detail

template <class T>
SORTILE_DEVICE T shuffle(T v, unsigned source, unsigned mask = full_warp, unsigned width = warp_size) {
  return detail::by_words(v, [=](std::uint32_t x) { return __shfl_sync(mask, x, int(source), int(width)); });
}
template <class T>
SORTILE_DEVICE T shuffle_up(T v, unsigned delta, unsigned mask = full_warp, unsigned width = warp_size) {
  return detail::by_words(v, [=](std::uint32_t x) { return __shfl_up_sync(mask, x, delta, int(width)); });
}
template <class T>
SORTILE_DEVICE T shuffle_down(T v, unsigned delta, unsigned mask = full_warp, unsigned width = warp_size) {
  return detail::by_words(v, [=](std::uint32_t x) { return __shfl_down_sync(mask, x, delta, int(width)); });
}
template <class T>
SORTILE_DEVICE T shuffle_xor(T v, unsigned bits, unsigned mask = full_warp, unsigned width = warp_size) {
  return detail::by_words(v, [=](std::uint32_t x) { return __shfl_xor_sync(mask, x, int(bits), int(width)); });
}

template <class T>
SORTILE_DEVICE unsigned match_any(T v, unsigned mask = full_warp) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match takes 32 or 64 bits");
  if constexpr (sizeof(T) == 4)
    return __match_any_sync(mask, detail::bits_as<std::uint32_t>(v));
  else
    return __match_any_sync(mask, detail::bits_as<unsigned long long>(v));
}
/// In assembly: from C++ the compiler tests the bit twice, and a vote takes seven instructions in place of three.
SORTILE_DEVICE unsigned match_bit(std::uint32_t v, unsigned bit, unsigned mask = full_warp) {
  unsigned lanes;
  asm volatile("{\n\t.reg .pred set;\n\t"
               "and.b32 %0, %1, %2;\n\t"
               "setp.ne.u32 set, %0, 0;\n\t"
               "vote.sync.ballot.b32 %0, set, %3;\n\t"
               "@!set not.b32 %0, %0;\n\t}"
               : "=&r"(lanes)
               : "r"(v), "r"(1u << bit), "r"(mask));
  return lanes & mask;
}
namespace detail {
/// match_bit, with the complement as a multiplication: `ones` is all ones, which the compiler must not know.
SORTILE_DEVICE unsigned match_bit(std::uint32_t v, unsigned bit, std::uint32_t ones) {
  unsigned lanes;
  asm volatile("{\n\t.reg .pred set;\n\t"
               "and.b32 %0, %1, %2;\n\t"
               "setp.ne.u32 set, %0, 0;\n\t"
               "vote.sync.ballot.b32 %0, set, -1;\n\t"
               "@!set mad.lo.u32 %0, %0, %3, %3;\n\t}"
               : "=&r"(lanes)
               : "r"(v), "r"(1u << bit), "r"(ones));
  return lanes;
}
/// The same; the bit is tested as a sign.
SORTILE_DEVICE unsigned match_sign(std::uint32_t v, unsigned bit, std::uint32_t ones) {
  unsigned lanes;
  asm volatile("{\n\t.reg .pred set;\n\t"
               "shl.b32 %0, %1, %2;\n\t"
               "setp.lt.s32 set, %0, 0;\n\t"
               "vote.sync.ballot.b32 %0, set, -1;\n\t"
               "@!set mad.lo.u32 %0, %0, %3, %3;\n\t}"
               : "=&r"(lanes)
               : "r"(v), "r"(31 - bit), "r"(ones));
  return lanes;
}
SORTILE_DEVICE unsigned and_of_three(unsigned a, unsigned b, unsigned c) {
  unsigned all;
  asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(all) : "r"(a), "r"(b), "r"(c));
  return all;
}
} // namespace detail
/// By votes; one instruction combines two of them. Complements are multiplications, ~x = x · (−1) + (−1), since the
/// multipliers are idle beside the votes. So eight bits take some 12 instructions of the integer units; eight calls of
/// match_bit take 25. One instruction (R2P) makes predicates of the lower five bits. Of seven or eight bits ptxas 13.0
/// would make seven predicates at once, and fails where so many are not free; so the upper bits are tested as signs.
template <unsigned Bits>
SORTILE_DEVICE unsigned match_bits(std::uint32_t v) {
  static_assert(Bits >= 1 && Bits <= 32);
  unsigned from_here;
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(from_here));
  const std::uint32_t ones = from_here | lanes_below();
  const auto match = [&](unsigned b) {
    return b >= 5 ? detail::match_sign(v, b, ones) : detail::match_bit(v, b, ones);
  };
  unsigned lanes = match(0);
  SORTILE_UNROLL
  for (unsigned b = 1; b + 1 < Bits; b += 2)
    lanes = detail::and_of_three(lanes, match(b), match(b + 1));
  return Bits % 2 == 0 ? lanes & match(Bits - 1) : lanes;
}
template <class T>
SORTILE_DEVICE unsigned match_all(T v, unsigned mask = full_warp) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match takes 32 or 64 bits");
  int all;
  if constexpr (sizeof(T) == 4)
    return __match_all_sync(mask, detail::bits_as<std::uint32_t>(v), &all);
  else
    return __match_all_sync(mask, detail::bits_as<unsigned long long>(v), &all);
}

#define SORTILE_WARP_REDUCTION(NAME)                                                                                   \
  template <class T>                                                                                                   \
  SORTILE_DEVICE T warp_reduce_##NAME(T v, unsigned mask = full_warp) {                                                \
    static_assert(std::is_integral_v<T> && sizeof(T) == 4, "the hardware reduces 32-bit integers");                    \
    return __reduce_##NAME##_sync(mask, v);                                                                            \
  }
SORTILE_WARP_REDUCTION(add)
SORTILE_WARP_REDUCTION(min)
SORTILE_WARP_REDUCTION(max)
#undef SORTILE_WARP_REDUCTION
#define SORTILE_WARP_REDUCTION(NAME)                                                                                   \
  template <class T>                                                                                                   \
  SORTILE_DEVICE T warp_reduce_##NAME(T v, unsigned mask = full_warp) {                                                \
    static_assert(std::is_integral_v<T> && sizeof(T) == 4, "the hardware reduces 32-bit integers");                    \
    return T(__reduce_##NAME##_sync(mask, unsigned(v)));                                                               \
  }
SORTILE_WARP_REDUCTION(and)
SORTILE_WARP_REDUCTION(or)
SORTILE_WARP_REDUCTION(xor)
#undef SORTILE_WARP_REDUCTION

} // namespace cuda_backend
} // namespace sortile::simt
