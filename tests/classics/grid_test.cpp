// Every classic over an adversarial grid. Each test is one classic; what it declares is what is run:
//   every type × direction × payload × end of a parameter's range, once;
//   lengths around tiles and warps, each on other workloads, under at least 64 checked schedules;
//   every workload at a length of several tiles;
//   its twin on the GPU, where there is one.
#include "classics/runner.hpp"
#include "testing/workloads.hpp"

#include <sortile/device.hpp>

#include <gtest/gtest.h>

namespace sortile::classics {
namespace {

using testing::random_bits;

constexpr std::uint64_t schedules = 72;

engine home_of(const classic& c) {
  return c.place == place::host ? engine::host : engine::executor;
}

/// Draws of a test case: number i of a seed.
class draws {
 public:
  explicit draws(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return random_bits(seed_, i_++) % bound; }
  template <class Range>
  const auto& one_of(const Range& range) {
    return range[below(std::size(range))];
  }

 private:
  std::uint64_t seed_, i_ = 0;
};

std::string some_workload(key_type type, draws& draw) {
  for (;;) {
    const testing::workload_info& info = draw.one_of(testing::all_workloads());
    if (!info.floats_only || is_float(type))
      return std::string(info.name);
  }
}

/// A window of few bits keeps a radix sort's passes few, so that many schedules are affordable.
bit_window narrow_window(const classic& c, key_type type, draws& draw) {
  if (!c.task->has_direction)
    return {};
  const unsigned width = key_bits(type), kept = 2 + static_cast<unsigned>(draw.below(4));
  const unsigned begin = static_cast<unsigned>(draw.below(width - kept + 1));
  return {begin, begin + kept};
}

request drawn(const classic& c, std::uint64_t n, std::uint64_t seed) {
  draws draw(seed);
  request asked{.n = n, .type = draw.one_of(c.types), .seed = seed};
  asked.workload = some_workload(asked.type, draw);
  asked.direction = c.task->has_direction && draw.below(2) ? order::descending : order::ascending;
  asked.pairs = c.pairs && draw.below(2) != 0;
  if (draw.below(4) != 0) // the rest sort whole keys
    asked.bits = narrow_window(c, asked.type, draw);
  for (const parameter& p : c.parameters) {
    unsigned value;
    do
      value = p.least + static_cast<unsigned>(draw.below(p.most - p.least + 1));
    while (!p.allows(value));
    asked.parameters[std::string(p.name)] = value;
  }
  return asked;
}

void expect_right(const classic& c, const request& asked, engine kind, machine& on, std::uint64_t seed) {
  try {
    const outcome result = run(c, asked, kind, on);
    ASSERT_TRUE(result.verdict) << result.verdict.complaint << "\n  under schedule seed " << seed;
  } catch (const std::exception& e) {
    FAIL() << to_string(c, asked) << "\n  under schedule seed " << seed << ": " << e.what();
  }
}

void expect_right_at_home(const classic& c, const request& asked) {
  machine fast(executor::device_options{});
  expect_right(c, asked, home_of(c), fast, 0);
}

void expect_right_on_schedule(const classic& c, const request& asked, std::uint64_t seed) {
  machine checked(executor::device_options{.seed = seed, .checks = executor::all_checks});
  expect_right(c, asked, home_of(c), checked, seed);
}

class every_classic : public ::testing::TestWithParam<std::string> {
 protected:
  const classic& c = classic_named(GetParam());
};

TEST_P(every_classic, does_all_that_it_declares) {
  for (const key_type type : c.types)
    for (const order direction : {order::ascending, order::descending})
      for (const bool pairs : {false, true}) {
        if ((direction == order::descending && !c.task->has_direction) || (pairs && !c.pairs))
          continue;
        const request plain{.n = 700,
                            .type = type,
                            .workload = is_float(type) ? "specials" : "and:1",
                            .direction = direction,
                            .pairs = pairs};
        ASSERT_NO_FATAL_FAILURE(expect_right_at_home(c, plain));
        for (const parameter& p : c.parameters)
          for (const unsigned value : {p.least, p.most}) {
            request asked = plain;
            asked.parameters[std::string(p.name)] = value;
            if (c.task->has_direction)
              asked.bits = {5, 14};
            ASSERT_NO_FATAL_FAILURE(expect_right_at_home(c, asked));
          }
      }
}

TEST_P(every_classic, is_right_on_every_schedule) {
  // Most sizes are small: none, one, warps, a block and its neighbours; then some tiles.
  static constexpr std::uint64_t sizes[] = {0,   1,   2,   3,   5,   31,  32,  33,  63,  64,   65,   100,  127,  128,
                                            129, 255, 256, 257, 300, 511, 512, 513, 700, 1023, 1024, 1025, 1600, 2049};
  for (std::uint64_t seed = 1; seed <= schedules; ++seed)
    ASSERT_NO_FATAL_FAILURE(
        expect_right_on_schedule(c, drawn(c, std::min(sizes[seed % std::size(sizes)], c.largest_n), seed), seed));
}

TEST_P(every_classic, sorts_every_length_from_0_to_70) {
  for (std::uint64_t n = 0; n <= 70; ++n)
    ASSERT_NO_FATAL_FAILURE(expect_right_at_home(c, drawn(c, std::min(n, c.largest_n), 1000 + n)));
}

TEST_P(every_classic, sorts_every_workload) {
  for (const testing::workload_info& info : testing::all_workloads())
    for (const key_type type : {c.types.front(), c.types.back()})
      if (!info.floats_only || is_float(type)) {
        request asked = drawn(c, std::min<std::uint64_t>(1200, c.largest_n), 2000 + info.name.size());
        asked.type = type;
        asked.workload = std::string(info.name);
        asked.bits = {};
        ASSERT_NO_FATAL_FAILURE(expect_right_at_home(c, asked));
      }
}

TEST_P(every_classic, is_right_on_the_gpu) {
  if (first_usable_device() == nullptr)
    GTEST_SKIP() << "no usable GPU";
  if (c.place == place::host)
    GTEST_SKIP() << "a sort of the host";
  machine gpu = machine::cuda();
  for (const std::uint64_t n : {0u, 1u, 31u, 33u, 1000u, 4097u, 100'000u, 1'234'567u})
    for (std::uint64_t seed = 1; seed <= 8; ++seed)
      ASSERT_NO_FATAL_FAILURE(
          expect_right(c, drawn(c, std::min<std::uint64_t>(n, c.largest_n), 64 * n + seed), engine::cuda, gpu, seed));
}

std::vector<std::string> names_of_classics() {
  std::vector<std::string> names;
  for (const classic& c : all_classics())
    names.emplace_back(c.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(gallery, every_classic, ::testing::ValuesIn(names_of_classics()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
} // namespace sortile::classics
