// Broken. A scan tree of one block: at each level half as many threads have work, and those wait for one another.
#include "classics/broken/kernels.hpp"

namespace sortile::classics {
namespace {

struct tree_in_a_branch {
  static constexpr unsigned block_threads = 128, elements = 2 * block_threads;
  struct shared {
    simt::shared_array<std::uint32_t, elements> tree;
  };
  keys_u32 data;
  unsigned n;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    for (unsigned i = t; i < elements; i += block_threads)
      s.tree[i] = i < n ? data.load(i) : 0u;
    simt::block_barrier();
    unsigned stride = 1;
    for (unsigned nodes = elements / 2; nodes > 0; nodes /= 2, stride *= 2) {
      if (t < nodes) {
        s.tree[stride * (2 * t + 2) - 1] += s.tree.load(stride * (2 * t + 1) - 1);
        simt::block_barrier();
      }
    }
    if (t == 0)
      s.tree[elements - 1] = 0;
    for (unsigned nodes = 1; nodes < elements; nodes *= 2) {
      stride /= 2;
      simt::block_barrier();
      if (t < nodes) {
        const unsigned left = stride * (2 * t + 1) - 1, right = stride * (2 * t + 2) - 1;
        const std::uint32_t sum_left = s.tree.load(left), before = s.tree.load(right);
        s.tree[left] = before;
        s.tree[right] = before + sum_left;
      }
    }
    simt::block_barrier();
    for (unsigned i = t; i < n; i += block_threads)
      data[i] = s.tree.load(i);
  }
};

void scan(job& j) {
  if (j.asked.n != 0)
    simt::launch(j.on.queue(), {}, tree_in_a_branch{own_keys(j, j.data), static_cast<unsigned>(j.asked.n)});
}

} // namespace

SORTILE_CLASSICS_OF(barrier_in_a_branch) {
  classic c = broken("barrier-in-a-branch", "a Blelloch scan whose barrier stands where only some threads come", scan,
                     tree_in_a_branch::elements);
  c.task = &exclusive_scan;
  return {c};
}

} // namespace sortile::classics
