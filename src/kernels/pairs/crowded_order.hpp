// The order of one block's keys where they crowd and no bins help: images with their places are merged
// (primitives/block_merge_sort.hpp). Places make the elements differ, so equal keys keep their order.
//
//   32 bits   number of the image · 2^b + place / 2^d       one register an element: half of what two would cost
//   64 bits   image · 2^64 + place
//
// Numbers. Images of 32 bits are numbered (primitives/dense_halves.hpp): 24 bits for 4096 of them at the most, 25 for all, and 20
// or 21 of keys that crowd. Where that leaves fewer bits than places need, the lowest d bits of the place are left out.
// So 2^d neighbours may have one element, if their keys are equal; then they stand side by side, and the k-th of them
// is the k-th of the neighbours that has the key.
#pragma once

#include "primitives/block_merge_sort.hpp"
#include "primitives/dense_halves.hpp"

#include <sortile/types.hpp>

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads, std::uint32_t Capacity>
class crowded_order;

/// What both widths share: few elements are spread over more warps.
template <class T, unsigned Threads, std::uint32_t Capacity, int Many>
struct crowded_elements {
  static constexpr int few_items = 4, many_items = Many;
  static constexpr std::uint32_t few = 2048, warp_elements = simt::warp_size * unsigned(Many),
                                 most = (Capacity + warp_elements - 1) / warp_elements * warp_elements;
  static_assert(most <= Threads * unsigned(Many) && few <= Threads * unsigned(few_items));
  using storage = simt::shared_array<T, primitives::merge_sort_room<T>(most)>;

  template <class Load>
  static SORTILE_DEVICE void sort(storage& s, std::uint32_t n, Load load) {
    if (n <= few)
      primitives::block_merge_sort<few_items, T>::sort_loaded(s.view(), n, T(~T{0}), load);
    else
      primitives::block_merge_sort<many_items, T>::sort_loaded(s.view(), n, T(~T{0}), load);
  }
};

template <unsigned Threads, std::uint32_t Capacity>
class crowded_order<std::uint32_t, Threads, Capacity> {
  using numbering = primitives::dense_halves<Threads>;
  using elements = crowded_elements<std::uint32_t, Threads, Capacity, 16>;

 public:
  struct storage {
    union {
      typename numbering::storage halves;
      alignas(16) typename elements::storage sorted;
    };
    simt::shared_array<std::uint32_t, Capacity> numbers;
  };

  /// put(q, p) for each place q of the order: it is pair p's, whose image is image_of(p). By all threads; 0 < n.
  template <class Image, class Put>
  static SORTILE_DEVICE void order(storage& s, std::uint32_t n, Image image_of, Put put) {
    const std::uint32_t values = number(s, n, image_of);
    const unsigned wanted = bits_of(n - 1), left = 32 - bits_of(values - 1);
    const unsigned dropped = wanted > left ? wanted - left : 0, place_bits = wanted - dropped;
    elements::sort(s.sorted, n, [&](std::uint32_t p) { return s.numbers.load(p) << place_bits | p >> dropped; });
    simt::block_barrier();
    std::uint32_t e[items] = {}; // this thread's elements, an answer to all reads at once
    bool is_first[items] = {};   // of its like; and first of the neighbours with its number
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (place_of(i) < n) {
        e[i] = at(s, place_of(i));
        is_first[i] = dropped == 0 || place_of(i) == 0 || at(s, place_of(i) - 1) != e[i];
      }
    const std::uint32_t mask = (1u << place_bits) - 1;
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (place_of(i) < n && dropped != 0)
        is_first[i] = is_first[i] && s.numbers.load((e[i] & mask) << dropped) == e[i] >> place_bits;
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (place_of(i) < n) {
        const std::uint32_t p = (e[i] & mask) << dropped;
        put(place_of(i), is_first[i] ? p : dropped == 1 ? p + 1 : later(s, place_of(i), e[i], place_bits, p));
      }
  }

 private:
  static constexpr int items = int((Capacity + Threads - 1) / Threads);
  static SORTILE_DEVICE std::uint32_t place_of(int i) { return unsigned(i) * Threads + simt::thread_index(); }

  /// Whose element place q has: of p and its neighbours with the number, the one that is as far behind the first as q
  /// is behind the first such element.
  static SORTILE_DEVICE std::uint32_t later(storage& s, std::uint32_t q, std::uint32_t e, unsigned place_bits,
                                            std::uint32_t p) {
    std::uint32_t before = 0;
    while (before < q && at(s, q - before - 1) == e)
      ++before;
    for (;; ++p) {
      const bool has_it = s.numbers.load(p) == e >> place_bits;
      if (has_it && before == 0)
        return p;
      before -= has_it ? 1 : 0;
    }
  }
  /// Numbers the images; returns how many numbers there may be.
  template <class Image>
  static SORTILE_DEVICE std::uint32_t number(storage& s, std::uint32_t n, Image image_of) {
    std::uint32_t images[items];
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      images[i] = image_of(place_of(i) < n ? place_of(i) : 0);
    numbering::clear(s.halves);
    simt::block_barrier();
    numbering::mark(s.halves, images, (n + Threads - 1) / Threads);
    simt::block_barrier();
    const auto values = numbering::count(s.halves);
    simt::block_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (place_of(i) < n)
        s.numbers[place_of(i)] = numbering::rank(s.halves, values, images[i]);
    simt::block_barrier();
    return values.lower * values.upper;
  }
  static SORTILE_DEVICE std::uint32_t at(storage& s, std::uint32_t q) {
    return s.sorted.load(primitives::merge_sort_place<std::uint32_t>(q));
  }
  static SORTILE_DEVICE unsigned bits_of(std::uint32_t v) { return v == 0 ? 0 : 32 - simt::leading_zeros(v); }
};

template <unsigned Threads, std::uint32_t Capacity>
class crowded_order<std::uint64_t, Threads, Capacity> {
  using elements = crowded_elements<uint128, Threads, Capacity, Threads == 512 ? 16 : 8>;

 public:
  struct storage {
    alignas(16) typename elements::storage sorted;
  };

  /// As with 32 bits.
  template <class Image, class Put>
  static SORTILE_DEVICE void order(storage& s, std::uint32_t n, Image image_of, Put put) {
    elements::sort(s.sorted, n, [&](std::uint32_t p) { return uint128{image_of(p)} << 64 | p; });
    simt::block_barrier();
    for (std::uint32_t q = simt::thread_index(); q < n; q += Threads)
      put(q, std::uint32_t(s.sorted.load(primitives::merge_sort_place<uint128>(q))));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
