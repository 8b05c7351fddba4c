// What the scan finds out about all keys, and what later steps of a sort add: a few words in the workspace.
#pragma once

#include <cstdint>

namespace sortile::kernels {

/// Indices into the findings, an array of 64-bit words that is zero before the scan.
enum key_finding : unsigned {
  finding_order, ///< what neighbours do (key_order.hpp): are the keys in order already, or backwards?
  finding_ones,  ///< bits set in some image, and of 128 bits the upper half
  finding_zeros =
      finding_ones + 2, ///< bits clear in some image, likewise; ones & zeros are the bits in which keys differ
  finding_deferred = finding_zeros + 2, ///< deferred buckets: for local/large_sort_kernel.hpp, or skewed/
  finding_outside,                      ///< 1: some image lies outside of the interval (key_window.hpp)
  finding_heavy,                        ///< of the samples that a map was judged by, how many have frequent values
  finding_too_large, ///< keys in buckets that are too large for the local step, as far as they are counted
  finding_skewed,    ///< not 0: the fallback sorts the keys; who_found_skew says why
  finding_second,    ///< 1: the keys were scanned again, with another interval (second_scan.hpp)
  finding_giants,    ///< buckets that several blocks count (skewed/giant_buckets.hpp)
  finding_drawn,     ///< of the deferred buckets, how many have found their block
  finding_refined,   ///< of the deferred buckets, how many have been sorted by finer bins
  finding_alike, ///< rows of a warp's vectors that have one bucket, or nearly: more than there are, if it has hot keys
  finding_sampled, ///< blocks that have counted their part of a map's sample
  finding_scanned, ///< blocks of the scan that have added their counts, where the last one makes the tables
  finding_words
};

/// Bits of finding_skewed: who has found a bucket that is too large, or, among floats, a −0 or a NaN.
enum who_found_skew : unsigned {
  skewed_by_counts = 1, ///< the scan's counts
  skewed_by_sample = 2, ///< a sample, so that there was no scan: nothing else is known
  skewed_by_scan = 4    ///< the scan itself, while it ran, among floats; so it asks for the sample's bit alone
};

} // namespace sortile::kernels
