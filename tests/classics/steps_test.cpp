// Steps: no two classics of a family tell the same of the same keys, on few keys blocks work together, own keys and
// values are what was asked for, worked examples are of every classic.
#include "classics/examples.hpp"
#include "classics/runner.hpp"
#include "simt/executor/observer.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace sortile::classics {
namespace {

engine home_of(const classic& c) {
  return c.place == place::host ? engine::host : engine::executor;
}

std::vector<step> told(const classic& c, const request& asked) {
  machine m(executor::device_options{});
  std::vector<step> steps;
  const outcome result = run(c, asked, home_of(c), m, 1, &steps);
  EXPECT_TRUE(result.verdict) << result.verdict.complaint;
  return steps;
}

/// What lies between the input and the result.
std::string text_between(std::vector<step> steps) {
  EXPECT_EQ(steps.front().title, "input");
  EXPECT_EQ(steps.back().title, "result");
  steps.erase(steps.begin());
  steps.pop_back();
  return to_text(steps);
}

/// Whether its input is the workload's keys as they are.
bool takes_any_keys(const classic& c) {
  return c.task == &exclusive_scan || (c.task->prepare == nullptr && c.task->parse == nullptr);
}

TEST(steps, no_two_variants_of_a_family_tell_the_same) {
  unsigned compared = 0;
  for (const std::uint64_t n : {8u, 16u, 40u})
    for (const char* workload : {"range:1000", "range:200", "range:10", "uniform", "sorted", "reversed", "equal"}) {
      std::map<std::string_view, std::map<std::string, std::string_view>> seen; // by family and text
      for (const classic& c : all_classics()) {
        if (!takes_any_keys(c))
          continue;
        const request asked{.n = n,
                            .type = c.takes(key_type::u32) ? key_type::u32 : c.types[0],
                            .workload = workload,
                            .parameters = parameters_to_follow(c, n)};
        const auto [at, is_new] = seen[c.family].emplace(text_between(told(c, asked)), c.name);
        EXPECT_TRUE(is_new) << n << ' ' << workload << ": " << c.name << " tells what " << at->second << " tells:\n"
                            << at->first;
        compared += !is_new || seen[c.family].size() > 1;
      }
    }
  EXPECT_GT(compared, 21u * 40);
}

TEST(steps, sixteen_keys_in_four_blocks_are_in_order_within_blocks) {
  request asked{.n = 16, .parameters = {{"tile", 4}}};
  for (const unsigned key : {12, 3, 6, 9, 15, 8, 5, 10, 9, 6, 11, 13, 4, 10, 7, 0})
    asked.keys.push_back(std::to_string(key));
  asked.bits = {0, 4};
  const std::vector<step> steps = told(classic_named("radix-1bit-local"), asked);
  ASSERT_EQ(steps.size(), 6u); // input, four bits, result
  for (unsigned bit = 0; bit < 4; ++bit) {
    const step& pass = steps[bit + 1];
    const row& sorted = pass.rows[1];
    ASSERT_EQ(sorted.label, "tiles sorted");
    EXPECT_EQ(sorted.bounds, (std::vector<std::uint64_t>{4, 8, 12}));
    for (std::size_t i = 0; i < 16; ++i)
      if (i % 4 != 0) {
        EXPECT_LE((std::stoul(sorted.cells[i - 1]) >> bit) & 1, (std::stoul(sorted.cells[i]) >> bit) & 1);
      }
    EXPECT_EQ(std::count_if(pass.rows.begin(), pass.rows.end(), [](const row& r) { return r.table != ""; }), 4);
    EXPECT_EQ(pass.arrows.size(), 16u);
    EXPECT_EQ(pass.rows.back().label, "from block");
  }
  const std::vector<std::string> all_in_order = {"0", "3", "4",  "5",  "6",  "6",  "7",  "8",
                                                 "9", "9", "10", "10", "11", "12", "13", "15"};
  EXPECT_EQ(steps.back().rows[0].cells, all_in_order);
}

TEST(steps, arrows_lead_from_each_key_to_where_it_went) {
  request asked{.n = 5, .keys = {"5", "2", "7", "4", "1"}};
  asked.bits = {0, 1};
  const std::vector<step> steps = told(classic_named("radix-1bit"), asked);
  const step& pass = steps[1];
  const auto keys_of = [](const step& s, bool last) {
    std::vector<std::string> found;
    for (const row& r : s.rows)
      if (r.kind == cell_kind::keys && (found.empty() || last))
        found = r.cells;
    return found;
  };
  const auto before = keys_of(pass, false), after = keys_of(pass, true);
  ASSERT_EQ(pass.arrows.size(), 5u);
  for (const arrow& a : pass.arrows)
    EXPECT_EQ(before[a.from], after[a.to]);
  EXPECT_EQ(after, (std::vector<std::string>{"2", "4", "5", "7", "1"}));
}

TEST(steps, a_comparator_is_marked_where_it_exchanged) {
  const std::vector<step> steps = told(classic_named("transposition"), {.n = 4, .keys = {"3", "2", "0", "1"}});
  ASSERT_EQ(steps[1].wires.size(), 2u);
  EXPECT_TRUE(steps[1].wires[0].exchanged);
  EXPECT_FALSE(steps[1].wires[1].exchanged);
  EXPECT_NE(to_text(steps[1]).find("0<1* 2<3"), std::string::npos) << to_text(steps[1]);
}

TEST(own_keys, are_taken_as_they_are_and_carry_named_values) {
  request asked{.n = 3, .type = key_type::i32, .pairs = true, .keys = {"4", "-7", "4"}, .values = {"a", "b", "c"}};
  const std::vector<step> steps = told(classic_named("rank"), asked);
  EXPECT_EQ(steps.back().rows[0].cells, (std::vector<std::string>{"-7/b", "4/a", "4/c"}));
}

TEST(own_keys, that_are_none_are_refused) {
  machine m(executor::device_options{});
  const auto refused = [&](const request& asked, const std::string& part) {
    try {
      run(classic_named("radix-1bit"), asked, engine::executor, m);
      ADD_FAILURE() << part;
    } catch (const invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  refused({.n = 1, .keys = {"x"}}, "'x' is no u32 key");
  refused({.n = 1, .keys = {"-1"}}, "'-1' is no u32 key");
  refused({.n = 1, .keys = {"4294967296"}}, "u32");
  refused({.n = 1, .keys = {"1/70000"}}, "70000");
  refused({.n = 2, .keys = {"1"}}, "1 keys for n = 2");
  refused({.n = 1, .keys = {"1"}, .values = {"a"}}, "values");
  EXPECT_THROW(run(classic_named("bitonic-merge"), {.n = 4, .keys = {"1", "3", "2", "4"}}, engine::executor, m),
               invalid_argument);
}

TEST(notations, say_the_bits_of_a_key) {
  const std::uint32_t key = 41u << 16 | 7;
  EXPECT_EQ(key_as_text(key_type::u32, &key, notation::decimal, 32), std::to_string(key));
  EXPECT_EQ(key_as_text(key_type::u32, &key, notation::binary, 4), "0111");
  EXPECT_EQ(key_as_text(key_type::u32, &key, notation::hexadecimal, 24), "290007");
  EXPECT_EQ(key_as_text(key_type::u32, &key, notation::halves, 32), "41/7");
  for (const char* text : {"41/7", "0x290007", "0b1010010000000000000111", "2686983"}) {
    std::uint32_t parsed = 0;
    parse_key(key_type::u32, text, &parsed);
    EXPECT_EQ(parsed, key) << text;
  }
  EXPECT_THROW(notation_named("roman"), invalid_argument);
}

TEST(examples, are_right_and_of_every_classic) {
  for (const example& e : all_examples()) {
    SCOPED_TRACE(std::string(e.name));
    const classic& c = classic_named(e.classic);
    EXPECT_FALSE(e.look.empty());
    EXPECT_EQ(e.asked.keys.size(), e.asked.n);
    EXPECT_GE(told(c, e.asked).size(), 3u);
    machine checked(executor::device_options{.seed = 7, .checks = executor::all_checks});
    EXPECT_TRUE(run(c, e.asked, home_of(c), checked).verdict);
  }
  for (const classic& c : all_classics())
    EXPECT_NE(first_example_of(c.name), nullptr) << c.name << " has no worked example";
}

/// How many blocks the widest launch has, and how many launches there are.
struct launch_shapes : executor::observer {
  std::uint64_t widest = 0, launches = 0;
  void launch_begins(const executor::launch_shape& l) override {
    widest = std::max(widest, std::uint64_t{l.dims.grid[0]} * l.dims.grid[1] * l.dims.grid[2]);
    ++launches;
  }
};

/// What blocks do together has to be seen on some example; the scans of one block have no more, and quicksort-launching
/// launches a block for each part.
TEST(examples, blocks_work_together) {
  for (const classic& c : all_classics()) {
    launch_shapes of_examples;
    for (const example& e : all_examples()) {
      if (e.classic != c.name || c.place == place::host)
        continue;
      machine m(executor::device_options{.checks = executor::check::counters});
      const executor::observing now(of_examples);
      EXPECT_TRUE(run(c, e.asked, engine::executor, m).verdict) << e.name;
    }
    if (c.place == place::device && c.tile != 0) {
      EXPECT_GT(c.name == "quicksort-launching" ? of_examples.launches : of_examples.widest, 1u)
          << c.name << " has no example in which a launch has two blocks";
    }
  }
}

} // namespace
} // namespace sortile::classics
