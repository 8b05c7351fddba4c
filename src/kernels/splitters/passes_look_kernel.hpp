// Tells by a sample whether an LSD sort is faster than one between splitters, where no earlier step has read the keys.
//
//   in some order    the scan of the LSD sort finds out whether all keys are, and then a copy is enough
//   few digits       the LSD sort has a pass for each digit in which keys differ, and no others; between splitters
//                    the keys are read five times and written three times, however they differ
//
// A wrong answer costs time and nothing else: either sort takes all keys.
//
// Cost: one block, 2048 scattered loads.
#pragma once

#include "kernels/look/crowd_sample.hpp"
#include "kernels/look/differing_digits.hpp"
#include "kernels/pairs/pair_types.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct passes_look_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, min_blocks = 1, words = sizeof(Word) / 4;
  static constexpr unsigned few_digits = 4;
  using sample = crowd_sample<2048, 10>;
  static constexpr unsigned each = sample::samples / block_threads;

  struct shared {
    simt::shared_array<std::uint32_t, words> differ; // bits in which images differ, lowest word first
  };

  simt::global<const Word> in;
  simt::global<std::uint32_t> findings;
  common_image<Word> image;
  std::uint32_t n;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    if (t < words)
      s.differ[t] = 0;
    if (n == 0) {
      if (t == 0)
        findings[pair_passes] = 0;
      return;
    }
    Word images[each], differ = 0;
    const Word first = image.image(in.load(0));
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      images[j] = image.image(in.load(sample::position(j * block_threads + t, n)));
      differ |= images[j] ^ first;
    }
    const bool ordered = sample::in_some_order(images); // a barrier
    gather_differing_bits(s.differ, differ);
    simt::block_barrier();
    if (t == 0)
      findings[pair_passes] = ordered || digits_that_differ<Word>(s.differ) <= few_digits ? 1 : 0;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
