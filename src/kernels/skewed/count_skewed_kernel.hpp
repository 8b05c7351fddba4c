// Sorts the deferred buckets of 32-bit keys by counting: whatever their size and keys, one read and one write.
//
// A bucket has no more than 2^16 different values (bucket_values.hpp), so how often each occurs says everything, as it
// does of keys of 16 bits (narrow/count_sort_kernel.hpp). The method is Seward's ("Information sorting in the
// application of electronic digital computers to business operations", MIT, 1954; Knuth, TAOCP vol. 3, section 5.2,
// algorithm D), less the moving: the keys are written from the counts.
//
//   giant buckets, a share of all their keys per block (giant_buckets.hpp)
//     whole in the share      counted and written, as those below
//     others                  counted, and added to the bucket's counters in global memory
//   deferred buckets, drawn one by one, but for those that have been sorted since; the next is asked
//   for from the L2 meanwhile
//     with outliers           nothing: they are sorted (sort_tails_kernel.hpp)
//     others                  counted (bucket_counts.hpp), then written over (bucket_fill.hpp)
//
// The next launch writes the buckets that several blocks have counted (fill_giants_kernel.hpp). The arrays are those of
// the local step: `in` is out, and spare is free, or in is spare, and out is free. A bucket is read to its end before
// its place in `out` is written, by the block that has read it.
//
// The counters of a giant bucket lie in the free array. Where that is `out`, they would be overwritten while they are
// read. So the block that adds its counts last copies them to the bucket's place in spare, whose keys have all been
// counted by then. In either case it stores there where the keys of every chunk begin:
//
//   each block    counts relaxed additions; block barrier; done[k] + 1 by one thread, acq_rel
//   the last      sees all of them at done[k]; block barrier; reads counters, writes to spare
//
// So the additions of every block precede its own addition to done[k], and the reads of the last block follow all of
// these. The keys in spare, too, were read before that.
//
// Shared storage: 163 KB, one block per multiprocessor, on sm_80 too. Traffic: 2 sizeof(key) per key; a giant bucket
// that is in several shares costs each of these an addition a value that occurs, and 1 MB.
#pragma once

#include "kernels/last_block.hpp"
#include "kernels/skewed/bucket_counts.hpp"
#include "kernels/skewed/bucket_fill.hpp"
#include "kernels/skewed/skewed_arrays.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Counts of a giant bucket, in global memory.
struct stored_counts {
  simt::global<const std::uint32_t> words;
  std::uint32_t first;

  SORTILE_DEVICE void load(std::uint32_t chunk, std::uint32_t (&keys)[bucket_ranks::each]) const {
    const auto four = simt::load_vector<bucket_ranks::each>(
        words, first + chunk * bucket_ranks::chunk + simt::lane_index() * unsigned(bucket_ranks::each));
    SORTILE_UNROLL
    for (int j = 0; j < bucket_ranks::each; ++j)
      keys[j] = four[j];
  }
};

template <class Image = integer_image<std::uint32_t>>
struct count_skewed_kernel {
  using Word = typename Image::word;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = bucket_counts::block_threads, min_blocks = 1;
  using filler = bucket_fill<block_threads, Image>;

  struct shared {
    bucket_counts counts;
    typename filler::shared filling;
    simt::shared_value<std::uint32_t> drawn;
    simt::shared_value<std::uint32_t> last;
  };

  skewed_arrays<Image> at;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (course_of<Word>(at.deferred.findings, at.window.load(0), at.bins()) != key_course::buckets)
      return;
    filler::clear(s.filling);
    simt::block_barrier();
    at.for_parts([&](const giant_part& part) {
      if (part.is_shared(bucket_counts::most_keys))
        count_part(s, part);
      else
        sort_bucket(s, part.bucket);
    });
    const auto many = std::uint32_t(at.deferred.findings.load(finding_deferred));
    for (std::uint32_t q = draw(s); q < many;) {
      const std::uint32_t b = at.deferred.buckets.load(q);
      q = draw(s);
      if (q < many)
        prefetch(at.deferred.buckets.load(q));
      if (b != bucket_list::done && !at.is_tail(b))
        sort_bucket(s, b);
    }
  }

  static_assert(sizeof(shared) <= 163 * 1024, "as much as a block may have on sm_80");

 private:
  SORTILE_DEVICE std::uint32_t draw(shared& s) const {
    simt::block_barrier(); // what was drawn before has been read, and the bucket before is done with
    if (simt::thread_index() == 0)
      s.drawn = std::uint32_t(at.deferred.findings.fetch_add(finding_drawn, std::uint64_t{1}));
    simt::block_barrier();
    return s.drawn;
  }

  /// Asks the L2 for the next bucket, or as much of it as takes one instruction a thread.
  SORTILE_DEVICE void prefetch(std::uint32_t bucket) const {
    constexpr std::uint32_t line = 128 / sizeof(Word);
    if (bucket == bucket_list::done)
      return;
    const std::uint32_t begin = at.start.load(bucket), mine = line * simt::thread_index();
    if (mine < at.start.load(bucket + 1) - begin)
      simt::prefetch(at.in, begin + mine);
  }

  SORTILE_DEVICE void sort_bucket(shared& s, std::uint32_t bucket) const {
    const std::uint32_t begin = at.start.load(bucket), end = at.start.load(bucket + 1);
    const bucket_values<Image> values = at.values(bucket);
    s.counts.clear(values.count);
    simt::block_barrier();
    s.counts.count(at.in, begin, end, values);
    simt::block_barrier();
    const filler fill{at.out, values};
    fill.find_starts(s.filling, s.counts);
    fill.write(s.filling, s.counts, begin, 0, end - begin);
  }

  /// The free array.
  SORTILE_DEVICE simt::global<Word> counters() const { return at.in.data() == at.out.data() ? at.spare : at.out; }

  SORTILE_DEVICE void count_part(shared& s, const giant_part& part) const {
    const std::uint32_t begin = at.start.load(part.bucket), first = giant_list::counters(begin);
    const bucket_values<Image> values = at.values(part.bucket);
    const simt::global<Word> sums = counters();
    s.counts.clear(bucket_ranks::most);
    simt::block_barrier();
    s.counts.count(at.in, begin + part.low, begin + part.high, values,
                   [&](std::uint16_t rank) { sums.fetch_add(first + rank, 1u << spill_bits); });
    simt::block_barrier();
    // Blocks that come here together had better not add to the same words.
    s.counts.counting.template each<block_threads>(
        simt::block_index(), [&](std::uint16_t rank, std::uint32_t keys) { sums.fetch_add(first + rank, keys); });
    if (comes_last(at.giants.done, part.place, part.parts, s.last))
      finish(s, begin, values, {sums, first});
  }
  /// All has been counted: leaves in spare what the fill needs.
  SORTILE_DEVICE void finish(shared& s, std::uint32_t begin, const bucket_values<Image>& values,
                             const stored_counts& counts) const {
    filler{at.out, values}.find_starts(s.filling, counts);
    const std::uint32_t chunks = values.chunks(), first = giant_list::starts(begin);
    for (std::uint32_t c = simt::thread_index(); c <= chunks; c += block_threads)
      at.spare[first + c] = s.filling.start.load(c);
    if (counts.words.data() == at.spare.data())
      return;
    for (std::uint32_t i = 4 * simt::thread_index(); i < chunks * bucket_ranks::chunk; i += 4 * block_threads)
      simt::store_vector<4>(at.spare, counts.first + i, simt::load_vector<4>(counts.words, counts.first + i));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
