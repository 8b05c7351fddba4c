// Which bucket an element belongs to, by the splitters of its segment: a search tree in shared storage.
//
//   bucket b   what comes after splitter b − 1 and not after splitter b
//
// Nodes stand in breadth-first order, node i's children at 2i and 2i + 1 (Eytzinger's layout), so that a search has no
// branch, and the upper levels, which all lanes read, lie in few banks (Sanders and Winkel 2004; Leischner, Osipov and
// Sanders 2010).
//
// Frequent keys. A splitter is a sample with the position that it had in the segment, and elements that compare equal
// are ordered by position. So they are parted like others, a key that fills the whole array too; buckets are even
// whatever the keys are, and elements stay in order. Positions are compared where several splitters are equal, and
// nowhere else: what equals a single one goes to the bucket before it.
//
// Whatever `less` says, the bucket is one of those that there are.
//
// Cost: `bits` comparisons an element, one after the other, and one more where splitters are equal. Whether any are is
// known before: a question for each element is a read from random banks, as dear as a level of the search.
#pragma once

#include "kernels/any_order/elements.hpp"
#include "simt/shared_cursor.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// How many samples part a segment, and into how many buckets at most: a block sorts the samples' numbers beside their
/// keys, in less than 99 KiB; and a bucket is to have 16 of them.
template <class Key>
struct splitter_shape {
  static constexpr unsigned threads = 512, most_samples = 8192, bytes = 96 * 1024, samples_a_bucket = 16;
  static constexpr unsigned fits = bytes / unsigned(sizeof(Key) + 2 * sizeof(std::uint16_t));
  static constexpr unsigned samples = fits < most_samples ? fits : most_samples;
  /// Buckets of one level may be four times as large as their share, of two levels only together.
  static constexpr unsigned samples_wanted(unsigned levels, unsigned bits) {
    const unsigned wanted = (levels == 1 ? samples_a_bucket / 2 : 2 * samples_a_bucket) << bits;
    return wanted < samples ? wanted : samples;
  }
  static constexpr unsigned bits_for(unsigned buckets) { return buckets < 2 ? 0 : 1 + bits_for(buckets / 2); }
  static constexpr unsigned most_bits = bits_for(samples / samples_a_bucket), most = 1u << most_bits;
};

/// The node of splitter b, of a tree of 2^bits buckets.
SORTILE_HOST_DEVICE unsigned node_of_splitter(unsigned b, unsigned bits) {
  unsigned height = 0;
  while (((b + 1) >> height & 1u) == 0)
    ++height;
  return (1u << (bits - 1 - height)) + ((b + 1) >> (height + 1));
}

/// The splitters of all segments, in global memory: a row of 2^bits each.
template <class Key>
struct splitter_rows {
  simt::global<held<Key>> nodes;
  simt::global<std::uint64_t> positions; // by splitter: of the sample, in its segment
  simt::global<std::uint32_t> last;      // by splitter: the last that equals it
  unsigned bits;
};

template <class Key>
struct splitter_tree {
  static constexpr unsigned most = splitter_shape<Key>::most;
  simt::shared_array<held<Key>, most> nodes;
  simt::shared_array<std::uint64_t, most> positions;
  simt::shared_array<std::uint32_t, most> last;

  /// All threads of the block call; a block barrier follows. Whether any splitters are equal.
  SORTILE_DEVICE bool enter(const splitter_rows<Key>& rows, std::uint64_t segment) {
    const unsigned buckets = 1u << rows.bits;
    bool are_equal = false;
    for (unsigned i = simt::thread_index(); i < buckets; i += simt::block_size()) {
      const std::uint64_t at = (segment << rows.bits) + i;
      if (i > 0)
        nodes.store(i, rows.nodes.load(at));
      if (i + 1 < buckets)
        positions.store(i, rows.positions.load(at));
      const std::uint32_t end = i + 1 < buckets ? rows.last.load(at) : i; // behind the last splitter there is none
      last.store(i, end);
      are_equal |= end != i;
    }
    return !simt::block_all(!are_equal);
  }

  /// The buckets of a thread's elements, side by side: a level is one round trip to shared storage for all of them.
  /// position(i): of element i, in its segment. `are_equal`: what enter() said.
  template <int Items, class Element, class Less, class Position>
  SORTILE_DEVICE void find(unsigned bits, bool are_equal, const Element (&x)[Items], const Less& less,
                           Position position, std::uint32_t (&bucket)[Items]) {
    const simt::shared_tree<held<Key>> tree(nodes.view());
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      bucket[i] = tree.root();
    SORTILE_NO_UNROLL
    for (unsigned b = 0; b < bits; ++b) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        bucket[i] = tree.child(bucket[i], less.of_keys(tree.load(bucket[i]), x[i].key));
    }
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      bucket[i] = tree.number(bucket[i]) - (1u << bits);
    if (are_equal) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        if (last.load(bucket[i]) != bucket[i])
          bucket[i] = among_equals(bits, bucket[i], x[i].key, less, position(i));
    }
  }

 private:
  /// The bucket of an element that is not after splitter b, by its position where it equals that one and others. A
  /// call: it is hardly ever made, and its registers would be taken from the search.
  template <class Less>
  SORTILE_DEVICE_CALL std::uint32_t among_equals(unsigned bits, std::uint32_t b, const held<Key>& key, const Less& less,
                                                 std::uint64_t position) {
    std::uint32_t high = last.load(b);
    if (high == b || less.of_keys(key, nodes.load(node_of_splitter(b, bits))))
      return b;
    ++high;
    while (b < high) {
      const std::uint32_t tried = b + (high - b) / 2;
      if (positions.load(tried) < position)
        b = tried + 1;
      else
        high = tried;
    }
    return b;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
