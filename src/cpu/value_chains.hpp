// Pairs of few different keys: one pass that finds each pair its place, without counts.
//
// Idea. Where a sample finds few values, a key says nothing but to which value a pair belongs. So keys are not moved:
// each key is looked up in a table, and the value that travels with it is appended to the chain of its key, in blocks
// that are taken from the spare arrays as chains need them. Then it is known how often each key occurs. Keys are
// written in order, and the blocks of each chain are copied to where they belong, in the order in which they were
// filled.
//
//     keys     b a b c a b …                     spare     [ v0 v2 v5 … ][ v1 v4 … ][ v3 … ]
//     values   v0 v1 v2 v3 v4 v5 …   ──chain──▶             chain of b    of a       of c      owner: b a c
//
//     result   a a a … b b b … c c c …           v1 v4 … v0 v2 v5 … v3 …                  ◀── fill and place
//
// Few pairs, which a local sort would take, go so too: their chains lie in its lanes.
//
// A key that the sample did not have gets a chain when it is met. If there are more values than the table holds, or
// two of them have one image (−0 and 0, NaNs, keys that differ outside a bit window: their order is not that of their
// bits), the sort goes the usual way.
//
// The chain of the sample's least key lies where the result has its values, but for its first block, which brings those
// of the others to the alignment of blocks: these values are written once, not twice. If lesser keys are met, they are
// moved up at the end. If there is no room for all chains, what has been read is put in order where it was, and sorted
// with the rest: as the order is stable, the result is that of the input.
//
// Invariants
//   - What is written before the input has been read lies where it has been read. So the result may lie there.
//   - Each chunk of the input has chains of its own, in its own part of the spare arrays. A value's chains are placed
//     chunk by chunk: so the sort is stable whatever the threads.
//   - Only the last block of a chain may be short. The spare arrays of a chunk have room for all its values in whole
//     blocks and one more block for each chain, since keys are not moved.
//
// Arrays larger than the caches are written past them, chains and result: a line that is to be overwritten whole need
// not be read before.
//
// Within a limit (options::workspace_limit) there are no spare arrays. Keys are not moved, so what has been read of
// them is room: blocks are taken from a small area first, which has one for each chain and one more, and then from the
// keys that lie behind. As many values have been read then as fill the blocks before, so no block lies over an unread
// key. When all values are in chains, what the result holds is of no more use: chains are placed, then keys written.
// Such a sort can be given up at any time, since neither −0 nor NaN gets a chain.
//
//     area  [ chain | chain | free ]     keys     [ chain | chain | chain |      free      | not read yet … ]
//
// Positions of 64 bits that are made for narrower keys are moved as 32 bits there, and widened on their way to the
// result.
//
// Cost: a pair's key is read once and written once, its value read and written twice, or once; a partition by counted
// digits reads keys twice, and moves pairs once more if the result is to lie where the input was.
#pragma once

#include "cpu/few_values.hpp"
#include "cpu/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

namespace sortile::cpu {

/// Memory for the chains of one chunk.
struct chain_room {
  std::span<std::byte> tables;     ///< what is known of each value
  std::span<std::uint16_t> owners; ///< of each block
  std::span<std::byte> areas[2];   ///< blocks are taken from the first, then from the second
  std::size_t slack = 0;           ///< of that, bytes beyond those of the values
  bool over_keys = false;          ///< the second area is that of the keys, which are being read
};

/// The chains of one chunk of the input.
template <class K>
class value_chains {
  using slots = value_slots<K, std::byte*>; // where the next value of a chain goes

 public:
  using entry = typename slots::entry;

  /// Of about so many values, which fill so many bytes. With `refused`, −0 and NaN of these floats get no chain.
  value_chains(const chain_room& room, std::size_t bytes, std::size_t values, bool past_caches,
               const key_image<K>* refused)
      : past_caches_(past_caches), refused_(refused),
        slots_(room.tables.data(), std::min(slot_bytes(room), slots::bytes_for(most_to_find(values, bytes)))),
        left_(reinterpret_cast<std::uint64_t*>(room.tables.data() + slot_bytes(room))), owners_(room.owners.data()) {
    most_ = slots::most_in(slots_.slots());
    if (room.over_keys) // the fewer, the longer are blocks
      most_ = std::min(most_, 64 + 2 * values);
    block_bytes_ = std::max(least_block, std::bit_floor(room.slack / (most_ + 4)));
    while (bytes / block_bytes_ + std::min(room.slack / block_bytes_, most_ + 1) > room.owners.size())
      block_bytes_ *= 2;
    areas_[0] = area(room.areas[0]);
    areas_[1] = area(room.areas[1]);
    const std::size_t blocks = areas_[0].blocks + areas_[1].blocks, full = bytes / block_bytes_;
    most_ = std::min(most_, blocks > full ? blocks - full : 0);
    if (room.over_keys) // one more block, since those over keys begin within the first one's length
      most_ = std::min(most_, std::max<std::size_t>(areas_[0].blocks, 1) - 1);
  }

  /// So many values have room, whatever their chains' lengths.
  std::size_t most() const { return most_; }
  std::size_t block_bytes() const { return block_bytes_; }
  /// Tells where a key's entry is if it has one, until others are found.
  slots table() const { return slots_; }

  /// The entry of a key, with a block where it is new; null where there is room for no more.
  entry* find(K key) {
    if (refused_ != nullptr && refused_->is_special(key))
      return nullptr;
    entry* const e = slots_.find(key);
    if (slots_.values() > most_)
      return nullptr;
    if (e->what == nullptr)
      e->what = next_block(e);
    return e;
  }

  /// The chain of this key goes on from `at` after its first block: where it belongs if it is the least key and this is
  /// the first chunk. To be called before others have chains. What is read there has to be read before it is reached.
  void put_in_place(K key, std::byte* at) {
    entry* const e = slots_.find(key);
    const std::size_t skipped = reinterpret_cast<std::uintptr_t>(at) & (block_bytes_ - 1);
    head_ = next_block(e) + skipped;
    e->what = head_;
    in_place_ = e;
    begin_ = at;
    next_in_place_ = at + (block_bytes_ - skipped);
  }
  bool puts_in_place() const { return in_place_ != nullptr; }

  /// Values that have chains.
  std::size_t values() const { return slots_.values(); }
  /// Their entries; none where there are more than `most`.
  std::size_t entries(entry** to, std::size_t most) const {
    if (slots_.values() > most)
      return 0;
    std::size_t n = 0;
    for (std::size_t s = 0; n < slots_.values(); ++s)
      if (slots_[s].what != nullptr)
        to[n++] = &slots_[s];
    return n;
  }

  /// Whether what has been collected of a chain is written past the caches.
  bool past_caches() const { return past_caches_; }

  /// A chain asks so many bytes ahead for the lines of its block.
  static constexpr std::size_t fetched = 512;

  /// The block with which a chain goes on. It has asked for what follows its last block, which is not this one: so the
  /// beginning of a block is asked for before any chain takes it.
  std::byte* next_block(const entry* of) {
    if (of == in_place_)
      return std::exchange(next_in_place_, next_in_place_ + block_bytes_);
    constexpr std::size_t blocks_ahead = 2;
    owners_[taken_] = static_cast<std::uint16_t>(of - &slots_[0]);
    if (taken_ + blocks_ahead < areas_[0].blocks + areas_[1].blocks)
      fetch(block(taken_ + blocks_ahead), 0, std::min(fetched, block_bytes_));
    return block(taken_++);
  }

  /// Calls f(entry, bytes) for each chain, when all values are in them.
  template <class F>
  void each_chain(F&& f) {
    std::fill_n(left_, slots_.slots(), 0);
    for (std::size_t b = 0; b < taken_; ++b)
      left_[owners_[b]] += block_bytes_;
    for (std::size_t s = 0; s < slots_.slots(); ++s)
      if (left_[s] != 0) { // where a block is full, the next one has been taken
        left_[s] -= block_bytes_ - (reinterpret_cast<std::uintptr_t>(slots_[s].what) & (block_bytes_ - 1));
        if (&slots_[s] == in_place_)
          left_[s] = static_cast<std::size_t>(slots_[s].what - (head_is_all() ? head_ : begin_));
        f(slots_[s], left_[s]);
      }
  }

  /// Moves what lies in place to where its entry says now, before any other chain is placed.
  void place_first() {
    if (!puts_in_place())
      return;
    std::uint64_t& bytes = left_[in_place_ - &slots_[0]];
    const std::size_t head =
        std::min<std::size_t>(bytes, block_bytes_ - (reinterpret_cast<std::uintptr_t>(head_) & (block_bytes_ - 1)));
    if (in_place_->what != begin_)
      std::memmove(in_place_->what + head, begin_ + head, bytes - head);
    std::memcpy(in_place_->what, head_, head);
    bytes = 0;
  }

  /// Copies the chains to where their entries say now; with `widens`, their 32-bit numbers as 64 bits.
  void place(bool past_caches, bool widens) {
    for (std::size_t b = 0; b < taken_; ++b) {
      const std::size_t s = owners_[b], bytes = std::min<std::uint64_t>(left_[s], block_bytes_);
      if (widens)
        widen(block(b), bytes, slots_[s].what, past_caches);
      else if (past_caches)
        best_kernels<K>().write_out(block(b), bytes, slots_[s].what);
      else
        std::memcpy(slots_[s].what, block(b), bytes);
      slots_[s].what += widens ? 2 * bytes : bytes;
      left_[s] -= bytes;
    }
  }

 private:
  /// Values that the sample has not met are rare, but may be many, though not in few bytes; and 64 slots for each that
  /// is known leave hardly any key in another one's.
  static std::size_t most_to_find(std::size_t values, std::size_t bytes) {
    return std::max(std::clamp<std::size_t>(bytes / 1024, 64, 512), 16 * values);
  }

  static std::size_t slot_bytes(const chain_room& room) { return room.tables.size() / 3 * 2 / 64 * 64; }

  static void widen(const std::byte* from, std::size_t bytes, std::byte* to, bool past_caches) {
    std::uint32_t numbers[least_block / sizeof(std::uint32_t)];
    std::uint64_t wide[std::size(numbers)];
    for (; bytes > 0; from += sizeof numbers, to += sizeof wide) {
      const std::size_t some = std::min(bytes, sizeof numbers);
      std::memcpy(numbers, from, some);
      std::copy(numbers, std::end(numbers), wide);
      if (past_caches)
        best_kernels<K>().write_out(wide, 2 * some, to);
      else
        std::memcpy(to, wide, 2 * some);
      bytes -= some;
    }
  }

  static constexpr std::size_t least_block = 256;
  struct block_area {
    std::byte* first = nullptr; // aligned to the size of a block
    std::size_t blocks = 0;
  };
  block_area area(std::span<std::byte> of) const {
    const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(of.data()) & (block_bytes_ - 1);
    return {of.data() + skipped, of.size() > skipped ? (of.size() - skipped) / block_bytes_ : 0};
  }
  bool head_is_all() const { return next_in_place_ - begin_ <= static_cast<std::ptrdiff_t>(block_bytes_); }
  std::byte* block(std::size_t b) const {
    return b < areas_[0].blocks ? areas_[0].first + b * block_bytes_
                                : areas_[1].first + (b - areas_[0].blocks) * block_bytes_;
  }

  bool past_caches_;
  const key_image<K>* refused_;
  slots slots_;
  std::uint64_t* left_;   // bytes of each slot's chain that are not yet placed
  std::uint16_t* owners_; // slots of the blocks, as these were taken
  std::size_t most_ = 0, block_bytes_ = 0, taken_ = 0;
  block_area areas_[2];
  entry* in_place_ = nullptr; // what is known of the chain that goes on in the result
  std::byte *head_ = nullptr, *begin_ = nullptr, *next_in_place_ = nullptr;
};

} // namespace sortile::cpu
