// One division of sample sort, as a part: splitters from a sorted sample, sizes of the buckets, moves. sample_sort.cu
// tells its story.
#pragma once

#include "classics/parts.hpp"
#include "classics/scan.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

inline constexpr unsigned most_ways = 64, most_oversampling = 16, most_divisions = 8;

/// Buckets between `ways` - 1 splitters, and one for the keys equal to each.
SORTILE_HOST_DEVICE constexpr unsigned buckets_of(unsigned ways) {
  return 2 * ways - 1;
}

/// Shared memory for a sorted sample.
template <class Word>
struct sample_storage {
  simt::shared_array<record<Word, false>, most_ways * most_oversampling> tile;
};

/// A sample of a part in s.tile, sorted: one key of each of ways * oversampling equal stretches, at a place that a hash
/// chooses. Every s-th key of it is a splitter; the last of them is none. By a whole block.
template <class Word, bool Pairs>
SORTILE_DEVICE void choose_splitters_of(sample_storage<Word>& s, const records<Word, Pairs>& in, const part& p,
                                        const key_codec<Word>& codec, unsigned ways, unsigned oversampling,
                                        simt::global<Word> chosen, std::uint64_t at = 0) {
  const unsigned size = ways * oversampling;
  for (unsigned i = simt::thread_index(); i < size; i += simt::block_size()) {
    const std::uint64_t begin = std::uint64_t{i} * p.count / size, end = (std::uint64_t{i} + 1) * p.count / size;
    const std::uint64_t hash = (p.first + i + 1) * 0x9e3779b97f4a7c15u >> 32;
    const std::uint64_t place = end > begin ? begin + hash % (end - begin) : begin;
    s.tile.store(i, {codec.image(in.keys.load(p.first + place))});
  }
  sort_in_tile(s, size, key_codec<Word>{.mask = static_cast<Word>(~Word{0})});
  for (unsigned i = simt::thread_index(); i + 1 < ways; i += simt::block_size())
    chosen[at + i] = s.tile.load((i + 1) * oversampling - 1).key;
}

/// One block: the splitters of a part.
template <class Word, bool Pairs>
struct choose_splitters {
  static constexpr unsigned block_threads = 256;
  using shared = sample_storage<Word>;
  records<Word, Pairs> in;
  part p;
  key_codec<Word> codec;
  unsigned ways, oversampling;
  simt::global<Word> chosen; // [ways - 1]
  simt::global<Word> told;   // [ways * oversampling]: the sorted sample; or empty

  SORTILE_DEVICE void operator()(shared& s) const {
    choose_splitters_of(s, in, p, codec, ways, oversampling, chosen);
    for (unsigned i = simt::thread_index(); i < ways * oversampling && told.data() != nullptr; i += block_threads)
      told[i] = s.tile.load(i).key;
  }
};

/// Splitters in shared memory, and the bucket of an image.
template <class Word>
struct splitter_search {
  simt::shared_array<Word, most_ways - 1> splitter;

  /// Of an array, from place `at` on. Followed by a barrier before they are searched.
  SORTILE_DEVICE void load(simt::global<const Word> chosen, unsigned ways, std::uint64_t at = 0) {
    for (unsigned i = simt::thread_index(); i + 1 < ways; i += simt::block_size())
      splitter[i] = chosen.load(at + i);
  }
  /// `ways`: a power of two.
  SORTILE_DEVICE unsigned bucket(Word image, unsigned ways) const {
    unsigned below = 0; // splitters that are less
    for (unsigned step = ways / 2; step > 0; step /= 2)
      if (splitter.load(below + step - 1) < image)
        below += step;
    return 2 * below + (below + 1 < ways && splitter.load(below) == image ? 1 : 0);
  }
};

/// The same with a number for each bucket.
template <class Word>
struct bucket_finder : splitter_search<Word> {
  simt::shared_array<std::uint32_t, buckets_of(most_ways)> of_bucket; // keys, or the next place
};

template <class Word, bool Pairs>
struct count_buckets {
  static constexpr unsigned block_threads = 256, most_elements = 2048;
  using shared = bucket_finder<Word>;
  records<Word, Pairs> in;
  part p;
  key_codec<Word> codec;
  unsigned ways, tile;
  simt::global<const Word> chosen;
  simt::global<std::uint32_t> table; // [buckets][tiles]
  simt::global<std::uint32_t> told;  // [p.count]: each key's bucket; or empty

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned threads = simt::block_size(), buckets = buckets_of(ways);
    s.load(chosen, ways);
    for (unsigned b = simt::thread_index(); b < buckets; b += threads)
      s.of_bucket[b] = 0u;
    simt::block_barrier();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    for (std::uint64_t i = first + simt::thread_index(); i < first + tile && i < p.count; i += threads) {
      const unsigned b = s.bucket(codec.image(in.keys.load(p.first + i)), ways);
      s.of_bucket.fetch_add(b, 1u);
      if (told.data() != nullptr)
        told[i] = b;
    }
    simt::block_barrier();
    for (unsigned b = simt::thread_index(); b < buckets; b += threads)
      table[std::uint64_t{b} * simt::grid_size() + simt::block_index()] = s.of_bucket.load(b);
  }
};

template <class Word, bool Pairs>
struct move_to_buckets {
  static constexpr unsigned block_threads = 256;
  using shared = bucket_finder<Word>;
  records<Word, Pairs> in, out;
  part p;
  key_codec<Word> codec;
  unsigned ways, tile;
  simt::global<const Word> chosen;
  simt::global<const std::uint32_t> table; // scanned
  simt::global<std::uint32_t> begins;      // [buckets], for the host

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned threads = simt::block_size();
    s.load(chosen, ways);
    for (unsigned b = simt::thread_index(); b < buckets_of(ways); b += threads) {
      const std::uint32_t begin = table.load(std::uint64_t{b} * simt::grid_size() + simt::block_index());
      s.of_bucket[b] = begin;
      if (simt::block_index() == 0)
        begins[b] = begin;
    }
    simt::block_barrier();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    for (std::uint64_t i = first + simt::thread_index(); i < first + tile && i < p.count; i += threads) {
      const record<Word, Pairs> moved = in.load(p.first + i);
      out.store(p.first + s.of_bucket.fetch_add(s.bucket(codec.image(moved.key), ways), 1u), moved);
    }
  }
};

/// How a distributor divides: into how many buckets between splitters (a power of two), with how many sampled keys
/// each, how many keys a block takes.
struct division {
  unsigned ways = most_ways, oversampling = 8, tile = 2048;
};

/// Divides parts, for divided_array::run; falls back after `most_divisions`.
template <class Word, bool Pairs>
class distributor {
 public:
  distributor(job& j, const divided_array<Word, Pairs>& array, const key_codec<Word>& codec, const division& how)
      : j_(j), array_(array), codec_(codec), how_(how), chosen_(j.on, how.ways - 1), begins_(j.on, buckets()),
        table_(j.on, std::uint64_t{buckets()} * blocks_for(j.asked.n, how.tile)), scan_(j.on, table_.size()) {}

  void operator()(const part& p, std::vector<part>& stack) const {
    {
      telling t = j_.tell(array_.name(p) + " by " + std::to_string(how_.ways - 1) + " splitters");
      move(p, t);
    }
    std::vector<std::uint32_t> begins = begins_.to_host();
    begins.push_back(p.count);
    for (unsigned b = 0; b < buckets(); ++b) {
      const std::uint32_t first = p.first + begins[b], count = begins[b + 1] - begins[b];
      if (b % 2 == 1)
        array_.settle(p, first, count, j_.on.queue());
      else if (count != 0)
        stack.push_back({first, count, p.depth + 1, p.in_spare ^ 1});
    }
  }

 private:
  unsigned buckets() const { return buckets_of(how_.ways); }

  void move(const part& p, telling& t) const {
    const simt::queue q = j_.on.queue();
    const auto &in = array_.holder(p), &out = array_.other(p);
    const unsigned tiles = blocks_for(p.count, how_.tile), ways = how_.ways;
    const simt::launch_config config{.grid = tiles, .block = std::min(how_.tile, 256u)};
    const device_array<Word> sample(j_.on, t.is_read() ? ways * how_.oversampling : 0);
    const device_array<std::uint32_t> of_keys(j_.on, t.is_read() ? p.count : 0);
    simt::launch(q, {},
                 choose_splitters<Word, Pairs>{in, p, codec_, ways, how_.oversampling, view(chosen_), view(sample)});
    if (t.is_read()) {
      const std::vector<Word> among = fetch(j_.on, piece_of(in, p.first, p.count).keys, p.count);
      t.words("sample", keys_of_images(j_, codec_, sample.to_host(), among))
          .words("splitters", keys_of_images(j_, codec_, chosen_.to_host(), among));
    }
    t.keys("keys", untyped(piece_of(in, p.first, p.count)), p.count, how_.tile);
    simt::launch(
        q, config,
        count_buckets<Word, Pairs>{in, p, codec_, ways, how_.tile, view(chosen_), view(table_), view(of_keys)});
    t.numbers("buckets", of_keys, how_.tile);
    tell_table(t, "sizes of buckets", tiles);
    scan_(view(table_), view(table_), std::uint64_t{buckets()} * tiles);
    tell_table(t, "where they begin", tiles);
    simt::launch(
        q, config,
        move_to_buckets<Word, Pairs>{in, out, p, codec_, ways, how_.tile, view(chosen_), view(table_), view(begins_)});
    if (t.is_read()) {
      const std::vector<std::uint32_t> begins = begins_.to_host();
      t.moved("moved", untyped(piece_of(out, p.first, p.count)), p.count, 0).bounds({begins.begin(), begins.end()});
    }
  }

  /// Few splitters alone make a table that people read.
  void tell_table(telling& t, const char* what, unsigned tiles) const {
    if (t.is_read() && how_.ways <= 8)
      t.table(what, fetch(j_.on, view(table_), std::uint64_t{buckets()} * tiles), tiles);
  }

  job& j_;
  const divided_array<Word, Pairs>& array_;
  key_codec<Word> codec_;
  division how_;
  device_array<Word> chosen_;
  device_array<std::uint32_t> begins_, table_;
  single_pass_scan scan_;
};

} // namespace sortile::classics::inline SORTILE_BACKEND
