// Broken. Odd-even transposition in shared memory, a thread a key: a thread reads its own key and its partner's, keeps
// the smaller of both if it stands left and the greater if it stands right, and writes that to its own place.
#include "classics/broken/kernels.hpp"

namespace sortile::classics {
namespace {

struct keep_mine {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<std::uint32_t, block_threads> keys;
  };
  keys_u32 data;
  unsigned n;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    if (t < n)
      s.keys[t] = data.load(t);
    for (unsigned phase = 0; phase < n; ++phase) {
      simt::block_barrier();
      const bool is_left = t % 2 == phase % 2;
      const unsigned partner = is_left ? t + 1 : t - 1;
      if (t >= n || partner >= n)
        continue;
      const std::uint32_t mine = s.keys.load(t), theirs = s.keys.load(partner);
      s.keys[t] = is_left == (mine < theirs) ? mine : theirs;
    }
    simt::block_barrier();
    if (t < n)
      data[t] = s.keys.load(t);
  }
};

void sort(job& j) {
  if (j.asked.n != 0)
    simt::launch(j.on.queue(), {}, keep_mine{own_keys(j, j.data), static_cast<unsigned>(j.asked.n)});
}

} // namespace

SORTILE_CLASSICS_OF(transposition_without_phases) {
  return {broken("transposition-without-phases", "odd-even transposition whose threads write before all have read",
                 sort, keep_mine::block_threads)};
}

} // namespace sortile::classics
