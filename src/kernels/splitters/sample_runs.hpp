// Where each sample's run of equals begins and ends, of samples in order: a place of 16 bits a sample.
//
//   samples   a  a  b  c  c  c  d        a run's first sample has the place behind the run's last one,
//   run       2  0  3  6  3  3  7        every other one the place of the run's first
//
// So a sample says by what it has whether it is a first one. All threads find this together, each of neighbouring
// samples: a scan says in which run a thread's samples begin, and who meets the next run's first sample tells the one
// before where it ends.
//
// Samples of 128 bits leave no room beside them: their places stand in the gaps between them (block_merge_sort.hpp), 16
// unused bytes after every eight.
#pragma once

#include "primitives/block_merge_sort.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads, unsigned Most>
struct sample_runs {
  static_assert(Most < 1u << 16);
  static constexpr bool in_gaps = sizeof(Word) == 16;
  /// Words that the samples take, with their gaps.
  static constexpr std::uint32_t room = primitives::merge_sort_room<Word>(Most) + (in_gaps ? 1 : 0);
  struct storage {
    simt::shared_array<std::uint16_t, in_gaps ? 1 : Most> run;
    primitives::block_scan_storage<std::uint32_t, Threads> scan;
  };

  simt::shared_view<Word> sorted;
  simt::shared_view<std::uint16_t> run;
  std::uint32_t size;

  static SORTILE_DEVICE sample_runs of(storage& s, const simt::shared_view<Word>& sorted, std::uint32_t size) {
    if constexpr (in_gaps)
      return {sorted, simt::view_as<std::uint16_t>(sorted), size};
    else
      return {sorted, s.run.view(), size};
  }

  SORTILE_DEVICE Word at(std::uint32_t i) const { return sorted.load(primitives::merge_sort_place<Word>(i)); }
  /// The first sample of sample i's value.
  SORTILE_DEVICE std::uint32_t first_of(std::uint32_t i) const {
    const std::uint32_t other = run.load(place(i));
    return other > i ? i : other;
  }
  /// The place after the last sample of a value, of its first one.
  SORTILE_DEVICE std::uint32_t behind(std::uint32_t first) const { return run.load(place(first)); }

  /// By all threads of a block; a block barrier has to follow.
  SORTILE_DEVICE void find(storage& s) const {
    const std::uint32_t each = (size + Threads - 1) / Threads, begin = limited(simt::thread_index() * each),
                        end = limited(begin + each);
    std::uint32_t latest = 0;
    for (std::uint32_t i = begin; i < end; ++i)
      latest = begins(i) ? i : latest;
    std::uint32_t first = primitives::block_exclusive_scan(s.scan, latest, primitives::maximum{}, 0u).before;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (!begins(i)) {
        run[place(i)] = std::uint16_t(first);
        continue;
      }
      if (i != 0)
        run[place(first)] = std::uint16_t(i);
      first = i;
    }
    if (begin < end && end == size)
      run[place(first)] = std::uint16_t(size);
  }

 private:
  static SORTILE_DEVICE std::uint32_t place(std::uint32_t i) {
    constexpr unsigned a_gap = 8; // behind as many samples
    return in_gaps ? (i / a_gap * (a_gap + 1) + a_gap) * a_gap + i % a_gap : i;
  }
  SORTILE_DEVICE std::uint32_t limited(std::uint32_t i) const { return i < size ? i : size; }
  SORTILE_DEVICE bool begins(std::uint32_t i) const { return i == 0 || at(i) != at(i - 1); }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
