// Numbers: what is read, and that their words compare as they do.
#include "files/decimal.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sortile::files {
namespace {

int compare_words(const decimal& a, const decimal& b) {
  for (std::size_t depth = 0;; ++depth) {
    const key_word x = number_word(a, depth);
    const key_word y = number_word(b, depth);
    if (x.bits != y.bits)
      return x.bits < y.bits ? -1 : 1;
    EXPECT_EQ(x.last, y.last) << depth; // equal words must end alike
    if (x.last)
      return 0;
  }
}

decimal read(const std::string& text) {
  const std::optional<decimal> number = parse_number(text);
  EXPECT_TRUE(number) << text;
  return number.value_or(decimal{});
}

TEST(Decimal, AscendingLadder) {
  const std::string nines(60, '9');
  const std::vector<std::string> ladder{"",
                                        "-inf",
                                        "-1e1000000",
                                        "-1e151",
                                        "-" + nines,

                                        "-123456789012345678901",
                                        "-1e20",
                                        "-12345678901234567890",
                                        "-1234567890123456",
                                        "-100",
                                        "-99.5",
                                        "-99",
                                        "-1.00000000000000000001",
                                        "-1",
                                        "-0.5",
                                        "-1e-99",
                                        "-1e-101",
                                        "-1e-5000",
                                        "0",
                                        "1e-5000",
                                        "1e-101",
                                        "1e-100",
                                        "1e-99",
                                        "0.05",
                                        "0.5",
                                        "0.50000000000000000000000000001",
                                        "1",
                                        "1.00000000000000000000000000000000000000001",
                                        "1.5",
                                        "9",
                                        "10",
                                        "99",
                                        "100",
                                        "1234567890123456",
                                        "1234567890123456.1",
                                        "12345678901234567",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "1e150",
                                        "1e151",
                                        "1.5e151",
                                        "1e152",
                                        "1e1000000",
                                        "inf",
                                        "nan"};
  for (std::size_t i = 0; i < ladder.size(); ++i)
    for (std::size_t j = 0; j < ladder.size(); ++j)
      EXPECT_EQ(compare_words(read(ladder[i]), read(ladder[j])), i < j   ? -1
                                                                 : i > j ? 1
                                                                         : 0)
          << ladder[i] << " against " << ladder[j];
}

TEST(Decimal, EqualNumbersInOtherWords) {
  const std::vector<std::vector<std::string>> families{{"0", "-0", "+0", "0.0", "-.0", "0e5", "00"},
                                                       {"1", "1.", "+1", "01", "1.000", "10e-1", "0.1e1", " 1 "},
                                                       {"-12.5", "-1.25e1", "-012.50"},
                                                       {"1e400", "10e399", "0.001e403"},
                                                       {"inf", "Infinity", "+INF"},
                                                       {"nan", "NaN", "-nan"},
                                                       {"", "  "}};
  for (const auto& family : families)
    for (const std::string& text : family)
      EXPECT_EQ(compare_words(read(family[0]), read(text)), 0) << family[0] << " against " << text;
}

TEST(Decimal, NoNumbers) {
  for (const char* text :
       {"x", "1x", "--1", "+-1", "1.2.3", ".", "-", "e5", "1e", "1e+", "1 2", "0x10", "infx", "na", "1,000"})
    EXPECT_FALSE(parse_number(text)) << text;
}

TEST(Decimal, LeadingNumbersReadAsMuchAsThereIs) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, std::string>>{{"12abc", "12"},
                                                                                    {"  -3.5x", "-3.5"},
                                                                                    {"abc", "0"},
                                                                                    {"", "0"},
                                                                                    {"- 5", "0"},
                                                                                    {"+5", "0"},
                                                                                    {"1e5", "1"},
                                                                                    {"1.2.3", "1.2"},
                                                                                    {".5.", "0.5"},
                                                                                    {"-", "0"}})
    EXPECT_EQ(compare_words(parse_leading_number(text), read(value)), 0) << text;
}

TEST(Decimal, IntegersInOneWord) {
  const std::vector<std::string> ladder{"-9223372036854775807", "-1000", "-1", "0", "1", "7", "1e3", "1000.5e1",
                                        "9223372036854775807"};
  std::vector<std::uint64_t> words;
  for (const std::string& text : ladder)
    words.push_back(integer_word(read(text)).value());
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
  for (const char* text :
       {"0.5", "1.5", "9223372036854775808", "1e19", "99999999999999999999", "inf", "nan", "", "1e-1"})
    EXPECT_FALSE(integer_word(read(text))) << text;
}

TEST(Decimal, PlainIntegersAreTheSameWords) {
  for (const char* text :
       {"0", "-0", "7",   "-7", "000123", "999999999999999999",  "-999999999999999999",     " 12", "1x",  "",
        "-", "x",  "1.5", "1.", "+1",     "1000000000000000000", "99999999999999999999999", "1e3", "12 ", "\t-3 4"}) {
    if (const auto word = plain_integer_word(text, false)) {
      EXPECT_EQ(word, integer_word(parse_leading_number(text))) << text;
    }
    if (const auto word = plain_integer_word(text, true)) {
      ASSERT_TRUE(parse_number(text)) << text;
      EXPECT_EQ(word, integer_word(*parse_number(text))) << text;
    }
  }
  EXPECT_TRUE(plain_integer_word("-12", true));
  EXPECT_FALSE(plain_integer_word("1.5", false));
  EXPECT_FALSE(plain_integer_word("1234567890123456789", false));
}

TEST(Decimal, RandomIntegersCompareAsIntegers) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const auto draw = [&] { return static_cast<std::int64_t>(random()) >> (random() % 63); };
    const std::int64_t a = draw();
    const std::int64_t b = draw();
    EXPECT_EQ(compare_words(read(std::to_string(a)), read(std::to_string(b))), a < b   ? -1
                                                                               : a > b ? 1
                                                                                       : 0)
        << a << " " << b;
  }
}

TEST(Decimal, CompareAgreesWithTheWords) {
  const std::string digits = "1234567890123456789012345678901234567890";
  std::vector<std::string> texts{"",       "0",      "-0",  "nan", "inf",  "-inf", "1",   "-1",   "1e200",
                                 "1e-200", "-1e200", "1.5", ".5",  "0.05", "5.",   "1e3", "1000", "1000.0"};
  for (std::size_t length = 1; length <= digits.size(); length += 3)
    for (const std::size_t point : {std::size_t{0}, std::size_t{1}, length / 2, length})
      for (const char* sign : {"", "-"}) {
        std::string text = digits.substr(0, length);
        texts.push_back(sign + text.insert(point, "."));
        texts.push_back(sign + text + "7e150");
      }
  for (const std::string& a : texts)
    for (const std::string& b : texts)
      EXPECT_EQ(compare(read(a), read(b)), compare_words(read(a), read(b))) << a << " and " << b;
}

} // namespace
} // namespace sortile::files
