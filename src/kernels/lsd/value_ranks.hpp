// Passes by rank: pairs whose keys have few values (value_table.hpp) are moved by the rank of the key's value, not by
// the digits of its image. That is one pass for up to 256 values and two for more, where 32-bit keys have four and
// 64-bit keys eight. A rank of 9 bits has two digits, as an image of 32 bits has four; so nothing else of a pass
// differs.
//
//   find      every block orders the table's values (value_order.hpp), and copies the slots to shared storage, each
//             with its value's rank. Counts by value, added up, are the counts of the ranks' digits
//   rank_of   one probe of that table, mostly
//
// Cost of a pass: two probes a pair, once when the pair is ranked and once when it is written, beside what other passes
// do; 6 KB of shared storage, of 64-bit keys 10.
#pragma once

#include "kernels/lsd/value_order.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct value_ranks {
  using table = value_table<Word>;
  using places = typename table::places;
  static constexpr unsigned digit_bits = 8, radix = 1u << digit_bits, most_passes = 2;
  static_assert(table::most <= 1u << most_passes * digit_bits);

  struct storage {
    simt::shared_array<Word, places::all_slots> marks;
    simt::shared_array<std::uint16_t, places::all_slots> rank;
  };

  /// How many keys have digit t of that pass; t is the thread, 0 beyond the radix. By all threads of a block; has
  /// barriers. Behind the next one all may ask for ranks. `counter` and `words` are as order_values() takes them.
  template <unsigned Threads>
  static SORTILE_DEVICE std::uint64_t find(storage& s, const table& all, unsigned pass,
                                           simt::shared_value<std::uint32_t>& counter,
                                           const simt::shared_view<std::uint64_t>& words) {
    static_assert(radix <= 2 * table::most); // the words that order_values() leaves
    const unsigned t = simt::thread_index();
    for (unsigned slot = t; slot < places::all_slots; slot += Threads)
      s.marks[slot] = all.images.load(slot);
    if (t < radix)
      words[t] = 0;
    order_values<Threads>(all, counter, words, [&](unsigned slot, Word, std::uint64_t count, unsigned rank) {
      s.rank[slot] = std::uint16_t(rank);
      words.fetch_add(rank >> pass * digit_bits & (radix - 1), count, simt::relaxed, simt::block_scope);
    });
    simt::block_barrier();
    return t < radix ? words.load(t) : 0;
  }

  /// Of an image in the table. Of others, which stand for nothing beyond the last key, some rank.
  static SORTILE_DEVICE std::uint32_t rank_of(storage& s, Word image) {
    const Word mark = places::mark_of(image);
    unsigned at = places::slot_of(image);
    for (unsigned p = 1; p < places::probes && s.marks.load(at) != mark; ++p)
      at = places::next_slot(at);
    return s.rank.load(at);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
