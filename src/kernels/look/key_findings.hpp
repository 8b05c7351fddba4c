// What the scan finds out about all keys, and what later steps of a sort add: a few words in the workspace.
#pragma once

#include <cstdint>

namespace sortile::kernels {

/// Indices into the findings, an array of 64-bit words that is zero before the look.
enum key_finding : unsigned {
  finding_order, ///< what neighbours do (key_order.hpp): are the keys in order already, or backwards?
  finding_ones,  ///< bits set in some image, and of 128 bits the upper half
  finding_zeros =
      finding_ones + 2, ///< bits clear in some image, likewise; ones & zeros are the bits in which keys differ
  finding_left = finding_zeros + 2, ///< buckets that the local step left to the large one, or to crowds/
  finding_outside,                  ///< 1: some image lies outside of the window (key_window.hpp)
  finding_crowded, ///< keys in buckets that are too large for the local step, as far as they are counted
  finding_skewed,  ///< not 0: the sort leaves the keys to another, as one of these says
  finding_second,  ///< 1: the look was taken again, with another window (second_look.hpp)
  finding_giants,  ///< buckets that several blocks count (crowds/giant_buckets.hpp)
  finding_drawn,   ///< of the buckets left, how many have found their block
  finding_hot,     ///< 1: some bucket holds more than a quarter of all keys
  finding_words
};

/// Bits of finding_skewed: who has found a bucket that is too large, or, among floats, a −0 or a NaN.
enum who_found_skew : unsigned {
  skewed_by_counts = 1, ///< the look's counts
  skewed_by_sample = 2, ///< a sample, so that no look was taken: nothing else is known
  skewed_by_look = 4    ///< the look itself, while it ran, so that it asks for the sample's word alone: of floats
};

} // namespace sortile::kernels
