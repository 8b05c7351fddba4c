// The last step of a search for ranks or quantiles: keys at places, or numbers between two of them, to where the caller
// wants them. Plain C++.
#pragma once

#include "simt/queue.hpp"

#include <sortile/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sortile::kernels {

/// Row r's keys begin at from + r · stride, its results at out + r · places.size().
template <class Word>
struct pick_keys_request {
  const Word* from = nullptr;
  std::uint64_t rows = 1, stride = 0, extent = 0; ///< extent: keys of `from`
  std::span<const std::uint64_t> places{};        ///< in host memory, read before the call returns
  Word* out = nullptr;
};
template <class Word>
void pick_keys(const simt::queue& q, const pick_keys_request<Word>& request);

/// A number between two keys, `fraction` of the way (primitives/quantile_place.hpp).
struct picked_quantile {
  std::uint64_t low = 0, high = 0; ///< places
  double fraction = 0;
};
template <class Word>
struct pick_quantiles_request {
  key_type type = key_type::f64;
  const Word* from = nullptr;
  std::uint64_t rows = 1, stride = 0, extent = 0;
  std::span<const picked_quantile> quantiles{}; ///< in host memory, read before the call returns
  double* out = nullptr;
};
template <class Word>
void pick_quantiles(const simt::queue& q, const pick_quantiles_request<Word>& request);

} // namespace sortile::kernels
