// An array from its end to its beginning, by all threads of a launch, in place or apart: each element is read and
// written once.
//
//   from   | x0 x1 x2 x3 | x4 …        … | y0 y1 y2 y3 |
//   to     | y3 y2 y1 y0 |             … | x3 x2 x1 x0 |      run v and the v-th from the end, by one thread
//
// A thread reads both runs before it writes either, and no other thread touches them. So there may be two arrays or
// one. Runs are vectors of 16 bytes where both arrays begin at a multiple of 16 bytes and n is a whole number of
// vectors, so that runs from the end are aligned too. Else they are single elements, more of them in flight.
//
// Traffic: twice the array.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class T, int N>
SORTILE_DEVICE simt::vec<T, N> backwards(const simt::vec<T, N>& x) {
  simt::vec<T, N> y{};
  SORTILE_UNROLL
  for (int e = 0; e < N; ++e)
    y[e] = x[N - 1 - e];
  return y;
}

/// Runs v, v + stride, … of N elements, and those from the end, as many as are in flight at once.
template <int N, int InFlight, class T>
SORTILE_DEVICE void swap_runs(const simt::global<const T>& from, const simt::global<T>& to, std::uint64_t n,
                              std::uint64_t v, std::uint64_t stride) {
  simt::vec<T, N> front[InFlight], back[InFlight];
  SORTILE_UNROLL
  for (int k = 0; k < InFlight; ++k) {
    const std::uint64_t i = (v + unsigned(k) * stride) * N;
    front[k] = simt::load_vector<N>(from, i, simt::streaming);
    back[k] = simt::load_vector<N>(from, n - N - i, simt::streaming);
  }
  SORTILE_UNROLL
  for (int k = 0; k < InFlight; ++k) {
    const std::uint64_t i = (v + unsigned(k) * stride) * N;
    simt::store_vector<N>(to, i, backwards(back[k]), simt::streaming);
    simt::store_vector<N>(to, n - N - i, backwards(front[k]), simt::streaming);
  }
}

/// By the whole grid; n is a multiple of N.
template <int N, int InFlight, class T>
SORTILE_DEVICE void reverse_runs(const simt::global<const T>& from, const simt::global<T>& to, std::uint64_t n) {
  const std::uint64_t stride = std::uint64_t{simt::grid_size()} * simt::block_size();
  const std::uint64_t first = std::uint64_t{simt::block_index()} * simt::block_size() + simt::thread_index();
  const std::uint64_t pairs = n / N / 2;
  std::uint64_t v = first;
  if constexpr (InFlight > 1)
    for (; v + (InFlight - 1) * stride < pairs; v += InFlight * stride)
      swap_runs<N, InFlight>(from, to, n, v, stride);
  for (; v < pairs; v += stride)
    swap_runs<N, 1>(from, to, n, v, stride);
  if (first == 0 && n / N % 2 != 0) // the run in the middle
    simt::store_vector<N>(to, pairs * N, backwards(simt::load_vector<N>(from, pairs * N)));
}

/// to[i] = from[n − 1 − i] for all i. By the whole grid; the arrays are the same or apart. A thread has `InFlight`
/// pairs of vectors in flight: 1 where a launch has threads for all of them.
template <int InFlight, class T>
SORTILE_DEVICE void reverse_array(const simt::global<const T>& from, const simt::global<T>& to, std::uint64_t n) {
  constexpr int vector = int(16 / sizeof(T));
  const auto begins = reinterpret_cast<std::uintptr_t>(from.data()) | reinterpret_cast<std::uintptr_t>(to.data());
  if (vector > 1 && begins % 16 == 0 && n % unsigned(vector) == 0)
    reverse_runs<vector, InFlight>(from, to, n);
  else
    reverse_runs<1, InFlight*(vector < 4 ? vector : 4)>(from, to, n);
}

/// The indices n − 1 … 0, for those who sort positions.
template <class T>
SORTILE_DEVICE void reversed_indices(const simt::global<T>& to, std::uint64_t n) {
  const std::uint64_t stride = std::uint64_t{simt::grid_size()} * simt::block_size();
  for (auto i = std::uint64_t{simt::block_index()} * simt::block_size() + simt::thread_index(); i < n; i += stride)
    to.store(i, T(n - 1 - i));
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
