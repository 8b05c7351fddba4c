// From the elements of a segment to the bins by which a block puts them in order.
//
//   even       the range between the least and the greatest element, cut evenly: right for keys that are spread evenly
//              over some interval, wherever it lies
//   counted    that range in up to 1024 cells, and for each cell as many bins as it has elements. Within a cell keys of
//              all continuous distributions are nearly even, so floats are sorted that way at once (by their bits half
//              of the numbers between 0 and 1 lie in one of many binades)
//
//   cells      |  2  |  1  |    6    | 0 |  1  | …      elements
//   bins       |  16 |  8  |    48   |   |  8  | …      about eight an element: a linear map in each cell
//
// Frequent keys fall into one bin in any such map, and of keys whose bits are skewed each by itself (AND of three)
// cells are as skewed as the whole: block_kernel.hpp merges these.
#pragma once

#include "kernels/local/bin_words.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// From an element to its bin, evenly between the least and the greatest of them.
///
///   normalised = (element − least) · 2^shift, cut to 32 bits: its greatest has bit 31 set
///   bin        = normalised · scale / 2^32
template <class Element>
struct even_bins {
  Element least;
  unsigned left, right; // how far to shift: one of them is 0
  std::uint32_t scale;

  static SORTILE_DEVICE even_bins between(Element least, Element greatest, std::uint32_t bins) {
    const Element span = Element(greatest - least);
    const unsigned bits = bits_of(Element(span | Element{1}));
    even_bins b{least, bits < 32 ? 32 - bits : 0, bits > 32 ? bits - 32 : 0, 0};
    // Rounded down, and a little more, so that the greatest element's bin is below `bins`.
    if (least != greatest)
      b.scale = std::uint32_t(float(bins) * 4294967296.0f / (float(b.normalised(greatest)) + 1.0f) * 0.999999f);
    return b;
  }
  SORTILE_DEVICE std::uint32_t normalised(Element e) const {
    if constexpr (sizeof(Element) == 4)
      return std::uint32_t(e - least) << left;
    else
      return std::uint32_t(Element(e - least) >> right) << left;
  }
  SORTILE_DEVICE std::uint32_t operator()(Element e) const {
    return std::uint32_t(std::uint64_t{normalised(e)} * scale >> 32);
  }
};

/// From an element to its bin, evenly within each cell of the range.
template <class Element, unsigned Threads>
struct counted_bins {
  static constexpr unsigned cell_bits = Threads < 128 ? 8 : Threads < 256 ? 9 : 10, cells = 1u << cell_bits;
  static constexpr unsigned room = cells + 4; ///< words of shared storage

  even_bins<Element> even;
  simt::shared_view<std::uint32_t> begins; ///< of cells, each with its first bin; and where the last one ends

  SORTILE_DEVICE std::uint32_t operator()(Element e) const {
    const std::uint32_t x = even.normalised(e), c = x >> (32 - cell_bits), begin = begins.load(c);
    return begin + std::uint32_t(std::uint64_t{x << cell_bits} * (begins.load(c + 1) - begin) >> 32);
  }

  /// By all threads of the block, for n elements that share `bins`; each(f) calls f(element) for the thread's own.
  /// sums: a word a warp. Ends with a barrier.
  template <class Each>
  SORTILE_DEVICE void count(const simt::shared_view<std::uint32_t>& sums, std::uint32_t n, std::uint32_t bins,
                            Each each) const {
    constexpr unsigned own = (cells + Threads - 1) / Threads; // of a thread, side by side
    static_assert(own == 1 || own == 2 || own == 4);
    const unsigned first = simt::thread_index() * own;
    if (first < cells)
      simt::store_vector<own>(begins, first, simt::vec<std::uint32_t, own>{});
    simt::block_barrier();
    each([&](Element e) {
      begins.fetch_add(even.normalised(e) >> (32 - cell_bits), 1u, simt::relaxed, simt::block_scope);
    });
    simt::block_barrier();
    simt::vec<std::uint32_t, own> has{};
    if (first < cells)
      has = simt::load_vector<own>(begins, first);
    std::uint32_t sum = 0;
    SORTILE_UNROLL
    for (unsigned c = 0; c < own; ++c)
      sum += has[c];
    const std::uint32_t an_element = bins / n;
    std::uint32_t before = primitives::sum_of_lower_threads(sums, sum) * an_element;
    SORTILE_UNROLL
    for (unsigned c = 0; c < own; ++c) {
      const std::uint32_t begin = before;
      before += has[c] * an_element;
      has[c] = begin;
    }
    if (first < cells)
      simt::store_vector<own>(begins, first, has);
    if (first + own == cells)
      begins[cells] = before;
    simt::block_barrier();
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
