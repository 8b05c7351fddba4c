// Sorts entries of up to 512 elements in registers, by a group of 4, 8, 16 or 32 lanes each.
//
// Elements are keys' images (of floats too: equal_floats.hpp), or where equal keys can be told apart words of an image
// and a place (segment_words.hpp).
//
// Lanes load them in rows, sort_in_lanes puts them in order with a lane's elements side by side, and the warp's part of
// shared storage turns them, or the places that they came from, back into rows, so that stores are side by side too.
// The network's steps do not depend on the keys. Steps within a lane cost a quarter of those between lanes, so a group
// has few lanes with many elements each:
//
//   up to                            64     128     256     512
//   lanes, elements of 4 bytes        4       8      16      32        16 elements each; 3, 6, 10, 15 steps by shuffles
//   longer elements, and words        8      16      32      32        8 and at last 16 each, as registers allow
#pragma once

#include "kernels/segments/equal_floats.hpp"
#include "kernels/segments/segment_words.hpp"
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
  static constexpr unsigned most = 64u << Class, place_bits = 6 + Class;
  using words = segment_words<Word, place_bits>;
  using element = std::conditional_t<placed, typename words::word, Word>;
  using slot = std::conditional_t<placed, std::uint16_t, Word>;                          ///< a place, or an image
  static constexpr int items = (sizeof(element) == 4 && !placed) || Class == 3 ? 16 : 8; ///< of a lane
  static constexpr unsigned lanes = most / unsigned(items), groups = simt::warp_size / lanes;
  static constexpr unsigned room = 16 * simt::warp_size + 16; ///< slots of a warp of any class, and gaps

  /// The lane's group sorts `item`, of any length up to the class's. All lanes of the warp call.
  static SORTILE_DEVICE void sort(const simt::shared_view<slot>& staged, const segment_arrays<Word>& arrays,
                                  const segment_item& item) {
    const unsigned lane = simt::lane_index() % lanes;
    const auto barrier = [] { simt::warp_barrier(); };
    const auto at = [&](std::uint32_t p) { return staged.load(staged_at(group_begins() + p)); };
    if constexpr (placed) {
      find_order(staged, arrays, item, lane);
      write_in_order<items>(arrays, item, lane, lanes, at, barrier);
    } else {
      sort_images(staged, arrays, item, lane);
      write_keys<items>(arrays, item, lane, lanes,
                        [&](std::uint32_t p) { return arrays.template key<Elements>(at(p)); });
    }
    barrier();
  }

 private:
  static SORTILE_DEVICE unsigned staged_at(unsigned p) { return p + p / simt::warp_size; } // against bank conflicts
  static SORTILE_DEVICE unsigned group_begins() { return simt::lane_index() / lanes * most; }
  /// Of the lane's item j, in the order that a group loads in.
  static SORTILE_DEVICE std::uint32_t place(int j, unsigned lane) { return unsigned(j) * lanes + lane; }
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
      staged.store(staged_at(simt::lane_index() * unsigned(items) + unsigned(j)), x[j]);
    simt::warp_barrier();
    if (!floats || is_told)
      return;
    equal_floats<Word>{arrays}.template write<lanes>(
        n, [&](std::uint32_t p) { return from.load(item.begin + p); },
        [&](std::uint32_t p, Word key) { staged.store(staged_at(group_begins() + p), arrays.float_bits(key)); });
    simt::warp_barrier();
  }

  /// `staged` becomes the places that the elements came from. Once by the highest digit; where that has told too
  /// little, by all digits, the lowest first.
  static SORTILE_DEVICE void find_order(const simt::shared_view<std::uint16_t>& staged,
                                        const segment_arrays<Word>& arrays, const segment_item& item, unsigned lane) {
    const auto from = arrays.from(item.source);
    const auto n = std::uint32_t(item.length);
    const std::uint64_t first = item.begin + lane; // constants are added to it: one address for all loads
    const auto image = [&](std::uint32_t p) { return arrays.codec.image(from.load(item.begin + p)); };
    element x[items];
    const words w = load([&](int j) { return arrays.codec.image(from.load(first + unsigned(j) * lanes)); }, n, lane, x);
    unsigned digit = 0, digits = 0; // none: by the highest
    SORTILE_NO_UNROLL
    do {
      primitives::sort_in_lanes<lanes>(x);
      stage(staged, x, digit > 0);
      if (digits == 0) {
        const bool ties = has_tie(n, lane, x) && w.highest() > 0;
        if (!simt::warp_any(ties) || !simt::warp_any(is_wrong(staged, image, n, lane)))
          return;
        digits = simt::warp_reduce_max(w.digits());
      } else if (++digit == digits) {
        return;
      }
      SORTILE_UNROLL
      for (int j = 0; j < items; ++j)
        if (const std::uint32_t p = place(j, lane); p < n) {
          const unsigned at = digit == 0 ? p : staged.load(staged_at(group_begins() + p));
          // Of fewer bits than this digit begins with: all the same.
          const unsigned shift = digit * words::digit_bits;
          x[j] = shift < w.bits ? w(image(at), shift, p) : element(p);
        } else {
          x[j] = words::absent;
        }
      simt::warp_barrier();
    } while (true);
  }

  template <class Image>
  static SORTILE_DEVICE words load(const Image& image, std::uint32_t n, unsigned lane, element (&x)[items]) {
    Word k[items];
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j)
      k[j] = place(j, lane) < n ? image(j) : Word{0};
    return words::template of_lanes<lanes>(k, n, lane, x);
  }
  /// Where the places come of: those in the words, or what is staged there.
  static SORTILE_DEVICE void stage(const simt::shared_view<std::uint16_t>& staged, const element (&x)[items],
                                   bool follows) {
    std::uint16_t places[items];
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j) {
      const unsigned p = words::place(x[j]);
      places[j] = follows ? staged.load(staged_at(group_begins() + p)) : std::uint16_t(p);
    }
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j)
      staged.store(staged_at(simt::lane_index() * unsigned(items) + unsigned(j)), places[j]);
    simt::warp_barrier();
  }
  /// Whether two neighbours have one digit: of the lane's elements, and the next lane's first.
  static SORTILE_DEVICE bool has_tie(std::uint32_t n, unsigned lane, const element (&x)[items]) {
    const element next = simt::shuffle_down(x[0], 1);
    bool ties = false;
    SORTILE_UNROLL
    for (int j = 0; j < items; ++j)
      ties = ties || (lane * unsigned(items) + unsigned(j) + 1 < n &&
                      words::tie(x[j], j + 1 < items ? x[j + 1 < items ? j + 1 : 0] : next));
    return ties;
  }
  /// Of the order that is staged.
  template <class Image>
  static SORTILE_DEVICE bool is_wrong(const simt::shared_view<std::uint16_t>& staged, const Image& image,
                                      std::uint32_t n, unsigned lane) {
    bool wrong = false;
    SORTILE_NO_UNROLL
    for (std::uint32_t p = lane; p + 1 < n; p += lanes)
      wrong = wrong ||
              image(staged.load(staged_at(group_begins() + p + 1))) < image(staged.load(staged_at(group_begins() + p)));
    return wrong;
  }
};

template <class Word, segment_elements Elements>
struct segment_short_kernel {
  static constexpr unsigned classes = detail::segment_classes::shorts;
  using lanes = segment_lanes<Word, Elements, 0>;
  static constexpr bool starts_early = true;
  /// As registers allow: measured.
  static constexpr unsigned blocks_of(std::size_t element) {
    constexpr bool integers = Elements == segment_elements::integers;
    return element == 4 ? (integers ? 10 : 8) : integers ? 1 : 5;
  }
  static constexpr unsigned block_threads = 128, min_blocks = blocks_of(sizeof(typename lanes::element));
  static constexpr unsigned warps = block_threads / simt::warp_size, room = lanes::room;

  struct shared {
    alignas(16) simt::shared_array<typename lanes::slot, warps * room> staged;
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
    const auto staged = s.staged.subview(simt::warp_index() * room, room);
    const segment_work& work = works[Class];
    constexpr unsigned at_once = warps * group::groups;
    const std::uint64_t step = std::uint64_t{simt::grid_size()} * at_once, all = work.size();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * at_once + simt::warp_index() * group::groups;
    for (std::uint64_t i = first; i < all; i += step) {
      const std::uint64_t mine = i + simt::lane_index() / group::lanes;
      group::sort(staged, arrays, mine < all ? work.load(mine) : segment_item{0, 0, segment_source::input, 0});
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
