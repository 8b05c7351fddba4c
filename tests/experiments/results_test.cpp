// JSON read back, and the file of results.
#include "bench/classics/experiment.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

namespace sortile::experiments {
namespace {

std::string written_again(const std::string& text) {
  testing::json_writer out;
  parse_json(text).write(out);
  return out.text();
}

TEST(json, is_read_as_it_was_written) {
  const std::string text =
      written_again(R"({"a": [1, -2.5, 1e-9, true, false, null], "b": {"c\n\"": "\u00e9\\"}, "d": []})");
  EXPECT_EQ(written_again(text), text);
  const json_value v = parse_json(text);
  EXPECT_EQ(v.at("a").elements()[1].number(), -2.5);
  EXPECT_EQ(v.at("a").elements()[2].number(), 1e-9);
  EXPECT_EQ(v.at("b").at("c\n\"").text(), "é\\");
  EXPECT_EQ(v.find("e"), nullptr);
}

TEST(json, what_is_none_is_refused_with_its_line) {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "[1] 2", "nul", "\"open", "\"\\x\"", "[+1]", "[nan]", "[inf]"})
    EXPECT_THROW(parse_json(text), invalid_argument) << text;
  EXPECT_THROW(parse_json(std::string(100'000, '[')), invalid_argument);
  try {
    parse_json("[1,\n2,\n!]");
    FAIL();
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("line 3"), std::string::npos) << e.what();
  }
  EXPECT_THROW(parse_json("{}").at("a"), invalid_argument);
  EXPECT_THROW(parse_json("1").text(), invalid_argument);
}

results some_results() {
  results all{
      .environment = parse_json(R"({"cpu": "some", "copy_bytes_per_second": 3e12})"), .quick = true, .experiments = {}};
  all.experiments.push_back(
      {"sweeps",
       {{.facet = "coarsening",
         .series = "a",
         .x = 8,
         .n = std::uint64_t{1} << 40,
         .workload = "uniform",
         .seconds = {0.25, 0.123456789, 0.5},
         .figures = {{"bytes", 12.5}}},
        {.series = "b", .category = "one", .n = 3, .workload = "equal", .note = "not installed"}}});
  return all;
}

TEST(results, survive_their_file) {
  const std::string text = json_of(some_results());
  const results read = results_of(text);
  EXPECT_EQ(json_of(read), text);
  const point& first = read.experiments[0].points[0];
  EXPECT_EQ(first.median(), 0.25);
  EXPECT_EQ(first.n, std::uint64_t{1} << 40);
  EXPECT_EQ(first.figure("bytes"), 12.5);
  EXPECT_THROW(first.figure("none"), invalid_argument);
  EXPECT_EQ(read.experiments[0].points[1].note, "not installed");
  EXPECT_TRUE(read.quick);
}

TEST(results, another_file_is_refused) {
  EXPECT_THROW(results_of(R"({"format": "something else"})"), invalid_argument);
  EXPECT_THROW(results_of("{}"), invalid_argument);
  EXPECT_THROW(results_of(R"({"format": "sortile-bench-classics 1"})"), invalid_argument);
}

TEST(tables, are_padded_markdown) {
  EXPECT_EQ(markdown({{"a", "µs"}, {"long", "1"}}), "| a    |  µs |\n|------|----:|\n| long |   1 |\n");
}

TEST(texts, have_three_figures) {
  EXPECT_EQ(duration_text(1.2345e-5), "12.3 µs");
  EXPECT_EQ(duration_text(0.123456), "123 ms");
  EXPECT_EQ(duration_text(5.5), "5.5 s");
  EXPECT_EQ(figures_text(123456), "123456");
  EXPECT_EQ(figures_text(0.012345), "0.0123");
  EXPECT_EQ(power_text(1048576), "2^20");
  EXPECT_EQ(power_text(32), "32");
  EXPECT_EQ(power_text(65535), "65535");
}

} // namespace
} // namespace sortile::experiments
