// Sorts entries of up to 512 elements in registers, by a group of 4, 8, 16 or 32 lanes each.
//
// Elements are a key's image, with its place where equal keys can be told apart (sample_elements.hpp). Lanes load them
// in rows, sort_in_lanes puts them in order with a lane's elements side by side, and the warp's part of shared storage
// turns them back into rows, so that stores are side by side too. The network's steps do not depend on the keys. Steps
// within a lane cost a quarter of those between lanes, so a group has few lanes with many elements each:
//
//   up to                            64     128     256     512
//   lanes, elements of 4 bytes        4       8      16      32        16 elements each; 3, 6, 10, 15 steps by shuffles
//   longer elements                   8      16      32      32        8 and at last 16 each, as registers allow
#pragma once

#include "kernels/segments/segment_items.hpp"
#include "primitives/warp_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Entries of a list, or all segments of one length.
struct segment_work {
  segment_list list;
  segment_reader where;
  bool from_list;

  SORTILE_DEVICE std::uint64_t size() const { return from_list ? list.size() : where.count; }
  SORTILE_DEVICE segment_item load(std::uint64_t i) const {
    if (from_list)
      return list.load(std::uint32_t(i));
    const auto f = where.load(i);
    return {f.begin, f.length, segment_source::input, 0};
  }
};

template <class Word, bool Placed>
struct segment_short_kernel {
  static constexpr unsigned classes = detail::segment_classes::shorts;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 128, min_blocks = sizeof(sample_element<Word, Placed>) == 4 ? 10 : 1, warps = block_threads / simt::warp_size;
  using element = sample_element<Word, Placed>;
  using packed = packing<Word, element>;
  /// Elements of a lane that take up to so many lanes.
  static constexpr int items(unsigned c) { return sizeof(element) == 4 || c == 3 ? 16 : 8; }
  static constexpr unsigned lanes(unsigned c) { return (64u << c) / unsigned(items(c)); }
  static constexpr unsigned row = 16 * simt::warp_size + 16; // a gap every 32: bank conflicts

  struct shared {
    alignas(16) simt::shared_array<element, warps * row> staged;
  };

  segment_work works[classes];
  segment_arrays<Word> arrays;
  unsigned wanted = 0; ///< classes that there are, a bit each

  static constexpr std::uint64_t blocks_for(unsigned c, std::uint64_t entries) {
    const unsigned at_once = block_threads / lanes(c);
    return (entries + at_once - 1) / at_once;
  }

  SORTILE_DEVICE void operator()(shared& s) const {
    each<0>(s);
    each<1>(s);
    each<2>(s);
    each<3>(s);
  }

 private:
  template <unsigned Class>
  SORTILE_DEVICE void each(shared& s) const {
    if ((wanted & (1u << Class)) == 0)
      return;
    const segment_work& work = works[Class];
    constexpr unsigned groups = simt::warp_size / lanes(Class), at_once = warps * groups;
    const std::uint64_t step = std::uint64_t{simt::grid_size()} * at_once, all = work.size();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * at_once + simt::warp_index() * groups;
    for (std::uint64_t i = first; i < all; i += step) {
      const std::uint64_t mine = i + simt::lane_index() / lanes(Class);
      sort<lanes(Class), items(Class)>(s, mine < all ? work.load(mine) : segment_item{0, 0, segment_source::input, 0});
    }
  }
  static SORTILE_DEVICE unsigned staged_at(unsigned p) { return simt::warp_index() * row + p + p / simt::warp_size; }

  template <unsigned Lanes, int Items>
  SORTILE_DEVICE void sort(shared& s, const segment_item& item) const {
    const auto from = arrays.from(item.source);
    const auto n = std::uint32_t(item.length);
    const unsigned lane = simt::lane_index() % Lanes, group = simt::lane_index() - lane;
    const std::uint64_t first = item.begin + lane;
    element x[Items];
    SORTILE_UNROLL
    for (int j = 0; j < Items; ++j) {
      const std::uint32_t p = unsigned(j) * Lanes + lane;
      x[j] = p < n ? packed::pack(arrays.template image<Placed>(from.load(first + unsigned(j) * Lanes)), p) : packed::greatest();
    }
    primitives::sort_in_lanes<Lanes>(x);
    SORTILE_UNROLL
    for (int j = 0; j < Items; ++j)
      s.staged[staged_at(simt::lane_index() * unsigned(Items) + unsigned(j))] = x[j];
    simt::warp_barrier();
    write_segment<Items, packed, Placed>(
        arrays, item, lane, Lanes, [&](std::uint32_t p) { return s.staged.load(staged_at(group * unsigned(Items) + p)); },
        [] { simt::warp_barrier(); });
    simt::warp_barrier();
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
