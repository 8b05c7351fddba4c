// Exercise: the splitters of sample sort. See splitters.md.
#include "classics/sample_division.hpp"

namespace sortile::classics {
namespace {

/// One block: a sample of the part, sorted, and the splitters that are taken from it.
template <class Word, bool Pairs>
struct my_splitters {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<record<Word, false>, most_ways * most_oversampling> tile;
  };
  records<Word, Pairs> in;
  part p;
  key_codec<Word> codec;
  unsigned ways, oversampling; // buckets between splitters, sampled keys for each
  simt::global<Word> chosen;   // [ways - 1]: the splitters, in order

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned size = ways * oversampling;
    for (unsigned i = simt::thread_index(); i < size; i += block_threads) // one key of each of `size` equal stretches
      s.tile.store(i, {codec.image(in.keys.load(p.first + std::uint64_t{i} * p.count / size))});
    sort_in_tile(s, size, key_codec<Word>{.mask = static_cast<Word>(~Word{0})});
    // Your turn: s.tile holds the sorted sample. Which of its `size` keys are the ways - 1 splitters? These are the
    // first.
    for (unsigned i = simt::thread_index(); i + 1 < ways; i += block_threads)
      chosen[i] = s.tile.load(i).key;
  }
};

template <class Word, bool Pairs>
class divider_by_samples {
 public:
  divider_by_samples(job& j, const divided_array<Word, Pairs>& array, const key_codec<Word>& codec)
      : j_(j), array_(array), codec_(codec), ways_(j.parameter("ways")), chosen_(j.on, ways_ - 1),
        begins_(j.on, buckets_of(ways_)), table_(j.on, std::uint64_t{buckets_of(ways_)} * blocks_for(j.asked.n, tile)),
        scan_(j.on, table_.size()) {}

  void operator()(const part& p, std::vector<part>& stack) const {
    const auto &in = array_.holder(p), &out = array_.other(p);
    const simt::queue q = j_.on.queue();
    const unsigned tiles = blocks_for(p.count, tile), buckets = buckets_of(ways_);
    simt::launch(q, {}, my_splitters<Word, Pairs>{in, p, codec_, ways_, 8, view(chosen_)});
    simt::launch(q, {.grid = tiles},
                 count_buckets<Word, Pairs>{in, p, codec_, ways_, tile, view(chosen_), view(table_), {}});
    scan_(view(table_), view(table_), std::uint64_t{buckets} * tiles);
    simt::launch(
        q, {.grid = tiles},
        move_to_buckets<Word, Pairs>{in, out, p, codec_, ways_, tile, view(chosen_), view(table_), view(begins_)});
    std::vector<std::uint32_t> begins = begins_.to_host();
    begins.push_back(p.count);
    for (unsigned b = 0; b < buckets; ++b) {
      const std::uint32_t first = p.first + begins[b], count = begins[b + 1] - begins[b];
      if (b % 2 == 1)
        array_.settle(p, first, count, q);
      else if (count != 0)
        stack.push_back({first, count, p.depth + 1, p.in_spare ^ 1});
    }
  }

 private:
  static constexpr unsigned tile = 2048;
  job& j_;
  const divided_array<Word, Pairs>& array_;
  key_codec<Word> codec_;
  unsigned ways_;
  device_array<Word> chosen_;
  device_array<std::uint32_t> begins_, table_;
  single_pass_scan scan_;
};

template <class Word, bool Pairs>
void sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  divided_array<Word, Pairs> array(j, data, spare, codec, j.parameter("small"), most_divisions);
  array.run(divider_by_samples<Word, Pairs>(j, array, codec));
}

} // namespace

SORTILE_CLASSICS_OF(exercise) {
  return {{.name = "splitters",
           .family = "exercise",
           .tile = 2048,
           .parameters = {{"ways", 2, 16, most_ways, "buckets, one more than splitters", true},
                          {"small", 4, 16, 1024, "keys that one block sorts"}},
           .run = [](job& j) { with_records(j, [&](auto&... a) { sort(j, a...); }); }}};
}

} // namespace sortile::classics
