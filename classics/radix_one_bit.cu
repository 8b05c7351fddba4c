// LSD radix sort, one bit per iteration, one thread per key: destinations from an exclusive scan.
//
// Idea. Sort by the least significant bit, then by the next, up to the most significant. If each iteration is stable,
// keys that agree in the current bit keep the order that the lower bits gave them, and after the last bit all are in
// order. An iteration over one bit is a stable partition: zeros to the front, ones behind them.
//
//   $ sortile classics show --example radix-destinations
//   input: 101 010 111 100 001 110
//   bit 0
//     keys          101 010 111 100 001 110
//     flags           1   0   1   0   1   0
//     ones before     0   1   1   2   2   3
//     destinations    3   0   4   1   5   2
//     moved         010 100 110 101 111 001
//   result: 010 100 110 101 111 001
//
//   bit = 0:  destination = i − ones before
//   bit = 1:  destination = n − ones in total + ones before
//
// Derivation, as circulated code often has it wrong. Before key i lie i keys; `ones before` of them are ones, so
// i − ones before are zeros: that many zeros must precede a zero. A one follows all zeros, of which there are
// n − ones in total, and the ones before it. The total is no element of the exclusive scan: that has n elements, and
// the last is the sum without the last bit; an element "bits[n]" lies outside the array. It is the last element plus
// the last bit, or what the scan returns as its sum, as here. The scan must span the grid: a scan in one block serves
// n up to the block's size, and a sort built on it is wrong for the next larger array.
//
// Source: Hillis & Steele, "Data Parallel Algorithms", 1986 (split); Blelloch, "Prefix Sums and Their Applications",
// 1990; Kirk & Hwu, "Programming Massively Parallel Processors", 4th edition, chapter on sorting. The single-pass scan:
// Merrill & Garland, 2016 (scan.hpp).
//
// Two forms:
//   radix-1bit             three launches per iteration: bits, scan, move. 4 + 8 + 4 bytes of flags and positions a key
//                          stand beside the 2 × (key + value) bytes that move.
//   radix-1bit-one-launch  one launch per iteration: a block makes the flags of its tile, scans them in shared memory,
//                          learns the ones of earlier tiles by decoupled look-back, and moves its keys. The ones in
//                          total would be known only after the last tile, for which no block may wait; but no iteration
//                          changes the multiset of keys, so one launch before the first counts the ones of every bit.
//
// Cost: b iterations for b bits (32 for u32): O(b n) work, O(b log n) steps. Reads are coalesced; writes are not: two
// streams, zeros and ones, that neighbours in a warp leave in turn, so a warp's write touches two pieces of
// some 16 keys each, at any offset, where a read touches one that is aligned: 5.75 sectors for 4 (--counters). Nothing
// is done in shared memory to repair that: radix_buckets.cu does.
//
// What it teaches: a scan turns "where does each key go" into arithmetic. Limits: 32 round trips through memory for
// 32-bit keys; more bits per iteration (radix_buckets.cu) divide them.
#include "classics/bit_partition.hpp"

namespace sortile::classics {
namespace {

template <class Word>
struct make_flags {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> keys;
  std::uint64_t n;
  key_codec<Word> codec;
  unsigned bit;
  simt::global<std::uint32_t> flags;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < n)
      flags[i] = static_cast<std::uint32_t>(codec.image(keys.load(i)) >> bit) & 1;
  }
};

template <class Word, bool Pairs>
struct move_by_flags {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> from, to;
  std::uint64_t n;
  key_codec<Word> codec;
  unsigned bit;
  simt::global<const std::uint32_t> ones_before, ones_in_total;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const auto r = from.load(i);
    const bool one = (codec.image(r.key) >> bit) & 1;
    to.store(place_by_bit(one, i, ones_before.load(i), n - ones_in_total.load(0)), r);
  }
};

template <class Word, bool Pairs>
void three_launches(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  const unsigned tile = j.parameter("tile");
  const simt::launch_config blocks{.grid = blocks_for(n, tile), .block = tile};
  const device_array<std::uint32_t> ones(j.on, n);
  const single_pass_scan scan(j.on, n, 2 * tile);
  for (unsigned bit = 0; bit < codec.bits && n > 0; ++bit) {
    telling t = j.tell("bit " + std::to_string(bit));
    t.keys("keys", untyped(data), n, tile);
    simt::launch(j.on.queue(), blocks, make_flags<Word>{data.keys, n, codec, bit, view(ones)});
    t.flags("flags", ones, tile);
    scan(view(ones), view(ones));
    t.numbers("ones before", ones, tile);
    if (t.is_read())
      t.numbers("destinations", places_by_bit(bits_of_keys(j.on, data, n, codec, bit)), tile);
    simt::launch(j.on.queue(), blocks,
                 move_by_flags<Word, Pairs>{data, spare, n, codec, bit, view(ones), scan.total()});
    std::swap(data, spare);
    t.moved("moved", untyped(data), n, tile);
  }
}

template <class Word, bool Pairs>
struct partition_by_bit {
  static constexpr unsigned block_threads = 256, keys = 2, neighbours = 1;
  struct shared {
    simt::shared_array<std::uint32_t, padded<32>(keys* block_threads)> ones_before;
    simt::shared_value<std::uint32_t> tile, ones_in_earlier_tiles;
  };
  records<Word, Pairs> from, to;
  std::uint64_t n;
  key_codec<Word> codec;
  unsigned bit;
  simt::global<std::uint32_t> begun;
  simt::global<std::uint64_t> states;
  simt::global<std::uint32_t> told;
  simt::global<const std::uint32_t> ones_in_total; // [bits]
  unsigned tile;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t number = next_tile(s, begun);
    const std::uint64_t first = std::uint64_t{number} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    record<Word, Pairs> mine[keys] = {};
    bool one[keys] = {};
    SORTILE_UNROLL for (unsigned k = 0; k < keys; ++k) {
      const unsigned place = k * simt::block_size() + simt::thread_index();
      if (place < count) {
        mine[k] = from.load(first + place);
        one[k] = ((codec.image(mine[k].key) >> bit) & 1) != 0;
      }
      if (place < tile)
        s.ones_before[padded<32>(place)] = one[k];
    }
    const std::uint32_t sum = scan_block<32>(s.ones_before, tile);
    if (simt::warp_index() == 0) {
      const std::uint32_t earlier = look_back(states, number, sum, told);
      if (simt::lane_index() == 0)
        s.ones_in_earlier_tiles = earlier;
    }
    simt::block_barrier();
    SORTILE_UNROLL for (unsigned k = 0; k < keys; ++k) {
      const unsigned place = k * simt::block_size() + simt::thread_index();
      if (place >= count)
        continue;
      const std::uint32_t before = s.ones_in_earlier_tiles + s.ones_before.load(padded<32>(place));
      to.store(place_by_bit(one[k], first + place, before, n - ones_in_total.load(bit)), mine[k]);
    }
  }
};

} // namespace

SORTILE_CLASSICS_OF(radix_one_bit) {
  return {{.name = "radix-1bit",
           .family = "radix",
           .summary = "LSD radix sort by single bits: flags, scan, move; three launches a bit",
           .work = "b n",
           .depth = "b log n",
           .source = "Hillis & Steele 1986; Kirk & Hwu, 4th ed.",
           .steps_show = "of each bit the flags, their scan, destinations, and the moved keys",
           .stable = true,
           .tile = 512,
           .parameters = {tile_parameter(256)},
           .run = [](job& j) { with_records(j, [&](auto&... a) { three_launches(j, a...); }); }},
          {.name = "radix-1bit-one-launch",
           .family = "radix",
           .summary = "the same in one launch a bit: scan by decoupled look-back within the move",
           .work = "b n",
           .depth = "b log n",
           .source = "Kirk & Hwu, 4th ed.; Merrill & Garland 2016",
           .steps_show = "the ones of each bit; then flags, destinations, look-back and the moved keys",
           .stable = true,
           .tile = 512,
           .parameters = {tile_parameter(512)},
           .run = [](job& j) {
             with_records(j, [&]<class Word, bool Pairs>(records<Word, Pairs>& data, auto&... a) {
               partition_by_each_bit<partition_by_bit<Word, Pairs>>(j, data, a...);
             });
           }}};
}

} // namespace sortile::classics
