// Exercise: quicksort's partition by prefix sums. See partition.md.
#include "classics/quicksort_division.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
struct move_to_regions {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> in, out;
  part p; // the part that is divided: p.count keys from p.first on
  key_codec<Word> codec;
  simt::global<const Word> pivot;                              // [1]
  simt::global<const std::uint32_t> counts;                    // of keys that are less, equal, greater
  simt::global<const std::uint32_t> less_before, equal_before; // [p.count]: of the keys before key i of the part

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= p.count)
      return;
    const record<Word, Pairs> moved = in.load(p.first + i);
    const unsigned mine = region_of(codec.image(moved.key), pivot.load(0)); // less, equal or greater
    // Your turn: the keys that are less begin at p.first. Where do the others begin, and which place is this key's?
    const std::uint64_t place = p.first + (mine == less ? less_before.load(i) : i);
    out.store(place, moved);
  }
};

template <class Word, bool Pairs>
class partitioner {
 public:
  partitioner(job& j, const divided_array<Word, Pairs>& array, const key_codec<Word>& codec)
      : j_(j), array_(array), codec_(codec), pivot_(j.on, 1), counts_(j.on, 2 * regions), less_(j.on, j.asked.n),
        equal_(j.on, j.asked.n), scan_(j.on, j.asked.n) {}

  void operator()(const part& p, std::vector<part>& stack) const {
    const auto &in = array_.holder(p), &out = array_.other(p);
    const simt::queue q = j_.on.queue();
    const simt::launch_config all{.grid = blocks_for(p.count, 256)};
    simt::launch(q, {},
                 pick_pivot<Word, Pairs>{in, p, codec_, pivot_rule::median_of_three, view(pivot_), view(counts_)});
    simt::launch(q, all,
                 count_regions<Word, Pairs>{in, p, codec_, view(pivot_), view(counts_), view(less_), view(equal_)});
    scan_(view(less_), view(less_), p.count);
    scan_(view(equal_), view(equal_), p.count);
    simt::launch(
        q, all,
        move_to_regions<Word, Pairs>{in, out, p, codec_, view(pivot_), view(counts_), view(less_), view(equal_)});
    const std::vector<std::uint32_t> counts = counts_.to_host();
    array_.settle(p, p.first + counts[less], counts[equal], q);
    const part left{p.first, counts[less], p.depth + 1, p.in_spare ^ 1},
        right{p.first + p.count - counts[greater], counts[greater], p.depth + 1, p.in_spare ^ 1};
    for (const part& side : {left, right})
      if (side.count != 0)
        stack.push_back(side);
  }

 private:
  job& j_;
  const divided_array<Word, Pairs>& array_;
  key_codec<Word> codec_;
  device_array<Word> pivot_;
  device_array<std::uint32_t> counts_, less_, equal_;
  single_pass_scan scan_;
};

template <class Word, bool Pairs>
void sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  divided_array<Word, Pairs> array(j, data, spare, codec, 8, deepest_division(j.asked.n, 8));
  array.run(partitioner<Word, Pairs>(j, array, codec));
}

} // namespace

SORTILE_CLASSICS_OF(exercise) {
  return {{.name = "partition", .family = "exercise", .tile = 256, .run = [](job& j) {
             with_records(j, [&](auto&... a) { sort(j, a...); });
           }}};
}

} // namespace sortile::classics
