// Moves elements by position, for those that are too large to travel with their keys: out[i] = in[positions[i]].
#pragma once

#include "kernels/any_order/elements.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class T>
struct gather_kernel {
  static constexpr unsigned block_threads = 256;

  simt::global<const held<T>> in;
  simt::global<const std::uint64_t> positions;
  bool in_place; ///< of each element: a copy
  simt::global<held<T>> out;
  std::uint64_t n;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index();
    if (i < n)
      out.store(i, in.load(in_place ? i : positions.load(i)));
  }
};

/// Gathers by way of `room`, n elements, where input and output are one array.
template <class T>
void gather(const simt::queue& q, const T* in, const std::uint64_t* positions, T* out, std::uint64_t n, void* room) {
  const auto move = [&](const void* from, bool in_place, void* to) {
    simt::launch(q, {.grid = static_cast<unsigned>((n + 255) / 256)},
                 gather_kernel<T>{.in = {static_cast<const held<T>*>(from), n},
                                  .positions = {positions, n},
                                  .in_place = in_place,
                                  .out = {static_cast<held<T>*>(to), n},
                                  .n = n});
  };
  move(in, false, in == out ? room : out);
  if (in == out)
    move(room, true, out);
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
