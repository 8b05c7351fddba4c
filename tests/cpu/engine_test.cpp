// The CPU engine against the oracle: random requests over every type, value size, order, window, form and number of
// threads, with guarded, poisoned and misaligned arrays and a workspace of exactly the planned size. The tuning is
// shrunk, so that a few thousand keys go through the scan, several partitions, count and fill, and local sorts.
#include "cpu/cpu_engine.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/sampled_split.hpp"
#include "cpu/split_choice.hpp"
#include "cpu/value_chains.hpp"
#include "cpu/vector_sort.hpp"
#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"
#include "testing/verify.hpp"
#include "testing/workloads.hpp"
#include "tests/short_tests.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

namespace sortile {
namespace {

using testing::guarded_buffer;

#if defined(__SANITIZE_THREAD__)
constexpr bool under_thread_sanitizer = true;
#else
constexpr bool under_thread_sanitizer = false;
#endif

// Also where both are empty, and a pointer may be null.
bool same_bytes(const void* a, const void* b, std::size_t count) {
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
std::vector<bool> sampled(std::size_t n) {
  using sample = cpu::key_sample<std::uint32_t>;
  std::vector<bool> met(n);
  for (std::size_t i = 0; i < sample::size_of(n); ++i)
    met[sample::position(i, n)] = true;
  return met;
}

guarded_buffer make_keys(const trial& t) {
  guarded_buffer keys(t.n * key_bytes(t.type), key_bytes(t.type) % 64, t.seed);
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
guarded_buffer make_values(const trial& t) {
  guarded_buffer values(t.n * t.value_bytes, t.seed % 5, t.seed + 1);
  for (std::size_t i = 0; i < t.n; ++i)
    std::memcpy(values.data() + i * t.value_bytes, &i, std::min(sizeof i, t.value_bytes));
  return values;
}

/// A request for plans: its arrays are nowhere.
sort_request request_of(const trial& t) {
  const auto place = [](std::uintptr_t i) { return reinterpret_cast<void*>(i << 56); };
  sort_request request{.type = t.type, .n = t.n, .keys_in = place(1), .keys_out = place(1), .carries = t.carries};
  request.value_bytes = t.carries == payload::none ? 0 : t.value_bytes;
  request.values_in = t.carries == payload::values ? place(2) : nullptr;
  request.values_out = t.carries == payload::none ? nullptr : place(2);
  return request;
}

plan plan_of(const trial& t) {
  return cpu::cpu_engine().make_plan(request_of(t), {}, t.threads);
}

void check(const trial& t) {
  SCOPED_TRACE(t.text());
  const std::size_t key = key_bytes(t.type);
  guarded_buffer keys = make_keys(t);
  const std::vector<std::byte> keys_before(keys.data(), keys.data() + keys.size());
  const bool with_values = t.carries == payload::values;
  guarded_buffer values = make_values(with_values ? t : trial{t.type, 0, "", {}, 0, {}, {}, {}, {}, 1, t.seed});
  const std::vector<std::byte> values_before(values.data(), values.data() + values.size());
  guarded_buffer keys_out(t.how == form::in_place || !t.keys_wanted ? 0 : t.n * key, key % 64, t.seed + 2);
  const bool own_values_out = t.carries != payload::none && (t.how != form::in_place || t.carries == payload::indices);
  guarded_buffer values_out(own_values_out ? t.n * t.value_bytes : 0, t.carries == payload::indices ? t.value_bytes : 3,
                            t.seed + 3);

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
  guarded_buffer space(p.workspace_bytes, 0, t.seed + 4);
  double last = 0;
  const std::function<bool(double)> progress = [&](double done) {
    EXPECT_GE(done, last);
    last = done;
    return true;
  };
  const result_place place = cpu::cpu_engine().run(request, opts, {t.threads, space.bytes(), &progress});
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(place, p.result);
  for (const guarded_buffer* b : {&keys, &values, &keys_out, &values_out, &space})
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

std::size_t rounds(std::size_t usual) {
  const char* factor = std::getenv("SORTILE_TEST_ROUNDS"); // a multiple of the usual number, for long runs
  usual = testing::unless_short(usual, (usual + 3) / 4);
  return factor != nullptr ? usual * static_cast<std::size_t>(std::atol(factor)) : usual;
}

TEST(CpuEngine, EveryStepWithSmallTuning) {
  random_trials trials(20261);
  for (std::size_t i = 0; i < rounds(1500) && !::testing::Test::HasFatalFailure(); ++i) {
    const small_tuning sizes(std::size_t{2048} << trials.below(5), std::size_t{1} << (6 + trials.below(10)),
                             cpu::all_instruction_sets[trials.below(3)]);
    check(trials.next(12000));
  }
}

// Too little for spare arrays: partitions in place, several levels of them, stable.
TEST(CpuEngine, WithinLittleWorkspace) {
  random_trials trials(11);
  std::size_t in_place = 0;
  for (std::size_t i = 0; i < rounds(400) && !::testing::Test::HasFatalFailure(); ++i) {
    const small_tuning sizes(std::size_t{1024} << trials.below(4), std::size_t{1} << (8 + trials.below(12)),
                             cpu::all_instruction_sets[trials.below(3)]);
    cpu::tuning().block_bytes = std::size_t{64} << trials.below(3);
    trial t = trials.next(1);
    t.n = 3000 + trials.below(40'000);
    t.limit = std::size_t{700} << 10;
    if (t.carries == payload::values)
      t.value_bytes = std::size_t{4} << trials.below(3);
    if (t.carries == payload::indices)
      t.keys_wanted = true;
    const std::size_t usual = plan_of(t).workspace_bytes;
    in_place += usual > t.limit;
    check(t);
  }
  EXPECT_GT(in_place, rounds(400) / 4);
}

TEST(CpuEngine, LimitsThatCannotBeKeptNameTheLeast) {
  random_trials trials(12);
  trial t = trials.next(1);
  t.type = key_type::u64;
  t.threads = 2;
  t.n = 3'000'000;
  t.carries = payload::values;
  t.value_bytes = 3; // would have to be widened
  const auto complaint = [&](std::size_t limit) -> std::string {
    options opts;
    opts.workspace_limit = limit;
    try {
      sort_request request = request_of(t);
      (void)cpu::cpu_engine().make_plan(request, opts, 2);
    } catch (const workspace_too_small& e) {
      return e.what();
    }
    return "none";
  };
  const std::size_t usual = plan_of(t).workspace_bytes;
  EXPECT_NE(complaint(usual - 1).find("least that this request needs is " + std::to_string(usual)), std::string::npos);
  EXPECT_EQ(complaint(usual), "none");
  t.value_bytes = 8;
  EXPECT_EQ(complaint(std::size_t{4} << 20), "none");
  EXPECT_NE(complaint(1000).find("options::workspace_limit is 1000 bytes"), std::string::npos);
}

// Keys alone on few threads: every split by all threads, swaps, equal keys, small ranges, few different keys.
TEST(CpuEngine, QuicksortsOfKeysAlone) {
  random_trials trials(13);
  constexpr key_type types[] = {key_type::u32, key_type::i32, key_type::f32,
                                key_type::u64, key_type::i64, key_type::f64};
  constexpr const char* workloads[] = {"uniform",    "few:16",   "few:100",       "few:900",       "range:1000",
                                       "two-values", "zipf",     "mostly-equal",  "zeros:0.4",     "and:3",
                                       "equal",      "sorted",   "reversed",      "nearly-sorted", "zeros:1",
                                       "few:3000",   "root-dup", "equal-but-one", "organ-pipe",    "count-up"};
  for (std::size_t i = 0; i < rounds(300) && !::testing::Test::HasFatalFailure(); ++i) {
    const small_tuning sizes(std::size_t{1024} << trials.below(8), std::size_t{1} << (8 + trials.below(12)),
                             trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
    cpu::tuning().quicksort_threads = trials.below(2) == 0 ? 4 : 64;
    trial t = trials.next(1);
    t.type = types[trials.below(std::size(types))];
    t.n = 1000 + trials.below(150'000);
    t.workload = trials.below(12) == 0 && is_float(t.type) ? "specials" : workloads[trials.below(std::size(workloads))];
    t.carries = payload::none;
    t.keys_wanted = true;
    t.bits = {};
    check(t);
  }
}

// Parts that a thread splits in four: most of one key, which a quarter of them or more are.
TEST(CpuEngine, QuicksortsOfLargeParts) {
  unsigned threads = 1;
  testing::one_in taken(under_thread_sanitizer ? 4 : 1);
  for (const key_type type : {key_type::i32, key_type::u64, key_type::f64})
    for (const std::uint64_t heavy : {std::uint64_t{0}, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
      const small_tuning sizes(std::size_t{64} << 10, std::size_t{1} << 14);
      threads = 3 - threads;
      if (!taken())
        continue;
      trial t{type, 1'400'000, "uniform", payload::none, 0, form::in_place, true, order::ascending, {}, threads, 11};
      const std::size_t key = key_bytes(type);
      if (key == 4)
        t.n *= 2;
      t.change = [&](std::byte* keys) {
        for (std::size_t i = 0; i < t.n; i += 11)
          std::memcpy(keys + i * key, reinterpret_cast<const std::byte*>(&heavy) + 8 - key, key);
      };
      check(t);
    }
}

// Of one value in all places nothing is moved, and nothing may be written but that value.
TEST(CpuEngine, ArraysOfOneValueStayAsTheyAre) {
  for (const key_type type : {key_type::u32, key_type::i32, key_type::f32, key_type::u64, key_type::i64, key_type::f64})
    for (const cpu::instruction_set set : cpu::all_instruction_sets)
      for (const unsigned threads : {1u, 3u}) {
        const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << 14, set);
        check({type, 40'003, "equal", payload::none, 0, form::in_place, true, order::ascending, {}, threads, 5});
        check({type, 40'003, "equal", payload::none, 0, form::in_place, true, order::descending, {}, threads, 6});
        if (::testing::Test::HasFatalFailure())
          return;
      }
}

// −0 and NaN in any share, in all forms: the order of zeros, and of NaNs, is that of the input.
TEST(CpuEngine, FloatsAroundTheirZerosAndNans) {
  random_trials trials(19);
  std::size_t within_limit = 0;
  for (const key_type type : {key_type::f32, key_type::f64})
    for (const char* workload :
         {"specials", "nan:0.001", "nan:1", "zeros:0.3", "zeros:1", "and:3", "sorted", "reversed"})
      for (const order direction : {order::ascending, order::descending})
        for (const form how : {form::in_place, form::out_of_place, form::double_buffer}) {
          const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << (trials.below(2) == 0 ? 10 : 14),
                                   trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
          cpu::tuning().block_bytes = 128;
          const std::size_t n = trials.below(2) == 0 ? 100 + trials.below(5000) : 32'768 + trials.below(20'000);
          const unsigned threads = 1 + static_cast<unsigned>(trials.below(6)); // above 4, a partition finds them
          trial t{type, n, workload, payload::none, 0, how, true, direction, {}, threads, trials.below(1000)};
          if (n > 5100 && trials.below(3) == 0) // none in the sample
            t.between = std::exchange(t.workload, "normal");
          t.limit = trials.below(2) * (std::size_t{700} << 10);
          within_limit += plan_of(t).workspace_bytes > t.limit && t.limit != 0;
          check(t);
          if (::testing::Test::HasFatalFailure())
            return;
        }
  EXPECT_GT(within_limit, 5u);
}

// Few values in a sample, others (or −0, or NaNs) wherever it does not look: tables that overflow, heavy keys that are
// none, and floats that have to be as they were for the sort that takes over.
TEST(CpuEngine, SamplesThatMislead) {
  random_trials trials(17);
  for (const key_type type : {key_type::u32, key_type::f32, key_type::i64, key_type::f64})
    for (const char* met : {"equal", "two-values", "few:16", "few:60", "zeros:1", "range:500"})
      for (const char* between : {"uniform", "few:30", "few:700", "few:5000", "zeros:1", "range:4000",
                                  is_float(type) ? "specials" : "sorted"}) {
        const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << 14,
                                 trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
        trial t = trials.next(1);
        t.type = type;
        t.n = 64 * cpu::key_sample<std::uint32_t>::least + trials.below(20'000);
        t.workload = met;
        t.between = between;
        t.carries = payload::none;
        t.keys_wanted = true;
        t.bits = {};
        check(t);
        if (::testing::Test::HasFatalFailure())
          return;
      }
}

// Heavy keys in long stretches, which may stand where they belong already, and a few others that move them.
TEST(CpuEngine, LongStretchesOfHeavyKeys) {
  random_trials trials(23);
  for (const key_type type : {key_type::u32, key_type::i64, key_type::f32})
    for (const std::size_t values : {1u, 2u, 5u})
      for (const std::size_t others : {0u, 1u, 3u, 200u})
        for (const bool ordered : {false, true}) {
          const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << 14,
                                   trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
          const std::size_t n = 40'000 + trials.below(30'000), key = key_bytes(type);
          trial t{type,
                  n,
                  "uniform",
                  payload::none,
                  0,
                  trials.below(3) == 0 ? form::out_of_place : form::in_place,
                  true,
                  trials.below(3) == 0 ? order::descending : order::ascending,
                  {},
                  1 + static_cast<unsigned>(trials.below(4)),
                  trials.below(1000)};
          t.change = [&](std::byte* keys) { // the first keys are the values, some of the uniform ones stay
            std::vector<std::byte> value(keys, keys + values * key);
            for (std::size_t i = 0, v = 0; i < n; ++v)
              for (const std::size_t end = ordered ? (v + 1) * n / values : std::min(n, i + 1 + trials.below(9000));
                   i < end; ++i)
                std::memcpy(keys + i * key, value.data() + v % values * key, key);
            for (std::size_t i = 0; i < others; ++i)
              for (std::size_t at = trials.below(n) * key, k = 0; k < key; ++k)
                keys[at + k] ^= std::byte{static_cast<unsigned char>(k + 1 < key ? trials.below(256) : 0)};
          };
          check(t);
          if (::testing::Test::HasFatalFailure())
            return;
        }
}

// Few others, which are met late: on their way they stand in front, where the one value had its place already.
TEST(CpuEngine, OthersPassThroughWhatStands) {
  for (const cpu::instruction_set set : {cpu::instruction_set::avx512, cpu::instruction_set::avx2})
    for (const unsigned threads : {1u, 3u})
      for (const std::size_t others : {1u, 2u, 40u, 3000u}) {
        const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << 14, set);
        trial t{key_type::u32, 60'000,           "equal", payload::none, 0, form::in_place,
                true,          order::ascending, {},      threads,       3};
        t.change = [&](std::byte* keys) {
          for (std::size_t i = 0; i < others; ++i)
            std::memset(keys + (t.n - 1 - 5 * i) * 4, i % 3 == 1 ? 0 : 0xff, 4);
        };
        check(t);
        if (::testing::Test::HasFatalFailure())
          return;
      }
}

// The first −0 or NaN stands where images of others, zeros among them, were made already.
TEST(CpuEngine, SpecialsBehindOthers) {
  random_trials trials(29);
  for (const key_type type : {key_type::f32, key_type::f64})
    for (const char* workload : {"normal", "few:16", "organ-pipe"})
      for (const std::size_t specials : {1u, 2u, 50u})
        for (const order direction : {order::ascending, order::descending})
          for (const form how : {form::in_place, form::out_of_place}) {
            const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << 14,
                                     trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
            const std::size_t n = 40'000 + trials.below(30'000), key = key_bytes(type), first = trials.below(n);
            trial t{type,
                    n,
                    workload,
                    payload::none,
                    0,
                    how,
                    true,
                    direction,
                    {},
                    1 + static_cast<unsigned>(trials.below(4)),
                    trials.below(1000)};
            t.limit = trials.below(4) == 0 ? std::size_t{1200} << 10 : 0;
            t.change = [&](std::byte* keys) {
              for (std::size_t i = 1; i < n; i += 1 + trials.below(20))
                std::memset(keys + i * key, 0, key);
              for (std::size_t i = 0; i < specials; ++i) { // −0, or a NaN with a payload
                const std::size_t at = first + (i == 0 ? 0 : trials.below(n - first));
                std::memset(keys + at * key, 0, key);
                if (trials.below(2) == 0)
                  std::memset(keys + at * key, 0xff, key - 1 - trials.below(2));
                keys[at * key + key - 1] = std::byte{static_cast<unsigned char>(trials.below(2) == 0 ? 0x80 : 0xff)};
                keys[at * key + key - 2] |=
                    keys[at * key + key - 1] == std::byte{0xff} ? std::byte{0xf8} : std::byte{0};
              }
            };
            check(t);
            if (::testing::Test::HasFatalFailure())
              return;
          }
}

// Words of a local sort that hold the highest bits of a key alone: some neighbours tie, or so many that longer words
// are taken; every 200th key ties with every other one of those.
TEST(CpuEngine, TiesOfWords) {
  random_trials trials(31);
  for (const key_type type : {key_type::u32, key_type::i64, key_type::f64})
    for (const cpu::instruction_set set : cpu::all_instruction_sets)
      for (const std::size_t n : {300u, 4097u, 16'384u, 16'385u, 40'000u})
        for (const std::size_t groups : {n * 40, n * 2, n / 4, n / 100}) {
          const small_tuning sizes(std::size_t{768} << 10, std::size_t{512} << 10, set);
          trial t = trials.next(1);
          t.type = type;
          t.n = n;
          t.workload = "uniform";
          t.carries = trials.below(2) == 0 ? payload::values : payload::indices;
          t.value_bytes = 4 << trials.below(2);
          t.bits = {};
          t.how = form::in_place;
          t.keys_wanted = true;
          t.change = [&](std::byte* keys) {
            for (std::size_t i = 0; i < n; ++i) {
              const std::uint64_t high = i % 200 == 0 ? 1 : testing::random_bits(t.seed, i) % groups,
                                  low = testing::random_bits(i, 1);
              const std::uint64_t wide = (high << 44) / groups << 19 | low % (1u << (groups < n / 10 ? 14 : 20));
              const auto narrow = static_cast<std::uint32_t>((high << 32) / groups ^ low % 4);
              key_bytes(type) == 8 ? std::memcpy(keys + 8 * i, &wide, 8) : std::memcpy(keys + 4 * i, &narrow, 4);
            }
          };
          check(t);
        }
}

// The scan makes exact images a block at a time, and compares the last one of a block with the first one of the next.
TEST(CpuEngine, OneDisorderBehindANegativeZero) {
  random_trials trials(43);
  for (const key_type type : {key_type::f32, key_type::f64})
    for (const cpu::instruction_set set : cpu::all_instruction_sets)
      for (const std::size_t at : {2u, 255u, 256u, 257u, 512u, 4096u, 4100u}) {
        const small_tuning sizes(8192, 4096, set);
        trial t = trials.next(1);
        t.type = type;
        t.n = 5000;
        t.workload = "uniform";
        t.carries = payload::values;
        t.value_bytes = 4;
        t.bits = {};
        t.how = form::in_place;
        t.direction = order::ascending;
        t.change = [&](std::byte* keys) {
          for (std::size_t i = 0; i < t.n; ++i) {
            const double key = i == 0 ? -0.0 : static_cast<double>(i == at ? at - 1 : i + 1 == at ? at : i);
            const auto narrow = static_cast<float>(key);
            type == key_type::f64 ? std::memcpy(keys + 8 * i, &key, 8) : std::memcpy(keys + 4 * i, &narrow, 4);
          }
        };
        check(t);
      }
}

// Buckets between splitters that are kept from the scan to the partition, as far as there is room for them.
TEST(CpuEngine, DigitsKeptForSomeKeys) {
  random_trials trials(41);
  for (const key_type type : {key_type::u32, key_type::i64, key_type::f32, key_type::f64})
    for (const char* workload : {"and:3", "zipf-spread", "lognormal"})
      for (const unsigned threads : {1u, 2u, 5u}) {
        const small_tuning sizes(std::size_t{2048} << trials.below(3), std::size_t{1} << 10,
                                 cpu::all_instruction_sets[trials.below(3)]);
        trial t = trials.next(1);
        t.type = type;
        t.n = 40'000 + trials.below(20'000);
        t.workload = workload;
        t.carries = trials.below(2) == 0 ? payload::values : payload::indices;
        t.value_bytes = 4 << trials.below(2);
        t.bits = {};
        t.threads = threads;
        check(t);
      }
}

// Vectors find the bucket that the tree itself names; buckets ascend with the keys, and those of equals hold equal
// keys.
template <class K>
void check_splitters(key_type type, const char* workload, unsigned part_bits) {
  constexpr std::size_t n = 5000;
  std::vector<K> keys(n), images;
  testing::workload_named(workload).fill({type, n, part_bits}, 0, n, keys.data());
  cpu::key_image<K> image(type, order::ascending, {});
  for (const K key : keys)
    images.push_back(image.ordering(key));
  const cpu::key_sample<K> sample(keys.data(), n, image);
  const cpu::splitter_tree<K> tree(sample.images, sample.size, part_bits);
  const cpu::split<K> split(tree);
  std::vector<std::pair<K, std::uint16_t>> found;
  std::uint16_t digits[cpu::digit_block];
  for (std::size_t i = 0; i < n;) {
    const std::size_t m = std::min(n - i, 1 + i % cpu::digit_block);
    cpu::best_kernels<K>().digits(keys.data() + i, m, image, split, digits);
    for (std::size_t j = 0; j < m; ++j, ++i) {
      const auto x = tree.number_of(images[i]);
      const auto below = static_cast<std::size_t>(std::upper_bound(std::begin(tree.sorted), std::end(tree.sorted), x) -
                                                  std::begin(tree.sorted));
      ASSERT_EQ(digits[j], tree.bucket(below, x)) << name(type) << " " << workload << " key " << i;
      ASSERT_LT(digits[j], split.buckets());
      found.emplace_back(images[i], digits[j]);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t equals = 0;
  for (std::size_t i = 1; i < n; ++i) {
    ASSERT_LE(found[i - 1].second, found[i].second) << name(type) << " " << workload;
    if (found[i - 1].second == found[i].second && split.is_of_equals(found[i].second)) {
      ASSERT_TRUE(found[i - 1].first == found[i].first) << name(type) << " " << workload;
      ++equals;
    }
  }
  if (workload == std::string("range:50") && !is_float(type)) {
    EXPECT_GT(equals, n / 2);
  }
}

TEST(CpuEngine, BucketsBetweenSplitters) {
  for (const cpu::instruction_set set : cpu::all_instruction_sets) {
    const small_tuning sizes(8192, 4096, set);
    for (const char* workload : {"uniform", "and:3", "and:5", "lognormal", "zipf-spread", "range:50", "outliers:100"})
      for (const unsigned part_bits : {1u, 2u, 3u, 4u}) {
        check_splitters<std::uint16_t>(key_type::u16, workload, part_bits);
        check_splitters<std::uint32_t>(key_type::u32, workload, part_bits);
        check_splitters<std::uint32_t>(key_type::f32, workload, part_bits);
        check_splitters<std::uint64_t>(key_type::u64, workload, part_bits);
        check_splitters<std::uint64_t>(key_type::f64, workload, part_bits);
        check_splitters<uint128>(key_type::u128, workload, part_bits);
      }
  }
}

// Puts some keys of an array, and their neighbours now and then, into many places of it.
template <class K>
void make_heavy(K* keys, std::size_t n, std::size_t heavies, double share, std::uint64_t seed) {
  std::vector<K> heavy(keys, keys + heavies);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = testing::random_bits(i, seed);
    if (static_cast<double>(bits >> 32) < share * 0x1p32)
      keys[i] =
          static_cast<K>(heavy[bits % heavies] + static_cast<K>(bits % 4093 == 0) - static_cast<K>(bits % 4091 == 0));
  }
}

// Heavy keys among others, which vectors take out of the blocks that are counted and moved: the least, the greatest and
// any others, alone and together, in every form.
TEST(CpuEngine, HeavyKeysAmongOthers) {
  random_trials trials(53);
  for (const key_type type : {key_type::u32, key_type::i32, key_type::f32, key_type::u64, key_type::i64, key_type::f64})
    for (const char* others : {"uniform", "lognormal", "zipf-spread", "zeros:0.3"})
      for (const double share : {0.2, 0.6, 0.95})
        for (const unsigned threads : {1u, 3u}) {
          const small_tuning sizes(std::size_t{2048} << trials.below(4), std::size_t{1} << (10 + trials.below(8)),
                                   cpu::all_instruction_sets[trials.below(3)]);
          trial t = trials.next(1);
          t.type = type;
          t.n = 20'000 + trials.below(20'000);
          t.workload = others;
          t.carries = trials.below(3) != 0 ? payload::values : payload::indices;
          t.value_bytes = t.carries == payload::values && trials.below(6) == 0 ? 16 : 4 << trials.below(2);
          t.bits = trials.below(6) != 0 ? bit_window{} : bit_window{4, key_bits(type)};
          t.threads = threads;
          const std::size_t heavies = 1 + trials.below(share > 0.5 ? 5 : 2), n = t.n;
          const std::uint64_t seed = t.seed;
          t.change = [=](std::byte* keys) {
            key_bytes(type) == 4 ? make_heavy(reinterpret_cast<std::uint32_t*>(keys), n, heavies, share, seed)
                                 : make_heavy(reinterpret_cast<std::uint64_t*>(keys), n, heavies, share, seed);
          };
          check(t);
        }
}

// Which keys are taken out: those that fill an eighth of the sample, where vectors can.
TEST(CpuEngine, HeavyKeysAreTakenOut) {
  constexpr std::size_t n = 100'000;
  for (const bool has_zeros : {false, true}) {
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t bits = testing::random_bits(i, 3);
      keys[i] = bits % 10 < 3 ? (has_zeros ? 0 : std::uint64_t{1} << 60) : bits % 10 < 5 ? 12345 : bits;
    }
    const cpu::key_image<std::uint64_t> image(key_type::i64, order::descending, {});
    const cpu::radix_layout layout(8, 8, n, 1);
    for (const cpu::instruction_set set : cpu::all_instruction_sets) {
      const small_tuning sizes(8192, 4096, set);
      cpu::splitter_tree<std::uint64_t> tree;
      const auto split = cpu::split_choice<std::uint64_t>(layout, image, 8).guess(keys.data(), n, tree);
      if (!cpu::uses(cpu::instruction_set::avx512)) {
        EXPECT_EQ(tree.heavy_keys, 0u);
        continue;
      }
      // A number of 32 bits tells 64-bit keys apart near the heaviest one alone.
      ASSERT_EQ(split.tree, &tree);
      ASSERT_EQ(tree.heavy_keys, has_zeros ? 2u : 1u);
      for (std::size_t h = 0; h < tree.heavy_keys; ++h) {
        EXPECT_TRUE(split.is_of_equals(tree.heavy_bucket[h]));
        EXPECT_TRUE(tree.heavy[h] == 12345 || tree.heavy[h] == (has_zeros ? 0 : std::uint64_t{1} << 60));
      }
      cpu::splitter_tree<std::uint64_t> wide;
      cpu::split_choice<std::uint64_t>(layout, image, 16).guess(keys.data(), n, wide);
      EXPECT_EQ(wide.heavy_keys, 0u);
    }
  }
}

// More buckets than have long lines, which small tuning seldom makes of few keys.
TEST(CpuEngine, ManyBuckets) {
  random_trials trials(47);
  for (const key_type type : {key_type::u16, key_type::u32, key_type::f64, key_type::u128})
    for (const std::size_t value_bytes : {4u, 8u, 16u})
      for (const unsigned threads : {1u, 3u}) {
        const small_tuning sizes(2048, std::size_t{1} << 14, cpu::all_instruction_sets[trials.below(3)]);
        trial t = trials.next(1);
        t.type = type;
        t.n = 100'000 + trials.below(1000);
        t.workload = "uniform";
        t.carries = payload::values;
        t.value_bytes = value_bytes;
        t.bits = {};
        t.threads = threads;
        check(t);
      }
}

// Pairs whose keys have few values: all types and widths, values that the sample does not meet, keys with one image but
// other bits (zeros, NaNs, bit windows), blocks of every alignment.
TEST(CpuEngine, PairsOfFewValues) {
  random_trials trials(37);
  for (const key_type type : all_key_types)
    for (const char* workload : {"equal", "two-values", "few:3", "few:16", "few:200", "few:2500", "zipf", "specials"})
      for (const char* between : {"", "few:5", "few:300", "uniform"}) {
        const small_tuning sizes(std::size_t{2048} << trials.below(7), std::size_t{1} << (10 + trials.below(6)),
                                 cpu::all_instruction_sets[trials.below(3)]);
        trial t = trials.next(1);
        t.type = type;
        t.n = 600 + trials.below(30'000);
        t.workload = std::string(workload) != "specials" || is_float(type) ? workload : "equal";
        t.between = between;
        t.bits = trials.below(3) != 0 ? bit_window{} : bit_window{key_bits(type) / 4, key_bits(type) / 4 * 3};
        if (t.carries == payload::none)
          t.carries = payload::values;
        if (t.carries == payload::indices)
          t.value_bytes = 4 << trials.below(2);
        check(t);
      }
}

// Few values are not moved by digits, and what chains cannot sort is left as it was.
TEST(CpuEngine, ChainsOfFewValues) {
  constexpr std::size_t n = 200'000;
  for (const unsigned threads : {1u, 2u, 5u})
    for (const bool has_both_zeros : {false, true})
      for (const std::size_t different : {2u, 3u, 16u, 250u}) {
        std::vector<float> keys(n);
        std::vector<std::uint32_t> values(n);
        for (std::size_t i = 0; i < n; ++i) {
          keys[i] = static_cast<float>(testing::random_bits(i, 5) % different) * 1.5F;
          values[i] = static_cast<std::uint32_t>(i);
        }
        keys[n / 2 + 1] = has_both_zeros ? -0.0F : 0.0F;
        const std::vector<float> before = keys;
        cpu::radix_job job{.type = key_type::f32, .n = n, .value_width = 4};
        const cpu::radix_layout layout(4, 4, n, threads);
        std::vector<std::uint32_t> spare_keys(n), spare_values(n);
        guarded_buffer scratch(layout.bytes, 0, 1);
        progress_meter progress(nullptr, 4 * n);
        job.keys_in = job.keys_out = keys.data();
        job.values_in = job.values_out = values.data();
        job.spare_keys = spare_keys.data(), job.spare_values = spare_values.data();
        job.threads = threads, job.progress = &progress, job.scratch = scratch.data();
        const cpu::lanes<std::uint32_t> result{reinterpret_cast<std::uint32_t*>(keys.data()),
                                               reinterpret_cast<std::byte*>(values.data()), 4},
            spare{spare_keys.data(), reinterpret_cast<std::byte*>(spare_values.data()), 4};
        const bool sorted =
            cpu::chain_sorter<std::uint32_t>(job, layout, {job.type, order::ascending, {}}, result, spare).run();
        EXPECT_EQ(scratch.damage(), "");
        ASSERT_EQ(sorted, !has_both_zeros) << different;
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(keys[i]), std::bit_cast<std::uint32_t>(before[values[i]]));
          ASSERT_TRUE(!sorted || i == 0 || keys[i - 1] < keys[i] ||
                      (keys[i - 1] == keys[i] && values[i - 1] < values[i]))
              << i;
        }
      }
}

// Values of what the sample says is the least key go to their places at once: where lesser keys follow, and where the
// sort gives up after it has moved them.
TEST(CpuEngine, LeastKeysInPlace) {
  constexpr std::size_t n = 50'000;
  testing::one_in taken(under_thread_sanitizer ? 7 : 1);
  for (const std::size_t different : {2u, 4u, 9u, 300u})
    for (const std::size_t others : {0u, 1u, 70u, 9'000u}) // which the sample does not meet, in the second half
      for (const bool are_less : {false, true}) {
        std::vector<std::uint32_t> keys(n), positions(n);
        for (std::size_t i = 0; i < n; ++i) {
          keys[i] = static_cast<std::uint32_t>(1'000'000 + 5 * (testing::random_bits(i, 7) % different));
          positions[i] = static_cast<std::uint32_t>(i);
        }
        const std::vector<bool> met = sampled(n);
        for (std::size_t i = 0; i < others; ++i)
          if (!met[n / 2 + 2 * i])
            keys[n / 2 + 2 * i] = static_cast<std::uint32_t>(are_less ? i : 2'000'000 + i);
        std::vector<std::uint32_t> expected = positions;
        std::stable_sort(expected.begin(), expected.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
        for (const auto widest : cpu::all_instruction_sets)
          for (const unsigned way : {0u, 1u, 2u, 3u}) {
            if (!taken())
              continue;
            const small_tuning sizes(std::size_t{64} << 10, std::size_t{1} << 14, widest);
            std::vector<std::uint32_t> keys_here = keys, values_here = positions, keys_there(n), values_there(n);
            const bool in_place = way < 2;
            std::vector<std::uint32_t>&sorted = in_place ? keys_here : keys_there,
            &values = in_place ? values_here : values_there;
            options o;
            o.threads = way % 2 != 0 ? 3 : 1;
            sort_by_key(keys_here, values_here, sorted, values, o);
            ASSERT_TRUE(values == expected) << different << ' ' << others << ' ' << are_less << ' ' << way;
            ASSERT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
          }
      }
}

// A sort by chains that gives up in place has done nothing of what is told: the whole is told where all is sorted.
TEST(CpuEngine, GivingUpInPlaceIsNoProgress) {
  constexpr std::size_t n = 50'000;
  const std::vector<bool> met = sampled(n);
  for (const auto widest : cpu::all_instruction_sets)
    for (const unsigned threads : {1u, 3u}) {
      const small_tuning sizes(std::size_t{64} << 10, std::size_t{1} << 14, widest);
      std::vector<std::uint32_t> keys(n), values(n);
      for (std::size_t i = 0; i < n; ++i) {
        keys[i] = static_cast<std::uint32_t>(1'000'000 + 5 * (testing::random_bits(i, 7) % 4));
        values[i] = static_cast<std::uint32_t>(i);
      }
      for (std::size_t i = 0; i < 9'000; ++i)
        if (!met[n / 2 + 2 * i])
          keys[n / 2 + 2 * i] = static_cast<std::uint32_t>(2'000'000 + i);
      const std::vector<std::uint32_t> before = keys;
      double last = 0;
      options o;
      o.threads = threads;
      o.progress = [&](double done) {
        EXPECT_GE(done, last);
        if (done == 1.0 && threads == 1) { // others' writes are seen when the call has returned
          EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
        }
        last = done;
        return true;
      };
      sort_by_key(keys, values, o);
      EXPECT_EQ(last, 1.0);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(keys[i], before[values[i]]);
    }
}

// Sorts pairs in place, of which few have rare keys: the last two near an end of what is written at once, 256 bytes of
// values or a multiple.
template <class K, class V>
void check_rare_keys(std::size_t key_offset, std::size_t value_offset, std::uint64_t seed) {
  constexpr std::size_t n = 3000, rare = 4, in_vector = 64 / sizeof(V), in_window = 256 / sizeof(V);
  constexpr K frequent = 5, others[] = {9, 7, 3};
  guarded_buffer key_bytes(n * sizeof(K), key_offset), value_bytes(n * sizeof(V), value_offset);
  const std::span<K> keys = key_bytes.as<K>();
  const std::span<V> values = value_bytes.as<V>();
  const std::uint64_t bits = testing::random_bits(seed, 11);
  const std::size_t skipped = reinterpret_cast<std::uintptr_t>(values.data()) / sizeof(V) % in_window;
  const std::size_t end = (6 + bits % (n / in_window - 8)) * in_window - skipped;
  const std::size_t places[rare] = {1, 2, end - 1 - (bits >> 20) % in_vector, end + (bits >> 30) % in_vector};
  std::fill(keys.begin(), keys.end(), frequent);
  for (std::size_t r = 0; r < rare; ++r)
    keys[places[r]] = (bits >> 50) % 3 == 0 ? others[0] : others[(bits >> (40 + r)) % 3];
  std::iota(values.begin(), values.end(), V{0});
  const std::vector<K> before(keys.begin(), keys.end());
  std::vector<V> expected(values.begin(), values.end());
  std::stable_sort(expected.begin(), expected.end(), [&](V a, V b) { return before[a] < before[b]; });
  options o;
  o.threads = 1;
  sort_by_key(keys, values, o);
  const auto wrong = std::mismatch(expected.begin(), expected.end(), values.begin());
  ASSERT_EQ(wrong.first - expected.begin(), std::ptrdiff_t{n}) << places[2] << ' ' << places[3];
  ASSERT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  ASSERT_EQ(key_bytes.damage() + value_bytes.damage(), "");
}

template <class K, class V>
void check_rare_keys() {
  std::uint64_t seed = 0;
  constexpr std::size_t step =
      under_thread_sanitizer ? 16 : 0; // one thread, of which ThreadSanitizer has nothing to say
  for (const auto widest : cpu::all_instruction_sets) {
    const small_tuning sizes(4096, std::size_t{1} << 14, widest);
    for (std::size_t keys_at = 0; keys_at < 64; keys_at += std::max(2 * step, sizeof(K)))
      for (std::size_t values_at = 0; values_at < 64; values_at += std::max(step, sizeof(V)))
        for (std::size_t i = 0; i < testing::unless_short(8u, 1u); ++i)
          ASSERT_NO_FATAL_FAILURE((check_rare_keys<K, V>(keys_at, values_at, ++seed)))
              << "keys at " << keys_at << ", values at " << values_at << ", kernels " << static_cast<int>(widest);
  }
}

// What is written in place must have been read, wherever arrays begin.
TEST(CpuEngine, RareKeysInPlaceAtEveryAlignment) {
  EXPECT_NO_FATAL_FAILURE((check_rare_keys<std::uint32_t, std::uint32_t>()));
  EXPECT_NO_FATAL_FAILURE((check_rare_keys<std::uint64_t, std::uint64_t>()));
  EXPECT_NO_FATAL_FAILURE((check_rare_keys<std::uint32_t, std::uint64_t>()));
  EXPECT_NO_FATAL_FAILURE((check_rare_keys<std::uint64_t, std::uint32_t>()));
}

TEST(CpuEngine, SizesAroundEveryLimit) {
  random_trials trials(7);
  for (const key_type type : all_key_types)
    for (const std::size_t n :
         {0u,  1u,  2u,   3u,   15u,  16u,  17u,  23u,  24u,   25u,   26u,   31u,   32u,   33u,  63u,
          64u, 65u, 127u, 128u, 129u, 255u, 256u, 257u, 1023u, 1024u, 1025u, 4095u, 4096u, 4097u}) {
      trial t = trials.next(1);
      t.type = type;
      t.n = n;
      t.workload = "uniform";
      t.bits = {};
      check(t);
      if (::testing::Test::HasFatalFailure())
        return;
    }
}

TEST(CpuEngine, ProductionTuning) {
  random_trials trials(3);
  for (std::size_t i = 0; i < rounds(12) && !::testing::Test::HasFatalFailure(); ++i) {
    trial t = trials.next(1);
    t.n = 100'000 + trials.below(300'000);
    check(t);
  }
}

TEST(CpuEngine, CancelsFromTheCallingThread) {
  const small_tuning sizes(4096, 4096);
  std::vector<std::uint32_t> keys = testing::make_keys<std::uint32_t>("uniform", 100'000, 1);
  sort_request request{key_type::u32, keys.size(), keys.data(), keys.data()};
  for (const unsigned threads : {1u, 3u}) {
    const plan p = cpu::cpu_engine().make_plan(request, {}, threads);
    guarded_buffer space(p.workspace_bytes);
    int calls = 0;
    const auto caller = std::this_thread::get_id();
    const std::function<bool(double)> stop = [&](double) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      return ++calls < 2;
    };
    EXPECT_THROW(cpu::cpu_engine().run(request, {}, {threads, space.bytes(), &stop}), cancelled);
    EXPECT_EQ(calls, 2);
  }
}

TEST(CpuEngine, PlanShowsItsSteps) {
  std::uint32_t anywhere = 0; // a plan reads no key
  const sort_request request{key_type::u32, 10'000'000, &anywhere, &anywhere};
  const sort_request fewer{key_type::u32, 3'000'000, &anywhere, &anywhere};
  const plan p = cpu::cpu_engine().make_plan(fewer, {}, 8);
  ASSERT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(p.steps[0].name, "scan");
  EXPECT_EQ(p.steps[1].name, "partition");
  EXPECT_EQ(p.steps[2].name, "local");
  EXPECT_GE(p.workspace_bytes, 12'000'000u);
  EXPECT_LT(p.workspace_bytes, 45'000'000u);
  if (cpu::best_vector_kernels<std::uint32_t>() == nullptr)
    return;
  const plan alone = cpu::cpu_engine().make_plan(request, {}, 2);
  ASSERT_EQ(alone.steps.size(), 2u);
  EXPECT_EQ(alone.steps[0].name, "split");
  EXPECT_LE(alone.workspace_bytes, std::size_t{1} << 20) << "counters of a small range for each thread";
  EXPECT_EQ(cpu::cpu_engine().make_plan(request, {}, 8).steps[0].name, "split") << "each thread has enough to sort";
  EXPECT_EQ(cpu::cpu_engine().make_plan(request, {}, 17).steps[0].name, "scan");
  options limited;
  limited.workspace_limit = std::size_t{3} << 20;
  const plan within = cpu::cpu_engine().make_plan(request, limited, 8);
  EXPECT_EQ(within.steps[0].name, "split") << "keys alone need no more than counters";
  EXPECT_LE(within.workspace_bytes, limited.workspace_limit);
  const sort_request floats{key_type::f32, 10'000'000, &anywhere, &anywhere};
  EXPECT_LE(cpu::cpu_engine().make_plan(floats, {}, 2).workspace_bytes, 42'000'000u) << "and room for zeros and NaNs";
}

} // namespace
} // namespace sortile
