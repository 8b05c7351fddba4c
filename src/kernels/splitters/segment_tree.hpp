// The search tree of one segment's splitters, brought to shared storage. Where the first of them is the segment's end,
// as it is where the segment has one value, all keys belong to the first bucket.
#pragma once

#include "primitives/search_tree.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct segment_tree {
  using tree = primitives::search_tree<Word>;
  simt::shared_array<Word, tree::most> node;
  simt::shared_value<std::uint32_t> one_bucket; // whether all keys of the segment belong to its first bucket

  /// `cuts`: those of all segments, 2^bits each, of which the last is the segment's own end. By a block of 2^bits
  /// threads at least; a block barrier has to follow.
  SORTILE_DEVICE void enter(const simt::global<const Word>& cuts, unsigned bits, std::uint32_t segment) {
    const unsigned i = simt::thread_index();
    if (i != 0 && i < 1u << bits)
      node[i] = cuts.load((std::uint64_t{segment} << bits) + tree::cut_of(i, bits));
    if (i == 0) {
      const std::uint64_t first = std::uint64_t{segment} << bits;
      one_bucket = cuts.load(first) == cuts.load(first + (1u << bits) - 1) ? 1 : 0;
    }
  }
  template <int Items>
  SORTILE_DEVICE void find(unsigned bits, const Word (&images)[Items], std::uint32_t (&bucket)[Items]) {
    tree::find(node.view(), bits, images, bucket);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
