// Few pairs in one launch, by clusters of blocks that wait for no other cluster.
//
// A row is known when all pairs are counted. Blocks of a grid could count a share each and meet at a barrier. Such a
// barrier costs a cooperative launch, or counters in memory that somebody has to clear before: a second launch. So
// every cluster counts all pairs, and meets by itself, in its shared storage:
//
//   pairs      [ cluster 0 | cluster 1 | … ]         a cluster's range: 8 tiles of up to 1024 pairs, one a block
//   counted    every eighth row of 1024 pairs: by each block, of the whole array
//
//   count      each block, in two tables: pairs before the cluster's range, and the rest
//   rank       each block its own tile's pairs (expert_tile.hpp)
//   ---------- barrier of the cluster
//   own        block b owns the b-th part of the experts, and reads their counters of all eight blocks, a lane a block.
//              So it knows each expert's total; a scan of these, padded, says where its rows begin within the part. It
//              stores into each block where the rows of that block's tile begin
//   ---------- barrier of the cluster
//   write      each block the rows of its tile, which begin behind the parts before; owners the padding and the tables.
//              What does not belong to a tile is written by all clusters by turns
//
// Forward progress: the blocks of a cluster are resident together, and nobody else is waited for. Nothing has to be
// cleared, so there is no workspace, and the launch can begin while the one before runs out.
//
// Cost: each cluster reads all experts' numbers, from the L2; of 2^16 pairs a block counts 8192, some 240 warps'
// additions to shared storage, and writes 1024. Eight clusters, so that those of two calls fit the device: with sixteen
// the next call began when this one had ended, 2 to 4 µs later. Shared storage: 51 KB. Source of the operation: Gale et
// al., "MegaBlocks: efficient sparse training with mixture-of-experts", 2022.
#pragma once

#include "kernels/route/expert_tile.hpp"
#include "kernels/route/route_arrays.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct cluster_route_kernel {
  static constexpr unsigned block_threads = 1024, min_blocks = 2, blocks = detail::route_clusters::blocks;
  static constexpr simt::feature needs = simt::feature::cluster;
  static constexpr bool starts_early = true;
  static constexpr int tile_rows = 2, counted_rows = 8; // of a warp, and of the block in one go
  using tile = expert_tile<16, tile_rows, 10>;
  static constexpr unsigned tile_warps = tile::threads / simt::warp_size;
  static_assert(tile::threads * tile_rows == detail::route_clusters::largest_tile);
  static_assert(std::uint32_t{1} << 10 == experts_of_few_pairs);

  struct shared {
    alignas(16) simt::shared_array<std::uint32_t, tile_warps * experts_of_few_pairs / 2> ranks; // [warp][word]
    simt::shared_array<std::uint32_t, experts_of_few_pairs> before, rest; // pairs that this block has counted
    simt::shared_array<std::uint32_t, experts_of_few_pairs / 2> own;      // of its tile; two a word
    simt::shared_array<std::uint32_t, experts_of_few_pairs> begin;        // where the tile's rows do, within the part
    simt::shared_array<std::uint32_t, blocks> part_rows;
    simt::shared_value<std::uint32_t> dropped;
    primitives::block_scan_storage<std::uint32_t, block_threads> scan;
  };

  route_arrays<Word> arrays;
  std::uint32_t tile_pairs; // a multiple of 32
  unsigned part_bits;       // a block owns so many experts, as a power of two

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t range = simt::cluster_index() * blocks * tile_pairs;
    std::uint32_t expert[tile_rows], number[tile_rows] = {}, counted[counted_rows];
    load_tile(range, expert);
    load_counted(0, counted);
    clear(s);
    simt::block_barrier();
    count(s, range, counted);
    if (simt::warp_index() < tile_warps)
      tile::rank(s.ranks.view(), words(), expert, number);
    simt::block_barrier();
    if (simt::warp_index() < tile_warps)
      tile::columns(s.ranks.view(), words(), [&s](std::uint32_t word, std::uint32_t pairs) { s.own[word] = pairs; });
    simt::cluster_barrier();
    const owned mine = own(s);
    const std::uint32_t dropped = sum_of_dropped(s);
    simt::cluster_barrier(); // behind it nobody looks into another block
    const parts all = find_parts(s);
    write_tile(s, range, expert, number, all);
    write_owned(mine, all, dropped);
    arrays.fill_behind(all.rows, simt::block_index() * block_threads + simt::thread_index(),
                       simt::grid_size() * block_threads);
  }

 private:
  /// What eight lanes know of an expert that their block owns.
  struct owned {
    std::uint32_t expert; ///< no_expert: none
    std::uint32_t pairs;
    std::uint32_t begin; ///< of its rows within the part
  };
  struct parts {
    std::uint32_t begin; ///< of the part of this lane's number; of lanes 0 to 7
    std::uint32_t rows;  ///< of all experts
  };

  SORTILE_DEVICE std::uint32_t words() const { return tile::words(arrays.expert_count); }
  /// Rows of a warp in the tile.
  SORTILE_DEVICE unsigned rows() const { return tile_pairs > tile::threads ? 2 : 1; }

  /// The place of a thread's item i in the block's tile.
  SORTILE_DEVICE std::uint32_t place(int i) const { return tile::position(i, rows()); }
  SORTILE_DEVICE bool is_in_tile(int i) const {
    return simt::warp_index() < tile_warps && unsigned(i) < rows() && place(i) < tile_pairs;
  }
  SORTILE_DEVICE std::uint32_t tile_begin(std::uint32_t range) const {
    return range + simt::cluster_rank() * tile_pairs;
  }

  SORTILE_DEVICE void load_tile(std::uint32_t range, std::uint32_t (&expert)[tile_rows]) const {
    SORTILE_UNROLL
    for (int i = 0; i < tile_rows; ++i)
      expert[i] = is_in_tile(i) ? arrays.expert(tile_begin(range) + place(i)) : no_expert;
  }

  // ---- count

  SORTILE_DEVICE std::uint32_t counted_place(std::uint32_t row) const {
    return (row * blocks + simt::cluster_rank()) * block_threads + simt::thread_index();
  }
  SORTILE_DEVICE void load_counted(std::uint32_t row, std::uint32_t (&expert)[counted_rows]) const {
    SORTILE_UNROLL
    for (int k = 0; k < counted_rows; ++k)
      expert[k] = arrays.expert(counted_place(row + unsigned(k)));
  }

  SORTILE_DEVICE void clear(shared& s) const {
    tile::clear(s.ranks.view(), words(), block_threads);
    if (simt::thread_index() < arrays.expert_count) {
      s.before[simt::thread_index()] = 0;
      s.rest[simt::thread_index()] = 0;
    }
    if (simt::thread_index() == 0)
      s.dropped = 0;
  }

  SORTILE_DEVICE void count(shared& s, std::uint32_t range, std::uint32_t (&expert)[counted_rows]) const {
    std::uint32_t dropped = 0;
    for (std::uint32_t row = 0; row * blocks * block_threads < arrays.n; row += counted_rows) {
      if (row > 0)
        load_counted(row, expert);
      SORTILE_UNROLL
      for (int k = 0; k < counted_rows; ++k) {
        const std::uint32_t at = counted_place(row + unsigned(k));
        if (expert[k] == no_expert)
          dropped += at < arrays.n;
        else if (at < range)
          s.before.fetch_add(expert[k], 1u, simt::relaxed, simt::block_scope);
        else
          s.rest.fetch_add(expert[k], 1u, simt::relaxed, simt::block_scope);
      }
    }
    if (!arrays.dropped.are_there() || simt::cluster_index() != 0)
      return;
    const std::uint32_t of_warp = simt::warp_reduce_add(dropped);
    if (simt::lane_index() == 0)
      s.dropped.fetch_add(0, of_warp, simt::relaxed, simt::block_scope);
  }

  // ---- own

  SORTILE_DEVICE owned own(shared& s) const {
    const unsigned lane = simt::lane_index(), from = lane % blocks, group = simt::thread_index() / blocks;
    const std::uint32_t expert = (simt::cluster_rank() << part_bits) + group;
    const bool is_owner = group >> part_bits == 0 && expert < arrays.expert_count;
    std::uint32_t before = 0, total = 0, tiles_before = 0;
    if (is_owner) {
      before = simt::peer(s.before, from).load(expert);
      total = before + simt::peer(s.rest, from).load(expert);
      tiles_before = half_of(simt::peer(s.own, from).load(expert / 2), expert);
    }
    const std::uint32_t own_tile = tiles_before;
    SORTILE_UNROLL
    for (unsigned step = 1; step < blocks; step *= 2) {
      before += simt::shuffle_xor(before, step);
      total += simt::shuffle_xor(total, step);
      const std::uint32_t below = simt::shuffle_up(tiles_before, step);
      tiles_before += from >= step ? below : 0;
    }
    const std::uint32_t padded = arrays.padded(total);
    const auto scan = primitives::block_exclusive_scan(s.scan, from == 0 ? padded : 0u, primitives::plus{}, 0u);
    const std::uint32_t begin = simt::shuffle(scan.before, lane - from);
    if (is_owner)
      simt::peer(s.begin, from)[expert] = begin + before + tiles_before - own_tile;
    if (simt::thread_index() < blocks)
      simt::peer(s.part_rows, from)[simt::cluster_rank()] = scan.total;
    return {is_owner ? expert : no_expert, total, begin};
  }

  /// In the first thread of the first block of the first cluster.
  SORTILE_DEVICE std::uint32_t sum_of_dropped(shared& s) const {
    std::uint32_t sum = 0;
    if (arrays.dropped.are_there() && simt::block_index() == 0 && simt::thread_index() == 0)
      for (unsigned b = 0; b < blocks; ++b)
        sum += simt::peer(s.dropped.view(), b).load(0);
    return sum;
  }

  // ---- write

  SORTILE_DEVICE parts find_parts(shared& s) const {
    const unsigned lane = simt::lane_index();
    const auto scan =
        primitives::warp_exclusive_scan(lane < blocks ? s.part_rows.load(lane) : 0u, primitives::plus{}, 0u);
    return {scan.before, scan.total};
  }

  SORTILE_DEVICE void write_tile(shared& s, std::uint32_t range, const std::uint32_t (&expert)[tile_rows],
                                 const std::uint32_t (&number)[tile_rows], const parts& all) const {
    if (simt::warp_index() >= tile_warps)
      return;
    SORTILE_UNROLL
    for (int i = 0; i < tile_rows; ++i) {
      const std::uint32_t e = expert[i], pair = tile_begin(range) + place(i);
      const std::uint32_t part = simt::shuffle(all.begin, e == no_expert ? 0 : e >> part_bits);
      if (!is_in_tile(i) || pair >= arrays.n)
        continue;
      arrays.put(pair, e == no_expert ? no_expert
                                      : part + s.begin.load(e) + tile::before(s.ranks.view(), words(), e) + number[i]);
    }
  }

  SORTILE_DEVICE void write_owned(const owned& mine, const parts& all, std::uint32_t dropped) const {
    const std::uint32_t begin = mine.begin + simt::shuffle(all.begin, simt::cluster_rank());
    const unsigned from = simt::lane_index() % blocks, clusters = simt::grid_size() / blocks;
    if (simt::block_index() == 0 && simt::thread_index() == 0) {
      arrays.offsets.store(arrays.expert_count, all.rows);
      arrays.dropped.store(0, dropped);
    }
    if (mine.expert == no_expert)
      return;
    if (simt::cluster_index() == 0 && from == 0) {
      arrays.offsets.store(mine.expert, begin);
      arrays.counts.store(mine.expert, mine.pairs);
    }
    const std::uint32_t end = begin + arrays.padded(mine.pairs);
    const std::uint32_t turn = simt::cluster_index() * blocks + from, turns = clusters * blocks;
    if (arrays.order.are_there())
      for (std::uint32_t row = begin + mine.pairs + turn; row < end; row += turns)
        arrays.order.store(row, arrays.n);
    if (arrays.block_experts.are_there())
      for (std::uint32_t b = begin / arrays.block + turn; b < end / arrays.block; b += turns)
        arrays.block_experts.store(b, mine.expert);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
