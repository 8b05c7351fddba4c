// Exclusive prefix sums (scans) of arrays of any length: many blocks, each of which needs the sum of all that lies
// before its tile. What a block does with its own tile is scan_one_block.cu's subject.
//
// Idea. A tile's scan is off by the sum of the tiles before it. Who gives it that sum, and when?
//
//   $ sortile classics show --example scan-three-blocks
//   input: 3 1 7 0 4 1 6 3 2 2 0 1
//   blocks of 4
//     numbers            3 1 7  0 |  4  1  6  3 |  2  2  0  1
//     scanned by blocks  0 3 4 11 |  0  4  5 11 |  0  2  4  4
//     sums of blocks     11 14  5
//     scanned by blocks   0 11 25
//     sums before each    0 11 25
//     added              0 3 4 11 | 11 15 16 22 | 25 27 29 29
//   result: 0 3 4 11 11 15 16 22 25 27 29 29
//
// Forms:
//   scan-blocks             three launches: tiles scanned, their sums scanned alike (by recursion, for any n), then
//                           added. A launch's end is the barrier between them
//   scan-single-pass        one launch: a tile publishes its sum, and looks back at what earlier tiles have published,
//                           until it meets one that knows all that lies before itself (decoupled look-back). Tiles are
//                           numbered as their blocks begin, so that nobody waits for a block that has no place to run
//                           (scan.hpp has the protocol)
//   scan-ballot             of flags: a vote of the warp gives 32 flags as one word, and the number of ones below a
//                           lane is one population count; warps' counts are scanned by shuffles, tiles by look-back
//
// Source: Harris, Sengupta & Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, 2007; Harris & Garland, GPU
// Computing Gems, 2011 (votes); Merrill & Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
//
// Cost: scan-blocks moves 16 bytes per number, scan-single-pass 8, and 8 bytes of state for 512 numbers. scan-ballot
// does no additions in shared memory but one per warp. What it teaches: a scan of a grid is another algorithm than a
// scan of a block; a launch can be saved by waiting, if one can say why the wait ends. Limits: sums modulo 2^32; the
// look-back is a chain, and hidden only as long as a tile takes longer than reading 32 states.
#include "classics/scan_classics.hpp"

namespace sortile::classics {
namespace {

void by_blocks(job& j) {
  const unsigned tile = j.parameter("tile");
  const block_sum_scan<512, 32> scan(j.on, j.asked.n, tile);
  telling t = j.tell("blocks of " + std::to_string(tile));
  t.keys("numbers", j.data, j.asked.n, tile);
  scan(numbers(j, j.data), numbers(j, j.spare), &t);
  std::swap(j.data, j.spare);
}

void in_a_single_pass(job& j) {
  const unsigned tile = j.parameter("tile");
  const single_pass_scan scan(j.on, j.asked.n, tile, j.shows_steps());
  telling t = j.tell("blocks of " + std::to_string(tile));
  t.keys("numbers", j.data, j.asked.n, tile);
  scan(numbers(j, j.data), numbers(j, j.spare));
  scan.tell(t, j.asked.n);
  t.keys("scanned", j.spare, j.asked.n, tile);
  std::swap(j.data, j.spare);
}

struct scan_votes {
  static constexpr unsigned block_threads = 256, warps = block_threads / simt::warp_size;
  struct shared {
    simt::shared_array<number, warps> ones_of_warp; // then: before the warp, in the grid
    simt::shared_value<number> tile;
  };
  simt::global<const number> keys;
  simt::global<number> out;
  std::uint64_t n;
  simt::global<number> begun;
  simt::global<std::uint64_t> states;
  simt::global<number> told;
  simt::global<number> told_votes; // [warps of the grid], or empty
  unsigned tile_elements;

  SORTILE_DEVICE void operator()(shared& s) const {
    const number tile = next_tile(s, begun);
    const std::uint64_t i = std::uint64_t{tile} * tile_elements + simt::thread_index();
    const bool mine_exists = simt::thread_index() < tile_elements && i < n;
    const unsigned votes = simt::ballot(mine_exists && (keys.load(i) & 1) != 0);
    const unsigned used_warps = simt::block_size() / simt::warp_size;
    if (simt::lane_index() == 0 && told_votes.data() != nullptr)
      told_votes.store(std::uint64_t{tile} * used_warps + simt::warp_index(), votes);
    if (simt::lane_index() == 0)
      s.ones_of_warp[simt::warp_index()] = simt::popcount(votes);
    simt::block_barrier();
    if (simt::warp_index() == 0) {
      const unsigned lane = simt::lane_index();
      const number mine = lane < used_warps ? s.ones_of_warp.load(lane) : 0u;
      number sum = mine; // of the warps up to this lane's
      for (unsigned stride = 1; stride < warps; stride *= 2) {
        const number below = simt::shuffle_up(sum, stride);
        sum += lane >= stride ? below : 0u;
      }
      const number earlier = look_back(states, tile, simt::shuffle(sum, warps - 1), told);
      if (lane < used_warps)
        s.ones_of_warp[lane] = earlier + sum - mine;
    }
    simt::block_barrier();
    if (mine_exists)
      out[i] = s.ones_of_warp.load(simt::warp_index()) + simt::popcount(votes & simt::lanes_below());
  }
};

/// Each warp's vote, lane 0 at the left.
void tell_votes(telling& t, const device_array<number>& votes, std::uint64_t tile) {
  if (!t.is_read())
    return;
  std::vector<std::string> words;
  for (const number vote : votes.to_host()) {
    std::string word;
    for (unsigned lane = 0; lane < std::min<std::uint64_t>(tile, simt::warp_size); ++lane)
      word += ((vote >> lane) & 1) != 0 ? '1' : '0';
    words.push_back(word);
  }
  t.words("votes of warps", words);
}

void by_votes(job& j) {
  if (j.asked.n == 0)
    return;
  const unsigned tile = j.parameter("tile"), threads = whole_warps(tile);
  const look_back_states states(j.on, blocks_for(j.asked.n, tile), j.shows_steps());
  const device_array<number> votes(j.on, j.shows_steps() ? states.tiles() * (threads / simt::warp_size) : 0);
  telling t = j.tell("blocks of " + std::to_string(tile));
  t.keys("numbers", j.data, j.asked.n, tile);
  states.clear();
  simt::launch(j.on.queue(), {.grid = states.tiles(), .block = threads},
               scan_votes{numbers(j, j.data), numbers(j, j.spare), j.asked.n, states.begun(), states.states(),
                          states.told(), view(votes), tile});
  tell_votes(t, votes, std::min<std::uint64_t>(tile, j.asked.n));
  states.tell(t, states.tiles());
  t.keys("scanned", j.spare, j.asked.n, tile);
  std::swap(j.data, j.spare);
}

} // namespace

SORTILE_CLASSICS_OF(scan_whole_array) {
  std::vector<classic> all = {scan("scan-blocks", "tiles, the scan of their sums, then these added", "3 n", "log n",
                                   "Harris, Sengupta & Owens 2007", by_blocks),
                              scan("scan-single-pass",
                                   "one launch: tiles look back at what earlier tiles have published", "2 n", "log n",
                                   "Merrill & Garland 2016", in_a_single_pass),
                              scan("scan-ballot", "of flags: votes and population counts, tiles by look-back", "n",
                                   "log n", "Harris & Garland, GPU Computing Gems 2011", by_votes)};
  all[0].tile = all[1].tile = 512;
  all[2].tile = scan_votes::block_threads;
  for (classic& c : all)
    c.parameters = {tile_parameter(static_cast<unsigned>(c.tile))};
  all.back().task = &exclusive_scan_of_flags;
  return all;
}

} // namespace sortile::classics
