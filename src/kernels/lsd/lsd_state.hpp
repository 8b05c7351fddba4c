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
/// (value_table.hpp); of floats, whether some key is a −0 or a NaN (float_image.hpp).
enum lsd_finding : unsigned { lsd_ones, lsd_zeros = 2, lsd_order = 4, lsd_different, lsd_special, lsd_findings_size };

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
  std::uint32_t passes;
  bool by_rank;
};

/// Which passes there are, and which of them have anything to do.
struct lsd_passes {
  unsigned count, digit_bits;
  few_values few;

  SORTILE_HOST_DEVICE bool counts_values() const { return few != few_values::not_counted; }
  SORTILE_DEVICE lsd_work work(const simt::global<const std::uint64_t>& findings) const {
    if (findings.load(lsd_order) != seen_both) // in order already, or backwards
      return {0, false};
    if (writes_counted(findings))
      return {0, false};
    const std::uint64_t values = findings.load(lsd_different);
    const std::uint32_t active = differing(findings);
    const std::uint32_t ranks = values <= 256 ? 1 : 3; // passes by the ranks' digits
    return counts_values() && values <= detail::lsd_values::most && simt::popcount(ranks) < simt::popcount(active)
               ? lsd_work{ranks, true}
               : lsd_work{active, false};
  }
  /// Whether keys have so few values that they may be written from the counts, whatever their order is.
  SORTILE_DEVICE bool writes_counted(const simt::global<const std::uint64_t>& findings) const {
    return few == few_values::written && findings.load(lsd_different) <= detail::lsd_values::most;
  }
  /// Of the digit of a pass, in a window of so many bits: the last may be narrower.
  SORTILE_DEVICE std::uint32_t mask(unsigned bits, unsigned pass) const {
    const unsigned left = bits - pass * digit_bits;
    return (1u << (left < digit_bits ? left : digit_bits)) - 1;
  }

 private:
  /// A bit a pass: some keys differ in its digit.
  SORTILE_DEVICE std::uint32_t differing(const simt::global<const std::uint64_t>& findings) const {
    const std::uint64_t low = findings.load(lsd_ones) & findings.load(lsd_zeros);
    const std::uint64_t high = findings.load(lsd_ones + 1) & findings.load(lsd_zeros + 1);
    uint128 differ = uint128{high} << 64 | low;
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
  /// The other one, or the input.
  SORTILE_DEVICE simt::global<const T> source(bool first, bool to_output) const {
    return first ? in : simt::global<const T>(to_output ? spare : out);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
