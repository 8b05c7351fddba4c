// What becomes of outliers, keys outside of the interval (key_window.hpp), in a sort that counts its buckets and so
// gives no keys away because of skew.
//
// They count as the interval's nearest end, so they are in the first or the last bucket, together with other keys. Such
// a bucket is sorted by ranges of its values (skewed/sort_tails_kernel.hpp): that is right for any number of keys, and fast
// enough for up to 2^19 of them. Where the bucket holds more, the scan is repeated with an interval that holds all keys. So it is where values
// had several counters each: then the counts are not of buckets, and outliers keep them from being the result. The
// first scan has told the second interval:
//
//   bits that are the same in all images     P P P P . . . . . . . .
//   the second interval                      P P P P 0 0 0 0 0 0 0 0  …  P P P P 1 1 1 1 1 1 1 1
//
// The second scan counts into a table of its own and finds the same bits and the same order again. So all its blocks
// can decide by the first one's table and findings, while it runs. The tables' kernel puts the second interval, and
// that nothing lies outside, in the first one's place.
//
// Cost: an idle launch, or the scan once more.
#pragma once

#include "kernels/key_scan/key_window.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Keys of a bucket with outliers that are sorted by ranges.
inline constexpr std::uint32_t most_beside_outliers = 1u << 19;

/// Whether the bucket may hold keys from outside of the interval.
template <class Word>
SORTILE_DEVICE bool has_outliers(const simt::global<const std::uint64_t>& findings, const key_window<Word>& w,
                                 std::uint32_t bucket, std::uint32_t bins) {
  if ((bucket != 0 && bucket + 1 != bins) || findings.load(finding_outside) == 0)
    return false;
  if constexpr (sizeof(Word) != 4) // there is no second scan to be saved
    return true;
  return (bucket == 0 && w.low != 0) || (bucket + 1 == bins && Word(w.low + w.span) != Word(~Word{0}));
}

/// Whether to scan again; the same in all threads of the second scan.
template <class Word>
SORTILE_DEVICE bool needs_second_scan(const simt::global<const std::uint64_t>& findings, const key_window<Word>& w,
                                      const simt::global<const std::uint32_t>& count, std::uint32_t bins) {
  const std::uint64_t order = findings.load(finding_order);
  if (findings.load(finding_outside) == 0 || is_in_order(order) || is_backwards(order))
    return false;
  const auto overfull = [&](std::uint32_t bucket) {
    return has_outliers(findings, w, bucket, bins) && count.load(bucket) > most_beside_outliers;
  };
  return w.one_value_a_bucket(bins) || overfull(0) || overfull(bins - 1);
}

/// The smallest aligned interval of all images.
template <class Word>
SORTILE_DEVICE key_window<Word> window_of_all(const simt::global<const std::uint64_t>& findings) {
  Word rest = differing_bits<Word>(findings);
  SORTILE_UNROLL
  for (unsigned step = 1; step < 8 * sizeof(Word); step *= 2)
    rest = Word(rest | rest >> step);
  Word ones = Word(findings.load(finding_ones));
  if constexpr (sizeof(Word) > 8)
    ones |= Word(findings.load(finding_ones + 1)) << 64;
  const Word low = Word(ones & ~rest);
  return key_window<Word>::of(low, Word(low | rest));
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
