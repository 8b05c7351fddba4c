// The last step of a search for ranks or quantiles, within segments too: keys at places of sorted keys, or numbers
// between two of them, to where the caller wants them. Plain C++.
#pragma once

#include "primitives/quantile_place.hpp"
#include "simt/queue.hpp"

#include <sortile/segments.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sortile::kernels {

/// Segment i's results begin at out + i · places.size(). The result of a place that a segment has not stays as it is.
template <class Word>
struct pick_keys_request {
  const Word* from = nullptr;
  std::uint64_t extent = 0;                ///< keys of `from`
  segments where{};                        ///< of these
  std::span<const std::uint64_t> places{}; ///< in host memory, read before the call returns
  Word* out = nullptr;
};
template <class Word>
void pick_keys(const simt::queue& q, const pick_keys_request<Word>& request);

/// Segment i's results begin at out + i times their number. They lie between keys whose places are given; or, where
/// segments have lengths that only the device knows, where probabilities say, and are NaN of no keys.
template <class Word>
struct pick_quantiles_request {
  key_type type = key_type::f64;
  const Word* from = nullptr;
  std::uint64_t extent = 0;
  segments where{};
  std::span<const quantile_place> places{}; ///< one of both, in host memory, read before the call returns
  std::span<const double> probabilities{};
  quantile_method method = quantile_method::linear; ///< of probabilities
  double* out = nullptr;
};
template <class Word>
void pick_quantiles(const simt::queue& q, const pick_quantiles_request<Word>& request);

} // namespace sortile::kernels
