// Records that are checked piece by piece tell what they tell as a whole.
#include "files/order_check.hpp"
#include "files/record_sort.hpp"
#include "scratch_folder.hpp"

#include <random>

#include <fmt/ranges.h>

namespace sortile::files {
namespace {

constexpr unsigned check_threads = 2;

// Pieces of about 64 KB.
check_result check_small_pieces(const std::string& path, const check_rules& rules) {
  run_reader reader(std::make_unique<input_stream>(path), {}, {}, {1 << 16, [](std::size_t) { return 0; }},
                    check_threads);
  return check_records(
      reader, [](std::string_view piece) { return split_lines(piece, '\n', check_threads); }, rules, check_threads);
}

class OrderCheck : public ::testing::Test {
 protected:
  // Lines in order, each of the number of those before it.
  static std::vector<std::string> lines_in_order(std::size_t n) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < n; ++i)
      lines.push_back(fmt::format("{:08d} {}", i, std::string(i % 40, 'x')));
    return lines;
  }

  // What is told of these lines is what the table of all of them tells.
  void expect_the_same(const std::vector<std::string>& lines, bool strict) {
    const std::string text = fmt::format("{}\n", fmt::join(lines, "\n"));
    const std::string path = folder_.write("lines", text);
    const record_order order{key_part{}};
    const record_table whole = split_lines(text, '\n', check_threads);
    const record_summary summary = summarize(whole, order, check_threads);
    const auto first = first_disorder(whole, order, strict, check_threads);
    const check_result told = check_small_pieces(path, {.order = order, .strict = strict, .summary = true});
    EXPECT_EQ(told.records, lines.size());
    EXPECT_EQ(told.bytes, text.size());
    EXPECT_EQ(told.facts.records, summary.records);
    EXPECT_TRUE(told.facts.checksum == summary.checksum);
    EXPECT_EQ(told.facts.duplicates, summary.duplicates);
    for (const bool to_end : {false, true}) {
      const check_result quiet =
          check_small_pieces(path, {.order = order, .strict = strict, .to_end = to_end, .sum = true});
      if (to_end || !first)
        EXPECT_EQ(quiet.bytes, text.size());
      else if (*first < lines.size() / 2 && text.size() > (1 << 18))
        EXPECT_LT(quiet.bytes, text.size());
      ASSERT_EQ(quiet.disorder.has_value(), first.has_value());
      ASSERT_EQ(told.disorder.has_value(), first.has_value());
      if (!first)
        EXPECT_EQ(quiet.sum, sum_of_records(whole, check_threads));
      for (const check_result* each : {&told, &quiet})
        if (first) {
          EXPECT_EQ(each->disorder->record, *first);
          EXPECT_EQ(each->disorder->text, lines[*first]);
          EXPECT_EQ(each->disorder->before, lines[*first - 1]);
        }
    }
  }

  scratch_folder folder_;
};

TEST_F(OrderCheck, DisorderAnywhere) {
  expect_the_same({""}, false);
  expect_the_same({"b"}, true);
  expect_the_same(lines_in_order(20000), true);
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    std::vector<std::string> lines = lines_in_order(20000);
    const std::size_t at = 1 + random() % (lines.size() / 2);
    lines[at] = round % 2 == 0 ? lines[at - 1] : "0";
    expect_the_same(lines, round % 3 == 0);
  }
}

// Lines of the size of a piece: each boundary between two pieces is seen.
TEST_F(OrderCheck, DisorderBetweenPieces) {
  for (std::size_t at = 1; at < 6; ++at) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < 6; ++i)
      lines.push_back(std::to_string(i) + std::string(70'000, 'x'));
    lines[at] = lines[at - 1];
    expect_the_same(lines, true);
    expect_the_same(lines, false);
    lines[at] = "";
    expect_the_same(lines, false);
  }
}

} // namespace
} // namespace sortile::files
