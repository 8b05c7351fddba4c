// The candidates for the first k keys of an array, in the order of their positions, and the key that they end at.
//
//   sample     up to 524,288 keys, in groups of which the smallest counts; clears the status words of the look-back and
//   pivot      the histograms. In it the key of a rank that lies a little behind the k-th (filter_pivot_kernels.hpp)
//   filter     one read: keys below the pivot, and the first k that equal it, each compacted behind those of the tiles
//              before (filter_tile.hpp)
//   finish     one cooperative launch (finish_kernel.hpp). Where the sample has misled: digits find the k-th key, and
//              the filter runs again. Where candidates are few, it ranks them and writes the result
//
// With more candidates a sort of the candidates and write_first follow. They read `count` and wait for nobody: launches
// of a stream are in order.
//
// Bytes moved: the array once, the candidates and their positions once. In the worst case the array is read once more
// for each byte of a key, and once more by the filter.
#pragma once

#include "kernels/select/filter.hpp"
#include "kernels/select/filter_tile.hpp"
#include "kernels/select/row_limits.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// How the filter cuts the array.
template <class Word>
inline constexpr unsigned filter_items = unsigned(detail::filter_shape::tile(sizeof(Word)) /
                                                  detail::filter_shape::threads);

template <class Word>
struct filter_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = detail::filter_shape::threads, min_blocks = sizeof(Word) <= 8 ? 6 : 4;
  using tile = filter_tile<Word, block_threads, filter_items<Word>>;

  struct shared {
    simt::shared_value<primitives::tile_ticket> ticket;
    typename tile::shared of_tile;
  };

  typename tile::arrays arrays;
  typename tile::chain chain;
  filter_state<Word> state;
  std::uint32_t tiles;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (simt::thread_index() == 0)
      s.ticket = chain.draw(tiles);
    simt::block_barrier();
    const primitives::tile_ticket ticket = s.ticket;
    const std::uint64_t upto = tile::run(s.of_tile, arrays, chain, ticket, state.pivot.load(0));
    if (ticket.tile == tiles - 1 && simt::thread_index() == 0) {
      state.sums[0] = upto;
      state.count[0] = (upto & both_sums::half) < arrays.capacity ? upto & both_sums::half : arrays.capacity;
    }
  }
};

template <class Word>
struct write_first_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  simt::global<const std::uint64_t> count;
  simt::global<const Word> candidates, equals;
  simt::global<Word> keys_out;
  const_number_array positions, equal_positions;
  number_array positions_out; // where they are wanted
  std::uint64_t k;
  bool writes_keys;
  row_limits limits;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t found = count.load(0), stride = std::uint64_t{simt::grid_size()} * block_threads;
    const std::uint64_t wanted = limits.at_most(k, 0);
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < wanted; i += stride) {
      const bool sorted = i < found;
      if (writes_keys)
        keys_out[i] = sorted ? candidates.load(i) : equals.load(i - found);
      if (positions_out.are_there())
        positions_out.store(i, sorted ? positions.load(i) : equal_positions.load(i - found));
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
