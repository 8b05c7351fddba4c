// Engines by name: the list, the choice and its reason, SORTILE_ENGINE, plans as text.
#include "tests/expect_refusal.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace sortile::testing {
namespace {

/// What a test does in a process of its own, in which SORTILE_ENGINE has this value: the library reads it once.
template <class F>
void with_engine_variable(const char* value, F&& f) {
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // begins the process anew
  EXPECT_EXIT(
      {
        setenv("SORTILE_ENGINE", value, 1);
        f();
        std::exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "")
      << "SORTILE_ENGINE=" << value;
}

std::vector<std::uint32_t> keys = {3, 1, 2};
const sort_request request{.n = 3, .keys_in = keys.data(), .keys_out = keys.data()};

TEST(engines, are_listed_with_reasons) {
  const std::vector<engine_info> list = engines();
  const auto cpu = std::find_if(list.begin(), list.end(), [](const engine_info& e) { return e.name == "cpu"; });
  ASSERT_NE(cpu, list.end());
  EXPECT_TRUE(cpu->usable);
  for (const engine_info& e : list) {
    EXPECT_FALSE(e.name.empty());
    EXPECT_FALSE(e.description.empty()) << e.name;
    EXPECT_EQ(e.usable, e.reason.empty()) << e.name;
  }
}

TEST(engines, unknown_names_are_refused_with_the_usable_ones_listed) {
  const auto refused = [](const auto& call) {
    expect_refusal<unknown_engine>(call, status::unknown_engine, {"'quantum'", "cpu"});
  };
  const options opts{.engine = "quantum"};
  refused([&] { run(request, opts); });
  refused([&] { static_cast<void>(explain(request, opts)); });
  refused([&] { static_cast<void>(sortile::is_sorted(keys, opts)); });
  std::vector<std::uint32_t> out(6);
  refused([&] { sortile::merge(keys, keys, out, opts); });
  std::vector<std::uint64_t> positions(3);
  refused([&] { sortile::argsort_rows(std::array{by(keys)}, positions, opts); });
}

TEST(engines, that_cannot_run_here_say_why) {
  for (const engine_info& e : engines())
    if (!e.usable)
      expect_refusal<engine_unusable>([&] { run(request, {.engine = e.name}); }, status::engine_unusable,
                                      {e.name, e.reason, "cpu"});
}

TEST(engines, variable_is_honoured_and_its_bad_value_refused) {
  with_engine_variable("cpu", [] {
    const plan p = explain(request);
    EXPECT_EQ(p.engine, "cpu");
    EXPECT_NE(p.reason.find("SORTILE_ENGINE"), std::string::npos) << p.reason;
    EXPECT_NO_THROW(run(request));
  });
  with_engine_variable("quantum", [] {
    expect_refusal<unknown_engine>([] { run(request); }, status::unknown_engine, {"quantum", "SORTILE_ENGINE", "cpu"});
    for (int call = 0; call < 2; ++call)
      expect_refusal<unknown_engine>([] { sortile::sort(keys); }, status::unknown_engine, {"quantum"});
    EXPECT_NO_THROW(run(request, {.engine = "cpu"})) << "the option comes first";
    expect_refusal<unknown_engine>([] { sortile::sort(keys); }, status::unknown_engine, {"quantum"});
  });
  with_engine_variable("", [] { EXPECT_NO_THROW(run(request)) << "empty is as good as unset"; });
}

TEST(engines, variable_is_read_once) {
  with_engine_variable("cpu", [] {
    EXPECT_NO_THROW(run(request));
    setenv("SORTILE_ENGINE", "quantum", 1);
    EXPECT_NO_THROW(run(request));
    EXPECT_EQ(explain(request).engine, "cpu");
  });
}

TEST(explain, tells_engine_reason_steps_and_workspace) {
  std::vector<std::uint64_t> many(1'000'000);
  const sort_request large{.type = key_type::u64, .n = many.size(), .keys_in = many.data(), .keys_out = many.data()};
  const plan p = explain(large);
  EXPECT_FALSE(p.reason.empty());
  ASSERT_FALSE(p.steps.empty());
  std::uint64_t moved = 0;
  for (const plan_step& step : p.steps) {
    EXPECT_FALSE(step.name.empty());
    EXPECT_FALSE(step.detail.empty()) << step.name;
    moved += step.bytes_read + step.bytes_written;
  }
  EXPECT_GE(moved, 2 * many.size()) << "a sort reads and writes";
  EXPECT_EQ(p.workspace_bytes, workspace_bytes(large));
  const std::string text = to_string(p);
  for (const std::string& word :
       {p.engine, p.reason, p.steps[0].name, p.steps[0].detail, std::to_string(p.workspace_bytes)})
    EXPECT_NE(text.find(word), std::string::npos) << word << " is missing in\n" << text;
}

/// Engines that come before the chosen one are named with what keeps them from it, in words that need no source code.
TEST(explain, says_why_others_were_not_chosen) {
  const plan p = explain(request);
  for (const engine_info& e : engines()) {
    if (e.name == p.engine)
      break;
    EXPECT_NE(p.reason.find("'" + e.name + "' is not used: " + e.reason), std::string::npos) << p.reason;
  }
  EXPECT_EQ(p.reason.find("after "), std::string::npos) << p.reason;
  alignas(128) static std::byte nowhere[128];
  const options on_device{.engine = "cpu", .memory = memory::device};
  expect_refusal<engine_unusable>([&] { run({.n = 1, .keys_in = nowhere, .keys_out = nowhere}, on_device); },
                                  status::engine_unusable, {"'cpu'", "device memory"});
}

TEST(explain, needs_no_more_than_n_and_the_types) {
  std::vector<std::uint32_t> zeros(50'000), mixed(50'000);
  for (std::size_t i = 0; i < mixed.size(); ++i)
    mixed[i] = static_cast<std::uint32_t>(i * 2654435761u);
  const auto text = [](std::vector<std::uint32_t>& k) {
    return to_string(explain(sort_request{.n = k.size(), .keys_in = k.data(), .keys_out = k.data()}));
  };
  EXPECT_EQ(text(zeros), text(mixed));
}

TEST(workspace, is_linear) {
  const auto bytes_for = [](std::size_t n, key_type type, payload carries, std::size_t value_bytes) {
    // Addresses are checked for overlap and never followed here.
    const auto at = [](std::size_t address) { return reinterpret_cast<void*>(address); };
    const std::size_t base = std::size_t{1} << 40, apart = std::size_t{1} << 45;
    return workspace_bytes({.type = type,
                            .n = n,
                            .keys_in = at(base),
                            .keys_out = at(base),
                            .carries = carries,
                            .value_bytes = value_bytes,
                            .values_in = at(apart),
                            .values_out = at(apart)});
  };
  for (const key_type type : all_key_types) {
    const std::size_t large = std::size_t{1} << 30;
    EXPECT_LE(bytes_for(large, type, payload::none, 0), large * key_bytes(type) * 2 + (16u << 20)) << name(type);
    EXPECT_LE(bytes_for(large, type, payload::values, 8), large * (key_bytes(type) + 8) * 2 + (16u << 20))
        << name(type);
  }
}

} // namespace
} // namespace sortile::testing
