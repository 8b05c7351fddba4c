// A short input in one launch of one block: scan and local sort of the keys together, without tables between them.
//
//   merge    where a warp holds all keys: it has merged them before the bins are clear
//   load     all keys into registers; which bits differ, and whether the keys are sorted
//   sorted   a copy, or nothing
//   sort     one bit per bin, as local_sort_kernel.hpp does a bucket
//   else     where too many keys share bins: by merging (primitives/block_merge_sort.hpp), whatever the keys
//
// Skewed keys are mostly seen before bins are filled in vain (skewed_bins.hpp).
//
// A launch costs more than the sort of some thousand keys: the launches for longer inputs take 20 to 25 µs, this one
// 10. The block has 1024 threads, since no other block hides its latencies.
#pragma once

#include "kernels/local/local_sort_kernel.hpp"
#include "kernels/local/skewed_bins.hpp"
#include "primitives/block_merge_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// 65,536 bins keep the list of keys that found their bin taken short: n² / 2^17 of n random keys.
template <class Word>
struct one_block_tuning {
  static constexpr unsigned threads = 1024, min_blocks = 1, words = 4096, list_size = 1024, most_unlisted = 0;
  static constexpr int vectors = sizeof(Word) == 4 ? 2 : sizeof(Word) == 8 ? 3 : 4;
  /// Keys a thread that are merged, of few and of many keys.
  static constexpr int few_items = 4, many_items = sizeof(Word) == 4 ? 16 : sizeof(Word) == 8 ? 8 : 4;
  static constexpr std::uint32_t few = 2048;
  /// So many keys a warp merges at once.
  static constexpr std::uint32_t shortest = sizeof(Word) <= 8 ? simt::warp_size * few_items : 0;
};

template <class Word>
struct one_block_sort_kernel {
  using tuning = one_block_tuning<Word>;
  using local = local_sort_kernel<Word, tuning>;
  static constexpr unsigned block_threads = tuning::threads, min_blocks = 1, capacity = local::capacity;
  static constexpr int vector = local::vector, vectors = local::vectors;
  using keys_vector = typename local::keys_vector;
  static_assert(tuning::many_items * block_threads >= capacity && tuning::few <= tuning::few_items * block_threads);
  enum gathered_words { ones, zeros = 4, disorder = 8, gathered_size = 9 };

  struct shared {
    union {
      typename local::shared bins;
      alignas(16) simt::shared_array<Word, primitives::merge_sort_room<Word>(capacity)> elements;
    };
    simt::shared_array<std::uint32_t, gathered_size> gathered; // ones and zeros in words, low first
  };

  simt::global<const Word> in;
  simt::global<Word> out; // may be in
  integer_image<Word> image;
  std::uint32_t n; // up to capacity
  bool copy_if_sorted;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (n <= tuning::shortest)
      return merge(s);
    const local step{in, in, out, {}, {}, {}, image, n, 0, false};
    const typename local::bucket all{0, 0, 0, n};
    if (simt::thread_index() < gathered_size)
      s.gathered[simt::thread_index()] = 0;
    keys_vector keys[local::vectors];
    step.load(all, keys);
    simt::block_barrier();
    gather(s, keys);
    simt::block_barrier();
    if (s.gathered.load(disorder) == 0) {
      if (copy_if_sorted)
        copy(keys);
      return;
    }
    const Word differ = Word(word_at(s, ones) & word_at(s, zeros));
    // All images agree above the highest bit that differs.
    const unsigned rest = bits_of(differ);
    const Word first = Word(rest < 8 * sizeof(Word) ? word_at(s, ones) >> rest << rest : 0);
    const auto bins = step.bins_from(first, rest);
    if (bins_skewed(local::place_of(0) < n, [&] { return bins(keys[0][0]); }) || !step.sort(s.bins, all, keys, bins))
      merge(s);
  }

 private:
  template <class F>
  SORTILE_DEVICE void each_key(const keys_vector (&keys)[local::vectors], F&& f) const {
    SORTILE_UNROLL
    for (int v = 0; v < local::vectors; ++v)
      SORTILE_UNROLL
    for (int e = 0; e < vector; ++e)
      if (local::place_of(v) + unsigned(e) < n)
        f(keys[v][e], local::place_of(v) + unsigned(e));
  }

  SORTILE_DEVICE void gather(shared& s, const keys_vector (&keys)[local::vectors]) const {
    Word any = 0, all = Word(~Word{0});
    bool falls = false;
    each_key(keys, [&](Word key, std::uint32_t at) {
      any |= image.image(key);
      all &= image.image(key);
      falls |= at + 1 < n && image.less(in.load(at + 1), key);
    });
    const Word clear = Word(~all);
    SORTILE_UNROLL
    for (unsigned p = 0; p < sizeof(Word) / 4; ++p) {
      const std::uint32_t o = simt::warp_reduce_or(std::uint32_t(any >> (32 * p)));
      const std::uint32_t z = simt::warp_reduce_or(std::uint32_t(clear >> (32 * p)));
      if (simt::lane_index() == 0) {
        s.gathered.fetch_or(ones + p, o, simt::relaxed, simt::block_scope);
        s.gathered.fetch_or(zeros + p, z, simt::relaxed, simt::block_scope);
      }
    }
    if (simt::warp_any(falls) && simt::lane_index() == 0)
      s.gathered.fetch_or(disorder, 1u, simt::relaxed, simt::block_scope);
  }
  /// The keys are read again, since the number of keys a thread follows n (block_merge_sort.hpp says why).
  SORTILE_DEVICE void merge(shared& s) const {
    if (tuning::few_items == tuning::many_items || n <= tuning::few)
      merge_items<tuning::few_items>(s);
    else
      merge_items<tuning::many_items>(s);
    simt::block_barrier();
    for (std::uint32_t i = simt::thread_index(); i < n; i += block_threads)
      out[i] = image.image(s.elements.load(primitives::merge_sort_place<Word>(i))); // its own inverse
  }
  template <int Items>
  SORTILE_DEVICE void merge_items(shared& s) const {
    primitives::block_merge_sort<Items, Word>::sort_loaded(
        s.elements.view(), n, Word(~Word{0}), [this](std::uint32_t i) { return in.load(i); },
        [this](Word key, std::uint32_t) { return image.image(key); });
  }
  static SORTILE_DEVICE Word word_at(shared& s, unsigned at) {
    Word w{};
    SORTILE_UNROLL
    for (unsigned p = 0; p < sizeof(Word) / 4; ++p)
      w |= Word(s.gathered.load(at + p)) << (32 * p);
    return w;
  }
  SORTILE_DEVICE void copy(const keys_vector (&keys)[local::vectors]) const {
    each_key(keys, [&](Word key, std::uint32_t at) { out[at] = key; });
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
