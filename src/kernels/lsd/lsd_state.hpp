// What the launches of one LSD sort share in device memory, and how a kernel reads it: n, what the scan found, which
// array a pass reads and writes.
#pragma once

#include "kernels/any_image.hpp"
#include "kernels/float_image.hpp"
#include "kernels/integer_image.hpp"
#include "kernels/key_scan/key_order.hpp"
#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/verdict.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

using detail::few_values;
using detail::lsd_route;

/// Indices into the findings, 64-bit words that are zero before the scan. Bits of images within the window, and what
/// neighbouring images do (key_scan/key_order.hpp); how many values keys have, or more than are counted
/// (value_table.hpp); of floats, whether some key is a −0 or a NaN (float_image.hpp); which digits nearly all keys
/// have, as each block has seen them, and how many keys have others (keys_apart.hpp); a heavy key, how often it occurs,
/// how many others there are and are below it (heavy_key.hpp).
enum lsd_finding : unsigned {
  lsd_ones,
  lsd_zeros = 2,
  lsd_order = 4, ///< order_seen, lsd_none_apart, lsd_not_parted
  lsd_different,
  lsd_special,
  lsd_first_usual, ///< a bit for each digit that a block has named as the first of them
  lsd_below,
  lsd_above,
  lsd_usual_set,
  lsd_usual_clear = lsd_usual_set + 2,
  lsd_heavy_key = lsd_usual_clear + 2,
  lsd_heavy_times,
  lsd_below_heavy,
  lsd_others,
  lsd_findings_size
};
static_assert(lsd_findings_size * sizeof(std::uint64_t) <= detail::lsd_findings_bytes);
/// Bits of findings[lsd_order]: some block has too many keys that differ, as in most sorts; or has not parted others
/// from a heavy key.
constexpr std::uint64_t lsd_none_apart = 4, lsd_not_parted = 8;
static_assert(((lsd_none_apart | lsd_not_parted) & seen_both) == 0);

/// Whether there is a float_image of such keys, by which digits are had in a third of the instructions.
template <class Word>
constexpr bool lsd_may_be_plain_floats = sizeof(Word) == 4 || sizeof(Word) == 8;

/// How many keys there are: known at the launch, or read from device memory and cut off at the bound; 0 where the
/// verdict does not call the sort.
struct lsd_count {
  std::uint64_t bound;
  simt::global<const std::uint64_t> on_device;
  bool is_on_device;
  verdict called;

  SORTILE_DEVICE std::uint64_t load() const {
    const bool wanted = called.calls(); // decided last: loads wait for no branch
    const std::uint64_t n = is_on_device ? on_device.load(0) : bound;
    return !wanted ? 0 : n < bound ? n : bound;
  }
};

/// What the passes have to do: a bit for each that moves anything, by the digits of images or, of few values, of their
/// ranks.
struct lsd_work {
  static constexpr unsigned nobody = ~0u;

  std::uint32_t passes;
  bool by_rank = false;
  unsigned apart = nobody; ///< the pass, and the last one, that sets keys apart by all digits from `high` on
  unsigned high = 0;
  std::uint64_t others = 0; ///< not 0: passes take so many keys, which the scan has parted from a heavy one

  /// In whose place those ends are sorted: there is a pass that is no longer needed.
  SORTILE_DEVICE unsigned ends_at() const { return apart == nobody ? nobody : apart + 1; }
  SORTILE_DEVICE bool parted() const { return others != 0; }
};

/// What passes go by of the findings. Loaded together, before anybody asks for any of it: one round trip to memory.
struct lsd_seen {
  std::uint64_t order, different, differ, differ_high; ///< the bits in which images differ
  bool none_apart, parted;
  std::uint64_t named, unclear, apart; ///< unclear: bits of the usual digits on which blocks do not agree

  static SORTILE_DEVICE lsd_seen of(const simt::global<const std::uint64_t>& findings) {
    const auto both = [&](unsigned some, unsigned others) { return findings.load(some) & findings.load(others); };
    const std::uint64_t order = findings.load(lsd_order);
    return {.order = order & seen_both,
            .different = findings.load(lsd_different),
            .differ = both(lsd_ones, lsd_zeros),
            .differ_high = both(lsd_ones + 1, lsd_zeros + 1),
            .none_apart = (order & lsd_none_apart) != 0,
            .parted = (order & lsd_not_parted) == 0,
            .named = findings.load(lsd_first_usual),
            .unclear = both(lsd_usual_set, lsd_usual_clear) | both(lsd_usual_set + 1, lsd_usual_clear + 1),
            .apart = findings.load(lsd_below) + findings.load(lsd_above)};
  }
};

/// Which passes there are, and which of them have anything to do.
struct lsd_passes {
  unsigned count, digit_bits;
  few_values few;
  std::uint32_t most_apart; ///< keys that may be set apart; 0: none are
  bool part;                ///< whether others are parted from a heavy key
  bool in_place;

  SORTILE_HOST_DEVICE bool counts_values() const { return few != few_values::not_counted; }
  SORTILE_DEVICE lsd_work work(const simt::global<const std::uint64_t>& findings) const {
    const auto seen = lsd_seen::of(findings);
    if (seen.order != seen_both) // in order already, or backwards
      return {0};
    if (writes_counted(seen))
      return {0};
    const std::uint32_t active = differing(seen);
    if (part && seen.parted) // else nobody waits for these words
      if (const std::uint64_t others = findings.load(lsd_others);
          2 * findings.load(lsd_heavy_times) >= others && findings.load(lsd_special) == 0)
        return {.passes = in_place ? active : evened(active), .others = others};
    const std::uint32_t ranks = seen.different <= 256 ? 1 : 3; // passes by the ranks' digits
    if (counts_values() && seen.different <= detail::lsd_values::most && simt::popcount(ranks) < simt::popcount(active))
      return {ranks, true};
    return most_apart == 0 || seen.none_apart ? lsd_work{active} : set_apart(seen, active);
  }
  /// Whether keys have so few values that they may be written from the counts, whatever their order is.
  SORTILE_DEVICE bool writes_counted(const lsd_seen& seen) const {
    return few == few_values::written && seen.different <= detail::lsd_values::most;
  }
  /// Of the digit of a pass, in a window of so many bits: the last may be narrower.
  SORTILE_DEVICE std::uint32_t mask(unsigned bits, unsigned pass) const {
    const unsigned left = bits - pass * digit_bits;
    return (1u << (left < digit_bits ? left : digit_bits)) - 1;
  }

 private:
  /// One pass in place of those by the high digits, where these are two at least.
  SORTILE_DEVICE lsd_work set_apart(const lsd_seen& seen, std::uint32_t active) const {
    if (simt::popcount(seen.named) != 1 || seen.unclear != 0 || seen.apart > most_apart)
      return {active};
    const unsigned high = simt::trailing_zeros(std::uint32_t(seen.named));
    const std::uint32_t by_high = active >> high << high;
    if (simt::popcount(by_high) < 2)
      return {active};
    return {(active & ~by_high) | (by_high & (0 - by_high)), false, unsigned(simt::trailing_zeros(by_high)), high};
  }
  /// One more where their number is odd, so that the last one ends in the output, from which the first takes what was
  /// parted. Then one is left, since there are four or eight in all.
  static SORTILE_DEVICE std::uint32_t evened(std::uint32_t active) {
    return simt::popcount(active) % 2 == 0 ? active : active | (active + 1);
  }
  /// A bit a pass: some keys differ in its digit.
  SORTILE_DEVICE std::uint32_t differing(const lsd_seen& seen) const {
    uint128 differ = uint128{seen.differ_high} << 64 | seen.differ;
    std::uint32_t active = 0;
    for (unsigned p = 0; p < count; ++p, differ >>= digit_bits)
      active |= std::uint32_t((std::uint32_t(differ) & ((1u << digit_bits) - 1)) != 0) << p;
    return active;
  }
};

/// An array on its way through the passes. `before` active passes have been, of `all`.
template <class T>
struct lsd_arrays {
  simt::global<const T> in;
  simt::global<T> out, spare; // out: of keys that nobody wants, a second spare array
  lsd_route route;

  SORTILE_DEVICE bool writes_output(unsigned before, unsigned all) const {
    return route == lsd_route::ends_in_output ? (all - before) % 2 == 1
                                              : (before % 2 == 0) == (route == lsd_route::starts_in_output);
  }
  SORTILE_DEVICE simt::global<T> target(bool to_output) const { return to_output ? out : spare; }
  /// Where a scan writes keys that it has parted: an array that it does not read.
  simt::global<T> parted() const { return route == lsd_route::starts_in_spare ? spare : out; }
  /// Of passes that have this to do: they begin with those, if any are parted.
  template <bool MayPart>
  SORTILE_DEVICE lsd_arrays path(const lsd_work& work) const {
    lsd_arrays a = *this;
    if (MayPart && work.parted())
      a.route = route == lsd_route::starts_in_spare ? lsd_route::starts_in_output : lsd_route::starts_in_spare;
    return a;
  }
  /// The other one, or the input.
  SORTILE_DEVICE simt::global<const T> source(bool first, bool to_output) const {
    return first ? in : simt::global<const T>(to_output ? spare : out);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
