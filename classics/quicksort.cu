// Quicksort, driven by the host: a part is divided about a pivot by the whole grid, the two sides are divided again.
//
// Idea. Choose a pivot. Move what is less to the left, what is greater to the right, what is equal between them; the
// middle is in its place for good. Go on with both sides. Keys that are equal to the pivot leave the recursion, so many
// equal keys make it shorter, not longer.
//
//   pivot 4    4 7 1 4 9 2          counts: 2 less, 2 equal, 2 greater
//   places     less from 0, equal from 2, greater from 4
//   moved      1 2 | 4 4 | 7 9
//
// In sequence, two indices run towards each other. In parallel every key needs its place at once. Two ways:
//   quicksort-atomic    counters of places taken, one for each of the three regions; a warp takes as many places as it
//                       has keys by one fetch-and-add. Places come in whatever order warps arrive
//   quicksort-packing   flags of the keys that are less, and of those that are equal; a prefix sum of each gives every
//                       key its place. Order within the regions is kept, three reads of the part more
//
//   host: a stack of parts     ┌▶ more than 1024 keys: pivot, count, move; two parts more
//                              ├▶ fewer: kept for one launch at the end, a block each, the bitonic network
//                              └▶ too deep: the bitonic network in global memory, and the steps say so
//
// A part that is reached by more than 2 log2(n / small) + 4 divisions has had bad pivots. It falls over to the bitonic
// sort, which takes n log² n in any case: so no input costs n². Pivots: quicksort.hpp, parameter `pivot`.
//
// Source: Hoare, "Quicksort", 1962; Blelloch 1990 (packing); Cederman & Tsigas, "GPU-Quicksort", 2009; Musser 1997 (the
// bound on depth); Bentley & McIlroy 1993 (three ways).
//
// Cost: about 1.4 log2(n / 1024) levels with random pivots, 1.2 with medians of three. A division reads the part's keys
// twice and writes records once (packing: 2 flags and 2 sums of 4 bytes a key more), and reads three counts back: the
// host waits for each. Shared memory: 1024 records and 1 KiB. Parts are divided one after the other on one queue, so
// small parts leave a large GPU idle: the end at 1024 keys, and quicksort-launching, where kernels start the divisions.
//
// What it teaches: partitioning is the same problem as radix sort's split, with the pivot in place of a bit; contention
// against scans; and that a recursion whose shape depends on the data costs a round trip a node if the host drives it.
// Limits: the round trips; no fixed cost; unstable (the bitonic end, and atomics).
#include "classics/parts.hpp"
#include "classics/scan.hpp"

namespace sortile::classics {
namespace {

enum region : unsigned { less, equal, greater, regions };

template <class Word>
SORTILE_DEVICE unsigned region_of(Word image, Word pivot) {
  return image < pivot ? less : image == pivot ? equal : greater;
}

template <class Word, bool Pairs>
struct pick_pivot {
  static constexpr unsigned block_threads = 256;
  using shared = quicksort_storage<Word, Pairs>;
  records<Word, Pairs> in;
  part p;
  key_codec<Word> codec;
  pivot_rule rule;
  simt::global<Word> pivot;           // [1]
  simt::global<std::uint32_t> counts; // [2 regions]: sizes, places taken; set to 0

  SORTILE_DEVICE void operator()(shared& s) const {
    choose_pivot(s, in, p.first, p.count, codec, rule);
    simt::block_barrier();
    if (simt::thread_index() == 0)
      pivot[0] = s.pivot.load(0);
    if (simt::thread_index() < 2 * regions)
      counts[simt::thread_index()] = 0u;
  }
};

/// Sizes of the regions; for packing also a flag a key for `less` and `equal`.
template <class Word, bool Pairs>
struct count_regions {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> in;
  part p;
  key_codec<Word> codec;
  simt::global<const Word> pivot;
  simt::global<std::uint32_t> counts;
  simt::global<std::uint32_t> is_less, is_equal; // empty unless packing

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    unsigned mine = regions;
    if (i < p.count)
      mine = region_of(codec.image(in.keys.load(p.first + i)), pivot.load(0));
    for (unsigned r = 0; r < regions; ++r) {
      const unsigned votes = simt::ballot(mine == r);
      if (votes != 0 && simt::lane_index() == 0)
        counts.fetch_add(r, static_cast<std::uint32_t>(simt::popcount(votes)));
    }
    if (i < p.count && is_less.data() != nullptr) {
      is_less[i] = mine == less ? 1u : 0u;
      is_equal[i] = mine == equal ? 1u : 0u;
    }
  }
};

/// Where the middle belongs once and for all is `data`; the sides go to `out`.
template <class Word, bool Pairs>
struct move_by_fetch_and_add {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> in, out;
  part p;
  key_codec<Word> codec;
  simt::global<const Word> pivot;
  simt::global<std::uint32_t> counts;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    unsigned mine = regions;
    record<Word, Pairs> moved{};
    if (i < p.count) {
      moved = in.load(p.first + i);
      mine = region_of(codec.image(moved.key), pivot.load(0));
    }
    std::uint64_t begin = p.first;
    for (unsigned r = 0; r < regions; ++r) {
      const unsigned votes = simt::ballot(mine == r);
      std::uint32_t taken = 0;
      if (votes != 0 && simt::lane_index() == 0)
        taken = counts.fetch_add(regions + r, static_cast<std::uint32_t>(simt::popcount(votes)));
      taken = simt::shuffle(taken, 0);
      if (mine == r)
        out.store(begin + taken + static_cast<unsigned>(simt::popcount(votes & simt::lanes_below())), moved);
      begin += counts.load(r);
    }
  }
};

template <class Word, bool Pairs>
struct move_by_packing {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> in, out;
  part p;
  key_codec<Word> codec;
  simt::global<const Word> pivot;
  simt::global<const std::uint32_t> counts, less_before, equal_before;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= p.count)
      return;
    const record<Word, Pairs> moved = in.load(p.first + i);
    const std::uint32_t before_less = less_before.load(i), before_equal = equal_before.load(i);
    const std::uint64_t in_middle = p.first + counts.load(less), on_right = in_middle + counts.load(equal);
    const unsigned mine = region_of(codec.image(moved.key), pivot.load(0));
    out.store(mine == less    ? p.first + before_less
              : mine == equal ? in_middle + before_equal
                              : on_right + (i - before_less - before_equal),
              moved);
  }
};

template <class Word, bool Pairs>
class divider {
 public:
  divider(job& j, const divided_array<Word, Pairs>& array, const key_codec<Word>& codec, bool packing)
      : j_(j), array_(array), codec_(codec), packing_(packing), pivot_(j.on, 1), counts_(j.on, 2 * regions),
        less_(j.on, packing ? j.asked.n : 0), equal_(j.on, packing ? j.asked.n : 0), scan_(j.on, less_.size()) {}

  void operator()(const part& p, std::vector<part>& stack) const {
    move(p);
    const std::vector<std::uint32_t> counts = counts_.to_host();
    array_.settle(p, p.first + counts[less], counts[equal]);
    j_.show("less, equal, greater", {counts[less], counts[equal], counts[greater]});
    if (counts[less] != 0)
      stack.push_back({p.first, counts[less], p.depth + 1, p.in_spare ^ 1});
    if (counts[greater] != 0)
      stack.push_back({p.first + p.count - counts[greater], counts[greater], p.depth + 1, p.in_spare ^ 1});
  }

 private:
  void move(const part& p) const {
    const simt::queue q = j_.on.queue();
    const auto &in = array_.holder(p), &out = array_.other(p);
    const simt::launch_config all{.grid = blocks_for(p.count, 256)};
    simt::launch(
        q, {}, pick_pivot<Word, Pairs>{in, p, codec_, pivot_rule(j_.parameter("pivot")), view(pivot_), view(counts_)});
    simt::launch(q, all,
                 count_regions<Word, Pairs>{in, p, codec_, view(pivot_), view(counts_), view(less_), view(equal_)});
    if (packing_) {
      scan_(view(less_), view(less_), p.count);
      scan_(view(equal_), view(equal_), p.count);
      simt::launch(
          q, all,
          move_by_packing<Word, Pairs>{in, out, p, codec_, view(pivot_), view(counts_), view(less_), view(equal_)});
    } else {
      simt::launch(q, all, move_by_fetch_and_add<Word, Pairs>{in, out, p, codec_, view(pivot_), view(counts_)});
    }
  }

  job& j_;
  const divided_array<Word, Pairs>& array_;
  key_codec<Word> codec_;
  bool packing_;
  device_array<Word> pivot_;
  device_array<std::uint32_t> counts_, less_, equal_;
  single_pass_scan scan_;
};

template <class Word, bool Pairs>
void quicksort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec,
               bool packing) {
  if (j.asked.n == 0)
    return;
  const unsigned small = j.parameter("small");
  const auto deepest = 2 * static_cast<unsigned>(std::bit_width(j.asked.n / small)) + 4;
  const divided_array<Word, Pairs> array(j, data, spare, codec);
  array.run(small, deepest, divider<Word, Pairs>(j, array, codec, packing));
  j.show("sorted", untyped(data), j.asked.n);
}

classic host_driven(std::string_view name, std::string_view summary, run_function run) {
  return {.name = name,
          .family = "quicksort",
          .summary = summary,
          .work = "n log n expected, n log^2 n at worst",
          .depth = "log^2 n expected",
          .source = "Hoare 1962; Blelloch 1990; Cederman & Tsigas 2009",
          .steps_show = "sizes of the three regions at each division, the result",
          .parameters = {{"pivot", 0, 2, 3, "first, random, median of three, by histogram"},
                         {"small", 8, 1024, 1024, "keys that one block sorts"}},
          .run = run};
}

} // namespace

SORTILE_CLASSICS_OF(quicksort) {
  return {host_driven("quicksort-atomic", "divided by fetch-and-add about a pivot, sides driven by the host",
                      [](job& j) { with_records(j, [&](auto&... a) { quicksort(j, a..., false); }); }),
          host_driven("quicksort-packing", "divided by prefix sums about a pivot, sides driven by the host",
                      [](job& j) { with_records(j, [&](auto&... a) { quicksort(j, a..., true); }); })};
}

} // namespace sortile::classics
