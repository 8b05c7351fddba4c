// The key codec: how the bits of a key become an unsigned number that sorts as the key does.
//
// A sort never rewrites keys. Where it needs a digit or a comparison it asks the codec for the key's image, so that
// keys travel raw and come out bit for bit as they went in. The image of a key with the bits u:
//
//   unsigned    u
//   signed      u ^ sign                              negative numbers below the others
//   float       u ^ (negative ? all ones : sign)      after −0 is read as +0; every NaN, of either sign, gives all ones
//   descending  the complement of these
//
// That takes a few constants, known at run time, so one kernel per key width serves every type and both directions.
//
//          −NaN  −inf … −1 … −0 | +0 … 1 … +inf  NaN          floats as they are ordered
//   image  ones   ^          8000…           ^   ones          (32 bits: 0x007fffff for −inf, 0xff800000 for +inf)
#pragma once

#include "simt/config.hpp"

#include <sortile/options.hpp>
#include <sortile/types.hpp>

#include <cstdint>

namespace sortile {

/// The codec of keys whose bits are a Word (std::uint8_t … std::uint64_t, uint128).
template <class Word>
struct key_codec {
  Word sign = 0;       ///< flipped in every key: the sign bit of signed types, 0 for unsigned ones
  Word infinity = 0;   ///< bits of +infinity of a float type; 0 says that the keys are integers
  Word complement = 0; ///< all ones: descending
  Word mask = 0;       ///< what remains of the image after the shift: the bit window
  unsigned shift = 0;  ///< begin of the bit window

  /// The image of a whole key, before the bit window is applied.
  SORTILE_HOST_DEVICE constexpr Word whole_image(Word u) const {
    if (infinity != 0) {
      const Word magnitude = static_cast<Word>(u & static_cast<Word>(~sign));
      if (magnitude > infinity)
        return static_cast<Word>(~complement);
      const Word flip = magnitude != 0 && (u & sign) != 0 ? static_cast<Word>(~Word{0}) : sign;
      return static_cast<Word>((magnitude == 0 ? Word{0} : u) ^ flip ^ complement);
    }
    return static_cast<Word>(u ^ sign ^ complement);
  }

  /// The image within the bit window, moved down to bit 0: what the sort compares.
  SORTILE_HOST_DEVICE constexpr Word image(Word u) const { return static_cast<Word>((whole_image(u) >> shift) & mask); }

  /// A key that has this image within the bit window.
  SORTILE_HOST_DEVICE constexpr Word key_of(Word image) const {
    const auto whole = static_cast<Word>(static_cast<Word>(image << shift) ^ complement);
    if (infinity != 0 && (whole & sign) == 0)
      return static_cast<Word>(~whole);
    return static_cast<Word>(whole ^ sign);
  }

  /// Bits of the image that can differ.
  unsigned bits = 0;
};

/// The bits of +infinity, 0 for integers.
constexpr std::uint64_t infinity_bits(key_type type) {
  switch (type) {
  case key_type::f16:
    return 0x7c00;
  case key_type::bf16:
    return 0x7f80;
  case key_type::f32:
    return 0x7f800000;
  case key_type::f64:
    return 0x7ff0000000000000;
  default:
    return 0;
  }
}

/// The codec for a type, an order and a checked bit window (end ≤ width, begin ≤ end; an empty window makes all keys
/// equal).
template <class Word>
constexpr key_codec<Word> make_key_codec(key_type type, order direction, bit_window window) {
  const unsigned width = 8 * sizeof(Word);
  const unsigned end = window.end == bit_window::whole_key ? width : window.end;
  const unsigned kept = end - window.begin;
  key_codec<Word> codec;
  codec.sign = is_float(type) || is_signed_integer(type) ? static_cast<Word>(Word{1} << (width - 1)) : Word{0};
  codec.infinity = static_cast<Word>(infinity_bits(type));
  codec.complement = direction == order::descending ? static_cast<Word>(~Word{0}) : Word{0};
  codec.mask = kept == 0 ? Word{0} : static_cast<Word>(static_cast<Word>(~Word{0}) >> (width - kept));
  codec.shift = kept == 0 ? 0 : window.begin;
  codec.bits = kept;
  return codec;
}

} // namespace sortile
