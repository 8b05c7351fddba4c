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

/// A warp sorts as many entries of the class as it has groups of lanes.
template <class Word, bool Placed, unsigned Class>
struct segment_lanes {
  using element = sample_element<Word, Placed>;
  using packed = packing<Word, element>;
  static constexpr int items = sizeof(element) == 4 || Class == 3 ? 16 : 8; ///< of a lane
  static constexpr unsigned lanes = (64u << Class) / unsigned(items), groups = simt::warp_size / lanes;
  static constexpr unsigned room = 16 * simt::warp_size + 16; ///< elements of a warp of any class, and gaps

  /// The lane's group sorts `item`, of any length up to the class's. All lanes of the warp call.
  static SORTILE_DEVICE void sort(const simt::shared_view<element>& staged, const segment_arrays<Word>& arrays,
                                  const segment_item& item) {
    const auto from = arrays.from(item.source);
    const auto n = std::uint32_t(item.length);
    const unsigned lane = simt::lane_index() % lanes, group = simt::lane_index() - lane;
    const std::uint64_t first = item.begin + lane;
    element x[items];
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j) {
      const std::uint32_t p = unsigned(j) * lanes + lane;
      x[j] = p < n ? packed::pack(arrays.template image<Placed>(from.load(first + unsigned(j) * lanes)), p)
                   : packed::greatest();
    }
    primitives::sort_in_lanes<lanes>(x);
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j)
      staged.store(staged_at(simt::lane_index() * unsigned(items) + unsigned(j)), x[j]);
    simt::warp_barrier();
    write_segment<items, packed, Placed>(
        arrays, item, lane, lanes, [&](std::uint32_t p) { return staged.load(staged_at(group * unsigned(items) + p)); },
        [] { simt::warp_barrier(); });
    simt::warp_barrier();
  }

 private:
  static SORTILE_DEVICE unsigned staged_at(unsigned p) { return p + p / simt::warp_size; } // against bank conflicts
};

template <class Word, bool Placed>
struct segment_short_kernel {
  static constexpr unsigned classes = detail::segment_classes::shorts;
  using element = sample_element<Word, Placed>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 128, min_blocks = sizeof(element) == 4 ? 10 : 1;
  static constexpr unsigned warps = block_threads / simt::warp_size, room = segment_lanes<Word, Placed, 0>::room;

  struct shared {
    alignas(16) simt::shared_array<element, warps * room> staged;
  };

  segment_work works[classes];
  segment_arrays<Word> arrays;
  unsigned wanted = 0; ///< classes that there are, a bit each

  static constexpr std::uint64_t blocks_for(unsigned c, std::uint64_t entries) {
    const unsigned at_once = warps * (c == 0   ? segment_lanes<Word, Placed, 0>::groups
                                      : c == 1 ? segment_lanes<Word, Placed, 1>::groups
                                      : c == 2 ? segment_lanes<Word, Placed, 2>::groups
                                               : segment_lanes<Word, Placed, 3>::groups);
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
    using group = segment_lanes<Word, Placed, Class>;
    const auto staged = s.staged.subview(simt::warp_index() * room, room);
    const segment_work& work = works[Class];
    constexpr unsigned at_once = warps * group::groups;
    const std::uint64_t step = std::uint64_t{simt::grid_size()} * at_once, all = work.size();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * at_once + simt::warp_index() * group::groups;
    for (std::uint64_t i = first; i < all; i += step) {
      const std::uint64_t mine = i + simt::lane_index() / group::lanes;
      group::sort(staged, arrays, mine < all ? work.load(mine) : segment_item{0, 0, segment_source::input, 0});
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
