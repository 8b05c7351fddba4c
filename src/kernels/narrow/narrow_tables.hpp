// What the blocks of a sort by counting share in global memory, and how many keys there are.
//
//   counts[r]    keys of rank r (narrow_order.hpp), less …
//   spills[r]    … 2^15 for each of these; so 32 bits do for each, whatever n is
//   sums[c]      keys of 128 neighbouring ranks, a chunk
//   disorder     1: some key is smaller than the one before it
#pragma once

#include "kernels/narrow/count_sort.hpp"
#include "kernels/narrow/narrow_order.hpp"
#include "primitives/warp_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

inline constexpr unsigned spill_bits = 15;

/// n, known at the launch or read from device memory and cut off at the bound.
struct narrow_count {
  std::uint64_t bound;
  simt::global<const std::uint64_t> on_device;
  bool is_on_device;

  SORTILE_DEVICE std::uint64_t load() const {
    if (!is_on_device)
      return bound;
    const std::uint64_t n = on_device.load(0);
    return n < bound ? n : bound;
  }
};

template <class Word>
struct narrow_tables {
  using layout = detail::count_sort_layout<Word>;
  static constexpr int each = int(layout::chunk_values / simt::warp_size); // ranks of a lane in a chunk

  simt::global<std::uint32_t> counts, spills;
  simt::global<std::uint64_t> sums;
  simt::global<std::uint32_t> disorder;

  /// By the whole grid.
  SORTILE_DEVICE void clear() const {
    const std::uint32_t stride = simt::grid_size() * simt::block_size();
    const std::uint32_t first = simt::block_index() * simt::block_size() + simt::thread_index();
    for (std::uint32_t i = first; i < layout::values / 4; i += stride) {
      simt::store_vector<4>(counts, 4 * i, simt::vec<std::uint32_t, 4>{});
      simt::store_vector<4>(spills, 4 * i, simt::vec<std::uint32_t, 4>{});
    }
    if (first == 0)
      disorder[0] = 0;
  }
  SORTILE_DEVICE void add(std::uint32_t rank, std::uint64_t keys) const {
    counts.fetch_add(rank, std::uint32_t(keys) & ((1u << spill_bits) - 1));
    if (keys >> spill_bits != 0)
      spills.fetch_add(rank, std::uint32_t(keys >> spill_bits));
  }
  SORTILE_DEVICE bool present(std::uint32_t rank) const { return (counts.load(rank) | spills.load(rank)) != 0; }

  /// The keys of this lane's ranks of a chunk, by a warp.
  SORTILE_DEVICE void load(std::uint32_t chunk, std::uint64_t (&keys)[each]) const {
    static_assert(each == 4);
    const std::uint32_t first = chunk * layout::chunk_values + simt::lane_index() * unsigned(each);
    const auto c = simt::load_vector<each>(counts, first);
    const auto s = simt::load_vector<each>(spills, first);
    SORTILE_UNROLL
    for (int j = 0; j < each; ++j)
      keys[j] = c[j] + (std::uint64_t{s[j]} << spill_bits);
  }
  SORTILE_DEVICE std::uint64_t sum(std::uint32_t chunk) const {
    std::uint64_t keys[each], all = 0;
    load(chunk, keys);
    SORTILE_UNROLL
    for (const std::uint64_t k : keys)
      all += k;
    return primitives::warp_reduce(all, primitives::plus{});
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
