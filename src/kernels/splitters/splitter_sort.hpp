// Sorts pairs of a key and a value in device memory, stably, by two partitions between splitters and one local sort;
// plain C++. It is for skewed keys: buckets by the highest bits, or by an even division of an interval, would be too
// full; those between splitters are not. And it is for pairs of 128-bit keys, which take sixteen passes of a digit.
//
//   splitters   a sample of all keys is sorted and cut: the cuts part the buckets of the first partition
//   count       how many keys of each bucket every block has     one read of the keys
//   partition                                                    one read, one write
//   splitters   the same within each bucket
//   count                                                        one read of the keys
//   partition                                                    one read, one write
//   local       each bucket in shared memory                     one read, one write
//
// Samples are of 64 keys a bucket, 2^14 of them at most, 12,288 of 128 bits; up to 2^23 pairs, where buckets are of
// half the size, of 32. Up to 8192 samples, one launch makes both partitions (divide_kernel.hpp).
//
// 8 sizes of a key and 6 of a value are moved per pair, whatever the distribution and however wide the keys; where the
// output is apart from the input, 2 bytes more: until the second partition its keys' array holds each key's bucket of
// the first, so that nobody searches for it twice. A heavy key, frequent enough to fill a bucket, has one to itself (an
// equality bucket), and needs no further sorting.
//
// Order, stability, in place, workspace: as sort_pairs (pairs/sort_pairs.hpp). Deterministic. Needs sm_90 (bulk
// copies).
//
// How sure. Bucket sizes depend on two samples, one of each level: they are products of two Gamma(a) / a
// (splitter_choice.hpp). The local steps take 11,264 pairs of up to 16 bytes (u64 + 16 bytes: 7168; u128 and 4
// or 8: 9216, 8160), which some bucket of 4096 on average (2^28 pairs) exceeds in fewer than one of 10^4 sorts of
// 64-bit keys, and in one of 800 of 128-bit keys, whose samples are smaller; of wider pairs, or where frequent keys
// fill just about a bucket each, some do every time. One block sorts such a bucket, least significant digit first: half
// a millisecond or so, beside others. Only more than twice that size is too much. That happens only where the sample's
// fixed places miss a part of the keys. The counts tell it before the inputs are touched, which may be outputs or
// scratch, and then the verdict gives the pairs to the next fallback. Up to 2^23 pairs nothing
// follows the local step: buckets of 2048 on average exceed it as rarely. Of 8 and 8 bytes, where it
// takes 5632 pairs, some bucket does in one of 80 sorts of 2^23 pairs, and passes take those.
//
// When not to use it: where sort_pairs takes the keys, since it reads them once less and searches nothing; for keys
// that are sorted, or differ in few digits (`leaves_to_passes`).
//
// Sources: Frazer and McKellar, "Samplesort" (1970); Leischner, Osipov and Sanders, "GPU sample sort" (2010); Axtmann,
// Witt, Ferizovic and Sanders, "In-place parallel super scalar samplesort" (2017).
#pragma once

#include "kernels/pairs/sort_pairs.hpp"

namespace sortile::kernels {

/// Word is std::uint64_t, or uint128 with values of up to 8 bytes: with 32-bit keys the passes are quicker
/// (docs/performance-log-gpu.md). A verdict is asked for. `partition_bits` is 2 to 16; `sample_from` is not read.
/// Where the pairs are given away, outputs may have been written; inputs have not.

/// Bytes that a request needs: room for the pairs once more (for the keys twice, where keys_out is null; not at all
/// where the input is scratch) and tables of less than 0.3 bytes a pair from 2^24 pairs on. Aligned to 128. Reads n,
/// value_bytes, keys_out, input_is_scratch and partition_bits alone.
template <class Word>
std::size_t splitter_sort_workspace_bytes(const typed_request<Word>& request);

/// Steps: count, partition, count, partition, local; up to 2^26 pairs (f64 alone as a fallback: 2^24) the first makes
/// the launch of all but the last. Throws invalid_argument, workspace_too_small, or simt::error where a launch is
/// refused.
template <class Word>
void splitter_sort(const simt::queue& q, const typed_request<Word>& request, unsigned step = all_steps);

// ---- between the checked request and the kernels

namespace detail {

/// Samples a bucket, of buckets of whole size.
inline constexpr std::uint32_t splitter_samples = 64;

/// Byte offsets.
struct splitter_layout {
  template <class Word>
  static constexpr std::size_t bytes_of_spread = 2 * sizeof(Word) + 16; ///< at most

  std::size_t findings, order, coarse_start, coarse_cuts, count, deferred, most, cuts, start, spreads, fine, keys,
      work_keys, values, bytes;

  template <class Word>
  static splitter_layout of(const partition_plan& p, const typed_request<Word>& r) {
    splitter_layout l{};
    arena a;
    const std::size_t bins = p.bins(), rows = p.chunks(r.n);
    l.findings = a.take(128);
    l.order = a.take(rows * 4);
    l.coarse_start = a.take((p.coarse() + 1) * 4);
    l.coarse_cuts = a.take(p.coarse() * sizeof(Word));
    l.count = a.take(bins * 4);
    l.deferred = a.take(bins * 4);
    l.most = a.take(bins * 4);
    l.cuts = a.take(bins * sizeof(Word));
    l.start = a.take((bins + 1) * 4);
    l.spreads = a.take(bins * bytes_of_spread<Word>);
    l.fine = a.take(rows * bins * 4); // of the first level first
    take_pair_arrays(l, a, r);
    return l;
  }
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_splitter_sort(const simt::queue& q, const typed_request<Word>& request,
                                         const partition_plan& plan, unsigned step);

} // namespace detail

} // namespace sortile::kernels
