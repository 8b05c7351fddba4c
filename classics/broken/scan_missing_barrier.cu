// Broken. A Kogge-Stone scan of one block in one array: in each step every thread adds the number `stride` before its
// own, then comes a barrier.
#include "classics/broken/kernels.hpp"

namespace sortile::classics {
namespace {

struct scan_in_place {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<std::uint32_t, block_threads> sums;
  };
  keys_u32 data;
  unsigned n;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    s.sums[t] = t > 0 && t < n ? data.load(t - 1) : 0u; // moved by one: the scan becomes exclusive
    for (unsigned stride = 1; stride < n; stride *= 2) {
      simt::block_barrier();
      const std::uint32_t before = t >= stride ? s.sums.load(t - stride) : 0u;
      s.sums[t] = s.sums.load(t) + before;
    }
    simt::block_barrier();
    if (t < n)
      data[t] = s.sums.load(t);
  }
};

void scan(job& j) {
  if (j.asked.n != 0)
    simt::launch(j.on.queue(), {}, scan_in_place{own_keys(j, j.data), static_cast<unsigned>(j.asked.n)});
}

} // namespace

SORTILE_CLASSICS_OF(scan_missing_barrier) {
  classic c = broken("scan-missing-barrier", "a Kogge-Stone scan in one array with one barrier a step", scan,
                     scan_in_place::block_threads);
  c.task = &exclusive_scan;
  return {c};
}

} // namespace sortile::classics
