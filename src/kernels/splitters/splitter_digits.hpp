// Digits for the stable partition (pairs/stable_partition_kernel.hpp) where keys are parted by splitters: the bucket
// of the segment's tree that a key belongs to.
//
// A search takes as many accesses to shared storage as the ranking, so a granule's digit is kept beside it, not
// searched for again when it is written; and where the counts have had room for a byte a key, they have left the digits
// there (share_counts.hpp). Shares are even, since the counts are of the blocks' own shares.
#pragma once

#include "kernels/pairs/pair_types.hpp"
#include "kernels/pairs/partition_shares.hpp"
#include "kernels/pairs/thread_bytes.hpp"
#include "kernels/splitters/segment_tree.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct splitter_digits {
  static constexpr bool remembers = true;
  using storage = segment_tree<Word>;

  simt::global<const Word> cuts; // [segment][2^bits]
  pairs_gate gate;
  simt::global<const std::uint8_t> kept; // each key's digit, if
  bool are_kept;
  common_image<Word> image;
  unsigned bits;

  template <int Items>
  struct beside {
    std::uint32_t digit[Items] = {};
  };
  /// What travels with a tile's keys; place(i) and is_there(i) of the thread's item i.
  template <int Items, class Place, class IsThere>
  SORTILE_DEVICE void fetch(beside<Items>& x, Place place, IsThere is_there) const {
    if (!are_kept)
      return;
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      if (is_there(i))
        x.digit[i] = kept.load(place(i));
  }

  static SORTILE_DEVICE bool makes_places() { return false; }
  SORTILE_DEVICE bool begin(storage&, const simt::shared_view<std::uint32_t>&, std::uint32_t&) const {
    return !gate.idle();
  }
  /// A block barrier has to follow.
  SORTILE_DEVICE void enter(storage& s, const stable_shape&, std::uint32_t segment) const {
    s.enter(cuts, bits, segment);
  }
  template <int Items>
  SORTILE_DEVICE thread_bytes<Items> digits(storage& s, const stable_shape&, const Word (&keys)[Items],
                                            const beside<Items>& x) const {
    thread_bytes<Items> packed{};
    if (are_kept) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        packed.set(i, x.digit[i]);
      return packed;
    }
    if (s.one_bucket != 0)
      return packed;
    Word images[Items];
    std::uint32_t found[Items];
    make_images(image, keys, images);
    s.find(bits, images, found);
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      packed.set(i, found[i]);
    return packed;
  }
  SORTILE_DEVICE partition_piece first_piece(const segment_starts& segments, const stable_shape& shape, std::uint32_t n,
                                             std::uint32_t& cell) const {
    cell = simt::block_index();
    return even_share(segments, shape.share, n);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
