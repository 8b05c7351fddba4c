// Chooses the splitters of each segment: one block sorts a sample of it, and takes every so many-th. A large sample of
// the only segment has been ranked by all blocks before (rank_sort.hpp), since sorted by one block it would take as
// long as the rest of the sort.
//
// Samples are drawn one from each of so many equal stretches, in the order of their places; their numbers are sorted,
// not their keys. So equal samples stay in the order of their positions, and the number of a sample says its position.
//
// How large buckets get. A bucket of `a` samples is Gamma(a) / a times as large as its share. With a = 16 it is more
// than 3.1 times as large with the probability 10^-8; buckets are planned for a quarter of what a block sorts. Those
// that are larger all the same are sorted by large_bucket_kernel.hpp.
//
// Cost: S scattered reads, and a sort of S numbers by one block where they are not ranked, S up to 8192.
#pragma once

#include "kernels/any_order/rank_tables.hpp"
#include "kernels/any_order/segments.hpp"
#include "kernels/any_order/sort_shape.hpp"
#include "kernels/any_order/splitter_tree.hpp"
#include "kernels/sample_place.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The least of some places. Its identity is written out: primitives::minimum takes it from the standard library, which
/// a user's nvcc calls from device code only with an option that nobody has to give.
struct least_place {
  SORTILE_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return b < a ? b : a; }
  template <class T>
  static constexpr bool commutes() {
    return true;
  }
  template <class T>
  static SORTILE_DEVICE T identity() {
    return T(~T{0});
  }
};

template <class Arrays, class Less>
struct any_order_splitters_kernel {
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  using shape = splitter_shape<key>;
  using number = std::uint16_t; // of a sample
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = shape::threads, min_blocks = 2;
  struct shared {
    simt::shared_array<held<key>, shape::samples> keys;
    sort_storage<number, shape::samples, block_threads> order;
    primitives::block_scan_storage<std::uint32_t, block_threads> scan;
  };

  Arrays arrays;
  simt::global<const element> records; // of a second level
  bool is_first_level;
  segment_list segments;
  unsigned samples; // of a segment that has as many elements
  splitter_rows<key> rows;
  bool is_ranked;
  rank_tables<element> ranked;               // of the sample
  simt::global<const std::uint16_t> numbers; // of these elements, in the sample
  simt::global<std::uint32_t> large;         // how many large buckets there are: none so far
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const segment all = segments.get(simt::block_index());
    const unsigned drawn = all.length < samples ? unsigned(all.length) : samples;
    if (is_first_level && simt::block_index() == 0 && t == 0)
      large.store(0, 0u);
    if (drawn == 0)
      return;
    auto order = s.order.halves();
    if (is_ranked) {
      for (unsigned i = t; i < drawn; i += block_threads) {
        s.keys.store(numbers.load(i), ranked.records.load(i).key);
        order.put(ranked.ranks.load(i), numbers.load(i));
      }
    } else {
      for (unsigned i = t; i < drawn; i += block_threads) {
        const std::uint64_t place = all.begin + sample_place(i, drawn, all.length);
        s.keys.store(i, is_first_level ? arrays.load(place).key : records.load(place).key);
        order.put(i, number(i));
      }
      simt::block_barrier();
      primitives::block_sort<9>(order, s.order.starts.view(), drawn,
                                [&](number a, number b) { return less.of_keys(s.keys.load(a), s.keys.load(b)); });
    }
    simt::block_barrier();
    const unsigned splitters = (1u << rows.bits) - 1;
    const auto sample_of = [&](unsigned b) { return order.load(((b + 1) * drawn) >> rows.bits); };
    static_assert(shape::most <= block_threads);
    const bool has_one = t < splitters;
    const unsigned b = has_one ? splitters - 1 - t : 0; // from behind: a run of equal ones ends at the nearest end
    const number own = sample_of(b);
    const bool is_end =
        has_one && (t == 0 || less.of_keys(s.keys.load(own), s.keys.load(sample_of(b + 1 < splitters ? b + 1 : b))));
    const std::uint32_t end = is_end ? b : splitters;
    const std::uint32_t later = primitives::block_exclusive_scan(s.scan, end, least_place{}, splitters).before;
    if (has_one) {
      const std::uint64_t at = std::uint64_t{simt::block_index()} << rows.bits;
      rows.nodes.store(at + node_of_splitter(b, rows.bits), s.keys.load(own));
      rows.positions.store(at + b, sample_place(own, drawn, all.length));
      rows.last.store(at + b, end < later ? end : later);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
