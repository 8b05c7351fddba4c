// Exercise: several keys a thread. See coarsening.md.
#include "classics/bit_partition.hpp"
#include "classics/radix_buckets.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs, unsigned Keys>
struct partition {
  static constexpr unsigned block_threads = 256, keys = Keys, neighbours = Keys;
  struct shared : tile_storage<Word, Pairs, block_threads, Keys> {
    simt::shared_value<std::uint32_t> number, ones_in_earlier_tiles;
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
      s.number = begun.fetch_add(0, 1u);
    simt::block_barrier();
    const std::uint64_t first = std::uint64_t{std::uint32_t{s.number}} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    load_tile(s, from, first, count);
    simt::block_barrier();
    record<Word, Pairs> mine[Keys] = {};
    unsigned ones = 0; // a mask: bit k for this thread's k-th key
    SORTILE_UNROLL for (unsigned k = 0; k < Keys; ++k) if (t * Keys + k < count) {
      mine[k] = s.tile.load(padded<32>(t * Keys + k));
      ones |= static_cast<unsigned>((codec.image(mine[k].key) >> bit) & 1) << k;
    }
    s.ones_before[padded<32>(t)] = simt::popcount(ones);
    const std::uint32_t sum = scan_block<32>(s.ones_before, simt::block_size());
    if (simt::warp_index() == 0) {
      const std::uint32_t earlier = look_back(states, s.number, sum, told);
      if (simt::lane_index() == 0)
        s.ones_in_earlier_tiles = earlier;
    }
    simt::block_barrier();
    // Ones before this thread's first key, in all blocks.
    const std::uint32_t before = s.ones_in_earlier_tiles + s.ones_before.load(padded<32>(t));
    const std::uint64_t zeros = n - ones_in_total.load(bit);
    SORTILE_UNROLL for (unsigned k = 0; k < Keys; ++k) {
      const unsigned i = t * Keys + k, one = (ones >> k) & 1;
      // Your turn: `before` counts the ones before the thread's first key. What of those among its own?
      if (i < count)
        to.store(place_by_bit(one != 0, first + i, before, zeros), mine[k]);
    }
  }
};

} // namespace

SORTILE_CLASSICS_OF(exercise) {
  return {{.name = "coarsening",
           .family = "exercise",
           .stable = true,
           .tile = 8192,
           .parameters = {{"keys", 1, 8, 32, "keys a thread", true}, {"tile", 4, 8192, 8192, "keys of a block", true}},
           .run = [](job& j) {
             with_constant(j.parameter("keys"), [&]<unsigned Keys>(std::integral_constant<unsigned, Keys>) {
               with_records(j, [&]<class Word, bool Pairs>(records<Word, Pairs>& data, auto&... a) {
                 partition_by_each_bit<partition<Word, Pairs, Keys>>(j, data, a...);
               });
             });
           }}};
}

} // namespace sortile::classics
