// What the launches of one LSD sort share in device memory, and how a kernel reads it: n, what the scan found, which
// array a pass reads and writes.
#pragma once

#include "kernels/any_image.hpp"
#include "kernels/integer_image.hpp"
#include "kernels/look/key_order.hpp"
#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/verdict.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

using detail::lsd_route;

/// Indices into the findings, 64-bit words that are zero before the scan. Bits of images within the window, and what
/// neighbouring images do (look/key_order.hpp); how many values keys have, or more than are counted (value_table.hpp).
enum lsd_finding : unsigned { lsd_ones, lsd_zeros = 2, lsd_order = 4, lsd_different, lsd_findings_size };

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

/// Which passes there are, and which of them have anything to do.
struct lsd_passes {
  unsigned count, digit_bits;
  bool by_value; // keys of few values are written from their counts

  /// A bit a pass: some keys differ in its digit. None where the keys are in order already, or backwards, or have few
  /// values.
  SORTILE_DEVICE std::uint32_t active(const simt::global<const std::uint64_t>& findings) const {
    if (findings.load(lsd_order) != seen_both || (by_value && findings.load(lsd_different) <= detail::lsd_values::most))
      return 0;
    const std::uint64_t low = findings.load(lsd_ones) & findings.load(lsd_zeros);
    const std::uint64_t high = findings.load(lsd_ones + 1) & findings.load(lsd_zeros + 1);
    uint128 differ = uint128{high} << 64 | low;
    std::uint32_t active = 0;
    for (unsigned p = 0; p < count; ++p, differ >>= digit_bits)
      active |= std::uint32_t((std::uint32_t(differ) & ((1u << digit_bits) - 1)) != 0) << p;
    return active;
  }
  /// Of the digit of a pass, in a window of so many bits: the last may be narrower.
  SORTILE_DEVICE std::uint32_t mask(unsigned bits, unsigned pass) const {
    const unsigned left = bits - pass * digit_bits;
    return (1u << (left < digit_bits ? left : digit_bits)) - 1;
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

/// The digit of one pass.
template <class Word>
struct lsd_digit {
  key_codec<Word> codec;
  unsigned shift; // in the whole image
  std::uint32_t mask;

  /// Calls f once, with digit_of(key): by a function for floats or one for integers, so that the question is not asked
  /// for each key.
  template <class F>
  SORTILE_DEVICE void by_kind(F f) const {
    constexpr bool may_be_float = sizeof(Word) >= 2 && sizeof(Word) <= 8;
    const auto digits_of = [this, &f](const auto& image) {
      f([this, &image](Word key) { return std::uint32_t(image.image(key) >> shift) & mask; });
    };
    if constexpr (may_be_float)
      if (codec.infinity != 0)
        return digits_of(any_image<Word>(codec));
    digits_of(integer_image<Word>{Word(codec.sign ^ codec.complement)});
  }
};

/// Copies by the whole grid, 16 bytes a thread where both are aligned to that.
template <class T>
SORTILE_DEVICE void copy_all(const simt::global<const T>& from, const simt::global<T>& to, std::uint64_t n,
                             bool vectors) {
  constexpr int vector = int(16 / sizeof(T));
  const std::uint64_t stride = std::uint64_t{simt::grid_size()} * simt::block_size();
  const std::uint64_t first = std::uint64_t{simt::block_index()} * simt::block_size() + simt::thread_index();
  const std::uint64_t whole = vectors ? n / unsigned(vector) : 0;
  constexpr int in_flight = 4;
  std::uint64_t v = first;
  for (; v + (in_flight - 1) * stride < whole; v += in_flight * stride) {
    simt::vec<T, vector> x[in_flight];
    SORTILE_UNROLL
    for (int k = 0; k < in_flight; ++k)
      x[k] = simt::load_vector<vector>(from, (v + unsigned(k) * stride) * unsigned(vector), simt::streaming);
    SORTILE_UNROLL
    for (int k = 0; k < in_flight; ++k)
      simt::store_vector<vector>(to, (v + unsigned(k) * stride) * unsigned(vector), x[k], simt::streaming);
  }
  for (; v < whole; v += stride)
    simt::store_vector<vector>(to, v * unsigned(vector), simt::load_vector<vector>(from, v * unsigned(vector)));
  for (std::uint64_t i = whole * unsigned(vector) + first; i < n; i += stride)
    to.store(i, from.load(i));
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
