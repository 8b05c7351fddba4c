// Stable partition: moves the pairs of each segment into buckets by up to 8 bits of their keys' images; pairs of a
// bucket keep their order.
//
// Every position is known before anything moves (chunk_scan_kernel.hpp): no look-back, no global atomic. The first
// partition has one segment, the whole input, and block c moves chunk c. The second has the first one's buckets for
// segments; within one, the pairs of chunk 0 stand before those of chunk 1, and so on:
//
//   segment s   | chunk 0's | chunk 1's | chunk 2's | …       a cell (s, c) begins at start[s] + coarse[c][s]
//
// Work is cut at cells, into equal shares of the pairs, so that a block's first pair of bucket (s, d) goes to start[s,
// d] + fine[c][s, d]. From there on the block counts by itself. (Between splitters shares need no cells: there the
// counts are of the shares.) Of a tile a block
//
//   1  counts each warp's pairs by digit, row by row of 32, and ranks them     count[warp][digit]
//   2  adds up the warps' counts                                               partial, entry, staged
//   3  puts the pairs in order                                                 keys, values
//   4  writes them out
//
// Whole granules. A 32-byte sector that is written in part costs more than a whole one, so a bucket gets whole, aligned
// granules alone. The rest of a bucket's pairs is carried over to the next tile, as its first pairs:
//
//   stage   | whole granules of digit 0 | of digit 1 | …       carry   | digit 0's rest | digit 1's rest | …
//
// A block's first granule of a bucket begins with pairs of the block before. The count starts with their places, which
// hold anything and are not written. So the last key of a granule is always the block's own, and names the bucket.
//
// `Source` says what a digit is, and where a block's share begins: by the highest bits of y (spread_digits.hpp), or by
// the splitters between which the key lies (splitters/splitter_digits.hpp).
//
// Shared storage 97 to 152 KB, 1024 threads of 64 registers, one block per multiprocessor. Tiles in flight pass through
// the L1, which has what shared storage leaves: where that takes more than 196 KB, too little. Barriers: 4 a tile.
// Traffic: 2 (sizeof(key) + sizeof(value)) per pair. Slower (docs/performance-log-gpu.md): two blocks of 512 threads,
// values copied asynchronously, the rest kept in the stage or carried in two places in turn.
//
// Sources: multi-split in shared memory before a scatter is Satish, Harris and Garland's (2009), ranks from lane masks
// of equal digits are Adinets and Merrill's (2022).
#pragma once

#include "kernels/pairs/pair_types.hpp"
#include "kernels/pairs/partition_shares.hpp"
#include "kernels/pairs/thread_bytes.hpp"
#include "primitives/row_ranks.hpp"
#include "primitives/warp_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Pairs a thread holds, and pairs a granule, by bytes of a key and of a value. On the H100 with CUDA 13.0, 2^28 pairs:
/// 4 and 4: 6 pairs 1.86, 7 1.80 ms; 8 and 4: 4 pairs 2.63, 5 2.71, 6 3.18; 8 and 8: 3 pairs 3.60, 4 3.49.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct stable_partition_tuning {
  static constexpr bool votes = KeyBytes == 4 || (ValueBytes != 0 && KeyBytes + ValueBytes < 16); ///< every other row
  static constexpr int items = KeyBytes == 4 && ValueBytes == 0                 ? 6
                               : KeyBytes + ValueBytes <= 8                     ? 7
                               : KeyBytes + ValueBytes <= 12                    ? 4
                               : ValueBytes == 16 || KeyBytes + ValueBytes > 20 ? 2
                                                                                : 4;
  static constexpr unsigned granule = KeyBytes != 16 && ValueBytes != 16 && (KeyBytes == 4 || ValueBytes == 4) ? 8 : 4;
};

template <class Word, class Value, class Source>
struct stable_partition_kernel {
  using tuning = stable_partition_tuning<sizeof(Word), value_size<Value>>;
  static constexpr bool has_values = value_size<Value> != 0;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, min_blocks = 1, radix = 256, warps = block_threads / simt::warp_size;
  static constexpr int items = tuning::items, vector = int(16 / sizeof(Word));
  static constexpr unsigned granule = tuning::granule, tile = block_threads * unsigned(items);
  static constexpr unsigned stage = (tile + radix * (granule - 1) + 7) / 8 * 8; // places of whole granules
  static constexpr unsigned carries = radix * granule;                          // places of the carry, behind the stage
  static constexpr int slots = int(carries / block_threads);                    // carried places of a thread
  static constexpr bool votes = tuning::votes;
  static constexpr unsigned groups = 8, each_group = warps / groups; // warps whose counts a thread adds up
  static_assert(slots * int(block_threads) == int(carries) && granule % unsigned(vector) == 0 && warps == 32);
  static_assert(stage < 65536);
  using ranker = primitives::row_ranks<items, votes, 8>;

  struct shared {
    alignas(128) simt::shared_array<Word, stage + carries> keys;
    alignas(16) simt::shared_array<Value, has_values ? stage + carries : 1> values;
    alignas(16) simt::shared_array<std::uint32_t, votes ? warps * radix : 4> vote; // [warp][digit]
    alignas(16) simt::shared_array<std::uint32_t, warps * radix / 2> count;        // [warp][digit], 16 bits each
    alignas(16) simt::shared_array<std::uint32_t, groups * radix / 2> partial;
    alignas(16) simt::shared_array<std::uint32_t, radix> carried;  // places of the bucket's granule that are filled
    alignas(16) simt::shared_array<std::uint32_t, radix> rest;     // carried, from the next tile on
    alignas(16) simt::shared_array<std::uint32_t, radix> entry;    // pairs of whole granules << 16 | staged place
    alignas(8) simt::shared_array<std::uint32_t, 2 * radix> place; // where staged place 0 would go; first own position
    simt::shared_array<std::uint32_t, radix> line;                 // position of the bucket's open granule
    simt::shared_array<std::uint32_t, radix> begin;                // the piece's first position in the bucket
    simt::shared_value<std::uint32_t> staged;
    typename Source::storage source;
    simt::shared_array<std::uint8_t, Source::remembers ? stage / granule : 1> digit_of; // of a staged granule
  };

  static_assert(sizeof(shared) <= 227 * 1024);

  simt::global<const Word> in;
  simt::global<const Value> in_values; // not read where indices are made
  simt::global<Word> out;              // aligned to 16 bytes, as out_values
  simt::global<Value> out_values;
  simt::global<const std::uint32_t> start, before;
  Source source;
  stable_shape shape;
  std::uint32_t n;
  bool make_indices;

  SORTILE_DEVICE void operator()(shared& s) const {
    std::uint32_t place = 0; // where the pairs of this thread's digit go, if the block makes its own tables
    if (!source.begin(s.source, s.count.view(), place))
      return;
    std::uint32_t cell = 0;
    piece at = source.first_piece(segments(), shape, n, cell);
    if (at.next >= at.stop)
      return;
    if constexpr (votes)
      for (unsigned i = simt::thread_index(); i < warps * radix; i += block_threads)
        s.vote[i] = 0;
    if (source.makes_places())
      begin_at(s, place);
    else
      enter(s, at.segment, cell);
    pairs x;
    load(at, x);
    simt::block_barrier();
    for (;;) {
      const std::uint32_t held = at.tile_pairs(tile);
      tile_bytes ranks{};
      const tile_bytes digits = source.digits(s.source, shape, x.keys, x.beside);
      rank(s, digits, held, ranks);
      if (simt::thread_index() < radix)
        s.carried[simt::thread_index()] = s.rest.load(simt::thread_index());
      simt::block_barrier();
      scan_counts(s);
      const carry old = take_carry(s);
      simt::block_barrier();
      settle(s);
      put(s, x, digits, held, ranks);
      put_carry(s, old);
      const bool leaves = advance(at), more = at.next < at.stop;
      if (more)
        load(at, x);
      simt::block_barrier();
      write_granules(s);
      // No barrier: two more pass before the next tile touches what is read here.
      if (leaves) {
        simt::block_barrier();
        write_carry(s);
        if (!more)
          return;
        simt::block_barrier();
        enter(s, at.segment, 0);
        simt::block_barrier();
      }
    }
  }

 private:
  using piece = partition_piece;
  struct pairs {
    Word keys[items] = {};
    Value values[items] = {};
    typename Source::template beside<items> beside;
  };
  struct carry {
    Word keys[slots];
    Value values[slots];
  };

  using tile_bytes = thread_bytes<items>; // digits; ranks among the warp's pairs of a digit
  static_assert(unsigned(items) * simt::warp_size + simt::warp_size <= 256);
  SORTILE_DEVICE segment_starts segments() const { return {start, shape.segments, shape.mask, shape.step}; }
  /// The place in the tile of this thread's pair number i.
  static SORTILE_DEVICE std::uint32_t place_of(int i) {
    return (simt::warp_index() * unsigned(items) + unsigned(i)) * simt::warp_size + simt::lane_index();
  }

  /// Where the first pair of every bucket goes, of the segment's pairs from the cell on.
  SORTILE_DEVICE void enter(shared& s, std::uint32_t segment, std::uint32_t cell) const {
    const unsigned t = simt::thread_index();
    std::uint32_t b = 0;
    if (t <= shape.mask) {
      const std::uint32_t q = segment * (shape.mask + 1) + t;
      b = start.load(q * shape.step) + before.load(std::uint64_t{cell} * shape.row + q);
    }
    source.enter(s.source, shape, segment);
    begin_at(s, b);
  }
  /// Where the first pair of thread t's digit goes.
  SORTILE_DEVICE void begin_at(shared& s, std::uint32_t b) const {
    const unsigned t = simt::thread_index();
    if (t >= radix)
      return;
    s.begin[t] = b;
    s.line[t] = b / granule * granule;
    s.rest[t] = b % granule;
  }
  /// Past the tile; true where the piece ends with it.
  SORTILE_DEVICE bool advance(piece& at) const {
    at.next += at.tile_pairs(tile);
    if (at.next != at.end)
      return false;
    if (at.next < at.stop)
      segments().move(at);
    return true;
  }

  SORTILE_DEVICE void load(const piece& at, pairs& x) const {
    // Asked pair by pair, without a branch: where two paths met, registers would be copied, and that waits for the
    // loads.
    const std::uint32_t held = at.tile_pairs(tile), first = at.next;
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (place_of(i) < held)
        x.keys[i] = in.load(first + place_of(i));
    source.fetch(
        x.beside, [&](int i) { return first + place_of(i); }, [&](int i) { return place_of(i) < held; });
    if constexpr (has_values) {
      if (!make_indices) {
        SORTILE_UNROLL
        for (int i = 0; i < items; ++i)
          if (place_of(i) < held)
            x.values[i] = in_values.load(first + place_of(i));
      } else if constexpr (value_size<Value> <= 8) {
        SORTILE_UNROLL
        for (int i = 0; i < items; ++i)
          x.values[i] = Value(first + place_of(i));
      }
    }
  }
  /// f(i) for the thread's pairs of a tile of `held`; which these are is asked once where it is full.
  template <class F>
  static SORTILE_DEVICE void each_own(std::uint32_t held, F f) {
    if (held == tile) {
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        f(i);
    } else {
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        if (place_of(i) < held)
          f(i);
    }
  }

  SORTILE_DEVICE void rank(shared& s, const tile_bytes& digits, std::uint32_t held, tile_bytes& ranks) const {
    SORTILE_UNROLL
    for (unsigned j = 0; j < radix / 2; j += simt::warp_size)
      s.count[simt::warp_index() * (radix / 2) + j + simt::lane_index()] = 0;
    simt::warp_barrier();
    const typename ranker::tables at{simt::view_as<std::uint16_t>(s.count.view()).subview(first_of_warp(), radix),
                                     s.vote.view().subview(votes ? first_of_warp() : 0, votes ? radix : 4)};
    const auto put = [&ranks](int i, std::uint32_t rank) { ranks.set(i, rank); };
    if (held == tile)
      ranker::find(at, digits, put);
    else
      ranker::find_some(
          at, digits, [held](int i) { return place_of(i) < held; }, put);
  }
  static SORTILE_DEVICE std::uint32_t first_of_warp() { return simt::warp_index() * radix; }

  /// Two digits a word: counts of all warps become the pairs before each warp's, with the carried ones first; warp 0
  /// finds where every digit's whole granules begin in the stage.
  SORTILE_DEVICE void scan_counts(shared& s) const {
    constexpr unsigned words = radix / 2;
    const unsigned word = simt::thread_index() % words, group = simt::thread_index() / words;
    std::uint32_t here[each_group], sum = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < each_group; ++j) {
      here[j] = s.count.load((group * each_group + j) * words + word);
      sum += here[j];
    }
    s.partial[group * words + word] = sum;
    simt::block_barrier();
    std::uint32_t running = s.carried.load(2 * word) | s.carried.load(2 * word + 1) << 16;
    SORTILE_UNROLL
    for (unsigned g = 0; g + 1 < groups; ++g)
      if (g < group)
        running += s.partial.load(g * words + word);
    SORTILE_UNROLL
    for (unsigned j = 0; j < each_group; ++j) {
      s.count[(group * each_group + j) * words + word] = running;
      running += here[j];
    }
    if (simt::warp_index() == 0)
      scan_digits(s);
  }
  /// One warp, eight digits a lane.
  SORTILE_DEVICE void scan_digits(shared& s) const {
    constexpr int each = int(radix / simt::warp_size), halves = each / 2;
    const unsigned lane = simt::lane_index();
    std::uint32_t packed[halves];
    SORTILE_UNROLL
    for (int h = 0; h < halves; h += 2) {
      const auto c = simt::load_vector<4>(s.carried, lane * each + unsigned(2 * h));
      packed[h] = c[0] | c[1] << 16;
      packed[h + 1] = c[2] | c[3] << 16;
    }
    SORTILE_UNROLL
    for (unsigned g = 0; g < groups; ++g) {
      const auto p = simt::load_vector<4>(s.partial, g * (radix / 2) + lane * halves);
      SORTILE_UNROLL
      for (int h = 0; h < halves; ++h)
        packed[h] += p[h];
    }
    std::uint32_t whole[each], total = 0;
    SORTILE_UNROLL
    for (int j = 0; j < each; j += 4) {
      simt::vec<std::uint32_t, 4> rest;
      SORTILE_UNROLL
      for (int k = 0; k < 4; ++k) {
        const std::uint32_t c = k % 2 == 0 ? packed[(j + k) / 2] & 0xffff : packed[(j + k) / 2] >> 16;
        rest[k] = c % granule;
        whole[j + k] = c - rest[k];
        total += whole[j + k];
      }
      simt::store_vector<4>(s.rest, lane * each + unsigned(j), rest);
    }
    const std::uint32_t inclusive = primitives::warp_inclusive_scan(total, primitives::plus{});
    std::uint32_t at = inclusive - total;
    SORTILE_UNROLL
    for (int j = 0; j < each; j += 4) {
      simt::vec<std::uint32_t, 4> four;
      SORTILE_UNROLL
      for (int k = 0; k < 4; ++k) {
        four[k] = whole[j + k] << 16 | at;
        at += whole[j + k];
      }
      simt::store_vector<4>(s.entry, lane * each + unsigned(j), four);
    }
    if (lane == simt::warp_size - 1)
      s.staged = inclusive;
  }
  /// Thread d for digit d: where its granules go.
  SORTILE_DEVICE void settle(shared& s) const {
    const unsigned t = simt::thread_index();
    if (t >= radix)
      return;
    const std::uint32_t e = s.entry.load(t), line = s.line.load(t);
    simt::store_vector<2>(s.place, 2 * t, {{line - (e & 0xffff), s.begin.load(t)}});
    s.line[t] = line + (e >> 16);
  }

  SORTILE_DEVICE void put(shared& s, const pairs& x, const tile_bytes& digits, std::uint32_t held,
                          const tile_bytes& ranks) const {
    const auto count = simt::view_as<std::uint16_t>(s.count.view());
    each_own(held, [&](int i) {
      const std::uint32_t d = digits[i];
      put_pair(s, x.keys[i], x.values[i], d, count.load(simt::warp_index() * radix + d) + ranks[i]);
    });
  }
  /// What was carried to this tile, out of the way of what will be carried on. Late, when registers are free.
  static SORTILE_DEVICE carry take_carry(shared& s) {
    carry old;
    SORTILE_UNROLL
    for (int j = 0; j < slots; ++j) {
      old.keys[j] = s.keys.load(stage + slot_of(j));
      if constexpr (has_values)
        old.values[j] = s.values.load(stage + slot_of(j));
    }
    return old;
  }
  static SORTILE_DEVICE std::uint32_t slot_of(int j) { return unsigned(j) * block_threads + simt::thread_index(); }
  /// It comes first.
  SORTILE_DEVICE void put_carry(shared& s, const carry& old) const {
    SORTILE_UNROLL
    for (int j = 0; j < slots; ++j)
      if (slot_of(j) % granule < s.carried.load(slot_of(j) / granule))
        put_pair(s, old.keys[j], old.values[j], slot_of(j) / granule, slot_of(j) % granule);
  }
  /// Pair number r of digit d, carried ones included: to the stage, or on to the next tile.
  static SORTILE_DEVICE void put_pair(shared& s, Word key, const Value& value, std::uint32_t d, std::uint32_t r) {
    const std::uint32_t e = s.entry.load(d), whole = e >> 16;
    const std::uint32_t at = r < whole ? (e & 0xffff) + r : stage + d * granule + (r - whole);
    s.keys[at] = key;
    if constexpr (has_values)
      s.values[at] = value;
    if constexpr (Source::remembers)
      if (r < whole && at % granule == granule - 1)
        s.digit_of[at / granule] = std::uint8_t(d);
  }

  SORTILE_DEVICE void write_granules(shared& s) const {
    const std::uint32_t vectors = s.staged / unsigned(vector);
    for (std::uint32_t first = simt::warp_index() * simt::warp_size; first < vectors; first += block_threads) {
      const std::uint32_t v = first + simt::lane_index(), p = v * unsigned(vector);
      simt::vec<Word, vector> x{};
      if (v < vectors)
        x = simt::load_vector<vector>(s.keys, p);
      std::uint32_t d = 0;
      if constexpr (Source::remembers)
        d = v < vectors ? s.digit_of.load(p / granule) : 0;
      else
        d = simt::shuffle(source.digit(s.source, shape)(x[vector - 1]),
                          simt::lane_index() | (granule / unsigned(vector) - 1));
      if (v >= vectors)
        continue;
      const auto place = simt::load_vector<2>(s.place, 2 * d);
      const std::uint32_t to = place[0] + p;
      if (to >= place[1]) {
        simt::store_vector<vector>(out, to, x);
        write_values(s, to, p);
      } else {
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          if (to + unsigned(e) >= place[1])
            write_pair(s, to + unsigned(e), p + unsigned(e));
      }
    }
  }
  SORTILE_DEVICE void write_values(shared& s, std::uint32_t to, std::uint32_t from) const {
    if constexpr (has_values) {
      constexpr int fit = int(16 / sizeof(Value)), each = fit < vector ? fit : vector;
      SORTILE_UNROLL
      for (int e = 0; e < vector; e += each)
        simt::store_vector<each>(out_values, to + unsigned(e), simt::load_vector<each>(s.values, from + unsigned(e)));
    }
  }
  SORTILE_DEVICE void write_pair(shared& s, std::uint32_t to, std::uint32_t from) const {
    out[to] = s.keys.load(from);
    if constexpr (has_values)
      out_values[to] = s.values.load(from);
  }
  /// The open granules' pairs, where the block leaves them to the next.
  SORTILE_DEVICE void write_carry(shared& s) const {
    SORTILE_UNROLL
    for (int j = 0; j < slots; ++j) {
      const std::uint32_t slot = slot_of(j), d = slot / granule, to = s.line.load(d) + slot % granule;
      if (slot % granule < s.rest.load(d) && to >= s.begin.load(d))
        write_pair(s, to, stage + slot);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
