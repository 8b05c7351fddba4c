// Short sorts of keys alone of which there are few different ones.
//
// Idea. Equal keys are equal bits. So few values need not be moved: it is counted how often each occurs, and it is
// written so often. A split moves every key once for each level, by a permutation and two stores for a vector.
//
//   up to 16 values    are compared with each vector of keys (heavy_keys.hpp): a comparison and a subtraction for each.
//                      Others, up to an eighth, are gathered at the front of the result, and sorted there
//   some hundreds      have counters in a table (counted_values.hpp)
//
// No image of a key is made. Of floats, zeros of both signs are equal and differ in bits, and so do NaNs: where one is
// met that is no value to count, what has been read is put back, and the long way sets them aside.
//
// 32 keys tell whether a sample is worth its time: of sixteen values they show most, of some hundreds two are the same.
// Where they are all the same, they are the sample. It suggests the values; the counts tell whether there are others.
// So a sample that misleads costs a read, and nothing else.
//
// Cost, of two values within the L2 cache: a read and a write, 0.15 ns a 32-bit key; splits take 0.65. Of a hundred
// 1 ns; splits take 3.
#pragma once

#include "cpu/key_image.hpp"

#include <sortile/request.hpp>

#include <cstddef>

namespace sortile::cpu {

/// Keys, alone or with what they carry: to look at fewer takes more than some hundredths of their sort.
inline constexpr std::size_t least_counted = 2048;

/// Bytes of keys with what they carry, some of which are known to repeat: words of wide keys take longer.
inline constexpr std::size_t least_repeating = 6400;

/// Keys that seem to be one: a split gathers fewer others sooner.
inline constexpr std::size_t least_of_one = 8192;

/// Sorts n ≥ least_counted keys of 4 or 8 bytes that have few values, of which up to `most` may be looked up in a
/// table. False, and nothing was done, where they do not seem to, or a −0 or a NaN is met.
template <class K>
bool sort_by_counts(const K* keys, std::size_t n, const key_image<K>& image, K* to, std::size_t most);

/// The same of a sound request with values or positions, n ≥ 64, by the whole keys, of which some dozens to some
/// hundreds are different.
template <class K>
bool sort_pairs_by_counts(const sort_request& request, order direction);

} // namespace sortile::cpu
