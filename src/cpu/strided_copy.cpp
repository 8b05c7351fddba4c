// In tiles of 64 segments by as many elements as a cache line holds: of columns, a tile reads runs of 64 neighbours and
// writes whole lines of 64 rows; all of these stay in the L1 cache.
#include "cpu/strided_copy.hpp"

#include "cpu/parallel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sortile::cpu {

namespace {

constexpr std::size_t tile_segments = 64;
constexpr std::size_t line_bytes = 64;
constexpr std::size_t copy_alone_below = std::size_t{1} << 15; // elements

/// f(place in the array, place in the rows) for all elements, tile by tile. Threads share tiles, not segments: where
/// those are few, each thread would read a part of every line.
template <class F>
void for_each_element(const segments& w, std::size_t tile_elements, unsigned threads, F&& f) {
  const std::size_t across = (w.length + tile_elements - 1) / tile_elements;
  const std::size_t tiles = (w.count + tile_segments - 1) / tile_segments * across;
  for_each_piece(threads, tiles, copy_alone_below / (tile_segments * tile_elements),
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t t = begin; t < end; ++t) {
                     const std::size_t first = t / across * tile_segments, k0 = t % across * tile_elements;
                     const std::size_t last = std::min(w.count, first + tile_segments);
                     for (std::size_t k = k0; k < std::min(w.length, k0 + tile_elements); ++k)
                       for (std::size_t i = first; i < last; ++i)
                         f(i * w.stride + k * w.step, i * w.length + k);
                   }
                 });
}

template <std::size_t Width, bool Gathers>
void move_fixed(const segments& w, const std::byte* from, std::byte* to, unsigned threads) {
  for_each_element(w, line_bytes / Width, threads, [&](std::size_t strided, std::size_t packed) {
    std::memcpy(to + (Gathers ? packed : strided) * Width, from + (Gathers ? strided : packed) * Width, Width);
  });
}

template <bool Gathers>
void move(const segments& w, std::size_t width, const void* from, void* to, unsigned threads) {
  const auto* const in = static_cast<const std::byte*>(from);
  auto* const out = static_cast<std::byte*>(to);
  switch (width) {
  case 1:
    return move_fixed<1, Gathers>(w, in, out, threads);
  case 2:
    return move_fixed<2, Gathers>(w, in, out, threads);
  case 4:
    return move_fixed<4, Gathers>(w, in, out, threads);
  case 8:
    return move_fixed<8, Gathers>(w, in, out, threads);
  case 16:
    return move_fixed<16, Gathers>(w, in, out, threads);
  default:
    for_each_element(w, 1, threads, [&](std::size_t strided, std::size_t packed) {
      std::memcpy(out + (Gathers ? packed : strided) * width, in + (Gathers ? strided : packed) * width, width);
    });
  }
}

} // namespace

void gather_rows(const segments& where, std::size_t width, const void* array, void* rows, unsigned threads) {
  move<true>(where, width, array, rows, threads);
}

void scatter_rows(const segments& where, std::size_t width, const void* rows, void* array, unsigned threads) {
  move<false>(where, width, rows, array, threads);
}

} // namespace sortile::cpu
