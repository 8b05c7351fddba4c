// Counting keys by digit where neighbours may have one digit: a warp's row of vectors.
//
// Lanes that add to one counter wait for each other. Among random keys two or three do. But of sorted keys, or of keys
// that are in runs, or nearly sorted, a whole row has one digit or two, and its additions go one after the other: 32
// times as long. So lanes with one digit add together, by one of them:
//
//   leading    this lane's vector has one digit throughout, and the same one as the lowest lane's    one addition for
//   all own        this lane's vector has one digit throughout, another one                              one for the
//   vector neither                                                                                          one for
//   each key
//
// Where a place among the keys of its digit is wanted for each key, too, add_row() gives it. It costs what a row of
// random keys cannot pay, so are_alike() asks first, once for many rows.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <int N>
SORTILE_DEVICE bool has_one_digit(const std::uint32_t (&digits)[N]) {
  std::uint32_t differs = 0;
  SORTILE_UNROLL
  for (int e = 1; e < N; ++e)
    differs |= digits[0] ^ digits[e];
  return differs == 0;
}

/// add(digit, keys) for all digits of a warp's row, N a lane, in as few calls as that takes. By whole warps. Returns
/// whether most lanes have nothing but the lowest one's digit.
template <int N, class Add>
SORTILE_DEVICE bool count_row(const std::uint32_t (&digits)[N], Add add) {
  const std::uint32_t lowest = simt::shuffle(digits[0], 0);
  const bool own = has_one_digit(digits), leads = own && digits[0] == lowest;
  const unsigned leading = simt::ballot(leads);
  if (own) {
    if (!leads || (leading & simt::lanes_below()) == 0)
      add(digits[0], unsigned(N) * (leads ? unsigned(simt::popcount(leading)) : 1));
  } else {
    SORTILE_UNROLL
    for (int e = 0; e < N; ++e)
      add(digits[e], 1u);
  }
  return simt::popcount(leading) > simt::warp_size / 2;
}

/// add(digit, lanes) for each lane's digit, where `counts`: the first such lane's digit once for all that have it. By
/// whole warps.
template <class Add>
SORTILE_DEVICE void count_lanes(bool counts, std::uint32_t digit, Add add) {
  const unsigned counting = simt::ballot(counts);
  if (counting == 0)
    return;
  const std::uint32_t first = simt::shuffle(digit, simt::trailing_zeros(counting));
  const bool leads = counts && digit == first;
  const unsigned leading = simt::ballot(leads);
  if (counts && (!leads || (leading & simt::lanes_below()) == 0))
    add(digit, leads ? unsigned(simt::popcount(leading)) : 1u);
}

/// Whether more neighbours of a row have one digit than random keys would. By whole warps.
template <int N>
SORTILE_DEVICE bool are_alike(const std::uint32_t (&digits)[N]) {
  constexpr int by_chance = 7; // and skewed keys, which would take as long either way
  std::uint32_t next;
  if constexpr (N == 1)
    next = simt::shuffle_down(digits[0], 1);
  else
    next = digits[1];
  return simt::popcount(simt::ballot(digits[0] == next)) > by_chance;
}

/// Rows of digits that are alike: places among the keys of each digit, in any order, and their number.
struct alike_rows {
  std::uint32_t lead = 0; ///< the digit that most lanes of the row before had

  /// Adds to count[digit] what the row has of it; ranks[e] becomes the place of key e. By whole warps.
  template <int N, class Counters>
  SORTILE_DEVICE void add_row(Counters& count, const std::uint32_t (&digits)[N], std::uint32_t (&ranks)[N]) {
    const bool own = has_one_digit(digits);
    const unsigned owners = simt::ballot(own);
    if (simt::popcount(owners) < simt::warp_size / 2) {
      SORTILE_UNROLL
      for (int e = 0; e < N; ++e)
        ranks[e] = add(count, digits[e], 1, simt::full_warp).place;
      return;
    }
    const placed first = add(count, digits[0], own ? unsigned(N) : 1, owners);
    SORTILE_UNROLL
    for (int e = 1; e < N; ++e)
      ranks[e] = own ? first.place + unsigned(e) * first.stride
                     : count.fetch_add(digits[e], 1u, simt::relaxed, simt::block_scope);
    ranks[0] = first.place;
  }

 private:
  struct placed {
    std::uint32_t place, stride; ///< of the lane's first key, and from each of its keys to the next
  };
  /// `each` keys a lane. Lanes of `among`, which have as many each, add together where they have the leading digit.
  template <class Counters>
  SORTILE_DEVICE placed add(Counters& count, std::uint32_t digit, unsigned each, unsigned among) {
    unsigned alike = simt::ballot(digit == lead) & among;
    if (2 * simt::popcount(alike) < simt::popcount(among)) { // then some lane of them has another
      lead = simt::shuffle(digit, simt::trailing_zeros(among & ~alike));
      alike = simt::ballot(digit == lead) & among;
    }
    const bool leads = (alike >> simt::lane_index() & 1) != 0;
    const unsigned below = simt::popcount(alike & simt::lanes_below()), lanes = simt::popcount(alike);
    std::uint32_t place = 0;
    if (!leads || below == 0)
      place = count.fetch_add(digit, leads ? each * lanes : each, simt::relaxed, simt::block_scope);
    const std::uint32_t of_leading = simt::shuffle(place, simt::trailing_zeros(alike));
    return leads ? placed{of_leading + below, lanes} : placed{place, 1};
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
