// Broken. One bit of a radix sort, with the ones in total as they should be found. The destination of a one is
// n − ones in total − ones before it.
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
  keys_u32 in, out, ones_before, ones_in_total;
  std::uint64_t n;
  unsigned bit;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const std::uint32_t key = in.load(i), before = ones_before.load(i);
    out.store(((key >> bit) & 1) == 0 ? i - before : n - ones_in_total.load(0) - before, key);
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
    simt::launch(j.on.queue(), all,
                 move_keys{own_keys(j, j.data), own_keys(j, j.spare), view(bits), scan.total(), n, bit});
    std::swap(j.data, j.spare);
  }
}

} // namespace

SORTILE_CLASSICS_OF(radix_sign) {
  return {broken("radix-sign", "a 1-bit radix sort with a sign too many in the destination of ones", sort)};
}

} // namespace sortile::classics
