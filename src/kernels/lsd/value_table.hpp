// Keys of few values are counted by value. Keys alone are then written from the counts, one read and one write in place
// of a pass a digit (value_runs.hpp). Pairs are moved once, by the rank of their key's value (value_ranks.hpp).
//
// Who reads all keys to count their digits can count their values as well, as long as these are few. A block of the
// scan keeps a table of the images that it has seen, in shared storage, and counts there in place of counting digits.
// Once there is no room for another one, it counts digits, and in the end it adds what the table has to those. So
// nothing is counted twice, whichever it is, and no sample has to tell beforehand. Blocks without too many values add
// their tables to one in global memory. Where the sum of all has room, too, the passes use it.
//
//   slots     open addressing with linear probing; a word of 0 marks an empty slot. Image 0 has a slot of its own, the
//             last, where the word is 1
//   values    how many images there are; the first one that finds `most` others, or no empty slot near, is refused
//
// A table that becomes full costs 10 to 15 µs. So a block first asks how many values its first keys have, 16 bytes of
// them a thread, and how many of these occur once: where they are too many already, or will be, nothing is counted by
// value.
//
// For keys to be written from counts, equal images have to mean equal bits: integers and their whole width; floats but
// for −0 and NaNs. A pass by rank moves the keys themselves, and takes all.
//
// Cost of a key that is found: one probe, mostly, and one addition to shared storage. A table has 16 KB there, of 64
// bits 24; beside the digits' counters of 128 KB there is one block a multiprocessor anyway.
#pragma once

#include "kernels/lsd/lsd_sort.hpp"
#include "primitives/multiplicative_hash.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

using detail::lsd_values;

/// Where images stand among 2^Bits slots, and one for image 0.
template <class Word, unsigned Bits>
struct value_slots {
  static constexpr unsigned slots = 1u << Bits, own_slot = slots, all_slots = slots + 1;
  static constexpr unsigned probes = 32;

  /// Where to look for an image first.
  static SORTILE_DEVICE unsigned slot_of(Word image) {
    return image == 0 ? own_slot : primitives::multiplicative_hash<Bits>(image);
  }
  static SORTILE_DEVICE unsigned next_slot(unsigned slot) { return (slot + 1) % slots; }
  /// What marks a slot as an image's, and back.
  static SORTILE_DEVICE Word mark_of(Word image) { return image == 0 ? Word{1} : image; }
  static SORTILE_DEVICE Word image_at(unsigned slot, Word mark) { return slot == own_slot ? Word{0} : mark; }

  /// The slot of an image, which takes an empty one if there is none yet; all_slots where it is refused. admit() tells
  /// whether another image may be added, before it is, and added() that it has been; goes_on(), asked after each probe
  /// in vain, whether there is any use in another one.
  template <class Images, class Scope, class Admit, class Added, class GoesOn>
  static SORTILE_DEVICE unsigned find(const Images& images, Word image, Scope scope, Admit admit, Added added,
                                      GoesOn goes_on) {
    const Word mark = mark_of(image);
    unsigned at = slot_of(image);
    for (unsigned p = 0; p < probes; ++p, at = next_slot(at)) {
      Word here = images.load(at, simt::relaxed, scope);
      if (here == 0) {
        if (!admit())
          return all_slots;
        here = images.compare_exchange(at, Word{0}, mark, simt::relaxed, scope);
        if (here == 0) {
          added();
          return at;
        }
      }
      if (here == mark)
        return at;
      if (!goes_on())
        break;
    }
    return all_slots;
  }
};

/// A table in global memory that is zero before the scan, and what the launches share of it.
template <class Word>
struct value_table {
  using places = value_slots<Word, 10>;
  static_assert(places::slots == lsd_values::slots);
  static constexpr unsigned most = lsd_values::most;
  static constexpr std::uint64_t refused = std::uint64_t{1} << 32; ///< added to `values` by a block that has too many

  simt::global<Word> images;
  simt::global<std::uint64_t> counts; // of images[i]
  simt::global<std::uint64_t> values; // one: how many images there are

  SORTILE_DEVICE void refuse() const { values.fetch_add(0, refused); }
  /// By one thread for an image. Where blocks have few values each and many together, all of them meet a full table at
  /// once: 32 probes of it are 32 round trips to memory (40 µs).
  SORTILE_DEVICE void add(Word image, std::uint32_t count) const {
    const unsigned slot = places::find(
        images, image, simt::device_scope, [] { return true; }, [this] { values.fetch_add(0, std::uint64_t{1}); },
        [this] { return values.load(0, simt::relaxed) <= most; });
    if (slot == places::all_slots)
      refuse();
    else
      counts.fetch_add(slot, std::uint64_t{count});
  }
};

/// A block's own table, in shared storage. It has four slots for each of `most` images: with two of them, warps waited
/// for their longest probe, and floats of 500 values took ten times as long as those of 300.
template <class Word>
struct block_values {
  using table = value_table<Word>;
  using places = value_slots<Word, 11>;
  struct storage {
    simt::shared_array<Word, places::all_slots> images;
    simt::shared_array<std::uint32_t, places::all_slots> counts;
    simt::shared_value<std::uint32_t> values; // more than `most`: given up
  };

  /// By all threads; a barrier has to follow.
  static SORTILE_DEVICE void clear(storage& s) {
    for (unsigned i = simt::thread_index(); i < places::all_slots; i += simt::block_size()) {
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
  /// What some first images, asked about one by one, say of all: how many values they have, and how many of these more
  /// than one has. Values are told apart by a hash of 15 bits; the counts serve as bits.
  struct first_values {
    std::uint32_t seen = 0, again = 0;

    SORTILE_DEVICE void ask(storage& s, Word image) {
      const std::uint32_t hash = primitives::multiplicative_hash<15>(image), bit = 1u << (hash & 31);
      const auto has = [&](unsigned word) {
        return (s.counts.fetch_or(word, bit, simt::relaxed, simt::block_scope) & bit) != 0;
      };
      constexpr unsigned words = 1u << 10;
      if (!has(hash >> 5))
        ++seen;
      else if (!has(words + (hash >> 5)))
        ++again;
    }
    /// No more than `most`, and hardly as many still to come: at least once² / (2 · twice), where so many values occur
    /// once and twice among these (Chao 1984). `again`, those that occur more than once, makes the bound lower still,
    /// and so do some that were not seen.
    SORTILE_DEVICE bool are_few(std::uint32_t unseen = 1) const {
      const std::uint32_t once = seen - again;
      return seen <= table::most && once * once <= 2 * (again + unseen) * table::most;
    }
  };
  /// Whether a block's first keys have few values; then the table is empty. Of vectors from `head` on, one of
  /// InFlight a thread. The same in all threads; has barriers.
  template <unsigned Threads, unsigned InFlight, class Image>
  static SORTILE_DEVICE bool are_few_at_first(storage& s, const simt::global<const Word>& keys, std::uint64_t n,
                                              std::uint64_t head, const Image& image) {
    constexpr int vector = int(16 / sizeof(Word));
    const auto v = std::uint64_t{simt::block_index()} * Threads * InFlight + simt::thread_index();
    first_values first;
    if (v < (n - head) / unsigned(vector)) {
      const auto x = simt::load_vector<vector>(keys, head + v * unsigned(vector));
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        first.ask(s, image.image(x[e]));
    }
    const std::uint32_t of_warp = simt::warp_reduce_add(first.seen | first.again << 16);
    if (simt::lane_index() == 0)
      s.values.fetch_add(0, of_warp, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    const std::uint32_t of_block = s.values.load(0);
    const bool few = first_values{of_block & 0xffff, of_block >> 16}.are_few();
    if (!few)
      return false;
    simt::block_barrier(); // all know it
    clear(s);
    simt::block_barrier();
    return true;
  }
  /// False: not counted, there is no room.
  static SORTILE_DEVICE bool count(storage& s, Word image) {
    const unsigned at = places::find(
        s.images, image, simt::block_scope,
        [&s] { return s.values.load(0, simt::relaxed, simt::block_scope) < table::most; },
        [&s] { s.values.fetch_add(0, 1u, simt::relaxed, simt::block_scope); }, [] { return true; });
    if (at == places::all_slots) {
      give_up(s);
      return false;
    }
    s.counts.fetch_add(at, 1u, simt::relaxed, simt::block_scope);
    return true;
  }
  /// f(image, count) of all that have been counted; by all threads, after a barrier.
  template <class F>
  static SORTILE_DEVICE void each(storage& s, F f) {
    for (unsigned i = simt::thread_index(); i < places::all_slots; i += simt::block_size())
      if (const std::uint32_t count = s.counts.load(i); count != 0)
        f(places::image_at(i, s.images.load(i)), count);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
