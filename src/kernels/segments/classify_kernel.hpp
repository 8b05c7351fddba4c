// Reads where the segments lie, and sorts the tiny ones.
//
// A warp takes 32 neighbouring segments, a lane each, so that offsets are read side by side. Longer segments go to the
// lists, by one atomic addition a list, all of a warp's at once: its lanes wait for memory a single time. Those of up
// to 32 elements are sorted there and then, by a thread each (tiny_segments.hpp), and pairs of 32 bits up to 64 by some
// lanes each (short_kernel.hpp): a list would cost a tenth of their time. Keys alone lose more by the registers than
// they gain. Of keys of 128 bits only the tiniest, since registers allow no more.
//
// Mixes. All threads of a warp go through the network that the longest of its segments asks for, and warps that go
// through different ones wait for instructions. So where a warp has few segments that need the widest, a list takes
// these too, and the lanes of another warp sort them together.
#pragma once

#include "kernels/segments/short_kernel.hpp"
#include "kernels/segments/tiny_segments.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Registers for the widest network would leave few threads: measured on the H100 and H200 with CUDA 13.0.
template <class Word, segment_elements Elements>
inline constexpr unsigned classify_min_blocks = sizeof(Word) > 8   ? 1
                                                : sizeof(Word) < 8 ? (Elements == segment_elements::floats ? 9 : 8)
                                                : Elements == segment_elements::placed ? 5
                                                                                       : 6;

template <class Word, segment_elements Elements, unsigned MinBlocks = classify_min_blocks<Word, Elements>>
struct segment_classify_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 128, min_blocks = MinBlocks, warps = block_threads / simt::warp_size;
  static constexpr unsigned few = 4; ///< wide ones of a warp: a list costs less than a wide network for all
  using tinies = tiny_segments<Word, Elements>;
  using lanes = segment_lanes<Word, Elements, 0>;
  static constexpr auto classes = detail::segment_classes::of(sizeof(Word), lanes::placed);

  struct shared {
    typename tinies::storage warps[segment_classify_kernel::warps];
  };

  segment_reader where;
  segment_arrays<Word> arrays;
  segment_lists lists;
  segment_list larges;
  simt::global<std::uint32_t> control, status;
  bool tells, lists_wanted;

  SORTILE_DEVICE void operator()(shared& s) const {
    // With places the compiler keeps it, and pinned it costs 4 to 8 %: measured.
    typename tinies::storage& own =
        lanes::placed ? s.warps[simt::warp_index()] : simt::pinned(s.warps[simt::warp_index()]);
    const std::uint64_t warp = std::uint64_t{simt::block_index()} * warps + simt::warp_index();
    const std::uint64_t step = std::uint64_t{simt::grid_size()} * warps * simt::warp_size;
    for (std::uint64_t first = warp * simt::warp_size; first < where.count; first += step) {
      const std::uint64_t i = first + simt::lane_index();
      segment_reader::found mine{0, 0, false};
      if (i < where.count)
        mine = where.load(i);
      std::uint32_t unlisted = classes.tiny;
      if (lists_wanted) {
        tell(mine.wrong);
        const unsigned wide = simt::ballot(mine.length > classes.narrow() && mine.length <= classes.tiny);
        if (simt::popcount(wide) <= few)
          unlisted = classes.narrow();
        enlist(mine, unlisted);
      }
      tinies::sort(own, arrays, mine.begin,
                   mine.length <= tinies::most && mine.length <= unlisted ? unsigned(mine.length) : 0);
      if constexpr (classes.tiny > classes.thread)
        if (unlisted == classes.tiny)
          sort_by_lanes(own, mine);
    }
  }

 private:
  /// The warp's segments of more than a thread sorts, as many at a time as it has groups of lanes.
  SORTILE_DEVICE void sort_by_lanes(typename tinies::storage& own, const segment_reader::found& f) const {
    const std::uint32_t n = f.length > classes.thread && f.length <= classes.tiny ? std::uint32_t(f.length) : 0;
    const unsigned there = simt::ballot(n > 0);
    SORTILE_NO_UNROLL
    for (unsigned first = 0; first < simt::warp_size; first += lanes::groups) {
      if ((there >> first & ((1u << lanes::groups) - 1)) == 0)
        continue;
      const unsigned segment = first + simt::lane_index() / lanes::lanes;
      const std::uint64_t begin = simt::shuffle(f.begin, segment);
      lanes::sort({own.staged.view(), own.order.view()}, arrays,
                  {begin, simt::shuffle(n, segment), segment_source::input, 0});
    }
  }

  SORTILE_DEVICE void tell(bool wrong) const {
    if (simt::ballot(wrong) == 0 || simt::lane_index() != 0)
      return;
    control.fetch_or(offsets_wrong, 1u);
    if (tells)
      status.fetch_or(0, 1u);
  }

  SORTILE_DEVICE void enlist(const segment_reader::found& f, std::uint32_t unlisted) const {
    if (simt::ballot(f.length > unlisted) == 0)
      return;
    const segment_item item{f.begin, f.length, segment_source::input, arrays.codec.bits};
    lists.add_by_warp(item, unlisted);
    larges.add_by_warp(f.length > lists.classes.block(), item);
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
