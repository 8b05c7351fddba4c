// The arrays of a search for groups as its kernels see them.
#pragma once

#include "kernels/groups/find_groups.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Index>
struct group_arrays {
  simt::global<Word> keys;
  simt::global<Index> first, counts, offsets, order, inverse;

  static group_arrays of(const find_groups_request<Word>& r) {
    const auto numbers = [](void* array, std::uint64_t n) {
      return simt::global<Index>{static_cast<Index*>(array), array == nullptr ? 0 : n};
    };
    return {.keys = {r.keys_out, r.keys_out == nullptr ? 0 : r.n},
            .first = numbers(r.first, r.n),
            .counts = numbers(r.counts, r.n),
            .offsets = numbers(r.offsets, r.n + 1),
            .order = numbers(r.order, r.n),
            .inverse = numbers(r.inverse, r.n)};
  }
};

/// Of an output.
template <class T>
SORTILE_DEVICE bool is_wanted(const simt::global<T>& array) {
  return array.data() != nullptr;
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
