// -k: which bytes of a record a key takes.
#include "files/decimal.hpp"
#include "files/field_keys.hpp"
#include "scratch_folder.hpp"

#include <random>

namespace sortile::files {
namespace {

std::string_view taken(std::string_view key, std::string_view record, std::optional<char> separator = {}) {
  return parse_field_key(key, separator, {}).range.in(record);
}

TEST(FieldKeys, FieldsBeginWithTheirBlanks) {
  EXPECT_EQ(taken("1,1", " a  bc d"), " a");
  EXPECT_EQ(taken("2,2", " a  bc d"), "  bc");
  EXPECT_EQ(taken("2b,2", " a  bc d"), "bc");
  EXPECT_EQ(taken("2", " a  bc d"), "  bc d");
  EXPECT_EQ(taken("2.3,2.4", " a  bc d"), "bc");
  EXPECT_EQ(taken("2.2b,2.2b", " a  bc d"), "c");
  EXPECT_EQ(taken("4", " a  bc d"), "");
  EXPECT_EQ(taken("3,2", " a  bc d"), "");
}

TEST(FieldKeys, SeparatorsBoundFields) {
  EXPECT_EQ(taken("2,2", "a::c:", ':'), "");
  EXPECT_EQ(taken("3,3", "a::c:", ':'), "c");
  EXPECT_EQ(taken("3", "a::c:", ':'), "c:");
  EXPECT_EQ(taken("1,2", "a::c:", ':'), "a:");
  EXPECT_EQ(taken("1.1,3.1", "a::cd:", ':'), "a::c");
  EXPECT_EQ(taken("5", "a::c:", ':'), "");
  EXPECT_EQ(taken("1.9", "a::c:", ':'), "");
  EXPECT_EQ(taken("99999999999999999999999", "a"), "");
}

// The end of a field, looked for eight bytes at a time, against a walk byte by byte.
TEST(FieldKeys, LongFieldsOfAnyBytes) {
  const auto behind_fields = [](std::string_view record, std::size_t n) {
    std::size_t i = 0;
    for (; n > 0; --n) {
      while (i < record.size() && is_blank(record[i]))
        ++i;
      while (i < record.size() && !is_blank(record[i]))
        ++i;
    }
    return i;
  };
  std::mt19937 random(4);
  for (int round = 0; round < 20000; ++round) {
    std::string record(random() % 60, ' ');
    const bool few_blanks = random() % 2 == 0;
    for (char& c : record)
      c = few_blanks && random() % 10 != 0 ? "!\x80\xa0\x89\x8a\x0b"[random() % 6]
                                           : " \t\n!a\xa0\x08\x0b\x21\xff"[random() % 10];
    const std::size_t first = random() % 4;
    const std::size_t last = random() % 4;
    const std::size_t begin = behind_fields(record, first);
    const std::size_t end = std::max(begin, behind_fields(record, last + 1));
    ASSERT_EQ(taken(std::to_string(first + 1) + "," + std::to_string(last + 1), record),
              std::string_view(record).substr(begin, end - begin))
        << record;
  }
}

TEST(FieldKeys, LettersOfAKeyReplaceTheGlobalOnes) {
  const ordering global{.numeric = true, .reverse = true};
  EXPECT_EQ(parse_field_key("2", {}, global).order, global);
  EXPECT_EQ(parse_field_key("2b", {}, global).order, (ordering{.blanks_begin = true}));
  EXPECT_EQ(parse_field_key("2,2f", {}, global).order, (ordering{.fold = true}));
}

TEST(FieldKeys, Misuse) {
  for (const char* key : {"", "0", "1.0", "a", "1,", "1,0", "1.a", "1,2,3", "1x", "-1", "1 ,2", "1nq"})
    expect_error<invalid_argument>([&] { parse_field_key(key, {}, {}); }, std::string("-k ") + key);
}

TEST(FieldKeys, OneOrderAtATime) {
  for (const auto& [key, letters] : {std::pair{"1nM", "Mn"},
                                     {"1,1hg", "gh"},
                                     {"1in", "in"},
                                     {"1dg", "dg"},
                                     {"1din", "dn"},
                                     {"1nR", "nR"},
                                     {"1hV", "hV"},
                                     {"1bnrMf", "fMn"}})
    expect_error<invalid_argument>([&] { parse_field_key(key, {}, {}); },
                                   std::string("options '-") + letters + "' are incompatible");
  for (const char* key : {"1VR", "1di", "1dV", "1iR", "1nn", "1bdfir", "1nfbr"})
    EXPECT_NO_THROW(parse_field_key(key, {}, {})) << key;
  EXPECT_NO_THROW(parse_field_key("1r", {}, {.numeric = true, .month = true})) << "has a letter of its own";
  expect_error<invalid_argument>([&] { parse_field_key("1", {}, {.numeric = true, .month = true}); }, "'-Mn'");
}

} // namespace
} // namespace sortile::files
