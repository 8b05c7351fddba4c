// CSV: cells, rows over slice borders, what breaks RFC 4180.
#include "files/csv.hpp"
#include "scratch_folder.hpp"

#include <random>

namespace sortile::files {
namespace {

std::vector<std::string> cells_of(std::string_view row, const csv_dialect& dialect = {}) {
  std::vector<std::string> texts;
  std::string scratch;
  csv_cells cells(row, dialect);
  for (csv_cell cell; cells.next(cell);)
    texts.emplace_back(text_of(cell, scratch));
  return texts;
}

using texts = std::vector<std::string>;

TEST(Csv, Cells) {
  EXPECT_EQ(cells_of(""), (texts{""}));
  EXPECT_EQ(cells_of(","), (texts{"", ""}));
  EXPECT_EQ(cells_of("a,\"b,\"\"c\"\"\n\",\"\""), (texts{"a", "b,\"c\"\n", ""}));
  EXPECT_EQ(cells_of("a,\"b\"\r"), (texts{"a", "b"}));
  EXPECT_EQ(cells_of("a,b\r"), (texts{"a", "b"}));
  EXPECT_EQ(cells_of("\"\"\"\""), (texts{"\""}));
  EXPECT_EQ(cells_of("a\t5\" disk", {'\t', false}), (texts{"a", "5\" disk"}));
  for (const char* broken : {"a\"b", "\"a", "\"a\"b", "\"a\"\"", "\"a\" ,b"})
    EXPECT_THROW(cells_of(broken), invalid_argument) << broken;
}

// Rows of random cells, long enough that quotes and newlines lie across the borders of the slices that threads take.
TEST(Csv, RowsAreCutAlikeByAnyNumberOfThreads) {
  std::mt19937 random(7);
  std::string text = "h\n";
  std::vector<std::string> rows;
  while (text.size() < (std::size_t{5} << 20)) {
    std::string row = "\"";
    for (std::size_t i = random() % 60; i > 0; --i) {
      const char* pieces[] = {"x", "\n", "\"\"", ",", "long piece of text"};
      row += pieces[random() % 5];
    }
    rows.push_back(row + "\"");
    text += rows.back() + "\n";
  }
  for (const unsigned threads : {1u, 2u, 7u}) {
    const csv_table table = open_csv(input::of_text("t", text), {}, threads);
    ASSERT_EQ(table.rows.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(table.rows[i], rows[i]) << i;
    validate_csv(table, {cell_check::nothing}, threads);
  }
}

TEST(Csv, LineNumbersCountNewlinesInQuotes) {
  const csv_table table = open_csv(input::of_text("t", "a\n\"x\n\ny\"\nb\nc,d\n"), {}, 2);
  EXPECT_EQ(line_of(table, 1), 5u);
  expect_error<io_failure>([&] { validate_csv(table, {cell_check::nothing}, 2); },
                           "t: line 6: 2 cells, but the header has 1");
}

TEST(Csv, NumericColumns) {
  const csv_table table = open_csv(input::of_text("t", "a,b,c,d\n1,x,,\n,2,,\n\" 3 \",3,,nan\n"), {}, 2);
  const std::vector<cell_check> all(4, cell_check::detect);
  EXPECT_EQ(validate_csv(table, all, 2), (std::vector<bool>{true, false, false, true}));
  std::vector<cell_check> required(4, cell_check::nothing);
  required[1] = cell_check::require;
  expect_error<io_failure>([&] { validate_csv(table, required, 2); },
                           "t: line 2: 'x' in the column 'b' is not a number");
}

TEST(Csv, LastRowGetsTheLineEndOfTheHeader) {
  const csv_table table = open_csv(input::of_text("t", "a\r\n2\r\n1"), {}, 1);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1], "1\r");
}

} // namespace
} // namespace sortile::files
