// Guarded buffers, interleaved timing, JSON, kept results, environment.
#include "testing/environment.hpp"
#include "testing/guarded_buffer.hpp"
#include "testing/race.hpp"
#include "testing/results.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <regex>
#include <thread>

namespace sortile::testing {
namespace {

TEST(guarded_buffer, begins_where_it_is_told) {
  for (const std::size_t offset : {0u, 1u, 4u, 16u, 63u}) {
    const guarded_buffer buffer(100, offset);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 128, offset);
  }
}

#if !defined(__SANITIZE_ADDRESS__) // which stops the program at the very write
TEST(guarded_buffer, finds_writes_outside) {
  for (const std::ptrdiff_t where : {-1, -1000, 100, 900}) {
    guarded_buffer buffer(100, 3);
    EXPECT_EQ(buffer.damage(), "");
    buffer.data()[where] ^= std::byte{1};
    const std::string expected =
        where < 0 ? std::to_string(-where) + " before" : std::to_string(where - 100) + " after";
    EXPECT_NE(buffer.damage().find(expected), std::string::npos) << buffer.damage();
    buffer.data()[where] ^= std::byte{1};
    EXPECT_EQ(buffer.damage(), "");
  }
}
#endif

TEST(guarded_buffer, poisons_by_seed) {
  guarded_buffer a(37, 0, 1), b(37, 5, 1), c(37, 0, 2);
  EXPECT_TRUE(std::equal(a.data(), a.data() + 37, b.data()));
  EXPECT_FALSE(std::equal(a.data(), a.data() + 37, c.data()));
  const guarded_buffer moved = std::move(a);
  EXPECT_EQ(moved.damage(), "");
}

TEST(race, takes_turns_and_prepares_before_each_run) {
  std::string log;
  const std::vector<contender> contenders = {{"a", [&] { log += "("; }, [&] { log += "a)"; }},
                                             {"b", [&] { log += "["; }, [&] { log += "b]"; }}};
  const std::vector<timing> timings = race(contenders, {.repetitions = 8, .warmups = 1});
  ASSERT_EQ(log.size(), 9 * 6u);
  std::size_t a_first = 0;
  for (std::size_t round = 0; round < 9; ++round) {
    const std::string turn = log.substr(6 * round, 6);
    EXPECT_TRUE(turn == "(a)[b]" || turn == "[b](a)") << turn;
    a_first += turn[0] == '(';
  }
  EXPECT_GT(a_first, 1u);
  EXPECT_LT(a_first, 9u) << "the order changes";
  EXPECT_EQ(timings[1].name, "b");
  EXPECT_EQ(timings[1].seconds.size(), 8u);
}

TEST(race, lets_the_slow_sit_out) {
  int slow = 0, fast = 0;
  const std::vector<contender> contenders = {{"slow", [] {},
                                              [&] {
                                                ++slow;
                                                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                              }},
                                             {"fast", [] {}, [&] { ++fast; }}};
  const std::vector<timing> timings =
      race(contenders, {.repetitions = 9, .least_repetitions = 2, .warmups = 0, .budget_seconds = 0.015});
  EXPECT_EQ(slow, 2);
  EXPECT_EQ(fast, 9);
  EXPECT_GT(timings[0].fastest(), 0.015);
}

TEST(timing, gives_median_fastest_and_noise) {
  const timing t{"t", {5, 1, 2, 2, 100}};
  EXPECT_EQ(t.median(), 2);
  EXPECT_EQ(t.fastest(), 1);
  EXPECT_EQ(t.noise(), 0.5);
  EXPECT_EQ((timing{"even", {1, 3}}).median(), 2);
}

results_file some_results() {
  results_file all{.suite = "cpu", .environment = {{"cpu", "a \"b\""}, {"cpus", 2.0}}, .settings = {{"quick", true}}};
  all.rows.push_back({.type = "u32+u32",
                      .workload = "and:3",
                      .n = std::uint64_t{1} << 40,
                      .contender = "std::sort",
                      .labels = {{"cache", "cold"}, {"stable", false}, {"x", 0.5}},
                      .median = 0.1,
                      .noise = 0.25,
                      .figures = {{"bytes", 12.5}, {"arrays", 3}},
                      .seconds = {0.125, 0.1, 0.07}});
  all.rows.push_back({.type = "f32", .workload = "unit", .n = 1, .contender = "b", .note = "not installed"});
  return all;
}

TEST(results, are_read_as_they_were_written) {
  const std::string text = text_of(some_results());
  const results_file read = results_in(text, "cpu");
  EXPECT_EQ(text_of(read), text);
  EXPECT_EQ(read.environment, some_results().environment);
  EXPECT_EQ(read.settings, some_results().settings);
  ASSERT_EQ(read.rows.size(), 2u);
  EXPECT_EQ(read.rows[0].labels, some_results().rows[0].labels);
  EXPECT_EQ(read.rows[0].n, std::uint64_t{1} << 40);
  EXPECT_EQ(read.rows[0].seconds, some_results().rows[0].seconds);
  EXPECT_EQ(read.rows[0].figures, some_results().rows[0].figures);
  EXPECT_NE(text.find("\"min\":0.07"), std::string::npos) << text;
  EXPECT_NE(text.find("\"arrays\":3"), std::string::npos) << "whole numbers without a point: " << text;
  EXPECT_EQ(read.rows[1].note, "not installed");
  EXPECT_EQ(read.rows[1].median, 0);
}

std::string refusal_of(const std::string& text) {
  try {
    results_in(text, "cpu");
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "taken";
}

TEST(results, of_another_format_are_refused_with_the_place) {
  for (const char* text : {"", "{", "[1,]", "nul", "{}", "[]", "{\"format\": \"sortile-results 1\"}", "1"})
    EXPECT_NE(refusal_of(text), "taken") << text;
  EXPECT_NE(refusal_of("{\n\"a\": 1,\n!}").find("line 3"), std::string::npos) << refusal_of("{\n\"a\": 1,\n!}");
  EXPECT_NE(refusal_of(std::string(100'000, '[')), "taken");
  const std::string good = text_of(some_results());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(refusal_of(good), "taken");
  EXPECT_NE(refusal_of(with("\"cpu\",", "\"gpu\",")).find("suite"), std::string::npos);
  EXPECT_NE(refusal_of(with("\"n\":", "\"m\":")).find("no member n"), std::string::npos);
  EXPECT_NE(refusal_of(with("\"median\":0.1", "\"median\":-1")).find("std::sort"), std::string::npos);
  EXPECT_NE(refusal_of(with("\"type\":\"f32\"", "\"type\":[]")).find("type must be string"), std::string::npos);
}

TEST(environment, knows_where_it_runs) {
  const environment e = capture_environment();
  EXPECT_GT(e.cpus, 0u);
  EXPECT_EQ(e.date.size(), 20u) << e.date;
  EXPECT_FALSE(e.compiler.empty());
  EXPECT_TRUE(std::regex_match(e.revision, std::regex("unknown|[0-9a-f]{12,}\\+?"))) << e.revision;
  EXPECT_NE(to_string(e).find(e.cpu), std::string::npos);
}

} // namespace
} // namespace sortile::testing
