// The file of results: read back as it was written, refused where it is something else; the committed one.
#include "bench/gpu/sort_report.hpp"
#include "testing/results.hpp"
#include "tests/sort_bench/planted.hpp"
#include "tests/source_folder.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace sortile::bench {
namespace {

sort_results some_results() {
  sort_result failed = planted(row_of("u64 index", "two-buckets", 28), 1, 2);
  failed.standings[1] = {.name = "sortile", .workspace_bytes = 5, .complaint = "values differ from CUB's"};
  sort_result cold = planted(row_of("u32", "uniform", 10), 9.25e-6, 14.125e-6, 0.0625);
  cold.cold = true;
  cold.standings[1].runs = {9e-6, 9.25e-6, 1e-5};
  sort_results all = planted_results({planted(row_of("u64+u32", "zipf-spread", 20), 1e-3, 2e-3), failed, cold});
  all.quick = true;
  all.single_calls = false;
  return all;
}

TEST(results, of_host_memory_say_the_rate_of_pinned_copies) {
  const sort_results all =
      planted_results({planted_in_host_memory(row_of("u32 host", "uniform", 20), 1e-3, 0.8388608e-3)});
  const std::string text = json_of(all);
  const testing::result_row row = testing::results_in(text, "gpu").rows[0];
  EXPECT_EQ(row.contender, "pinned copy");
  EXPECT_NEAR(row.figures.at("bytes_per_second"), 1e10, 1);
  EXPECT_EQ(json_of(sort_results_of(text)), text);
}

TEST(results, are_read_back_as_they_were_written) {
  const std::string text = json_of(some_results());
  const sort_results again = sort_results_of(text);
  EXPECT_EQ(json_of(again), text);
  EXPECT_TRUE(again.quick);
  EXPECT_FALSE(again.single_calls);
  ASSERT_EQ(again.rows.size(), 3u);
  EXPECT_EQ(again.rows[1].find("sortile")->complaint, "values differ from CUB's");
  EXPECT_EQ(again.rows[1].find("lsd"), nullptr);
  const sort_result* cold = again.find(row_of("u32", "uniform", 10), true);
  ASSERT_NE(cold, nullptr);
  EXPECT_EQ(cold->find("sortile")->seconds, 9.25e-6);
  EXPECT_EQ(cold->find("sortile")->runs, (std::vector<double>{9e-6, 9.25e-6, 1e-5}));
  EXPECT_EQ(again.find(row_of("u32", "uniform", 10), false), nullptr);
  EXPECT_EQ(tables(again), tables(some_results()));
}

std::string refusal_of(const std::string& text) {
  try {
    sort_results_of(text);
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "taken";
}

TEST(results, of_other_kinds_are_refused_by_name) {
  const std::string good = json_of(some_results());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_NE(refusal_of("{}").find("format"), std::string::npos);
  EXPECT_NE(refusal_of(with("sortile-results 1", "sortile-results 2")).find("format"), std::string::npos);
  EXPECT_NE(refusal_of(with("u64+u32", "u65")).find("u65"), std::string::npos);
  EXPECT_NE(refusal_of(with("two-buckets", "one-bucket")).find("one-bucket"), std::string::npos);
  EXPECT_NE(refusal_of(with("\"median\":0.002", "\"median\":0")).find("cub"), std::string::npos);
  EXPECT_NE(refusal_of(with("\"median\":0.002", "\"m\":1")).find("neither a time nor a note"), std::string::npos);
  EXPECT_NE(refusal_of(with("\"suite\": \"gpu\"", "\"suite\": \"cpu\"")).find("suite"), std::string::npos);
  EXPECT_NE(refusal_of(with("\"n\":", "\"m\":")).find("no member n"), std::string::npos);
  EXPECT_EQ(refusal_of(good), "taken");
}

TEST(committed_results, hold_the_main_rows_and_no_wrong_result) {
  std::ifstream file(testing::source_folder() + "/bench/results/h100/engine-sorts.json");
  std::ostringstream text;
  ASSERT_TRUE(text << file.rdbuf());
  const sort_results all = sort_results_of(text.str());
  EXPECT_FALSE(all.quick);
  for (const char* kind : {"u32", "u64", "u32+u32", "u64+u64"})
    EXPECT_NE(all.find(row_of(kind, "uniform", 28), false), nullptr) << kind;
  for (const sort_result& r : all.rows)
    for (const sort_standing& s : r.standings)
      EXPECT_EQ(s.complaint, "") << r.row.name() << ", " << s.name;
  EXPECT_GT(all.environment.number("copy_bytes_per_second"), 1e11);
}

} // namespace
} // namespace sortile::bench
