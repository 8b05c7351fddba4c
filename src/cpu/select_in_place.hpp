// Selections that rearrange an array in place, by exchanges alone: what lies before place k and is not among the first
// k keys changes places with what lies behind it and is. Both are equally many. So everything else stays where it is,
// and no memory is needed beyond a few counts.
//
//     place   0 … k − 1                 k … n − 1
//     keys    first   ·   first  ·      ·  ·  first  ·  first  ·         · is not among the first k
//                     └──────────│────────────┘         │
//                                └──────────────────────┘
//
// Which of the keys equal to the k-th are among the first is decided by their positions. Threads share the exchanges by
// their number; where each one's begin, on both sides, is found before the first exchange is made, so that nobody reads
// what another one writes.
#pragma once

#include "cpu/select_jobs.hpp"

namespace sortile::cpu {

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

  /// The first k are the keys below `at`, and as many of those equal to it as are missing. The place `skipped` (n:
  /// none), not before k, takes no part.
  exchange_with_first(const arrays& a, std::size_t k, const threshold<K>& at, const key_image<K>& image,
                      unsigned threads, std::size_t skipped)
      : arrays_(a), k_(k), at_(at), image_(image), threads_(threads), skipped_(skipped),
        pieces_(a.n < alone_below ? 1 : std::size_t{4} * threads) {}

  /// Where `fills`, nothing moves to the places before k: they are written by others later.
  void run(bool fills) {
    count();
    const std::size_t exchanges = before_.back().misplaced;
    const std::size_t tasks = std::min(pieces_, exchanges);
    std::vector<std::array<cursor, 2>> starts(tasks);
    for_each_task(threads_, tasks, nullptr, [&](unsigned, std::size_t task) {
      const std::size_t first = part_begin(exchanges, tasks, task);
      starts[task] = {start(before_, 0, k_, first, false), start(behind_, k_, arrays_.n, first, true)};
    });
    for_each_task(threads_, tasks, nullptr, [&](unsigned, std::size_t task) {
      auto [left, right] = starts[task];
      for (std::size_t i = part_begin(exchanges, tasks, task); i < part_begin(exchanges, tasks, task + 1); ++i)
        exchange(next(left, false), next(right, true), fills);
    });
  }

 private:
  static constexpr std::size_t alone_below = std::size_t{1} << 16; // keys

  /// What lies before a piece: keys equal to the k-th in the whole array, misplaced ones on its side of k.
  struct sums {
    std::size_t equal = 0;
    std::size_t misplaced = 0;
  };
  /// A place, and how many keys equal to the k-th lie before it.
  struct cursor {
    std::size_t place = 0;
    std::size_t equal = 0;
  };

  /// Whether the key at the cursor is among the first k; moves the cursor on.
  bool step(cursor& c) const {
    const std::size_t place = c.place++;
    if (place == skipped_)
      return false;
    const K x = image_.ordering(arrays_.keys[place]);
    if (x == at_.image)
      return c.equal++ < k_ - at_.below;
    return x < at_.image;
  }

  /// The next place whose key is, or is not, among the first k. There is one.
  std::size_t next(cursor& c, bool among_first) const {
    while (step(c) != among_first) {
    }
    return c.place - 1;
  }

  void count() {
    std::vector<piece_counts> left(pieces_), right(pieces_);
    for_each_task(threads_, 2 * pieces_, nullptr, [&](unsigned, std::size_t task) {
      const bool is_right = task >= pieces_;
      const std::size_t piece = is_right ? task - pieces_ : task, first = is_right ? k_ : 0,
                        n = is_right ? arrays_.n - k_ : k_;
      piece_counts c;
      for (std::size_t i = first + part_begin(n, pieces_, piece); i < first + part_begin(n, pieces_, piece + 1); ++i) {
        if (i == skipped_)
          continue;
        const K x = image_.ordering(arrays_.keys[i]);
        c.below += x < at_.image;
        c.equal += x == at_.image;
      }
      (is_right ? right : left)[piece] = c;
    });
    before_.assign(1, {});
    for (std::size_t piece = 0; piece < pieces_; ++piece) {
      const std::size_t n = part_begin(k_, pieces_, piece + 1) - part_begin(k_, pieces_, piece);
      add(before_, left[piece], [&](std::size_t among_first) { return n - among_first; });
    }
    behind_.assign(1, {before_.back().equal, 0});
    for (std::size_t piece = 0; piece < pieces_; ++piece)
      add(behind_, right[piece], [](std::size_t among_first) { return among_first; });
  }

  template <class Misplaced>
  void add(std::vector<sums>& to, const piece_counts& c, Misplaced&& misplaced) const {
    const sums last = to.back();
    const std::size_t wanted = k_ - at_.below;
    const std::size_t equal_among_first = last.equal < wanted ? std::min(c.equal, wanted - last.equal) : 0;
    to.push_back({last.equal + c.equal, last.misplaced + misplaced(c.below + equal_among_first)});
  }

  /// Where the exchange of that number begins to be looked for, on the side [begin, end).
  cursor start(const std::vector<sums>& side, std::size_t begin, std::size_t end, std::size_t number,
               bool among_first) const {
    std::size_t piece = 0;
    while (side[piece + 1].misplaced <= number)
      ++piece;
    cursor c{begin + part_begin(end - begin, pieces_, piece), side[piece].equal};
    for (std::size_t i = side[piece].misplaced; i < number; ++i)
      next(c, among_first);
    return c;
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
  std::size_t k_;
  threshold<K> at_;
  key_image<K> image_;
  unsigned threads_;
  std::size_t skipped_;
  std::size_t pieces_;
  std::vector<sums> before_, behind_;
};

/// `first` holds the first k of the request, in order; the array has everything else moved out of their way.
template <class K>
void make_room_for_first(const partial_sort_request& r, const void* first, const options& opts, unsigned threads) {
  const key_image<K> image = exact_image<K>(r.type, opts);
  const K* const keys = static_cast<const K*>(first);
  const K last = image.ordering(keys[r.k - 1]);
  const K* const equal = std::partition_point(keys, keys + r.k, [&](K u) { return image.ordering(u) < last; });
  auto* const values = r.value_bytes == 0 ? nullptr : static_cast<std::byte*>(r.values);
  exchange_with_first<K>({static_cast<K*>(r.keys), values, r.value_bytes, r.n}, r.k,
                         {last, static_cast<std::size_t>(equal - keys)}, image, threads, r.n)
      .run(true);
}

/// `found`: the key of rank nth.
template <class K>
void exchange_around(const nth_element_request& r, const void* found, const options& opts, unsigned threads) {
  const key_image<K> image = exact_image<K>(r.type, opts);
  K* const keys = static_cast<K*>(r.keys);
  const K x = image.ordering(*static_cast<const K*>(found));
  const selection<K> all(keys, r.n, image, threads, nullptr);
  const std::vector<piece_counts> counts = all.count(x, piece_layout(r.n, 0, threads).pieces);
  std::size_t below = 0;
  for (const piece_counts& c : counts)
    below += c.below;
  std::size_t place = r.n;
  all.each_equal(x, counts, r.nth - below, r.nth - below + 1,
                 [&](std::size_t, std::size_t position) { place = position; });
  std::swap(keys[place], keys[r.nth]);
  exchange_with_first<K>({keys, nullptr, 0, r.n}, r.nth, {x, below}, image, threads, r.nth).run(false);
}

} // namespace sortile::cpu
