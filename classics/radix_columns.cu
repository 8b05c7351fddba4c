// Cascaded sort of rows over columns of several types and directions: by name, then by income, then by age.
//
// Idea. A table keeps its columns apart, each of its own type: ages of one byte, incomes that are floats, names of
// three letters. "By age; of equal ages the largest income first; of equal incomes by name" is sorted from the last of
// the three to the first, each time stably. What a sort needs to know of a column is its codec alone: the
// order-preserving map from the column's type and direction to an unsigned number (primitives/key_codec.hpp). So one
// radix sort serves all of them, as many passes each as its type has digits.
//
//   column  type          order       bits
//   age     u8            ascending      8   sorted last
//   income  f32           descending    32
//   name    three letters ascending     24   sorted first; text is a number in base 256, its first letter the highest
//   digit
//
//   $ sortile classics show --example age-income-name
//   input: 41/52000/Ann 25/31000/Bob 41/38000/Eve 33/-0/Cid 25/31000/Ada 33/0/Abe
//   by name
//     column  Ann Bob Eve Cid Ada Abe
//     row       0   1   2   3   4   5
//     sorted  Abe Ada Ann Bob Cid Eve
//     row       5   4   0   1   3   2
//   by income, downwards, stably
//     column      0 31000 52000 31000 -0 38000
//     row         5     4     0     1  3     2
//     sorted  52000 38000 31000 31000  0    -0
//     row         0     2     4     1  5     3
//   by age, stably
//     column  41 41 25 25 33 33
//     row      0  2  4  1  5  3
//     sorted  25 25 33 33 41 41
//     row      4  1  5  3  0  2
//   rows fetched: 25/31000/Ada 25/31000/Bob 33/0/Abe 33/-0/Cid 41/52000/Ann 41/38000/Eve
//   result: 25/31000/Ada 25/31000/Bob 33/0/Abe 33/-0/Cid 41/52000/Ann 41/38000/Eve
//
// −0 and +0 are equal as incomes, so Abe and Cid stand by name.
//
// Only positions move. Sort (name, position); fetch incomes in that order and sort (income, position); fetch ages, sort
// (age, position); fetch the rows. Each fetch reads a column at random, in its own width: 1 byte for an age.
//
// Here a row is packed into a key of 64 bits: age, income, name from the highest bits on. That is how it comes and
// goes; the order of the packed numbers is not that of the rows, since the income's bits are those of a float and its
// order is downwards. What counts as right is this file's own task: rows in order, rows with all three equal as they
// stood.
//
// Source: Hollerith's card sorters, for the cascade; Knuth, TAOCP vol. 3, 5.2.5.
//
// Cost: p = 1 + 4 + 3 passes of 8 bits over 8 bytes, key and position; three fetches of a column; one of the rows.
//
// What it teaches: types are not a matter of the sort, but of a map in front of it; the order of a table is a list of
// columns with directions, and stability puts them together. Limits: a column's keys travel as 32 bits, ages too; names
// have three letters (longer ones: one cascade step for each four letters, or a sort from the first letter on);
// positions of 32 bits.
#include "classics/rows.hpp"

#include <sortile/error.hpp>

#include <charconv>
#include <cstring>

namespace sortile::classics {

extern const task rows_of_three_columns;

namespace {

constexpr unsigned letters = 3, age_at = 56, income_at = 24; // where the columns begin in a packed row

/// How a column is ordered.
template <unsigned Bits>
constexpr key_codec<std::uint32_t> codec_of_column(key_type type, order direction) {
  return make_key_codec<std::uint32_t>(type, direction, {0, Bits});
}
constexpr auto by_age = codec_of_column<8>(key_type::u32, order::ascending);
constexpr auto by_income = codec_of_column<32>(key_type::f32, order::descending);
constexpr auto by_name = codec_of_column<8 * letters>(key_type::u32, order::ascending);

std::string income_text(std::uint32_t bits) {
  return key_as_text(key_type::f32, &bits, notation::decimal, 32);
}

/// Letters as they are; of other bytes two digits in base 16.
std::string name_text(std::uint32_t name) {
  std::string text;
  for (unsigned i = letters; i-- > 0;) {
    const unsigned byte = name >> 8 * i & 255;
    if (byte > ' ' && byte < 127)
      text += static_cast<char>(byte);
    else
      text += "\\" + key_as_text(key_type::u32, &byte, notation::hexadecimal, 8);
  }
  return text;
}

} // namespace

#if !SORTILE_ON_CUDA
namespace {

std::uint32_t age_of(std::uint64_t row) {
  return static_cast<std::uint32_t>(row >> age_at);
}
std::uint32_t income_of(std::uint64_t row) {
  return static_cast<std::uint32_t>(row >> income_at);
}
std::uint32_t name_of(std::uint64_t row) {
  return static_cast<std::uint32_t>(row) & ((std::uint32_t{1} << 8 * letters) - 1);
}

std::string row_text(const void* key) {
  std::uint64_t row = 0;
  std::memcpy(&row, key, sizeof row);
  return std::to_string(age_of(row)) + "/" + income_text(income_of(row)) + "/" + name_text(name_of(row));
}

[[noreturn]] void refuse_row(std::string_view text) {
  throw invalid_argument("'" + std::string(text) +
                         "' is no row (allowed: age/income/name, the age from 0 to 255, the " +
                         "income a number, the name three letters: 41/52000/Ann)");
}

/// "41/52000/Ann"
void parse_row(std::string_view text, void* key) {
  std::uint8_t age = 0;
  float income = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, age);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '/')
    refuse_row(text);
  const auto second = std::from_chars(first.ptr + 1, end, income);
  if (second.ec != std::errc{} || end - second.ptr != 1 + letters || *second.ptr != '/')
    refuse_row(text);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &income, sizeof bits);
  std::uint64_t row = std::uint64_t{age} << age_at | std::uint64_t{bits} << income_at;
  for (unsigned i = 0; i < letters; ++i)
    row |= std::uint64_t{static_cast<unsigned char>(second.ptr[1 + i])} << 8 * (letters - 1 - i);
  std::memcpy(key, &row, sizeof row);
}

/// Packed rows as numbers in the order of the rows. Rows that are equal become one number.
host_arrays in_order_of_rows(const host_arrays& packed) {
  host_arrays images = packed;
  auto* rows = reinterpret_cast<std::uint64_t*>(images.keys.data());
  for (std::size_t i = 0; i < images.n; ++i)
    rows[i] = std::uint64_t{by_age.image(age_of(rows[i]))} << age_at |
              std::uint64_t{by_income.image(income_of(rows[i]))} << income_at | by_name.image(name_of(rows[i]));
  return images;
}

testing::verdict check_rows(const request& asked, bool stable, const host_arrays& before, const host_arrays& after) {
  const auto hash = [](const host_arrays& a) {
    testing::multiset_hash of;
    of.add(a.type, {a.keys.data(), nullptr, 0, a.n});
    return of;
  };
  if (hash(before) != hash(after))
    return {"the rows are not those that there were"};
  return sorting.check(asked, stable, in_order_of_rows(before), in_order_of_rows(after));
}

} // namespace

const task rows_of_three_columns{.name = "sort of rows",
                                 .promise = "all rows by age, income downwards, name",
                                 .has_direction = false,
                                 .text = row_text,
                                 .parse = parse_row,
                                 .check = check_rows};
#endif

namespace {

/// A table of packed rows: its columns, and the numbers of its rows.
struct take_columns_apart {
  static constexpr unsigned block_threads = 256;
  simt::global<const std::uint64_t> rows;
  std::uint64_t n;
  simt::global<std::uint8_t> ages;
  simt::global<std::uint32_t> incomes, names, numbers;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const std::uint64_t row = rows.load(i);
    ages[i] = static_cast<std::uint8_t>(row >> age_at);
    incomes[i] = static_cast<std::uint32_t>(row >> income_at);
    names[i] = static_cast<std::uint32_t>(row & ((std::uint64_t{1} << 8 * letters) - 1));
    numbers[i] = static_cast<std::uint32_t>(i);
  }
};

template <bool Pairs>
void by_columns(job& j, records<std::uint64_t, Pairs>& data, records<std::uint64_t, Pairs>& spare) {
  using column = device_array<std::uint32_t>;
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const device_array<std::uint8_t> ages(j.on, n);
  const column incomes(j.on, n), keys(j.on, n), numbers(j.on, n), keys_spare(j.on, n), numbers_spare(j.on, n);
  simt::launch(j.on.queue(), {.grid = blocks_for(n, take_columns_apart::block_threads)},
               take_columns_apart{data.keys, n, view(ages), view(incomes), view(keys), view(numbers)});
  records<std::uint32_t, true> rows{view(keys), view(numbers)}, rows_spare{view(keys_spare), view(numbers_spare)};

  sort_by_column(j, "by name", rows, rows_spare, by_name, name_text);
  launch_gather(j, static_cast<const std::uint32_t*>(incomes.data()), rows.values.data(), rows.keys.data());
  sort_by_column(j, "by income, downwards, stably", rows, rows_spare, by_income, income_text);
  launch_gather(j, static_cast<const std::uint8_t*>(ages.data()), rows.values.data(), rows.keys.data());
  sort_by_column(j, "by age, stably", rows, rows_spare, by_age, [](std::uint32_t age) { return std::to_string(age); });
  fetch_rows(j, rows.values.data(), data, spare);
}

constexpr key_type packed_rows[] = {key_type::u64};

} // namespace

SORTILE_CLASSICS_OF(radix_columns) {
  return {
      {.name = "radix-columns",
       .family = "radix",
       .summary = "rows of columns of three types and both directions: stable sorts from the last column to the first",
       .work = "b n",
       .depth = "b log n",
       .source = "Knuth, TAOCP vol. 3, 5.2.5",
       .steps_show = "each column before and after it is sorted, with the rows; the rows fetched in that order",
       .stable = true,
       .types = packed_rows,
       .tile = 256 * keys_a_thread_of_rows,
       .parameters = {{"bits", 1, 4, 8, "bits a pass"}, tile_parameter(256 * keys_a_thread_of_rows)},
       .task = &rows_of_three_columns,
       .run = [](job& j) {
         with_records(j, [&](auto& data, auto& spare, const auto&) {
           if constexpr (sizeof(data.keys.load(0)) == 8)
             by_columns(j, data, spare);
         });
       }}};
}

} // namespace sortile::classics
