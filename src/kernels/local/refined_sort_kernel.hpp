// Sorts the deferred buckets that fit the local step, where clusters have filled its bins: by finer bins
// (refined_bins.hpp).
//
// As many blocks as are resident go through the list of deferred buckets. Buckets that are too large, or that even
// finer bins cannot take, stay in the list, for large_sort_kernel.hpp; others leave `done` in their place. So do those
// in which keys are equal and others differ in more than 32 bits: there they are counted, whatever they are.
//
// Why not in the local step: with the registers that this takes, keys that need none of it were sorted 5 % (of 32 bits)
// and 10 % (of 64) slower. Keys that are clustered here are so elsewhere, too. So once an eighth of all buckets has
// been deferred the local step defers the others unread, and each is read here alone.
//
// In place is allowed, as in the local step. Traffic: 2 sizeof(key) per key.
#pragma once

#include "kernels/key_scan/differing_digits.hpp"
#include "kernels/local/local_sort_kernel.hpp"
#include "kernels/local/refined_bins.hpp"
#include "primitives/repeated_keys.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The local step's list and bins, with registers for a finer bin of each key, and room for a fifth more keys: a map or
/// an interval makes a few buckets a little larger than others. A list twice as long was slower, and so were 1024
/// threads of 64-bit keys.
template <class Word>
struct refining_tuning : local_sort_tuning<Word> {
  static constexpr unsigned min_blocks = 2;
};
template <>
struct refining_tuning<std::uint32_t> : local_sort_tuning<std::uint32_t> {
  static constexpr unsigned threads = 512, min_blocks = 2;
  static constexpr int vectors = 3;
};
template <>
struct refining_tuning<std::uint64_t> : local_sort_tuning<std::uint64_t> {
  static constexpr unsigned min_blocks = 2;
  static constexpr int vectors = 6;
};

template <class Word>
struct refined_sort_kernel {
  using local = local_sort_kernel<Word, refining_tuning<Word>>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = local::block_threads, min_blocks = local::min_blocks;
  using bucket = typename local::bucket;
  using keys_vector = typename local::keys_vector;
  struct shared {
    typename local::shared bins;
    simt::shared_array<std::uint32_t, sizeof(Word) / 4> differ; // lowest word first
  };

  using repeated = primitives::repeated_keys<Word, block_threads, local::capacity>;
  static constexpr unsigned enough_alike = 2;         ///< lanes of eight warps: by chance none is
  static constexpr unsigned most_bits_of_equals = 32; ///< two or three refinements come to single values

  local step; // its list holds the deferred buckets

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t many = step.deferred.findings.load(finding_deferred);
    for (std::uint64_t q = simt::block_index(); q < many; q += simt::grid_size()) {
      const std::uint32_t b = step.deferred.buckets.load(q);
      prefetch(q + simt::grid_size(), many);
      if (sort(s, step.start.load(b), step.start.load(b + 1)) && simt::thread_index() == 0) {
        step.deferred.buckets[q] = bucket_list::done;
        step.deferred.findings.fetch_add(finding_refined, std::uint64_t{1});
      }
      simt::block_barrier();
    }
  }

  /// Sorts the keys [begin, end). False, in all threads, where nothing was done.
  SORTILE_DEVICE bool sort(shared& s, std::uint32_t begin, std::uint32_t end) const {
    const std::uint32_t lead = begin % unsigned(local::vector);
    const bucket b{0, begin - lead, lead, end - begin + lead};
    if (b.end > local::capacity || begin == end)
      return begin == end;
    keys_vector keys[local::vectors];
    step.load(b, keys);
    const Word first = step.image.image(step.in.load(begin)), differ = differing_bits_of(s, b, keys, first);
    const unsigned rest = bits_of(differ);
    if (rest > most_bits_of_equals && are_many_equal(b, keys))
      return false;
    const Word common = rest < 8 * sizeof(Word) ? Word(first >> rest << rest) : Word{0};
    return refined_bins<local>::sort(step, s.bins, b, keys, step.bins_from(common, rest), differ);
  }

 private:
  /// By a key of each thread's first vector. A barrier.
  static SORTILE_DEVICE bool are_many_equal(const bucket& b, const keys_vector (&keys)[local::vectors]) {
    return repeated::are_many(
        b.end / unsigned(local::vector), [&](std::uint32_t) { return keys[0][local::vector - 1]; }, enough_alike);
  }
  /// Asks the L2 for the bucket at q of the list, if there is one: this block's next.
  SORTILE_DEVICE void prefetch(std::uint64_t q, std::uint64_t many) const {
    constexpr unsigned line = 128 / sizeof(Word);
    if (q >= many)
      return;
    const std::uint32_t b = step.deferred.buckets.load(q), i = step.start.load(b) + simt::thread_index() * line;
    if (i < step.start.load(b + 1))
      simt::prefetch(step.in, i);
  }
  /// The bits in which images of the bucket differ. Two barriers.
  SORTILE_DEVICE Word differing_bits_of(shared& s, const bucket& b, const keys_vector (&keys)[local::vectors],
                                        Word first) const {
    if (simt::thread_index() < sizeof(Word) / 4)
      s.differ[simt::thread_index()] = 0;
    Word differ = 0;
    local::each_key(b, keys, [&](Word key, int) { differ |= Word(step.image.image(key) ^ first); });
    simt::block_barrier();
    gather_differing_bits(s.differ, differ);
    simt::block_barrier();
    return joined_bits<Word>(s.differ);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
