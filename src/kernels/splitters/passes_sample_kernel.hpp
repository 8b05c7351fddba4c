// Tells by a sample whether an LSD sort is faster than one between splitters.
//
//   in some order    the scan of the LSD sort finds out whether all keys are, and then a copy is enough. Asked of a
//                    first sort: before a fallback somebody has read the keys
//   few digits       the LSD sort has a pass for each digit in which keys differ, and no others; between splitters
//                    the keys are read five times and written three times, however they differ
//
// Each block says what it has seen, in a word of its own: bit d where keys differ in digit d, and what the first one
// thinks of their order. The next launch puts these together (choose_splitters_kernel.hpp), so nothing has to be
// cleared.
//
// A wrong answer costs time and nothing else: either sort takes all keys. So that it is rare, 2^18 keys are asked: one
// outlier among 65,536 keys makes as many passes necessary as many of them. Where all are equal, some other key may
// well be what brought the pairs here; between splitters equal keys are a bucket that needs no sorting.
//
// Cost: 32 blocks, 8192 scattered loads each; the first one 2048 more for the order.
#pragma once

#include "kernels/key_scan/differing_digits.hpp"
#include "kernels/key_scan/drawn_place.hpp"
#include "kernels/key_scan/skew_sample.hpp"
#include "kernels/pairs/pair_types.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// What the blocks have seen, together.
struct passes_seen {
  static constexpr unsigned most_blocks = simt::warp_size, few_digits = 4;
  static constexpr std::uint32_t ordered = 1u << 31;

  simt::global<const std::uint32_t> words; // one a block
  std::uint32_t blocks;                    // 0: nobody has been asked

  /// By whole warps.
  SORTILE_DEVICE bool passes_win() const {
    if (blocks == 0)
      return false;
    const unsigned lane = simt::lane_index();
    const std::uint32_t all = simt::warp_reduce_or(lane < blocks ? words.load(lane) : 0u);
    return (all & ordered) != 0 || (all != 0 && simt::popcount(all) <= few_digits);
  }
};

template <class Word>
struct passes_sample_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, min_blocks = 1, parts = sizeof(Word) / 4, each = 8;
  using in_order = skew_sample<2048, 10>;

  struct shared {
    simt::shared_array<std::uint32_t, parts> differ; // bits in which images differ, lowest word first
  };

  simt::global<const Word> in;
  simt::global<std::uint32_t> seen; // a word a block
  verdict told;
  common_image<Word> image;
  std::uint32_t n;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (!told.calls())
      return;
    const unsigned t = simt::thread_index();
    if (t < parts)
      s.differ[t] = 0;
    simt::block_barrier();
    bool ordered = false;
    if (n != 0) {
      const Word first = image.image(in.load(0));
      const std::uint32_t samples = simt::grid_size() * block_threads * each, mine = block_threads * each;
      Word images[each], differ = 0;
      SORTILE_UNROLL
      for (unsigned j = 0; j < each; ++j) {
        const std::uint32_t i = simt::block_index() * mine + j * block_threads + t;
        images[j] = image.image(in.load(drawn_place(i, samples, n)));
      }
      SORTILE_UNROLL
      for (unsigned j = 0; j < each; ++j)
        differ |= Word(images[j] ^ first);
      gather_differing_bits(s.differ, differ);
      if (told.role == 0 && simt::block_index() == 0)
        ordered = in_some_order(); // a barrier
    }
    simt::block_barrier();
    if (t == 0)
      seen[simt::block_index()] = digits(s) | (ordered ? passes_seen::ordered : 0);
  }

 private:
  SORTILE_DEVICE bool in_some_order() const {
    constexpr unsigned few = in_order::samples / block_threads;
    Word images[few];
    SORTILE_UNROLL
    for (unsigned j = 0; j < few; ++j)
      images[j] = image.image(in.load(in_order::position(j * block_threads + simt::thread_index(), n)));
    return in_order::in_some_order(images);
  }
  SORTILE_DEVICE std::uint32_t digits(shared& s) const {
    if (n == 0)
      return (1u << sizeof(Word)) - 1; // whichever sort does nothing
    std::uint32_t found = 0;
    for (unsigned d = 0; d < sizeof(Word); ++d)
      found |= std::uint32_t((s.differ.load(d / 4) >> d % 4 * 8 & 0xff) != 0) << d;
    return found;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
