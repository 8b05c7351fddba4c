// A permutation of a bucket by stable passes of 6 bits, over the digits in which its images differ: for buckets between
// splitters, whose shared storage has no room for digits of 8 bits (primitives/radix_order.hpp). Costs the same for all
// keys.
#pragma once

#include "kernels/key_scan/differing_digits.hpp"
#include "primitives/digit_rank.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads, int Items>
struct digit_passes {
  static constexpr unsigned digit_bits = 6;
  using ranker = primitives::digit_ranker<Threads, Items, digit_bits, primitives::ranking::ballot>;

  /// order[place in the result] is the place in the bucket; image_of(place) reads shared storage. By all threads; has
  /// barriers, also at its end where there is a pass. `differ` is 0.
  template <class Differ, class Order, class ImageOf>
  static SORTILE_DEVICE void sort(typename ranker::storage& rank, Differ& differ, Order& order, std::uint32_t pairs,
                                  ImageOf image_of) {
    const Word first_image = image_of(0);
    Word mine = 0;
    for (std::uint32_t p = simt::thread_index(); p < pairs; p += Threads) {
      mine |= image_of(p) ^ first_image;
      order[p] = std::uint16_t(p);
    }
    gather_differing_bits(differ, mine);
    simt::block_barrier();
    Word differs = 0;
    for (unsigned w = 0; w < sizeof(Word) / 4; ++w)
      differs |= Word{differ.load(w)} << (32 * w);
    for (unsigned right = 0; right < 8 * sizeof(Word); right += digit_bits)
      if ((differs >> right & (ranker::radix - 1)) != 0)
        pass(rank, order, pairs, image_of, right);
  }

 private:
  template <class Order, class ImageOf>
  static SORTILE_DEVICE void pass(typename ranker::storage& rank, Order& order, std::uint32_t pairs, ImageOf image_of,
                                  unsigned right) {
    const std::uint32_t mine = simt::warp_index() * unsigned(Items) * simt::warp_size + simt::lane_index();
    std::uint16_t at[Items];
    unsigned digits[Items], ranks[Items];
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t p = mine + unsigned(i) * simt::warp_size;
      at[i] = p < pairs ? order.load(p) : std::uint16_t{0};
      digits[i] = p < pairs ? unsigned(image_of(at[i]) >> right) & (ranker::radix - 1) : ranker::radix - 1;
    }
    ranker::rank(rank, digits, ranks); // behind its barriers everybody has read the permutation
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      if (mine + unsigned(i) * simt::warp_size < pairs)
        order[ranks[i]] = at[i];
    simt::block_barrier();
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
