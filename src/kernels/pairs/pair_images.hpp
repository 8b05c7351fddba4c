// From a request's value width and type of keys to the types that kernels of pairs are instantiated by.
#pragma once

#include "kernels/pairs/pair_types.hpp"
#include "kernels/pairs/sort_pairs.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Calls go(const Value*, const Image*), both null.
template <class Word, class Go>
void by_value_and_image(const sort_pairs_request<Word>& r, Go go) {
  const auto by_image = [&]<class Value>(const Value* value) {
    if (r.codec.infinity == 0)
      go(value, static_cast<const integer_image<Word>*>(nullptr));
    else
      go(value, static_cast<const any_image<Word>*>(nullptr));
  };
  switch (r.value_bytes) {
  case 0:
    return by_image(static_cast<const no_value*>(nullptr));
  case 4:
    return by_image(static_cast<const std::uint32_t*>(nullptr));
  case 8:
    return by_image(static_cast<const std::uint64_t*>(nullptr));
  default:
    return by_image(static_cast<const wide_value*>(nullptr));
  }
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
