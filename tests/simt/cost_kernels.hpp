// Three kernels on the dialect. cost_test.py compares what nvcc makes of them and of their twins written by hand
// (twins.cu); profile.cu runs them for a comparison of the executor's counters with the hardware's.
#pragma once

#include "simt/simt.hpp"

namespace sortile::simt_cost {
inline namespace SORTILE_BACKEND {

using simt::global;

/// Streams keys through registers, 16 bytes a load.
struct flip_bits {
  static constexpr unsigned block_threads = 256;
  static constexpr int items = 4;
  global<const std::uint32_t> in;
  global<std::uint32_t> out;
  std::uint32_t mask;
  SORTILE_DEVICE void operator()() const {
    const std::uint32_t tile = simt::block_index() * (block_threads * items * 4);
    simt::vec<std::uint32_t, 4> keys[items];
    SORTILE_UNROLL
    for (int k = 0; k < items; ++k)
      keys[k] = simt::load_vector<4>(in, tile + (k * block_threads + simt::thread_index()) * 4, simt::streaming);
    SORTILE_UNROLL
    for (int k = 0; k < items; ++k) {
      SORTILE_UNROLL
      for (int j = 0; j < 4; ++j)
        keys[k][j] ^= mask;
      simt::store_vector<4>(out, tile + (k * block_threads + simt::thread_index()) * 4, keys[k], simt::streaming);
    }
  }
};

/// Ranks keys by their low byte, warp by warp, and adds the block's counts to the whole.
struct rank_digits {
  static constexpr unsigned block_threads = 128;
  static constexpr unsigned min_blocks = 8;
  static constexpr int items = 8;
  struct shared {
    simt::shared_array<std::uint32_t, 4 * 256> counts; // [warp][digit]
  };
  global<const std::uint32_t> keys;
  global<std::uint32_t> ranks, bins;
  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t thread = simt::thread_index(), lane = simt::lane_index(), row = simt::warp_index() * 256;
    SORTILE_UNROLL
    for (int k = 0; k < 8; ++k)
      s.counts[k * 128 + thread] = 0;
    simt::block_barrier();
    const std::uint32_t first =
        simt::block_index() * (block_threads * items) + simt::warp_index() * (32 * items) + lane;
    std::uint32_t rank[items];
    SORTILE_UNROLL
    for (int k = 0; k < items; ++k) {
      const std::uint32_t digit = keys.load(first + k * 32, simt::read_only) & 255;
      const std::uint32_t peers = simt::match_any(digit);
      const std::uint32_t below = simt::popcount(peers & simt::lanes_below());
      const std::uint32_t before = s.counts[row + digit];
      simt::warp_barrier();
      if (below == 0)
        s.counts[row + digit] = before + simt::popcount(peers);
      simt::warp_barrier();
      rank[k] = before + below;
    }
    SORTILE_UNROLL
    for (int k = 0; k < items; ++k)
      ranks[first + k * 32] = rank[k];
    simt::block_barrier();
    SORTILE_UNROLL
    for (int d = 0; d < 2; ++d) {
      std::uint32_t sum = 0;
      SORTILE_UNROLL
      for (int w = 0; w < 4; ++w)
        sum += s.counts[w * 256 + d * 128 + thread];
      bins.fetch_add(d * 128 + thread, sum);
    }
  }
};

/// Running sums over tiles, the tiles chained by a look-back of one thread.
struct chained_scan {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<std::uint32_t, 8> warp_sums;
    simt::shared_value<std::uint32_t> before, tile;
  };
  global<const std::uint32_t> in;
  global<std::uint32_t> out, tickets;
  global<std::uint64_t> states; // sum in the upper half; 0 none, 1 this tile, 2 all up to it
  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t thread = simt::thread_index(), lane = simt::lane_index();
    if (thread == 0)
      s.tile = tickets.fetch_add(0, 1u);
    simt::block_barrier();
    const std::uint32_t tile = s.tile;
    const std::uint32_t at = tile * block_threads + thread;
    std::uint32_t sum = in[at];
    SORTILE_UNROLL
    for (unsigned step = 1; step < 32; step *= 2) {
      const std::uint32_t left = simt::shuffle_up(sum, step);
      if (lane >= step)
        sum += left;
    }
    if (lane == 31)
      s.warp_sums[simt::warp_index()] = sum;
    simt::block_barrier();
    std::uint32_t total = 0, warps_before = 0;
    SORTILE_UNROLL
    for (unsigned w = 0; w < 8; ++w) {
      if (w == simt::warp_index())
        warps_before = total;
      total += s.warp_sums[w];
    }
    if (thread == 0) {
      states.store(tile, std::uint64_t{total} << 32 | 1, simt::release);
      std::uint32_t before = 0;
      for (std::uint32_t t = tile; t > 0;) {
        const std::uint64_t state = states.load(t - 1, simt::acquire);
        if (state == 0)
          continue;
        before += std::uint32_t(state >> 32);
        if ((state & 3) == 2)
          break;
        --t;
      }
      states.store(tile, std::uint64_t{before + total} << 32 | 2, simt::release);
      s.before = before;
    }
    simt::block_barrier();
    out[at] = s.before + warps_before + sum;
  }
};

} // namespace SORTILE_BACKEND
} // namespace sortile::simt_cost
