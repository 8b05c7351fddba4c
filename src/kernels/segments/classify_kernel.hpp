// Reads where the segments lie, and sorts the tiny ones.
//
// A warp takes 32 neighbouring segments, a lane each, so that offsets are read side by side. Longer segments go to the
// lists, by one atomic addition a warp and list. The tiny ones are sorted there and then: the warp is cut into groups
// of 1, 2, 4, … 32 lanes, as many as the longest of its tiny segments has elements, and each group takes one segment
// after the other, a lane an element.
//
//   lengths 3 1 4 2 …  →  groups of 4      lanes  a b c · | d · · · | e f g h | i j · · | …
//
// A group ranks by counting: each lane asks for all images of its group in turn, and counts those that come before its
// own. A width of 16 takes 16 shuffles. A network takes 10, and then as many for keys and values as they have words.
// Counted ranks are stable, need no place beside the image, and say where keys and values go. Neighbouring segments lie
// side by side, so loads and stores fill sectors but for the lanes that a group leaves idle.
#pragma once

#include "kernels/segments/segment_items.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct segment_classify_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256, warps = block_threads / simt::warp_size;
  static constexpr unsigned tiny = detail::segment_classes::tiny;

  segment_reader where;
  segment_arrays<Word> arrays;
  segment_lists lists;
  segment_list larges;
  simt::global<std::uint32_t> control, status;
  bool tells, lists_wanted;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t warp = std::uint64_t{simt::block_index()} * warps + simt::warp_index();
    const std::uint64_t step = std::uint64_t{simt::grid_size()} * warps * simt::warp_size;
    for (std::uint64_t first = warp * simt::warp_size; first < where.count; first += step) {
      const std::uint64_t i = first + simt::lane_index();
      segment_reader::found mine{0, 0, false};
      if (i < where.count)
        mine = where.load(i);
      tell(mine.wrong);
      if (lists_wanted)
        enlist(mine);
      sort_tiny(mine);
    }
  }

 private:
  SORTILE_DEVICE void tell(bool wrong) const {
    if (simt::ballot(wrong) == 0 || simt::lane_index() != 0)
      return;
    control.fetch_or(offsets_wrong, 1u);
    if (tells)
      status.fetch_or(0, 1u);
  }

  SORTILE_DEVICE void enlist(const segment_reader::found& f) const {
    using classes = detail::segment_classes;
    const segment_item item{f.begin, f.length, segment_source::input, arrays.codec.bits};
    if (simt::ballot(f.length > tiny) == 0)
      return;
    lists.shorts.add_by_warp(f.length > tiny && f.length <= classes::warp, item);
    lists.small_blocks.add_by_warp(f.length > classes::warp && f.length <= classes::small_block, item);
    lists.large_blocks.add_by_warp(f.length > classes::small_block && f.length <= lists.most_in_block, item);
    larges.add_by_warp(f.length > lists.most_in_block, item);
  }

  SORTILE_DEVICE void sort_tiny(const segment_reader::found& f) const {
    const auto n = std::uint32_t(f.length <= tiny ? f.length : 0);
    const std::uint32_t longest = simt::warp_reduce_max(n);
    if (longest > 16)
      sort_groups<32>(f.begin, n);
    else if (longest > 8)
      sort_groups<16>(f.begin, n);
    else if (longest > 4)
      sort_groups<8>(f.begin, n);
    else if (longest > 2)
      sort_groups<4>(f.begin, n);
    else if (longest > 1)
      sort_groups<2>(f.begin, n);
    else if (longest == 1 && (!arrays.in_place || arrays.values.make_indices))
      sort_groups<1>(f.begin, n);
  }

  /// Rounds that are in flight together.
  template <unsigned Width>
  static constexpr int together = Width < 4           ? int(Width)
                                  : sizeof(Word) <= 8 ? 4
                                                      : 2;

  template <unsigned Width>
  SORTILE_DEVICE void sort_groups(std::uint64_t begin, std::uint32_t n) const {
    constexpr unsigned groups = simt::warp_size / Width;
    constexpr int rounds = together<Width>;
    const unsigned group = simt::lane_index() / Width, place = simt::lane_index() % Width;
    SORTILE_NO_UNROLL
    for (unsigned r = 0; r < Width; r += unsigned(rounds)) {
      std::uint64_t begins[rounds];
      std::uint32_t lengths[rounds], ranks[rounds];
      Word keys[rounds];
      SORTILE_UNROLL
      for (int k = 0; k < rounds; ++k) {
        const unsigned segment = (r + unsigned(k)) * groups + group;
        begins[k] = simt::shuffle(begin, segment);
        lengths[k] = simt::shuffle(n, segment);
        keys[k] = place < lengths[k] ? arrays.in.load(begins[k] + place) : Word{0};
      }
      SORTILE_UNROLL
      for (int k = 0; k < rounds; ++k)
        ranks[k] = rank<Width>(arrays.codec.image(keys[k]), lengths[k], place);
      simt::warp_barrier();
      if (arrays.keys_wanted) {
        SORTILE_UNROLL
        for (int k = 0; k < rounds; ++k)
          if (place < lengths[k])
            arrays.out.store(begins[k] + ranks[k], keys[k]);
      }
      for (unsigned w = 0; w < arrays.values.words; ++w)
        move_values<rounds>(begins, lengths, ranks, place, w);
    }
  }

  template <unsigned Width>
  static SORTILE_DEVICE std::uint32_t rank(Word image, std::uint32_t n, unsigned place) {
    const unsigned first = simt::lane_index() - place;
    std::uint32_t before = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < Width; ++j) {
      const Word other = simt::shuffle(image, first + j);
      before += j < n && (other < image || (other == image && j < place)) ? 1 : 0;
    }
    return before;
  }

  template <int Rounds>
  SORTILE_DEVICE void move_values(const std::uint64_t (&begins)[Rounds], const std::uint32_t (&lengths)[Rounds],
                                  const std::uint32_t (&ranks)[Rounds], unsigned place, unsigned w) const {
    std::uint32_t words[Rounds] = {};
    SORTILE_UNROLL
    for (int k = 0; k < Rounds; ++k)
      if (place < lengths[k])
        words[k] = arrays.values.word({begins[k], lengths[k], segment_source::input, 0}, place, w);
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int k = 0; k < Rounds; ++k)
      if (place < lengths[k])
        arrays.values.store_word(begins[k] + ranks[k], w, words[k]);
  }
};

/// Zeroes the control words and the caller's status.
struct segment_begin_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = detail::segment_control_words;
  simt::global<std::uint32_t> control, status;
  bool tells;

  SORTILE_DEVICE void operator()() const {
    control[simt::thread_index()] = 0;
    if (tells && simt::thread_index() == 0)
      status[0] = 0;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
