// Sorts keys in device memory; plain C++.
//
//   sample      small: it tells the interval that the keys come from, which is divided into buckets
//   map         small, and only where that sample is skewed: it divides the keys by their distribution
//               (key_scan/key_map.hpp)
//   scan        one read: where every bucket begins, which bits differ, whether there is anything to do
//   tables      small; of up to 1024 buckets the scan makes them
//   partition   up to 9 bits        one read, one write
//   partition   up to 8 more        one read, one write (from 2^21 + 1 keys on; both are of 5 bits or more then)
//   local       the rest            one read, one write (and large_sort_kernel.hpp for deferred buckets, or, of 32-bit
//               keys in 2^16 buckets, `skewed`)
//
// The number of buckets follows n, about 4096 keys each. 7 sizeof(key) bytes are moved for a key. An
// input of a few thousand keys is sorted in one launch of one block instead (one_block_sort_kernel.hpp).
//
// Keys are std::uint32_t, std::uint64_t or uint128: unsigned or signed integers by their codec, ascending or
// descending, by the whole key. Bit windows are refused: keys with equal images but different bits would have to keep
// their order, and this sort does not do that. Floats are refused too, except more than 2^27 of 32 bits. Where there is
// no −0 and no NaN among these, they are sorted as integers are. Where there is one, the verdict (which they need)
// gives them to the fallback before anything moves. Up to 2^32 − 2^16 keys, aligned to 16 bytes. Deterministic in its
// result.
//
// Sorted keys are copied, descending keys too, from their end. Keys of no more different values than there are buckets,
// close together, are written from the counts alone, without being moved.
//
// When not to use it: without a fallback one block sorts a bucket that holds a large part of a large input. With one,
// the verdict gives the keys to it in time. Where a sample shows skew, that is before the keys are read. Where the
// counts show that some bucket is too large for one block, that too many keys are in buckets too large for the local
// sort, or that few values have outliers, it is before anything moves. Where one block sorts all keys the verdict is
// not written: it takes any. 32-bit keys in 2^16 buckets (beyond 2^27 of them) are never given away because of skew:
// their buckets are counted, whatever their size. A sample gives them away that shows few values, which an LSD sort
// counts without moving a key, or that passes are quicker (key_scan/window_kernel.hpp).
#pragma once

#include "kernels/arena.hpp"
#include "kernels/partition_plan.hpp"

namespace sortile::kernels {

/// The largest n that sort_keys takes: 32-bit positions, and room for a partition's rings to pass the end.
inline constexpr std::uint64_t sort_keys_most = (std::uint64_t{1} << 32) - (1u << 16);

/// Bytes that a request needs: none where one block sorts, else room for the keys once more (but where the input is
/// scratch), and 20 bytes a bucket (where buckets are counted: 12 more for each 67,000 keys). Aligned to 128.
template <class Word>
std::size_t sort_keys_workspace_bytes(const typed_request<Word>& request);

/// Steps: scan, one or two partitions, local; or all in one block. Throws invalid_argument, workspace_too_small, or
/// simt::error where a launch is refused.
template <class Word>
void sort_keys(const simt::queue& q, const typed_request<Word>& request, unsigned step = all_steps);

// ---- between the checked request and the kernels

namespace detail {

/// Byte offsets. What has to be zero before the scan stands at the front. That includes the list of deferred buckets:
/// the second scan counts there, long before buckets are deferred.
struct sort_keys_layout {
  static constexpr std::size_t finding_bytes = 256;
  static constexpr std::uint32_t least_giant = sort_tuning::least_giant;
  /// Keys of a bucket from which it is heavy, where a map spreads them: more than one block holds (local/).
  static constexpr std::uint32_t least_heavy = 10241;

  std::size_t findings, count, deferred, cells, start, coarse_next, coarse_left, fine_next, fine_left, window, map,
      first, giants, heavy, keys, bytes;

  /// Of so many keys, in buckets that are giant from `least` keys on.
  static std::uint64_t most_giants(std::uint64_t n, std::uint32_t least) { return n / least; }

  /// Entries of a list of heavy buckets; an even number.
  static std::uint64_t heavy_room(std::uint64_t n) { return (most_giants(n, least_heavy) + 2) / 2 * 2; }

  /// Whether skewed keys are spread by their distribution (key_scan/key_map.hpp).
  template <class Word>
  static bool maps(const partition_plan& p, const typed_request<Word>& r) {
    return sizeof(Word) <= 8 && r.may_fall_back() && !p.counts && r.n >= r.tuning.sample_from &&
           r.n >= r.tuning.map_keys_from;
  }
  /// Whether frequent values then have buckets of their own (local/heavy_buckets.hpp).
  template <class Word>
  static bool parts_heavy(const partition_plan& p, const typed_request<Word>& r) {
    return sizeof(Word) == 8 && maps(p, r);
  }
  static constexpr std::size_t map_cells(unsigned key_bits) { return 32 * key_bits; } // 16 a power of two, on two sides

  template <class Word>
  static sort_keys_layout of(const partition_plan& p, const typed_request<Word>& r) {
    sort_keys_layout l{};
    if (p.in_one_block || r.n == 0)
      return l;
    arena a;
    const std::size_t bins = std::size_t{p.bins()} * 4, coarse = std::size_t{p.coarse()} * 4;
    l.findings = a.take(finding_bytes);
    l.count = a.take(bins);
    l.deferred = a.take(bins);
    const std::size_t cells = maps(p, r) ? map_cells(8 * sizeof(Word)) * 4 : 0;
    l.cells = a.take(cells == 0 ? 0 : cells + sizeof(Word)); // and the bits in which keys differ
    l.start = a.take(bins + 4);
    l.coarse_next = a.take(coarse);
    l.coarse_left = a.take(coarse);
    l.fine_next = a.take(bins);
    l.fine_left = a.take(bins);
    l.window = a.take(128);
    l.map = a.take(cells == 0 ? 0 : 2 * cells + 16);
    l.first = a.take(cells == 0 ? 0 : p.bins() * sizeof(Word));
    const bool heavy = parts_heavy(p, r);
    const std::uint64_t giants = heavy ? heavy_room(r.n) : p.counts ? most_giants(r.n, least_giant) + 1 : 0;
    l.giants = a.take(3 * giants * 4);
    l.heavy = a.take(heavy ? giants * (2 * 4 + sizeof(Word)) : 0);
    l.keys = a.take(r.input_is_scratch ? 0 : std::size_t(r.n) * sizeof(Word));
    l.bytes = a.bytes();
    return l;
  }
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_sort_keys(const simt::queue& q, const typed_request<Word>& request,
                                     const partition_plan& plan, unsigned step);
/// The same where the codec is that of floats; by a plan that counts.
template <class Backend>
SORTILE_LAUNCH void launch_sort_floats(const simt::queue& q, const typed_request<std::uint32_t>& request,
                                       const partition_plan& plan, unsigned step);

} // namespace detail

} // namespace sortile::kernels
