// How much a block sorts, and with how many threads, by the type of elements; and the storage that it sorts in.
#pragma once

#include "kernels/any_order/elements.hpp"
#include "kernels/any_order/merge_plan.hpp"
#include "primitives/block_merge.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Element>
struct sort_shape {
  static constexpr block_shape of_bytes = block_shape::of(sizeof(Element));
  static constexpr unsigned most_threads = of_bytes.most_threads;
  static constexpr unsigned capacity = of_bytes.capacity, each = of_bytes.each;
  /// Elements that a thread sorts in registers.
  static constexpr unsigned own = each < 3 ? 3 : each > 9 ? 9 : each;
  /// So many blocks' registers are kept within a multiprocessor.
  static constexpr unsigned min_blocks = 3;
};

/// What a block sorts in.
template <class Element, unsigned Capacity = sort_shape<Element>::capacity,
          unsigned Threads = sort_shape<Element>::most_threads>
struct sort_storage {
  simt::shared_array<Element, 2 * Capacity> elements;
  simt::shared_array<std::uint32_t, Threads> starts;

  SORTILE_DEVICE primitives::two_halves<Element> halves() { return {elements.view(), 0, Capacity}; }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
