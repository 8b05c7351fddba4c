// Keys of few values are counted, and written from the counts: one read and one write in place of a pass a digit.
//
// Who reads all keys to count their digits can count their values as well, as long as these are few. A block of the
// scan keeps a table of the images that it has seen, in shared storage, and counts there in place of counting digits.
// Once there is no room for another one, it counts digits, and in the end it adds what the table has to those. So
// nothing is counted twice, whichever it is, and no sample has to tell beforehand. Blocks without too many values add
// their tables to one in global memory. Where the sum of all has room, too, value_runs.hpp writes the output.
//
//   slots     open addressing with linear probing; image 0 marks an empty slot and has a slot of its own, the last
//   values    how many images there are; the first one that finds `most` others, or no empty slot near, is refused
//
// A table that becomes full costs 10 to 15 µs. So a block first asks how many of its first keys differ, 16 bytes of
// them a thread, by one bit for each hash: where these are too many already, nothing is counted by value.
//
// Equal images have to mean equal bits: integers and their whole width; floats but for −0 and NaNs.
//
// Cost of a key that is found: one probe, mostly, and one addition to shared storage. A table has 8 KB there, of 64
// bits 12; beside the digits' counters of 128 KB there is one block a multiprocessor anyway.
#pragma once

#include "kernels/lsd/lsd_sort.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

using detail::lsd_values;

/// A table in global memory that is zero before the scan, and what the launches share of it.
template <class Word>
struct value_table {
  static constexpr unsigned slots = lsd_values::slots, own_slot = slots, all_slots = slots + 1;
  static constexpr unsigned most = lsd_values::most;
  static constexpr unsigned probes = 32;
  static constexpr std::uint64_t refused = std::uint64_t{1} << 32; ///< added to `values` by a block that has too many

  simt::global<Word> images;
  simt::global<std::uint64_t> counts; // of images[i]
  simt::global<std::uint64_t> values; // one: how many images there are

  /// Knuth's multiplicative hashing.
  static SORTILE_DEVICE unsigned slot_of(Word image) {
    if constexpr (sizeof(Word) == 8)
      return unsigned((image * 0x9e3779b97f4a7c15u) >> 54);
    else
      return unsigned(std::uint32_t(image * 0x9e3779b9u) >> 22);
  }
  static_assert(slots == 1u << 10);

  /// The slot of an image that is not 0, which takes an empty one if there is none yet; all_slots where it is refused.
  /// admit() tells whether another image may be added, before it is, and added() that it has been.
  template <class Images, class Scope, class Admit, class Added>
  static SORTILE_DEVICE unsigned find(const Images& images, Word image, Scope scope, Admit admit, Added added) {
    unsigned at = slot_of(image);
    for (unsigned p = 0; p < probes; ++p, at = (at + 1) % slots) {
      Word here = images.load(at, simt::relaxed, scope);
      if (here == 0) {
        if (!admit())
          return all_slots;
        here = images.compare_exchange(at, Word{0}, image, simt::relaxed, scope);
        if (here == 0) {
          added();
          return at;
        }
      }
      if (here == image)
        return at;
    }
    return all_slots;
  }

  SORTILE_DEVICE void refuse() const { values.fetch_add(0, refused); }
  /// By one thread for an image.
  SORTILE_DEVICE void add(unsigned slot, Word image, std::uint32_t count) const {
    if (slot != own_slot)
      slot = find(
          images, image, simt::device_scope, [] { return true; }, [this] { values.fetch_add(0, std::uint64_t{1}); });
    if (slot == all_slots)
      refuse();
    else
      counts.fetch_add(slot, std::uint64_t{count});
  }
};

/// A block's own table, in shared storage.
template <class Word>
struct block_values {
  using table = value_table<Word>;
  struct storage {
    simt::shared_array<Word, table::all_slots> images;
    simt::shared_array<std::uint32_t, table::all_slots> counts;
    simt::shared_value<std::uint32_t> values; // more than `most`: given up
  };

  /// By all threads; a barrier has to follow.
  static SORTILE_DEVICE void clear(storage& s) {
    for (unsigned i = simt::thread_index(); i < table::all_slots; i += simt::block_size()) {
      s.images[i] = 0;
      s.counts[i] = 0;
    }
    if (simt::thread_index() == 0)
      s.values = 0;
  }
  static SORTILE_DEVICE bool has_room(storage& s) {
    return s.values.load(0, simt::relaxed, simt::block_scope) <= table::most;
  }
  static SORTILE_DEVICE void give_up(storage& s) {
    s.values.fetch_add(0, table::most + 1, simt::relaxed, simt::block_scope);
  }
  /// Whether no image with the same hash of 15 bits has been asked about; the counts serve as bits.
  static SORTILE_DEVICE bool is_new(storage& s, Word image) {
    const unsigned hash = unsigned((std::uint64_t{image} * 0x9e3779b97f4a7c15u) >> 49), bit = 1u << (hash & 31);
    return (s.counts.fetch_or(hash >> 5, bit, simt::relaxed, simt::block_scope) & bit) == 0;
  }
  /// False: not counted, there is no room.
  static SORTILE_DEVICE bool count(storage& s, Word image) {
    unsigned at = table::own_slot;
    if (image != 0)
      at = table::find(
          s.images, image, simt::block_scope,
          [&s] { return s.values.load(0, simt::relaxed, simt::block_scope) < table::most; },
          [&s] { s.values.fetch_add(0, 1u, simt::relaxed, simt::block_scope); });
    if (at == table::all_slots) {
      give_up(s);
      return false;
    }
    s.counts.fetch_add(at, 1u, simt::relaxed, simt::block_scope);
    return true;
  }
  /// f(slot, image, count) of all that have been counted; by all threads, after a barrier.
  template <class F>
  static SORTILE_DEVICE void each(storage& s, F f) {
    for (unsigned i = simt::thread_index(); i < table::all_slots; i += simt::block_size())
      if (const std::uint32_t count = s.counts.load(i); count != 0)
        f(i, s.images.load(i), count); // of the last slot 0
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
