// CSV: cells, rows over slice borders, what breaks RFC 4180.
#include "files/csv.hpp"
#include "files/csv_check.hpp"
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
    csv_table table = open_csv(input::of_text("t", text), {}, threads);
    ASSERT_EQ(table.rows.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(table.rows[i], rows[i]) << i;
    check_csv(table, {cell_check::nothing}, bad_rows::refuse, threads);
  }
}

TEST(Csv, LineNumbersCountNewlinesInQuotes) {
  csv_table table = open_csv(input::of_text("t", "a\n\"x\n\ny\"\nb\nc,d\n"), {.separator = ','}, 2);
  EXPECT_EQ(place_of(table, 1).line, 5u);
  expect_error<io_failure>([&] { check_csv(table, {cell_check::nothing}, bad_rows::refuse, 2); },
                           "t: line 6: 2 cells, but the header has 1");
}

TEST(Csv, TypesOfColumns) {
  csv_table table = open_csv(
      input::of_text("t", "a,b,c,d,e\n1,x,,,2024-02-29\n,2,,,\n\" 3 \",3,,nan,1999-01-01 10:00:00.5\n"), {}, 2);
  const std::vector<cell_check> all(5, cell_check::detect);
  std::vector<cell_type> types;
  for (const column_facts& facts : check_csv(table, all, bad_rows::refuse, 2))
    types.push_back(facts.type());
  EXPECT_EQ(types,
            (std::vector{cell_type::integer, cell_type::text, cell_type::empty, cell_type::number, cell_type::time}));
  std::vector<cell_check> required(5, cell_check::nothing);
  required[1] = cell_check::require_number;
  expect_error<io_failure>([&] { check_csv(table, required, bad_rows::refuse, 2); },
                           "t: line 2: 'x' in the column 'b' is not a number");
  required = {cell_check::require_time};
  expect_error<io_failure>([&] { check_csv(table, required, bad_rows::refuse, 2); },
                           "t: line 2: '1' in the column 'a' is no date or time");
}

TEST(Csv, BadRowsAreTakenOutAndLinesStillCounted) {
  csv_table table = open_csv(input::of_text("t", "a,b\n1,2\n\n3\n4,5\n6,7,8\n9,\"x\ny\"\n10,11"), {}, 2);
  check_csv(table, std::vector<cell_check>(2, cell_check::nothing), bad_rows::last, 2);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.bad_rows, "\n3\n6,7,8\n");
  const std::vector<std::string_view> rows{"1,2", "4,5", "9,\"x\ny\"", "10,11"};
  const std::vector<std::uint64_t> lines{2, 5, 7, 9};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(table.rows[i], rows[i]);
    EXPECT_EQ(place_of(table, i).line, lines[i]) << i;
  }
}

TEST(Csv, SeparatorsAreFound) {
  const auto found = [](std::string_view text) { return found_separator(text, {.comment = '#'}); };
  EXPECT_EQ(found("a,b\n1,2\n"), ',');
  EXPECT_EQ(found("a;b\n1,5;2,5\n3,5;4\n"), ';');
  EXPECT_EQ(found("a\tb\n1\t2\n"), '\t');
  EXPECT_EQ(found("# a,b,c\na|b\n1|\"x|y\"\n"), '|');
  EXPECT_EQ(found("a|b\n1\n2\n3\n"), ',') << "one column";
  EXPECT_EQ(found(""), ',');
}

TEST(Csv, TablesAreJoinedAndKnowTheirLines) {
  std::vector<csv_table> tables;
  tables.push_back(open_csv(input::of_text("one", "a,b\n1,2\n3,4"), {}, 1));
  tables.push_back(open_csv(input::of_text("two", "a,b\n"), {}, 1));
  tables.push_back(open_csv(input::of_text("three", "a,b\n5,6\n7,8\n"), {}, 1));
  const csv_table all = join_tables(std::move(tables));
  ASSERT_EQ(all.rows.size(), 4u);
  EXPECT_EQ(all.rows[1], "3,4");
  EXPECT_EQ(all.rows[3], "7,8");
  EXPECT_EQ(place_of(all, 3).file, "three");
  EXPECT_EQ(place_of(all, 3).line, 3u);
  EXPECT_EQ(place_of(all, 1).file, "one");
  std::vector<csv_table> others;
  others.push_back(open_csv(input::of_text("one", "a,b\n"), {}, 1));
  others.push_back(open_csv(input::of_text("two", "a,c\n"), {}, 1));
  expect_error<io_failure>([&] { join_tables(std::move(others)); }, "two: its header is another than that of one");
}

TEST(Csv, NoHeader) {
  const csv_table table =
      open_csv(input::of_text("t", "\xef\xbb\xbf#c\n3,x\n1,y\n"), {.header = false, .comment = '#'}, 1);
  EXPECT_EQ(table.prologue, "\xef\xbb\xbf#c\n");
  EXPECT_EQ(table.names, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(table.rows.size(), 2u);
  expect_error<io_failure>([] { open_csv(input::of_text("t", "\xff\xfe"), {}, 1); }, "UTF-16");
}

TEST(Csv, LastRowGetsTheLineEndOfTheHeader) {
  const csv_table table = open_csv(input::of_text("t", "a\r\n2\r\n1"), {}, 1);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1], "1\r");
}

} // namespace
} // namespace sortile::files
