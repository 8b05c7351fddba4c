// Sorts entries of up to 512 elements in registers, by a group of 4, 8, 16 or 32 lanes each.
//
// Keys of 4 bytes alone are sorted as images (of floats too: equal_floats.hpp); where equal keys can be told apart, and
// of more bytes, words of an image and a place are (segment_words.hpp).
//
// Lanes load them in rows, sort_in_lanes puts them in order with a lane's elements side by side, and the warp's part of
// shared storage turns the images back into rows, so that stores are side by side too. With words it has the keys as
// they came and an order, by which keys are read, and after them values. The network's steps do not depend on the keys.
// Steps within a lane cost a quarter of those between lanes, so a group has few lanes with many elements each:
//
//   up to             64     128     256     512
//   lanes, images      4       8      16      32        16 elements each; 3, 6, 10, 15 steps by shuffles
//   lanes, words       8      16      32      32        8 and at last 16 each, as registers allow
//
// Ties. Words may not tell all keys. Few are put right by insertions; else words that tell further bits are sorted.
#pragma once

#include "kernels/segments/equal_floats.hpp"
#include "kernels/segments/segment_words.hpp"
#include "primitives/warp_scan.hpp"
#include "primitives/warp_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Entries of a list, or all segments of one length.
struct segment_work {
  segment_list list;
  segment_reader where;
  bool from_list;

  SORTILE_DEVICE std::uint64_t size() const { return from_list ? list.size() : where.count; }
  SORTILE_DEVICE segment_item load(std::uint64_t i) const {
    if (from_list)
      return list.load(std::uint32_t(i));
    const auto f = where.load(i);
    return {f.begin, f.length, segment_source::input, 0};
  }
};

/// A warp sorts as many entries of the class as it has groups of lanes.
template <class Word, segment_elements Elements, unsigned Class>
struct segment_lanes {
  static constexpr bool placed = Elements == segment_elements::placed, floats = Elements == segment_elements::floats;
  static constexpr bool by_words = placed || sizeof(Word) > 4;
  static constexpr unsigned most = 64u << Class, place_bits = 6 + Class;
  using words = segment_words<Word, place_bits>;
  using element = std::conditional_t<by_words, typename words::word, Word>;
  using slot = segment_staged<Word>;
  static constexpr int items = !by_words || Class == 3 ? 16 : 8; ///< of a lane
  static constexpr unsigned lanes = most / unsigned(items), groups = simt::warp_size / lanes;
  static constexpr unsigned room = 16 * simt::warp_size + 16; ///< slots of a warp of any class, and gaps

  /// Of a warp.
  struct storage {
    simt::shared_view<slot> staged;
    simt::shared_view<std::uint16_t> order; ///< with words: slots of `staged` that they came from
  };

  /// The lane's group sorts `item`, of any length up to the class's. All lanes of the warp call.
  static SORTILE_DEVICE void sort(const storage& s, const segment_arrays<Word>& arrays, const segment_item& item) {
    const unsigned lane = simt::lane_index() % lanes;
    if constexpr (by_words) {
      find_order(s, arrays, item, lane);
      if constexpr (placed)
        arrays.values.with_size([&](auto size) { write_in_order(s, arrays, item, lane, size); });
      else
        write_in_order(s, arrays, item, lane, std::integral_constant<unsigned, 0>{});
    } else {
      sort_images(s.staged, arrays, item, lane);
      write_keys<items>(arrays, item, lane, lanes,
                        [&](std::uint32_t p) { return arrays.template key<Elements>(s.staged.load(group_slot(p))); });
    }
    simt::warp_barrier();
  }

 private:
  // Groups begin behind a gap.
  static_assert(most % simt::warp_size == 0);
  /// Of place p of the group.
  static SORTILE_DEVICE unsigned group_slot(unsigned p) {
    return simt::lane_index() / lanes * segment_slot(most) + segment_slot(p);
  }
  /// Of the lane's item j, in the order that a group loads in: a constant behind item 0's.
  static SORTILE_DEVICE std::uint32_t place(int j, unsigned lane) { return unsigned(j) * lanes + lane; }
  static SORTILE_DEVICE unsigned row_slot(int j, unsigned lane) {
    return group_slot(0) + lane + segment_slot(unsigned(j) * lanes);
  }
  static_assert(simt::warp_size % lanes == 0);

  /// `staged` becomes the images in order.
  static SORTILE_DEVICE void sort_images(const simt::shared_view<slot>& staged, const segment_arrays<Word>& arrays,
                                         const segment_item& item, unsigned lane) {
    const auto from = arrays.from(item.source);
    const auto n = std::uint32_t(item.length);
    bool is_told = true;
    Word x[items];
    if constexpr (floats) {
      SORTILE_UNROLL
      for (int j = 0; j < items; ++j)
        x[j] = place(j, lane) < n ? from.load(item.begin + place(j, lane)) : Word{0};
      SORTILE_UNROLL
      for (int j = 0; j < items; ++j) {
        is_told = is_told && arrays.is_told(x[j]);
        x[j] = place(j, lane) < n ? arrays.float_bits(x[j]) : Word(~Word{0});
      }
      is_told = simt::warp_all(is_told);
      if (!is_told) {
        SORTILE_UNROLL
        for (int j = 0; j < items; ++j)
          x[j] = place(j, lane) < n ? arrays.image_of_bits(x[j]) : x[j];
      }
    } else {
      SORTILE_UNROLL
      for (int j = 0; j < items; ++j)
        x[j] = place(j, lane) < n ? arrays.template image<Elements>(from.load(item.begin + place(j, lane)))
                                  : Word(~Word{0});
    }
    primitives::sort_in_lanes<lanes>(x);
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j)
      staged.store(segment_slot(simt::lane_index() * unsigned(items) + unsigned(j)), x[j]);
    simt::warp_barrier();
    if (!floats || is_told)
      return;
    equal_floats<Word>{arrays}.template write<lanes>(
        n, [&](std::uint32_t p) { return from.load(item.begin + p); },
        [&](std::uint32_t p, Word key) { staged.store(group_slot(p), arrays.float_bits(key)); });
    simt::warp_barrier();
  }

  /// `staged` becomes the keys as they came, and `order` where those lie that belong there.
  static SORTILE_DEVICE void find_order(const storage& s, const segment_arrays<Word>& arrays, const segment_item& item,
                                        unsigned lane) {
    const auto n = std::uint32_t(item.length);
    element x[items];
    const words w = load(s.staged, arrays, item, lane, x);
    primitives::sort_in_lanes<lanes>(x);
    stage(s.order, x, false);
    if constexpr (8 * sizeof(Word) > words::digit_bits) {
      ties t = find_ties(x, lane);
      if (!simt::warp_any(w.highest() > 0 && t.before != 0) || mend(s, arrays, t))
        return;
      if constexpr (sizeof(Word) > 8) {
        do
          t = sort_refined(s, arrays, w.least, t, n, lane, x);
        while (simt::warp_any(t.before != 0));
      } else if constexpr (sizeof(Word) <= 4) {
        static_assert(8 * sizeof(Word) <= words::digit_bits + refined_bits<element>);
        sort_refined(s, arrays, w.least, t, n, lane, x);
      } else {
        static_assert(8 * sizeof(Word) <= words::digit_bits + refined_bits<std::uint64_t>);
        if constexpr (narrow_first) {
          t = sort_refined(s, arrays, w.least, t, n, lane, x);
          if (!simt::warp_any(t.before != 0) || mend(s, arrays, t))
            return;
        }
        std::uint64_t y[items];
        sort_refined(s, arrays, w.least, t, n, lane, y);
      }
    }
  }
  /// Whether words of 32 bits, which may leave some bits of 8 bytes out, are refined before those of 64: measured.
  static constexpr bool narrow_first = Class < 3;

  static SORTILE_DEVICE words load(const simt::shared_view<slot>& staged, const segment_arrays<Word>& arrays,
                                   const segment_item& item, unsigned lane, element (&x)[items]) {
    const auto from = arrays.from(item.source);
    const auto n = std::uint32_t(item.length);
    const std::uint64_t first = item.begin + lane; // constants are added to it: one address for all loads
    Word k[items] = {};
    if (n > 0)
      k[0] = from.load(lane < n ? first : item.begin);
    SORTILE_UNROLL
    for (int j = 1; j < items; ++j)
      k[j] = place(j, lane) < n ? from.load(first + unsigned(j) * lanes) : k[0];
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j)
      staged[row_slot(j, lane)] = slot(k[j]);
    arrays.make_images(k);
    return words::template of_lanes<lanes>(k, n, lane, x);
  }
  /// Which slots they come from. Words hold places of the entry, or (through_order) of the order so far.
  template <class W>
  static SORTILE_DEVICE void stage(const simt::shared_view<std::uint16_t>& order, const W (&x)[items],
                                   bool through_order) {
    std::uint16_t from[items];
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j)
      from[j] = std::uint16_t(group_slot(words::place(x[j])));
    if (through_order) {
      SORTILE_UNROLL
      for (int j = 0; j < items; ++j)
        from[j] = order.load(from[j]);
    }
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j)
      order.store(segment_slot(simt::lane_index() * unsigned(items) + unsigned(j)), from[j]);
    simt::warp_barrier();
  }

  /// Of the digit that refine() adds.
  template <class W>
  static constexpr unsigned refined_bits = 8 * sizeof(W) - 1 - 2 * place_bits;

  // Ties: neighbours of one digit. They stand in the order of their places.

  struct ties {
    std::uint32_t before; ///< bit j: element j of the lane, with the one before it
    bool with_next;       ///< its last element and the first of the next lane
  };
  template <class W>
  static SORTILE_DEVICE ties find_ties(const W (&x)[items], unsigned lane) {
    const W next = simt::shuffle_down(x[0], 1);
    ties t{0, lane + 1 < lanes && words::tie(x[items - 1], next)};
    SORTILE_UNROLL
    for (int j = 1; j < items; ++j)
      t.before |= std::uint32_t(words::tie(x[j - 1], x[j])) << j;
    const std::uint32_t with_one_before = simt::shuffle_up(std::uint32_t(t.with_next), 1);
    t.before |= lane > 0 ? with_one_before : 0;
    return t;
  }
  /// f(p) for each p of the warp's order whose element is the lane's and ties with the one at p − 1.
  template <class F>
  static SORTILE_DEVICE void each_tie(std::uint32_t ties_there, F f) {
    SORTILE_NO_UNROLL
    for (; ties_there != 0; ties_there &= ties_there - 1)
      f(simt::lane_index() * unsigned(items) + simt::trailing_zeros(ties_there));
  }

  /// Of the element at place p of the warp's order.
  static SORTILE_DEVICE Word image(const storage& s, const segment_arrays<Word>& arrays, unsigned p) {
    return arrays.codec.image(Word(s.staged.load(s.order.load(segment_slot(p)))));
  }
  /// Where few are tied, their order is wrong at few places: each lane puts in order what it has, and then its last
  /// element and the next lane's first. False where that has not been enough.
  static SORTILE_DEVICE bool mend(const storage& s, const segment_arrays<Word>& arrays, const ties& t) {
    constexpr unsigned rounds = 2, few = 4; // more take longer than a further digit
    if (simt::warp_any(simt::popcount(t.before) > few))
      return false;
    const unsigned first = simt::lane_index() * unsigned(items), end = first + unsigned(items);
    const auto image_in = [&](unsigned slot) { return arrays.codec.image(Word(s.staged.load(slot))); };
    SORTILE_NO_UNROLL
    for (unsigned round = 0; round < rounds; ++round) {
      each_tie(t.before & ~1u, [&](unsigned p) { insert_in_order(s.order, image_in, first, p); });
      simt::warp_barrier();
      const bool wrong = t.with_next && insert_in_order(s.order, image_in, end - 1, end);
      simt::warp_barrier();
      if (!simt::warp_any(wrong))
        return true;
    }
    return false;
  }

  /// The order, put right by a further digit: what that leaves tied, which is nothing where the order was right.
  template <class W>
  static SORTILE_DEVICE ties sort_refined(const storage& s, const segment_arrays<Word>& arrays, Word least,
                                          const ties& t, std::uint32_t n, unsigned lane, W (&x)[items]) {
    if (!refine(s, arrays, least, t, n, lane, x))
      return {0, false};
    primitives::sort_in_lanes<lanes>(x);
    stage(s.order, x, true);
    return find_ties(x, lane);
  }
  /// x becomes words that keep what is told, and tell by a further digit of (image − least): the highest bits by which
  /// tied ones differ.
  ///
  ///   | 0 | rank among digits | digit | place in the order so far |
  ///
  /// False where the order is right.
  template <class W>
  static SORTILE_DEVICE bool refine(const storage& s, const segment_arrays<Word>& arrays, Word least, const ties& t,
                                    std::uint32_t n, unsigned lane, W (&x)[items]) {
    constexpr unsigned digit_bits = refined_bits<W>;
    Word differ = 0;
    bool wrong = false;
    each_tie(t.before, [&](unsigned p) {
      const Word a = image(s, arrays, p - 1), b = image(s, arrays, p);
      differ |= Word(a - least) ^ Word(b - least);
      wrong |= b < a;
    });
    if (!simt::warp_any(wrong))
      return false;
    const unsigned bits = bits_of(primitives::lanes_reduce<lanes>(differ, [](Word a, Word b) { return Word(a | b); }));
    const unsigned shift = bits > digit_bits ? bits - digit_bits : 0;
    const std::uint32_t firsts = ~t.before & ((1u << items) - 1); // of each digit
    const std::uint32_t all = primitives::warp_inclusive_scan(simt::popcount(firsts), primitives::plus{});
    const std::uint32_t before = all - simt::popcount(firsts);
    const std::uint32_t rank = before - simt::shuffle(before, simt::lane_index() - lane);
    Word k[items];
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j)
      k[j] = Word(s.staged.load(s.order.load(segment_slot(simt::lane_index() * unsigned(items) + unsigned(j)))));
    arrays.make_images(k);
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j) {
      const std::uint32_t place = lane * unsigned(items) + unsigned(j);
      const W digit = W(Word(k[j] - least) >> shift) & ((W{1} << digit_bits) - 1);
      const W rank_of = rank + simt::popcount(firsts & ((2u << j) - 1)) - 1;
      const W word = (rank_of << digit_bits | digit) << place_bits | W(place);
      x[j] = place < n ? word : words::template absent<W>(place);
    }
    return true;
  }

  /// Keys, and then values word by word, which are staged as they come and read in order: shared storage bears that
  /// better than the cache does. `size`: words of a value, a constant where it is one.
  template <class Size>
  static SORTILE_DEVICE void write_in_order(const storage& s, const segment_arrays<Word>& arrays,
                                            const segment_item& item, unsigned lane, Size size) {
    const auto n = std::uint32_t(item.length);
    const std::uint64_t first = item.begin + lane;
    const auto staged = simt::view_as<std::uint32_t>(s.staged);
    const auto values = arrays.values.template from<std::uint32_t>(item.source);
    const bool makes = arrays.values.makes(item.source);
    // f(j) for the lane's items that there are.
    const auto each = [&](auto f) {
      SORTILE_UNROLL
      for (int j = 0; j < items; ++j)
        if (place(j, lane) < n)
          f(j);
    };
    std::uint32_t v[items] = {};
    const auto load_values = [&](unsigned w) {
      if (makes)
        each([&](int j) { v[j] = w == 0 ? place(j, lane) : 0; });
      else
        each([&](int j) { v[j] = values.load(first * size + w + unsigned(j) * lanes * size); });
    };
    if (size > 0)
      load_values(0); // on their way while keys are written
    if (arrays.keys_wanted)
      each([&](int j) {
        arrays.out.store(first + unsigned(j) * lanes, Word(s.staged.load(s.order.load(row_slot(j, lane)))));
      });
    SORTILE_NO_UNROLL
    for (unsigned w = 0; w < size; ++w) {
      if (w > 0)
        load_values(w);
      simt::warp_barrier();
      each([&](int j) { staged[row_slot(j, lane)] = v[j]; });
      simt::warp_barrier();
      const auto out = arrays.values.template to<std::uint32_t>(segment_source::output);
      each([&](int j) {
        out.store(first * size + w + unsigned(j) * lanes * size, staged.load(s.order.load(row_slot(j, lane))));
      });
    }
  }
};

template <class Word, segment_elements Elements>
struct segment_short_kernel {
  static constexpr unsigned classes = detail::segment_classes::shorts;
  using lanes = segment_lanes<Word, Elements, 0>;
  static constexpr bool starts_early = true;
  /// As registers allow: measured.
  static constexpr unsigned block_threads = 128, min_blocks = sizeof(Word) > 8                         ? 5
                                                              : sizeof(Word) > 4                       ? 6
                                                              : Elements == segment_elements::integers ? 10
                                                                                                       : 8;
  static constexpr unsigned warps = block_threads / simt::warp_size, room = lanes::room;

  struct shared {
    alignas(16) simt::shared_array<typename lanes::slot, warps * room> staged;
    simt::shared_array<std::uint16_t, lanes::by_words ? warps * room : 2> order;
  };

  segment_work works[classes];
  segment_arrays<Word> arrays;
  unsigned wanted = 0; ///< classes that there are, a bit each

  static constexpr std::uint64_t blocks_for(unsigned c, std::uint64_t entries) {
    const unsigned at_once = warps * (c == 0   ? segment_lanes<Word, Elements, 0>::groups
                                      : c == 1 ? segment_lanes<Word, Elements, 1>::groups
                                      : c == 2 ? segment_lanes<Word, Elements, 2>::groups
                                               : segment_lanes<Word, Elements, 3>::groups);
    return (entries + at_once - 1) / at_once;
  }

  SORTILE_DEVICE void operator()(shared& s) const {
    each<0>(s);
    each<1>(s);
    each<2>(s);
    each<3>(s);
  }

 private:
  template <unsigned Class>
  SORTILE_DEVICE void each(shared& s) const {
    if ((wanted & (1u << Class)) == 0)
      return;
    using group = segment_lanes<Word, Elements, Class>;
    const unsigned begins = simt::warp_index() * room;
    const typename group::storage own{s.staged.subview(begins, room),
                                      lanes::by_words ? s.order.subview(begins, room) : s.order.view()};
    const segment_work& work = works[Class];
    constexpr unsigned at_once = warps * group::groups;
    const std::uint64_t step = std::uint64_t{simt::grid_size()} * at_once, all = work.size();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * at_once + simt::warp_index() * group::groups;
    for (std::uint64_t i = first; i < all; i += step) {
      const std::uint64_t mine = i + simt::lane_index() / group::lanes;
      group::sort(own, arrays, mine < all ? work.load(mine) : segment_item{0, 0, segment_source::input, 0});
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
