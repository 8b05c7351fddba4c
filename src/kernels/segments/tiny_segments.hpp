// Sorts 32 neighbouring tiny segments, a thread each.
//
// The warp brings the segments' keys to its part of shared storage, side by side, whatever lies between them in the
// array. Each thread takes its own into registers and puts them in order by a network of 4, 8, 16 or 32, as the longest
// of the warp's segments asks for. What it writes back goes to the array in rows again. So memory is read and written
// in whole sectors, and a network of 16 takes 63 comparisons for a thread's 16 keys: 8 instructions for a row of 32
// keys.
//
//   arrays    … a b c │ d │ e f g h │ (long) │ i j …        lengths   3 1 4 0 2
//   staged    a b c d e f g h i j                            first     0 3 4 8 8
//             (a gap every 32: bank conflicts)
//
// Where equal keys can be told apart, elements carry their places, and the thread writes the order instead: for each
// place the one that its element came from. Keys and values are then staged and written in that order.
//
// Lost: a lane an element, ranked by counting with shuffles: 16 shuffles and some 100 instructions a row at 16.
#pragma once

#include "kernels/segments/segment_items.hpp"
#include "primitives/warp_scan.hpp"
#include "primitives/warp_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, bool Placed>
class tiny_segments {
 public:
  using element = sample_element<Word, Placed>;
  using packed = packing<Word, element>;
  static constexpr unsigned most = detail::segment_classes::of(sizeof(Word), Placed).thread;
  static constexpr unsigned room = (most + 1) * simt::warp_size;          ///< elements of a warp, and gaps
  using slot = std::conditional_t<sizeof(Word) < 4, std::uint32_t, Word>; ///< a key, or a word of a value

  /// Of a warp.
  struct storage {
    alignas(16) simt::shared_array<slot, room> staged;
    alignas(16) simt::shared_array<std::uint64_t, simt::warp_size> shift; // from a staged place to one in the arrays
    // Of each row: a bit for each lane whose element begins a segment, and the segments that begin before the row.
    alignas(8) simt::shared_array<std::uint32_t, 2 * simt::warp_size> rows;
    simt::shared_array<std::uint16_t, Placed ? room : 2> order; // staged places that elements came from
  };

  /// The lane's segment; n is 0 where it is not tiny. All lanes of the warp call.
  static SORTILE_DEVICE void sort(storage& s, const segment_arrays<Word>& arrays, std::uint64_t begin, unsigned n) {
    const unsigned longest = simt::warp_reduce_max(n);
    if (longest == 0 || (longest == 1 && stays(arrays)))
      return;
    const std::uint32_t end = primitives::warp_inclusive_scan(n, primitives::plus{}), first = end - n;
    const places at = locate(s, begin, n, first, simt::shuffle(end, simt::warp_size - 1));
    load(s, at, [&](std::uint64_t i) { return slot(arrays.in.load(i)); });
    if (longest <= 4)
      sort_own<4>(s, arrays, first, n);
    else if (longest <= 8)
      sort_own<8>(s, arrays, first, n);
    else if (longest <= 16)
      sort_own<(most < 16 ? most : 16)>(s, arrays, first, n);
    else
      sort_own<most>(s, arrays, first, n);
    simt::warp_barrier();
    if (arrays.keys_wanted)
      store(s, at, [&](std::uint64_t i, slot x) { arrays.out.store(i, Word(x)); });
    if constexpr (Placed)
      for (unsigned w = 0; w < arrays.values.words; ++w)
        move_values(s, arrays.values, at, first, n, w);
    simt::warp_barrier();
  }

 private:
  static SORTILE_DEVICE unsigned slot_at(unsigned p) { return p + p / simt::warp_size; }

  /// Whether segments of one element are there already.
  static SORTILE_DEVICE bool stays(const segment_arrays<Word>& a) {
    return (a.in_place || !a.keys_wanted) && !a.values.make_indices && (a.values.words == 0 || a.values.in_place());
  }

  /// From staged places to the arrays.
  struct places {
    storage* s;
    std::uint64_t base;
    std::uint32_t size;
    bool together; // segments lie one behind the other

    SORTILE_DEVICE std::uint64_t operator()(std::uint32_t p) const {
      if (together)
        return base + p;
      const auto row = simt::load_vector<2>(s->rows, p / simt::warp_size * 2); // one for all lanes
      const unsigned begun = simt::popcount(row[0] & (simt::lanes_below() | 1u << simt::lane_index()));
      return s->shift.load(row[1] + begun - 1) + p;
    }
  };
  static SORTILE_DEVICE places locate(storage& s, std::uint64_t begin, unsigned n, std::uint32_t first,
                                      std::uint32_t size) {
    const std::uint64_t shift = begin - first;
    const unsigned there = simt::ballot(n > 0), some = simt::trailing_zeros(there);
    const std::uint64_t base = simt::shuffle(shift, some);
    const bool together = simt::warp_all(n == 0 || shift == base);
    if (!together) {
      s.rows[2 * simt::lane_index()] = 0;
      simt::warp_barrier();
      if (n > 0) {
        s.rows.fetch_or(first / simt::warp_size * 2, 1u << first % simt::warp_size, simt::relaxed, simt::block_scope);
        s.shift[simt::popcount(there & simt::lanes_below())] = shift;
      }
      simt::warp_barrier();
      const unsigned begun = simt::popcount(s.rows.load(2 * simt::lane_index()));
      s.rows[2 * simt::lane_index() + 1] = primitives::warp_inclusive_scan(begun, primitives::plus{}) - begun;
      simt::warp_barrier();
    }
    return {&s, base, size, together};
  }

  /// Rows that are in flight together.
  static constexpr unsigned rows = sizeof(slot) == 4 ? 8 : sizeof(slot) == 8 ? 4 : 2;
  template <class Get>
  static SORTILE_DEVICE void load(storage& s, const places& at, Get get) {
    SORTILE_NO_UNROLL
    for (std::uint32_t p = simt::lane_index(); p < at.size + simt::lane_index(); p += rows * simt::warp_size) {
      slot x[rows];
      SORTILE_UNROLL
      for (unsigned r = 0; r < rows; ++r)
        if (p + r * simt::warp_size < at.size)
          x[r] = get(at(p + r * simt::warp_size));
      SORTILE_UNROLL
      for (unsigned r = 0; r < rows; ++r)
        if (p + r * simt::warp_size < at.size)
          s.staged[slot_at(p + r * simt::warp_size)] = x[r];
    }
    simt::warp_barrier();
  }
  template <class Put>
  static SORTILE_DEVICE void store(storage& s, const places& at, Put put) {
    SORTILE_NO_UNROLL
    for (std::uint32_t p = simt::lane_index(); p < at.size; p += simt::warp_size) {
      const unsigned from = slot_at(Placed ? s.order.load(slot_at(p)) : p);
      put(at(p), s.staged.load(from));
    }
  }

  template <unsigned Width>
  static SORTILE_DEVICE void sort_own(storage& s, const segment_arrays<Word>& arrays, std::uint32_t first, unsigned n) {
    element x[Width];
    SORTILE_UNROLL
    for (unsigned j = 0; j < Width; ++j)
      x[j] = j < n ? packed::pack(arrays.template image<Placed>(Word(s.staged.load(slot_at(first + j)))), j)
                   : packed::greatest();
    primitives::sort_in_registers(x);
    SORTILE_UNROLL
    for (unsigned j = 0; j < Width; ++j)
      if (j < n) {
        if constexpr (Placed)
          s.order[slot_at(first + j)] = std::uint16_t(first + packed::place(x[j]));
        else
          s.staged[slot_at(first + j)] = arrays.key(packed::image(x[j]));
      }
  }

  /// Word w of the values, which may lie in place: all are staged before one is written.
  static SORTILE_DEVICE void move_values(storage& s, const value_arrays& values, const places& at, std::uint32_t first,
                                         unsigned n, unsigned w) {
    simt::warp_barrier();
    if (values.make_indices) {
      for (unsigned j = 0; j < n; ++j)
        s.staged[slot_at(first + j)] = w == 0 ? slot(j) : slot(0);
      simt::warp_barrier();
    } else {
      const auto from = values.from<std::uint32_t>(segment_source::input);
      load(s, at, [&](std::uint64_t i) { return slot(from.load(i * values.words + w)); });
    }
    store(s, at, [&](std::uint64_t i, slot x) { values.store_word(i, w, std::uint32_t(x)); });
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
