// The values of a table (value_table.hpp) in order, by one block: each value's rank is how many are below it. All are
// compared with all, up to 512 of them: 2 to 3 µs, mostly the wait for the table.
#pragma once

#include "kernels/lsd/value_table.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Ranks `values`' images; then calls put(slot, image, count, rank), a thread a value. By all threads of a block. Has
/// barriers, none after put. Returns how many values there are. `counter` and `words`, four for each value there may
/// be, are shared storage; put may use the first half of the words.
template <unsigned Threads, class Word, class Put>
SORTILE_DEVICE unsigned order_values(const value_table<Word>& values, simt::shared_value<std::uint32_t>& counter,
                                     const simt::shared_view<std::uint64_t>& words, Put put) {
  using table = value_table<Word>;
  using places = typename table::places;
  constexpr unsigned most = table::most;
  static_assert(most <= Threads && places::all_slots < 1u << 16);
  const auto image_of = words.subview(2 * most, most), count_of = words.subview(3 * most, most);
  const unsigned t = simt::thread_index();
  if (t == 0)
    counter = 0;
  simt::block_barrier();
  constexpr unsigned slot_from = 48; // counts are below 2^48
  for (unsigned slot = t; slot < places::all_slots; slot += Threads)
    if (const std::uint64_t count = values.counts.load(slot); count != 0) {
      const std::uint32_t at = counter.fetch_add(0, 1u, simt::relaxed, simt::block_scope);
      image_of[at] = places::image_at(slot, values.images.load(slot));
      count_of[at] = count | std::uint64_t{slot} << slot_from;
    }
  simt::block_barrier();
  const unsigned all = counter.load(0);
  if (t >= all)
    return all;
  const std::uint64_t image = image_of.load(t), count = count_of.load(t);
  unsigned rank = 0;
  for (unsigned i = 0; i < all; ++i)
    rank += image_of.load(i) < image ? 1 : 0;
  put(unsigned(count >> slot_from), Word(image), count & ((std::uint64_t{1} << slot_from) - 1), rank);
  return all;
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
