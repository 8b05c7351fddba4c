// Broken. All 32 bits of a radix sort in one kernel, one block: flag, scan, move, bit after bit.
//
// It is wrong twice, and each mistake hides the other on sorted input: the ones in total are summed from bits that were
// scanned already, and each round moves the keys of the input, not those that the round before has moved.
#include "classics/broken/kernels.hpp"

namespace sortile::classics {
namespace {

struct sort_in_a_block {
  static constexpr unsigned block_threads = 128, most = 2 * block_threads;
  struct shared {
    simt::shared_array<std::uint32_t, most> keys, moved, bits;
  };
  keys_u32 data;
  unsigned n;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    for (unsigned i = t; i < most; i += block_threads)
      s.keys[i] = i < n ? data.load(i) : 0xffffffffu;
    for (unsigned bit = 0; bit < 32; ++bit) {
      simt::block_barrier();
      for (unsigned i = t; i < most; i += block_threads)
        s.bits[i] = (s.keys.load(i) >> bit) & 1;
      scan_block<0>(s.bits, most);
      unsigned ones_in_total = 0;
      for (unsigned i = 0; i < most; ++i)
        ones_in_total += s.bits.load(i);
      for (unsigned i = t; i < most; i += block_threads) {
        const std::uint32_t key = s.keys.load(i), ones_before = s.bits.load(i);
        const unsigned to = ((key >> bit) & 1) == 0 ? i - ones_before : most - ones_in_total + ones_before;
        s.moved[to % most] = key;
      }
      simt::block_barrier();
    }
    for (unsigned i = t; i < n; i += block_threads)
      data[i] = s.moved.load(i);
  }
};

void sort(job& j) {
  if (j.asked.n != 0)
    simt::launch(j.on.queue(), {}, sort_in_a_block{own_keys(j, j.data), static_cast<unsigned>(j.asked.n)});
}

} // namespace

SORTILE_CLASSICS_OF(radix_unsorted_input) {
  return {broken("radix-unsorted-input", "a 1-bit radix sort of one block that moves its input in every round", sort,
                 sort_in_a_block::most)};
}

} // namespace sortile::classics
