// The host side of LSD radix sorts that need one launch per bit, and the launch before the first bit: what a
// radix-1bit-one-launch and its coarsened form have in common (radix_one_bit.cu, radix_coarsened.cu).
//
//   count_ones               of every bit of the image, how many keys have it set; no pass changes these counts
//   partition_by_each_bit    a stable partition by each bit, each a launch that looks back for what lies before a tile
#pragma once

#include "classics/scan.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

/// Where key i of a stable partition by a bit goes: a zero behind the zeros before it, a one behind all zeros.
SORTILE_HOST_DEVICE constexpr std::uint64_t place_by_bit(bool one, std::uint64_t i, std::uint64_t ones_before,
                                                         std::uint64_t zeros_in_total) {
  return one ? zeros_in_total + ones_before : i - ones_before;
}

/// For --steps: the bit of each key.
template <class Word, bool Pairs>
std::vector<unsigned> bits_of_keys(machine& on, const records<Word, Pairs>& data, std::uint64_t n,
                                   const key_codec<Word>& codec, unsigned bit) {
  std::vector<unsigned> bits;
  for (const Word key : fetch(on, data.keys, n))
    bits.push_back(static_cast<unsigned>(codec.image(key) >> bit) & 1);
  return bits;
}

/// For --steps: where each key goes, by its flag and the ones before it.
inline std::vector<std::uint64_t> places_by_bit(const std::vector<unsigned>& flags) {
  std::vector<std::uint64_t> places;
  const auto zeros = static_cast<std::uint64_t>(std::count(flags.begin(), flags.end(), 0u));
  for (std::uint64_t i = 0, ones = 0; i < flags.size(); ones += flags[i++])
    places.push_back(place_by_bit(flags[i] != 0, i, ones, zeros));
  return places;
}

/// Counts in shared memory first, by votes of warps, then in memory.
template <class Word>
struct count_ones {
  static constexpr unsigned block_threads = 256, width = 8 * sizeof(Word);
  struct shared {
    simt::shared_array<std::uint32_t, width> ones;
  };
  simt::global<const Word> keys;
  std::uint64_t n;
  key_codec<Word> codec;
  simt::global<std::uint32_t> ones; // [width], 0 at the start
  unsigned tile;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    for (unsigned bit = t; bit < width; bit += threads)
      s.ones[bit] = 0;
    simt::block_barrier();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    for (unsigned base = 0; base < tile; base += threads) {
      const std::uint64_t i = first + base + t;
      const Word image = base + t < tile && i < n ? codec.image(keys.load(i)) : Word{0};
      for (unsigned bit = 0; bit < codec.bits; ++bit) {
        const unsigned votes = simt::ballot(((image >> bit) & 1) != 0);
        if (simt::lane_index() == 0 && votes != 0)
          s.ones.fetch_add(bit, simt::popcount(votes));
      }
    }
    simt::block_barrier();
    for (unsigned bit = t; bit < codec.bits; bit += threads)
      if (s.ones.load(bit) != 0)
        ones.fetch_add(bit, s.ones.load(bit));
  }
};

/// `Partition` is a kernel of tiles of `tile` keys, `keys` a thread, so many `neighbours` of them, with the members
/// from, to, n, codec, bit, begun (a counter of tiles, 0), states (a word a tile, 0), told (as look_back takes it),
/// ones_in_total (of each bit) and tile.
template <class Partition, class Word, bool Pairs>
void partition_by_each_bit(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare,
                           const key_codec<Word>& codec) {
  using counting = count_ones<Word>;
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const unsigned tile = std::min(j.parameter("tile"), Partition::block_threads * Partition::keys);
  const device_array<std::uint32_t> ones(j.on, counting::width);
  const look_back_states states(j.on, blocks_for(n, tile), j.shows_steps());
  ones.clear();
  simt::launch(j.on.queue(), {.grid = states.tiles(), .block = whole_warps(std::min(tile, counting::block_threads))},
               counting{data.keys, n, codec, view(ones), tile});
  if (j.shows_steps())
    j.show("ones of each bit", fetch(j.on, view(ones), codec.bits));
  for (unsigned bit = 0; bit < codec.bits; ++bit) {
    telling t = j.tell("bit " + std::to_string(bit));
    t.keys("keys", untyped(data), n, tile);
    tell_threads<Partition::neighbours>(t, n, tile);
    if (t.is_read()) {
      const std::vector<unsigned> flags = bits_of_keys(j.on, data, n, codec, bit);
      t.flags("flags", flags, tile).numbers("destinations", places_by_bit(flags), tile);
    }
    states.clear();
    simt::launch(
        j.on.queue(), {.grid = states.tiles(), .block = whole_warps(tile / Partition::keys)},
        Partition{data, spare, n, codec, bit, states.begun(), states.states(), states.told(), view(ones), tile});
    std::swap(data, spare);
    states.tell(t, states.tiles());
    t.moved("moved", untyped(data), n, tile);
  }
}

} // namespace sortile::classics::inline SORTILE_BACKEND
