// Partition: moves the keys of each segment into buckets by up to 8 bits of their place in the interval
// (key_window.hpp), wide tiles by 9, in any order within a bucket. The scan has said where the buckets begin, so one
// launch reads and writes each key once.
//
// A block takes chunks of tiles in turn. Of a tile it
//
//   1  ranks each key by one atomic on its digit's counter; without a map, where a   count[d]
//      warp's first neighbours are alike, those of one digit share one (alike_rows.hpp)
//   2  scans the counters: where each digit begins in the staged tile                offset[d]
//   3  puts the keys there, and reserves room in the buckets, one atomic per digit   stage, place[d]
//      (a map's digits are kept since 1, four a register)
//   4  writes the staged tile out
//
// Whole granules. A 32-byte sector that is written in part costs more than a whole one, so a bucket gets whole, aligned
// granules alone. The rest of a bucket's keys stays in the stage and joins the next tile, as its first keys:
//
//   stage   | a a a a | a a a a | a a . . | b b b b | b . . . | …          granules of 4
//             whole, written out  ^ last[a]             ^ last[b]: count << 16 | place
//
// So a counter starts a tile with the number of these keys, and staged buckets begin at granules. The first key of a
// granule names the bucket of all of it. Tiles are loaded into registers while the tile before is written.
//
// Rings. The blocks' shares of a bucket [b, e) may lie in any order, but together they have to fill it exactly:
//
//   b         a = align_up(b)                            e
//   | ← left | whole granules →        …        | ← left |
//
// Whole granules are placed from a upward, by next[bucket]; what would lie beyond e wraps to b. The keys that a block
// has left at its end (or where it leaves the segment) are placed from the other end of the same ring, by left[bucket]:
// from a − 1 down to b, then from e − 1 downward. Both counters only grow, and each key of the bucket is counted by one
// of them, so the two ends meet.
//
// Both ways to a digit, by the interval and by a map, are in one kernel. It once cost 5 % of 2^28 uniform keys of 32
// bits; these are counted, and have no map, and others take as long as in kernels of their own.
//
// Large tiles: 118 KB of shared storage (of 64 bits 134), 1024 threads of 64 registers, one block per multiprocessor;
// small ones: 62 to 70 KB, 512 threads, two blocks; wide ones: 1024 threads, one block. Barriers: 3 a tile. Traffic:
// 2 sizeof(key) per key. On the H100, 2^28 keys: 85 % of the copy rate (32 bits), 92 % (64 bits). Two blocks of 512
// threads, longer granules and bulk copies into a second buffer were slower. The second partition takes chunks of 4
// tiles: with longer ones blocks share too few pages, with single ones they leave too many incomplete granules.
//
// Does nothing where the keys take another course (key_window.hpp).
#pragma once

#include "kernels/alike_rows.hpp"
#include "kernels/key_scan/bucket_tables.hpp"
#include "kernels/key_scan/key_map.hpp"
#include "kernels/partition/kept_digits.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// `N` keys from `i` on, those from `end` on left out; one access where there are all. i is a multiple of N.
template <int N, class Word>
SORTILE_DEVICE simt::vec<Word, N> load_up_to(const simt::global<const Word>& in, std::uint32_t i, std::uint32_t end) {
  if (end - i >= unsigned(N))
    return simt::load_vector<N>(in, i);
  simt::vec<Word, N> x{};
  SORTILE_UNROLL
  for (int e = 0; e < N; ++e)
    if (i + unsigned(e) < end)
      x[e] = in.load(i + unsigned(e));
  return x;
}

/// How many segments, buckets of each, and where they begin: bucket q = segment · (mask + 1) + digit begins at
/// start[q · step].
struct partition_shape {
  std::uint32_t segments, mask, step;
  unsigned shift;      ///< of the digit in the spread place
  std::uint32_t chunk; ///< neighbouring tiles that a block takes
};

/// Large tiles have the longest runs, small ones keep all multiprocessors busy where there are few tiles. Measured on
/// the H100: a whole sort of 2^24 32-bit keys takes 236 µs with small tiles and 266 with large ones; at 2^28 large ones
/// are quicker. Wide tiles make one partition in place of two up to 2^21 keys: a block has a tile each, or some.
enum class tile_size { small, large, wide };

template <class Word, tile_size Size, class Image = integer_image<Word>>
struct partition_kernel {
  static constexpr bool large = Size == tile_size::large, wide = Size == tile_size::wide;
  /// Whether a map (key_map.hpp) may spread the keys. Large tiles of 32-bit keys have no registers left for it.
  static constexpr bool maps = key_map<Word>::exists && !Image::of_floats && !(large && sizeof(Word) == 4);
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = large || wide ? 1024 : 512, min_blocks = large || wide ? 1 : 2,
                            radix = wide ? 512 : 256;
  static constexpr int vector = int(16 / sizeof(Word)), vectors = large ? 6 : 4, items = vectors * vector;
  static constexpr unsigned tile_keys = block_threads * unsigned(items);
  static constexpr unsigned granule = 32 / sizeof(Word);
  // Left-over places that a thread answers for; with few of them, some threads answer for none.
  static constexpr int slots = int((radix * granule + block_threads - 1) / block_threads);
  static_assert(items % 2 == 0 && tile_keys + granule < 65536);
  using keys_vector = simt::vec<Word, vector>;
  using scan_storage = primitives::block_scan_storage<std::uint32_t, block_threads>;

  struct shared {
    alignas(128) simt::shared_array<Word, tile_keys + radix * 2 * (granule - 1) + 16> stage;
    // Four words a digit: where staged place 0 would go, end of the bucket, staged end of its whole granules, unused.
    alignas(16) simt::shared_array<std::uint32_t, radix * 4> place;
    alignas(16) simt::shared_array<std::uint32_t, radix> count;
    alignas(16) simt::shared_array<std::uint32_t, radix> offset;
    simt::shared_array<std::uint32_t, radix> last; // incomplete granules: count << 16 | place
    simt::shared_array<std::uint32_t, radix + 1> tile_first;
    simt::shared_value<std::uint32_t> staged;
    scan_storage scan;
    alignas(16) simt::shared_array<std::uint32_t, maps ? key_map<Word>::words : 4> map;
  };

  simt::global<const Word> in; // aligned to 16 bytes, as out
  simt::global<Word> out;
  simt::global<const std::uint32_t> start;
  bucket_rings rings;
  simt::global<const std::uint64_t> findings;
  simt::global<const key_window<Word>> window;
  simt::global<const std::uint32_t> map;
  Image image;
  partition_shape shape;
  std::uint32_t n, bins;

  SORTILE_DEVICE void operator()(shared& s) const {
    const key_window<Word> w = window.load(0);
    if (course_of<Word>(findings, w, bins) != key_course::buckets)
      return;
    if constexpr (maps)
      if (w.by_distribution != 0) {
        fetch_map<Word>(s.map, map, block_threads); // a barrier follows before it is read
        return partition<false>(s, mapped_keys<Word, Image>{image, center_of<Word>(map), s.map.view()});
      }
    const windowed_keys<Word, Image> buckets{w, image};
    if (rows_are_alike(findings, n / unsigned(vector * simt::warp_size)))
      partition<true>(s, buckets);
    else
      partition<false>(s, buckets);
  }

 private:
  /// Whether a digit is dear: a map's. Eight bits of it are kept.
  template <class Buckets>
  static constexpr bool keeps = !wide && std::same_as<Buckets, mapped_keys<Word, Image>>;

  /// Alike: warps ask whether neighbours are. The others need not.
  template <bool Alike, class Buckets>
  SORTILE_DEVICE void partition(shared& s, const Buckets& buckets) const {
    const unsigned t = simt::thread_index();
    const std::uint32_t tiles = number_tiles(s);
    position at{.tile = simt::block_index() * shape.chunk};
    if (at.tile >= tiles)
      return;
    if (t < radix)
      s.count[t] = s.last[t] = 0;
    simt::block_barrier();
    keys_vector keys[vectors];
    locate(s, at);
    load(at, keys);
    for (bool more = true; more;) {
      const position here = at;
      std::uint32_t ranks[items / 2]; // two a word
      leftovers old;
      kept_digits<keeps<Buckets> ? items : 0> digits;
      rank<Alike>(s, buckets, here, keys, ranks, digits);
      take(s, old);
      simt::block_barrier();
      scan_digits(s);
      simt::block_barrier();
      const reservation room = reserve(s, here.segment);
      put(s, buckets, here, keys, ranks, digits);
      put_back(s, old);
      advance(at);
      more = at.tile < tiles;
      if (more) {
        locate(s, at);
        load(at, keys);
      }
      if (t < radix)
        simt::store_vector<4>(s.place, 4 * t, {{room.target - s.offset.load(t), room.end, s.last.load(t) & 0xffff, 0}});
      simt::block_barrier();
      write_granules(s, buckets, here.segment);
      // No barrier: two more pass before the next round writes the stage, and nothing here uses what it touches before
      // them.
      if (!more || at.segment != here.segment)
        write_leftovers(s, here.segment, more);
    }
  }

  struct position {
    std::uint32_t tile, in_chunk = 0, segment = 0;
    std::uint32_t first = 0, low = 0,
                  high = 0; // the tile's first key, at a vector; its own keys: [low, high) behind that
    SORTILE_DEVICE bool full() const { return low == 0 && high == tile_keys; }
  };
  struct leftovers {
    Word keys[slots] = {};
    unsigned present = 0;
  };
  struct reservation {
    std::uint32_t target = 0, end = 0;
  };

  SORTILE_DEVICE std::uint32_t bucket_start(std::uint32_t q) const { return start.load(q * shape.step); }
  SORTILE_DEVICE std::uint32_t segment_start(std::uint32_t segment) const {
    return bucket_start(segment * (shape.mask + 1));
  }
  template <class Buckets>
  SORTILE_DEVICE std::uint32_t digit(const Buckets& buckets, Word key) const {
    return buckets.digit(key, shape.shift, shape.mask);
  }
  /// The place in the tile of this thread's key number i.
  static SORTILE_DEVICE std::uint32_t place_of(int i) {
    return (unsigned(i / vector) * block_threads + simt::thread_index()) * unsigned(vector) + unsigned(i % vector);
  }

  /// tile_first[s]: the number of the segment's first tile. Tiles begin at vectors, so a segment may need one more.
  SORTILE_DEVICE std::uint32_t number_tiles(shared& s) const {
    const unsigned t = simt::thread_index();
    std::uint32_t tiles = 0;
    if (t < shape.segments) {
      const std::uint32_t b = segment_start(t), e = segment_start(t + 1);
      if (e > b)
        tiles = (e - b / unsigned(vector) * unsigned(vector) + tile_keys - 1) / tile_keys;
    }
    const auto before = primitives::block_exclusive_scan(s.scan, tiles, primitives::plus{}, 0u);
    if (t < shape.segments)
      s.tile_first[t] = before.before;
    if (t == shape.segments)
      s.tile_first[t] = before.total;
    simt::block_barrier();
    return before.total;
  }
  SORTILE_DEVICE void locate(shared& s, position& at) const {
    while (at.tile >= s.tile_first.load(at.segment + 1))
      ++at.segment;
    const std::uint32_t b = segment_start(at.segment), e = segment_start(at.segment + 1);
    at.first = b / unsigned(vector) * unsigned(vector) + (at.tile - s.tile_first.load(at.segment)) * tile_keys;
    at.low = at.first < b ? b - at.first : 0;
    at.high = e - at.first < tile_keys ? e - at.first : tile_keys;
  }
  SORTILE_DEVICE void advance(position& at) const {
    ++at.tile;
    if (++at.in_chunk == shape.chunk) {
      at.in_chunk = 0;
      at.tile += (simt::grid_size() - 1) * shape.chunk;
    }
  }
  SORTILE_DEVICE void load(const position& at, keys_vector (&keys)[vectors]) const {
    if (at.high == tile_keys) {
      SORTILE_UNROLL
      for (int v = 0; v < vectors; ++v)
        keys[v] = simt::load_vector<vector>(in, at.first + place_of(v * vector));
    } else {
      SORTILE_UNROLL
      for (int v = 0; v < vectors; ++v)
        if (place_of(v * vector) < at.high)
          keys[v] = load_up_to<vector>(in, at.first + place_of(v * vector), n);
    }
  }

  /// f(key, i) for the thread's own keys; which these are is asked once a tile, not once a key, where it is full.
  template <class F>
  static SORTILE_DEVICE void each_key(const position& at, const keys_vector (&keys)[vectors], F f) {
    if (at.full()) {
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        f(keys[i / vector][i % vector], i);
    } else {
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        if (place_of(i) >= at.low && place_of(i) < at.high)
          f(keys[i / vector][i % vector], i);
    }
  }
  template <bool Alike, class Buckets, class Digits>
  SORTILE_DEVICE void rank(shared& s, const Buckets& buckets, const position& at, const keys_vector (&keys)[vectors],
                           std::uint32_t (&ranks)[items / 2], Digits& kept) const {
    SORTILE_UNROLL
    for (std::uint32_t& two : ranks)
      two = 0;
    const auto set = [&ranks](int i, std::uint32_t r) {
      ranks[i / 2] = i % 2 == 0 ? r : simt::permute_bytes(ranks[i / 2], r, 0x5410);
    };
    std::uint32_t digits[vector];
    bool alike = false;
    if (Alike && at.full()) {
      digits_of(buckets, keys[0], digits);
      alike = are_alike(digits);
    }
    if (alike) {
      alike_rows rows;
      SORTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        std::uint32_t places[vector];
        digits_of(buckets, keys[v], digits);
        rows.add_row(s.count, digits, places);
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          set(v * vector + e, places[e]);
      }
    } else {
      each_key(at, keys, [&](Word key, int i) {
        const std::uint32_t d = digit(buckets, key);
        kept.set(i, d);
        set(i, s.count.fetch_add(d, 1u, simt::relaxed, simt::block_scope));
      });
    }
  }
  template <class Buckets>
  SORTILE_DEVICE void digits_of(const Buckets& buckets, const keys_vector& x, std::uint32_t (&digits)[vector]) const {
    SORTILE_UNROLL
    for (int e = 0; e < vector; ++e)
      digits[e] = digit(buckets, x[e]);
  }
  template <class Buckets, class Digits>
  SORTILE_DEVICE void put(shared& s, const Buckets& buckets, const position& at, const keys_vector (&keys)[vectors],
                          const std::uint32_t (&ranks)[items / 2], const Digits& kept) const {
    each_key(at, keys, [&](Word key, int i) {
      const std::uint32_t d = kept.or_else(i, [&] { return digit(buckets, key); });
      s.stage[s.offset.load(d) + (i % 2 == 0 ? ranks[i / 2] & 0xffff : ranks[i / 2] >> 16)] = key;
    });
  }

  static SORTILE_DEVICE bool is_slot(std::uint32_t slot) {
    return radix * granule % block_threads == 0 || slot < radix * granule;
  }
  /// The keys left from the tile before, out of the stage and, after the scan, to the front of their buckets.
  SORTILE_DEVICE void take(shared& s, leftovers& old) const {
    SORTILE_UNROLL
    for (int j = 0; j < slots; ++j) {
      const std::uint32_t slot = unsigned(j) * block_threads + simt::thread_index();
      if (!is_slot(slot))
        continue;
      const std::uint32_t l = s.last.load(slot / granule);
      if (slot % granule < l >> 16) {
        old.keys[j] = s.stage[(l & 0xffff) + slot % granule];
        old.present |= 1u << j;
      }
    }
  }
  SORTILE_DEVICE void put_back(shared& s, const leftovers& old) const {
    SORTILE_UNROLL
    for (int j = 0; j < slots; ++j) {
      const std::uint32_t slot = unsigned(j) * block_threads + simt::thread_index();
      if ((old.present >> j & 1) != 0)
        s.stage[s.offset.load(slot / granule) + slot % granule] = old.keys[j];
    }
  }

  /// One warp, eight or sixteen digits a lane: counts rounded up to granules, scanned.
  SORTILE_DEVICE void scan_digits(shared& s) const {
    constexpr int each = int(radix / simt::warp_size);
    const unsigned t = simt::thread_index();
    if (t >= simt::warp_size)
      return;
    std::uint32_t rounded[each], sum = 0;
    SORTILE_UNROLL
    for (int j = 0; j < each; j += 4) {
      const auto four = simt::load_vector<4>(s.count, t * each + unsigned(j));
      SORTILE_UNROLL
      for (int k = 0; k < 4; ++k) {
        rounded[j + k] = (four[k] + granule - 1) / granule * granule;
        sum += rounded[j + k];
      }
    }
    const std::uint32_t inclusive = primitives::warp_inclusive_scan(sum, primitives::plus{});
    std::uint32_t running = inclusive - sum;
    SORTILE_UNROLL
    for (int j = 0; j < each; j += 4) {
      simt::vec<std::uint32_t, 4> four;
      SORTILE_UNROLL
      for (int k = 0; k < 4; ++k) {
        four[k] = running;
        running += rounded[j + k];
      }
      simt::store_vector<4>(s.offset, t * each + unsigned(j), four);
    }
    if (t == simt::warp_size - 1)
      s.staged = inclusive;
  }

  /// Thread d for digit d: room for the whole granules; the rest is what is left, and the counter's start.
  SORTILE_DEVICE reservation reserve(shared& s, std::uint32_t segment) const {
    const unsigned t = simt::thread_index();
    reservation r;
    if (t <= shape.mask) {
      const std::uint32_t keys = s.count.load(t), q = segment * (shape.mask + 1) + t;
      const std::uint32_t whole = keys / granule * granule;
      r.end = bucket_start(q + 1);
      if (whole != 0)
        r.target = rings.next.fetch_add(q, whole);
      s.count[t] = keys - whole;
      s.last[t] = (keys - whole) << 16 | (s.offset.load(t) + whole);
    }
    return r;
  }

  template <class Buckets>
  SORTILE_DEVICE void write_granules(shared& s, const Buckets& buckets, std::uint32_t segment) const {
    const std::uint32_t filled = s.staged / unsigned(vector);
    for (std::uint32_t v = simt::thread_index(); v < filled; v += block_threads) {
      const std::uint32_t p = v * unsigned(vector);
      const keys_vector x = simt::load_vector<vector>(s.stage, p);
      // An incomplete granule holds anything behind its keys, but its first key is one of them.
      const std::uint32_t d = digit(buckets, granule == unsigned(vector) ? x[0] : s.stage.load(p / granule * granule));
      const auto place = simt::load_vector<4>(s.place, 4 * d);
      if (p >= place[2])
        continue;
      const std::uint32_t to = place[0] + p;
      if (to + unsigned(vector) <= place[1]) {
        simt::store_vector<vector>(out, to, x);
      } else {
        const std::uint32_t b = bucket_start(segment * (shape.mask + 1) + d);
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e) {
          const std::uint32_t i = to + unsigned(e);
          out[i < place[1] ? i : b + (i - place[1])] = x[e];
        }
      }
    }
  }

  /// What is left goes to the other end of the ring; counters start from 0 again.
  SORTILE_DEVICE void write_leftovers(shared& s, std::uint32_t segment, bool more) const {
    const unsigned t = simt::thread_index();
    simt::block_barrier();
    if (t <= shape.mask) {
      const std::uint32_t keys = s.last.load(t) >> 16;
      s.offset[t] = keys != 0 ? rings.left.fetch_add(segment * (shape.mask + 1) + t, keys) : 0;
      s.count[t] = 0;
    }
    simt::block_barrier();
    SORTILE_UNROLL
    for (int j = 0; j < slots; ++j) {
      const std::uint32_t slot = unsigned(j) * block_threads + t, d = slot / granule;
      if (!is_slot(slot))
        continue;
      const std::uint32_t l = s.last.load(d);
      if (slot % granule >= l >> 16)
        continue;
      const std::uint32_t q = segment * (shape.mask + 1) + d, b = bucket_start(q), e = bucket_start(q + 1);
      const std::uint32_t up = (b + granule - 1) / granule * granule, a = up < e ? up : e;
      const std::uint32_t taken = s.offset.load(d) + slot % granule;
      out[taken < a - b ? a - 1 - taken : e - 1 - (taken - (a - b))] = s.stage[(l & 0xffff) + slot % granule];
    }
    if (!more)
      return;
    simt::block_barrier();
    if (t < radix)
      s.last[t] = 0;
    simt::block_barrier();
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
