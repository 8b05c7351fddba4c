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

/// f(place in the array, place in the rows) for the elements of some segments, tile by tile.
template <class F>
void for_each_element(const segments& w, std::size_t begin, std::size_t end, std::size_t tile_elements, F&& f) {
  for (std::size_t first = begin; first < end; first += tile_segments)
    for (std::size_t k0 = 0; k0 < w.length; k0 += tile_elements)
      for (std::size_t k = k0; k < std::min(w.length, k0 + tile_elements); ++k)
        for (std::size_t i = first; i < std::min(end, first + tile_segments); ++i)
          f(i * w.stride + k * w.step, i * w.length + k);
}

template <std::size_t Width, bool Gathers>
void move_fixed(const segments& w, const std::byte* from, std::byte* to, unsigned threads) {
  for_each_piece(threads, w.count, std::max<std::size_t>(2, copy_alone_below / std::max<std::size_t>(1, w.length)),
                 [&](std::size_t begin, std::size_t end) {
                   for_each_element(w, begin, end, line_bytes / Width, [&](std::size_t strided, std::size_t packed) {
                     std::memcpy(to + (Gathers ? packed : strided) * Width, from + (Gathers ? strided : packed) * Width,
                                 Width);
                   });
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
    for_each_piece(threads, w.count, 2, [&](std::size_t begin, std::size_t end) {
      for_each_element(w, begin, end, 1, [&](std::size_t strided, std::size_t packed) {
        std::memcpy(out + (Gathers ? packed : strided) * width, in + (Gathers ? strided : packed) * width, width);
      });
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
