// --by: names, directions, types.
#include "files/column_keys.hpp"
#include "scratch_folder.hpp"

namespace sortile::files {
namespace {

TEST(ColumnKeys, NamesAndWords) {
  const std::vector<column_key> keys = parse_column_keys("size:desc:num,\"a,\"\"b\"\":c\":text,plain");
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_EQ(keys[0].name, "size");
  EXPECT_EQ(keys[0].descending, true);
  EXPECT_EQ(keys[0].as, column_key::form::number);
  EXPECT_EQ(keys[1].name, "a,\"b\":c");
  EXPECT_EQ(keys[1].as, column_key::form::text);
  EXPECT_EQ(keys[2].descending, std::nullopt);
  EXPECT_EQ(keys[2].as, column_key::form::detect);
}

TEST(ColumnKeys, EveryNameCanBeSaid) {
  for (const char* name : {"a", "", "a,b", ":desc", "\"", "a\"b", " ", "größe"}) {
    const std::vector<column_key> keys = parse_column_keys(as_column_key(name) + ":desc,x");
    ASSERT_EQ(keys.size(), 2u) << name;
    EXPECT_EQ(keys[0].name, name);
    EXPECT_EQ(keys[0].descending, true);
  }
  EXPECT_EQ(listed_as_column_keys({"", "a", "b,c"}), R"("", a, "b,c")");
}

TEST(ColumnKeys, Misuse) {
  for (const char* text : {"", ",", "a,", ",a", "a:", "a:up", "\"a", "\"a\"b", "a::desc", "a:asc:desc", "a:desc:desc",
                           "a:num:text", "a:nulls-first:nulls-last"})
    expect_error<invalid_argument>([&] { parse_column_keys(text); }, "--by ");
}

} // namespace
} // namespace sortile::files
