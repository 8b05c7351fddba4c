// The codec as the CPU's inner loops use it: three operations per key for every type that has no special cases in it.
//
// The codec of primitives/key_codec.hpp maps −0 to +0 and every NaN to one image. Few arrays hold either, and the first
// scan of the keys finds out. Where it found none, integers and floats alike have the image
//
//     u ^ (arithmetic shift of u by width − 1  &  negative) ^ flip
//
// with negative = 0 for integers. It is one to one, so equal images are equal bits, which the counting sort relies on.
// Where it found some, the exact codec makes every image, which is slower.
#pragma once

#include "primitives/key_codec.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace sortile::cpu {

/// Whether n ≥ 1 keys are one key again and again, as fast as memory: each is compared with its neighbour.
template <class K>
bool are_same_bits(const K* keys, std::size_t n) {
  return std::memcmp(keys, keys + 1, (n - 1) * sizeof(K)) == 0;
}

/// Whether three of n ≥ 1 keys, from front to end, are the same, so that it may pay to compare all.
template <class K>
bool seem_one_key(const K* keys, std::size_t n) {
  return keys[0] == keys[n / 2] && keys[0] == keys[n - 1];
}

/// Whether some key type of this width is a float.
template <class K>
inline constexpr bool width_has_floats = sizeof(K) == 2 || sizeof(K) == 4 || sizeof(K) == 8;

/// Bits up to the highest one that is set.
template <class K>
unsigned width_of_key(K x) {
  if constexpr (sizeof(K) == 16) {
    const auto high = static_cast<std::uint64_t>(x >> 64);
    return high != 0 ? 64 + static_cast<unsigned>(std::bit_width(high))
                     : static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(x)));
  } else {
    return static_cast<unsigned>(std::bit_width(x));
  }
}

template <class K>
struct key_image {
  K negative = 0; ///< flipped in keys with the sign bit set, beyond `flip`
  K flip = 0;
  K window = 0; ///< the bits of the image that decide the order
  bool is_float = false;
  bool exact = false;   ///< −0 or NaN are (or may be) among the keys
  key_codec<K> codec{}; ///< used where exact

  key_image() = default;
  key_image(key_type type, order direction, bit_window bits) : codec(make_key_codec<K>(type, direction, bits)) {
    is_float = codec.infinity != 0;
    negative = is_float ? static_cast<K>(~codec.sign) : K{0};
    flip = static_cast<K>(codec.sign ^ codec.complement);
    window = static_cast<K>(codec.mask << codec.shift);
  }

  /// The same for keys that nobody has looked at.
  key_image exactly() const {
    key_image image = *this;
    image.exact = is_float;
    return image;
  }

  K operator()(K u) const { return exact ? exact_float(u) : plain(u); }

  /// What decides the order: the image within the bit window.
  K ordering(K u) const { return static_cast<K>((*this)(u)&window); }

  K plain(K u) const {
    using Signed =
        std::conditional_t<sizeof(K) == 16, int128, std::make_signed_t<std::conditional_t<sizeof(K) == 16, int, K>>>;
    const K all_signs = static_cast<K>(static_cast<Signed>(u) >> (8 * sizeof(K) - 1));
    return static_cast<K>(u ^ (all_signs & negative) ^ flip);
  }

  /// The codec's image of a float, by choices instead of branches: for loops over keys.
  K exact_float(K u) const {
    const K magnitude = static_cast<K>(u & static_cast<K>(~codec.sign));
    const K number = magnitude == 0 ? K{0} : u; // −0 is 0
    const K flipped = static_cast<K>(number ^ ((number & codec.sign) != 0 ? static_cast<K>(~K{0}) : codec.sign));
    return static_cast<K>((magnitude > codec.infinity ? static_cast<K>(~K{0}) : flipped) ^ codec.complement);
  }

  /// The key of a plain image.
  K key_of(K image) const {
    const K folded = static_cast<K>(image ^ flip); // its sign bit is that of the key: `negative` spares it
    using Signed =
        std::conditional_t<sizeof(K) == 16, int128, std::make_signed_t<std::conditional_t<sizeof(K) == 16, int, K>>>;
    return static_cast<K>(folded ^ (static_cast<K>(static_cast<Signed>(folded) >> (8 * sizeof(K) - 1)) & negative));
  }

  /// −0 or NaN.
  bool is_special(K u) const {
    const K magnitude = static_cast<K>(u & static_cast<K>(~codec.sign));
    return magnitude > codec.infinity || u == codec.sign;
  }
};

} // namespace sortile::cpu
