// One division of quicksort by a whole grid, as a part: pivot, sizes of the three regions, moves. quicksort.cu tells
// its story.
//
//   divider::start(p)     puts the division of a part on a queue, and does not wait
//   divider::finish(p)    waits, settles the middle, and says what the two sides are
#pragma once

#include "classics/parts.hpp"
#include "classics/scan.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

enum region : unsigned { less, equal, greater, regions };

template <class Word>
SORTILE_HOST_DEVICE unsigned region_of(Word image, Word pivot) {
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

/// The same with a fetch-and-add for each key: 32 lanes at the same three counters.
template <class Word, bool Pairs>
struct move_by_increment {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> in, out;
  part p;
  key_codec<Word> codec;
  simt::global<const Word> pivot;
  simt::global<std::uint32_t> counts;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= p.count)
      return;
    const record<Word, Pairs> moved = in.load(p.first + i);
    const unsigned mine = region_of(codec.image(moved.key), pivot.load(0));
    std::uint64_t begin = p.first;
    for (unsigned r = 0; r < mine; ++r)
      begin += counts.load(r);
    out.store(begin + counts.fetch_add(regions + mine, 1u), moved);
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

enum class packing { by_fetch_and_add, by_increment, by_prefix_sums };

/// What one division, and then the next, need of memory; for parts of up to n keys, on one queue (prefix sums: the main
/// one).
template <class Word, bool Pairs>
class divider {
 public:
  divider(job& j, const divided_array<Word, Pairs>& array, const key_codec<Word>& codec, pivot_rule rule, packing how,
          const simt::queue& on)
      : j_(j), array_(array), codec_(codec), rule_(rule), how_(how), on_(on), pivot_(j.on, 1),
        counts_(j.on, 2 * regions), less_(j.on, how == packing::by_prefix_sums ? j.asked.n : 0),
        equal_(j.on, less_.size()), scan_(j.on, less_.size()) {}

  void start(const part& p) const {
    const auto &in = array_.holder(p), &out = array_.other(p);
    const simt::launch_config all{.grid = blocks_for(p.count, 256)};
    simt::launch(on_, {}, pick_pivot<Word, Pairs>{in, p, codec_, rule_, view(pivot_), view(counts_)});
    simt::launch(on_, all,
                 count_regions<Word, Pairs>{in, p, codec_, view(pivot_), view(counts_), view(less_), view(equal_)});
    if (how_ == packing::by_fetch_and_add) {
      simt::launch(on_, all, move_by_fetch_and_add<Word, Pairs>{in, out, p, codec_, view(pivot_), view(counts_)});
      return;
    }
    if (how_ == packing::by_increment) {
      simt::launch(on_, all, move_by_increment<Word, Pairs>{in, out, p, codec_, view(pivot_), view(counts_)});
      return;
    }
    scan_(view(less_), view(less_), p.count);
    scan_(view(equal_), view(equal_), p.count);
    simt::launch(
        on_, all,
        move_by_packing<Word, Pairs>{in, out, p, codec_, view(pivot_), view(counts_), view(less_), view(equal_)});
  }

  /// The sides of a part whose division was started last: what is less, what is greater.
  std::pair<part, part> finish(const part& p) const {
    const std::vector<std::uint32_t> counts = counts_.to_host(on_);
    tell(p, counts);
    array_.settle(p, p.first + counts[less], counts[equal], on_);
    return {{p.first, counts[less], p.depth + 1, p.in_spare ^ 1},
            {p.first + p.count - counts[greater], counts[greater], p.depth + 1, p.in_spare ^ 1}};
  }

  /// Both at once, for divided_array::run.
  void operator()(const part& p, std::vector<part>& stack) const {
    start(p);
    const auto [left, right] = finish(p);
    for (const part& side : {left, right})
      if (side.count != 0)
        stack.push_back(side);
  }

 private:
  /// For --steps: pivot, the region of each key, the sums that gave places, and the part as the division has left it.
  void tell(const part& p, const std::vector<std::uint32_t>& counts) const {
    if (!j_.shows_steps())
      return;
    const Word pivot = pivot_.to_host(on_).front();
    const auto number = [](auto n) { return std::to_string(n); };
    const auto before = piece_of(array_.holder(p), p.first, p.count);
    const std::vector<Word> keys = fetch(j_.on, before.keys, p.count);
    telling t = j_.tell(array_.name(p) + " about " + keys_of_images(j_, codec_, {pivot}, keys).front() + ": " +
                        number(counts[less]) + " less, " + number(counts[equal]) + " equal, " +
                        number(counts[greater]) + " greater");
    std::vector<std::string> regions_of_keys;
    std::vector<std::uint32_t> atomics(regions), meeting(regions), of_warp(regions);
    for (const Word key : keys) {
      const unsigned mine = region_of(codec_.image(key), pivot);
      if (regions_of_keys.size() % simt::warp_size == 0)
        of_warp.assign(regions, 0);
      const bool adds = how_ == packing::by_increment || of_warp[mine] == 0; // a key each, or a warp each
      atomics[mine] += adds;
      of_warp[mine] += adds;
      meeting[mine] = std::max(meeting[mine], of_warp[mine]);
      regions_of_keys.push_back(std::string(1, "<=>"[mine]));
    }
    t.keys("keys", untyped(before), p.count).words("regions", std::move(regions_of_keys));
    if (how_ != packing::by_prefix_sums)
      t.numbers("fetch-and-adds", atomics).numbers("lanes that meet", meeting);
    if (how_ == packing::by_prefix_sums)
      t.numbers("less before", fetch(j_.on, view(less_), p.count))
          .numbers("equal before", fetch(j_.on, view(equal_), p.count));
    t.moved("moved", untyped(piece_of(array_.other(p), p.first, p.count)), p.count, 0)
        .bounds({counts[less], std::uint64_t{counts[less]} + counts[equal]});
  }

  job& j_;
  const divided_array<Word, Pairs>& array_;
  key_codec<Word> codec_;
  pivot_rule rule_;
  packing how_;
  simt::queue on_;
  device_array<Word> pivot_;
  device_array<std::uint32_t> counts_, less_, equal_;
  single_pass_scan scan_;
};

/// After so many divisions a part of an array of n falls back to another sort. Random pivots give a depth of
/// 3 log2(n / small) at most, as a rule.
inline unsigned deepest_division(std::uint64_t n, unsigned small) {
  return 4 * static_cast<unsigned>(std::bit_width(n / small)) + 4;
}

} // namespace sortile::classics::inline SORTILE_BACKEND
