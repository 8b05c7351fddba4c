// What the tables of the CPU's bench say of results: the fastest run a key, the best rival, losses, the plot.
#include "bench/cpu_results.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

namespace sortile::bench {
namespace {

testing::result_row row(const std::string& type, const std::string& workload, std::uint64_t n,
                        const std::string& contender, std::vector<double> seconds, double arrays = 1) {
  testing::result_row r{.type = type, .workload = workload, .n = n, .contender = contender};
  r.seconds = std::move(seconds);
  r.figures["arrays"] = arrays;
  return r;
}

testing::results_file measured() {
  testing::results_file all{.suite = "cpu"};
  all.environment.add("cpu", "A processor");
  all.environment.add("cpus", 2);
  all.settings.add("threads", 1);
  all.rows = {row("u32", "uniform", 1000, "sortile cpu", {0.003, 0.002}, 1000), // 2 ns a key
              row("u32", "uniform", 1000, "sortile cpu, given workspace", {0.001}, 1000),
              row("u32", "uniform", 1000, "quick", {0.005, 0.003}, 1000),
              row("u32", "uniform", 1000, "slow", {0.9}, 1000),
              row("u32", "uniform", 1'000'000, "sortile cpu", {0.004}),
              row("u32", "uniform", 1'000'000, "quick", {0.002}),
              row("u64", "zipf", 10, "sortile cpu", {1e-8}),
              row("u64", "zipf", 10, "wrong", {})};
  return all;
}

TEST(cpu_results, tables_have_the_fastest_runs_and_the_best_rivals) {
  const std::string text = cpu_tables(measured());
  EXPECT_NE(text.find("| uniform | 1,000 | 2.00 | quick 3.00 | slow 900 | 1.50 |"), std::string::npos) << text;
  EXPECT_NE(text.find("| uniform | 1,000,000 | 4.00 | quick 2.00 | – | 0.50 |"), std::string::npos) << text;
  EXPECT_NE(text.find("| zipf | 10 | 1.00 | – | – | – |"), std::string::npos) << text;
  EXPECT_LT(text.find("`u32`"), text.find("`u64`"));
  EXPECT_EQ(text.find("`u32`", text.find("`u32`") + 1), std::string::npos) << "one table a type";
}

TEST(cpu_results, losses_are_told) {
  testing::results_file all = measured();
  EXPECT_EQ(cpu_losses(all), "- `u32` uniform, n = 1,000,000: quick takes 0.50 of sortile's time\n");
  all.rows[5].seconds = {0.005};
  EXPECT_EQ(cpu_losses(all), "nowhere\n");
}

TEST(cpu_results, the_plot_has_a_line_a_contender) {
  const plot::chart chart = length_chart(measured(), "u32");
  ASSERT_EQ(chart.lines.size(), 4u);
  EXPECT_EQ(chart.lines[0].name, "sortile cpu");
  ASSERT_EQ(chart.lines[0].values.size(), 2u);
  EXPECT_DOUBLE_EQ(chart.lines[0].values[1].x, 1e6);
  EXPECT_DOUBLE_EQ(chart.lines[0].values[1].y, 4);
  EXPECT_FALSE(plot::svg_of(chart).empty());
  EXPECT_THROW((void)length_chart(measured(), "u64"), invalid_argument);
}

TEST(cpu_results, the_machine_is_named) {
  EXPECT_NE(machine_line(measured()).find("A processor, 2 CPUs, threads 1"), std::string::npos);
}

} // namespace
} // namespace sortile::bench
