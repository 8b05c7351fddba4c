// The pivot of the filter: a key whose rank is a little above k, by a sample.
//
// How few candidates there are depends on how large the sample is: with m of n keys sampled, the pivot comes about
// (6 + 5 √p) · n / m keys behind the k-th, p = k · m / n (sample_ranks.hpp). Many keys are quickly read, by all
// multiprocessors, but only one block can search them. Where p is small, nearly all of them are in vain: what decides
// is the smallest ones. So they are put into groups, and of each group the smallest key is kept.
//
//   sample    5 3 9   1 8 4   7 6 2   8 9 5       groups of 3
//   smallest  3       1       2       5           that of rank 2 among these is 3, and so it is among all keys
//
// The key of rank r among the smallest is never below that of rank r in the sample, so at least k keys lie up to the
// pivot, with the same probability as ever. And as long as r is a small part of the groups, it is hardly above it: two
// of the first r keys are seldom in one group (rank_of_smallest). The host chooses the sample that leaves the fewest
// candidates: with k large, every key is a group by itself.
//
// A group's keys come from all over the array (sample_groups.hpp).
//
//   sample    a thread a key, the least of a group by shuffles; it also clears what the filter counts in
//   pivot     one block: the rank searched, digit by digit (rank_search.hpp)
//
// Cost, H100, of each launch by itself: 2^15 keys 5 µs, 2^17 7, 2^18 12, since memory gives 64 bytes for a key; the
// search of 1024 smallest 5 µs, of 4096 6, of 8192 7.
#pragma once

#include "kernels/select/filter.hpp"
#include "kernels/select/rank_search.hpp"
#include "kernels/select/sample_groups.hpp"
#include "primitives/key_codec.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct sample_smallest_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  simt::global<const Word> keys;
  simt::global<Word> smallest; // [groups] images
  simt::global<std::uint64_t> cleared;
  std::uint64_t n, cleared_words;
  std::uint32_t groups, each; // a power of two, at most 32
  key_codec<Word> codec;

  SORTILE_DEVICE void operator()() const {
    const std::uint32_t thread = simt::block_index() * block_threads + simt::thread_index();
    const sample_groups sampled{groups, each};
    const bool has_key = thread < sampled.keys();
    Word least = has_key ? codec.image(keys.load(sampled.place(thread / each, thread % each, n))) : Word(~Word{0});
    for (unsigned apart = 1; apart < each; apart *= 2) {
      const Word other = simt::shuffle_xor(least, apart);
      least = other < least ? other : least;
    }
    if (has_key && thread % each == 0)
      smallest[thread / each] = least;
    const std::uint32_t threads = simt::grid_size() * block_threads;
    for (std::uint64_t i = thread; i < cleared_words; i += threads)
      cleared[i] = 0;
  }
};

template <class Word>
struct choose_pivot_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024;
  static constexpr std::uint32_t most_groups = detail::filter_shape::most_groups(sizeof(Word));

  struct shared {
    alignas(16) simt::shared_array<Word, most_groups> smallest;
    rank_search_storage<> search;
  };

  simt::global<const Word> smallest;
  simt::global<Word> pivot;
  std::uint32_t groups, rank;
  unsigned bits; // of an image

  SORTILE_DEVICE void operator()(shared& s) const {
    for (std::uint32_t i = simt::thread_index(); i < groups; i += block_threads)
      s.smallest[i] = smallest.load(i);
    simt::block_barrier();
    const auto found = rank_search<block_threads, Word>(s.search, groups, rank, bits,
                                                        [&](std::uint32_t i) { return s.smallest.load(i); });
    if (simt::thread_index() == 0)
      pivot[0] = found.image;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
