// Exercise: a scan without bank conflicts. See scan-padding.md.
#include "classics/scan_classics.hpp"

#include <bit>

namespace sortile::classics {
namespace {

/// Where number i lies in shared memory. Your turn: at stride 2^k the lanes of a warp touch every 2^(k+1)-th word, and
/// the 32 banks hold every 32nd one. Which words have to stay unused, so that the lanes meet in fewer banks?
SORTILE_HOST_DEVICE constexpr unsigned place_of(unsigned i) {
  return i;
}

struct scan_tree {
  static constexpr unsigned most = 2048, block_threads = most / 2;
  struct shared {
    simt::shared_array<number, place_of(most - 1) + 1> tree;
  };
  simt::global<number> data;
  unsigned n, elements; // elements: a power of two, at least n and 2

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    for (unsigned i = t; i < elements; i += threads)
      s.tree[place_of(i)] = i < n ? data.load(i) : 0u;
    unsigned stride = 1;
    for (unsigned nodes = elements / 2; nodes > 0; nodes /= 2, stride *= 2) {
      simt::block_barrier();
      if (t < nodes)
        s.tree[place_of(stride * (2 * t + 2) - 1)] += s.tree.load(place_of(stride * (2 * t + 1) - 1));
    }
    simt::block_barrier();
    if (t == 0)
      s.tree[place_of(elements - 1)] = 0;
    for (unsigned nodes = 1; nodes < elements; nodes *= 2) {
      stride /= 2;
      simt::block_barrier();
      if (t < nodes) {
        const unsigned left = place_of(stride * (2 * t + 1) - 1), right = place_of(stride * (2 * t + 2) - 1);
        const number sum_left = s.tree.load(left), before = s.tree.load(right);
        s.tree[left] = before;
        s.tree[right] = before + sum_left;
      }
    }
    simt::block_barrier();
    for (unsigned i = t; i < n; i += threads)
      data[i] = s.tree.load(place_of(i));
  }
};

void scan_numbers(job& j) {
  const auto n = static_cast<unsigned>(j.asked.n);
  if (n == 0)
    return;
  const unsigned elements = std::max(2u, std::bit_ceil(n));
  simt::launch(j.on.queue(), {.block = whole_warps(elements / 2)}, scan_tree{numbers(j, j.data), n, elements});
}

} // namespace

SORTILE_CLASSICS_OF(exercise) {
  classic c = scan("scan-padding", "", "", "", "", scan_numbers);
  c.largest_n = scan_tree::most;
  return {c};
}

} // namespace sortile::classics
