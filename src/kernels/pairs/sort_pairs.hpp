// Sorts pairs of a key and a value in device memory, stably, by two partitions and one local step; plain C++.
//
//   scan        one read of the keys: how many of each digit every chunk of the input holds, whether they are sorted
//   tables      the place of every pair follows from the counts, before anything moves: in the same launch, whose
//               blocks meet, or, of a single partition, made by its blocks themselves
//   partition   up to 8 bits        one read, one write
//   partition   up to 8 more        one read, one write     (from 2^20 + 1 pairs on)
//   local       the rest            one read, one write
//
// Without a fallback, large_pairs_kernel.hpp sorts buckets that the local sort cannot take. With one there are none,
// except that many pairs have a launch of larger blocks for a few of them.
//
// The number of buckets follows n, 2048 to 4096 pairs each. 7 sizes of a key and 6 of a value are moved a pair,
// whatever the width. Inputs of one bucket (sort_pairs_small) take a single launch.
//
// Keys are the bits of u32, i32, f32 (Word: std::uint32_t) or u64, i64, f64 (std::uint64_t), ordered by their codec,
// ascending or descending, by the whole key: bit windows are refused. Stable: pairs with equal keys, −0 and +0, and
// NaNs of any bits, keep their order. Keys and values come out bit for bit. Values are anything of 4, 8 or 16 bytes;
// none at all (value_bytes 0: a stable sort of keys); or the indices 0 … n − 1 of 4 or 8 bytes, made on the way
// (make_indices: an argsort, without an array of indices to read). Up to 2^32 − 2^16 pairs. All arrays aligned to 16
// bytes. keys_out may be keys_in, values_out may be values_in, and they are apart otherwise; the workspace is apart
// from all. Inputs stay as they are where they are not outputs. Input in order already costs one read, and a copy where
// outputs are apart; strictly decreasing input one read and a copy backwards.
//
// Deterministic. Needs sm_90 (bulk copies).
//
// Buckets divide the interval that a sample of the keys comes from, floats by value where that is more even than by
// their bits (key_spread.hpp): numbers below a billion, time stamps and floats between 0 and 1 fill them as evenly as
// random bits do.
//
// Skewed keys of smooth distributions (normal, exponential, lognormal) fill them evenly by a map that a larger sample
// has drawn (pair_map.hpp), where there are many pairs and a fallback: drawn_map.hpp.
//
// When not to use it: for more than 2^28 pairs, and for other skewed keys (frequent values, clusters, a few outliers
// far away). Their buckets get too large for the local sort, and without a fallback one block sorts each of them:
// right, but slow. With one, the verdict gives it the pairs in time: where a sample shows skew, before the keys are
// read; else where the counts show it, before anything moves. It does so too where there are more than 8 keys to each
// value of the interval: other sorts take such keys in fewer passes.
#pragma once

#include "kernels/arena.hpp"
#include "kernels/partition_plan.hpp"

#include <algorithm>
#include <bit>

namespace sortile::kernels {

/// The largest n that sort_pairs takes: 32-bit positions.
inline constexpr std::uint64_t sort_pairs_most = (std::uint64_t{1} << 32) - (1u << 16);
/// Up to here one block sorts everything in a single launch, whatever the keys.
inline constexpr std::uint64_t sort_pairs_small = partition_plan::one_block_pairs;

/// The oldest architecture that sort_pairs runs on, as 10 · major + minor.
inline constexpr unsigned sort_pairs_architecture = 90;

/// Bytes that a request needs: room for the pairs once more (for the keys twice, where keys_out is null; not at all
/// where the input is scratch) and tables of less than 0.3 bytes a pair. Reads n, value_bytes, keys_out,
/// input_is_scratch and partition_bits alone.
template <class Word>
std::size_t sort_pairs_workspace_bytes(const typed_request<Word>& request);

/// Steps: scan, one or two partitions, local; or all in one block. Throws invalid_argument, workspace_too_small, or
/// simt::error where a launch is refused.
template <class Word>
void sort_pairs(const simt::queue& q, const typed_request<Word>& request, unsigned step = all_steps);

// ---- between the checked request and the kernels

namespace detail {

/// Third arrays, in the order in which sorts of pairs lay them out behind their tables.
template <class Layout, class Word>
void take_pair_arrays(Layout& l, arena& a, const typed_request<Word>& r) {
  const std::size_t n = std::size_t(r.n);
  l.keys = a.take(r.input_is_scratch ? 0 : n * sizeof(Word));
  l.work_keys = a.take(r.keys_out == nullptr ? n * sizeof(Word) : 0);
  l.values = a.take(r.input_is_scratch ? 0 : n * r.value_bytes);
  l.bytes = a.bytes();
}

/// Whether a map may spread skewed keys (pair_map.hpp): of so many that its launches are short beside the rest.
template <class Word>
bool maps_pairs(const partition_plan& p, const typed_request<Word>& r) {
  const bool passes_are_as_quick = sizeof(Word) == 4 && r.value_bytes == 0;
  return r.may_fall_back() && !p.in_one_block && !passes_are_as_quick &&
         r.n / (sizeof(Word) == 4 ? 4 : 1) >= r.tuning.map_pairs_from;
}
/// Of the map, and parts of its sample, at most; each part has one key at least.
template <class Word>
inline constexpr std::size_t pair_map_cells = 256 * sizeof(Word);
inline constexpr unsigned pair_map_rows = 64;
/// Byte offsets.
struct sort_pairs_layout {
  std::size_t findings, spread, cells, map, order, start, count, deferred, coarse, fine, keys, work_keys, values, bytes;

  template <class Word>
  static sort_pairs_layout of(const partition_plan& p, const typed_request<Word>& r) {
    sort_pairs_layout l{};
    if (p.in_one_block || r.n == 0)
      return l;
    arena a;
    const std::size_t bins = p.bins(), rows = p.chunks(r.n);
    const bool maps = maps_pairs(p, r);
    l.findings = a.take(128);
    l.spread = a.take(maps ? (bins + 1) * 32 : 32);
    l.map = a.take(maps ? (2 * pair_map_cells<Word> + 4) * 4 : 0);
    l.order = a.take(rows * 4);
    l.start = a.take((bins + 1) * 4);
    l.count = a.take(bins * 4);
    l.deferred = a.take(bins * 4);
    l.fine = a.take(rows * bins * 4);
    l.coarse = p.second_bits == 0 ? l.fine : a.take(rows * p.coarse() * 4);
    constexpr std::size_t counts = pair_map_rows * pair_map_cells<Word> * 2;
    const bool have_room =
        !r.input_is_scratch && r.n * sizeof(Word) >= counts; // no pair is there before the partitions
    const std::size_t apart = a.take(maps && !have_room ? counts : 0);
    take_pair_arrays(l, a, r);
    l.cells = have_room ? l.keys : apart;
    return l;
  }
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_sort_pairs(const simt::queue& q, const typed_request<Word>& request,
                                      const partition_plan& plan, unsigned step);

} // namespace detail

} // namespace sortile::kernels
