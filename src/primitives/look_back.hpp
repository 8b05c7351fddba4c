// Decoupled look-back: prefixes over the tiles of a grid in a single pass.
//
// Each tile announces the fold of its own items (its aggregate). It adds up what the tiles before it have announced,
// back to one that already knows its inclusive prefix. Then it announces its own. Data is read once and written once,
// and no tile waits for the end of a pass (Merrill and Garland, "Single-pass parallel prefix scan with decoupled
// look-back", 2016). Here a warp reads 32 tiles a step.
//
// The status words
//
//   One word per tile holds everything: the value and a tag of state and epoch. One access reads or writes a word, so
//   that a reader sees a value with its own tag or neither. Values of up to 4 bytes take 64-bit words, of 8 bytes
//   128-bit words (single accesses since sm_70).
//
//     low half: the value's bits        high half: the tag = epoch · 4 + state        state 1 aggregate, 2 inclusive
//
//   state of tile t's word       written by                           with      holds
//   anything of another epoch    earlier launches, or the clearing    –         nothing: tile t has not spoken yet
//   aggregate                    tile t's block, t > 0, once          relaxed   fold of tile t
//   inclusive                    tile t's block, once, last           relaxed   fold of the initial value, tiles 0 … t
//
// Why relaxed suffices: what a reader needs is inside the word that it reads; nothing else is published by it. Both
// writes are to one location, by one lane or, where two warps share the work, with a barrier between them; so coherence
// keeps their order for every reader: it may see an aggregate late, never after it saw the inclusive prefix. A caller
// that publishes other data by these words must bring its own fence. Why no reader can miss a word: it polls until the
// tag carries this launch's epoch, and nobody writes the word in this launch but its tile. Scoped (device) accesses are
// served by the L2, so that a poll cannot read a stale line for ever.
//
// Epochs: nothing is cleared between launches
//
//   The ticket counter holds (epoch, next tile) in one 64-bit word, so that a tile learns both by one atomic addition.
//   The tile that draws the last ticket of the launch sets the counter to (epoch + 1, 0): nobody else will touch it
//   before the next launch, which the stream orders after this one. Launches on one chain must not overlap. A tag has
//   room for 30 bits of epoch, which wrap around. So each launch also clears one word that it does not use, the (epoch
//   mod capacity)-th: no word keeps a tag for more than 2·capacity launches, far from 2^30. Only before its first
//   launch must the chain be cleared (all bytes 0): state 0 is never announced. The words keep their meaning only for
//   one type and one capacity: clear the chain before it changes either.
//
// Forward progress
//
//   Tiles are numbered by ticket, so a tile runs only when all tiles before it have started. The lowest tile that has
//   not announced its prefix waits for nobody: all before it have. By induction all end, whatever the order in which
//   the hardware starts blocks, and however few are resident.
//
// Floats: which tiles are added up to the next inclusive prefix depends on timing, so sums of floats may differ in
// their last bits from run to run. Integers, maxima and minima do not.
#pragma once

#include "primitives/warp_scan.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

__extension__ using wide_word = unsigned __int128;

/// A tile's place in the order of its launch.
struct tile_ticket {
  std::uint32_t tile;
  std::uint32_t epoch;
};

/// The status words of a chain of tiles and the counter of its tickets: views on workspace memory, a kernel's argument.
template <class T>
class look_back_chain {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "values are 1 to 8 bytes");
  using value_bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr unsigned half = 8 * sizeof(value_bits); // bits of the word's halves
  static constexpr std::uint32_t aggregate_state = 1, inclusive_state = 2;

 public:
  using word = std::conditional_t<sizeof(T) == 8, wide_word, std::uint64_t>;
  static constexpr std::size_t header_bytes = 16; ///< the ticket counter, padded to a word's alignment

  /// Bytes of workspace, aligned to 16, for launches of up to `capacity` tiles.
  static constexpr std::size_t bytes(std::uint32_t capacity) { return header_bytes + capacity * sizeof(word); }

  look_back_chain() = default;
  look_back_chain(void* workspace, std::uint32_t capacity)
      : tickets_(static_cast<std::uint64_t*>(workspace), 1),
        words_(reinterpret_cast<word*>(static_cast<char*>(workspace) + header_bytes), capacity), capacity_(capacity) {}

  /// The next ticket of a launch in which `tickets` are drawn in all, each by one thread. Those from `tiles` on have no
  /// tile: they tell resident blocks that nothing is left.
  SORTILE_DEVICE tile_ticket draw(std::uint32_t tickets, std::uint32_t tiles) const {
    const std::uint64_t drawn = tickets_.fetch_add(0, std::uint64_t{1});
    const tile_ticket ticket{std::uint32_t(drawn), std::uint32_t(drawn >> 32)};
    if (ticket.tile == tickets - 1) {
      tickets_.store(0, std::uint64_t{ticket.epoch + 1} << 32, simt::relaxed);
      const std::uint32_t unused = ticket.epoch % capacity_;
      if (unused >= tiles)
        words_.store(unused, word{0}, simt::relaxed);
    }
    return ticket;
  }
  /// A ticket a tile.
  SORTILE_DEVICE tile_ticket draw(std::uint32_t tiles) const { return draw(tiles, tiles); }

  /// Announces the tile's aggregate, finds the fold of `initial` and all tiles before, and announces the inclusive
  /// prefix. Called by one whole warp a tile, once; every lane gets the fold.
  template <class Op>
  SORTILE_DEVICE T exclusive_prefix(tile_ticket at, T aggregate, Op op, T initial) const {
    if (simt::lane_index() == 0)
      announce_aggregate(at, aggregate);
    return resolve(at, aggregate, op, initial);
  }

  /// The two halves of exclusive_prefix, for blocks that announce early and look back later, in another warp: the first
  /// by one thread, the second by one whole warp, after a barrier that both have passed.
  SORTILE_DEVICE void announce_aggregate(tile_ticket at, T aggregate) const {
    if (at.tile != 0) // tile 0 knows its prefix
      announce(at, aggregate, aggregate_state);
  }
  template <class Op>
  SORTILE_DEVICE T resolve(tile_ticket at, T aggregate, Op op, T initial) const {
    const T before = at.tile == 0 ? initial : look_back(at, op);
    if (simt::lane_index() == 0)
      announce(at, op(before, aggregate), inclusive_state);
    return before;
  }

 private:
  SORTILE_DEVICE void announce(tile_ticket at, T value, std::uint32_t state) const {
    const std::uint32_t tag = at.epoch << 2 | state;
    words_.store(at.tile, word{tag} << half | word{bits_of(value)}, simt::relaxed);
  }

  /// The fold of all tiles before this one. Lane l reads tile end − 1 − l; the 32 tiles move down until one of them has
  /// an inclusive prefix. Lanes below tile 0 never count: tile 0 is always inclusive.
  template <class Op>
  SORTILE_DEVICE T look_back(tile_ticket at, Op op) const {
    window w = watch(at.tile, at.epoch);
    T sum = warp_reduce_backwards(w.value, op, w.last);
    for (std::uint32_t end = at.tile; !w.inclusive;) {
      end -= simt::warp_size;
      w = watch(end, at.epoch);
      sum = op(warp_reduce_backwards(w.value, op, w.last), sum);
    }
    return sum;
  }

  struct window {
    T value;        ///< of this lane's tile, for lanes up to `last`
    unsigned last;  ///< the lane of the nearest inclusive prefix, or 31
    bool inclusive; ///< whether there is one
  };

  /// Polls until the tiles from end − 1 down to the nearest inclusive one, or all 32, have spoken.
  SORTILE_DEVICE window watch(std::uint32_t end, std::uint32_t epoch) const {
    const std::uint32_t aggregate_tag = epoch << 2 | aggregate_state, inclusive_tag = epoch << 2 | inclusive_state;
    const unsigned lane = simt::lane_index();
    word seen{};
    std::uint32_t tag = 0;
    for (;;) {
      if (lane < end && tag != aggregate_tag && tag != inclusive_tag) {
        seen = words_.load(end - 1 - lane, simt::relaxed);
        tag = std::uint32_t(seen >> half);
      }
      const unsigned inclusive = simt::ballot(tag == inclusive_tag);
      const unsigned spoken = simt::ballot(tag == inclusive_tag || tag == aggregate_tag);
      const unsigned last = inclusive != 0 ? simt::trailing_zeros(inclusive) : simt::warp_size - 1;
      const unsigned needed = simt::full_warp >> (simt::warp_size - 1 - last);
      if ((spoken & needed) == needed)
        return {value_of(seen), last, inclusive != 0};
      simt::spin_hint();
    }
  }

  static SORTILE_DEVICE value_bits bits_of(T value) {
    if constexpr (sizeof(T) >= 4)
      return __builtin_bit_cast(value_bits, value);
    else if constexpr (sizeof(T) == 2)
      return __builtin_bit_cast(std::uint16_t, value);
    else
      return __builtin_bit_cast(std::uint8_t, value);
  }
  static SORTILE_DEVICE T value_of(word w) {
    if constexpr (sizeof(T) >= 4)
      return __builtin_bit_cast(T, value_bits(w));
    else if constexpr (sizeof(T) == 2)
      return __builtin_bit_cast(T, std::uint16_t(w));
    else
      return __builtin_bit_cast(T, std::uint8_t(w));
  }

  simt::global<std::uint64_t> tickets_;
  simt::global<word> words_;
  std::uint32_t capacity_ = 0;
};

/// A block's tile of warps that have a fold each, `own`, the same in the lanes of a warp: before[w] becomes the fold of
/// `initial`, of the tiles before and of the warps before w. Returns that of all up to the tile's end, in warp 0. By
/// all threads, once a tile; the storage may be read when it returns.
template <std::size_t Warps, class T, class Op>
SORTILE_DEVICE T prefixes_of_warps(const look_back_chain<T>& chain, tile_ticket at,
                                   simt::shared_array<T, Warps>& before, T own, Op op, T initial) {
  const unsigned lane = simt::lane_index();
  if (lane == 0)
    before[simt::warp_index()] = own;
  simt::block_barrier();
  T upto{};
  if (simt::warp_index() == 0) {
    constexpr T identity = Op::template identity<T>();
    const auto within = warp_exclusive_scan(lane < Warps ? before.load(lane) : identity, op, identity);
    const T of_tile = chain.exclusive_prefix(at, within.total, op, initial);
    if (lane < Warps)
      before[lane] = op(of_tile, within.before);
    upto = op(of_tile, within.total);
  }
  simt::block_barrier();
  return upto;
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
