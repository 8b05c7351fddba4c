// Trials of the CPU engine against the oracle: random requests over every type, value size, order, window, form and
// number of threads, with guarded, poisoned and misaligned arrays and a workspace of exactly the planned size. The
// tuning is shrunk, so that a few thousand keys go through the scan, several partitions, count and fill, and local
// sorts.
#pragma once

#include "cpu/cpu_engine.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/sampled_split.hpp"
#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"
#include "testing/verify.hpp"
#include "testing/workloads.hpp"
#include "tests/rising_progress.hpp"
#include "tests/short_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace sortile::cpu_tests {

#if defined(__SANITIZE_THREAD__)
constexpr bool under_thread_sanitizer = true;
#else
constexpr bool under_thread_sanitizer = false;
#endif

// Also where both are empty, and a pointer may be null.
inline bool same_bytes(const void* a, const void* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count) == 0;
}

enum class form { in_place, out_of_place, double_buffer };

struct trial {
  key_type type;
  std::size_t n;
  std::string workload;
  payload carries;
  std::size_t value_bytes;
  form how;
  bool keys_wanted;
  order direction;
  bit_window bits;
  unsigned threads;
  std::uint64_t seed;
  std::size_t limit = 0; // of the workspace
  std::string between{}; // workload of the keys that the engine's sample does not meet, where that is another one
  std::function<void(std::byte*)> change{}; // of the keys

  std::string text() const {
    return std::string(name(type)) + " n=" + std::to_string(n) + " " + workload +
           " payload=" + std::to_string(static_cast<int>(carries)) + " value_bytes=" + std::to_string(value_bytes) +
           " form=" + std::to_string(static_cast<int>(how)) + (keys_wanted ? "" : " no keys_out") +
           (direction == order::descending ? " descending" : "") + " bits=[" + std::to_string(bits.begin) + "," +
           std::to_string(bits.end) + ") threads=" + std::to_string(threads) + " seed=" + std::to_string(seed) +
           " limit=" + std::to_string(limit) + (between.empty() ? "" : " between=" + between);
  }
};

// Small sizes for the time of a test.
struct small_tuning {
  cpu::radix_tuning before = cpu::tuning();
  small_tuning(std::size_t local_bytes, std::size_t alone_below,
               cpu::instruction_set widest = cpu::instruction_set::avx512) {
    cpu::tuning().widest = widest;
    cpu::tuning().local_bytes = local_bytes;
    cpu::tuning().bucket_bytes = local_bytes / 3;
    cpu::tuning().vector_bytes = cpu::tuning().skewed_vector_bytes = 2 * local_bytes;
    cpu::tuning().alone_below_bytes = alone_below;
    cpu::tuning().stream_from_bytes = 4 * alone_below;
    cpu::tuning().stream_chains_from_bytes = 8 * alone_below;
    cpu::tuning().scattered_bytes = 256;
  }
  ~small_tuning() { cpu::tuning() = before; }
};

// Which of n keys the engine's sample meets.
inline std::vector<bool> sampled(std::size_t n) {
  using sample = cpu::key_sample<std::uint32_t>;
  std::vector<bool> met(n);
  for (std::size_t i = 0; i < sample::size_of(n); ++i)
    met[sample::position(i, n)] = true;
  return met;
}

inline testing::guarded_buffer make_keys(const trial& t) {
  testing::guarded_buffer keys(t.n * key_bytes(t.type), key_bytes(t.type) % 64, t.seed);
  testing::workload_named(t.workload).fill({t.type, t.n, t.seed}, 0, t.n, keys.data());
  if (!t.between.empty()) {
    const std::size_t key = key_bytes(t.type);
    const std::vector<bool> met = sampled(t.n);
    std::vector<std::byte> others(t.n * key);
    testing::workload_named(t.between).fill({t.type, t.n, t.seed + 9}, 0, t.n, others.data());
    for (std::size_t i = 0; i < t.n; ++i)
      if (!met[i])
        std::memcpy(keys.data() + i * key, others.data() + i * key, key);
  }
  if (t.change)
    t.change(keys.data());
  return keys;
}

// Values that tell their position, as far as their size goes.
inline testing::guarded_buffer make_values(const trial& t) {
  testing::guarded_buffer values(t.n * t.value_bytes, t.seed % 5, t.seed + 1);
  for (std::size_t i = 0; i < t.n; ++i)
    std::memcpy(values.data() + i * t.value_bytes, &i, std::min(sizeof i, t.value_bytes));
  return values;
}

/// A request for plans: its arrays are nowhere.
inline sort_request request_of(const trial& t) {
  const auto place = [](std::uintptr_t i) { return reinterpret_cast<void*>(i << 56); };
  sort_request request{.type = t.type, .n = t.n, .keys_in = place(1), .keys_out = place(1), .carries = t.carries};
  request.value_bytes = t.carries == payload::none ? 0 : t.value_bytes;
  request.values_in = t.carries == payload::values ? place(2) : nullptr;
  request.values_out = t.carries == payload::none ? nullptr : place(2);
  return request;
}

inline plan plan_of(const trial& t) {
  return cpu::cpu_engine().make_plan(request_of(t), {}, t.threads);
}

/// One thread by itself, of which ThreadSanitizer has nothing to say.
inline bool is_no_race(const trial& t) {
  return under_thread_sanitizer && t.threads == 1;
}

inline void check(const trial& t) {
  if (is_no_race(t))
    return;
  SCOPED_TRACE(t.text());
  const std::size_t key = key_bytes(t.type);
  testing::guarded_buffer keys = make_keys(t);
  const std::vector<std::byte> keys_before(keys.data(), keys.data() + keys.size());
  const bool with_values = t.carries == payload::values;
  testing::guarded_buffer values =
      make_values(with_values ? t : trial{t.type, 0, "", {}, 0, {}, {}, {}, {}, 1, t.seed});
  const std::vector<std::byte> values_before(values.data(), values.data() + values.size());
  testing::guarded_buffer keys_out(t.how == form::in_place || !t.keys_wanted ? 0 : t.n * key, key % 64, t.seed + 2);
  const bool own_values_out = t.carries != payload::none && (t.how != form::in_place || t.carries == payload::indices);
  testing::guarded_buffer values_out(own_values_out ? t.n * t.value_bytes : 0,
                                     t.carries == payload::indices ? t.value_bytes : 3, t.seed + 3);

  sort_request request;
  request.type = t.type;
  request.n = t.n;
  request.keys_in = keys.data();
  request.keys_out = !t.keys_wanted ? nullptr : t.how == form::in_place ? keys.data() : keys_out.data();
  request.carries = t.carries;
  request.value_bytes = t.carries == payload::none ? 0 : t.value_bytes;
  request.values_in = with_values ? values.data() : nullptr;
  request.values_out = t.carries == payload::none ? nullptr : own_values_out ? values_out.data() : values.data();
  request.input_is_scratch = t.how == form::double_buffer;

  options opts;
  opts.order = t.direction;
  opts.bits = t.bits;
  opts.workspace_limit = t.limit;
  const plan p = cpu::cpu_engine().make_plan(request, opts, t.threads);
  if (t.limit != 0) {
    ASSERT_LE(p.workspace_bytes, t.limit);
  }
  testing::guarded_buffer space(p.workspace_bytes, 0, t.seed + 4);
  testing::rising_progress shares;
  const std::function<bool(double)> progress = shares.callback();
  const result_place place = cpu::cpu_engine().run(request, opts, {t.threads, space.bytes(), &progress});
  EXPECT_EQ(shares.last(), 1.0);
  EXPECT_EQ(place, p.result);
  for (const testing::guarded_buffer* b : {&keys, &values, &keys_out, &values_out, &space})
    EXPECT_EQ(b->damage(), "");

  const std::vector<std::uint64_t> expected =
      testing::stable_order({t.type, t.direction, t.bits}, keys_before.data(), t.n);
  const bool in_input = place == result_place::input;
  if (t.keys_wanted) {
    const auto wanted = testing::gather(keys_before.data(), key, expected);
    ASSERT_TRUE(same_bytes(in_input ? request.keys_in : request.keys_out, wanted.data(), wanted.size())) << "keys";
  }
  if (with_values) {
    const auto wanted = testing::gather(values_before.data(), t.value_bytes, expected);
    ASSERT_TRUE(same_bytes(in_input ? request.values_in : request.values_out, wanted.data(), wanted.size()))
        << "values";
  }
  if (t.carries == payload::indices)
    for (std::size_t i = 0; i < t.n; ++i) {
      std::uint64_t index = 0;
      std::memcpy(&index, values_out.data() + i * t.value_bytes, t.value_bytes);
      ASSERT_EQ(index, expected[i]) << "index " << i;
    }
  if (t.how == form::out_of_place) {
    EXPECT_TRUE(same_bytes(keys.data(), keys_before.data(), keys_before.size())) << "the input keys were written";
    EXPECT_TRUE(same_bytes(values.data(), values_before.data(), values_before.size()))
        << "the input values were written";
  }
}

class random_trials {
 public:
  explicit random_trials(std::uint64_t seed) : random_(seed) {}

  trial next(std::size_t largest) {
    trial t{};
    t.type = all_key_types[below(std::size(all_key_types))];
    t.n = size(largest);
    t.workload = workload(t.type);
    t.carries = static_cast<payload>(below(3));
    static constexpr std::size_t sizes[] = {1, 2, 3, 4, 4, 4, 5, 8, 8, 8, 12, 16, 16, 17, 40};
    t.value_bytes = t.carries == payload::indices ? (below(2) == 0 ? 4 : 8) : sizes[below(std::size(sizes))];
    t.how = static_cast<form>(below(t.carries == payload::indices ? 2 : 3));
    t.keys_wanted = t.carries != payload::indices || below(2) == 0;
    if (!t.keys_wanted)
      t.how = form::out_of_place;
    t.direction = below(2) == 0 ? order::ascending : order::descending;
    if (below(3) == 0) {
      const unsigned width = key_bits(t.type), a = static_cast<unsigned>(below(width + 1)),
                     b = static_cast<unsigned>(below(width + 1));
      t.bits = {std::min(a, b), std::max(a, b)};
    }
    t.threads = 1 + static_cast<unsigned>(below(below(5) == 0 ? 64 : 6)); // above 4, keys alone go another way
    t.seed = random_();
    return t;
  }

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

 private:
  std::size_t size(std::size_t largest) {
    const std::size_t kind = below(8);
    return kind == 0 ? below(64) : kind < 4 ? below(1000) : below(largest);
  }

  std::string workload(key_type type) {
    const auto all = testing::all_workloads();
    for (;;) {
      const testing::workload_info& info = all[below(all.size())];
      if (!info.floats_only || is_float(type))
        return std::string(info.name);
    }
  }

  std::mt19937_64 random_;
};

inline std::size_t rounds(std::size_t usual) {
  const char* factor = std::getenv("SORTILE_TEST_ROUNDS"); // a multiple of the usual number, for long runs
  usual = testing::unless_short(usual, (usual + 3) / 4);
  return factor != nullptr ? usual * static_cast<std::size_t>(std::atol(factor)) : usual;
}

} // namespace sortile::cpu_tests
