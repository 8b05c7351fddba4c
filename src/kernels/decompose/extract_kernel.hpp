// Writes one word of the image of each struct of an array, in the array's order or in that of given positions.
//
// A block takes a tile; each thread reads its structs before it writes a word, so that several reads are on their way.
// In the array's own order neighbours read neighbouring structs, and the next load finds the rest of a sector in L1. By
// positions each struct is a random access of as many sectors as its members touch.
#pragma once

#include "kernels/decompose/struct_image.hpp"
#include "simt/simt.hpp"

#include <utility>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Position: of the positions; void: each struct in its place.
template <class T, class Decomposer, unsigned Word, class Position>
struct extract_kernel {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items = 4;
  static constexpr unsigned tile = block_threads * items;
  static constexpr bool by_position = !std::is_void_v<Position>;
  using position = std::conditional_t<by_position, Position, std::uint32_t>;
  using list = decltype(std::declval<const Decomposer&>()(std::declval<const T&>()));
  using word = sortile::detail::bits_of_size<key_bytes(image_word_type(sortile::detail::image_bits_of<list>, Word))>;

  simt::global<const T> structs;
  simt::global<const position> positions;
  simt::global<word> words;
  std::uint64_t n;
  Decomposer decompose;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile + simt::thread_index();
    word taken[items];
    SORTILE_UNROLL
    for (unsigned j = 0; j < items; ++j) {
      const std::uint64_t i = first + j * block_threads;
      if (i < n)
        taken[j] = static_cast<word>(image_word<Word>(decompose(structs.load(place(i)))));
    }
    SORTILE_UNROLL
    for (unsigned j = 0; j < items; ++j) {
      const std::uint64_t i = first + j * block_threads;
      if (i < n)
        words[i] = taken[j];
    }
  }

 private:
  SORTILE_DEVICE std::uint64_t place(std::uint64_t i) const {
    if constexpr (by_position)
      return positions.load(i);
    else
      return i;
  }
};

template <class T, class Decomposer, unsigned Word, class Position>
void launch_extract(const simt::queue& q, const image_extraction& e, const Decomposer& decompose) {
  using kernel = extract_kernel<T, Decomposer, Word, Position>;
  const std::uint64_t blocks = (e.n + kernel::tile - 1) / kernel::tile;
  simt::launch(q, {.grid = static_cast<unsigned>(blocks)},
               kernel{.structs = {static_cast<const T*>(e.structs), e.n},
                      .positions = {static_cast<const typename kernel::position*>(e.positions), e.n},
                      .words = {static_cast<typename kernel::word*>(e.words), e.n},
                      .n = e.n,
                      .decompose = decompose});
}

/// What struct_request::extract points to.
template <class T, class Decomposer>
void extract(const simt::queue& q, const image_extraction& e, const void* decomposer) {
  const auto& decompose = *static_cast<const Decomposer*>(decomposer);
  using list = typename extract_kernel<T, Decomposer, 0, void>::list;
  const auto launch = [&]<unsigned Word>(std::integral_constant<unsigned, Word>) {
    if constexpr (Word == 0)
      launch_extract<T, Decomposer, Word, void>(q, e, decompose);
    else if (e.position_bytes == 4)
      launch_extract<T, Decomposer, Word, std::uint32_t>(q, e, decompose);
    else
      launch_extract<T, Decomposer, Word, std::uint64_t>(q, e, decompose);
  };
  [&]<unsigned... Word>(std::integer_sequence<unsigned, Word...>) {
    ((Word == e.word ? launch(std::integral_constant<unsigned, Word>{}) : void()), ...);
  }
  (std::make_integer_sequence<unsigned, image_words(sortile::detail::image_bits_of<list>)>{});
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
