// Sorts entries that a block's registers and shared storage hold, a block each: block_merge_sort over images, with
// their places where equal keys can be told apart. Its time does not depend on the keys.
#pragma once

#include "kernels/segments/short_kernel.hpp"
#include "primitives/block_merge_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, bool Placed, std::uint32_t Capacity>
struct segment_block_kernel {
  static constexpr bool starts_early = true;
  static constexpr int items = int(detail::segment_classes::items);
  static constexpr unsigned block_threads = Capacity / unsigned(items);
  using element = sample_element<Word, Placed>;
  using packed = packing<Word, element>;
  using sorter = primitives::block_merge_sort<items, element>;

  struct shared {
    alignas(16) simt::shared_array<element, primitives::merge_sort_room<element>(Capacity)> elements;
  };

  segment_work work;
  segment_arrays<Word> arrays;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t all = work.size();
    for (std::uint64_t i = simt::block_index(); i < all; i += simt::grid_size()) {
      const segment_item item = work.load(i);
      const auto from = arrays.from(item.source);
      sorter::sort_loaded(s.elements.view(), std::uint32_t(item.length), packed::greatest(), [&](std::uint32_t p) {
        return packed::pack(arrays.codec.image(from.load(item.begin + p)), p);
      });
      simt::block_barrier();
      write_segment<items, packed, Placed>(
          arrays, item, simt::thread_index(), block_threads,
          [&](std::uint32_t p) { return s.elements.load(primitives::merge_sort_place<element>(p)); },
          [] { simt::block_barrier(); });
      simt::block_barrier();
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
