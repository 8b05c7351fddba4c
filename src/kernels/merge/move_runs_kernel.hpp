// The kernel of move_runs.hpp: a power of two of threads per element, each moving every so many units of it. A thread
// finds the places of several elements before it reads the first, so that reads are on their way at once. A block has
// neighbouring tiles, most of which lie in the run of the one before: the search for a run is as long as a tile's
// reads.
#pragma once

#include "kernels/any_order/run_list.hpp"
#include "kernels/number_array.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Unit: std::uint8_t or std::uint32_t.
template <class Unit>
struct move_runs_kernel {
  static constexpr unsigned block_threads = 256, items = 4; // elements of a thread at once

  run_list list;
  bool values;
  simt::global<Unit> out;
  const_number_array numbers; // of the elements that are wanted; none where all are, in their order
  std::uint64_t units;
  unsigned threads_bits; // 2^threads_bits threads move an element

  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index(), apart = block_threads >> threads_bits,
                   first = t & ((1u << threads_bits) - 1);
    const std::uint64_t tile = std::uint64_t{apart} * items;
    const std::uint64_t share = pieces_of(pieces_of(list.n, tile), simt::grid_size()) * tile;
    const std::uint64_t mine = simt::block_index() * share, stop = mine + share < list.n ? mine + share : list.n;
    std::uint64_t begin = 0, end = 0; // elements of the run at hand
    simt::global<const Unit> run{nullptr, 0};
    for (std::uint64_t at = mine; at < stop; at += tile) {
      simt::global<const Unit> from[items]; // each element's own units
      unsigned there = 0;                   // a prefix of the items
      SORTILE_UNROLL
      for (unsigned k = 0; k < items; ++k) {
        const std::uint64_t i = at + k * apart + (t >> threads_bits);
        if (i >= stop)
          continue;
        const std::uint64_t wanted = numbers.are_there() ? numbers.load(i) : i;
        if (wanted < begin || wanted >= end)
          run = run_with(wanted, begin, end);
        from[k] = run.subview((wanted - begin) * units, units);
        there = k + 1;
      }
      for (std::uint64_t u = first; u < units; u += 1u << threads_bits) {
        Unit moved[items];
        SORTILE_UNROLL
        for (unsigned k = 0; k < items; ++k)
          if (k < there)
            moved[k] = from[k].load(u);
        SORTILE_UNROLL
        for (unsigned k = 0; k < items; ++k)
          if (k < there)
            out.store((at + k * apart + (t >> threads_bits)) * units + u, moved[k]);
      }
    }
  }

 private:
  /// The units of the run with an element, and where its elements begin and end among all.
  SORTILE_DEVICE simt::global<const Unit> run_with(std::uint64_t element, std::uint64_t& begin,
                                                   std::uint64_t& end) const {
    const std::uint64_t r = list.run_of(element);
    const listed_run found = list.get(r);
    begin = found.start;
    end = list.start(r + 1);
    return {static_cast<const Unit*>(values ? found.values : found.keys), (end - begin) * units};
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
