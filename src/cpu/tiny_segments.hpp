// Segments of keys alone that are shorter than a vector, several in one vector.
#pragma once

#include "cpu/key_image.hpp"
#include "cpu/vector_sort.hpp"

#include <sortile/segments.hpp>

#include <cstddef>
#include <cstdint>

namespace sortile::cpu {

template <class K>
struct tiny_kernels {
  std::size_t most = 0; ///< elements of a segment that are taken

  /// Sorts segments first, first + 1, … of `from` into `to`, which may be `from`, as long as they are short, lie one
  /// after the other, and hold no −0 and no NaN; returns how many it has done, at most last − first.
  std::size_t (*sort)(const K* from, K* to, const segments& where, std::size_t first, std::size_t last,
                      const plain_image<K>& image) = nullptr;
};

/// Of this machine; null where it has none.
template <class K>
const tiny_kernels<K>* best_tiny_kernels();

template <>
const tiny_kernels<std::uint32_t>* best_tiny_kernels();
template <>
const tiny_kernels<std::uint64_t>* best_tiny_kernels();

} // namespace sortile::cpu
