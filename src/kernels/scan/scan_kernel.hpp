// Device-wide scan in a single pass: n reads, n writes, whatever n is.
//
// A block takes the next tile by ticket, each of its warps scans a piece of it in registers (scan_rows.hpp), the warps'
// totals make the tile's aggregate, a look-back (primitives/look_back.hpp) finds what stands before the tile, and the
// block stores. A block takes one tile. Large arrays are scanned faster by resident blocks (resident_scan_kernel.hpp),
// where the device has bulk copies.
//
// Tiles are cut at multiples of 16 bytes of memory, not of the array: with an array that starts `lead` items after such
// a multiple, tile 0 has `lead` absent items at its front. Tiles with absent items, and all tiles where input and
// output start differently within 16 bytes, run the same code with vectors of one item and identities for what is
// absent.
//
// Results are stored by st.cs, so that they leave the cache first: the input of other blocks is worth more there.
// Inputs that fit the L2 are loaded plainly, larger ones by ld.cs.
//
// Traffic: 2·sizeof(T) bytes per item, and 8 or 16 bytes of status a tile. Shared storage: one word per warp.
#pragma once

#include "kernels/scan/scan_rows.hpp"
#include "primitives/look_back.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// How a scan is cut: 16·vectors bytes a thread.
template <unsigned Threads, unsigned Vectors, unsigned MinBlocks>
struct scan_tuning {
  static constexpr unsigned threads = Threads, vectors = Vectors, min_blocks = MinBlocks;
};

template <class T, class Op, class Tuning>
struct scan_kernel {
  static constexpr unsigned block_threads = Tuning::threads;
  static constexpr unsigned min_blocks = Tuning::min_blocks;
  static constexpr unsigned warps = block_threads / simt::warp_size;
  static constexpr int vector = 16 / sizeof(T);
  static constexpr int items = int(Tuning::vectors) * vector;             // a thread
  static constexpr unsigned tile_items = block_threads * unsigned(items); // a block

  struct shared {
    simt::shared_value<primitives::tile_ticket> ticket;
    simt::shared_array<T, warps> before; // what stands before each warp's piece, `initial` included
  };

  simt::global<const T> in;
  simt::global<T> out; // may be `in`
  std::uint64_t n;
  primitives::look_back_chain<T> chain;
  T initial;
  std::uint32_t tiles;
  std::uint32_t lead;   // absent items in front of the array
  bool vectors_allowed; // input and output start alike within 16 bytes
  bool streamed;        // the input is too large to be found, or left, in the L2
  bool exclusive;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (simt::thread_index() == 0)
      s.ticket = chain.draw(tiles);
    simt::block_barrier();
    const primitives::tile_ticket ticket = s.ticket;
    const bool whole = (ticket.tile != 0 || lead == 0) && (std::uint64_t{ticket.tile} + 1) * tile_items <= n + lead;
    if (!whole || !vectors_allowed)
      scan_tile<1, false>(s, ticket);
    else if (streamed)
      scan_tile<vector, true>(s, ticket);
    else
      scan_tile<vector, false>(s, ticket);
  }

 private:
  template <int Width>
  using row = simt::vec<T, Width>;

  template <int Width, bool Streamed>
  SORTILE_DEVICE void scan_tile(shared& s, primitives::tile_ticket ticket) const {
    constexpr int rows = items / Width, row_items = int(simt::warp_size) * Width;
    const auto first = std::int64_t(std::uint64_t{ticket.tile} * tile_items) - std::int64_t(lead) +
                       std::int64_t(simt::warp_index() * simt::warp_size * unsigned(items)) +
                       std::int64_t(simt::lane_index() * unsigned(Width)); // of this lane's row 0
    const lane_items lane{first, n};
    row<Width> x[rows];
    SORTILE_UNROLL
    for (int r = 0; r < rows; ++r)
      x[r] = load<Streamed>(lane, r * row_items, row<Width>{});
    const T total = scan_rows<Op>(x, Op::template identity<T>());
    primitives::prefixes_of_warps(chain, ticket, s.before, total, Op{}, initial);
    const T before = s.before.load(simt::warp_index());
    SORTILE_UNROLL
    for (int r = 0; r < rows; ++r) {
      SORTILE_UNROLL
      for (int w = 0; w < Width; ++w)
        x[r][w] = Op{}(before, x[r][w]);
    }
    if (exclusive)
      shift_rows(x, before);
    SORTILE_UNROLL
    for (int r = 0; r < rows; ++r)
      store(lane, r * row_items, x[r]);
  }

  /// A lane's items by their distance from its first one, and which of them the array has. In 32 bits: 64 of each would
  /// spill.
  struct lane_items {
    std::int64_t first;
    int begin, end; // present distances
    SORTILE_DEVICE lane_items(std::int64_t first_, std::uint64_t n)
        : first(first_), begin(first_ < 0 ? int(-first_) : 0),
          end(std::int64_t(n) - first_ < std::int64_t{tile_items} ? int(std::int64_t(n) - first_) : int(tile_items)) {}
    SORTILE_DEVICE bool present(int distance) const { return distance >= begin && distance < end; }
  };

  template <bool>
  SORTILE_DEVICE row<1> load(const lane_items& lane, int distance, row<1>) const {
    return {{lane.present(distance) ? in.load(lane.first + distance) : Op::template identity<T>()}};
  }
  // A choice at compile time: made for each load it costs registers, and these spill.
  template <bool Streamed, int Width>
  SORTILE_DEVICE row<Width> load(const lane_items& lane, int distance, row<Width>) const {
    if constexpr (Streamed)
      return simt::load_vector<Width>(in, lane.first + distance, simt::streaming);
    else
      return simt::load_vector<Width>(in, lane.first + distance);
  }
  SORTILE_DEVICE void store(const lane_items& lane, int distance, const row<1>& v) const {
    if (lane.present(distance))
      out.store(lane.first + distance, v[0], simt::streaming);
  }
  template <int Width>
  SORTILE_DEVICE void store(const lane_items& lane, int distance, const row<Width>& v) const {
    simt::store_vector<Width>(out, lane.first + distance, v, simt::streaming);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
