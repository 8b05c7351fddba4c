// Sorts the buckets of 32-bit keys that hold few different values, whatever their size, by counting: where a narrow
// interval leaves a bucket 2^13 values at most. Counters of 32 bits take 32 KB then, so that four blocks stand beside
// each other where those of count_skewed_kernel.hpp, for 2^16 values, leave room for one.
//
// The method is that kernel's: the keys are counted by their ranks (bucket_values.hpp), equal neighbours together
// (alike_rows.hpp), and written over (bucket_fill.hpp). As many blocks as are resident go through the list of deferred
// buckets, and leave `done` in place of those that they have sorted: all but giant ones and those with outliers.
//
// In place is allowed: a bucket is read before it is written. Traffic: 2 sizeof(key) per key. Shared storage: 51 KB.
#pragma once

#include "kernels/alike_rows.hpp"
#include "kernels/skewed/bucket_fill.hpp"
#include "kernels/skewed/skewed_arrays.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Image = integer_image<std::uint32_t>>
struct few_values_sort_kernel {
  using Word = typename Image::word;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 512, min_blocks = 3;
  static constexpr std::uint32_t most_values = 1u << 13;
  static constexpr int vector = 4, in_flight = 4;
  using filler = bucket_fill<block_threads, Image>;
  struct counters {
    alignas(16) simt::shared_array<std::uint32_t, most_values> words;

    /// Keys of this lane's four ranks of a chunk.
    SORTILE_DEVICE void load(std::uint32_t chunk, std::uint32_t (&keys)[bucket_ranks::each]) const {
      const auto four = simt::load_vector<bucket_ranks::each>(
          words, chunk * bucket_ranks::chunk + simt::lane_index() * unsigned(bucket_ranks::each));
      SORTILE_UNROLL
      for (int j = 0; j < bucket_ranks::each; ++j)
        keys[j] = four[j];
    }
  };
  struct shared {
    counters counts;
    typename filler::shared filling;
  };

  skewed_arrays<Image> at;
  std::uint32_t n;

  SORTILE_DEVICE void operator()(shared& s) const {
    const key_window<Word> w = at.window.load(0);
    if (course_of<Word>(at.deferred.findings, w, at.bins()) != key_course::buckets ||
        at.values_a_bucket(w) > most_values)
      return;
    filler::clear(s.filling);
    const auto many = std::uint32_t(at.deferred.findings.load(finding_deferred));
    for (std::uint32_t q = simt::block_index(); q < many; q += simt::grid_size()) {
      const std::uint32_t bucket = at.deferred.buckets.load(q);
      if (bucket == bucket_list::done || at.is_tail(bucket))
        continue;
      sort(s, bucket);
      if (simt::thread_index() == 0)
        at.deferred.buckets[q] = bucket_list::done;
    }
  }

 private:
  SORTILE_DEVICE void sort(shared& s, std::uint32_t bucket) const {
    const std::uint32_t begin = at.start.load(bucket), end = at.start.load(bucket + 1);
    const bucket_values<Image> values = at.values(bucket);
    simt::block_barrier(); // the counters of the bucket before have been read
    for (std::uint32_t i = vector * simt::thread_index(); i < values.chunks() * bucket_ranks::chunk;
         i += vector * block_threads)
      simt::store_vector<vector>(s.counts.words, i, simt::vec<std::uint32_t, vector>{});
    simt::block_barrier();
    count(s, begin, end, values);
    simt::block_barrier();
    const filler fill{at.out, values};
    fill.find_starts(s.filling, s.counts);
    fill.write(s.filling, s.counts, begin, 0, end - begin);
  }
  /// By whole warps, whole vectors together.
  SORTILE_DEVICE void count(shared& s, std::uint32_t begin, std::uint32_t end,
                            const bucket_values<Image>& values) const {
    constexpr std::uint32_t row = vector * block_threads;
    const std::uint32_t first = begin / vector * vector;
    const auto add = [&](std::uint32_t rank, std::uint32_t keys) {
      s.counts.words.fetch_add(rank, keys, simt::relaxed, simt::block_scope);
    };
    for (std::uint32_t p = first + vector * simt::thread_index(); simt::warp_any(p < end); p += in_flight * row) {
      simt::vec<Word, vector> x[in_flight];
      SORTILE_UNROLL
      for (int j = 0; j < in_flight; ++j)
        if (p + unsigned(j) * row < end)
          x[j] = load_up_to<vector>(at.in, p + unsigned(j) * row, n);
      SORTILE_UNROLL
      for (int j = 0; j < in_flight; ++j) {
        const std::uint32_t q = p + unsigned(j) * row;
        if (simt::warp_all(q >= begin && q + vector <= end)) {
          std::uint32_t ranks[vector];
          SORTILE_UNROLL
          for (int e = 0; e < vector; ++e)
            ranks[e] = values.rank(x[j][e]);
          count_row(ranks, add);
        } else {
          SORTILE_UNROLL
          for (int e = 0; e < vector; ++e)
            if (q + unsigned(e) >= begin && q + unsigned(e) < end)
              add(values.rank(x[j][e]), 1u);
        }
      }
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
