// How much a block sorts, and with how many threads.
//
// A block has two halves of 34 KiB, between which it merges (primitives/block_merge.hpp), so that three blocks fit a
// multiprocessor of 227 KiB, and one fits where a block has no more than 99 KiB.
#pragma once

#include "kernels/any_order/elements.hpp"
#include "primitives/block_merge.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Element>
struct sort_shape {
  static constexpr unsigned most_threads = sizeof(Element) <= 8 ? 512 : 256;
  static constexpr unsigned half_bytes = 34 * 1024, most = 8704;
  /// Elements of a half.
  static constexpr unsigned capacity = half_bytes / sizeof(Element) < most ? half_bytes / sizeof(Element) : most;
  /// Elements that a thread sorts in registers.
  static constexpr unsigned each = (capacity + most_threads - 1) / most_threads | 1;
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
