// Writes a bucket of 32-bit keys, or a part of it, in order, from the counts of its ranks: by a block, tile after tile.
//
//   start     where the keys of every 128 neighbouring ranks, a chunk, begin                 512 chunks
//   mark      each rank with keys in the tile marks the place where they begin with itself   a warp a chunk
//   fill      a place's rank is the largest mark up to it, since ranks rise
//
//   marks   7 . . . 8 . 11 . . . . 12 . …        places without a mark hold 0, the least rank
//   ranks   7 7 7 7 8 8 11 11 11 11 11 12 12 …
//
// A rank whose keys began before the tile marks the tile's first place. So a tile of 2^14 keys costs the same whether
// it holds one value or as many as it has places. The chunks of a tile are shared out to all warps, since in skewed
// buckets (few frequent values, many rare ones) some tile spans most of the chunks.
//
// Places count from the last multiple of 16 bytes at or before the first key that is written, so that rows of 32
// vectors are stored whole but for the two ends. Barriers: 3 a tile. The marks are zero before and after.
#pragma once

#include "kernels/skewed/bucket_values.hpp"
#include "primitives/bisect.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <unsigned Threads, class Image = integer_image<std::uint32_t>>
struct bucket_fill {
  using Word = typename Image::word;
  static constexpr unsigned warps = Threads / simt::warp_size;
  static constexpr int vector = 4, rows = 4; // of 32 vectors, that a warp writes of a tile
  static constexpr std::uint32_t row_keys = simt::warp_size * unsigned(vector), warp_keys = unsigned(rows) * row_keys;
  static constexpr std::uint32_t tile = warps * warp_keys;
  using scan_storage = primitives::block_scan_storage<std::uint32_t, Threads>;
  static_assert(bucket_ranks::most_chunks <= Threads);

  struct shared {
    alignas(16) simt::shared_array<std::uint16_t, tile> marks;
    simt::shared_array<std::uint32_t, bucket_ranks::most_chunks + 1> start; // of a chunk, from the bucket's begin
    simt::shared_array<std::uint32_t, warps> most;
    scan_storage scan;
  };

  simt::global<Word> out;
  bucket_values<Image> values;

  // By all threads of the block.

  static SORTILE_DEVICE void clear(shared& s) {
    for (unsigned i = simt::thread_index(); i < tile / 8; i += Threads)
      simt::store_vector<8>(s.marks, 8 * i, simt::vec<std::uint16_t, 8>{});
  }
  /// start, from counts that are complete: counts.load(chunk, keys) gives a lane the keys of its four ranks. Ends with
  /// a barrier.
  template <class Counts>
  SORTILE_DEVICE void find_starts(shared& s, const Counts& counts) const {
    const unsigned t = simt::thread_index();
    const std::uint32_t chunks = values.chunks();
    for (std::uint32_t c = simt::warp_index(); c < chunks; c += warps) {
      std::uint32_t keys[bucket_ranks::each];
      counts.load(c, keys);
      const std::uint32_t sum = simt::warp_reduce_add(keys[0] + keys[1] + keys[2] + keys[3]);
      if (simt::lane_index() == 0)
        s.start[c] = sum;
    }
    simt::block_barrier();
    const std::uint32_t mine = t < chunks ? s.start.load(t) : 0;
    const auto scan = primitives::block_exclusive_scan(s.scan, mine, primitives::plus{}, 0u);
    if (t < chunks)
      s.start[t] = scan.before;
    if (t == 0)
      s.start[chunks] = scan.total;
    simt::block_barrier();
  }
  /// The bucket's keys [low, high), which stand behind `begin`. `start` is filled in.
  template <class Counts>
  SORTILE_DEVICE void write(shared& s, const Counts& counts, std::uint32_t begin, std::uint32_t low,
                            std::uint32_t high) const {
    const std::uint32_t lead = (begin + low) % unsigned(vector);
    std::uint32_t first = low; // of the tile
    for (std::uint32_t before = lead; first < high; before = 0) {
      const std::uint32_t room = tile - before, end = high - first < room ? high : first + room;
      const span here{begin + first - before, before, first, end};
      simt::block_barrier(); // the marks are zero, and the last tile's `most` is read
      mark(s, counts, here);
      simt::block_barrier();
      store(s, here);
      first = end;
    }
  }

 private:
  /// The keys [first, end) of the bucket, at place `before` and on, which count from out[base].
  struct span {
    std::uint32_t base, before, first, end;
  };

  /// The last chunk that begins at this key or before.
  SORTILE_DEVICE std::uint32_t chunk_at(shared& s, std::uint32_t key) const {
    return primitives::last_that(0, values.chunks() - 1, [&](std::uint32_t c) { return s.start.load(c) <= key; });
  }
  template <class Counts>
  SORTILE_DEVICE void mark(shared& s, const Counts& counts, const span& here) const {
    const std::uint32_t chunks = values.chunks();
    for (std::uint32_t c = chunk_at(s, here.first) + simt::warp_index(); c < chunks; c += warps) {
      const std::uint32_t chunk_begin = s.start.load(c), chunk_end = s.start.load(c + 1);
      if (chunk_begin >= here.end)
        return;
      if (chunk_begin == chunk_end)
        continue;
      std::uint32_t keys[bucket_ranks::each];
      counts.load(c, keys);
      const std::uint32_t sum = keys[0] + keys[1] + keys[2] + keys[3];
      std::uint32_t at = chunk_begin + primitives::warp_inclusive_scan(sum, primitives::plus{}) - sum;
      const std::uint32_t rank = c * bucket_ranks::chunk + simt::lane_index() * unsigned(bucket_ranks::each);
      SORTILE_UNROLL
      for (int j = 0; j < bucket_ranks::each; ++j) {
        const std::uint32_t end = at + keys[j];
        if (keys[j] != 0 && at < here.end && end > here.first)
          s.marks[(at > here.first ? at : here.first) - here.first + here.before] = std::uint16_t(rank + unsigned(j));
        at = end;
      }
    }
  }

  SORTILE_DEVICE void store(shared& s, const span& here) const {
    const unsigned lane = simt::lane_index(), warp = simt::warp_index();
    using marks_vector = simt::vec<std::uint16_t, vector>;
    marks_vector marks[rows];
    std::uint32_t most[rows], up_to = 0; // of the lanes up to this one, in a row; of this warp
    SORTILE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const std::uint32_t place = warp * warp_keys + unsigned(r) * row_keys + lane * unsigned(vector);
      marks[r] = simt::load_vector<vector>(s.marks, place);
      simt::store_vector<vector>(s.marks, place, marks_vector{});
      most[r] = 0;
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        most[r] = marks[r][e] > most[r] ? marks[r][e] : most[r];
      most[r] = primitives::warp_inclusive_scan(most[r], primitives::maximum{});
      const std::uint32_t row = simt::shuffle(most[r], simt::warp_size - 1);
      up_to = row > up_to ? row : up_to;
    }
    if (lane == 0)
      s.most[warp] = up_to;
    simt::block_barrier();
    std::uint32_t before = simt::warp_reduce_max(lane < warp ? s.most.load(lane) : 0u);
    const std::uint32_t places = here.before + (here.end - here.first);
    SORTILE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const std::uint32_t place = warp * warp_keys + unsigned(r) * row_keys + lane * unsigned(vector);
      const std::uint32_t below = simt::shuffle_up(most[r], 1), row = simt::shuffle(most[r], simt::warp_size - 1);
      std::uint32_t running = lane != 0 && below > before ? below : before;
      before = row > before ? row : before;
      simt::vec<Word, vector> x;
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e) {
        running = marks[r][e] > running ? marks[r][e] : running;
        x[e] = values.key(running);
      }
      if (place >= here.before && place + unsigned(vector) <= places) {
        simt::store_vector<vector>(out, here.base + place, x);
      } else {
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          if (place + unsigned(e) >= here.before && place + unsigned(e) < places)
            out[here.base + place + unsigned(e)] = x[e];
      }
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
