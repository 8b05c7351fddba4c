// Calls on few keys, which are done at the front door (few_keys.hpp), against the oracle's stable order: all types,
// both directions, bit windows, keys that are equal, −0 and NaNs. Each of them allocates nothing (tests/faults).
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"
#include "tests/expect_refusal.hpp"

#include <sortile/groups.hpp>
#include <sortile/select.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace sortile::testing {
namespace {

using bytes = std::vector<std::byte>;
using places = std::vector<std::uint64_t>;

/// n keys of a workload, at an address that fits them, with values of any width and what a stable sort makes of them.
struct few_case {
  key_type type;
  std::size_t n;
  options opts;
  std::vector<uint128> room;
  bytes values;
  places order;

  few_case(key_type type, std::size_t n, const char* workload, const options& opts, std::uint64_t seed)
      : type(type), n(n), opts(opts), room(n + 1), values(n * 64) {
    workload_named(workload).fill({type, n, seed}, 0, n, reinterpret_cast<std::byte*>(room.data()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::byte>(i * 7 + i / 64);
    order = stable_order({type, opts.order, opts.bits}, room.data(), n);
  }
  std::size_t key() const { return key_bytes(type); }
  bytes keys() const {
    const auto* const from = reinterpret_cast<const std::byte*>(room.data());
    return {from, from + n * key()};
  }
  std::string text() const {
    return std::string(name(type)) + ", n = " + std::to_string(n) +
           (opts.order == order::descending ? ", descending" : "") + ", bits from " + std::to_string(opts.bits.begin);
  }
  bytes first_values(std::size_t width, const places& positions) const {
    return gather(values.data(), width, positions);
  }
};

/// What partial_sort_request promises of the places behind k.
places after_partial_sort(const places& order, std::size_t k) {
  places result(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
  const auto is_first = [&](std::uint64_t position) {
    return std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), position) !=
           order.begin() + static_cast<std::ptrdiff_t>(k);
  };
  std::uint64_t displaced = 0;
  for (std::uint64_t i = k; i < order.size(); ++i) {
    if (!is_first(i)) {
      result.push_back(i);
      continue;
    }
    while (is_first(displaced))
      ++displaced;
    result.push_back(displaced++);
  }
  return result;
}

bytes copied(const void* data, std::size_t size) {
  const auto* const from = static_cast<const std::byte*>(data);
  return {from, from + size};
}

void check_selections(const few_case& c, std::size_t k) {
  const places first(c.order.begin(), c.order.begin() + static_cast<std::ptrdiff_t>(k));
  const bytes keys = gather(c.room.data(), c.key(), first);
  for (const std::size_t width : {0u, 1u, 3u, 4u, 8u, 16u, 24u, 64u}) {
    std::vector<uint128> keys_out(k);
    bytes values_out(k * width);
    run(top_k_request{.type = c.type,
                      .n = c.n,
                      .k = k,
                      .keys_in = c.room.data(),
                      .keys_out = keys_out.data(),
                      .carries = width == 0 ? payload::none : payload::values,
                      .value_bytes = width,
                      .values_in = c.values.data(),
                      .values_out = values_out.data()},
        c.opts);
    EXPECT_EQ(copied(keys_out.data(), k * c.key()), keys) << c.text() << ", top " << k;
    EXPECT_EQ(values_out, width == 0 ? bytes{} : c.first_values(width, first)) << c.text() << ", top " << k;

    few_case sorted = c;
    run(partial_sort_request{c.type, c.n, k, sorted.room.data(), width, width == 0 ? nullptr : sorted.values.data()},
        c.opts);
    const places all = after_partial_sort(c.order, k);
    EXPECT_EQ(sorted.keys(), gather(c.room.data(), c.key(), all)) << c.text() << ", sorted up to " << k;
    if (width > 0) {
      sorted.values.resize(c.n * width);
      EXPECT_EQ(sorted.values, c.first_values(width, all)) << c.text() << ", " << width << ", sorted up to " << k;
    }
  }
  places long_ones(k);
  std::vector<std::uint32_t> short_ones(k);
  top_k_request positions{.type = c.type,
                          .n = c.n,
                          .k = k,
                          .keys_in = c.room.data(),
                          .carries = payload::indices,
                          .value_bytes = 8,
                          .values_out = long_ones.data()};
  run(positions, c.opts);
  EXPECT_EQ(long_ones, first) << c.text() << ", positions of the first " << k;
  positions.value_bytes = 4;
  positions.values_out = short_ones.data();
  run(positions, c.opts);
  EXPECT_TRUE(std::equal(short_ones.begin(), short_ones.end(), first.begin(), first.end())) << c.text();

  few_case split = c;
  run(nth_element_request{c.type, c.n, k - 1, split.room.data()}, c.opts);
  const ordering by{c.type, c.opts.order, c.opts.bits};
  const bytes found = split.keys();
  EXPECT_TRUE(std::equal(found.begin() + static_cast<std::ptrdiff_t>((k - 1) * c.key()),
                         found.begin() + static_cast<std::ptrdiff_t>(k * c.key()),
                         keys.end() - static_cast<std::ptrdiff_t>(c.key())))
      << c.text() << ", place " << k - 1;
  for (std::size_t i = 0; i < c.n; ++i) {
    const std::byte *const one = &found[i * c.key()], *const nth = &found[(k - 1) * c.key()];
    EXPECT_FALSE(i < k ? comes_before(by, nth, one) : comes_before(by, one, nth)) << c.text() << ", " << i;
  }
}

void check_groups(const few_case& c) {
  places first, offsets, counts, inverse(c.n);
  const ordering by{c.type, c.opts.order, c.opts.bits};
  const bytes sorted = gather(c.room.data(), c.key(), c.order);
  for (std::size_t i = 0; i < c.n; ++i) {
    if (i == 0 || comes_before(by, &sorted[(i - 1) * c.key()], &sorted[i * c.key()])) {
      first.push_back(c.order[i]);
      offsets.push_back(i);
      counts.push_back(0);
    }
    ++counts.back();
    inverse[c.order[i]] = first.size() - 1;
  }
  offsets.push_back(c.n);
  std::vector<uint128> keys_out(c.n);
  places found_first(c.n), found_counts(c.n), found_offsets(c.n + 1), found_order(c.n), found_inverse(c.n);
  const groups_request all{.type = c.type,
                           .n = c.n,
                           .keys = c.room.data(),
                           .keys_out = keys_out.data(),
                           .first = found_first.data(),
                           .counts = found_counts.data(),
                           .offsets = found_offsets.data(),
                           .order = found_order.data(),
                           .inverse = found_inverse.data()};
  ASSERT_EQ(run(all, c.opts), first.size()) << c.text();
  const std::size_t groups = first.size();
  found_first.resize(groups);
  found_counts.resize(groups);
  found_offsets.resize(groups + 1);
  EXPECT_EQ(copied(keys_out.data(), groups * c.key()), gather(c.room.data(), c.key(), first)) << c.text();
  EXPECT_EQ(found_first, first) << c.text();
  EXPECT_EQ(found_counts, counts) << c.text();
  EXPECT_EQ(found_offsets, offsets) << c.text();
  EXPECT_EQ(found_order, c.order) << c.text();
  EXPECT_EQ(found_inverse, inverse) << c.text();
  std::vector<std::uint32_t> narrow(c.n);
  EXPECT_EQ(
      run(groups_request{.type = c.type, .n = c.n, .keys = c.room.data(), .index_bytes = 4, .counts = narrow.data()},
          c.opts),
      groups);
  EXPECT_TRUE(std::equal(counts.begin(), counts.end(), narrow.begin())) << c.text();
}

void check_order(const few_case& c) {
  const ordering by{c.type, c.opts.order, c.opts.bits};
  bytes keys = gather(c.room.data(), c.key(), c.order);
  std::vector<uint128> aligned(c.n);
  const auto found = [&] {
    std::memcpy(aligned.data(), keys.data(), keys.size());
    return first_disorder(c.type, aligned.data(), c.n, c.opts);
  };
  EXPECT_EQ(found(), std::nullopt) << c.text();
  keys = c.keys();
  std::optional<std::size_t> wanted;
  for (std::size_t i = c.n; i-- > 1;)
    if (comes_before(by, &keys[i * c.key()], &keys[(i - 1) * c.key()]))
      wanted = i;
  EXPECT_EQ(found(), wanted) << c.text();
}

/// Two runs of all lengths, the first one's keys first where they are equal.
void check_merge(const few_case& c, std::size_t of_first) {
  const ordering by{c.type, c.opts.order, c.opts.bits};
  const auto* const from = reinterpret_cast<const std::byte*>(c.room.data());
  std::vector<uint128> a(of_first + 1), b(c.n - of_first + 1), out(c.n);
  const bytes first = gather(from, c.key(), stable_order(by, from, of_first));
  const std::byte* const rest = from + of_first * c.key();
  const bytes second = gather(rest, c.key(), stable_order(by, rest, c.n - of_first));
  std::copy(first.begin(), first.end(), reinterpret_cast<std::byte*>(a.data()));
  std::copy(second.begin(), second.end(), reinterpret_cast<std::byte*>(b.data()));
  bytes both = first;
  both.insert(both.end(), second.begin(), second.end());
  const std::array<sorted_run, 2> runs{{{a.data(), nullptr, of_first}, {b.data(), nullptr, c.n - of_first}}};
  run(merge_request{.type = c.type, .runs = runs, .keys_out = out.data()}, c.opts);
  EXPECT_EQ(copied(out.data(), c.n * c.key()), gather(both.data(), c.key(), stable_order(by, both.data(), c.n)))
      << c.text() << ", the first run of " << of_first;
}

template <class Check>
void for_each_case(std::initializer_list<std::size_t> numbers, const Check& check) {
  std::uint64_t seed = 0;
  for (const key_type type : all_key_types)
    for (const std::size_t n : numbers)
      for (const char* workload : {"uniform", "few:3", "equal", "specials", "outliers:65536"})
        for (const order direction : {order::ascending, order::descending})
          for (const bit_window bits : {bit_window{}, bit_window{2, 7}}) {
            if (std::strcmp(workload, "specials") == 0 && !is_float(type))
              continue;
            options opts;
            opts.order = direction;
            opts.bits = bits;
            check(few_case(type, n, workload, opts, ++seed));
            if (::testing::Test::HasFailure())
              return;
          }
}

TEST(FewCalls, SelectAsAStableSort) {
  for_each_case({1, 2, 3, 7, 12, 13, 40, 127, 128, 129}, [](const few_case& c) {
    for (const std::size_t k : {std::size_t{1}, (c.n + 1) / 2, c.n})
      check_selections(c, k);
  });
}

TEST(FewCalls, GroupAsAStableSort) {
  for_each_case({1, 2, 3, 8, 33, 128, 129}, check_groups);
}

TEST(FewCalls, SeeTheFirstDisorder) {
  for_each_case({1, 2, 3, 64, 65, 200}, check_order);
}

template <class K>
void expect_disorder_found(std::size_t n) {
  std::vector<K> keys(n, K{1});
  EXPECT_TRUE(is_sorted(keys)) << name(key_type_of<K>);
  for (const std::size_t at : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{16447},
                               std::size_t{16448}, std::size_t{16449}, n - 1}) {
    keys[at] = K{0};
    EXPECT_EQ(first_disorder(key_type_of<K>, keys.data(), n), at) << name(key_type_of<K>);
    EXPECT_EQ(is_sorted(keys, {.order = order::descending}), at == n - 1) << name(key_type_of<K>);
    keys[at] = K{1};
  }
}

TEST(FewCalls, SeeADisorderAtTheEdgesOfBlocks) {
  for (const std::size_t n : {std::size_t{40'000}, std::size_t{300'000}}) {
    expect_disorder_found<std::uint8_t>(n);
    expect_disorder_found<std::int16_t>(n);
    expect_disorder_found<float>(n);
    expect_disorder_found<double>(n);
    expect_disorder_found<uint128>(n);
  }
}

TEST(FewCalls, MergeTwoRuns) {
  for_each_case({1, 2, 5, 12, 100, 1000}, [](const few_case& c) {
    for (const std::size_t of_first : {std::size_t{0}, std::size_t{1}, c.n / 3, c.n / 2, c.n - c.n / 4, c.n})
      check_merge(c, of_first);
  });
}

TEST(FewCalls, MergeRunsThatAreOutOfOrderToSomeOrderOfTheirs) {
  std::vector<std::uint32_t> keys = make_keys<std::uint32_t>("uniform", 999, 3), out(keys.size());
  for (std::size_t first = 0; first <= keys.size(); first += 37) {
    merge(std::span(keys).first(first), std::span(keys).subspan(first), out);
    EXPECT_TRUE(std::is_permutation(out.begin(), out.end(), keys.begin())) << first;
  }
}

TEST(FewCalls, SortRows) {
  for (const std::size_t n : {0u, 1u, 2u, 5u, 12u, 13u, 128u, 129u}) {
    const auto sizes = make_keys<std::int16_t>("few:3", n, n + 1);
    auto prices = make_keys<double>("few:5", n, n + 2);
    if (n > 3)
      prices[1] = -0.0, prices[3] = 0.0;
    std::vector<std::array<char, 24>> names(n);
    std::vector<std::uint64_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::size_t i = 0; i < n; ++i)
      names[i].fill(static_cast<char>(i));
    const places order = stable_row_order({{{key_type::i16, order::descending, {}}, sizes.data()},
                                           {{key_type::f64, order::ascending, {}}, prices.data()}},
                                          n);
    auto sizes_sorted = sizes;
    auto prices_sorted = prices;
    auto names_sorted = names;
    auto numbers_sorted = numbers;
    sort_rows(std::array{by(sizes_sorted, order::descending), by(prices_sorted)},
              std::tie(numbers_sorted, sizes_sorted, prices_sorted, names_sorted));
    EXPECT_EQ(numbers_sorted, order) << n;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(sizes_sorted[i], sizes[order[i]]);
      EXPECT_EQ(std::memcmp(&prices_sorted[i], &prices[order[i]], 8), 0);
      EXPECT_EQ(names_sorted[i], names[order[i]]);
    }
    permute(order, names);
    EXPECT_EQ(names, names_sorted) << n;
  }
}

TEST(FewCalls, AreRefusedAsManyAre) {
  std::array<std::uint32_t, 4> keys = {4, 3, 2, 1}, out{};
  std::array<std::uint32_t, 4> positions = {0, 1, 2, 4};
  expect_invalid([&] { permute(positions, keys); }, {"4"});
  EXPECT_EQ(keys[0], 4u);
  expect_invalid([&] { top_k(keys, std::span(keys).first(2)); }, {"overlap"});
  expect_invalid([&] { run(partial_sort_request{key_type::u32, 4, 5, keys.data()}); }, {"k = 5 is above n = 4"});
  expect_invalid([&] { run(nth_element_request{key_type::u8, 4, 5, keys.data()}); }, {"nth = 5 is above n = 4"});
  expect_invalid([&] { static_cast<void>(first_disorder(key_type::u32, nullptr, 3)); }, {"null"});
  expect_invalid(
      [&] { run(groups_request{.type = key_type::u32, .n = 4, .keys = keys.data(), .keys_out = keys.data()}); },
      {"overlap"});
  expect_invalid([&] { top_k_by_key(keys, positions, out, std::span(positions)); }, {"overlap"});
  options beyond;
  beyond.bits = {3, 40};
  expect_invalid([&] { partial_sort(keys, 2, beyond); }, {"40"});
  EXPECT_EQ(keys, (std::array<std::uint32_t, 4>{4, 3, 2, 1}));
}

} // namespace
} // namespace sortile::testing
