// Thread coarsening on the 1-bit radix sort: several keys per thread, still one launch per iteration.
//
// Idea. In radix_one_bit.cu a thread owns a key, so the block's scan runs over flags: its log n levels and barriers are
// paid for every 512 keys, and so is a look-back. Let a thread own K neighbours instead. It counts its ones in
// registers, which costs K additions and no barrier; the block scans one count per thread; each thread then walks its
// keys again and gives each its destination. The tree keeps its 256 leaves, whatever K is:
//
//   $ sortile classics show --example radix-neighbours
//   input: 0001 0000 0010 0011 0100 0110 0101 1000 0111 1001 1010 1011
//   ones of each bit: 6
//   bit 0
//     keys                   0001 0000 0010 0011 0100 0110 0101 1000 | 0111 1001 1010 1011
//     thread                    0    0    0    0    1    1    1    1 |    0    0    0    0
//     flags                     1    0    0    1    0    0    1    0 |    1    1    0    1
//     destinations              6    0    1    7    2    3    8    4 |    9   10    5   11
//     look-back
//       sum of each tile     3 3
//       states it read       0 1
//       prefix it published  3 6
//     moved                  0000 0010 0100 0110 1000 1010 0001 0011   0101 0111 1001 1011
//     from block                0    0    0    0    0    1    0    0      0    1    1    1
//   result: 0000 0010 0100 0110 1000 1010 0001 0011 0101 0111 1001 1011
//
// Neighbours a thread make loads of stride K: a warp would touch 32 K words for 32. So the tile is loaded coalesced
// into shared memory and read back from there by neighbours; one unused record after every 32 spreads the stride over
// the banks.
//
// Source: Kirk & Hwu, "Programming Massively Parallel Processors", 4th edition (coarsening, and the chapter on
// sorting); the raking scan: Dotsenko et al., 2008.
//
// Cost an iteration: reads and writes each record once, as radix-1bit-one-launch, but 1 / K of its barriers, look-backs
// and states (8 bytes for 256 K keys). Registers: K records and a mask. Shared memory: 256 K records, at most 135 KiB.
// Parameters: `keys` per thread, 1 to 32.
//
// What it teaches: parallelism beyond what the machine holds at once is only overhead: do the same work with fewer
// threads, serially where it is cheap. Limits: fewer blocks, so at small n part of the machine idles; large K costs
// occupancy, and with 64-bit pairs at 32 a thread also registers (spills). Writes stay scattered over two streams; the
// same step on top of the bucket form is radix-bits-coarsened.
#include "classics/bit_partition.hpp"
#include "classics/radix_buckets.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs, unsigned Keys>
struct partition_coarsened {
  static constexpr unsigned block_threads = 256, keys = Keys, neighbours = Keys;
  struct shared : tile_storage<Word, Pairs, block_threads, Keys> {
    simt::shared_value<std::uint32_t> tile_number, ones_in_earlier_tiles;
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
    const unsigned t = simt::thread_index();
    if (t == 0)
      s.tile_number = begun.fetch_add(0, 1u);
    simt::block_barrier();
    const std::uint32_t number = s.tile_number;
    const std::uint64_t first = std::uint64_t{number} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    load_tile(s, from, first, count);
    simt::block_barrier();
    record<Word, Pairs> mine[Keys] = {};
    unsigned ones = 0; // mask
    SORTILE_UNROLL for (unsigned k = 0; k < Keys; ++k) if (t * Keys + k < count) {
      mine[k] = s.tile.load(padded<32>(t * Keys + k));
      ones |= static_cast<unsigned>((codec.image(mine[k].key) >> bit) & 1) << k;
    }
    s.ones_before[padded<32>(t)] = simt::popcount(ones);
    const std::uint32_t sum = scan_block<32>(s.ones_before, simt::block_size());
    if (simt::warp_index() == 0) {
      const std::uint32_t earlier = look_back(states, number, sum, told);
      if (simt::lane_index() == 0)
        s.ones_in_earlier_tiles = earlier;
    }
    simt::block_barrier();
    std::uint32_t before = s.ones_in_earlier_tiles + s.ones_before.load(padded<32>(t));
    const std::uint64_t zeros = n - ones_in_total.load(bit);
    SORTILE_UNROLL for (unsigned k = 0; k < Keys; ++k) {
      const unsigned i = t * Keys + k, one = (ones >> k) & 1;
      if (i < count)
        to.store(place_by_bit(one != 0, first + i, before, zeros), mine[k]);
      before += one;
    }
  }
};

} // namespace

SORTILE_CLASSICS_OF(radix_coarsened) {
  return {
      {.name = "radix-1bit-coarsened",
       .family = "radix",
       .summary = "radix-1bit-one-launch with several keys a thread, counted in registers before the block scans",
       .work = "b n",
       .depth = "b (K + log n)",
       .source = "Kirk & Hwu, 4th ed.",
       .steps_show = "the ones of each bit; then threads, flags, destinations, look-back and the moved keys",
       .stable = true,
       .tile = 8192,
       .parameters = {{"keys", 1, 8, 32, "keys a thread", true},
                      {"tile", 4, 8192, 8192, "keys of a block, at most 256 for each key of a thread", true, 1, true}},
       .run = [](job& j) {
         with_constant(j.parameter("keys"), [&]<unsigned Keys>(std::integral_constant<unsigned, Keys>) {
           with_records(j, [&]<class Word, bool Pairs>(records<Word, Pairs>& data, auto&... a) {
             partition_by_each_bit<partition_coarsened<Word, Pairs, Keys>>(j, data, a...);
           });
         });
       }}};
}

} // namespace sortile::classics
