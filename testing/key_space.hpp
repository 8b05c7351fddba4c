// The keys of a type as an ordered set: how the rules of workloads turn ranks, integers and random bits into keys of
// any type. On the host and in kernels.
//
// Made from the definitions of the types alone, not from the engine's codec, so that tests do not check the codec
// against itself.
#pragma once

#include "simt/config.hpp"

#include <sortile/types.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace sortile::testing {

/// The unsigned integer as wide as a key type calls fn(Word{}).
template <class Function>
decltype(auto) with_word(key_type type, Function&& fn) {
  switch (key_bytes(type)) {
  case 1:
    return fn(std::uint8_t{});
  case 2:
    return fn(std::uint16_t{});
  case 4:
    return fn(std::uint32_t{});
  case 8:
    return fn(std::uint64_t{});
  default:
    return fn(uint128{});
  }
}

/// Bits of the fraction of a float type: with the width they determine the format.
constexpr unsigned fraction_bits(key_type type) {
  switch (type) {
  case key_type::f16:
    return 10;
  case key_type::bf16:
    return 7;
  case key_type::f32:
    return 23;
  case key_type::f64:
    return 52;
  default:
    return 0;
  }
}

template <class Word>
class key_space {
 public:
  static constexpr unsigned width = 8 * sizeof(Word);

  explicit key_space(key_type type) : fraction_(fraction_bits(type)) {
    if (is_float(type)) {
      sign_ = word(Word{1} << (width - 1));
      infinity_ = word(sign_ - word(Word{1} << fraction_));
    } else if (is_signed_integer(type)) {
      sign_ = word(Word{1} << (width - 1));
    }
  }

  SORTILE_HOST_DEVICE bool holds_floats() const { return infinity_ != 0; }
  SORTILE_HOST_DEVICE Word sign() const { return sign_; }
  SORTILE_HOST_DEVICE Word infinity() const { return infinity_; }
  SORTILE_HOST_DEVICE Word largest_finite() const { return word(infinity_ - 1); }
  SORTILE_HOST_DEVICE Word smallest_normal() const { return word(Word{1} << fraction_); }

  /// Random bits to a key; every key that is no NaN is about as likely as any other.
  SORTILE_HOST_DEVICE Word random(Word bits) const {
    if constexpr (width <= 64) {
      if (holds_floats())
        return nth_float(word((uint128{bits} * float_count()) >> width));
    }
    return bits;
  }

  /// A fraction of 2^64 to the key at that fraction of the type's range: never decreasing, NaN left out.
  SORTILE_HOST_DEVICE Word spread(std::uint64_t fraction) const {
    if constexpr (width > 64) {
      return word(((Word{fraction} << 64) | fraction) ^ sign_);
    } else {
      if (holds_floats())
        return nth_float(word((uint128{fraction} * float_count()) >> 64));
      return word(word(fraction >> (64 - width)) ^ sign_);
    }
  }

  /// A number to the key of that value: modulo 2^width, for floats rounded to nearest and at most the largest finite
  /// one.
  SORTILE_HOST_DEVICE Word integer(std::uint64_t number) const {
    if (!holds_floats())
      return word(number);
    if (number == 0)
      return 0;
    unsigned exponent = 0; // not by std::bit_width, which is 0 in device code of nvcc 13.0
    for (unsigned step = 32; step != 0; step /= 2)
      exponent += number >> (exponent + step) != 0 ? step : 0;
    const unsigned dropped = exponent > fraction_ ? exponent - fraction_ : 0;
    std::uint64_t significand = number >> dropped;
    if (dropped != 0) {
      const std::uint64_t rest = number & ((std::uint64_t{1} << dropped) - 1);
      const std::uint64_t half_way = std::uint64_t{1} << (dropped - 1);
      significand += rest > half_way || (rest == half_way && (significand & 1) != 0) ? 1 : 0;
    } else {
      significand <<= fraction_ - exponent;
    }
    // The leading one of the significand adds 1 to the exponent field, a carry out of rounding one more.
    const std::uint64_t bias = (std::uint64_t{1} << (width - 2 - fraction_)) - 1;
    const std::uint64_t bits = ((bias + exponent - 1) << fraction_) + significand;
    return word(std::min<std::uint64_t>(bits, static_cast<std::uint64_t>(largest_finite())));
  }

  /// A number to the key of a float type that is nearest to it, at most the largest finite one; never −0.
  SORTILE_HOST_DEVICE Word real(double number) const {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(number);
    const std::uint64_t bias = (std::uint64_t{1} << (width - 2 - fraction_)) - 1;
    std::int64_t field = static_cast<std::int64_t>((bits >> 52) & 0x7ff) - 1023 + static_cast<std::int64_t>(bias);
    std::uint64_t significand = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
    std::uint64_t dropped = 52 - fraction_;
    if (field < 1) { // a denormal number: the leading one moves down into the fraction
      dropped += static_cast<std::uint64_t>(1 - field);
      field = 1;
    }
    if (dropped > 53)
      return 0;
    if (dropped != 0) {
      const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
      const std::uint64_t half_way = std::uint64_t{1} << (dropped - 1);
      significand >>= dropped;
      significand += rest > half_way || (rest == half_way && (significand & 1) != 0) ? 1 : 0;
    }
    const std::uint64_t rounded = (static_cast<std::uint64_t>(field - 1) << fraction_) + significand;
    const Word magnitude = word(std::min<std::uint64_t>(rounded, static_cast<std::uint64_t>(largest_finite())));
    return magnitude != 0 && bits >> 63 != 0 ? word(magnitude | sign_) : magnitude;
  }

  /// Bits that may be a NaN to bits that are none: the lowest bit of a full exponent is cleared.
  SORTILE_HOST_DEVICE Word finite(Word bits) const {
    return holds_floats() && word(bits & infinity_) == infinity_ ? word(bits & ~(Word{1} << fraction_)) : bits;
  }

  /// Random bits to a NaN: either sign, any payload, quiet or signalling.
  SORTILE_HOST_DEVICE Word nan(Word bits) const {
    const Word payload_mask = word(smallest_normal() - 1);
    const Word payload = word(bits & payload_mask);
    return word((bits & sign_) | infinity_ | (payload == 0 ? Word{1} : payload));
  }

 private:
  template <class T>
  SORTILE_HOST_DEVICE static constexpr Word word(T value) {
    return static_cast<Word>(value);
  }

  /// How many bit patterns are no NaN: −inf … −0, +0 … +inf.
  SORTILE_HOST_DEVICE Word float_count() const { return word(2 * word(infinity_ + 1)); }

  SORTILE_HOST_DEVICE Word nth_float(Word rank) const {
    const Word negatives = word(infinity_ + 1);
    return rank < negatives ? word(sign_ | word(infinity_ - rank)) : word(rank - negatives);
  }

  unsigned fraction_;
  Word sign_ = 0;
  Word infinity_ = 0; ///< bits of +infinity; 0 for integers
};

} // namespace sortile::testing
