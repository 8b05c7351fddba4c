// Orders of few rows: short sorts by one column after another, the last first; of twelve rows or fewer, all pairs are
// compared by all columns, as structs are in few.hpp.
#include "cpu/few_words.hpp"
#include "cpu/short_calls.hpp"
#include "primitives/key_codec.hpp"

#include <sortile/few.hpp>

#include <algorithm>
#include <cstring>

namespace sortile::cpu {

namespace {

constexpr std::size_t most_columns = 8;   // each is sorted by, whether it decides or not
constexpr std::size_t most_compared = 12; // rows that are ordered by comparisons of all columns

template <class Word>
void take(const void* column, const std::uint32_t* order, std::size_t n, void* keys) {
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(static_cast<std::byte*>(keys) + i * sizeof(Word),
                static_cast<const std::byte*>(column) + order[i] * sizeof(Word), sizeof(Word));
}

void take(const void* column, std::size_t key, const std::uint32_t* order, std::size_t n, void* keys) {
  switch (key) {
  case 1:
    return take<std::uint8_t>(column, order, n, keys);
  case 2:
    return take<std::uint16_t>(column, order, n, keys);
  case 4:
    return take<std::uint32_t>(column, order, n, keys);
  default:
    return take<std::uint64_t>(column, order, n, keys);
  }
}

/// Keys of a column as numbers that sort as they do, each in 64 bits.
template <class K>
void take_images(const column& c, std::size_t n, std::uint64_t* images) {
  const key_codec<K> codec = make_key_codec<K>(c.type, c.order, {});
  for (std::size_t i = 0; i < n; ++i)
    images[i] = codec.image(static_cast<const K*>(c.data)[i]);
}

void take_images(const column& c, std::size_t n, std::uint64_t* images) {
  switch (key_bytes(c.type)) {
  case 1:
    return take_images<std::uint8_t>(c, n, images);
  case 2:
    return take_images<std::uint16_t>(c, n, images);
  case 4:
    return take_images<std::uint32_t>(c, n, images);
  default:
    return take_images<std::uint64_t>(c, n, images);
  }
}

template <class Index>
void place_by_ranks(const sortile::detail::few_rank* ranks, std::size_t n, void* order) {
  for (std::size_t i = 0; i < n; ++i)
    static_cast<Index*>(order)[ranks[i]] = static_cast<Index>(i);
}

/// The order of so few rows that all pairs are compared.
void compare_rows(const rows_request& r) {
  std::uint64_t images[most_columns][most_compared];
  const std::size_t columns = r.columns.size();
  for (std::size_t c = 0; c < columns; ++c)
    take_images(r.columns[c], r.n, images[c]);
  sortile::detail::few_rank ranks[most_compared];
  sortile::detail::rank_all(r.n, ranks, [&](std::size_t a, std::size_t b) {
    bool below = images[0][a] < images[0][b], ties = images[0][a] == images[0][b];
    for (std::size_t c = 1; c < columns; ++c) { // no branch on keys: those of random order are not guessed
      below |= ties & (images[c][a] < images[c][b]);
      ties &= images[c][a] == images[c][b];
    }
    return below;
  });
  if (r.index_bytes == sizeof(std::uint32_t))
    place_by_ranks<std::uint32_t>(ranks, r.n, r.indices_out);
  else
    place_by_ranks<std::uint64_t>(ranks, r.n, r.indices_out);
}

} // namespace

bool argsort_rows_small(const rows_request& r, const options& opts, bool engine_is_open) noexcept {
  const bool usual = opts.order == order::ascending && opts.bits.begin == 0 && opts.bits.end == bit_window::whole_key &&
                     opts.workspace_limit == 0;
  if (r.n < 2 || r.n > most_in_words || r.columns.empty() || r.columns.size() > most_columns || !usual ||
      !is_plain(opts, engine_is_open) || (r.index_bytes != 4 && r.index_bytes != 8) ||
      !can_be_written(r.indices_out, r.index_bytes) || !are_in_reach(r.indices_out, r.columns, &column::data))
    return false;
  for (const column& c : r.columns) {
    const std::size_t key = key_bytes(c.type);
    if (key == 0 || key > 8 || !is_direction(c.order) || (c.n != column::length_of_the_rows && c.n != r.n) ||
        !can_be_read(c.data, r.n, key, r.indices_out, r.n * r.index_bytes))
      return false;
  }
  if (r.n <= most_compared)
    return compare_rows(r), true;
  alignas(64) std::byte keys[most_in_words * sizeof(std::uint64_t)];
  std::uint32_t order[most_in_words];
  ordering by;
  for (std::size_t left = r.columns.size(); left > 0; --left) {
    const column& c = r.columns[left - 1];
    sort_request sort{.type = c.type, .n = r.n, .value_bytes = sizeof(order[0]), .values_out = order};
    if (left == r.columns.size()) {
      sort.keys_in = c.data;
      sort.carries = payload::indices;
    } else {
      take(c.data, key_bytes(c.type), order, r.n, keys);
      sort.keys_in = keys; // which are used up
      sort.carries = payload::values;
      sort.values_in = order;
    }
    by.direction = c.order;
    if (!sort_by_words(sort, by))
      return false;
  }
  if (r.index_bytes == sizeof(order[0]))
    std::memcpy(r.indices_out, order, r.n * sizeof(order[0]));
  else
    std::copy(order, order + r.n, static_cast<std::uint64_t*>(r.indices_out));
  return true;
}

} // namespace sortile::cpu
