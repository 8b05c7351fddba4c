// Verdicts, tables and the plot, from planted numbers.
#include "bench/gpu/sort_report.hpp"
#include "tests/sort_bench/planted.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

namespace sortile::bench {
namespace {

const sort_row u32 = row_of("u32", "uniform", 28), skewed = row_of("u32", "zipf-spread", 28);

verdict verdict_of(double ours, double cubs, const target& wanted, double noise_of_each = 0, bool single_calls = true) {
  return judge(planted(u32, ours, cubs, noise_of_each), wanted, single_calls).outcome;
}

TEST(verdicts, of_ratios_allow_for_no_noise) {
  EXPECT_EQ(verdict_of(1, 1.8, {.ratio = 1.8}), verdict::met);
  EXPECT_EQ(verdict_of(1, 1.79, {.ratio = 1.8}, 0.05), verdict::missed);
  EXPECT_EQ(verdict_of(1, 1, {.ratio = 1.8}), verdict::missed);
  EXPECT_EQ(verdict_of(1, 0.97, {.ratio = 1.8}), verdict::loses);
}

TEST(verdicts, of_never_slower_allow_for_the_noise_and_at_most_2_percent) {
  EXPECT_EQ(verdict_of(1, 1, never_slower), verdict::met);
  EXPECT_EQ(verdict_of(1, 0.995, never_slower), verdict::loses) << "there is no noise to excuse it";
  EXPECT_EQ(verdict_of(1, 0.995, never_slower, 0.003), verdict::met) << "0.3 % on either side";
  EXPECT_EQ(verdict_of(1, 0.985, never_slower, 0.05), verdict::met);
  EXPECT_EQ(verdict_of(1, 0.975, never_slower, 0.05), verdict::loses) << "more than 2 %, however noisy";
}

TEST(verdicts, of_times_count_on_the_targets_clock_alone) {
  EXPECT_EQ(verdict_of(9e-6, 14e-6, {.microseconds = 9}), verdict::met);
  EXPECT_EQ(verdict_of(9.1e-6, 14e-6, {.microseconds = 9}), verdict::missed);
  EXPECT_EQ(verdict_of(9e-6, 8e-6, {.microseconds = 9}), verdict::loses);
  EXPECT_EQ(verdict_of(9e-6, 14e-6, {.microseconds = 9}, 0, false), verdict::not_judged);
}

TEST(verdicts, without_a_right_result_or_a_rival) {
  sort_result wrong = planted(u32, 1, 2);
  wrong.standings[1].complaint = "keys differ from CUB's";
  EXPECT_EQ(judge(wrong, never_slower, true).outcome, verdict::wrong);
  sort_result alone = planted(u32, 1, 2);
  alone.standings[0].complaint = "out of memory";
  EXPECT_EQ(judge(alone, never_slower, true).outcome, verdict::not_judged);
  EXPECT_EQ(judge({u32, false, {}}, never_slower, true).outcome, verdict::wrong) << "sortile took no part";
}

TEST(verdicts, give_ratio_and_noise_of_both) {
  const judgement j = judge(planted(u32, 2e-3, 3e-3, 0.01), never_slower, true);
  EXPECT_DOUBLE_EQ(j.ratio, 1.5);
  EXPECT_DOUBLE_EQ(j.noise, 0.02);
}

TEST(verdicts, of_host_memory_are_shares_of_the_pinned_copy_rate) {
  const sort_row host = row_of("u32 host", "uniform", 28);
  const auto of = [&](double ours, double copy) {
    return judge(planted_in_host_memory(host, ours, copy, 0.05), usual_target(*host.kind), true);
  };
  EXPECT_EQ(of(1, 0.6).outcome, verdict::met);
  EXPECT_EQ(of(1, 0.599).outcome, verdict::missed) << "no noise excuses it, and no copy is lost against";
  EXPECT_DOUBLE_EQ(of(2, 1.5).ratio, 0.75);
  sort_result without = planted_in_host_memory(host, 1, 0.9);
  without.standings[0].complaint = "out of memory";
  EXPECT_EQ(judge(without, usual_target(*host.kind), true).outcome, verdict::not_judged);
  without.standings[1].complaint = "keys differ from CUB's";
  EXPECT_EQ(judge(without, usual_target(*host.kind), true).outcome, verdict::wrong);
}

TEST(workspace, is_allowed_what_cub_takes) {
  EXPECT_EQ(workspace_allowed(u32, 5000), 5000);
  EXPECT_EQ(workspace_allowed(row_of("u32", "uniform", 19), 5000), 1e6);
  EXPECT_EQ(workspace_allowed(row_of("u32", "uniform", 19), 3'000'000), 3e6);
  EXPECT_EQ(workspace_allowed(row_of("u64 index", "uniform", 20), 5000), 5000 + 8 * 1048576.0)
      << "CUB's caller gives a place for the keys";
}

TEST(tables, show_each_row_of_a_group_measured_or_not) {
  const std::string table = table_of_group(planted_results({planted(u32, 2e-3, 3e-3, 0.01)}), "keys");
  EXPECT_EQ(table,
            "|              |    n |   L2 |      sortile |  CUB | ratio | noise | target |        | of copy | CUB's | "
            "workspace | CUB's |\n"
            "|--------------|-----:|-----:|-------------:|-----:|------:|------:|-------:|-------:|--------:|------:|"
            "----------:|------:|\n"
            "| u32 uniform  | 2^28 | warm |         2 ms | 3 ms |  1.50 | 2.0 % |  ≥ 1.8 | missed |    50 % |  67 % | "
            "     1 GB |  2 GB |\n"
            "| u64 uniform  | 2^28 | warm | not measured |    - |     - |     - |  ≥ 2.8 |      - |       - |     - | "
            "        - |     - |\n"
            "| u128 uniform | 2^28 | warm | not measured |    - |     - |     - |    ≥ 4 |      - |       - |     - | "
            "        - |     - |\n");
}

TEST(tables, show_losses_wrong_results_and_too_much_workspace) {
  sort_result wrong = planted(row_of("u64", "zipf-spread", 28), 1e-3, 2e-3);
  wrong.standings[1].complaint = "keys differ from CUB's";
  sort_result large = planted(row_of("u128", "zipf-spread", 28), 1e-3, 2e-3);
  large.standings[1].workspace_bytes = 2'000'000'001;
  const std::string text = tables(planted_results(
      {planted(skewed, 1e-3, 0.9999e-3), wrong, large, planted(row_of("u8", "range:256", 20), 1e-3, 2e-3)}));
  EXPECT_NE(text.find("|  0.99 | 0.0 % |    ≥ 1 | **loses** |"), std::string::npos) << "cut off, not rounded\n" << text;
  EXPECT_NE(text.find("keys differ from CUB's"), std::string::npos);
  EXPECT_NE(text.find("**wrong**"), std::string::npos);
  EXPECT_NE(text.find("2 GB (over)"), std::string::npos);
  EXPECT_EQ(text.rfind("## skew", 0), 0u) << "groups of which nothing was measured are left out";
  EXPECT_NE(text.find("\n## others\n"), std::string::npos);
  EXPECT_EQ(text.find("## keys"), std::string::npos);
}

TEST(tables, show_cold_rows_beside_warm_ones) {
  const sort_row small = row_of("u32", "uniform", 10);
  sort_result cold = planted(small, 20e-6, 30e-6);
  cold.cold = true;
  const std::string table = table_of_group(planted_results({planted(small, 8e-6, 12e-6), cold}), "small n");
  const auto line_of = [&](const std::string& state) {
    const std::size_t at = table.find("2^10 | " + state + " |");
    return at == std::string::npos ? "" : table.substr(at, table.find('\n', at) - at);
  };
  EXPECT_NE(line_of("warm").find(" 8 µs |"), std::string::npos) << table;
  EXPECT_NE(line_of("warm").find(" ≤ 9 µs |"), std::string::npos) << table;
  EXPECT_NE(line_of("cold").find(" 20 µs |"), std::string::npos) << table;
  EXPECT_NE(line_of("cold").find(" ≥ 1 |"), std::string::npos) << "targets in microseconds are warm ones\n" << table;
}

TEST(tables, have_a_column_for_each_sort_of_the_engine_that_ran_alone) {
  sort_result with = planted(u32, 2e-3, 3e-3);
  with.standings.push_back({.name = "lsd", .seconds = 2.5e-3});
  with.standings.push_back({.name = "keys", .seconds = 1.5e-3});
  const std::string table = table_of_group(planted_results({planted(skewed, 1e-3, 2e-3), with}), "keys");
  EXPECT_NE(table.find(" sortile | lsd alone | keys alone |  CUB |"), std::string::npos) << table;
  EXPECT_NE(table.find(" 2 ms |    2.5 ms |     1.5 ms | 3 ms |"), std::string::npos) << table;
}

TEST(tables, of_host_memory_have_columns_of_their_own) {
  const sort_results all =
      planted_results({planted_in_host_memory(row_of("u32 host", "uniform", 28), 60e-3, 41.9e-3, 0.01),
                       planted_in_host_memory(row_of("u32 host", "zipf-spread", 20), 1e-3, 0.5999e-3)});
  EXPECT_EQ(
      table_of_group(all, "host memory"),
      "|                      |    n |      sortile | pinned copy |  its rate | share | noise | target |        |\n"
      "|----------------------|-----:|-------------:|------------:|----------:|------:|------:|-------:|-------:|\n"
      "| u32 host uniform     | 2^28 |        60 ms |     41.9 ms | 51.3 GB/s |  69 % | 2.0 % | ≥ 60 % |    met |\n"
      "| u64 host uniform     | 2^28 | not measured |           - |         - |     - |     - | ≥ 60 % |      - |\n"
      "| u64+u64 host uniform | 2^27 | not measured |           - |         - |     - |     - | ≥ 60 % |      - |\n"
      "| u32 host zipf-spread | 2^20 |         1 ms |      600 µs |   14 GB/s |  59 % | 0.0 % | ≥ 60 % | missed |\n");
  EXPECT_EQ(tables(all).find("others"), std::string::npos);
  EXPECT_EQ(tally(all).substr(0, 5), "1 of ");
}

TEST(tables, take_the_targets_of_the_gpu) {
  const std::vector<sort_result> rows{planted(u32, 1e-3, 2e-3)};
  EXPECT_NE(tally(planted_results(rows)).find("1 met"), std::string::npos);
  EXPECT_NE(tally(planted_results(rows, "NVIDIA H200")).find("0 met, 1 missed"), std::string::npos);
  EXPECT_NE(table_of_group(planted_results(rows, "NVIDIA H200"), "keys").find("≥ 2.2"), std::string::npos);
}

TEST(tables, count_verdicts) {
  const std::string text = tally(planted_results({planted(u32, 1e-3, 2e-3), planted(skewed, 1e-3, 0.5e-3)}));
  EXPECT_EQ(text,
            "2 of " + std::to_string(all_targets().size()) +
                " rows measured: 1 met, 0 missed but not slower than CUB, 1 slower than CUB, 0 wrong, 0 not judged\n");
}

TEST(machine, is_named_with_versions_and_revision) {
  EXPECT_EQ(machine_line(planted_results({})),
            "NVIDIA H100 80GB HBM3, CUDA 13.0, CUB 3.0.1, device copy 3 TB/s, revision 0123456789ab, 2026-01-02");
}

TEST(traffic_chart, leaves_host_memory_out) {
  const sort_result host = planted_in_host_memory(row_of("u32 host", "uniform", 28), 60e-3, 40e-3);
  EXPECT_EQ(traffic_chart(planted_results({planted(u32, 2e-3, 3e-3), host})).lines.size(), 2u);
}

TEST(traffic_chart, draws_both_contestants_and_the_copy_rate) {
  const plot::chart chart = traffic_chart(planted_results(
      {planted(u32, 2e-3, 3e-3), planted(skewed, 1, 2), planted(row_of("f32", "uniform", 28), 2e-3, 3e-3)}));
  ASSERT_EQ(chart.lines.size(), 2u);
  EXPECT_EQ(chart.lines[0].name, "u32");
  ASSERT_EQ(chart.lines[0].values.size(), 2u);
  EXPECT_EQ(chart.lines[0].values[0].x, 3);
  EXPECT_EQ(chart.lines[0].values[0].y, 2);
  EXPECT_EQ(chart.lines[1].name, "device copy");
  EXPECT_EQ(chart.lines[1].values[1].x, 6);
  EXPECT_EQ(chart.lines[1].values[1].y, 2);
  EXPECT_NE(plot::svg_of(chart).find("device copy"), std::string::npos);
  EXPECT_THROW(traffic_chart(planted_results({planted(skewed, 1, 2)})), invalid_argument);
}

} // namespace
} // namespace sortile::bench
