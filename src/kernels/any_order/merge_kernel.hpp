// Merges the slabs of groups of sorted runs (slabs.hpp): each block a slab, up to eight runs at once.
//
// A block reads its part of every run into shared storage, one behind the other, merges neighbours there until one is
// left, and writes the result where it belongs: a merge of eight runs reads and writes memory once. Where the borders
// of a group cannot be used (border_kernels.hpp), its blocks copy an equal share of it each.
#pragma once

#include "kernels/any_order/slabs.hpp"
#include "kernels/any_order/sort_shape.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Arrays, class Runs, class Less>
struct slab_merge_kernel {
  using element = typename Arrays::element;
  using shape = sort_shape<element>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = shape::most_threads, min_blocks = shape::min_blocks;
  static constexpr unsigned items = shape::each;
  static constexpr unsigned read_at_once = sizeof(element) <= 16 ? unsigned(32 / sizeof(element)) : 2;
  struct shared {
    simt::shared_array<std::uint32_t, block_threads> starts;
    simt::shared_array<std::uint32_t, most_ways + 1> part;       // where the part of each run begins among `elements`
    simt::shared_array<typename Runs::source, most_ways> source; // of each run, by places there
    simt::shared_value<std::uint64_t> target;                    // where the slab goes
    simt::shared_value<std::uint32_t> is_copied;
  };

  Runs runs;
  merge_layout<typename Runs::lengths> layout;
  slab_borders<const std::uint64_t> borders;
  simt::global<const std::uint32_t> unusable;
  simt::global<element> merged;
  bool is_last; // of all merges: the result goes to the caller's arrays
  Arrays arrays;
  by_key<Less> less;
  unsigned capacity; // elements of a half of the dynamic storage

  /// Of blocks that merge so many elements.
  static constexpr std::size_t dynamic_bytes(unsigned capacity) { return 2 * sizeof(element) * capacity; }

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    if (simt::warp_index() == 0)
      find_parts(s, layout.slab_at(simt::block_index()));
    simt::block_barrier();
    const unsigned length = s.part.load(most_ways), ways = s.is_copied != 0 ? 1 : layout.ways;
    primitives::two_halves<element> slab{simt::dynamic_shared<element>(*this, 2 * capacity), 0, capacity};
    read(s, slab, length);
    SORTILE_NO_UNROLL
    for (unsigned together = 1; together < ways; together *= 2)
      primitives::merge_step(primitives::merged_by::block, slab, s.starts.view(), part_of(s, together), items, less);
    simt::block_barrier();
    const std::uint64_t target = s.target;
    for (unsigned p = t; p < length; p += threads) {
      if (is_last)
        arrays.store(target + p, slab.load(p));
      else
        merged.store(target + p, slab.load(p));
    }
  }

 private:
  /// What this block has of each run: lane j for run j.
  SORTILE_DEVICE void find_parts(shared& s, const group_piece& at) const {
    const unsigned j = simt::lane_index();
    const std::uint64_t group = at.group, slab = at.number;
    std::uint64_t samples = layout.samples_of(group, j);
    SORTILE_UNROLL
    for (unsigned other = 1; other < most_ways; other *= 2) // of the first lanes, which have runs
      samples += simt::shuffle_xor(samples, other);
    const std::uint64_t slabs = layout.slabs_of(simt::shuffle(samples, 0));
    const bool copies = unusable.load(group) != 0;
    std::uint64_t begin = 0, end = 0;
    if (j < layout.ways && slab < slabs) {
      if (copies) {
        copied_part(group, slab, slabs, j, begin, end);
      } else {
        begin = borders.load(layout, at, slab, slabs, j);
        end = borders.load(layout, at, slab + 1, slabs, j);
      }
    }
    const unsigned count = unsigned(end - begin);
    unsigned before = 0, all = 0;
    std::uint64_t target = layout.begin(group, 0);
    SORTILE_NO_UNROLL
    for (unsigned other = 0; other < most_ways; ++other) {
      const unsigned theirs = simt::shuffle(count, other);
      before += other < j ? theirs : 0;
      all += theirs;
      target += simt::shuffle(begin, other);
    }
    if (j < most_ways) {
      s.part.store(j, before);
      if (count > 0)
        s.source.store(j, runs.of(layout.lengths, group * layout.ways + j).shifted(begin - before));
    }
    if (j == 0) {
      s.part.store(most_ways, all);
      s.target = target;
      s.is_copied = copies;
    }
  }
  /// Of run j what lies in an equal share of the whole group.
  SORTILE_DEVICE void copied_part(std::uint64_t group, std::uint64_t slab, std::uint64_t slabs, unsigned j,
                                  std::uint64_t& begin, std::uint64_t& end) const {
    const std::uint64_t begins = layout.begin(group, 0), all = layout.begin(group, layout.ways) - begins;
    const std::uint64_t first = layout.begin(group, j) - begins, length = layout.length(group, j);
    const std::uint64_t share = (all + slabs - 1) / slabs;
    const auto in_run = [=](std::uint64_t i) { return i < first ? 0 : i - first < length ? i - first : length; };
    begin = in_run(slab * share);
    end = in_run((slab + 1) * share);
  }
  /// Several elements are on their way at once.
  SORTILE_DEVICE void read(shared& s, const primitives::two_halves<element>& to, unsigned length) const {
    const unsigned threads = simt::block_size();
    unsigned runs_read = 0, end = 0; // of the run at hand, which is the last of these
    typename Runs::source run{};
    for (unsigned first = simt::thread_index(); first < length; first += read_at_once * threads) {
      element x[read_at_once];
      SORTILE_UNROLL
      for (unsigned k = 0; k < read_at_once; ++k) {
        const unsigned p = first + k * threads;
        if (p >= length)
          continue;
        if (p >= end) {
          do
            end = s.part.load(++runs_read);
          while (p >= end);
          run = s.source.load(runs_read - 1);
        }
        x[k] = runs.load(run, p);
      }
      SORTILE_UNROLL
      for (unsigned k = 0; k < read_at_once; ++k)
        if (first + k * threads < length)
          to.put(first + k * threads, x[k]);
    }
  }
  /// This thread's work where `together` runs at a time have become one: pair by pair the threads that it takes.
  SORTILE_DEVICE static primitives::merge_part part_of(shared& s, unsigned together) {
    unsigned t = simt::thread_index();
    for (unsigned j = 0; j < most_ways; j += 2 * together) {
      const unsigned begin = s.part.load(j), end = s.part.load(j + 2 * together),
                     used = (end - begin + items - 1) / items;
      if (t < used)
        return {begin, s.part.load(j + together), end, t * items};
      t -= used;
    }
    return {};
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
