// Records read one after the other: the same as cut from the whole text, whatever the size of the buffer.
#include "files/record_reader.hpp"
#include "scratch_folder.hpp"

namespace sortile::files {
namespace {

std::vector<std::string> all_of(record_reader& reader) {
  std::vector<std::string> records;
  while (reader.next())
    records.emplace_back(reader.record());
  EXPECT_FALSE(reader.next());
  return records;
}

TEST(RecordReader, LinesOfAllSizes) {
  const scratch_folder folder;
  std::string text;
  std::vector<std::string> lines;
  for (std::size_t size = 0; size < 2'000'000; size = size * 2 + 1) {
    lines.emplace_back(size, 'x');
    text += lines.back() + "\n";
  }
  record_reader whole(folder.write("whole", text), '\n');
  EXPECT_EQ(all_of(whole), lines);
  text.pop_back();
  record_reader open_end(folder.write("open", text), '\n');
  EXPECT_EQ(all_of(open_end), lines);
  record_reader nothing(folder.write("nothing", ""), '\n');
  EXPECT_TRUE(all_of(nothing).empty());
}

TEST(RecordReader, CsvRecordsAndTheirLines) {
  const scratch_folder folder;
  record_reader reader(folder.write("t", "a,b\n\"x\n\n\",1\n2,\"\"\"\n\""), '\n', csv_dialect{});
  EXPECT_EQ(all_of(reader), (std::vector<std::string>{"a,b", "\"x\n\n\",1", "2,\"\"\"\n\""}));
  EXPECT_EQ(reader.line(), 5u);
  record_reader open(folder.write("u", "a\n\"x\n"), '\n', csv_dialect{});
  EXPECT_TRUE(open.next());
  expect_error<io_failure>([&] { open.next(); }, "line 2: a quoted cell is never closed");
}

} // namespace
} // namespace sortile::files
