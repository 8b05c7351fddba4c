// MSD radix sort whose recursion stays on the device: levels of parts, each divided by its next digit.
//
// Idea. In radix-msd the host holds the stack of buckets, and reads 256 bucket beginnings back for each of them: a
// round trip a bucket, thousands of them where buckets of the second level are still too large for a block. Here
// nothing is read back. All parts of a level are divided by one grid, whose blocks find in a list which part and tile
// they have; the block that counts a part last lists its buckets for the next level, and one thread launches that level
// when the grid has ended. So the host launches the counts of the first level, and each grid the one after it: counts
// and moves of a level by turns, and at the end a block for each part that is left.
//
// Sixteen keys of 4 bits, 2 bits a level, tiles and blocks of four keys:
//
//   $ sortile classics show --example radix-msd-levels
//   input: 1100 0011 0110 1001 1111 1000 0101 1010 1001 0110 1011 1101 0100 1010 0111 0000
//   level 0, keys 0 to 15 in 4 tiles
//     by         bits 2 to 3
//     bucket     0 1 2  3
//     size       2 5 6  3
//     begins at  0 2 7 13
//   level 1, keys 2 to 6 in 2 tiles
//     by         bits 0 to 1
//     bucket     0 1 2 3
//     size       1 1 2 1
//     begins at  0 1 2 4
//   level 1, keys 7 to 12 in 2 tiles
//     by         bits 0 to 1
//     bucket     0 1 2 3
//     size       1 2 2 1
//     begins at  0 1 3 5
//   parts left to a block each: 6
//     keys 0 to 1
//     keys 2 to 5
//     keys 6 to 6
//     keys 7 to 9
//     keys 10 to 12
//     keys 13 to 15
//   4 launches from the device
//   result: 0000 0011 0100 0101 0110 0110 0111 1000 1001 1001 1010 1010 1011 1100 1101 1111
//
// The essay of device_recursion.hpp has the protocol. A tile's keys are counted once for the sizes of the part's
// buckets, and once more when they are moved: put in order of their digits in shared memory, by shared counters, and
// written as runs to places that one atomic a bucket reserves. So the order within a bucket is that in which blocks
// come by: unlike radix-msd, which scans a table of tiles and digits, this sort is unstable. What the atomics save is
// the table, and with it the scan.
//
// Nesting: two launches a level, and one at the end, must be at most 24. Keys of 64 bits at less than 6 bits a level
// would nest deeper: the digits are as wide as that asks for, whatever `bits` says.
//
// Source: McIlroy, Bostic & McIlroy, "Engineering Radix Sort", 1993; Stehle & Jacobsen, "A Memory Bandwidth-Efficient
// Hybrid Radix Sort", 2017, which keeps the same lists of buckets on the device, and launches from the host what it
// would launch at most; NVIDIA, CUDA Programming Guide, "Tail launch".
//
// Cost: n uniform 32-bit keys, from 2^20 to 2^26, are divided twice: 3 key sizes of traffic a level, 2 for the local
// sorts. Launches: 2 a level, whatever the number of buckets. Shared memory: 2048 records and 4 KiB. Workspace: 1 KiB
// for each 2048 keys, twice. Parameters: `small`, the largest part that one block sorts, `bits` a level, `tile`.
//
// What it teaches: recursion over parts of all sizes as flat grids over lists, which is how a tree that the data shape
// is put on a machine that wants wide launches; and the last block of a part as the place where a decision can be made
// without the host. Limits: the plan of a part is the work of one block, and of one thread over 256 buckets; skewed
// keys serialise on shared counters; a level waits for its slowest part.
#include "classics/radix_buckets.hpp"
#include "classics/recursion_on_device.hpp"

namespace sortile::classics {
namespace {

constexpr unsigned most_local = 2048; // records that one block sorts

/// Digits from the most significant down, `bits` each.
template <class Word, bool Pairs>
struct by_next_digit {
  static constexpr bool has_splitters = false;
  struct storage {};
  using local_storage = tile_storage<Word, Pairs, 256, most_local / 256>;
  key_codec<Word> codec;
  unsigned bits;

  SORTILE_HOST_DEVICE unsigned buckets() const { return 1u << bits; }
  SORTILE_HOST_DEVICE unsigned splitters() const { return 0; }
  SORTILE_HOST_DEVICE unsigned bits_left(unsigned depth) const {
    return codec.bits > depth * bits ? codec.bits - depth * bits : 0;
  }
  SORTILE_HOST_DEVICE digit_place digit(unsigned depth) const {
    const unsigned left = bits_left(depth), width = left < bits ? left : bits;
    return {left - width, width};
  }
  SORTILE_DEVICE void load(storage&, simt::global<const Word>, std::uint32_t) const {}
  SORTILE_DEVICE unsigned bucket(const storage&, Word image, unsigned depth) const {
    const digit_place d = digit(depth);
    return static_cast<unsigned>(image >> d.first_bit) & (d.values() - 1);
  }
  SORTILE_DEVICE bool settles(unsigned, unsigned depth) const { return bits_left(depth + 1) == 0; }
  SORTILE_HOST_DEVICE unsigned threads_for(unsigned small) const {
    unsigned threads = simt::warp_size;
    while (threads * local_storage::keys < small)
      threads *= 2;
    return threads;
  }
  SORTILE_DEVICE void sort(local_storage& s, const records<Word, Pairs>& in, const records<Word, Pairs>& out,
                           const part& p) const {
    sort_bucket(s, in, out, p.first, p.count, codec, bits_left(p.depth));
  }
};

template <class Word, bool Pairs>
void msd(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0 || codec.bits == 0) // one order is as good as another
    return;
  constexpr unsigned most_levels = (deepest_nesting - 1) / 2;
  const by_next_digit<Word, Pairs> division{codec, std::max(j.parameter("bits"), blocks_for(codec.bits, most_levels))};
  const unsigned levels = blocks_for(codec.bits, division.bits);
  recursion_on_device(j, data, spare, codec, division, levels - 1)
      .run([&](telling& t, const part& p, const std::vector<Word>&) {
        const digit_place d = division.digit(p.depth);
        t.words("by", {name_of_bits(d.first_bit, d.bits)});
      });
}

} // namespace

SORTILE_CLASSICS_OF(radix_msd_launching) {
  return {{.name = "radix-msd-launching",
           .family = "radix",
           .summary = "radix-msd without the host: a level's parts in one grid, which launches the next level",
           .work = "b n",
           .depth = "b log n",
           .source = "Stehle & Jacobsen 2017",
           .steps_show = "of each part its digit, the sizes of its buckets and where they begin; the parts that one "
                         "block sorts; launches from the device",
           .tile = most_local,
           .parameters = {{"small", 4, most_local, most_local, "keys that one block sorts", false, 1, true},
                          {"bits", 1, 8, 8, "bits a level"},
                          tile_parameter(most_divided_at_once)},
           .run = [](job& j) { with_records(j, [&](auto&... a) { msd(j, a...); }); }}};
}

} // namespace sortile::classics
