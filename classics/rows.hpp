// What sorts of rows have in common: rows are numbered, their numbers are sorted by a column, and whatever is wanted of
// the rows is fetched in that order (radix_rows.cu, radix_columns.cu).
#pragma once

#include "classics/radix_buckets.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

inline constexpr unsigned keys_a_thread_of_rows = 8;

struct number_rows {
  static constexpr unsigned block_threads = 256;
  simt::global<std::uint32_t> positions;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < n)
      positions[i] = static_cast<std::uint32_t>(i);
  }
};

/// to[i] = from[positions[i]], widened where `to` is wider.
template <class From, class To = From>
struct gather {
  static constexpr unsigned block_threads = 256;
  simt::global<const From> from;
  simt::global<const std::uint32_t> positions;
  simt::global<To> to;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < n)
      to[i] = from.load(positions.load(i));
  }
};

template <class From, class To>
void launch_gather(job& j, const From* from, const std::uint32_t* positions, To* to) {
  const std::uint64_t n = j.asked.n;
  simt::launch(j.on.queue(), {.grid = blocks_for(n, gather<From, To>::block_threads)},
               gather<From, To>{{from, n}, {positions, n}, {to, n}, n});
}

/// Rows in a new order: `positions` says where each comes from. Ends in `data`.
template <class Word, bool Pairs>
void fetch_rows(job& j, const std::uint32_t* positions, records<Word, Pairs>& data, records<Word, Pairs>& spare) {
  launch_gather(j, static_cast<const Word*>(data.keys.data()), positions, spare.keys.data());
  if constexpr (Pairs)
    launch_gather(j, static_cast<const std::uint32_t*>(data.values.data()), positions, spare.values.data());
  std::swap(data, spare);
  j.show("rows fetched", untyped(data), j.asked.n);
}

/// A column's keys, each with the number of its row, in the order of the keys: a stable sort, so rows of equal keys
/// stay as they stand. `text` writes a key in steps.
template <class Text>
void sort_by_column(job& j, const std::string& title, records<std::uint32_t, true>& rows,
                    records<std::uint32_t, true>& spare, const key_codec<std::uint32_t>& codec, Text&& text) {
  const std::uint64_t n = j.asked.n;
  const unsigned bits = j.parameter("bits");
  const bucket_pass<std::uint32_t, true, keys_a_thread_of_rows> pass(j.on, n, bits, j.parameter("tile"));
  telling t = j.tell(title);
  const auto tell_rows = [&](const char* column) {
    if (!t.is_read())
      return;
    std::vector<std::string> keys;
    for (const std::uint32_t key : fetch(j.on, rows.keys, n))
      keys.push_back(text(key));
    t.words(column, std::move(keys)).numbers("row", fetch(j.on, rows.values, n));
  };
  telling silent(nullptr, {});
  tell_rows("column");
  for (unsigned bit = 0; bit < codec.bits; bit += bits) {
    pass(rows, spare, n, codec, {bit, std::min(bits, codec.bits - bit)}, silent);
    std::swap(rows, spare);
  }
  tell_rows("sorted");
}

} // namespace sortile::classics::inline SORTILE_BACKEND
