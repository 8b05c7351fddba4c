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

#include "kernels/arena.hpp"
#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <sortile/segments.hpp>

#include <algorithm>
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

// ---- between the checked request and the kernels: the classes of lengths, and how the workspace is laid out

namespace detail {

/// Classes of segments by their lengths, up to and with these. A thread sorts a tiny one, some lanes a short one, a
/// block one of the others; what is longer is cut into pieces first.
struct segment_classes {
  static constexpr unsigned shorts = 4, blocks = 4, lists = shorts + blocks;
  static constexpr unsigned most_short = 512;

  std::uint32_t thread;      ///< what a thread sorts
  std::uint32_t tiny;        ///< what is sorted as soon as its offsets are read
  std::uint32_t most[lists]; ///< of each list; none where it is the one before's

  constexpr std::uint32_t block() const { return most[lists - 1]; }
  /// What is above `tiny`, and in no list before this one: the segments of a call without lists.
  constexpr std::uint32_t below(unsigned list) const { return list == 0 ? tiny : most[list - 1]; }
  /// Tiny ones above this are listed where a warp has few of them: all its threads would go through a wide network.
  constexpr std::uint32_t narrow() const { return thread / 2; }
  /// What is in no list from this one on.
  constexpr std::uint32_t unlisted(unsigned list) const { return list == 0 ? narrow() : most[list - 1]; }

  /// By the bytes of an element: a key's image, with its place where equal keys can be told apart.
  static constexpr segment_classes of(std::size_t word, bool placed) {
    const std::size_t element = !placed ? word : word <= 4 ? 8 : word == 8 ? 16 : 24;
    if (element == 4)
      return {32, 32, {64, 128, 256, most_short, 1024, 2048, 5120, 16384}};
    if (element == 8)
      return {32, placed ? 64u : 32u, {64, 128, 256, most_short, 1024, 2048, 5120, 8192}};
    if (element == 16)
      return {32, 32, {64, 128, 256, most_short, 1024, 2560, 5120, 5120}};
    return {8, 8, {64, 128, 256, most_short, 1024, 4096, 4096, 4096}};
  }
};

/// Partitions of large segments.
struct segment_partition {
  static constexpr unsigned digit_bits = 8, radix = 256;
  static constexpr unsigned most_levels = 19;      ///< 128 bits, a range, and a copy
  static constexpr std::uint64_t group = 1792;     ///< neighbouring buckets go together up to about so many elements
  static constexpr std::uint64_t most_rows = 1024; ///< of counts, before a row is more than a tile
  static constexpr unsigned threads = 1024;
  static constexpr std::uint32_t items(std::size_t word, bool stable) {
    return word <= 4 && !stable ? 12 : word <= 8 ? 8 : 4;
  }
  static constexpr std::uint64_t tile(std::size_t word, bool stable) {
    return std::uint64_t{threads} * items(word, stable);
  }
};

/// Whether keys can be told from their images, and need no place: then equal keys are equal bits, or floats that are
/// written once more (equal_floats.hpp); some lanes' of 8 bytes get places all the same.
template <class Word>
bool segments_without_places(const segmented_sort_request<Word>& r) {
  return r.value_bytes == 0 && r.codec.bits == 8 * sizeof(Word) && (sizeof(Word) == 4 || sizeof(Word) == 8);
}
/// Columns and the like: they become rows first.
inline bool is_transposed(const segments& where) {
  return where.form == segment_form::strided && where.step != 1 && where.length > 1;
}

/// The most elements that a segment can have.
template <class Word>
std::uint64_t longest_segment(const segmented_sort_request<Word>& r) {
  return r.where.count == 0 ? 0 : r.where.form == segment_form::strided ? r.where.length : r.n;
}

/// Whether the offsets' mistakes are kept for somebody.
template <class Word>
bool offsets_are_told(const segmented_sort_request<Word>& r) {
  return r.tells || r.status != nullptr;
}

/// Whether segments at offsets are taken as of one class, that of the longest that there may be: without lists.
template <class Word>
bool sorts_at_once(const segmented_sort_request<Word>& r) {
  constexpr std::uint64_t most = 128; // a block each of the largest class: about as many as a GPU has multiprocessors
  const auto classes = segment_classes::of(sizeof(Word), !segments_without_places(r));
  return r.where.form != segment_form::strided && !offsets_are_told(r) && r.n <= classes.block() &&
         (r.n <= classes.tiny || r.where.count <= most);
}

/// Byte offsets; sizes in elements.
struct segmented_layout {
  std::uint64_t elements = 0; ///< of the arrays that are sorted
  segment_classes classes;
  bool makes_lists = false;                           ///< else all segments are taken as of one class
  unsigned control_words = 0;                         ///< with which the workspace begins
  std::uint64_t entries[segment_classes::lists] = {}; ///< that the lists can have
  std::uint64_t larges = 0, rows = 0, row_elements = 0;
  std::size_t control = 0, lists[segment_classes::lists] = {}, large_lists = 0;
  std::size_t large_rows = 0, large_moves = 0, row_list = 0, counts = 0, starts = 0, ranges = 0;
  std::size_t transposed_keys = 0, transposed_values = 0, spare_keys = 0, more_keys = 0, spare_values = 0;
  std::size_t bytes = 0;

  template <class Word>
  static segmented_layout of(const segmented_sort_request<Word>& r);
};

inline constexpr std::size_t segment_item_bytes = 16;
inline constexpr unsigned segment_control_words = 64; ///< the workspace begins with them, where there are any
inline constexpr unsigned segment_wrong_word = 8; ///< of these, where it is told: not 0 where offsets made no segment

template <class Word>
segmented_layout segmented_layout::of(const segmented_sort_request<Word>& r) {
  const bool placed = !segments_without_places(r);
  const auto classes = segment_classes::of(sizeof(Word), placed);
  const std::uint64_t longest = longest_segment(r), count = r.where.count;
  const bool partitions = longest > classes.block(), equal = r.where.form == segment_form::strided;
  const bool lists = partitions || (!equal && !sorts_at_once(r));
  segmented_layout l{.classes = classes, .makes_lists = lists};
  l.elements = equal ? count * r.where.length : r.n;
  const std::uint64_t n = l.elements;
  // Entries of the first list are segments, the others pieces: of a segment with L elements up to 2 L / group + 2.
  const std::uint64_t levels = (r.codec.bits + segment_partition::digit_bits - 1) / segment_partition::digit_bits + 2;
  l.larges = partitions ? n / (std::uint64_t{classes.block()} + 1) + 1 : 0;
  const std::uint64_t pieces = partitions ? levels * (2 * n / segment_partition::group + 2 * l.larges) : 0;
  for (unsigned c = 0; c < segment_classes::lists; ++c) {
    const std::uint64_t below = classes.unlisted(c);
    const bool none = !lists || longest <= below || classes.most[c] == below;
    l.entries[c] = none ? 0 : std::min(count, n / (below + 1) + 1) + pieces;
  }
  if (partitions) {
    const std::uint64_t tile = segment_partition::tile(sizeof(Word), placed);
    const std::uint64_t share = (n + segment_partition::most_rows - 1) / segment_partition::most_rows;
    l.row_elements = std::max(tile, (share + tile - 1) / tile * tile);
    l.rows = std::min(n / tile, segment_partition::most_rows) + l.larges; // grows with n, as n / row_elements does not
  }
  arena space;
  const auto take = [&space](std::size_t bytes) { return space.take(bytes); };
  const bool transposes = is_transposed(r.where);
  l.control_words = lists || offsets_are_told(r) ? segment_control_words : 0;
  l.control = take(l.control_words * sizeof(std::uint32_t));
  for (unsigned c = 0; c < segment_classes::lists; ++c)
    l.lists[c] = take(l.entries[c] * segment_item_bytes);
  l.large_lists = take(2 * l.larges * segment_item_bytes);
  l.large_rows = take(l.larges * sizeof(std::uint32_t));
  l.large_moves = take(l.larges * sizeof(std::uint32_t));
  l.row_list = take(l.rows * 2 * sizeof(std::uint32_t));
  l.counts = take(l.rows * segment_partition::radix * sizeof(std::uint64_t));
  l.starts = take(l.larges * segment_partition::radix * sizeof(std::uint64_t));
  l.ranges = take(l.larges * 2 * sizeof(Word));
  l.transposed_keys = take(transposes ? n * sizeof(Word) : 0);
  l.transposed_values = take(transposes ? n * r.value_bytes : 0);
  const std::uint64_t places = transposes ? n : r.n; // rows may have gaps
  l.spare_keys = take(partitions ? places * sizeof(Word) : 0);
  l.more_keys = take(partitions && r.keys_out == nullptr && !transposes ? places * sizeof(Word) : 0);
  l.spare_values = take(partitions ? places * r.value_bytes : 0);
  l.bytes = space.bytes();
  return l;
}

} // namespace detail

} // namespace sortile::kernels
