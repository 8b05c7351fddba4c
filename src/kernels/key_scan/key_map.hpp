// The spread by distribution: a monotone map from keys to 31 bits that a sample has drawn, evenly filled whatever
// smooth distribution the keys have.
//
// An interval that is divided evenly (key_window.hpp) gives even buckets only where the keys lie evenly in it. Normal,
// exponential and lognormal keys do not. But within a small part of the type they nearly do. So the type is cut into
// cells, a sample says what part of the keys each cell holds, and a key's place is interpolated within its cell:
//
//   center     about the median of the keys; an end of theirs where they are far denser there (exponential, lognormal)
//   x          image − center, both halved, so that the sign has room; as a float, rounded toward zero
//   cell       of x's sign, its exponent, and the four bits behind its highest one: 16 cells between one power of two
//              and the next, so that cells are narrow where the keys are dense
//   fraction   the rest of the float's mantissa, 19 bits
//   y          base[cell] + fraction · height[cell] / 2^32; where x is negative, from base[cell] − 1 down
//
//         keys                       y
//             ▂▅█▅▂▁               │         ___--     a cell with a tenth of the sample has a tenth of all y
//        ─┴─┴┴┴┼┴┴┴─┴─ image       │      _/‾
//            center                │___-‾‾
//
// So y takes the place of the interval's own, and its highest bits are a bucket number again. No key lies outside.
// Where the sample has nobody, a cell has no height: its keys share a bucket with their neighbours. Where a bucket
// begins is searched for once, and kept in a table (key_scan_kernel.hpp).
//
// What it does not make even: clusters finer than a cell, and frequent keys, which fall together in any map. Whoever
// uses it asks a second sample (key_map_kernel.hpp).
//
// Source: a map that approximates the distribution function is a learned sort's (Kristo, Vaidya, Çetintemel, Misra and
// Kraska, 2020); cells by a float-like index of the distance from a center are ours.
//
// Cost: one load of 8 bytes from shared storage and some 17 instructions a key, one of them a conversion. Integers of
// 32 and 64 bits.
#pragma once

#include "kernels/key_scan/key_window.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The smallest image of which `holds` is true, where it stays true as images grow; the largest there is, if of none.
template <class Word, class Holds>
SORTILE_DEVICE Word first_image(Holds holds) {
  if (holds(Word{0}))
    return 0;
  Word below = 0, rest = Word(~Word{0}); // not of `below`; of below + rest, if of any
  while (rest > 1) {
    const Word half = Word(rest / 2);
    if (!holds(Word(below + half)))
      below = Word(below + half), rest = Word(rest - half);
    else
      rest = half;
  }
  return Word(below + rest);
}

template <class Word>
struct key_map {
  static constexpr bool exists = sizeof(Word) == 4 || sizeof(Word) == 8;
  /// Whether frequent values are taken out (heavy_samples.hpp). An LSD sort of 32 bits has four passes, and is quicker.
  static constexpr bool parts_heavy = sizeof(Word) == 8;
  /// Cells of a sign; those of negative x come first, from the far end on.
  static constexpr unsigned width = 8 * sizeof(Word), part_bits = 4, side = exists ? width << part_bits : 1,
                            cells = 2 * side;
  static constexpr unsigned center_at = 2 * cells, words = center_at + 4; ///< base and height of each cell; the center
  static constexpr std::uint32_t most = (1u << key_window<Word>::spread_bits) - 1;

  struct place {
    std::uint32_t cell, fraction, below; ///< below: all ones where x is negative
  };
  /// Images that differ in the lowest two bits alone may have one place.
  static SORTILE_DEVICE place of(Word image, Word center) {
    constexpr unsigned mantissa = 23, bias = 127;
    using half = std::conditional_t<sizeof(Word) == 8, std::int64_t, std::int32_t>;
    const std::uint32_t bits = simt::float_bits_toward_zero((half(image >> 1) - half(center >> 1)) | 1);
    const auto below = std::uint32_t(std::int32_t(bits) >> 31);
    const std::uint32_t beside = (bits >> (mantissa - part_bits) & 0xfff) - (bias << part_bits);
    return {side + (beside ^ below), bits << (9 + part_bits), below};
  }
  template <class Words>
  static SORTILE_DEVICE std::uint32_t spread(const Words& map, Word center, Word image) {
    const place p = of(image, center);
    const auto c = simt::load_vector<2>(map, 2 * p.cell);
    return c[0] + (std::uint32_t(std::uint64_t{p.fraction} * c[1] >> 32) ^ p.below);
  }
  /// What a cell's base is, where so much of y lies before it, without its own height.
  static SORTILE_HOST_DEVICE std::uint32_t base(std::uint32_t cell, std::uint32_t before, std::uint32_t height) {
    if (cell < side) // counted down from its end; nobody has less than one
      return before + height == 0 ? 1 : before + height;
    return before < most ? before : most;
  }
  /// A cell with so many of 2^bits samples, and so many in the cells before it.
  static SORTILE_DEVICE simt::vec<std::uint32_t, 2> drawn(std::uint32_t cell, std::uint32_t before,
                                                          std::uint32_t samples, unsigned bits) {
    const unsigned up = key_window<Word>::spread_bits - bits;
    const std::uint32_t height = samples << up;
    return {{base(cell, before << up, height), height}};
  }
  /// The smallest image whose y has at least `bucket` as its highest `bits` bits, or the largest there is.
  template <class Words>
  static SORTILE_DEVICE Word first_of(const Words& map, Word center, std::uint32_t bucket, unsigned bits) {
    const std::uint32_t y = bucket << (key_window<Word>::spread_bits - bits);
    return first_image<Word>([&](Word image) { return spread(map, center, image) >= y; });
  }
};

/// The map as kernels use it, straight from key to bucket.
template <class Word, class Image = integer_image<Word>>
struct mapped_keys {
  Image image;
  Word center;
  simt::shared_view<std::uint32_t> map;

  SORTILE_DEVICE mapped_keys(const Image& of, Word center_of_map, const simt::shared_view<std::uint32_t>& words)
      : image(of), center(center_of_map), map(words) {}

  static SORTILE_DEVICE bool outside(Word) { return false; }
  SORTILE_DEVICE std::uint32_t digit(Word key, unsigned right, std::uint32_t mask) const {
    return key_map<Word>::spread(map, center, image.image(key)) >> right & mask;
  }
};

/// The center of a map in device memory.
template <class Word>
SORTILE_DEVICE Word center_of(const simt::global<const std::uint32_t>& map) {
  constexpr unsigned at = key_map<Word>::center_at;
  if constexpr (sizeof(Word) == 8)
    return map.load(at) | std::uint64_t{map.load(at + 1)} << 32;
  else
    return map.load(at);
}
template <class Word>
SORTILE_DEVICE void store_center(const simt::global<std::uint32_t>& map, Word center) {
  constexpr unsigned at = key_map<Word>::center_at;
  map[at] = std::uint32_t(center);
  if constexpr (sizeof(Word) == 8)
    map[at + 1] = std::uint32_t(center >> 32);
}
/// Brings the cells to shared storage, by all threads; a block barrier has to follow.
template <class Word, class Shared>
SORTILE_DEVICE void fetch_map(Shared& to, const simt::global<const std::uint32_t>& map, unsigned threads) {
  for (unsigned i = 4 * simt::thread_index(); i < key_map<Word>::center_at; i += 4 * threads)
    simt::store_vector<4>(to, i, simt::load_vector<4>(map, i));
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
