// Reductions and scans across the threads of a block, with several items per thread.
//
// Each thread folds its own items, each warp scans its threads by shuffles, and one warp scans the (at most 32) warps'
// totals: two block barriers, one word of shared storage a warp. All threads of the block call.
//
//   items   blocked: thread t holds items t·Items … t·Items + Items − 1
//
// The storage may be used again once a block barrier has passed after the call.
#pragma once

#include "primitives/warp_scan.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

template <class T, unsigned Threads>
struct block_scan_storage {
  static_assert(Threads % simt::warp_size == 0 && Threads <= 1024, "whole warps, at most 32 of them");
  static constexpr unsigned warps = Threads / simt::warp_size;
  simt::shared_array<T, warps + 1> totals; // a warp's prefix each, then the block's total
};

template <class T>
struct block_prefix {
  T before; ///< the fold of `initial` and the threads before this one
  T total;  ///< the fold of all threads' values, without `initial`
};

/// One value a thread, exclusive.
template <class T, unsigned Threads, class Op>
SORTILE_DEVICE block_prefix<T> block_exclusive_scan(block_scan_storage<T, Threads>& s, T v, Op op, T initial) {
  constexpr unsigned warps = block_scan_storage<T, Threads>::warps;
  const unsigned lane = simt::lane_index(), warp = simt::warp_index();
  const T inclusive = warp_inclusive_scan(v, op);
  if (lane == simt::warp_size - 1)
    s.totals[warp] = inclusive;
  simt::block_barrier();
  if (warp == 0) {
    const T mine = lane < warps ? s.totals.load(lane) : Op::template identity<T>();
    const warp_prefix<T> p = warp_exclusive_scan(mine, op, initial);
    if (lane < warps)
      s.totals[lane] = p.before;
    if (lane == 0)
      s.totals[warps] = p.total;
  }
  const T below = simt::shuffle_up(inclusive, 1);
  simt::block_barrier();
  const T warp_before = s.totals[warp];
  return {lane == 0 ? warp_before : op(warp_before, below), s.totals.load(warps)};
}

/// The sum over the threads before this one, by a word of storage a warp. One barrier, where an exclusive scan takes
/// two, since each warp adds up the others' sums; another has to pass before `sums` are used again.
SORTILE_DEVICE std::uint32_t sum_of_lower_threads(const simt::shared_view<std::uint32_t>& sums, std::uint32_t mine) {
  const unsigned lane = simt::lane_index(), warp = simt::warp_index();
  const std::uint32_t inclusive = warp_inclusive_scan(mine, plus{});
  if (lane == simt::warp_size - 1)
    sums[warp] = inclusive;
  simt::block_barrier();
  return simt::warp_reduce_add(lane < warp ? sums.load(lane) : 0u) + inclusive - mine;
}
/// What sum_of_lower_threads() has left in `sums` of so many warps: the sum over all threads.
SORTILE_DEVICE std::uint32_t sum_of_all_threads(const simt::shared_view<std::uint32_t>& sums, unsigned warps) {
  return simt::warp_reduce_add(simt::lane_index() < warps ? sums.load(simt::lane_index()) : 0u);
}

/// Items in place become the fold of `initial` and all items before them; returns the block's total without `initial`.
template <class T, unsigned Threads, int Items, class Op>
SORTILE_DEVICE T block_exclusive_scan(block_scan_storage<T, Threads>& s, T (&items)[Items], Op op, T initial) {
  T sum = items[0];
  SORTILE_UNROLL
  for (int i = 1; i < Items; ++i)
    sum = op(sum, items[i]);
  const block_prefix<T> p = block_exclusive_scan(s, sum, op, initial);
  T running = p.before;
  SORTILE_UNROLL
  for (int i = 0; i < Items; ++i) {
    const T next = op(running, items[i]);
    items[i] = running;
    running = next;
  }
  return p.total;
}

/// The fold of all threads' values, in the order of the threads, in every thread.
template <class T, unsigned Threads, class Op>
SORTILE_DEVICE T block_reduce(block_scan_storage<T, Threads>& s, T v, Op op) {
  constexpr unsigned warps = block_scan_storage<T, Threads>::warps;
  const unsigned lane = simt::lane_index();
  const T sum = warp_reduce(v, op);
  if (lane == 0)
    s.totals[simt::warp_index()] = sum;
  simt::block_barrier();
  // Every warp reduces the totals for itself: cheaper than a second barrier.
  return warp_reduce(lane < warps ? s.totals.load(lane) : Op::template identity<T>(), op);
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
