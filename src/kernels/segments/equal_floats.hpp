// Floats that equal each other in other bits: 0 and −0, and NaNs.
//
// All other floats are told by their bits, so keys alone are sorted by images that can be turned back, without places,
// as integers are
// (but of 8 bytes by some lanes: short_kernel.hpp). NaNs take one image for that, and −0 the one beside 0's. Whoever
// met such a key then writes all zeros and NaNs once more, from the input, in the order in which they stand there: each
// kind has a stretch of the sorted segment, which begins behind what stands before it.
//
//   keys       2 −0 nan 1 0 −3 nan'      by images      −3 | −0 0 | 1 2 | nan nan
//   written    −0 and 0 from place 1 on, nan and nan' from place 5 on, as they came
//
// An input without them pays for the question alone.
#pragma once

#include "kernels/segments/segment_items.hpp"
#include "primitives/lanes_reduce.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct equal_floats {
  const segment_arrays<Word>& arrays;

  /// put(place, key) for the zeros and NaNs among n keys of a segment, which a group of lanes shares; key(p) is the one
  /// at p of the input. All lanes of the warp call.
  template <unsigned Lanes, class Key, class Put>
  SORTILE_DEVICE void write(std::uint32_t n, Key key, Put put) const {
    put_from<Lanes>(begin(summed<Lanes>(counted<Lanes>(n, key)), n), n, key, put);
  }

  /// The same by a block, whose warps take a stretch of the keys each; counts: two words a warp, which nobody uses.
  template <unsigned Warps, class Key, class Put>
  SORTILE_DEVICE void write_by_block(const simt::shared_view<std::uint32_t>& counts, std::uint32_t n, Key key,
                                     Put put) const {
    static_assert(Warps <= simt::warp_size);
    constexpr unsigned lanes = simt::warp_size;
    const unsigned warp = simt::warp_index(), lane = simt::lane_index();
    const std::uint32_t stretch = (n + Warps - 1) / Warps, first = warp * stretch < n ? warp * stretch : n;
    const std::uint32_t mine = n - first < stretch ? n - first : stretch;
    const auto from_first = [&](std::uint32_t p) { return key(first + p); };
    const counts_of warps_own = summed<lanes>(counted<lanes>(mine, from_first));
    if (lane == 0) {
      counts[warp] = warps_own.before_zeros;
      counts[Warps + warp] = warps_own.equal;
    }
    simt::block_barrier();
    const counts_of c = lane < Warps ? counts_of{counts.load(lane), counts.load(Warps + lane)} : counts_of{0, 0};
    const counts_of earlier = summed<lanes>(lane < warp ? c : counts_of{0, 0});
    places at = begin(summed<lanes>(c), n);
    at.zeros += earlier.equal >> 16;
    at.nans += earlier.equal & 0xffff;
    put_from<lanes>(at, mine, from_first, put);
    simt::block_barrier();
  }

 private:
  struct counts_of {
    std::uint32_t before_zeros;
    std::uint32_t equal; // zeros · 2^16 + NaNs: a block has up to 2^14 elements
  };
  /// Where they begin in the order of a segment, or go on.
  struct places {
    std::uint32_t zeros, nans;
  };

  SORTILE_DEVICE bool is_zero(Word key) const { return Word(key & ~arrays.codec.sign) == 0; }
  SORTILE_DEVICE bool is_nan(Word key) const { return Word(key & ~arrays.codec.sign) > arrays.codec.infinity; }

  /// Of the lane's share.
  template <unsigned Lanes, class Key>
  SORTILE_DEVICE counts_of counted(std::uint32_t n, Key key) const {
    counts_of c{0, 0};
    SORTILE_NO_UNROLL
    for (std::uint32_t p = simt::lane_index() % Lanes; p < n; p += Lanes) {
      const Word k = key(p);
      c.before_zeros += !is_zero(k) && arrays.template image<segment_elements::floats>(k) < Word(~arrays.codec.sign);
      c.equal += is_zero(k) ? 1u << 16 : is_nan(k) ? 1u : 0u;
    }
    return c;
  }
  template <unsigned Lanes>
  static SORTILE_DEVICE counts_of summed(const counts_of& c) {
    return {primitives::lanes_reduce<Lanes>(c.before_zeros, primitives::plus{}),
            primitives::lanes_reduce<Lanes>(c.equal, primitives::plus{})};
  }
  SORTILE_DEVICE places begin(const counts_of& c, std::uint32_t n) const {
    return {c.before_zeros, arrays.codec.complement != 0 ? 0 : n - (c.equal & 0xffff)}; // NaN comes last, or first
  }

  template <unsigned Lanes, class Key, class Put>
  SORTILE_DEVICE void put_from(places at, std::uint32_t n, Key key, Put put) const {
    constexpr std::uint32_t group = Lanes == simt::warp_size ? ~0u : (1u << Lanes % simt::warp_size) - 1;
    const unsigned lane = simt::lane_index() % Lanes, shift = simt::lane_index() - lane;
    const std::uint32_t longest = simt::warp_reduce_max(n), below = (1u << lane) - 1;
    SORTILE_NO_UNROLL
    for (std::uint32_t p = lane; p < longest + lane; p += Lanes) {
      const Word k = p < n ? key(p) : Word{1};
      const bool zero = is_zero(k), nan = is_nan(k);
      const std::uint32_t zeros = simt::ballot(zero) >> shift & group, nans = simt::ballot(nan) >> shift & group;
      if (zero || nan)
        put(zero ? at.zeros + simt::popcount(zeros & below) : at.nans + simt::popcount(nans & below), k);
      at.zeros += simt::popcount(zeros);
      at.nans += simt::popcount(nans);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
