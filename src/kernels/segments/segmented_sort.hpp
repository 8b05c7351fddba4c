// Sorts within segments on the device; plain C++. Any mix of lengths, one call, nothing read back.
//
//   transpose   only where a segment's elements do not lie side by side: columns become rows in the workspace
//   classify    reads where the segments lie. Those of up to 32 elements it sorts at once, a thread each; longer ones
//               go to lists by length
//   large       segments that no block can hold: partitions by the highest digits until all pieces are small; what
//               comes out are further entries in the lists. One launch, in which the grid meets at barriers
//   short       up to 512 elements: 4 to 32 lanes each, in registers
//   block       up to 1024, 2048, 5120, and what a block's shared storage holds: a block each, by bins
//   transpose   back
//
// Few segments of arrays that a block holds go to a block each, or some lanes, straight from their offsets, in one
// launch: where a sort is over sooner than three launches, lists cost more than the blocks that are larger than needed.
// Only where somebody asks what the offsets were, something has to keep the answer.
//
// The list of launches depends on n, the form and number of the segments, the types, and whether somebody asks what the
// offsets were: what has nothing to do returns at once. So the call may be captured in a graph and replayed with other
// offsets. Allocates nothing, never synchronises.
//
// Order. By codec.image within its bit window, stable. Deterministic: entries of lists come in any order, but segments
// are independent of each other.
//
// Offsets that make no segment stay inside the arrays: an end before its beginning is an empty segment, what reaches
// beyond the arrays is cut off; `status` then becomes 1.
//
// Traffic: two moves of each element that is in a segment of up to `capacity` elements; for longer segments a read and
// two moves more for each partition, and there is at most one partition for each 8 bits of the key.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <sortile/segments.hpp>

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Word is std::uint8_t … std::uint64_t or uint128. Pointers are to memory that the queue's device can reach, offsets
/// and status too. Arrays are aligned to their elements: keys to sizeof(Word), values to value_bytes.
template <class Word>
struct segmented_sort_request {
  const Word* keys_in = nullptr;
  Word* keys_out = nullptr;        ///< may be keys_in; null: keys are not wanted, only values
  const void* values_in = nullptr; ///< null with make_indices
  void* values_out = nullptr;      ///< may be values_in
  unsigned value_bytes = 0;        ///< 0 (none), 4, 8 or 16
  bool make_indices = false;       ///< values are positions within the segment
  std::uint64_t n = 0;             ///< elements of the arrays
  segments where;                  ///< checked as far as can be without reading offsets
  std::uint32_t* status = nullptr; ///< null, or where 0 is written, or 1 where some offsets made no segment
  bool tells = true;               ///< with a status always: the workspace's segment_wrong_word says so too
  key_codec<Word> codec;
  void* workspace = nullptr; ///< aligned to 128
  std::size_t workspace_bytes = 0;
};

/// Of the pointers it matters only which are null.
template <class Word>
std::size_t segmented_sort_workspace_bytes(const segmented_sort_request<Word>& request);

/// Throws invalid_argument, workspace_too_small, or simt::error where a launch is refused.
template <class Word>
void segmented_sort(const simt::queue& q, const segmented_sort_request<Word>& request);

} // namespace sortile::kernels
