// Short sorts, which skip plan and workspace: every type, payload, order, window and form against the oracle; and what
// they must leave to the front door, untouched.
#include "cpu/counted_values.hpp"
#include "cpu/few_words.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/short_counts.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/vector_sort.hpp"
#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <tuple>

namespace sortile {
namespace {

using testing::guarded_buffer;

bool has_vectors() {
  return cpu::best_vector_kernels<std::uint64_t>() != nullptr;
}

std::size_t rounds(std::size_t usual) {
  const char* factor = std::getenv("SORTILE_TEST_ROUNDS");
  return factor != nullptr ? usual * static_cast<std::size_t>(std::atol(factor)) : usual;
}

// One short request with its arrays.
struct short_case {
  sort_request request;
  options opts;
  guarded_buffer keys, keys_out, values, values_out;
  std::vector<std::byte> keys_before, values_before;

  short_case(key_type type, std::size_t n, payload carries, std::size_t value_bytes, bool in_place, bool keys_wanted,
             const std::string& workload, std::uint64_t seed)
      : keys(n * key_bytes(type), key_bytes(type) % 64, seed),
        keys_out(in_place || !keys_wanted ? 0 : n * key_bytes(type), key_bytes(type) % 64, seed + 1),
        values(carries == payload::values ? n * value_bytes : 0, seed % 3, seed + 2),
        values_out(carries == payload::none || (carries == payload::values && in_place) ? 0 : n * value_bytes,
                   carries == payload::indices ? value_bytes : 1, seed + 3) {
    testing::workload_named(workload).fill({type, n, seed}, 0, n, keys.data());
    for (std::size_t i = 0; i < values.size(); ++i)
      values.data()[i] = static_cast<std::byte>(i * 31 + i / 256);
    keys_before.assign(keys.data(), keys.data() + keys.size());
    values_before.assign(values.data(), values.data() + values.size());
    request = {.type = type, .n = n, .keys_in = keys.data(), .carries = carries};
    request.keys_out = !keys_wanted ? nullptr : in_place ? keys.data() : keys_out.data();
    request.value_bytes = carries == payload::none ? 0 : value_bytes;
    request.values_in = carries == payload::values ? values.data() : nullptr;
    if (carries != payload::none)
      request.values_out = values_out.size() > 0 ? values_out.data() : values.data();
  }

  void check_result() {
    const std::vector<std::uint64_t> expected =
        testing::stable_order({request.type, opts.order, opts.bits}, keys_before.data(), request.n);
    for (guarded_buffer* b : {&keys, &keys_out, &values, &values_out})
      ASSERT_EQ(b->damage(), "");
    if (request.keys_out != nullptr) {
      const auto wanted = testing::gather(keys_before.data(), key_bytes(request.type), expected);
      ASSERT_EQ(std::memcmp(request.keys_out, wanted.data(), wanted.size()), 0) << "keys";
    }
    if (request.carries == payload::values) {
      const auto wanted = testing::gather(values_before.data(), request.value_bytes, expected);
      ASSERT_EQ(std::memcmp(request.values_out, wanted.data(), wanted.size()), 0) << "values";
    }
    if (request.carries == payload::indices)
      for (std::size_t i = 0; i < request.n; ++i) {
        std::uint64_t index = 0;
        std::memcpy(&index, values_out.data() + i * request.value_bytes, request.value_bytes);
        ASSERT_EQ(index, expected[i]) << "index " << i;
      }
  }

  bool untouched() const {
    return std::memcmp(keys.data(), keys_before.data(), keys_before.size()) == 0 &&
           (values_before.empty() || std::memcmp(values.data(), values_before.data(), values_before.size()) == 0);
  }
};

// Runs a case through the front door; false where something was wrong.
bool is_right(short_case& c, const char* workload, std::size_t round) {
  const sort_request& r = c.request;
  SCOPED_TRACE(std::string(name(r.type)) + " n=" + std::to_string(r.n) + " " + workload +
               " payload=" + std::to_string(static_cast<int>(r.carries)) +
               " value_bytes=" + std::to_string(r.value_bytes) + " round=" + std::to_string(round));
  run(c.request, c.opts);
  c.check_result();
  return !::testing::Test::HasFatalFailure();
}

// A million with SORTILE_TEST_ROUNDS=50. Through the front door, so that what is not done at once is checked too.
TEST(short_sorts, random_requests_against_the_oracle) {
  std::mt19937_64 random(5);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const char* workloads[] = {"uniform", "few:3", "equal", "sorted", "reversed", "nearly-sorted", "and:5", "specials"};
  const cpu::radix_tuning before = cpu::tuning();
  for (std::size_t round = 0; round < rounds(20'000); ++round) {
    cpu::tuning().widest = cpu::all_instruction_sets[round % std::size(cpu::all_instruction_sets)];
    const key_type type = all_key_types[below(std::size(all_key_types))];
    const auto carries = static_cast<payload>(below(3));
    const std::size_t sizes[] = {1, 2, 3, 4, 5, 8, 8, 12, 16, 24};
    const std::size_t value_bytes =
        carries == payload::indices ? (below(2) == 0 ? 4 : 8) : sizes[below(std::size(sizes))];
    const bool keys_wanted = carries != payload::indices || below(2) == 0;
    const bool in_place = keys_wanted && below(2) == 0;
    const char* workload = workloads[below(std::size(workloads))];
    if (testing::workload_named(workload).info().floats_only && !is_float(type))
      workload = "uniform";
    short_case c(type, 1 + below(below(4) == 0 ? 600 : 140), carries, value_bytes, in_place, keys_wanted, workload,
                 random());
    c.opts.order = below(2) == 0 ? order::ascending : order::descending;
    if (below(3) == 0) {
      const unsigned a = static_cast<unsigned>(below(key_bits(type) + 1)),
                     b = static_cast<unsigned>(below(key_bits(type) + 1));
      c.opts.bits = {std::min(a, b), std::max(a, b)};
    }
    if (!is_right(c, workload, round))
      break;
  }
  cpu::tuning() = before;
}

TEST(short_sorts, are_done_at_once) {
  if (!has_vectors())
    GTEST_SKIP() << "this processor has no vectors that the sorts are written for";
  for (const key_type type : all_key_types)
    for (const payload carries : {payload::none, payload::values, payload::indices})
      for (const std::size_t n : {2u, 3u, 16u, 100u, 128u}) {
        short_case c(type, n, carries, 4, true, true, "uniform", n);
        EXPECT_TRUE(cpu::sort_small(c.request, c.opts, true)) << name(type) << " n=" << n;
        c.check_result();
      }
}

// Lets a case have other keys than those of its workload.
template <class K, class Change>
void change_keys(short_case& c, const Change& change) {
  change(reinterpret_cast<K*>(c.keys.data()));
  c.keys_before.assign(c.keys.data(), c.keys.data() + c.keys.size());
}

// Pairs with a few heavy keys: every form, order and width, rests of any size, keys that the first ones do not tell of,
// and zeros of both signs, which give such a sort up.
TEST(short_sorts, pack_the_values_of_heavy_keys) {
  std::mt19937_64 random(11);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const cpu::radix_tuning before = cpu::tuning();
  enum class late { nothing, strangers, minus_zero };
  for (std::size_t round = 0; round < rounds(3000); ++round) {
    cpu::tuning().widest = cpu::all_instruction_sets[round % std::size(cpu::all_instruction_sets)];
    const key_type types[] = {key_type::u32, key_type::i32, key_type::f32, key_type::u64, key_type::i64, key_type::f64};
    const key_type type = types[below(std::size(types))];
    const char* workloads[] = {"two-values", "few:3",         "few:8",   "few:12",   "zeros:0.5", "mostly-equal:0.95",
                               "specials",   "equal-but-one", "range:6", "range:20", "zipf:2"};
    const char* workload = workloads[below(std::size(workloads))];
    if (testing::workload_named(workload).info().floats_only && !is_float(type))
      workload = "two-values";
    const payload carries = below(3) == 0 ? payload::indices : payload::values;
    const std::size_t sizes[] = {4, 8, 4, 8, 16, 5}, lengths[] = {200, 200, 700, 2500, 20'000};
    const std::size_t value_bytes = carries == payload::indices ? 4 + 4 * below(2) : sizes[below(std::size(sizes))];
    const bool keys_wanted = carries == payload::values || below(2) == 0, in_place = keys_wanted && below(2) == 0;
    const std::size_t n = 30 + below(lengths[below(std::size(lengths))]);
    short_case c(type, n, carries, value_bytes, in_place, keys_wanted, workload, random());
    c.opts.order = below(2) == 0 ? order::ascending : order::descending;
    c.opts.threads = 1;
    const late what = static_cast<late>(below(3));
    const auto change = [&]<class K>(K* keys) {
      if (what == late::minus_zero)
        std::replace(keys, keys + n, keys[0], K{0});
      for (std::size_t some = what == late::strangers ? below(n) : 1 + below(3); some > 0; --some)
        keys[n - 1 - below(n - 20)] =
            what == late::strangers ? static_cast<K>(random()) : static_cast<K>(K{1} << (8 * sizeof(K) - 1));
    };
    if (what != late::nothing && key_bytes(type) == 4)
      change_keys<std::uint32_t>(c, change);
    else if (what != late::nothing)
      change_keys<std::uint64_t>(c, change);
    if (!is_right(c, workload, round))
      break;
  }
  cpu::tuning() = before;
}

TEST(short_sorts, of_heavy_keys_are_done_at_once) {
  if (!has_vectors())
    GTEST_SKIP() << "this processor has no vectors that the sorts are written for";
  for (const key_type type : {key_type::u32, key_type::f32, key_type::i64, key_type::f64})
    for (const auto& [workload, n, at_once] : {std::tuple{"two-values", 300, true},
                                               {"two-values", 40'000, true},
                                               {"few:4", 2000, true},
                                               {"mostly-equal:0.95", 700, true},
                                               {"mostly-equal:0.95", 9000, false}, // too many are left for words
                                               {"few:40", 700, false},
                                               {"uniform", 1000, false}}) {
      SCOPED_TRACE(std::string(name(type)) + " " + workload + " n=" + std::to_string(n));
      short_case c(type, static_cast<std::size_t>(n), payload::values, 8, true, true, workload, 5);
      ASSERT_EQ(cpu::sort_small(c.request, c.opts, true), at_once);
      if (at_once)
        c.check_result();
      else
        EXPECT_TRUE(c.untouched());
    }
}

// As many keys of 4 bytes as there are registers of AVX2.
TEST(short_sorts, pack_the_values_of_sixteen_keys) {
  const cpu::radix_tuning before = cpu::tuning();
  for (const cpu::instruction_set set : {cpu::instruction_set::avx2, cpu::instruction_set::avx512})
    for (const key_type type : {key_type::u32, key_type::i32, key_type::f32})
      for (const std::size_t value_bytes : {4u, 8u})
        for (const std::size_t n : {3000u, 20'000u})
          if (cpu::has(set)) {
            cpu::tuning().widest = set;
            short_case c(type, n, payload::values, value_bytes, true, true, "few:16", 5);
            EXPECT_TRUE(cpu::sort_small(c.request, c.opts, true)) << cpu::name(set) << " " << name(type) << " " << n;
            c.check_result();
          }
  cpu::tuning() = before;
}

std::vector<std::byte> sorted_keys(const short_case& c) {
  const sort_request& r = c.request;
  return testing::gather(c.keys_before.data(), key_bytes(r.type),
                         testing::stable_order({r.type, c.opts.order, {}}, c.keys_before.data(), r.n));
}

// Keys in order but for some: exchanged ones, ones at the other end, neighbours, among equal ones too. What takes too
// many steps is sorted by other ways, from what has been done.
TEST(short_sorts, repair_what_is_nearly_in_order) {
  std::mt19937_64 random(13);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const cpu::radix_tuning before = cpu::tuning();
  for (std::size_t round = 0; round < rounds(6000); ++round) {
    cpu::tuning().widest = cpu::all_instruction_sets[round % std::size(cpu::all_instruction_sets)];
    const key_type type = all_key_types[below(std::size(all_key_types))];
    const auto carries = static_cast<payload>(below(3));
    const std::size_t sizes[] = {1, 2, 4, 8, 16, 24};
    const std::size_t value_bytes = carries == payload::indices ? 4 + 4 * below(2) : sizes[below(std::size(sizes))];
    const bool keys_wanted = carries != payload::indices || below(2) == 0, in_place = keys_wanted && below(2) == 0;
    const std::size_t lengths[] = {60, 200, 1500, 4096}, n = 9 + below(lengths[below(std::size(lengths))]);
    const char* const workload = below(3) == 0 ? "few:20" : "uniform";
    short_case c(type, n, carries, value_bytes, in_place, keys_wanted, workload, random());
    c.opts.order = below(2) == 0 ? order::ascending : order::descending;
    const std::size_t key = key_bytes(type);
    std::vector<std::byte> keys = sorted_keys(c);
    for (std::size_t moves = below(5); moves > 0; --moves) {
      const std::size_t a = below(n), b = below(3) == 0 ? std::min(a + 1, n - 1) : below(n);
      if (below(2) == 0)
        std::swap_ranges(keys.begin() + a * key, keys.begin() + (a + 1) * key, keys.begin() + b * key);
      else // one moves there, and those between close up
        std::rotate(keys.begin() + std::min(a, b) * key, keys.begin() + (std::min(a, b) + 1) * key,
                    keys.begin() + (std::max(a, b) + 1) * key);
    }
    std::memcpy(c.keys.data(), keys.data(), keys.size());
    c.keys_before = keys;
    if (!is_right(c, workload, round))
      break;
  }
  cpu::tuning() = before;
}

// Of more pairs than words sort: nothing but a repair does these at once.
TEST(short_sorts, with_an_exchange_are_done_at_once) {
  for (const key_type type : all_key_types)
    for (const payload carries : {payload::values, payload::indices})
      for (const bool keys_wanted : {false, true}) {
        constexpr std::size_t n = 129; // distinct keys of every type
        short_case c(type, n, carries, 8, keys_wanted && carries == payload::values,
                     keys_wanted || carries == payload::values, "count-up", 3);
        const std::size_t key = key_bytes(type);
        c.keys_before = sorted_keys(c);
        std::swap_ranges(&c.keys_before[30 * key], &c.keys_before[31 * key], &c.keys_before[100 * key]);
        std::copy(c.keys_before.begin(), c.keys_before.end(), c.keys.data());
        EXPECT_TRUE(cpu::sort_small(c.request, c.opts, true)) << name(type);
        c.check_result();
      }
}

// Longer ones only where the keys are in order, or against it, and those of narrow keys.
TEST(short_sorts, of_pairs_in_order_are_done_at_once) {
  for (const key_type type : all_key_types)
    for (const payload carries : {payload::values, payload::indices})
      for (const char* workload : {"sorted", "equal", "reversed", "uniform"})
        for (const std::size_t value_bytes : {1u, 4u, 8u, 24u}) {
          const bool narrow = key_bytes(type) <= 2, reversed = std::strcmp(workload, "reversed") == 0;
          if ((carries == payload::indices && value_bytes != 4 && value_bytes != 8) ||
              (reversed && key_bytes(type) < 8)) // of which some are equal
            continue;
          short_case c(type, 1000, carries, value_bytes, value_bytes != 4, true, workload, value_bytes);
          SCOPED_TRACE(std::string(name(type)) + " " + workload + " " + std::to_string(value_bytes));
          const bool in_order = std::strcmp(workload, "uniform") != 0 && !(reversed && value_bytes == 24);
          const bool by_words = narrow && carries == payload::values && value_bytes <= 8 && has_vectors();
          ASSERT_EQ(cpu::sort_small(c.request, c.opts, true), in_order || by_words);
          if (in_order || by_words)
            c.check_result();
          else
            ASSERT_TRUE(c.untouched());
        }
}

TEST(short_sorts, of_narrow_keys) {
  for (const key_type type : all_key_types) {
    if (key_bytes(type) > 2)
      continue;
    for (const order direction : {order::ascending, order::descending})
      for (const std::size_t n : {129u, 1000u, 4096u, 4097u, 16384u, 16385u, 32768u, 32769u})
        for (const std::size_t index_bytes : {0u, 4u, 8u}) {
          SCOPED_TRACE(std::string(name(type)) + " n=" + std::to_string(n) + " " + std::to_string(index_bytes));
          const payload carries = index_bytes == 0 ? payload::none : payload::indices;
          short_case c(type, n, carries, index_bytes, n % 2 == 0, index_bytes == 0,
                       is_float(type) ? "specials" : "uniform", n);
          c.opts.order = direction;
          const bool bytes = key_bytes(type) == 1;
          const std::size_t most = index_bytes > 0 ? (bytes ? 32768 : 16384) : bytes ? 128 : 4096;
          const bool at_once = n <= most && (bytes || has_vectors());
          ASSERT_EQ(cpu::sort_small(c.request, c.opts, true), at_once);
          if (at_once)
            c.check_result();
          ASSERT_FALSE(::testing::Test::HasFatalFailure());
        }
  }
}

// Runs behind each other, with the order of the whole.
struct short_merge {
  guarded_buffer keys, out;
  std::vector<sorted_run> runs;
  merge_request request;
  options opts;

  short_merge(key_type type, const std::vector<std::size_t>& lengths, order direction, std::uint64_t seed)
      : keys(sum(lengths) * key_bytes(type), key_bytes(type) % 64, seed),
        out(keys.size(), key_bytes(type) % 64, seed + 1) {
    opts.order = direction;
    std::byte* at = keys.data();
    for (const std::size_t n : lengths) {
      testing::workload_named(is_float(type) ? "specials" : "few:50").fill({type, n, ++seed}, 0, n, at);
      const auto expected = testing::stable_order({type, direction, {}}, at, n);
      const auto sorted = testing::gather(at, key_bytes(type), expected);
      std::memcpy(at, sorted.data(), sorted.size());
      runs.push_back({at, nullptr, n});
      at += n * key_bytes(type);
    }
    request = {.type = type, .runs = runs, .keys_out = out.data()};
  }

  static std::size_t sum(const std::vector<std::size_t>& lengths) {
    std::size_t n = 0;
    for (const std::size_t length : lengths)
      n += length;
    return n;
  }

  void check_result() {
    const std::size_t key = key_bytes(request.type);
    const auto expected = testing::stable_order({request.type, opts.order, {}}, keys.data(), keys.size() / key);
    const auto wanted = testing::gather(keys.data(), key, expected);
    ASSERT_EQ(keys.damage() + out.damage(), "");
    ASSERT_EQ(std::memcmp(out.data(), wanted.data(), wanted.size()), 0);
  }
};

TEST(short_merges, random_requests_against_the_oracle) {
  std::mt19937_64 random(6);
  for (std::size_t round = 0; round < rounds(2000); ++round) {
    const key_type type = all_key_types[random() % std::size(all_key_types)];
    std::vector<std::size_t> lengths(1 + random() % 4);
    const std::size_t most = random() % 4 == 0 ? 1000 : 40;
    for (std::size_t& length : lengths)
      length = random() % most;
    SCOPED_TRACE(std::string(name(type)) + " round=" + std::to_string(round));
    short_merge m(type, lengths, random() % 2 == 0 ? order::ascending : order::descending, random());
    run(m.request, m.opts);
    m.check_result();
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
}

TEST(short_merges, leave_the_output_as_it_is_where_the_front_door_refuses) {
  short_merge m(key_type::u32, {20, 30}, order::ascending, 3);
  m.opts.bits = {8, 33};
  const std::vector<std::byte> before(m.out.data(), m.out.data() + m.out.size());
  EXPECT_THROW(run(m.request, m.opts), invalid_argument);
  EXPECT_EQ(std::memcmp(m.out.data(), before.data(), before.size()), 0);
}

TEST(short_merges, leave_to_the_front_door_what_is_not_plain) {
  const auto done = [](auto change) {
    short_merge m(key_type::u32, {20, 30}, order::ascending, 3);
    change(m);
    return cpu::merge_small(m.request, m.opts, true);
  };
  using sm = short_merge;
  EXPECT_EQ(done([](sm&) {}), has_vectors());
  EXPECT_FALSE(done([](sm& m) { m.runs[1].keys = nullptr; }));
  EXPECT_FALSE(done([](sm& m) { m.runs[1].keys = m.keys.data() + 1; }));
  EXPECT_FALSE(done([](sm& m) { m.runs[1].n = 65535; }));
  EXPECT_FALSE(done([](sm& m) { m.request.keys_out = nullptr; }));
  EXPECT_FALSE(done([](sm& m) { m.request.keys_out = m.keys.data() + 4; }));
  EXPECT_FALSE(done([](sm& m) { m.request.keys_out = m.out.data() + 1; }));
  EXPECT_FALSE(done([](sm& m) { m.request.value_bytes = 4; }));
  EXPECT_FALSE(done([](sm& m) { m.request.type = static_cast<key_type>(99); }));
  EXPECT_FALSE(done([](sm& m) { m.opts.workspace_limit = 9; }));
  EXPECT_FALSE(done([](sm& m) { m.opts.order = static_cast<order>(7); }));
  EXPECT_FALSE(done([](sm& m) { m.opts.memory = memory::device; }));
  EXPECT_FALSE(done([](sm& m) { m.opts.progress = [](double) { return true; }; }));
}

TEST(short_orders_of_rows, random_requests_against_the_oracle) {
  std::mt19937_64 random(7);
  for (std::size_t round = 0; round < rounds(2000); ++round) {
    const std::size_t n = 1 + random() % 140, index_bytes = random() % 2 == 0 ? 4 : 8;
    std::vector<guarded_buffer> data;
    std::vector<column> columns;
    std::vector<testing::oracle_column> oracle;
    for (std::size_t left = 1 + random() % 10; left > 0; --left) {
      const key_type type = all_key_types[random() % std::size(all_key_types)];
      const order direction = random() % 2 == 0 ? order::ascending : order::descending;
      data.emplace_back(n * key_bytes(type), key_bytes(type) % 64);
      testing::workload_named(is_float(type) ? "specials" : "few:4")
          .fill({type, n, random()}, 0, n, data.back().data());
      columns.push_back({type, data.back().data(), direction});
      oracle.push_back({{type, direction, {}}, data.back().data()});
    }
    guarded_buffer indices(n * index_bytes, index_bytes);
    run(rows_request{n, columns, indices.data(), index_bytes});
    const auto wanted = testing::stable_row_order(oracle, n);
    ASSERT_EQ(indices.damage(), "");
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t index = 0;
      std::memcpy(&index, indices.data() + i * index_bytes, index_bytes);
      ASSERT_EQ(index, wanted[i]) << "row " << i << " of " << n << ", round " << round;
    }
  }
}

TEST(short_orders_of_rows, leave_to_the_front_door_what_is_not_plain) {
  std::vector<std::uint32_t> keys(60, 1);
  std::vector<std::uint64_t> indices(50);
  const auto done = [&](auto change) {
    std::vector<column> columns(2, {key_type::u32, keys.data()});
    rows_request r{50, columns, indices.data(), 8};
    options opts;
    change(r, columns, opts);
    return cpu::argsort_rows_small(r, opts, true);
  };
  using request = rows_request;
  using list = std::vector<column>;
  EXPECT_EQ(done([](request&, list&, options&) {}), has_vectors());
  EXPECT_FALSE(done([](request&, list& c, options&) { c[0].data = nullptr; }));
  EXPECT_FALSE(done([&](request&, list& c, options&) { c[0].data = reinterpret_cast<std::byte*>(keys.data()) + 1; }));
  EXPECT_FALSE(done([](request&, list& c, options&) { c[1].type = key_type::u128; }));
  EXPECT_FALSE(done([](request&, list& c, options&) { c[1].n = 49; }));
  EXPECT_FALSE(done([](request&, list& c, options&) { c[1].order = static_cast<order>(7); }));
  EXPECT_FALSE(done([&](request&, list& c, options&) { c[1].data = indices.data(); }));
  EXPECT_FALSE(done([](request& r, list&, options&) { r.index_bytes = 2; }));
  EXPECT_FALSE(done([](request& r, list&, options&) { r.indices_out = nullptr; }));
  EXPECT_FALSE(done([](request& r, list&, options&) { r.columns = {}; }));
  EXPECT_FALSE(done([](request&, list&, options& o) { o.workspace_limit = 9; }));
  EXPECT_FALSE(done([](request&, list&, options& o) { o.order = order::descending; }));
  EXPECT_FALSE(done([](request&, list&, options& o) { o.bits = {0, 8}; }));
  EXPECT_FALSE(done([](request&, list&, options& o) { o.memory = memory::device; }));
  EXPECT_FALSE(done([](request&, list&, options& o) { o.progress = [](double) { return true; }; }));
}

// Keys of 64 bits that differ in all of them, and are equal in the 57 that a word holds.
TEST(short_sorts, repair_what_words_do_not_tell_apart) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n = 2 + random() % 127;
    short_case c(key_type::u64, n, payload::indices, 8, true, true, "uniform", random());
    auto keys = c.keys.as<std::uint64_t>();
    for (std::uint64_t& key : keys)
      key = (random() % 3 << 62) + random() % (round % 2 == 0 ? 200 : 3000);
    c.keys_before.assign(c.keys.data(), c.keys.data() + c.keys.size());
    run(c.request, c.opts);
    c.check_result();
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
}

TEST(short_sorts, leave_to_the_front_door_keys_of_which_words_tell_few_apart) {
  const uint128 outlier = ~uint128{0};
  for (const bool in_place : {false, true}) {
    short_case c(key_type::u128, 128, payload::values, 4, in_place, true, "uniform", 3);
    auto keys = c.keys.as<uint128>();
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = i == 0 ? outlier : (keys.size() - i) ^ 1; // not quite against the order
    c.keys_before.assign(c.keys.data(), c.keys.data() + c.keys.size());
    EXPECT_FALSE(cpu::sort_small(c.request, c.opts, true));
    EXPECT_TRUE(c.untouched());
    run(c.request, c.opts);
    c.check_result();
  }
}

// Two to eight integers with what they carry, in place and apart: they are compared one by one.
TEST(short_sorts, of_few_integers_with_values) {
  std::uint64_t seed = 0;
  for (const key_type type : {key_type::u32, key_type::i32, key_type::u64, key_type::i64})
    for (std::size_t n = 2; n <= 8; ++n)
      for (const char* workload : {"uniform", "two-values", "few:3", "sorted", "reversed", "equal"})
        for (const std::size_t value_bytes : {4u, 8u})
          for (const auto& [carries, in_place] :
               {std::pair{payload::values, true}, {payload::values, false}, {payload::indices, false}})
            for (const order direction : {order::ascending, order::descending}) {
              SCOPED_TRACE(std::string(name(type)) + " " + workload + " " + std::to_string(n));
              short_case c(type, n, carries, value_bytes, in_place, carries == payload::values, workload, ++seed);
              c.opts.order = direction;
              ASSERT_TRUE(cpu::sort_few_integers(c.request, {direction, {}}));
              c.check_result();
              if (::testing::Test::HasFatalFailure())
                return;
            }
  short_case c(key_type::u32, 8, payload::values, 4, true, true, "uniform", 1);
  EXPECT_FALSE(cpu::sort_few_integers(c.request, {order::ascending, {0, 8}})) << "some bits";
  for (const auto& [type, n, value_bytes] : {std::tuple{key_type::f32, 8u, 4u},
                                             {key_type::u16, 8u, 4u},
                                             {key_type::u32, 9u, 4u},
                                             {key_type::u32, 8u, 16u}}) {
    short_case other(type, n, payload::values, value_bytes, true, true, "uniform", 1);
    EXPECT_FALSE(cpu::sort_few_integers(other.request, {})) << name(type) << ", " << n << ", " << value_bytes;
    EXPECT_TRUE(other.untouched());
  }
}

// Keys of few values: they are counted, whatever the sample has not met, and written back where they belong.
TEST(short_sorts, count_keys_of_few_values) {
  if (!has_vectors())
    GTEST_SKIP() << "this processor has no vectors that the sorts are written for";
  const char* workloads[] = {"two-values", "few:5", "few:12", "few:25", "few:50", "equal-but-one"};
  std::uint64_t seed = 0;
  const auto check = [&](key_type type, std::size_t n, const char* workload, order direction, auto key) {
    using K = decltype(key);
    for (const bool in_place : {false, true}) {
      SCOPED_TRACE(std::string(name(type)) + " " + workload + " " + std::to_string(n));
      short_case c(type, n, payload::none, 0, in_place, true, workload, ++seed);
      c.opts.order = direction;
      auto* const keys = reinterpret_cast<K*>(c.keys.data());
      const K in_front = keys[0];
      if (seed % 3 == 0 && std::strcmp(workload, "equal-but-one") != 0) // the sample has met none of these
        for (std::size_t i = 0; i < n; i += 97)
          if (keys[i] == in_front)
            keys[i] = static_cast<K>(is_float(type) ? in_front + 1 + i : i * 0x9e3779b97f4a7c15);
      c.keys_before.assign(c.keys.data(), c.keys.data() + c.keys.size());
      const cpu::key_image<K> image(type, direction, {});
      ASSERT_TRUE(cpu::sort_by_counts(keys, n, image, static_cast<K*>(c.request.keys_out),
                                      cpu::counted_values<K>::most_alone(n)));
      c.check_result();
      short_case whole(type, n, payload::none, 0, in_place, true, workload, seed);
      whole.opts.order = direction;
      ASSERT_TRUE(cpu::sort_small(whole.request, whole.opts, true));
      whole.check_result();
      if (::testing::Test::HasFatalFailure())
        return;
    }
  };
  for (const std::size_t n : {4096u, 4099u, 5000u, 9001u, 20'001u})
    for (const char* workload : workloads)
      for (const order direction : {order::ascending, order::descending}) {
        if (n < cpu::least_of_one && std::strcmp(workload, "equal-but-one") == 0)
          continue;
        if (n < 5000 && std::strcmp(workload, "few:50") == 0)
          continue; // too many for so few
        check(key_type::u32, n, workload, direction, std::uint32_t{});
        check(key_type::i32, n, workload, direction, std::uint32_t{});
        check(key_type::f32, n, workload, direction, std::uint32_t{});
        check(key_type::u64, n, workload, direction, std::uint64_t{});
        check(key_type::i64, n, workload, direction, std::uint64_t{});
        check(key_type::f64, n, workload, direction, std::uint64_t{});
      }
  for (const char* workload : {"uniform", "few:600", "zeros:0.5", "mostly-equal:0.6"}) {
    short_case c(key_type::u64, 5000, payload::none, 0, true, true, workload, 3);
    auto* const keys = reinterpret_cast<std::uint64_t*>(c.keys.data());
    EXPECT_FALSE(cpu::sort_by_counts(keys, 5000, cpu::key_image<std::uint64_t>(key_type::u64, {}, {}), keys,
                                     cpu::counted_values<std::uint64_t>::most_alone(5000)));
    EXPECT_TRUE(c.untouched());
  }
}

// Floats of few values among which a −0 or a NaN is: what has been read by then is put back, so that zeros of both
// signs and NaNs keep their order.
TEST(short_sorts, of_few_floats_give_up_at_a_negative_zero) {
  if (!has_vectors())
    GTEST_SKIP() << "this processor has no vectors that the sorts are written for";
  const auto check = [](key_type type, const char* workload, auto key) {
    using K = decltype(key);
    constexpr std::size_t n = 9000;
    constexpr K sign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
    for (const K special : {sign, static_cast<K>(~K{0})})
      for (const std::size_t at : {std::size_t{1}, std::size_t{3000}, n - 1})
        for (const bool in_place : {false, true})
          for (const order direction : {order::ascending, order::descending}) {
            SCOPED_TRACE(std::string(name(type)) + " " + workload + " at " + std::to_string(at));
            short_case c(type, n, payload::none, 0, in_place, true, workload, at);
            c.opts.order = direction;
            auto* const keys = reinterpret_cast<K*>(c.keys.data());
            const K in_front = keys[0]; // zeros from now on
            std::replace(keys, keys + n, in_front, K{0});
            keys[at] = special;
            c.keys_before.assign(c.keys.data(), c.keys.data() + c.keys.size());
            ASSERT_FALSE(cpu::sort_by_counts(keys, n, cpu::key_image<K>(type, direction, {}),
                                             static_cast<K*>(c.request.keys_out),
                                             cpu::counted_values<K>::most_alone(n)));
            run(c.request, c.opts);
            c.check_result();
            if (::testing::Test::HasFatalFailure())
              return;
          }
  };
  for (const char* workload : {"few:5", "few:12", "few:90"}) {
    check(key_type::f32, workload, std::uint32_t{});
    check(key_type::f64, workload, std::uint64_t{});
  }
}

// All the same but for a few others, anywhere: one read puts them in order, unless a −0 or a NaN is among them, or
// there are too many.
TEST(short_sorts, put_few_others_beside_one_value) {
  if (!has_vectors())
    GTEST_SKIP() << "this processor has no vectors that the sorts are written for";
  std::mt19937_64 random(3);
  const auto check = [&](key_type type, auto key) {
    using K = decltype(key);
    for (const std::size_t n : {std::size_t{80}, std::size_t{200}, std::size_t{1500}, std::size_t{10'000}})
      for (const std::size_t others : {1u, 2u, 5u, 31u, 32u, 33u, 60u})
        for (const bool in_place : {false, true})
          for (const bool special : {false, true}) {
            SCOPED_TRACE(std::string(name(type)) + " n=" + std::to_string(n) + " " + std::to_string(others));
            short_case c(type, n, payload::none, 0, in_place, true, "equal", n + others);
            c.opts.order = random() % 2 == 0 ? order::ascending : order::descending;
            auto* const keys = reinterpret_cast<K*>(c.keys.data());
            const K one = keys[0];
            const bool at_the_end = n == 80; // one after the other
            for (std::size_t j = 0; j < std::min<std::size_t>(others, n - 64); ++j)
              keys[at_the_end ? n - 1 - j : 64 + random() % (n - 64)] = static_cast<K>(one + 5 - random() % 11);
            if (special && is_float(type))
              keys[n - 1] = random() % 2 == 0 ? static_cast<K>(~K{0}) : static_cast<K>(K{1} << (8 * sizeof(K) - 1));
            c.keys_before.assign(c.keys.data(), c.keys.data() + c.keys.size());
            const auto unlike = static_cast<std::size_t>(std::count_if(keys, keys + n, [&](K k) { return k != one; }));
            const cpu::key_image<K> image(type, c.opts.order, {});
            if (cpu::best_vector_kernels<K>()->in_order(keys, n, image, static_cast<K*>(c.request.keys_out)))
              c.check_result();
            else
              ASSERT_TRUE(unlike > 32 || (special && is_float(type)));
            if (c.untouched()) {
              run(c.request, c.opts);
              c.check_result();
            }
            if (::testing::Test::HasFatalFailure())
              return;
          }
  };
  check(key_type::u32, std::uint32_t{});
  check(key_type::f32, std::uint32_t{});
  check(key_type::i64, std::uint64_t{});
  check(key_type::f64, std::uint64_t{});
}

// Pairs and positions of some dozens of different keys are counted in a table: every form, width and order.
TEST(short_sorts, count_few_keys_of_pairs) {
  if (!has_vectors())
    GTEST_SKIP() << "this processor has no vectors that the sorts are written for";
  std::uint64_t seed = 0;
  std::size_t all = 0, at_once = 0;
  for (const key_type type : {key_type::u32, key_type::f32, key_type::i64, key_type::f64})
    for (const auto& [workload, n] : {std::pair{"few:20", 1700u}, // which a look for heavy keys suggests
                                      {"few:40", 2048u},
                                      {"few:40", 3001u},
                                      {"few:20", 10'000u},
                                      {"few:100", 10'007u},
                                      {"few:300", 40'000u}})
      for (const order direction : {order::ascending, order::descending})
        for (const std::size_t value_bytes : {1u, 4u, 8u, 12u, 16u})
          for (const int form :
               {0, 1, 2, 3, 4}) { // pairs apart and in place, positions with keys apart, in place, alone
            const auto carries = form < 2 ? payload::values : payload::indices;
            if ((carries == payload::indices || n < cpu::least_counted) && value_bytes != 4 && value_bytes != 8)
              continue;
            SCOPED_TRACE(std::string(name(type)) + " " + workload + " n=" + std::to_string(n) +
                         " value_bytes=" + std::to_string(value_bytes) + " form " + std::to_string(form));
            short_case c(type, n, carries, value_bytes, form == 1 || form == 3, form < 4, workload, ++seed);
            c.opts.order = direction;
            c.opts.threads = 1;
            ++all;
            if (cpu::sort_small(c.request, c.opts, true))
              ++at_once;
            else
              run(c.request, c.opts);
            c.check_result();
            if (::testing::Test::HasFatalFailure())
              return;
          }
  EXPECT_GE(at_once * 10, all * 9) << "hardly any sample misses that so few repeat";
  for (const key_type type : {key_type::f32, key_type::f64}) { // whose order is not that of bits
    short_case c(type, 5000, payload::values, 8, true, true, "few:40", 7);
    c.keys.data()[777 * key_bytes(type) + key_bytes(type) - 1] = std::byte{0xff};
    c.keys.data()[777 * key_bytes(type) + key_bytes(type) - 2] = std::byte{0xff};
    c.keys_before.assign(c.keys.data(), c.keys.data() + c.keys.size());
    EXPECT_FALSE(cpu::sort_small(c.request, c.opts, true));
    EXPECT_TRUE(c.untouched());
    run(c.request, c.opts);
    c.check_result();
  }
}

// The long way counts them. What begins in order, or is all the same, takes a read at once.
TEST(short_sorts, leave_few_values_of_long_arrays_to_the_front_door) {
  if (!has_vectors())
    GTEST_SKIP() << "this processor has no vectors that the sorts are written for";
  for (const key_type type : {key_type::u32, key_type::i64, key_type::f32, key_type::f64})
    for (const auto& [workload, at_once] : {std::pair{"few:16", true}, // so few are counted at once
                                            {"few:200", true},
                                            {"two-values", true},
                                            {"equal-but-one", true},
                                            {"mostly-equal:0.85", false},
                                            {"equal", true},
                                            {"few:2000", true},
                                            {"uniform", true},
                                            {"count-up", true}})
      for (const bool in_place : {false, true}) {
        SCOPED_TRACE(std::string(name(type)) + " " + workload);
        short_case c(type, 120'000, payload::none, 0, in_place, true, workload, 3);
        ASSERT_EQ(cpu::sort_small(c.request, c.opts, true), at_once);
        if (!at_once) {
          ASSERT_TRUE(c.untouched());
          run(c.request, c.opts);
        }
        c.check_result();
        if (::testing::Test::HasFatalFailure())
          return;
      }
  short_case shorter(key_type::u32, 90'000, payload::none, 0, true, true, "few:16", 3);
  EXPECT_TRUE(cpu::sort_small(shorter.request, shorter.opts, true)) << "no call of so few allocates";
}

// With a limit of the workspace short sorts need none; what is not short has a plan that keeps the limit, or is
// refused.
TEST(short_sorts, explain_refuses_a_limit_where_run_does) {
  std::mt19937_64 random(11);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto is_refused = [](const auto& call) {
    try {
      static_cast<void>(call());
      return false;
    } catch (const workspace_too_small&) {
      return true;
    }
  };
  std::size_t refused = 0;
  for (std::size_t round = 0; round < rounds(6000); ++round) {
    const key_type type = all_key_types[below(std::size(all_key_types))];
    const auto carries = static_cast<payload>(below(3));
    const std::size_t value_bytes = carries == payload::indices ? (below(2) == 0 ? 4 : 8) : 1 + below(20);
    const bool keys_wanted = carries != payload::indices || below(2) == 0;
    const char* workload = is_float(type) && below(2) == 0 ? "specials" : below(2) == 0 ? "uniform" : "few:3";
    short_case c(type, 1 + below(below(3) == 0 ? 40'000 : 200), carries, value_bytes, keys_wanted && below(2) == 0,
                 keys_wanted, workload, random());
    c.opts.threads = 1;
    c.opts.order = below(2) == 0 ? order::ascending : order::descending;
    if (below(3) == 0)
      c.opts.bits = {1, key_bits(type) - 1};
    if (below(3) == 0)
      c.opts.progress = [](double) { return true; };
    c.opts.workspace_limit = 1 + below(below(2) == 0 ? 4000 : 400'000);
    SCOPED_TRACE(std::string(name(type)) + " n=" + std::to_string(c.request.n) + " " + workload +
                 " payload=" + std::to_string(static_cast<int>(carries)) +
                 " limit=" + std::to_string(c.opts.workspace_limit) + " round=" + std::to_string(round));
    const bool is_planned = !is_refused([&] { return explain(c.request, c.opts); });
    ASSERT_EQ(is_refused([&] { return workspace_bytes(c.request, c.opts); }), !is_planned);
    if (!is_planned) {
      ++refused;
      ASSERT_TRUE(is_refused([&] { return run(c.request, c.opts); }));
      ASSERT_TRUE(c.untouched());
      continue;
    }
    const std::size_t bytes = workspace_bytes(c.request, c.opts);
    ASSERT_EQ(explain(c.request, c.opts).workspace_bytes, bytes);
    ASSERT_LE(bytes, c.opts.workspace_limit);
    guarded_buffer space(bytes);
    if (below(2) == 0)
      c.opts.workspace = space.bytes().first(bytes);
    ASSERT_NO_THROW(run(c.request, c.opts));
    c.check_result();
    ASSERT_EQ(space.damage(), "");
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
  EXPECT_GT(refused, rounds(6000) / 100);
}

TEST(short_sorts, keep_any_limit_whatever_the_keys_are) {
  if (!has_vectors())
    GTEST_SKIP() << "short sorts are done by vectors";
  short_case c(key_type::u64, 128, payload::indices, 8, true, true, "uniform", 3);
  auto keys = c.keys.as<std::uint64_t>();
  for (std::size_t i = 0; i < keys.size(); ++i) // equal in the bits that a word holds, and falling below them
    keys[i] = i == 0 ? ~std::uint64_t{0} : 127 - i;
  c.keys_before.assign(c.keys.data(), c.keys.data() + c.keys.size());
  c.opts.workspace_limit = 1;
  EXPECT_EQ(workspace_bytes(c.request, c.opts), 0u);
  ASSERT_NO_THROW(run(c.request, c.opts));
  c.check_result();
}

TEST(short_sorts, leave_to_the_front_door_what_is_not_plain) {
  const auto refused = [](const char* what, auto change) {
    short_case c(key_type::u32, 50, payload::values, 4, false, true, "uniform", 3);
    change(c);
    const bool done = cpu::sort_small(c.request, c.opts, true);
    EXPECT_FALSE(done) << what;
    EXPECT_TRUE(c.untouched()) << what;
  };
  using sc = short_case;
  refused("no keys", [](sc& c) { c.request.keys_in = nullptr; });
  refused("no output", [](sc& c) { c.request.keys_out = nullptr; });
  refused("no values", [](sc& c) { c.request.values_in = nullptr; });
  refused("no room for values", [](sc& c) { c.request.values_out = nullptr; });
  refused("values of no bytes", [](sc& c) { c.request.value_bytes = 0; });
  refused("large values", [](sc& c) { c.request.value_bytes = 65; });
  refused("misaligned keys", [](sc& c) { c.request.keys_in = c.keys.data() + 1; });
  refused("overlapping keys", [](sc& c) { c.request.keys_out = c.keys.data() + 4; });
  refused("keys over values", [](sc& c) { c.request.values_out = c.keys.data(); });
  refused("values in place alone", [](sc& c) { c.request.values_out = c.values.data(); });
  refused("an unknown type", [](sc& c) { c.request.type = static_cast<key_type>(99); });
  refused("an unknown order", [](sc& c) { c.opts.order = static_cast<order>(7); });
  refused("an unknown payload", [](sc& c) { c.request.carries = static_cast<payload>(9); });
  refused("a window beyond the key", [](sc& c) { c.opts.bits = {0, 33}; });
  refused("a window from behind", [](sc& c) { c.opts.bits = {9, 8}; });
  refused("device memory", [](sc& c) { c.opts.memory = memory::device; });
  refused("a double buffer", [](sc& c) { c.request.input_is_scratch = true; });
  refused("progress", [](sc& c) { c.opts.progress = [](double) { return true; }; });
  refused("128-bit keys", [](sc& c) { c.request.type = key_type::u128; });
  refused("one key", [](sc& c) { c.request.n = 1; });
  short_case c(key_type::u32, 50, payload::values, 4, false, true, "uniform", 3);
  EXPECT_FALSE(cpu::sort_small(c.request, c.opts, false)) << "another engine was asked for";
  EXPECT_EQ(cpu::sort_small(c.request, c.opts, true), has_vectors()) << "the case itself is plain";
}

} // namespace
} // namespace sortile
