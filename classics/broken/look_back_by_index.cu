// Broken. A scan of a whole array in one launch: a block adds up its numbers, waits for the block before it to publish
// the sum of all that lies before, publishes its own, and goes on. Block b takes tile b.
#include "classics/broken/kernels.hpp"

namespace sortile::classics {
namespace {

struct domino_scan {
  static constexpr unsigned block_threads = 32, elements = 2 * block_threads;
  struct shared {
    simt::shared_array<std::uint32_t, elements> tree;
    simt::shared_value<std::uint32_t> tile, before;
  };
  keys_u32 data;
  std::uint64_t n;
  simt::global<std::uint32_t> begun;  // [1], 0 at the start
  simt::global<std::uint64_t> states; // [tiles], 0 at the start

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const unsigned tile = simt::block_index();
    const std::uint64_t first = std::uint64_t{tile} * elements;
    for (unsigned i = t; i < elements; i += block_threads)
      s.tree[i] = first + i < n ? data.load(first + i) : 0u;
    const std::uint32_t sum = scan_block<0>(s.tree, elements);
    if (t == 0) {
      std::uint64_t state = tile_prefix;
      while (tile != 0 && ((state = states.load(tile - 1, simt::relaxed)) & tile_prefix) == 0)
        simt::spin_hint(32);
      s.before = static_cast<std::uint32_t>(state);
      states.store(tile, tile_prefix | static_cast<std::uint32_t>(static_cast<std::uint32_t>(state) + sum),
                   simt::relaxed);
    }
    simt::block_barrier();
    for (unsigned i = t; i < elements && first + i < n; i += block_threads)
      data[first + i] = s.before + s.tree.load(i);
  }
};

void scan(job& j) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const look_back_states states(j.on, blocks_for(n, domino_scan::elements), false);
  states.clear();
  simt::launch(j.on.queue(), {.grid = states.tiles()},
               domino_scan{own_keys(j, j.data), n, states.begun(), states.states()});
}

} // namespace

SORTILE_CLASSICS_OF(look_back_by_index) {
  classic c = broken("look-back-by-index", "a single-pass scan whose blocks take their tiles by block index", scan);
  c.task = &exclusive_scan;
  return {c};
}

} // namespace sortile::classics
