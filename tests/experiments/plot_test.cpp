// The plotting module: what stands on the page, and what is refused.
#include "bench/classics/plot/chart.hpp"
#include "bench/classics/plot/scale_map.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace sortile::plot {
namespace {

chart two_lines() {
  return {.name = "test",
          .title = "a < b & c",
          .subtitle = "below",
          .x = {"n", scale::powers_of_two},
          .y = {"ms", scale::decades},
          .lines = {{"first", {{1024, 0.5}, {4096, 20}}}, {"second, of two", {{1024, 3}}}}};
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(chart, draws_a_marker_for_each_value_and_each_line_of_the_legend) {
  const std::string svg = svg_of(two_lines());
  EXPECT_EQ(occurrences(svg, "<circle"), 3u);               // two values and the legend's
  EXPECT_EQ(occurrences(svg, "<polygon class=\"s1\""), 2u); // one value and the legend's
  EXPECT_EQ(occurrences(svg, "<polyline class=\"line s0\""), 2u);
  EXPECT_EQ(occurrences(svg, "<polyline class=\"line s1\""), 1u) << "one value makes no line";
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(svg.find("a < b"), std::string::npos);
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(svg.find(">2¹⁰<"), std::string::npos);
}

TEST(chart, stays_within_its_frame) {
  const axis y{"ms", scale::decades};
  const scale_map to_page(y, 0.001, 5000, 400, 66);
  EXPECT_GT(to_page(5000), 66);
  EXPECT_LT(to_page(0.001), 400);
  EXPECT_NEAR(to_page(1) - to_page(10), to_page(10) - to_page(100), 1e-9);
  for (const tick& t : to_page.ticks()) {
    EXPECT_GE(to_page(t.at), 66) << t.label;
    EXPECT_LE(to_page(t.at), 400) << t.label;
  }
}

TEST(chart, draws_bars_over_categories) {
  chart bars = two_lines();
  bars.x = {"", scale::categories, {"one", "two"}};
  bars.bars = true;
  bars.lines = {{"first", {{0, 0.5}, {1, 20}}}, {"second", {{1, 3}}}};
  EXPECT_EQ(occurrences(svg_of(bars), "<rect class=\"s0\""), 3u);
  EXPECT_EQ(csv_of(bars), "series,,ms\nfirst,one,0.5\nfirst,two,20\nsecond,two,3\n");
}

TEST(chart, quotes_what_a_csv_must_quote) {
  EXPECT_EQ(csv_of(two_lines()), "series,n,ms\nfirst,1024,0.5\nfirst,4096,20\n\"second, of two\",1024,3\n");
}

TEST(chart, refuses_what_cannot_be_drawn) {
  chart nothing = two_lines();
  nothing.lines.clear();
  EXPECT_THROW(svg_of(nothing), invalid_argument);
  chart zero = two_lines();
  zero.lines[0].values[0].y = 0;
  EXPECT_THROW(svg_of(zero), invalid_argument);
  zero.y.kind = scale::linear;
  EXPECT_NO_THROW(svg_of(zero));
  zero.lines[0].values[0].y = std::numeric_limits<double>::infinity();
  EXPECT_THROW(svg_of(zero), invalid_argument);
}

TEST(numbers, are_plain) {
  EXPECT_EQ(plain_number(0), "0");
  EXPECT_EQ(plain_number(0.05), "0.05");
  EXPECT_EQ(plain_number(0.001), "0.001");
  EXPECT_EQ(plain_number(2.5), "2.5");
  EXPECT_EQ(plain_number(20), "20");
  EXPECT_EQ(plain_number(150000), "150000");
}

} // namespace
} // namespace sortile::plot
