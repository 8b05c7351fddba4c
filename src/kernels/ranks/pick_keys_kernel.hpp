// Keys at places, and numbers between two keys, for all rows. The places come with the launch, `batch` of them at most.
#pragma once

#include "kernels/ranks/key_number.hpp"
#include "kernels/ranks/pick_keys.hpp"
#include "primitives/quantile_place.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct pick_keys_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 64, batch = 64; // a thread a place

  simt::global<const Word> from;
  simt::global<Word> out;
  std::uint64_t rows, stride, results; // results: of a row
  std::uint64_t first;                 // of them, this launch's
  std::uint32_t count;
  std::uint64_t places[batch];

  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    if (t >= count)
      return;
    const std::uint64_t place = places[t];
    for (std::uint64_t row = simt::block_index(); row < rows; row += simt::grid_size())
      out[row * results + first + t] = from.load(row * stride + place);
  }
};

template <class Word>
struct pick_quantiles_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 64, batch = 64;

  simt::global<const Word> from;
  simt::global<double> out;
  std::uint64_t rows, stride, results;
  std::uint64_t first;
  std::uint32_t count;
  key_type type;
  picked_quantile quantiles[batch];

  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    if (t >= count)
      return;
    const picked_quantile mine = quantiles[t];
    for (std::uint64_t row = simt::block_index(); row < rows; row += simt::grid_size()) {
      const double low = number_of(type, from.load(row * stride + mine.low));
      const double high = number_of(type, from.load(row * stride + mine.high));
      out[row * results + first + t] = between(low, high, mine.fraction);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
