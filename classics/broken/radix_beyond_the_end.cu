// Broken. One bit of a radix sort: a key whose bit is 1 goes behind all zeros, so to n − ones in total + ones before
// it. `bits` is scanned in place, exclusively: bits[i] is how many ones lie before key i. Then bits[n] is how many
// there are in all.
//
// It circulates in this form, and seems to work: what lies beyond the array is often 0, or part of an allocation that
// was rounded up.
#include "classics/broken/kernels.hpp"

namespace sortile::classics {
namespace {

struct flag_bits {
  static constexpr unsigned block_threads = 256;
  keys_u32 keys, bits;
  std::uint64_t n;
  unsigned bit;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < n)
      bits[i] = (keys.load(i) >> bit) & 1;
  }
};

struct move_keys {
  static constexpr unsigned block_threads = 256;
  keys_u32 in, out, bits;
  std::uint64_t n;
  unsigned bit;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const std::uint32_t key = in.load(i), ones_before = bits.load(i), ones_in_total = bits.load(n);
    out.store(((key >> bit) & 1) == 0 ? i - ones_before : n - ones_in_total + ones_before, key);
  }
};

void sort(job& j) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const device_array<std::uint32_t> bits(j.on, n);
  const single_pass_scan scan(j.on, n);
  const simt::launch_config all{.grid = blocks_for(n, 256)};
  for (unsigned bit = 0; bit < 32; ++bit) {
    simt::launch(j.on.queue(), all, flag_bits{own_keys(j, j.data), view(bits), n, bit});
    scan(view(bits), view(bits));
    simt::launch(j.on.queue(), all, move_keys{own_keys(j, j.data), own_keys(j, j.spare), view(bits), n, bit});
    std::swap(j.data, j.spare);
  }
}

} // namespace

SORTILE_CLASSICS_OF(radix_beyond_the_end) {
  return {broken("radix-beyond-the-end", "a 1-bit radix sort that takes the ones in total from bits[n]", sort)};
}

} // namespace sortile::classics
