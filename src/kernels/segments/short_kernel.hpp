// Sorts entries of up to 512 elements, a warp each, in registers.
//
// Elements are a key's image, with its place where equal keys can be told apart (sample_elements.hpp). Lanes load them
// in rows, sort_in_warp puts them in order with a lane's elements side by side, and the warp's part of shared storage
// turns them back into rows, so that stores are side by side too. There are 2, 4, 8 or 16 elements a lane, as the entry
// asks for: the network's steps do not depend on the keys.
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
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 128, warps = block_threads / simt::warp_size;
  using element = sample_element<Word, Placed>;
  using packed = packing<Word, element>;
  static constexpr unsigned most = detail::segment_classes::warp;
  static constexpr unsigned row = most + most / simt::warp_size; // a gap every 32, against bank conflicts

  struct shared {
    alignas(16) simt::shared_array<element, warps * row> staged;
  };

  segment_work work;
  segment_arrays<Word> arrays;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t step = std::uint64_t{simt::grid_size()} * warps, all = work.size();
    for (std::uint64_t i = std::uint64_t{simt::block_index()} * warps + simt::warp_index(); i < all; i += step) {
      const segment_item item = work.load(i);
      if (item.length <= 2 * simt::warp_size)
        sort<2>(s, item);
      else if (item.length <= 4 * simt::warp_size)
        sort<4>(s, item);
      else if (item.length <= 8 * simt::warp_size)
        sort<8>(s, item);
      else
        sort<16>(s, item);
    }
  }

 private:
  static SORTILE_DEVICE unsigned staged_at(unsigned p) { return simt::warp_index() * row + p + p / simt::warp_size; }

  template <int Rows>
  SORTILE_DEVICE void sort(shared& s, const segment_item& item) const {
    const auto from = arrays.from(item.source);
    const auto n = std::uint32_t(item.length);
    const unsigned lane = simt::lane_index();
    element x[Rows];
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j) {
      const std::uint32_t p = unsigned(j) * simt::warp_size + lane;
      x[j] = p < n ? packed::pack(arrays.codec.image(from.load(item.begin + p)), p) : packed::greatest();
    }
    primitives::sort_in_warp(x);
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j)
      s.staged[staged_at(lane * unsigned(Rows) + unsigned(j))] = x[j];
    simt::warp_barrier();
    write_segment<Rows, packed, Placed>(
        arrays, item, lane, simt::warp_size, [&](std::uint32_t p) { return s.staged.load(staged_at(p)); },
        [] { simt::warp_barrier(); });
    simt::warp_barrier();
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
