// What calls on fewer than 10^5 elements allocate: nothing, whatever is called, the first time and later, on one thread
// or another. What the C++ functions return in a std::vector is the caller's, so calls are made here as requests.
#include "cpu/memory_slots.hpp"
#include "testing/workloads.hpp"
#include "tests/faults/allocation_hooks.hpp"

#include <sortile/groups.hpp>
#include <sortile/route.hpp>
#include <sortile/scan.hpp>
#include <sortile/segments.hpp>
#include <sortile/select.hpp>
#include <sortile/sortile.h>
#include <sortile/sortile.hpp>
#include <sortile/strings.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>

namespace sortile::testing {
namespace {

constexpr std::size_t most = 99'999;
/// From 512 KiB on sorts may use several, each with memory of its own.
const options few_threads{.threads = 2};
constexpr std::size_t lengths[] = {2, 9, 12, 64, 128, 129, 1000, 5000, 30'000, most};

/// Arrays for all calls, aligned to any type.
struct arrays {
  alignas(128) std::byte keys[most * 16], kept[most * 16], out[most * 16];
  alignas(128) std::byte values[most * 24], values_out[most * 24];
  std::uint64_t numbers[5][most + 1];
};
arrays a;

std::size_t all_allocations() {
  const allocation_count now = allocations_so_far();
  return now.allocations + now.of_c;
}

/// Runs a call twice on the same keys; neither may allocate.
template <class Call>
void expect_none(const std::string& what, std::size_t n, key_type type, const Call& call) {
  for (const char* const time : {"the first time", "later"}) {
    std::memcpy(a.keys, a.kept, n * key_bytes(type));
    const std::size_t before = all_allocations();
    call();
    const std::size_t made = all_allocations() - before;
    EXPECT_EQ(made, 0u) << what << " of " << n << " " << name(type) << ", " << time;
  }
}

void fill(key_type type, std::size_t n, const char* workload = "uniform") {
  workload_named(workload).fill({type, n, n}, 0, n, a.kept);
}

sort_request pairs_of(key_type type, std::size_t n, std::size_t value_bytes) {
  return {.type = type,
          .n = n,
          .keys_in = a.kept,
          .keys_out = a.out,
          .carries = payload::values,
          .value_bytes = value_bytes,
          .values_in = a.values,
          .values_out = a.values_out};
}

/// What a process makes once: the list of engines, and threads.
void begin() {
  fill(key_type::u32, most);
  run(pairs_of(key_type::u32, most, 24), few_threads);
}

/// Every length of 32-bit keys; of the other types those in which ways differ.
bool is_tried(key_type type, std::size_t n) {
  return type == key_type::u32 || (n != 12 && n != 5000 && (n < most || type == key_type::u128));
}

template <class Call>
void for_each_type_and_length(const Call& call) {
  begin();
  for (const key_type type : all_key_types)
    for (const std::size_t n : lengths)
      if (is_tried(type, n)) {
        fill(type, n);
        call(type, n);
      }
}

std::string text(payload carries, std::size_t width) {
  return carries == payload::none      ? "keys"
         : carries == payload::indices ? "positions of " + std::to_string(width) + " bytes"
                                       : "values of " + std::to_string(width) + " bytes";
}

TEST(short_calls, sort_without_allocations) {
  for_each_type_and_length([](key_type type, std::size_t n) {
    for (const auto& [carries, width] : std::initializer_list<std::pair<payload, std::size_t>>{{payload::none, 0},
                                                                                               {payload::values, 1},
                                                                                               {payload::values, 4},
                                                                                               {payload::values, 8},
                                                                                               {payload::values, 16},
                                                                                               {payload::values, 24},
                                                                                               {payload::indices, 4},
                                                                                               {payload::indices, 8}})
      for (const bool in_place : {false, true})
        for (const options& opts : {options{.threads = 2}, options{.order = order::descending, .threads = 2},
                                    options{.bits = {1, 7}, .threads = 2}}) {
          if (in_place && carries == payload::indices)
            continue;
          const sort_request r{.type = type,
                               .n = n,
                               .keys_in = a.keys,
                               .keys_out = in_place ? a.keys : a.out,
                               .carries = carries,
                               .value_bytes = width,
                               .values_in = carries == payload::values ? a.values : nullptr,
                               .values_out = carries == payload::none ? nullptr
                                             : in_place               ? a.values
                                                                      : a.values_out};
          if (workspace_bytes(r, opts) > cpu::largest_slot)
            run(r, opts); // which leaves a mapping for the next
          expect_none("a sort with " + text(carries, width), n, type, [&] { run(r, opts); });
        }
    const sort_request positions{.type = type,
                                 .n = n,
                                 .keys_in = a.keys,
                                 .carries = payload::indices,
                                 .value_bytes = 4,
                                 .values_out = a.values_out};
    expect_none("the order alone", n, type, [&] { run(positions, few_threads); });
    const sort_request two_buffers{
        .type = type, .n = n, .keys_in = a.keys, .keys_out = a.out, .input_is_scratch = true};
    expect_none("a sort in two buffers", n, type, [&] { run(two_buffers, few_threads); });
    expect_none("a check of order", n, type, [&] { static_cast<void>(first_disorder(type, a.keys, n, few_threads)); });
  });
}

TEST(short_calls, select_without_allocations) {
  for_each_type_and_length([](key_type type, std::size_t n) {
    for (const std::size_t k : {std::size_t{1}, n / 50, n / 3, n})
      for (const auto& [carries, width] : std::initializer_list<std::pair<payload, std::size_t>>{
               {payload::none, 0}, {payload::values, 8}, {payload::values, 24}, {payload::indices, 4}}) {
        if (k == 0)
          continue;
        const top_k_request top{type, n, k, a.keys, a.out, carries, width, a.values, a.values_out};
        expect_none("a top-" + std::to_string(k) + " with " + text(carries, width), n, type,
                    [&] { run(top, few_threads); });
        if (carries == payload::indices)
          continue;
        const partial_sort_request part{type, n, k, a.keys, width, a.values};
        expect_none("a partial sort to " + std::to_string(k) + " with " + text(carries, width), n, type,
                    [&] { run(part, few_threads); });
      }
    const nth_element_request nth{type, n, n / 2, a.keys};
    expect_none("nth_element", n, type, [&] { run(nth, few_threads); });
    const std::array<std::size_t, 3> ranks{0, n / 3, n - 1};
    const ranks_request at{.type = type, .n = n, .keys = a.keys, .ranks = ranks, .keys_out = a.out};
    expect_none("keys at ranks", n, type, [&] { run(at, few_threads); });
    std::array<double, 3> results{};
    const std::array<double, 3> probabilities{0.1, 0.5, 0.77};
    const quantiles_request quantiles{
        .type = type, .n = n, .keys = a.keys, .probabilities = probabilities, .results = results.data()};
    expect_none("quantiles", n, type, [&] { run(quantiles, few_threads); });
  });
}

TEST(short_calls, group_merge_and_route_without_allocations) {
  for_each_type_and_length([](key_type type, std::size_t n) {
    for (const char* const workload : {"uniform", "few:7"}) {
      fill(type, n, workload);
      const groups_request distinct{.type = type, .n = n, .keys = a.keys, .keys_out = a.out};
      groups_request counts = distinct, all = distinct;
      counts.counts = a.numbers[0];
      all.first = a.numbers[0];
      all.counts = a.numbers[1];
      all.offsets = a.numbers[2];
      all.order = a.numbers[3];
      all.inverse = a.numbers[4];
      expect_none("distinct keys", n, type, [&] { run(distinct, few_threads); });
      expect_none("distinct keys and counts", n, type, [&] { run(counts, few_threads); });
      expect_none("groups with all outputs", n, type, [&] { run(all, few_threads); });
      run(sort_request{.type = type, .n = n, .keys_in = a.kept, .keys_out = a.kept}, few_threads);
      expect_none("runs of sorted keys and counts", n, type, [&] { run(counts, few_threads); });
    }
    const std::size_t half = n / 2, width = key_bytes(type);
    for (const std::size_t value_bytes : {0, 8}) {
      const std::array<sorted_run, 2> two{{{a.keys, a.values, half}, {a.keys, a.values, n - half}}};
      expect_none("a merge of two", n, type, [&] {
        run(merge_request{type, two, a.out, value_bytes, a.values_out}, few_threads);
      });
      const std::array<sorted_run, 3> three{
          {{a.keys, a.values, half / 2}, {a.keys, a.values, half - half / 2}, {a.keys, a.values, n - half}}};
      expect_none("a merge of three", n, type, [&] {
        run(merge_request{type, three, a.out, value_bytes, a.values_out}, few_threads);
      });
    }
    for (const std::size_t length : {std::size_t{1}, n / 7, n}) {
      if (length == 0)
        continue;
      const segments where = segments::rows(n / length, length);
      const segmented_request sort{.arrays = {.type = type, .n = n, .keys_in = a.keys, .keys_out = a.out},
                                   .where = where};
      segmented_request pairs = sort;
      pairs.arrays.carries = payload::values;
      pairs.arrays.value_bytes = 8;
      pairs.arrays.values_in = a.values;
      pairs.arrays.values_out = a.values_out;
      const std::string what = "segments of " + std::to_string(length);
      expect_none(what, n, type, [&] { run(sort, few_threads); });
      expect_none(what + " with values", n, type, [&] { run(pairs, few_threads); });
      for (std::size_t i = 0; i <= n / length; ++i)
        a.numbers[0][i] = i * length;
      const std::span<const std::uint64_t> offsets(a.numbers[0], n / length + 1);
      const segmented_top_k_request top{
          .arrays = {type, n, std::min<std::size_t>(length, 3) * offsets.size(), a.keys, a.out},
          .where = segments::by_offsets(offsets)};
      if (length > 1)
        expect_none("the first of " + what, n, type, [&] { run(top, few_threads); });
    }
    if (!is_float(type) && width <= 8)
      expect_none("a routing", n, type, [&] {
        run(
            route_request{
                .type = type, .n = n, .experts = a.keys, .expert_count = 8, .index_bytes = 8, .offsets = a.numbers[0]},
            few_threads);
      });
    if (!is_float(type) && (width == 4 || width == 8))
      expect_none("a scan", n, type,
                  [&] { run(scan_request{.type = type, .n = n, .in = a.keys, .out = a.out}, few_threads); });
    expect_none("a histogram", n, type, [&] {
      run(histogram_request{.type = type, .n = n, .keys = a.keys, .counts = a.numbers[0]}, few_threads);
    });
  });
}

TEST(short_calls, order_rows_without_allocations) {
  begin();
  for (const std::size_t n : lengths) {
    fill(key_type::u32, n, "few:100");
    const std::array<column, 3> columns{
        column{key_type::u32, a.keys}, {key_type::u16, a.kept, order::descending}, {key_type::u64, a.values}};
    expect_none("the order of rows", n, key_type::u32, [&] {
      run(rows_request{n, columns, a.numbers[0], 8}, few_threads);
    });
    const std::array<row_array, 2> moved{{{a.keys, 4}, {a.values_out, 24}}};
    expect_none("a sort of rows", n, key_type::u32, [&] { run(sort_rows_request{n, columns, moved}, few_threads); });
    std::iota(a.numbers[0], a.numbers[0] + n, 0);
    std::reverse(a.numbers[0], a.numbers[0] + n);
    expect_none("a permutation", n, key_type::u32, [&] {
      run(permute_request{n, a.numbers[0], 8, a.values, 24}, few_threads);
    });
  }
}

struct grouped {
  std::uint32_t key;
  std::uint16_t group;
  std::uint64_t value;
};
struct large { // too large to be moved as it is sorted
  std::uint32_t key;
  std::array<char, 96> rest;
};

TEST(short_calls, sort_structs_without_allocations) {
  begin();
  static std::vector<grouped> kept(most), structs(most);
  static std::vector<large> large_structs(most);
  static std::vector<grouped> merged(most);
  static std::vector<std::uint64_t> positions(most), values(most);
  const std::vector<std::uint32_t> random = make_keys<std::uint32_t>("uniform", most, 1);
  for (std::size_t i = 0; i < most; ++i)
    kept[i] = {random[i], static_cast<std::uint16_t>(random[i] % 50), i};
  const auto by_key = [](const grouped& x, const grouped& y) { return x.key < y.key; };
  const auto by_key_of_large = [](const large& x, const large& y) { return x.key < y.key; };
  for (const std::size_t n : lengths) {
    const std::span some(structs.data(), n);
    const std::span some_large(large_structs.data(), n);
    const std::span order(positions.data(), n), with(values.data(), n);
    const auto expect = [&](const char* what, const auto& call) {
      expect_none(what, n, key_type::u32, [&] { call(); });
    };
    const auto refill = [&] {
      std::copy_n(kept.begin(), n, structs.begin());
      for (std::size_t i = 0; i < n; ++i)
        large_structs[i].key = kept[i].key;
    };
    refill();
    expect("a sort by a member", [&] { sort(some, by(&grouped::key), few_threads); });
    refill();
    expect("a sort by members",
           [&] { sort(some, by(&grouped::group), by(&grouped::key, order::descending), few_threads); });
    refill();
    expect("an order by a member", [&] { argsort(some, order, by(&grouped::key), few_threads); });
    expect("a sort by a comparison", [&] { sort(some, by_key); });
    std::reverse(some.begin(), some.end());
    expect("a sort of reversed structs by a comparison", [&] { sort(some, by_key); });
    refill();
    std::sort(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n / 2), by_key);
    std::sort(some.begin() + static_cast<std::ptrdiff_t>(n / 2), some.end(), by_key);
    expect("a sort of two runs by a comparison", [&] { sort(some, by_key); });
    refill();
    expect("an order by a comparison", [&] { argsort(some, order, by_key); });
    expect("pairs by a comparison", [&] { sort_by_key(some, with, by_key); });
    expect("large structs by a comparison", [&] { sort(some_large, by_key_of_large); });
    expect("a merge by a comparison",
           [&] { merge(some.first(n / 2), some.subspan(n / 2), std::span(merged.data(), n), by_key); });
  }
}

/// Strings of a kind, one after the other.
struct string_set {
  std::vector<char> bytes;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::string_view> views;

  string_set(std::string_view kind, std::size_t n) {
    const std::vector<std::uint32_t> random = make_keys<std::uint32_t>("uniform", n, 1);
    for (const std::uint32_t x : random) {
      const std::string number = std::to_string(x);
      const std::string text = kind == "numbers"   ? number
                               : kind == "paths"   ? "/usr/share/" + std::to_string(x % 9) + "/a long name/" + number
                               : kind == "repeats" ? "a sentence that comes again: " + std::to_string(x % 30)
                                                   : std::string(x % 40, 'a');
      bytes.insert(bytes.end(), text.begin(), text.end());
      offsets.push_back(bytes.size());
    }
    for (std::size_t i = 0; i < n; ++i)
      views.emplace_back(bytes.data() + offsets[i], offsets[i + 1] - offsets[i]);
  }
};

TEST(short_calls, order_strings_without_allocations) {
  begin();
  for (const char* const kind : {"numbers", "paths", "repeats", "prefixes"})
    for (const std::size_t n : lengths) {
      const string_set set(kind, n);
      std::vector<std::string_view> views = set.views;
      std::vector<std::string> strings(views.begin(), views.end());
      std::vector<std::uint64_t> offsets(n + 1);
      std::vector<char> bytes(set.bytes.size());
      const byte_strings<std::uint64_t> arrow{set.offsets, set.bytes};
      const auto expect = [&](const std::string& what, const auto& call) {
        for (const char* const time : {"the first time", "later"}) {
          std::copy(set.views.begin(), set.views.end(), views.begin());
          const std::size_t before = all_allocations();
          call();
          const std::size_t made = all_allocations() - before;
          EXPECT_EQ(made, 0u) << what << " of " << n << " " << kind << ", " << time;
        }
      };
      for (const std::size_t index_bytes : {4, 8})
        for (const bool distinct : {false, true}) {
          strings_request by_views{.n = n, .views = set.views.data()};
          strings_request by_offsets{
              .n = n, .offsets = set.offsets.data(), .bytes = set.bytes.data(), .size = set.bytes.size()};
          for (strings_request* const r : {&by_views, &by_offsets}) {
            r->distinct = distinct;
            r->indices_out = a.numbers[0];
            r->index_bytes = index_bytes;
            expect("an order of strings", [&] { run(*r, few_threads); });
          }
        }
      expect("a sort of views", [&] { sort_strings(views, few_threads); });
      expect("a sort of strings", [&] { sort_strings(strings, few_threads); });
      expect("a sort of bytes and offsets",
             [&] { sort_strings(arrow, std::span(offsets), std::span(bytes), few_threads); });
    }
}

TEST(short_calls, from_c_allocate_nothing) {
  for_each_type_and_length([](key_type type, std::size_t n) {
    const auto t = static_cast<sortile_key_type>(type);
    sortile_options two = SORTILE_OPTIONS_INIT;
    two.threads = 2;
    const auto expect = [&](const char* what, const auto& call) {
      expect_none(what, n, type, [&] { EXPECT_EQ(call(), SORTILE_OK) << sortile_error_message(); });
    };
    expect("sortile_sort", [&] { return sortile_sort(t, a.keys, a.keys, n, &two); });
    expect("sortile_sort_by_key",
           [&] { return sortile_sort_by_key(t, a.keys, a.out, 8, a.values, a.values_out, n, &two); });
    expect("sortile_argsort", [&] { return sortile_argsort(t, a.keys, n, 8, a.numbers[0], &two); });
    if (key_bytes(type) <= 8) {
      const sortile_column columns[] = {{t, a.keys, SORTILE_ASCENDING}, {t, a.keys, SORTILE_DESCENDING}};
      expect("sortile_argsort_rows", [&] { return sortile_argsort_rows(columns, 2, n, 8, a.numbers[0], &two); });
    }
    const sortile_run runs[] = {{a.keys, nullptr, n / 2}, {a.keys, nullptr, n - n / 2}};
    expect("sortile_merge", [&] { return sortile_merge(t, runs, 2, a.out, 0, nullptr, &two); });
    expect("sortile_nth_element", [&] { return sortile_nth_element(t, a.keys, n, n / 2, &two); });
  });
}

/// A thread finds nothing to be made when it calls for the first time.
TEST(short_calls, of_a_new_thread_allocate_nothing) {
  begin();
  for (const std::size_t n : {100u, 1000u, 30'000u}) {
    fill(key_type::u64, n);
    std::thread([n] {
      const sort_request pairs = pairs_of(key_type::u64, n, 8);
      const std::size_t before = all_allocations();
      run(pairs, few_threads);
      EXPECT_EQ(all_allocations(), before) << n;
    }).join();
  }
}

} // namespace
} // namespace sortile::testing
