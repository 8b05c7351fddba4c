// Selections that rearrange an array in place, by exchanges alone. Keys before place k that are not among the first k
// change places with keys from k on that are. There are as many of one kind as of the other. All other keys stay where
// they are, and no memory is needed beyond a few counts.
//
//     place   0 … k − 1                 k … n − 1
//     keys    first   ·   first  ·      ·  ·  first  ·  first  ·         · is not among the first k
//                     └──────────│────────────┘         │
//                                └──────────────────────┘
//
// Of the keys equal to the k-th, those with the lowest positions are among the first. Threads share the exchanges
// equally. Where each thread's exchanges begin, on both sides, is found before the first one is made, so that no thread
// reads what another one writes.
#pragma once

#include "cpu/memory_slots.hpp"
#include "cpu/select_jobs.hpp"

namespace sortile::cpu {

/// Which keys are among the first k: those below a threshold, and as many of those equal to it as are missing.
template <class K>
struct first_keys {
  K image = 0;
  std::size_t equal = 0; ///< how many of those that equal it: the ones with the lowest positions
};

/// Keys that are looked at together: where one of them is misplaced, all are walked over.
inline constexpr std::size_t misplaced_block = 128;
static_assert(misplaced_block <= select_block);

/// The places on one side of k, in order, whose keys are among the first k, or are not.
template <class K>
class misplaced_keys {
 public:
  /// Of the places [begin, end); `equal_before` keys before them equal the threshold.
  misplaced_keys(const K* keys, std::size_t begin, std::size_t end, std::size_t equal_before, bool among_first,
                 const first_keys<K>& first, const key_image<K>& image)
      : keys_(keys), at_(begin), end_(end), equal_(equal_before), among_first_(among_first), first_(first),
        image_(image) {}

  /// The next place. There is one.
  std::size_t next() {
    while (taken_ == found_)
      fill();
    return block_ + offsets_[taken_++];
  }
  void skip(std::size_t count) {
    while (found_ - taken_ < count) {
      count -= found_ - taken_;
      fill();
    }
    taken_ += count;
  }
  /// What next() will give.
  std::size_t peek() {
    const std::size_t place = next();
    --taken_;
    return place;
  }
  /// From here on nothing is read at or behind this place.
  void end_at(std::size_t place) { end_ = place; }

 private:
  void fill() {
    const select_loops<K>& loops = best_select_loops<K>();
    const std::size_t m = std::min(misplaced_block, end_ - at_);
    std::uint16_t below[misplaced_block], same[misplaced_block];
    std::size_t equals = 0;
    const std::size_t belows = loops.below(keys_ + at_, m, image_, first_.image, equals, below);
    const std::size_t wanted = std::min(equals, first_.equal - std::min(equal_, first_.equal)); // the first so many
    if (wanted > 0)
      loops.equal(keys_ + at_, m, image_, first_.image, same);
    std::merge(below, below + belows, same, same + wanted, offsets_);
    equal_ += equals;
    taken_ = 0;
    found_ = belows + wanted;
    if (!among_first_)
      found_ = take_others(m);
    block_ = at_;
    at_ += m;
  }

  /// The offsets below m that are not among those found take their place; how many.
  std::size_t take_others(std::size_t m) {
    std::uint8_t is_found[misplaced_block] = {};
    for (std::size_t i = 0; i < found_; ++i)
      is_found[offsets_[i]] = 1;
    std::size_t others = 0;
    for (std::size_t i = 0; i < m; ++i) {
      offsets_[others] = static_cast<std::uint16_t>(i);
      others += is_found[i] == 0;
    }
    return others;
  }

  const K* keys_;
  std::size_t at_, end_, equal_;
  bool among_first_;
  first_keys<K> first_;
  key_image<K> image_;
  std::size_t block_ = 0, found_ = 0, taken_ = 0; // of the block that is being given out
  std::uint16_t offsets_[misplaced_block];
};

template <class K>
class exchange_with_first {
 public:
  /// The array, and the values that move with its keys (null: none).
  struct arrays {
    K* keys;
    std::byte* values;
    std::size_t value_bytes;
    std::size_t n;
  };

  /// The places [0, k) and [behind, n) take part; there are k first keys among them.
  exchange_with_first(const arrays& a, std::size_t k, std::size_t behind, const first_keys<K>& first,
                      const key_image<K>& image, unsigned threads)
      : arrays_(a), k_(k), behind_(behind), first_(first), image_(image), threads_(threads),
        pieces_(a.n < alone_below ? 1 : std::size_t{4} * threads) {}

  /// Where `fills`, nothing moves to the places before k: the caller writes them later.
  void run(bool fills) {
    const call_vector<sums> left = count(0, k_, 0, false);
    const call_vector<sums> right = count(behind_, arrays_.n, left.back().equal, true);
    const std::size_t exchanges = left.back().misplaced, tasks = std::min(pieces_, exchanges);
    call_vector<std::optional<misplaced_keys<K>>> from(tasks), to(tasks);
    for_each_task(threads_, tasks, nullptr, [&](unsigned, std::size_t task) {
      const std::size_t number = part_begin(exchanges, tasks, task);
      from[task] = start(left, 0, k_, number, false);
      to[task] = start(right, behind_, arrays_.n, number, true);
    });
    for (std::size_t task = 0; task + 1 < tasks; ++task) {
      from[task]->end_at(from[task + 1]->peek());
      to[task]->end_at(to[task + 1]->peek());
    }
    for_each_task(threads_, tasks, nullptr, [&](unsigned, std::size_t task) {
      for (std::size_t i = part_begin(exchanges, tasks, task); i < part_begin(exchanges, tasks, task + 1); ++i)
        exchange(from[task]->next(), to[task]->next(), fills);
    });
  }

 private:
  static constexpr std::size_t alone_below = std::size_t{1} << 16; // keys

  /// What lies before a piece: keys equal to the threshold in both sides, misplaced ones in its own.
  struct sums {
    std::size_t equal = 0;
    std::size_t misplaced = 0;
  };

  call_vector<sums> count(std::size_t begin, std::size_t end, std::size_t equal_before, bool among_first) const {
    const selection<K> side(arrays_.keys + begin, end - begin, image_, threads_, nullptr);
    const call_vector<piece_counts> counts = side.count(first_.image, pieces_);
    call_vector<sums> before{{equal_before, 0}};
    for (std::size_t piece = 0; piece < pieces_; ++piece) {
      const sums last = before.back();
      const std::size_t n = part_begin(end - begin, pieces_, piece + 1) - part_begin(end - begin, pieces_, piece);
      const std::size_t missing = last.equal < first_.equal ? first_.equal - last.equal : 0;
      const std::size_t chosen = counts[piece].below + std::min(counts[piece].equal, missing);
      before.push_back({last.equal + counts[piece].equal, last.misplaced + (among_first ? chosen : n - chosen)});
    }
    return before;
  }

  /// Where the exchange of that number begins on a side.
  misplaced_keys<K> start(const call_vector<sums>& side, std::size_t begin, std::size_t end, std::size_t number,
                          bool among_first) const {
    std::size_t piece = 0;
    while (side[piece + 1].misplaced <= number)
      ++piece;
    misplaced_keys<K> places(arrays_.keys, begin + part_begin(end - begin, pieces_, piece), end, side[piece].equal,
                             among_first, first_, image_);
    places.skip(number - side[piece].misplaced);
    return places;
  }

  void exchange(std::size_t left, std::size_t right, bool fills) {
    K* const keys = arrays_.keys;
    if (fills)
      keys[right] = keys[left];
    else
      std::swap(keys[left], keys[right]);
    const std::size_t width = arrays_.value_bytes;
    if (arrays_.values == nullptr)
      return;
    std::byte *const a = arrays_.values + left * width, *const b = arrays_.values + right * width;
    if (fills)
      std::memcpy(b, a, width);
    else
      std::swap_ranges(a, a + width, b);
  }

  arrays arrays_;
  std::size_t k_, behind_;
  first_keys<K> first_;
  key_image<K> image_;
  unsigned threads_;
  std::size_t pieces_;
};

/// `first` holds the first k of the request, in order; the array has everything else moved out of their way.
template <class K>
void make_room_for_first(const partial_sort_request& r, const void* first, const options& opts, unsigned threads) {
  const key_image<K> image = exact_image<K>(r.type, opts);
  const K* const keys = static_cast<const K*>(first);
  const K last = image.ordering(keys[r.k - 1]);
  const K* const equal = std::partition_point(keys, keys + r.k, [&](K u) { return image.ordering(u) < last; });
  auto* const values = r.value_bytes == 0 ? nullptr : static_cast<std::byte*>(r.values);
  exchange_with_first<K>({static_cast<K*>(r.keys), values, r.value_bytes, r.n}, r.k, r.k,
                         {last, r.k - static_cast<std::size_t>(equal - keys)}, image, threads)
      .run(true);
}

/// `found`: the key of rank nth.
template <class K>
void exchange_around(const nth_element_request& r, const void* found, const options& opts, unsigned threads) {
  const key_image<K> image = exact_image<K>(r.type, opts);
  K* const keys = static_cast<K*>(r.keys);
  const K x = image.ordering(*static_cast<const K*>(found));
  const selection<K> all(keys, r.n, image, threads, nullptr);
  const call_vector<piece_counts> counts = all.count(x, piece_layout(r.n, 0, threads).pieces);
  std::size_t below = 0;
  for (const piece_counts& c : counts)
    below += c.below;
  std::size_t place = r.n;
  all.each_equal(x, counts, r.nth - below, r.nth - below + 1,
                 [&](std::size_t, std::size_t position) { place = position; });
  std::swap(keys[place], keys[r.nth]);
  exchange_with_first<K>({keys, nullptr, 0, r.n}, r.nth, r.nth + 1, {x, r.nth - below}, image, threads).run(false);
}

} // namespace sortile::cpu
