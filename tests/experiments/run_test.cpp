// Every experiment carried out at a small size on the executor: its times mean nothing there, but all that it runs, its
// verification, tables and charts are those of the GPU's.
#include "bench/classics/experiment.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace sortile::experiments {
namespace {

workbench executor_bench() {
  return workbench({.engine = classics::engine::executor, .quick = true});
}

class every_experiment : public ::testing::TestWithParam<std::string> {};

TEST_P(every_experiment, runs_and_draws) {
  const experiment& e = experiment_named(GetParam());
  workbench bench = executor_bench();
  results all{.environment = bench.environment(), .quick = true, .experiments = {{std::string(e.name), e.run(bench)}}};
  for (const std::string& failure : bench.failures)
    ADD_FAILURE() << failure;
  const points& found = all.experiments[0].points;
  ASSERT_FALSE(found.empty());
  for (const point& p : found)
    EXPECT_TRUE(!p.seconds.empty() || !p.note.empty()) << p.series;
  EXPECT_NE(e.tables(found, all.environment).find("| "), std::string::npos);

  // What was kept says and draws the same.
  const results kept = results_of(json_of(all));
  EXPECT_EQ(json_of(kept), json_of(all));
  EXPECT_EQ(e.tables(kept.experiments[0].points, kept.environment), e.tables(found, all.environment));
  const auto charts = e.charts(found, all.environment), same = e.charts(kept.experiments[0].points, kept.environment);
  if (charts.empty()) {
    EXPECT_TRUE(e.counts_alone) << "only counts have nothing to draw where no times are measured";
  }
  ASSERT_EQ(charts.size(), same.size());
  for (std::size_t k = 0; k < charts.size(); ++k) {
    EXPECT_EQ(plot::svg_of(charts[k]), plot::svg_of(same[k]));
    EXPECT_EQ(plot::csv_of(charts[k]), plot::csv_of(same[k]));
    EXPECT_EQ(charts[k].name.substr(0, 9), "classics-");
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const experiment& e : all_experiments())
    all.emplace_back(e.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(experiments, every_experiment, ::testing::ValuesIn(names()), [](const auto& instance) {
  std::string name = instance.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(contest, takes_no_time_of_a_wrong_result) {
  workbench bench = executor_bench();
  contest on(bench, "reversed", 100);
  const classics::classic lazy{.name = "lazy", .run = [](classics::job&) {}};
  on.add(on.work_of(lazy, {}));
  on.add(on.work_of(classics::classic_named("radix-bits"), {{"bits", 8}}));
  const std::vector<standing> found = on.run({.repetitions = 2});
  EXPECT_TRUE(found[0].seconds.empty());
  EXPECT_NE(found[0].note.find("wrong result"), std::string::npos) << found[0].note;
  EXPECT_EQ(found[1].name, "radix-bits bits=8");
  EXPECT_EQ(found[1].seconds.size(), 2u);
  ASSERT_EQ(bench.failures.size(), 1u);
  EXPECT_NE(bench.failures[0].find("lazy"), std::string::npos);
}

TEST(contest, a_right_result_does_not_cover_for_a_wrong_one) {
  workbench bench = executor_bench();
  contest on(bench, "uniform", 1000);
  std::vector<std::uint32_t> keys(1000);
  std::memcpy(keys.data(), on.keys().data(), 4000);
  EXPECT_THROW(on.verify(keys.data()), error);
  std::sort(keys.begin(), keys.end());
  EXPECT_NO_THROW(on.verify(keys.data()));
  keys[500] ^= 1;
  EXPECT_THROW(on.verify(keys.data()), error);
}

TEST(contest, does_not_wait_for_the_slow) {
  workbench bench = executor_bench();
  contest on(bench, "uniform", 1000);
  on.add(on.work_of(classics::classic_named("radix-1bit"), {}));
  const standing found = on.run({.run = 0}).front();
  EXPECT_EQ(found.seconds.size(), 1u);
  EXPECT_NE(found.note.find("one run"), std::string::npos);
}

TEST(names, what_there_is_not_is_refused) {
  EXPECT_THROW(experiment_named("no-such"), invalid_argument);
}

} // namespace
} // namespace sortile::experiments
