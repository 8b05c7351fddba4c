// One tile of the filter: which of its keys lie below the pivot, and which equal it, each written behind all that the
// tiles before it have written.
//
//   warp     rows of 32 lanes with a vector of 16 bytes each, one row behind the other: order of positions is order of
//            rows, lanes, keys of a vector
//   count    a bit a key, in two masks a lane; sums of the warps; a look-back (look_back.hpp) over the tiles, for both
//            sums at once
//   write    rows in which there is a candidate, read once more: few rows have one
//
// Both sums travel in one word of 64 bits, 32 for each, and stop at 2^32 − 1 instead of wrapping. Such sums do not
// depend on how they are grouped, and what exceeds the room is not written.
#pragma once

#include "kernels/number_array.hpp"
#include "primitives/key_codec.hpp"
#include "primitives/look_back.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Sums of candidates (low half) and of keys that equal the pivot (high half).
struct both_sums {
  static constexpr std::uint64_t half = 0xffffffffu;
  SORTILE_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t low = (a & half) + (b & half), high = (a >> 32) + (b >> 32);
    return (high > half ? half : high) << 32 | (low > half ? half : low);
  }
  template <class T>
  static SORTILE_HOST_DEVICE constexpr T identity() {
    return 0;
  }
};

/// What is found out on the device: written by the launch that chooses the pivot, the last tile of the filter, and the
/// search that stands in for the pivot where the sample has misled.
template <class Word>
struct filter_state {
  simt::global<Word> pivot;          ///< [1] an image
  simt::global<std::uint64_t> sums;  ///< [1] both_sums over all tiles
  simt::global<std::uint64_t> count; ///< [1] candidates, for the sort that follows
};

template <class Word>
struct filter_arrays {
  simt::global<const Word> keys;
  simt::global<Word> candidates, equals;
  number_array positions, equal_positions; ///< where they come along
  std::uint64_t n;
  std::uint64_t capacity, k;
  key_codec<Word> codec;
  bool vectors_allowed; ///< the array is aligned to 16 bytes
};

template <class Word, unsigned Threads, unsigned Items>
class filter_tile {
 public:
  using arrays = filter_arrays<Word>;
  using chain = primitives::look_back_chain<std::uint64_t>;
  static constexpr unsigned warps = Threads / simt::warp_size, tile_keys = Threads * Items;
  static_assert(Items <= 32, "a bit a key");

  struct shared {
    simt::shared_array<std::uint64_t, warps> sums; // of all that comes before a warp's keys
  };

  /// By all threads. Returns the sums of this tile and all before it, in warp 0.
  static SORTILE_DEVICE std::uint64_t run(shared& s, const arrays& a, const chain& tiles, primitives::tile_ticket at,
                                          Word pivot) {
    const bool whole = (std::uint64_t{at.tile} + 1) * tile_keys <= a.n;
    constexpr int width = sizeof(Word) == 16 ? 1 : int(16 / sizeof(Word));
    if (whole && a.vectors_allowed)
      return filter<width, true>(s, a, tiles, at, pivot);
    return filter<1, false>(s, a, tiles, at, pivot);
  }

 private:
  template <int Width, bool Whole>
  static SORTILE_DEVICE std::uint64_t filter(shared& s, const arrays& a, const chain& tiles, primitives::tile_ticket at,
                                             Word pivot) {
    constexpr unsigned rows = Items / unsigned(Width), row_keys = simt::warp_size * unsigned(Width);
    constexpr unsigned at_once = rows < 4 ? rows : 4;
    const std::uint64_t first = std::uint64_t{at.tile} * tile_keys + simt::warp_index() * simt::warp_size * Items +
                                simt::lane_index() * unsigned(Width);
    std::uint32_t below = 0, equal = 0; // bit r · Width + w
    // A few rows at a time: more of them in flight cost the registers of another block, which would have more in
    // flight.
    SORTILE_NO_UNROLL
    for (unsigned r = 0; r < rows; r += at_once) {
      const std::uint64_t here = first + r * row_keys;
      simt::vec<Word, Width> x[at_once];
      SORTILE_UNROLL
      for (unsigned i = 0; i < at_once; ++i)
        x[i] = load<Width, Whole>(a, here + i * row_keys);
      std::uint32_t is_below = 0, is_equal = 0;
      SORTILE_UNROLL
      for (unsigned i = 0; i < at_once; ++i) {
        SORTILE_UNROLL
        for (int w = 0; w < Width; ++w) {
          const Word u = a.codec.image(x[i][w]);
          const bool present = Whole || here + i * row_keys + unsigned(w) < a.n;
          is_below |= std::uint32_t(present && u < pivot) << (i * unsigned(Width) + unsigned(w));
          is_equal |= std::uint32_t(present && u == pivot) << (i * unsigned(Width) + unsigned(w));
        }
      }
      below |= is_below << (r * unsigned(Width));
      equal |= is_equal << (r * unsigned(Width));
    }
    const std::uint64_t low = simt::warp_reduce_add(std::uint32_t(simt::popcount(below)));
    const std::uint64_t high = simt::warp_reduce_add(std::uint32_t(simt::popcount(equal)));
    const std::uint64_t upto =
        primitives::prefixes_of_warps(tiles, at, s.sums, high << 32 | low, both_sums{}, std::uint64_t{0});
    const std::uint64_t before = s.sums.load(simt::warp_index());
    write<Width>(a, below, first, before & both_sums::half, a.capacity, a.candidates, a.positions);
    write<Width>(a, equal, first, before >> 32, a.k, a.equals, a.equal_positions);
    return upto;
  }

  template <int Width, bool Whole>
  static SORTILE_DEVICE simt::vec<Word, Width> load(const arrays& a, std::uint64_t i) {
    if constexpr (Whole)
      return simt::load_vector<Width>(a.keys, i, simt::streaming);
    else
      return {{i < a.n ? a.keys.load(i) : Word{0}}};
  }

  /// The keys of the mask, to `to` from place `at` on, as far as there is room. They are read again, from the L1 cache:
  /// few rows have any, and kept in registers until here they would spill.
  template <int Width>
  static SORTILE_DEVICE void write(const arrays& a, std::uint32_t mask, std::uint64_t first, std::uint64_t at,
                                   std::uint64_t room, const simt::global<Word>& to, const number_array& positions_to) {
    if (at >= room || !simt::warp_any(mask != 0))
      return;
    constexpr std::uint32_t row_mask = Width == 32 ? ~0u : (1u << Width) - 1;
    SORTILE_NO_UNROLL
    for (unsigned r = 0; r < Items / unsigned(Width); ++r) {
      std::uint32_t mine = mask >> (r * unsigned(Width)) & row_mask;
      if (!simt::warp_any(mine != 0))
        continue;
      const std::uint32_t count = simt::popcount(mine);
      const std::uint32_t upto = primitives::warp_inclusive_scan(count, primitives::plus{});
      std::uint64_t place = at + upto - count;
      for (; mine != 0 && place < room; mine &= mine - 1, ++place) {
        const std::uint64_t i = first + r * simt::warp_size * unsigned(Width) + simt::trailing_zeros(mine);
        to[place] = a.keys.load(i);
        positions_to.store(place, i);
      }
      at += simt::shuffle(upto, simt::warp_size - 1);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
