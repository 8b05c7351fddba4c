// Sorts by any order in device memory: a sample sort. Most comparisons are spent where they are cheap, in searches
// among splitters, and elements move as often as there are levels, and once more.
//
//   one level      splitters    from a sample                             (choose_splitters_kernel.hpp, rank_sort.hpp)
//                  partition    within tiles                              (partition_within_kernel.hpp)
//                  buckets      gathered, sorted, written                 (bucket_kernel.hpp)
//                  large        those that no block holds: hardly ever    (large_bucket_kernel.hpp)
//   two levels     splitters    of the array
//                  buckets of elements, counts, sums                      (count_buckets_kernel.hpp)
//                  partition    apart: buckets are segments now           (partition_apart_kernel.hpp)
//                  splitters    of each segment
//                  partition, buckets, large   as above
//
// A search costs four instructions a level; a merge in shared storage some twenty, and more of what all kernels wait
// for, which is shared storage. So 2^28 keys of 4 bytes are searched
// for 17 levels of the 28, and merged for 8.
//
// Stable, since every step is, and splitters part equal elements by position (splitter_tree.hpp). The launches follow
// from n and the type alone: nothing is read back, and the sort may be captured in a graph. The result is the same
// every time.
//
// Cost for n elements of E bytes: 4 n E with one level, n (7 E + 2) or n (7 E + 4) with two, and some per cent for rows
// and parts. About log2(n) + 6 comparisons an element. Workspace: the elements once, with two levels a byte or two for
// each, 2 bytes for each tile and bucket, and tables of splitters and counts.
//
// Sources: Frazer and McKellar 1970; Leischner, Osipov and Sanders 2010 (on GPUs, the search tree); Axtmann et al. 2017
// (equal keys). Lost: merges of up to eight sorted runs a pass (merge_sort.hpp), which remain for more elements than
// two levels take: five passes of 2^28 keys, each with three levels of merges in shared storage.
#pragma once

#include "kernels/any_order/choose_splitters_kernel.hpp"
#include "kernels/any_order/count_buckets_kernel.hpp"
#include "kernels/any_order/large_bucket_kernel.hpp"
#include "kernels/any_order/launch_here.hpp"
#include "kernels/any_order/partition_apart_kernel.hpp"
#include "kernels/any_order/partition_within_kernel.hpp"
#include "kernels/any_order/rank_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// How many buckets, in how many levels, for n elements of which a block sorts `capacity`. On the average they have at
/// most a quarter of that; and less where there would be fewer than `enough`, down to `least`.
struct splitter_plan {
  unsigned levels = 1, first_bits = 0, second_bits = 0;

  static constexpr unsigned enough_bits = 8, least = 512; // buckets, elements of one
  static constexpr std::uint64_t share(unsigned capacity) { return capacity / 4; }
  static constexpr std::uint64_t most(unsigned capacity, unsigned most_bits) {
    return share(capacity) << (2 * most_bits);
  }
  static constexpr splitter_plan of(std::uint64_t n, unsigned capacity, unsigned most_bits) {
    unsigned bits = 1;
    while (share(capacity) << bits < n)
      ++bits;
    while (bits < enough_bits && bits < most_bits && std::uint64_t{least} << bits < n)
      ++bits;
    if (bits <= most_bits)
      return {1, 0, bits};
    return {2, bits / 2, (bits + 1) / 2};
  }
};

template <class Arrays, class Less>
class any_order_splitter_sort {
 public:
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  using shape = splitter_shape<key>;
  using tiles = partition_shape<element>;
  static constexpr unsigned capacity = sort_shape<element>::capacity;
  static constexpr std::uint64_t most = splitter_plan::most(capacity, shape::most_bits);
  static_assert(most <= ~std::uint32_t{0}, "places of elements are added up in 32 bits");

  explicit any_order_splitter_sort(std::uint64_t n)
      : n_(n), plan_(splitter_plan::of(n, capacity, shape::most_bits)), threads_(threads_of(plan_)),
        tiles_((n + tiles::most_tile - 1) / tiles::most_tile),
        tiles_a_chunk_(static_cast<unsigned>((tiles_ + most_chunks - 1) / most_chunks)) {
    arena a;
    records_ = a.take(n * sizeof(element));
    rows_ = a.take(most_row_entries() * sizeof(std::uint16_t));
    found_ = a.take(plan_.levels == 2 ? n * found_bytes() : 0);
    large_count_ = a.take(sizeof(std::uint32_t));
    large_places_ = a.take(n / bucket_room(2) * 2 * sizeof(std::uint64_t));
    splitters_[0] = take_splitters(a, shape::most); // one row, however many there are: it grows with n
    const unsigned samples =
        shape::samples_wanted(plan_.levels, plan_.levels == 1 ? plan_.second_bits : plan_.first_bits);
    if (samples > few_samples) {
      ranking_ = {a, samples};
      numbers_ = a.take(samples * sizeof(std::uint16_t));
    }
    if (plan_.levels == 2) {
      const std::uint64_t buckets = std::uint64_t{1} << plan_.first_bits;
      before_ = a.take(buckets * (tiles_ < most_chunks ? tiles_ : most_chunks) * sizeof(std::uint64_t));
      totals_ = a.take(buckets * sizeof(std::uint64_t));
      starts_ = a.take((buckets + 1) * sizeof(std::uint64_t));
      splitters_[1] = take_splitters(a, buckets << plan_.second_bits);
    }
    bytes_ = a.bytes();
  }
  std::size_t workspace_bytes() const { return bytes_; }

  void launch(const simt::queue& q, const Arrays& arrays, const Less& order, std::byte* workspace) const {
    const steps s{*this, q, arrays, {order}, workspace};
    if (plan_.levels == 2) {
      s.choose(true, one_segment(tiles::most_tile), plan_.first_bits);
      s.count();
      s.partition_apart();
    }
    const bool is_first = plan_.levels == 1;
    s.choose(is_first, second_level(workspace), plan_.second_bits);
    s.partition_within(is_first, second_level(workspace), plan_.second_bits);
    s.sort_buckets(second_level(workspace));
  }

 private:
  /// Elements of a bucket that its block has room for: twice the share where there are so many buckets that a few
  /// larger ones, of which each takes longer, are no matter; the more blocks fit a multiprocessor.
  static constexpr unsigned bucket_room(unsigned levels) { return levels == 2 ? capacity / 2 : capacity; }

  /// Of a bucket's number that a count leaves for each element.
  std::uint64_t found_bytes() const { return plan_.first_bits <= 8 ? 1 : 2; }

  /// So large a sample one block sorts in less time than two launches take.
  static constexpr unsigned few_samples = 512;

  /// Of a block that partitions within tiles: at least one for each bucket.
  static constexpr unsigned threads_of(const splitter_plan& plan) {
    const unsigned buckets = 1u << plan.second_bits;
    return plan.levels == 2 || buckets >= tiles::threads ? tiles::threads
           : buckets > tiles::least_threads              ? buckets
                                                         : tiles::least_threads;
  }
  /// Lanes that copy a part of so many elements, on the average: half as many, up to a warp. Each reads up to three.
  static constexpr unsigned lane_bits(unsigned part) {
    unsigned bits = 2;
    while (bits < 5 && (2u << bits) < part)
      ++bits;
    return bits;
  }
  unsigned row_width() const { return (1u << plan_.second_bits) + 1; }
  /// What the rows take at most: a tile has as many elements for each bucket as a thread has, or more. Grows with n.
  std::uint64_t most_row_entries() const {
    constexpr std::uint64_t least = tiles::least_threads;
    return n_ / (least * tiles::items) * (least + 1) + (second_level().count + 1) * std::uint64_t{shape::most + 1};
  }

  struct splitter_places {
    std::size_t nodes = 0, positions = 0, last = 0;
  };
  static splitter_places take_splitters(arena& a, std::uint64_t count) {
    return {a.take(count * sizeof(key)), a.take(count * sizeof(std::uint64_t)), a.take(count * sizeof(std::uint32_t))};
  }
  segment_list one_segment(unsigned tile) const { return {{nullptr, 0}, n_, 1, tile}; }
  /// What is partitioned within tiles.
  segment_list second_level(std::byte* workspace = nullptr) const {
    const unsigned tile = threads_ * unsigned(tiles::items);
    if (plan_.levels == 1)
      return one_segment(tile);
    const std::uint32_t buckets = 1u << plan_.first_bits;
    return {{reinterpret_cast<const std::uint64_t*>(workspace + starts_), buckets + 1}, n_, buckets, tile};
  }
  unsigned chunks() const { return static_cast<unsigned>((tiles_ + tiles_a_chunk_ - 1) / tiles_a_chunk_); }

  /// The launches, with what they share.
  struct steps {
    const any_order_splitter_sort& sort;
    const simt::queue& q;
    const Arrays& arrays;
    by_key<Less> less;
    std::byte* workspace;

    template <class T>
    simt::global<T> at(std::size_t offset, std::uint64_t count) const {
      return {reinterpret_cast<T*>(workspace + offset), count};
    }
    simt::global<element> records() const { return at<element>(sort.records_, sort.n_); }
    std::uint64_t row_entries() const { return sort.second_level().tiles() * sort.row_width(); }
    splitter_rows<key> splitters(bool is_first_level, unsigned bits) const {
      const splitter_places& p = sort.splitters_[is_first_level ? 0 : 1];
      const std::uint64_t count = std::uint64_t{is_first_level ? 1u : 1u << sort.plan_.first_bits} << bits;
      return {at<held<key>>(p.nodes, count), at<std::uint64_t>(p.positions, count), at<std::uint32_t>(p.last, count),
              bits};
    }
    bucket_numbers found() const {
      return {at<std::uint8_t>(sort.found_, sort.n_), at<std::uint16_t>(sort.found_, sort.n_), sort.found_bytes() == 1};
    }
    simt::global<std::uint64_t> before() const {
      return at<std::uint64_t>(sort.before_, std::uint64_t{sort.chunks()} << sort.plan_.first_bits);
    }
    simt::global<std::uint64_t> totals() const {
      return at<std::uint64_t>(sort.totals_, std::uint64_t{1} << sort.plan_.first_bits);
    }
    simt::global<std::uint32_t> large_count() const { return at<std::uint32_t>(sort.large_count_, 1); }
    large_buckets large() const {
      return {large_count(), at<std::uint64_t>(sort.large_places_, sort.n_ / bucket_room(2) * 2)};
    }

    void choose(bool is_first_level, const segment_list& segments, unsigned bits) const {
      const unsigned wanted = shape::samples_wanted(sort.plan_.levels, bits), ranked = sort.ranking_.count();
      const auto numbers = at<std::uint16_t>(sort.numbers_, ranked);
      const bool is_ranked = is_first_level && ranked > 0;
      if (is_ranked)
        sort.ranking_.launch(q, arrays, sort.n_, numbers, less, workspace);
      launch_here(q, {.grid = segments.count},
                  any_order_splitters_kernel<Arrays, Less>{.arrays = arrays,
                                                           .records = records(),
                                                           .is_first_level = is_first_level,
                                                           .segments = segments,
                                                           .samples = wanted,
                                                           .rows = splitters(is_first_level, bits),
                                                           .is_ranked = is_ranked,
                                                           .ranked = sort.ranking_.tables(workspace),
                                                           .numbers = numbers,
                                                           .large = large_count(),
                                                           .less = less});
    }
    void count() const {
      launch_here(q, {.grid = sort.chunks()},
                  any_order_count_kernel<Arrays, Less>{.arrays = arrays,
                                                       .n = sort.n_,
                                                       .rows = splitters(true, sort.plan_.first_bits),
                                                       .found = found(),
                                                       .before = before(),
                                                       .chunks = sort.chunks(),
                                                       .tiles_a_chunk = sort.tiles_a_chunk_,
                                                       .less = less});
      launch_here(q, {.grid = 1u << sort.plan_.first_bits},
                  any_order_sums_kernel{.before = before(), .totals = totals(), .chunks = sort.chunks()});
    }
    void partition_apart() const {
      launch_here(q, {.grid = sort.chunks()},
                  any_order_partition_apart_kernel<Arrays>{
                      .arrays = arrays,
                      .records = records(),
                      .n = sort.n_,
                      .bits = sort.plan_.first_bits,
                      .found = found(),
                      .before = before(),
                      .totals = totals(),
                      .starts = at<std::uint64_t>(sort.starts_, (1u << sort.plan_.first_bits) + 1),
                      .chunks = sort.chunks(),
                      .tiles_a_chunk = sort.tiles_a_chunk_});
    }
    void partition_within(bool is_first_level, const segment_list& segments, unsigned bits) const {
      launch_here(q, {.grid = static_cast<unsigned>(segments.tiles()), .block = sort.threads_},
                  any_order_partition_within_kernel<Arrays, Less>{
                      .arrays = arrays,
                      .records = records(),
                      .is_first_level = is_first_level,
                      .segments = segments,
                      .rows = splitters(is_first_level, bits),
                      .places = {at<std::uint16_t>(sort.rows_, row_entries()), sort.row_width()},
                      .less = less});
    }
    template <unsigned Threads>
    void launch_buckets(const segment_list& segments) const {
      const unsigned room = bucket_room(sort.plan_.levels), buckets = segments.count << sort.plan_.second_bits;
      // The blocks take their places while the partition still runs. Of few, no three are to meet on a multiprocessor
      // that it leaves free, while others have one: all would wait for these. With so much storage no three fit.
      constexpr unsigned few = 256, more_than_a_third = 80 * 1024;
      const std::size_t needed = 2 * room * sizeof(element);
      launch_here(q,
                  {.grid = buckets,
                   .dynamic_shared = buckets <= few && needed < more_than_a_third ? more_than_a_third : needed},
                  any_order_bucket_kernel<Arrays, Less, Threads>{
                      .arrays = arrays,
                      .records = records(),
                      .segments = segments,
                      .places = {at<const std::uint16_t>(sort.rows_, row_entries()), sort.row_width()},
                      .last_equal = splitters(sort.plan_.levels == 1, sort.plan_.second_bits).last,
                      .bits = sort.plan_.second_bits,
                      .lane_bits = lane_bits(segments.tile >> sort.plan_.second_bits),
                      .capacity = room,
                      .large = large(),
                      .less = less});
    }
    void sort_buckets(const segment_list& segments) const {
      if (sizeof(element) <= 8 && sort.plan_.levels == 2)
        launch_buckets<sizeof(element) <= 8 ? 128 : 256>(segments);
      else
        launch_buckets<256>(segments);
      constexpr std::uint64_t most_blocks = 128;
      const std::uint64_t most_large = sort.n_ / bucket_room(sort.plan_.levels); // hardly ever any
      launch_here(
          q, {.grid = static_cast<unsigned>(most_large < most_blocks ? most_large + 1 : most_blocks)},
          any_order_large_kernel<Arrays, Less>{.arrays = arrays, .records = records(), .large = large(), .less = less});
    }
  };

  std::uint64_t n_;
  splitter_plan plan_;
  unsigned threads_;
  std::uint64_t tiles_;
  unsigned tiles_a_chunk_;
  std::size_t records_ = 0, rows_ = 0, found_ = 0, large_count_ = 0, large_places_ = 0, before_ = 0, totals_ = 0,
              starts_ = 0, bytes_ = 0;
  splitter_places splitters_[2];
  any_order_ranking<Arrays, Less> ranking_; // of the first level's sample, if that is large
  std::size_t numbers_ = 0;
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
