// Device-wide scan of large arrays by resident blocks whose warps have different parts to play; sm_90.
//
// A single-pass scan loses its time by waiting, not by traffic: ticket, loads, look-back and stores of a tile come one
// after the other. Here a block stays for the whole launch and has several tiles under way, each in a stage of a ring
// in shared storage. Between parts, stages are handed on by transfer barriers, at which every lane arrives for itself
// and for which every lane waits:
//
//             one warp      Folders warps      one warp          Scanners warps
//     stage   fetch ──────▶ fold ────────────▶ look back ──────▶ scan and store ──────▶ fetch …
//                   loaded       folded                placed                   free
//
//   fetch      draws a ticket, has the tile copied into the stage in bulk
//   fold       folds the tile, piece by piece, and announces the tile's aggregate: at once, whatever the tiles before
//              it in this block are waiting for. Were it announced later, every block would wait for the slowest at
//              every tile (measured: 0.6 of the copy rate)
//   look back  finds what stands before the tile (primitives/look_back.hpp) and announces the inclusive prefix
//   scan       each warp scans its piece of the tile from what stands before it, and stores
//
// Items are read from shared storage twice, which has bandwidth to spare. They cross the memory bus, which has none to
// spare, only twice: in and out.
//
// Forward progress: a block's tickets increase, and each part takes stages in order. The lowest tile without a prefix
// is the next of its block's look-back, and waits for nobody: all before it have theirs, and its own stage fills by
// itself. So all tiles end, however few blocks are resident, and no cooperative launch is needed. A block ends with
// its first ticket beyond the last tile, so tiles + blocks tickets are drawn in all.
//
// Tiles are cut at multiples of 16 bytes of memory: where the array starts `lead` items after one, tile 0 has `lead`
// absent items at its front. Input and output start alike within 16 bytes. Absent items are identities, and never
// stored.
//
// Traffic: 2·sizeof(T) bytes per item, 8 or 16 bytes of status a tile. Shared storage: the ring, 16·32·Rows·Scanners·
// Stages bytes.
#pragma once

#include "kernels/scan/scan_rows.hpp"
#include "primitives/look_back.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// How a resident scan is cut: 512·Rows·Scanners bytes a tile, Stages of them a block.
template <unsigned Scanners, unsigned Folders, unsigned Rows, unsigned Stages>
struct resident_scan_tuning {
  static constexpr unsigned scanners = Scanners, folders = Folders, rows = Rows, stages = Stages;
};

/// Where a part stands in the ring: the stage, and the parity of the round.
template <unsigned Stages>
struct ring_place {
  unsigned stage = 0, parity = 0;
  SORTILE_DEVICE void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

template <class T, class Op, class Tuning>
struct resident_scan_kernel {
  static constexpr unsigned scanners = Tuning::scanners, folders = Tuning::folders, stages = Tuning::stages;
  static_assert(scanners <= simt::warp_size && scanners % folders == 0);
  static constexpr unsigned block_threads = (scanners + folders + 2) * simt::warp_size;
  static constexpr simt::feature needs = simt::feature::bulk_copy;
  static constexpr int vector = 16 / sizeof(T), rows = int(Tuning::rows);
  static constexpr unsigned row_items = simt::warp_size * unsigned(vector);
  static constexpr unsigned piece_items = row_items * unsigned(rows); // a scanning warp
  static constexpr unsigned tile_items = piece_items * scanners;

  struct shared {
    alignas(128) simt::shared_array<T, std::size_t{tile_items} * stages> items; // [stage][tile]
    simt::shared_array<T, scanners * stages> pieces;                            // [stage][piece], see fold_tile
    simt::shared_array<T, stages> aggregates, prefixes;
    simt::shared_array<primitives::tile_ticket, stages> tickets;
    simt::transfer_barrier loaded[stages], folded[stages], placed[stages], free[stages];
  };

  simt::global<const T> in;
  simt::global<T> out; // may be `in`
  std::uint64_t n;
  primitives::look_back_chain<T> chain;
  T initial;
  std::uint32_t tiles;
  std::uint32_t lead; // absent items in front of the array
  bool exclusive;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (simt::thread_index() == 0)
      for (unsigned stage = 0; stage < stages; ++stage) {
        s.loaded[stage].init(simt::warp_size);
        s.folded[stage].init(simt::warp_size);
        s.placed[stage].init(simt::warp_size);
        s.free[stage].init(scanners * simt::warp_size);
      }
    simt::block_barrier();
    const unsigned warp = simt::warp_index();
    if (warp < scanners)
      scan(s, warp);
    else if (warp < scanners + folders)
      fold(s, warp - scanners);
    else if (warp == scanners + folders)
      look_back(s);
    else
      fetch(s);
  }

 private:
  using place = ring_place<stages>;
  using row = simt::vec<T, vector>;

  // ---- fetch

  SORTILE_DEVICE void fetch(shared& s) const {
    for (place at;; at.advance()) {
      s.free[at.stage].wait(at.parity ^ 1); // the first round finds every stage free
      primitives::tile_ticket ticket{};
      if (simt::lane_index() == 0) {
        ticket = chain.draw(tiles + simt::grid_size(), tiles);
        s.tickets[at.stage] = ticket;
      }
      const std::uint32_t tile = simt::shuffle(ticket.tile, 0);
      if (tile >= tiles)
        return s.loaded[at.stage].arrive();
      if (whole(tile))
        load_whole_tile(s, at.stage, tile);
      else
        load_tile_at_the_edge(s, at.stage, tile);
    }
  }

  SORTILE_DEVICE void load_whole_tile(shared& s, unsigned stage, std::uint32_t tile) const {
    if (simt::lane_index() != 0)
      return s.loaded[stage].arrive();
    s.loaded[stage].arrive_expect(tile_items * sizeof(T));
    simt::bulk_load(s.items, stage * tile_items, in, first_item(tile), tile_items, s.loaded[stage]);
  }

  /// The whole vectors in bulk, the items around them one by one, identities for what is absent.
  SORTILE_DEVICE void load_tile_at_the_edge(shared& s, unsigned stage, std::uint32_t tile) const {
    constexpr auto width = unsigned(vector);
    const std::int64_t first = first_item(tile);
    const unsigned begin = tile == 0 ? lead : 0;
    const auto end =
        unsigned(std::int64_t(n) - first < std::int64_t(tile_items) ? std::int64_t(n) - first : tile_items);
    const unsigned whole_begin = (begin + width - 1) / width * width, whole_end = end / width * width;
    const bool any_whole = whole_begin < whole_end;
    const auto fill = [&](unsigned from, unsigned to, bool present) {
      for (unsigned i = from + simt::lane_index(); i < to; i += simt::warp_size)
        s.items[stage * tile_items + i] = present ? in.load(first + i) : Op::template identity<T>();
    };
    fill(0, begin, false);
    fill(begin, any_whole ? whole_begin : end, true);
    fill(any_whole ? whole_end : end, end, true);
    fill(end, tile_items, false);
    simt::bulk_fence(); // the next bulk copy into this stage comes behind these stores
    if (simt::lane_index() != 0)
      return s.loaded[stage].arrive();
    const unsigned count = any_whole ? whole_end - whole_begin : 0;
    s.loaded[stage].arrive_expect(count * unsigned(sizeof(T)));
    if (any_whole)
      simt::bulk_load(s.items, stage * tile_items + whole_begin, in, first + whole_begin, count, s.loaded[stage]);
  }

  // ---- fold

  SORTILE_DEVICE void fold(shared& s, unsigned folder) const {
    for (place at;; at.advance()) {
      s.loaded[at.stage].wait(at.parity);
      const primitives::tile_ticket ticket = s.tickets.load(at.stage);
      if (ticket.tile >= tiles) {
        if (folder == 0)
          s.folded[at.stage].arrive();
        return;
      }
      for (unsigned p = folder; p < scanners; p += folders) {
        const T sum = fold_piece(s, at.stage * tile_items + p * piece_items);
        if (simt::lane_index() == 0)
          s.pieces[at.stage * scanners + p] = sum;
      }
      simt::named_barrier_sync(1, folders * simt::warp_size);
      if (folder == 0)
        fold_tile(s, at.stage, ticket);
    }
  }

  SORTILE_DEVICE T fold_piece(shared& s, unsigned first) const {
    constexpr Op op{};
    T sum = Op::template identity<T>();
    SORTILE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const row x = simt::load_vector<vector>(s.items, first + unsigned(r) * row_items + simt::lane_index() * vector);
      T neighbours = x[0];
      SORTILE_UNROLL
      for (int w = 1; w < vector; ++w)
        neighbours = op(neighbours, x[w]);
      if constexpr (Op::template commutes<T>())
        sum = op(sum, neighbours);
      else
        sum = op(sum, primitives::warp_reduce(neighbours, op));
    }
    return Op::template commutes<T>() ? primitives::warp_reduce(sum, op) : sum;
  }

  /// From the folds of the pieces to what stands before each of them in the tile, and the tile's aggregate.
  SORTILE_DEVICE void fold_tile(shared& s, unsigned stage, primitives::tile_ticket ticket) const {
    const unsigned lane = simt::lane_index();
    constexpr T identity = Op::template identity<T>();
    const T mine = lane < scanners ? s.pieces.load(stage * scanners + lane) : identity;
    const auto within = primitives::warp_exclusive_scan(mine, Op{}, identity);
    if (lane == 0) {
      chain.announce_aggregate(ticket, within.total);
      s.aggregates[stage] = within.total;
    }
    if (lane < scanners)
      s.pieces[stage * scanners + lane] = within.before;
    s.folded[stage].arrive();
  }

  // ---- look back

  SORTILE_DEVICE void look_back(shared& s) const {
    for (place at;; at.advance()) {
      s.folded[at.stage].wait(at.parity);
      const primitives::tile_ticket ticket = s.tickets.load(at.stage);
      if (ticket.tile >= tiles)
        return s.placed[at.stage].arrive();
      const T before = chain.resolve(ticket, s.aggregates.load(at.stage), Op{}, initial);
      if (simt::lane_index() == 0)
        s.prefixes[at.stage] = before;
      s.placed[at.stage].arrive();
    }
  }

  // ---- scan and store

  SORTILE_DEVICE void scan(shared& s, unsigned piece) const {
    for (place at;; at.advance()) {
      s.placed[at.stage].wait(at.parity);
      const std::uint32_t tile = s.tickets.load(at.stage).tile;
      if (tile >= tiles)
        return;
      const unsigned mine = piece * piece_items + simt::lane_index() * unsigned(vector); // in the tile
      row x[rows];
      SORTILE_UNROLL
      for (int r = 0; r < rows; ++r)
        x[r] = simt::load_vector<vector>(s.items, at.stage * tile_items + mine + unsigned(r) * row_items);
      const T before = Op{}(s.prefixes.load(at.stage), s.pieces.load(at.stage * scanners + piece));
      s.free[at.stage].arrive();
      scan_rows<Op>(x, before);
      if (exclusive)
        shift_rows(x, before);
      store(x, first_item(tile) + mine, whole(tile));
    }
  }

  SORTILE_DEVICE void store(const row (&x)[rows], std::int64_t first, bool all_present) const {
    SORTILE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const std::int64_t i = first + r * int(row_items);
      if (all_present) {
        simt::store_vector<vector>(out, i, x[r], simt::streaming);
      } else {
        SORTILE_UNROLL
        for (int w = 0; w < vector; ++w)
          if (std::uint64_t(i + w) < n) // negative ones are beyond n
            out.store(i + w, x[r][w], simt::streaming);
      }
    }
  }

  // ---- tiles and stages

  SORTILE_DEVICE std::int64_t first_item(std::uint32_t tile) const {
    return std::int64_t(std::uint64_t{tile} * tile_items) - std::int64_t(lead);
  }
  SORTILE_DEVICE bool whole(std::uint32_t tile) const {
    return (tile != 0 || lead == 0) && (std::uint64_t{tile} + 1) * tile_items <= n + lead;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
