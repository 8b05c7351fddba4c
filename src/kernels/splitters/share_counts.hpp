// Counts the keys of each bucket in every block's share, where buckets are between splitters: the next partition has to
// know that before it moves a key.
//
//   fine[b][s · 2^bits + d]   of block b's share, keys in segment s that belong to bucket d
//
// Where there is room for a byte a key, the partition finds each key's bucket there, and need not search again.
//
// A block goes through its share segment by segment, with the segment's tree. Each warp has counters of its own: lanes
// that add 1 to one address, and do not ask for the result, take one access together.
//
// Traffic: sizeof(key) bytes per key, one more where buckets are kept, and 4 bytes per counter. A segment of one value
// is not read. What bounds it is the search.
#pragma once

#include "kernels/pairs/pair_types.hpp"
#include "kernels/pairs/partition_shares.hpp"
#include "kernels/splitters/segment_tree.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads>
struct share_counts {
  static constexpr unsigned warps = Threads / simt::warp_size;
  static constexpr int items = 4; // keys searched for side by side; as many more are on their way
  static constexpr unsigned most_buckets = primitives::search_tree<Word>::most;

  struct storage {
    segment_tree<Word> tree;
    simt::shared_array<std::uint32_t, warps * most_buckets> count; // [warp][bucket]
  };

  simt::global<const Word> in, cuts;
  simt::global<std::uint32_t> fine, order;
  simt::global<std::uint8_t> kept; // for each key's bucket, if there is room
  bool keeps;
  simt::global<const std::uint32_t> segment_start; // of more than one segment
  common_image<Word> image;
  std::uint32_t n, share, segments;
  unsigned bits;

  /// By all threads of a block.
  SORTILE_DEVICE void count(storage& s) const {
    const auto row = fine.subview(std::uint64_t{simt::block_index()} * (segments << bits), segments << bits);
    for (std::uint32_t d = simt::thread_index(); d < segments << bits; d += Threads)
      row[d] = 0;
    if (simt::thread_index() == 0)
      order[simt::block_index()] = seen_both;
    const std::uint32_t each = 1, no_mask = 0;
    const segment_starts all{segment_start, segments, no_mask, each};
    partition_piece at = even_share(all, share, n);
    while (at.next < at.stop) {
      simt::block_barrier(); // the row is clear, the counters are read
      s.tree.enter(cuts, bits, at.segment);
      for (unsigned i = simt::thread_index(); i < warps * most_buckets; i += Threads)
        s.count[i] = 0;
      simt::block_barrier();
      if (s.tree.one_bucket != 0 && !keeps) {
        if (simt::thread_index() == 0)
          row[at.segment << bits] = at.end - at.next;
      } else {
        count_piece(s, at.next, at.end);
        simt::block_barrier();
        if (simt::thread_index() < 1u << bits)
          row[(at.segment << bits) + simt::thread_index()] = sum(s, simt::thread_index());
      }
      at.next = at.end;
      if (at.next < at.stop)
        all.move(at);
    }
  }

 private:
  static SORTILE_DEVICE std::uint32_t sum(storage& s, unsigned bucket) {
    std::uint32_t all = 0;
    SORTILE_UNROLL
    for (unsigned w = 0; w < warps; ++w)
      all += s.count.load(w * most_buckets + bucket);
    return all;
  }
  SORTILE_DEVICE void count_piece(storage& s, std::uint32_t begin, std::uint32_t end) const {
    const unsigned mine = simt::warp_index() * most_buckets;
    constexpr std::uint64_t batch = std::uint64_t{Threads} * unsigned(items);
    Word x[items] = {};
    std::uint64_t first = std::uint64_t{begin} + simt::thread_index();
    load(first, end, x);
    for (; first < end; first += batch) {
      Word images[items];
      std::uint32_t bucket[items];
      make_images(image, x, images);
      load(first + batch, end, x); // on its way while these are searched for
      s.tree.find(bits, images, bucket);
      each(first, end,
           [&](int i, std::uint64_t) { s.count.fetch_add(mine + bucket[i], 1u, simt::relaxed, simt::block_scope); });
      if (keeps)
        each(first, end, [&](int i, std::uint64_t p) { kept[p] = std::uint8_t(bucket[i]); });
    }
  }
  SORTILE_DEVICE void load(std::uint64_t first, std::uint32_t end, Word (&x)[items]) const {
    each(first, end, [&](int i, std::uint64_t p) { x[i] = in.load(p); });
  }
  /// f(i, place) for the thread's keys of a batch.
  template <class F>
  static SORTILE_DEVICE void each(std::uint64_t first, std::uint32_t end, F f) {
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (const std::uint64_t p = first + unsigned(i) * Threads; p < end)
        f(i, p);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
