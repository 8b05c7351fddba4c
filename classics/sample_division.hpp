// One division of sample sort, as a part: splitters from a sorted sample, sizes of the buckets, moves. sample_sort.cu
// tells its story.
#pragma once

#include "classics/parts.hpp"
#include "classics/scan.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

inline constexpr unsigned splitters = 63, buckets = 2 * splitters + 1, most_oversampling = 16, most_divisions = 8;

/// One block: a sample of the part, sorted; every s-th key of it is a splitter.
template <class Word, bool Pairs>
struct choose_splitters {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<record<Word, false>, (splitters + 1) * most_oversampling> tile;
  };
  records<Word, Pairs> in;
  part p;
  key_codec<Word> codec;
  unsigned oversampling;
  simt::global<Word> chosen; // [splitters]

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned size = (splitters + 1) * oversampling;
    for (unsigned i = simt::thread_index(); i < size; i += block_threads) {
      // One key of each of `size` equal stretches, at a place that a hash chooses.
      const std::uint64_t begin = std::uint64_t{i} * p.count / size, end = (std::uint64_t{i} + 1) * p.count / size;
      const std::uint64_t hash = (p.first + i + 1) * 0x9e3779b97f4a7c15u >> 32;
      const std::uint64_t place = end > begin ? begin + hash % (end - begin) : begin;
      s.tile.store(i, {codec.image(in.keys.load(p.first + place))});
    }
    sort_in_tile(s, size, key_codec<Word>{.mask = static_cast<Word>(~Word{0})});
    for (unsigned i = simt::thread_index(); i < splitters; i += block_threads)
      chosen[i] = s.tile.load((i + 1) * oversampling - 1).key;
  }
};

/// Splitters in shared memory, and the bucket of an image.
template <class Word>
struct bucket_finder {
  simt::shared_array<Word, splitters> splitter;
  simt::shared_array<std::uint32_t, buckets> of_bucket; // keys, or the next place

  SORTILE_DEVICE void load(simt::global<const Word> chosen) {
    for (unsigned i = simt::thread_index(); i < splitters; i += simt::block_size())
      splitter[i] = chosen.load(i);
  }
  SORTILE_DEVICE unsigned bucket(Word image) const {
    unsigned below = 0; // splitters that are less
    for (unsigned step = (splitters + 1) / 2; step > 0; step /= 2)
      if (splitter.load(below + step - 1) < image)
        below += step;
    return 2 * below + (below < splitters && splitter.load(below) == image ? 1 : 0);
  }
};

template <class Word, bool Pairs>
struct count_buckets {
  static constexpr unsigned block_threads = 256, tile_elements = 2048;
  using shared = bucket_finder<Word>;
  records<Word, Pairs> in;
  part p;
  key_codec<Word> codec;
  simt::global<const Word> chosen;
  simt::global<std::uint32_t> table; // [buckets][tiles]

  SORTILE_DEVICE void operator()(shared& s) const {
    s.load(chosen);
    for (unsigned b = simt::thread_index(); b < buckets; b += block_threads)
      s.of_bucket[b] = 0u;
    simt::block_barrier();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile_elements;
    for (std::uint64_t i = first + simt::thread_index(); i < first + tile_elements && i < p.count; i += block_threads)
      s.of_bucket.fetch_add(s.bucket(codec.image(in.keys.load(p.first + i))), 1u);
    simt::block_barrier();
    for (unsigned b = simt::thread_index(); b < buckets; b += block_threads)
      table[std::uint64_t{b} * simt::grid_size() + simt::block_index()] = s.of_bucket.load(b);
  }
};

template <class Word, bool Pairs>
struct move_to_buckets {
  static constexpr unsigned block_threads = 256, tile_elements = count_buckets<Word, Pairs>::tile_elements;
  using shared = bucket_finder<Word>;
  records<Word, Pairs> in, out;
  part p;
  key_codec<Word> codec;
  simt::global<const Word> chosen;
  simt::global<const std::uint32_t> table; // scanned
  simt::global<std::uint32_t> begins;      // [buckets], for the host

  SORTILE_DEVICE void operator()(shared& s) const {
    s.load(chosen);
    for (unsigned b = simt::thread_index(); b < buckets; b += block_threads) {
      const std::uint32_t begin = table.load(std::uint64_t{b} * simt::grid_size() + simt::block_index());
      s.of_bucket[b] = begin;
      if (simt::block_index() == 0)
        begins[b] = begin;
    }
    simt::block_barrier();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile_elements;
    for (std::uint64_t i = first + simt::thread_index(); i < first + tile_elements && i < p.count; i += block_threads) {
      const record<Word, Pairs> moved = in.load(p.first + i);
      out.store(p.first + s.of_bucket.fetch_add(s.bucket(codec.image(moved.key)), 1u), moved);
    }
  }
};

/// Divides parts, for divided_array::run; falls back after `most_divisions`.
template <class Word, bool Pairs>
class distributor {
 public:
  distributor(job& j, const divided_array<Word, Pairs>& array, const key_codec<Word>& codec, unsigned oversampling)
      : j_(j), array_(array), codec_(codec), oversampling_(oversampling), chosen_(j.on, splitters),
        begins_(j.on, buckets), table_(j.on, std::uint64_t{buckets} * blocks_for(j.asked.n, tile)),
        scan_(j.on, table_.size()) {}

  void operator()(const part& p, std::vector<part>& stack) const {
    move(p);
    std::vector<std::uint32_t> begins = begins_.to_host();
    j_.show("splitters, as images", chosen_);
    array_.show(array_.name(p) + " in their buckets", {p.first, p.count, p.depth + 1, p.in_spare ^ 1});
    begins.push_back(p.count);
    for (unsigned b = 0; b < buckets; ++b) {
      const std::uint32_t first = p.first + begins[b], count = begins[b + 1] - begins[b];
      if (b % 2 == 1)
        array_.settle(p, first, count, j_.on.queue());
      else if (count != 0)
        stack.push_back({first, count, p.depth + 1, p.in_spare ^ 1});
    }
  }

 private:
  static constexpr unsigned tile = count_buckets<Word, Pairs>::tile_elements;

  void move(const part& p) const {
    const simt::queue q = j_.on.queue();
    const auto &in = array_.holder(p), &out = array_.other(p);
    const unsigned tiles = blocks_for(p.count, tile);
    simt::launch(q, {}, choose_splitters<Word, Pairs>{in, p, codec_, oversampling_, view(chosen_)});
    simt::launch(q, {.grid = tiles}, count_buckets<Word, Pairs>{in, p, codec_, view(chosen_), view(table_)});
    scan_(view(table_), view(table_), std::uint64_t{buckets} * tiles);
    simt::launch(q, {.grid = tiles},
                 move_to_buckets<Word, Pairs>{in, out, p, codec_, view(chosen_), view(table_), view(begins_)});
  }

  job& j_;
  const divided_array<Word, Pairs>& array_;
  key_codec<Word> codec_;
  unsigned oversampling_;
  device_array<Word> chosen_;
  device_array<std::uint32_t> begins_, table_;
  single_pass_scan scan_;
};

} // namespace sortile::classics::inline SORTILE_BACKEND
