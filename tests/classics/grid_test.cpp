// Every classic over an adversarial grid. Each test is one classic; what it declares is what is run:
//   every workload at every length of the grid, each under a checked schedule of its own; lengths that span tiles under
//   two. Types, directions, payloads, windows of bits and parameters are drawn for each, and all must have been;
//   every length from 0 to 70, each under a schedule of its own;
//   every type × direction × payload × end of a parameter's range, unchecked;
//   its twin on the GPU, where there is one.
// Short tests (tests/short_tests.hpp) run one in eight of the grid, one in three of the types, directions and ends, and
// of the lengths those about a warp's and one in six.
//
// A failure prints its schedule. SORTILE_EXECUTOR_SEED=<schedule> runs that case alone: no two of the gallery share
// one.
#include "classics/runner.hpp"
#include "testing/workloads.hpp"
#include "tests/short_tests.hpp"

#include <sortile/device.hpp>

#include <gtest/gtest.h>

#include <set>

namespace sortile::classics {
namespace {

using testing::random_bits;

constexpr std::uint64_t schedules_a_classic = 1000, first_of_lengths = 900; // numbers, not all of them used

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

/// A window of few bits keeps a radix sort's passes few, so that many schedules are affordable.
bit_window narrow_window(const classic& c, key_type type, draws& draw) {
  if (!c.task->has_direction)
    return {};
  const unsigned width = key_bits(type), kept = 2 + static_cast<unsigned>(draw.below(4));
  const unsigned begin = static_cast<unsigned>(draw.below(width - kept + 1));
  return {begin, begin + kept};
}

/// The ends of a parameter's range, its usual value, or any.
unsigned some_value(const parameter& p, draws& draw) {
  const unsigned corners[] = {p.least, p.usual, p.most};
  if (const std::uint64_t corner = draw.below(4); corner < std::size(corners))
    return corners[corner];
  for (;;) {
    const unsigned value = p.least + static_cast<unsigned>(draw.below(p.most - p.least + 1));
    if (p.allows(value))
      return value;
  }
}

/// A request of n keys of a workload, the rest drawn; no workload: any.
request drawn(const classic& c, std::uint64_t n, std::uint64_t seed, const testing::workload_info* info = nullptr) {
  draws draw(seed);
  while (info == nullptr || (info->floats_only && std::none_of(c.types.begin(), c.types.end(), is_float)))
    info = &draw.one_of(testing::all_workloads());
  request asked{.n = n, .workload = std::string(info->name), .seed = seed};
  do
    asked.type = draw.one_of(c.types);
  while (info->floats_only && !is_float(asked.type));
  asked.direction = c.task->has_direction && draw.below(2) ? order::descending : order::ascending;
  asked.pairs = c.pairs && draw.below(2) != 0;
  if (draw.below(n <= 300 ? 4 : 16) != 0) // the rest sort whole keys
    asked.bits = narrow_window(c, asked.type, draw);
  for (const parameter& p : c.parameters)
    asked.parameters[std::string(p.name)] = some_value(p, draw);
  return asked;
}

struct grid_case {
  request asked;
  std::uint64_t schedule; ///< the seed of the executor, too
  bool spans;             ///< several tiles
};

/// Three tiles, the last of them not full, whatever the parameters.
std::uint64_t spanning_length(const classic& c) {
  return std::min(2 * std::max<std::uint64_t>(c.tile, 512) + 17, c.largest_n);
}

/// Small tiles are for few keys: 24 of the smallest, the last of them not full.
std::uint64_t most_for(const classic& c, const request& asked) {
  std::uint64_t most = c.largest_n;
  for (const parameter& p : c.parameters)
    if (const auto given = asked.parameters.find(std::string(p.name)); p.is_tile && given != asked.parameters.end())
      most = std::min(most, 24 * std::uint64_t{given->second} + 17);
  return most;
}

/// The first of the schedules that are this classic's alone.
std::uint64_t first_schedule(const classic& c) {
  return schedules_a_classic * static_cast<std::uint64_t>(&c - all_classics().data()) + 1;
}

std::vector<grid_case> grid_of(const classic& c) {
  const std::uint64_t tile = std::max<std::uint64_t>(c.tile, 512), spanning = spanning_length(c);
  std::vector<grid_case> all;
  const auto add = [&](std::uint64_t n, const testing::workload_info& info) {
    const std::uint64_t schedule = first_schedule(c) + all.size();
    all.push_back(
        {drawn(c, std::min(n, c.largest_n), schedule, &info), schedule, std::min(n, c.largest_n) == spanning});
    request& asked = all.back().asked;
    asked.n = std::min(asked.n, most_for(c, asked));
  };
  for (const testing::workload_info& info : testing::all_workloads()) {
    if (info.floats_only && std::none_of(c.types.begin(), c.types.end(), is_float))
      continue;
    for (const std::uint64_t n :
         {std::uint64_t{1}, std::uint64_t{33}, std::uint64_t{300}, tile - 1, tile + 1, spanning, spanning})
      add(n, info);
  }
  return all;
}

/// The only schedule to run, or 0.
std::uint64_t only_schedule() {
  return executor::options_from_environment({.seed = 0}).seed;
}

void expect_right(const classic& c, const request& asked, engine kind, machine& on, std::uint64_t seed) {
  try {
    const outcome result = run(c, asked, kind, on);
    ASSERT_TRUE(result.verdict) << result.verdict.complaint << "\n  SORTILE_EXECUTOR_SEED=" << seed << " repeats it";
  } catch (const std::exception& e) {
    FAIL() << to_string(c, asked) << "\n  SORTILE_EXECUTOR_SEED=" << seed << ": " << e.what();
  }
}

void expect_right_at_home(const classic& c, const request& asked) {
  machine fast(executor::device_options{});
  expect_right(c, asked, home_of(c), fast, 0);
}

void expect_right_on_schedule(const classic& c, const request& asked, std::uint64_t seed) {
  machine checked(executor::options_from_environment({.seed = seed, .checks = executor::all_checks}));
  expect_right(c, asked, home_of(c), checked, seed);
}

class every_classic : public ::testing::TestWithParam<std::string> {
 protected:
  const classic& c = classic_named(GetParam());
};

TEST_P(every_classic, does_all_that_it_declares) {
  testing::one_in taken(3);
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
            asked.n = std::min(asked.n, most_for(c, asked));
            if (c.task->has_direction)
              asked.bits = {5, 14};
            if (!taken())
              continue;
            ASSERT_NO_FATAL_FAILURE(expect_right_at_home(c, asked));
          }
      }
}

TEST_P(every_classic, is_right_over_the_grid_on_every_schedule) {
  const std::vector<grid_case> grid = grid_of(c);
  ASSERT_LT(grid.size(), first_of_lengths);
  std::uint64_t schedules = 0, with_several_tiles = 0;
  testing::one_in taken(8); // the grid has seven lengths a workload: each is met, and each workload
  for (const grid_case& one : grid) {
    if (only_schedule() != 0 ? only_schedule() != one.schedule : !taken())
      continue;
    ASSERT_NO_FATAL_FAILURE(expect_right_on_schedule(c, one.asked, one.schedule));
    ++schedules;
    with_several_tiles += one.spans ? 1 : 0;
  }
  if (only_schedule() == 0) {
    EXPECT_GE(schedules, testing::unless_short(64u, 12u));
    EXPECT_GE(with_several_tiles, 2 * grid.size() / 7 / testing::unless_short(1u, 9u));
  }
}

TEST_P(every_classic, is_asked_for_all_that_it_declares_on_several_tiles) {
  std::set<std::string> drawn;
  for (const grid_case& one : grid_of(c)) {
    const request& asked = one.asked;
    if (!one.spans)
      continue;
    drawn.insert(std::string(name(asked.type)));
    drawn.insert(asked.direction == order::ascending ? "ascending" : "descending");
    drawn.insert(asked.pairs ? "pairs" : "keys");
    for (const auto& [parameter, value] : asked.parameters)
      drawn.insert(parameter + "=" + std::to_string(value));
  }
  const auto expect_drawn = [&](const std::string& what) { EXPECT_EQ(drawn.count(what), 1u) << what; };
  for (const key_type type : c.types)
    expect_drawn(std::string(name(type)));
  expect_drawn("ascending");
  if (c.task->has_direction)
    expect_drawn("descending");
  expect_drawn("keys");
  if (c.pairs)
    expect_drawn("pairs");
  for (const parameter& p : c.parameters)
    for (const unsigned value : {p.least, p.usual, p.most})
      expect_drawn(std::string(p.name) + "=" + std::to_string(value));
}

TEST_P(every_classic, sorts_every_length_from_0_to_70) {
  for (std::uint64_t n = 0; n <= 70; ++n) {
    const std::uint64_t schedule = first_schedule(c) + first_of_lengths + n;
    const bool taken = !testing::short_tests() || n % 6 == 1 || n % 32 <= 2 || n % 32 == 31;
    if (only_schedule() == 0 ? taken : only_schedule() == schedule) {
      ASSERT_NO_FATAL_FAILURE(expect_right_on_schedule(c, drawn(c, std::min(n, c.largest_n), schedule), schedule));
    }
  }
}

TEST_P(every_classic, is_right_on_the_gpu) {
  if (first_usable_device() == nullptr)
    GTEST_SKIP() << "no usable GPU";
  if (c.place == place::host)
    GTEST_SKIP() << "a sort of the host";
  machine gpu = machine::cuda();
  for (const std::uint64_t n : {0u, 1u, 31u, 33u, 1000u, 4097u, 100'000u, 1'234'567u})
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      request asked = drawn(c, std::min<std::uint64_t>(n, c.largest_n), 64 * n + seed);
      asked.n = std::min(asked.n, 64 * most_for(c, asked));
      ASSERT_NO_FATAL_FAILURE(expect_right(c, asked, engine::cuda, gpu, seed));
    }
}

std::vector<std::string> names_of_classics() {
  std::vector<std::string> names;
  for (const classic& c : all_classics())
    names.emplace_back(c.name);
  return names;
}

TEST(the_grid, has_the_schedule_that_is_asked_for) {
  if (only_schedule() == 0)
    return;
  const std::uint64_t place = (only_schedule() - 1) / schedules_a_classic,
                      within = (only_schedule() - 1) % schedules_a_classic;
  const auto known = [&] {
    return place < all_classics().size() && (within < grid_of(all_classics()[place]).size() ||
                                             (within >= first_of_lengths && within <= first_of_lengths + 70));
  };
  EXPECT_TRUE(known()) << "SORTILE_EXECUTOR_SEED=" << only_schedule() << ": no case of the grid has this schedule";
}

INSTANTIATE_TEST_SUITE_P(gallery, every_classic, ::testing::ValuesIn(names_of_classics()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
} // namespace sortile::classics
