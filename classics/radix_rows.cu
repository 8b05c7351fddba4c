// Radix sorts of rows: values that travel as positions, and cascaded sorts by a secondary and then a primary key.
//
// Positions. A pass moves every record, so a value of v bytes costs 4 v bytes of traffic per pass (in the form of
// radix_buckets.cu). Instead, let each key carry its position, 4 bytes, and fetch the values once at the end:
//
//   $ sortile classics show --example radix-values-last
//   input: 3/U 1/V 2/W 0/X 2/Y 1/Z
//   bits 0 to 1
//     keys             3/0 1/1 2/2 0/3 | 2/4 1/5
//     thread             0   0   0   0 |   0   0
//     tiles sorted     0/3 1/1 2/2 3/0 | 1/5 2/4
//     sizes of buckets
//       digit 0        1 0
//       digit 1        1 1
//       digit 2        1 1
//       digit 3        1 0
//     where they begin
//       digit 0        0 1
//       digit 1        1 2
//       digit 2        3 4
//       digit 3        5 6
//     buckets written  0/3 1/1 1/5 2/2   2/4 3/0
//     from block         0   0   1   0     1   0
//   values fetched: 0/X 1/V 1/Z 2/W 2/Y 3/U
//   result: 0/X 1/V 1/Z 2/W 2/Y 3/U
//
// The gather reads at random: a sector of 32 bytes for each value. It pays when p passes over v − 4 bytes cost more
// than that. Without the gather, this is an argsort.
//
// Cascaded sorts. To order rows by a primary key and, where that ties, by a secondary one, sort by the secondary key
// first, then stably by the primary. The second sort leaves rows of equal primary keys in the order of the first: it is
// LSD radix sort with digits that are whole columns, and holds for any stable sort and any number of columns.
//
//   $ sortile classics show --example age-and-income
//   input: 41/52000 25/31000 41/38000 33/52000 25/47000 33/29000
//   by the secondary key
//     column  52000 31000 38000 52000 47000 29000
//     row         0     1     2     3     4     5
//     sorted  29000 31000 38000 47000 52000 52000
//     row         5     1     2     4     0     3
//   by the primary key, stably
//     column  33 25 41 25 41 33
//     row      5  1  2  4  0  3
//     sorted  25 25 33 33 41 41
//     row      1  4  5  3  2  0
//   rows fetched: 25/31000 25/47000 33/29000 33/52000 41/38000 41/52000
//   result: 25/31000 25/47000 33/29000 33/52000 41/38000 41/52000
//
// Columns lie apart in a table, so positions travel: sort (secondary, position), gather the primary column in that
// order, sort (primary, position), gather the rows. Here the columns are the upper and the lower half of each key's
// image, so that the result is the order of the whole key, and any test of a sort tests the cascade. Columns of several
// types and directions: radix_columns.cu.
//
// Source: Hollerith's card sorters, for the cascade; Knuth, TAOCP vol. 3, 5.2.5; Satish, Harris & Garland 2009 (pairs).
//
// Cost: radix-by-position: p passes of 4 (key + 4) bytes, and a gather of 4 + 32 + v bytes per value. radix-cascaded:
// as many passes in all, of keys half as wide, and three launches between them: make the columns, gather the primary
// one, gather the rows.
//
// What it teaches: stability is what makes sorts compose; move as little as possible, as late as possible. Limits:
// positions of 32 bits; the random gather at the end is the slowest access a GPU has.
#include "classics/rows.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
void by_position(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const device_array<std::uint32_t> positions(j.on, n), other(j.on, n);
  simt::launch(j.on.queue(), {.grid = blocks_for(n, 256)}, number_rows{view(positions), n});
  records<Word, true> keys{data.keys, view(positions)}, keys_spare{spare.keys, view(other)};
  j.carries_positions = true;
  sort_by_buckets<keys_a_thread_of_rows>(j, keys, keys_spare, codec, j.parameter("bits"), j.parameter("tile"));
  j.carries_positions = false;
  if constexpr (Pairs)
    launch_gather(j, static_cast<const std::uint32_t*>(data.values.data()), keys.values.data(), spare.values.data());
  if (keys.keys.data() != data.keys.data())
    std::swap(data, spare);
  else if constexpr (Pairs)
    j.on.copy_on_device(data.values.data(), spare.values.data(), n * sizeof(std::uint32_t));
  j.show("values fetched", untyped(data), n);
}

/// The columns of a table: the upper and the lower half of each image.
template <class Word>
struct make_columns {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> keys;
  std::uint64_t n;
  key_codec<Word> codec;
  simt::global<std::uint32_t> primary, secondary, positions;

  SORTILE_DEVICE void operator()() const {
    constexpr unsigned half = 4 * sizeof(Word);
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const Word image = codec.image(keys.load(i));
    primary[i] = static_cast<std::uint32_t>(image >> half);
    secondary[i] = static_cast<std::uint32_t>(image & ((Word{1} << half) - 1));
    positions[i] = static_cast<std::uint32_t>(i);
  }
};

template <class Word, bool Pairs>
void cascaded(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  using column = device_array<std::uint32_t>;
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const column primary(j.on, n), keys(j.on, n), positions(j.on, n), keys_spare(j.on, n), positions_spare(j.on, n);
  simt::launch(j.on.queue(), {.grid = blocks_for(n, 256)},
               make_columns<Word>{data.keys, n, codec, view(primary), view(keys), view(positions)});
  records<std::uint32_t, true> rows{view(keys), view(positions)}, rows_spare{view(keys_spare), view(positions_spare)};
  const auto by_column = make_key_codec<std::uint32_t>(key_type::u32, order::ascending, {0, 4 * sizeof(Word)});
  const auto shown = [](std::uint32_t key) { return std::to_string(key); };
  sort_by_column(j, "by the secondary key", rows, rows_spare, by_column, shown);
  launch_gather(j, static_cast<const std::uint32_t*>(primary.data()), rows.values.data(), rows.keys.data());
  sort_by_column(j, "by the primary key, stably", rows, rows_spare, by_column, shown);
  fetch_rows(j, rows.values.data(), data, spare);
}

} // namespace

SORTILE_CLASSICS_OF(radix_rows) {
  const parameter bits{"bits", 1, 4, 8, "bits a pass"};
  return {{.name = "radix-by-position",
           .family = "radix",
           .summary = "keys carry their positions through the passes, values are fetched once at the end",
           .work = "b n",
           .depth = "b log n",
           .source = "Satish, Harris & Garland 2009",
           .steps_show = "each pass over keys and positions; the keys with their values",
           .stable = true,
           .tile = 256 * keys_a_thread_of_rows,
           .parameters = {bits, tile_parameter(256 * keys_a_thread_of_rows)},
           .run = [](job& j) { with_records(j, [&](auto&... a) { by_position(j, a...); }); }},
          {.name = "radix-cascaded",
           .family = "radix",
           .summary = "rows of two columns: a stable sort by the secondary key, then one by the primary",
           .work = "b n",
           .depth = "b log n",
           .source = "Knuth, TAOCP vol. 3, 5.2.5",
           .steps_show = "each column before and after it is sorted, with the rows; the rows fetched in that order",
           .stable = true,
           .tile = 256 * keys_a_thread_of_rows,
           .parameters = {bits, tile_parameter(256 * keys_a_thread_of_rows)},
           .run = [](job& j) { with_records(j, [&](auto&... a) { cascaded(j, a...); }); }}};
}

} // namespace sortile::classics
