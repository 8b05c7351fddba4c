// Tells by a sample whether an LSD sort is faster than one between splitters.
//
//   in some order    the scan of the LSD sort finds out whether all keys are, and then a copy is enough. Asked of a
//                    first sort: before a fallback somebody has read the keys
//   few digits       the LSD sort has a pass for each digit in which keys differ, one for all high digits in which
//                    hardly any do (lsd/keys_apart.hpp), and no others; between splitters the keys are read five times
//                    and written three times, however they differ
//
// Some blocks say what they have seen, in a word each: bit d where keys differ in digit d, and what the first one
// thinks of their order. When all have met, each block puts these together. Hardly any keys differ in a digit that no
// more blocks have named than there would be such keys in the sample.
//
// A wrong answer costs time and nothing else: either sort takes all keys. So that it is rare, 2^18 keys are asked: what
// one key of 65,536 is may decide how many passes there are. Where all are equal, some other key may well be what
// brought the pairs here; between splitters equal keys are a bucket that needs no sorting.
//
// Cost: 32 blocks, 8192 scattered loads each; the first one 2048 more for the order.
#pragma once

#include "kernels/key_scan/differing_digits.hpp"
#include "kernels/key_scan/drawn_place.hpp"
#include "kernels/key_scan/skew_sample.hpp"
#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/pairs/pair_types.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads>
struct passes_sample {
  static constexpr unsigned most_blocks = simt::warp_size, few_digits = 4, parts = sizeof(Word) / 4;
  static constexpr std::uint32_t all_samples = 1u << 18, ordered = 1u << 31;
  using in_order = skew_sample<2048, 10>;

  struct storage {
    simt::shared_array<std::uint32_t, parts> differ; // bits in which images differ, lowest word first
  };

  simt::global<const Word> in;
  simt::global<std::uint32_t> seen; // a word a block
  common_image<Word> image;
  std::uint32_t n, blocks; // blocks: that ask; 0: nobody
  std::uint32_t rare;      // blocks that may name a digit in which hardly any keys differ
  bool asks_order;

  /// `rare` of n keys: three quarters of the samples that are of keys apart where these are as many as may be.
  static std::uint32_t rare_of(std::uint64_t n, std::uint32_t blocks) {
    const double samples = n == 0 ? 0 : double(all_samples) * detail::lsd_apart_limits::most(n) / double(n);
    return std::uint32_t(std::min(samples * 3 / 4, blocks / 2.0));
  }

  /// By all threads of a grid of that many blocks at least, which meets before passes_win().
  SORTILE_DEVICE void ask(storage& s) const {
    if (simt::block_index() >= blocks)
      return;
    const unsigned t = simt::thread_index();
    if (t < parts)
      s.differ[t] = 0;
    simt::block_barrier();
    bool is_ordered = false;
    if (n != 0) {
      const Word first = image.image(in.load(drawn_place(simt::block_index() * Threads, all_samples, n)));
      Word differ = 0;
      for (std::uint32_t i = simt::block_index() * Threads + t; i < all_samples; i += blocks * Threads)
        differ |= Word(image.image(in.load(drawn_place(i, all_samples, n))) ^ first);
      gather_differing_bits(s.differ, differ);
      if (asks_order && simt::block_index() == 0)
        is_ordered = in_some_order(); // a barrier
    }
    simt::block_barrier();
    if (t == 0)
      seen[simt::block_index()] = digits(s) | (is_ordered ? ordered : 0);
  }
  /// By whole warps.
  SORTILE_DEVICE bool passes_win() const {
    const unsigned lane = simt::lane_index();
    const std::uint32_t mine = lane < blocks ? seen.load(lane) : 0u, all = simt::warp_reduce_or(mine);
    std::uint32_t up_to_common = 0; // rare digits below a common one cost passes like others
    for (unsigned d = 0; d < sizeof(Word); ++d)
      if (unsigned(simt::popcount(simt::ballot((mine >> d & 1) != 0))) > rare)
        up_to_common = (2u << d) - 1;
    const std::uint32_t differ = all & ~ordered, needed = differ & up_to_common;
    const unsigned passes = simt::popcount(needed) + (differ != needed ? 1 : 0);
    return (all & ordered) != 0 || (differ != 0 && passes <= few_digits);
  }

 private:
  SORTILE_DEVICE bool in_some_order() const {
    constexpr unsigned each = (in_order::samples + Threads - 1) / Threads;
    Word images[each];
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      const unsigned i = j * Threads + simt::thread_index();
      images[j] = image.image(in.load(in_order::position(i < in_order::samples ? i : in_order::samples - 1, n)));
    }
    return in_order::in_some_order(images);
  }
  SORTILE_DEVICE std::uint32_t digits(storage& s) const {
    if (n == 0)
      return (1u << sizeof(Word)) - 1; // whichever sort does nothing
    std::uint32_t found = 0;
    for (unsigned d = 0; d < sizeof(Word); ++d)
      found |= std::uint32_t((s.differ.load(d / 4) >> d % 4 * 8 & 0xff) != 0) << d;
    return found;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
