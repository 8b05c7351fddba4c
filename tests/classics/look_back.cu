// The gallery's look-back beyond its first window of 32 tiles. A launch of the pretended GPU has two to eight blocks
// resident, so that a prefix is never far; here each warp is a tile, and tile 0 speaks last.
#include "classics/scan.hpp"
#include "tests/simt/fixture.hpp"

namespace sortile::simt_tests {
namespace {

using simt::global;

/// Tile 0 keeps silent until all others have published their sums: then none of them knows a prefix, and those from 33
/// on have to look through a whole window of sums before they come to one.
struct late_first_tile {
  static constexpr unsigned block_threads = 1024;
  global<std::uint64_t> states;
  global<std::uint32_t> begun, before;
  std::uint32_t tiles;

  SORTILE_HOST_DEVICE static std::uint32_t sum_of(std::uint32_t tile) { return tile * tile + 1; }

  SORTILE_DEVICE void operator()() const {
    std::uint32_t tile = 0;
    if (simt::lane_index() == 0)
      tile = begun.fetch_add(0, 1u);
    tile = simt::shuffle(tile, 0);
    for (std::uint32_t other = 1; tile == 0 && other < tiles; ++other)
      while (states.load(other, simt::relaxed) == 0)
        simt::spin_hint(20);
    simt::warp_barrier();
    const std::uint32_t sum = classics::look_back(states, tile, sum_of(tile));
    before[tile * 32 + simt::lane_index()] = sum;
  }
};

SIMT_TEST(classics_look_back, goes_on_beyond_the_first_window) {
  constexpr std::uint32_t tiles = 64; // two blocks, which are always resident together; two windows
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint64_t> states(tiles);
    buffer<std::uint32_t> begun(1), before(tiles * 32);
    simt::launch(q, {.grid = tiles * 32 / late_first_tile::block_threads},
                 late_first_tile{states.view(), begun.view(), before.view(), tiles});
    const auto found = before.host();
    const auto last = states.host();
    for (std::uint32_t t = 0, sum = 0; t < tiles; sum += late_first_tile::sum_of(t++)) {
      for (unsigned lane = 0; lane < 32; ++lane)
        ASSERT_EQ(found[t * 32 + lane], sum) << "tile " << t << ", lane " << lane;
      ASSERT_EQ(last[t], classics::tile_prefix | (sum + late_first_tile::sum_of(t))) << "tile " << t;
    }
  });
}

} // namespace
} // namespace sortile::simt_tests
