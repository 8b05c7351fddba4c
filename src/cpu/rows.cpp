// The order of rows by several columns.
//
// Each column has an image that sorts ascending, whatever its type and direction. Neighbouring columns whose images fit
// together into 32, 64 or 128 bits become one composite key: the first column's image on top. If all columns fit, one
// argsort does it. Otherwise the columns are cut into groups that fit, from the last to the first, and the groups are
// sorted in that order: each sort is stable, so ties of an earlier column keep the order by the later ones (as in LSD
// radix sort, with columns for digits).
#include "cpu/cpu_engine.hpp"
#include "cpu/gather.hpp"
#include "cpu/key_image.hpp"
#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::cpu {

namespace {

constexpr std::size_t alone_below = std::size_t{1} << 14; // rows
constexpr unsigned widest_key = 128;

// Columns [first, last) as one key of `bits` bits.
struct column_group {
  std::size_t first, last;
  unsigned bits;

  key_type type() const { return bits <= 32 ? key_type::u32 : bits <= 64 ? key_type::u64 : key_type::u128; }
};

// The group that ends before column `last`: as many columns as fit.
column_group group_before(std::span<const column> columns, std::size_t last) {
  column_group g{last, last, 0};
  while (g.first > 0 && g.bits + key_bits(columns[g.first - 1].type) <= widest_key) {
    --g.first;
    g.bits += key_bits(columns[g.first].type);
  }
  return g;
}

// keys[i] = keys[i] · 2^width + the image of the row that stands at position i.
template <class K, class Key, class Index>
void append_column_of(const column& c, const Index* rows, std::size_t begin, std::size_t end, Key* keys) {
  key_image<K> image(c.type, c.order, {});
  image.exact = image.is_float;
  const K* const data = static_cast<const K*>(c.data);
  for (std::size_t i = begin; i < end; ++i) {
    const Key x = static_cast<Key>(image(data[rows != nullptr ? std::size_t{rows[i]} : i]));
    if constexpr (sizeof(K) >= sizeof(Key)) // such a column is the whole key
      keys[i] = x;
    else
      keys[i] = static_cast<Key>(static_cast<Key>(keys[i] << (8 * sizeof(K))) | x);
  }
}

template <class Key, class Index>
void append_column(const column& c, const Index* rows, std::size_t begin, std::size_t end, Key* keys) {
  switch (key_bytes(c.type)) {
  case 1:
    return append_column_of<std::uint8_t>(c, rows, begin, end, keys);
  case 2:
    return append_column_of<std::uint16_t>(c, rows, begin, end, keys);
  case 4:
    return append_column_of<std::uint32_t>(c, rows, begin, end, keys);
  case 8:
    return append_column_of<std::uint64_t>(c, rows, begin, end, keys);
  default:
    return append_column_of<uint128>(c, rows, begin, end, keys);
  }
}

// The composite keys of a group, of the rows in the order `rows` (null: as they are).
template <class Key, class Index>
void make_keys(std::span<const column> columns, const column_group& g, const Index* rows, std::size_t n,
               unsigned threads, Key* keys) {
  for_each_piece(threads, n, alone_below, [&](std::size_t begin, std::size_t end) {
    std::fill(keys + begin, keys + end, Key{0});
    for (std::size_t c = g.first; c < g.last; ++c)
      append_column(columns[c], rows, begin, end, keys);
  });
}

// `keys` is scratch.
void sort_indices(const rows_request& request, key_type type, void* keys, bool first_group, const options& opts,
                  unsigned threads) {
  sort_request sort;
  sort.type = type;
  sort.n = request.n;
  sort.keys_in = keys;
  sort.keys_out = keys;
  sort.carries = first_group ? payload::indices : payload::values;
  sort.value_bytes = request.index_bytes;
  sort.values_in = first_group ? nullptr : request.indices_out;
  sort.values_out = request.indices_out;
  const plan p = cpu_engine().make_plan(sort, {}, threads);
  const scratch space(p.workspace_bytes, "the workspace of a sort of rows");
  cpu_engine().run(sort, {}, {threads, space.bytes(), opts.progress ? &opts.progress : nullptr});
}

// Sorts by a group; all but the first start from the order that request.indices_out holds.
template <class Key, class Index>
void sort_group(const rows_request& request, const column_group& g, bool first_group, const options& opts,
                unsigned threads) {
  const scratch space(request.n * sizeof(Key), "the composite keys of a sort of rows");
  Key* const keys = reinterpret_cast<Key*>(space.bytes().data());
  const Index* const rows = first_group ? nullptr : static_cast<const Index*>(request.indices_out);
  make_keys(request.columns, g, rows, request.n, threads, keys);
  sort_indices(request, g.type(), keys, first_group, opts, threads);
}

template <class Index>
void sort_group(const rows_request& request, const column_group& g, bool first_group, const options& opts,
                unsigned threads) {
  if (g.bits <= 32)
    sort_group<std::uint32_t, Index>(request, g, first_group, opts, threads);
  else if (g.bits <= 64)
    sort_group<std::uint64_t, Index>(request, g, first_group, opts, threads);
  else
    sort_group<uint128, Index>(request, g, first_group, opts, threads);
}

void sort_groups(const rows_request& request, const options& opts, unsigned threads) {
  std::vector<column_group> groups;
  for (std::size_t last = request.columns.size(); last > 0; last = groups.back().first)
    groups.push_back(group_before(request.columns, last));
  double floor = 0; // of the callback: each group is its share of the whole
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double share = 1.0 / static_cast<double>(groups.size());
    floor = share * static_cast<double>(i);
    options of_group;
    if (opts.progress)
      of_group.progress = [&, last = i + 1 == groups.size()](double done) {
        return opts.progress(last && done >= 1 ? 1.0 : floor + share * done);
      };
    if (request.index_bytes == 4)
      sort_group<std::uint32_t>(request, groups[i], i == 0, of_group, threads);
    else
      sort_group<std::uint64_t>(request, groups[i], i == 0, of_group, threads);
  }
}

// 32-bit numbers in the upper half of their array become 64-bit ones in all of it. From the front: place i is written
// when the numbers before i + 1 have been read, and the others lie behind it.
void widen(std::uint64_t* all, std::size_t n) {
  const auto* const from = reinterpret_cast<const std::byte*>(all) + n * sizeof(std::uint32_t);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t position;
    std::memcpy(&position, from + i * sizeof position, sizeof position);
    all[i] = position;
  }
}

} // namespace

// Positions of 4 bytes are moved in half the time of wider ones, so those of up to 2^32 rows become wide at the end.
void argsort_rows(const rows_request& request, const options& opts, unsigned threads) {
  if (request.index_bytes == 4 || request.n > std::size_t{1} << 32)
    return sort_groups(request, opts, threads);
  auto* const all = static_cast<std::uint64_t*>(request.indices_out);
  rows_request narrow = request;
  narrow.indices_out = reinterpret_cast<std::byte*>(all) + request.n * sizeof(std::uint32_t);
  narrow.index_bytes = sizeof(std::uint32_t);
  sort_groups(narrow, opts, threads);
  widen(all, request.n);
}

/// All memory is allocated before the first array is changed; after that nothing can fail.
void sort_rows(const sort_rows_request& request, const options& opts, unsigned threads) {
  const std::size_t n = request.n, index_bytes = n <= std::size_t{1} << 32 ? 4 : 8;
  const scratch order(n * index_bytes, "the order of rows");
  argsort_rows({n, request.columns, order.bytes().data(), index_bytes}, opts, threads);
  std::size_t widest = 0;
  for (const row_array& array : request.arrays)
    widest = std::max(widest, array.value_bytes);
  const scratch space(n * widest, "the copy of a column of rows");
  for (const row_array& array : request.arrays)
    rearrange(array.values, order.bytes().data(), index_bytes, n, array.value_bytes, space.bytes().data(), threads);
}

} // namespace sortile::cpu
