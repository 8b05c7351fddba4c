// The word-by-word sort of records against std::stable_sort with the same comparison, over shapes that reach every
// branch: small and large groups, common prefixes, numbers of one word and of many, several parts.
#include "files/columnar/columnar_keys.hpp"
#include "files/first_words.hpp"
#include "files/record_sort.hpp"
#include "files/text_views.hpp"
#include "scratch_folder.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace sortile::files {
namespace {

using form = key_part::form;

class shapes {
 public:
  explicit shapes(unsigned seed) : random_(seed) {}

  std::string text(std::size_t n) {
    std::string prefix(random_() % 3 == 0 ? random_() % 40 : 0, 'p');
    const unsigned alphabet = 1 + static_cast<unsigned>(random_() % 4);
    const unsigned longest = 1 + static_cast<unsigned>(random_() % 25);
    const bool numbers = random_() % 2 == 0;
    std::string result;
    for (std::size_t i = 0; i < n; ++i) {
      if (numbers)
        result += std::to_string(static_cast<std::int64_t>(random_()) >> (random_() % 64)) +
                  (random_() % 4 == 0 ? "0000000000000000000.5" : "");
      else
        result += prefix;
      for (std::size_t k = random_() % longest; k > 0; --k)
        result += static_cast<char>("aAb "[random_() % alphabet]);
      result += '\n';
    }
    return result;
  }

  record_order order() {
    record_order parts;
    for (std::size_t i = 1 + random_() % 3; i > 0; --i) {
      key_part part;
      part.as = std::array{form::text, form::folded, form::leading_number}[random_() % 3];
      part.reverse = random_() % 2 == 0;
      if (random_() % 2 == 0) {
        part.where = key_part::place::fields;
        part.range.first_field = random_() % 2;
        part.range.last_field = part.range.first_field;
      }
      parts.push_back(part);
    }
    return parts;
  }

  std::size_t count() { return std::array<std::size_t, 6>{0, 1, 2, 20, 500, 20000}[random_() % 6]; }

 private:
  std::mt19937_64 random_;
};

void expect_stable_order(const record_table& records, const record_order& order, unsigned threads) {
  options opts;
  opts.threads = threads;
  const raw_array<std::uint32_t> sorted = sort_records(records, order, opts);
  std::vector<std::uint32_t> expected(records.size());
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return compare(order, records[a], records[b]) < 0; });
  ASSERT_EQ(sorted.size(), expected.size());
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), sorted.data()));
  const raw_array<std::uint32_t> distinct = sort_records(records, order, opts, true);
  expected.erase(
      std::unique(expected.begin(), expected.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return compare(order, records[a], records[b]) == 0; }),
      expected.end());
  ASSERT_EQ(distinct.size(), expected.size());
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), distinct.data()));
}

TEST(RecordSort, AgainstStableSort) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    shapes make(seed);
    const std::string text = make.text(make.count());
    const record_table records = split_lines(text, '\n', 2);
    expect_stable_order(records, make.order(), 1 + seed % 3);
  }
}

TEST(RecordSort, LargeGroups) {
  for (const char* tail : {"", "same tail of more than one word "}) {
    std::mt19937 random(1);
    std::string text;
    for (int i = 0; i < 200000; ++i)
      text += "prefix " + std::to_string(random() % 2) + tail + std::to_string(random() % 1000) + "\n";
    expect_stable_order(split_lines(text, '\n', 2), {{}}, 2);
  }
}

// Integers of few values share their words with the beginning of the part behind them, whatever that is.
TEST(RecordSort, IntegersOfFewValuesAndWhatFollows) {
  std::mt19937 random(5);
  for (const std::int64_t least : {std::int64_t{-3}, std::int64_t{0}, INT64_MIN / 16, INT64_MAX / 16 - 70'000})
    for (const unsigned values : {1u, 2u, 1000u, 70'000u})
      for (const form second : {form::text, form::folded, form::leading_number, form::month})
        for (const bool reverse : {false, true}) {
          const std::size_t n = values == 1000 ? 20'000 : 3000;
          std::string text;
          for (std::size_t i = 0; i < n; ++i) {
            constexpr std::array words{"", "a", "A", "abcdef", "abcdefg", "abcdefgh", "ab\xff", "jan", "-7", "12.5"};
            text += fmt::format("{} {}{}\n", least + static_cast<std::int64_t>(random() % values),
                                words[random() % words.size()], random() % 3 == 0 ? " x" : "");
          }
          key_part number{.as = form::leading_number, .reverse = !reverse};
          key_part behind{.where = key_part::place::fields, .as = second, .reverse = reverse};
          behind.range.first_field = behind.range.last_field = 1;
          expect_stable_order(split_lines(text, '\n', 2), {number, behind}, 2);
          expect_stable_order(split_lines(text, '\n', 2), {number, behind, {}}, 1);
        }
}

// Sorted words give the records in the order of the words, as far as these are kept beside numbers. `whole` nothing:
// these are kept apart.
TEST(RecordSort, WordsCarryNumbers) {
  std::mt19937_64 random(7);
  constexpr std::size_t n = 20'000; // 15 bits
  const auto check = [&](auto word, std::optional<bool> whole, bool may_cut = true) {
    std::vector<std::uint64_t> words(n);
    std::generate(words.begin(), words.end(), word);
    const std::vector<std::uint64_t> given = words;
    std::vector<std::uint32_t> ids(n);
    EXPECT_EQ(sort_numbered(words, ids.data(), may_cut, {.order = order::descending, .threads = 2}),
              whole.value_or(true) ? sorted_words::whole : sorted_words::beginnings);
    bool are_as_given = true;
    for (std::size_t i = 0; i < n; ++i)
      are_as_given = are_as_given && words[i] == given[ids[i]];
    EXPECT_EQ(are_as_given, !whole.has_value());
    for (std::size_t i = 1; i < n; ++i) {
      const std::uint64_t a = given[ids[i - 1]], b = given[ids[i]];
      if (words[i - 1] == words[i])
        ASSERT_TRUE(ids[i - 1] < ids[i] && (whole.value_or(true) ? a == b : true)) << i;
      else
        ASSERT_LT(a, b) << i;
    }
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(ids[i], i);
  };
  constexpr std::uint64_t far = 0xfedc'ba98'7654'3210;
  check([] { return far; }, true);
  check([&] { return far - random() % 2; }, true);
  check([&] { return random() >> 15; }, true);
  check([&] { return far + (random() >> 16); }, true);
  check([&] { return random(); }, false);
  check([&] { return random() >> 14; }, false);
  check([&] { return random() % 3 << 62 | random() % 8; }, std::nullopt);
  check([&] { return random(); }, std::nullopt, false);
}

// Pairs of words that differ only where numbers take the place, and that the sample of words does not see.
TEST(RecordSort, WordsThatLoseTheirEnds) {
  std::mt19937 random(9);
  std::string lines;
  for (std::size_t i = 0; i < 20'000; ++i) {
    std::string word;
    for (int k = 0; k < 6; ++k)
      word += static_cast<char>('a' + random() % 26);
    lines += fmt::format("{}{} {}\n", word, "ba"[i % 2], random() % 10);
    if (i % 4 == 1)
      lines += fmt::format("{}a {}\n", word, ++i);
  }
  for (const bool reverse : {false, true}) {
    key_part word{.where = key_part::place::fields, .reverse = reverse};
    word.range.last_field = 0;
    expect_stable_order(split_lines(lines, '\n', 2), {word}, 2);
    expect_stable_order(split_lines(lines, '\n', 2), {word, {}}, 1);
  }
}

// Fields and cells that begin alike are sorted as strings; what is equal in them, by the parts behind.
TEST(RecordSort, TextsThatBeginAlike) {
  std::mt19937 random(3);
  std::string lines;
  std::string rows;
  for (int i = 0; i < 70000; ++i) {
    const std::string path = "/a/path/that/all/have/" + std::to_string(random() % 300) + "/x";
    const std::string number = std::to_string(random() % 1000);
    lines += path + " " + number + "\n";
    rows += number + ",\"" + path + (random() % 5000 == 0 ? "\"\"" : "") + "\"\n";
  }
  key_part path{.where = key_part::place::fields};
  path.range.last_field = 0;
  key_part number{.where = key_part::place::fields, .as = form::leading_number, .reverse = true};
  number.range.first_field = 1;
  key_part cell{.where = key_part::place::cell, .reverse = true};
  cell.column = 1;
  for (const unsigned threads : {1u, 3u}) {
    expect_stable_order(split_lines(lines, '\n', 2), {path}, threads);
    expect_stable_order(split_lines(lines, '\n', 2), {path, number}, threads);
    expect_stable_order(split_lines(rows, '\n', 2), {cell}, threads);
  }
}

TEST(TextViews, LieInTheirRecordsOrAreNone) {
  key_part cell{.where = key_part::place::cell};
  cell.column = 1;
  const std::string text = "1,plain,x\n2,\"quo,ted\",y\n3\n";
  const record_table rows = split_lines(text, '\n', 1);
  const auto views = text_views(rows, {cell}, 2);
  ASSERT_TRUE(views);
  EXPECT_EQ((*views)[0], "plain");
  EXPECT_EQ((*views)[1], "quo,ted");
  EXPECT_EQ((*views)[2], "");
  const std::string doubled = "1,\"a \"\"word\"\"\"\n";
  EXPECT_FALSE(text_views(split_lines(doubled, '\n', 1), {cell}, 2)); // is nowhere in the text as it is
}

// Each record is a prefix of the next: the deepest nesting of groups that so much text can have.
TEST(RecordSort, NestedPrefixes) {
  std::string text;
  for (std::size_t i = 2000; i > 0; --i)
    text += std::string(i, 'x') + "\n";
  expect_stable_order(split_lines(text, '\n', 2), {{}}, 2);
}

// Many whole records, which are sorted by their first words with their numbers in them, and which not.
TEST(RecordSort, ManyWholeRecords) {
  constexpr int n = 300000;
  std::mt19937_64 random(7);
  std::string told_apart, begin_alike;
  for (int i = 0; i < n; ++i) {
    std::string word(10, ' ');
    for (char& c : word)
      c = static_cast<char>('A' + random() % 50);
    if (i > 1000 && i < 1070) // alike in the first word; the sample meets one of them at most
      word = std::array<std::string, 3>{"same beginning " + word, "same", "same beginning"}[random() % 3];
    told_apart += word + "\n";
    begin_alike += "the same beginning " + word + "\n";
  }
  told_apart += "no delimiter";
  const record_table apart = split_lines(told_apart, '\n', 2), alike = split_lines(begin_alike, '\n', 2);
  key_part descending;
  descending.reverse = true;
  EXPECT_TRUE(numbers_fit_first_words(apart, {{}}));
  EXPECT_TRUE(numbers_fit_first_words(apart, {descending}));
  EXPECT_FALSE(numbers_fit_first_words(alike, {{}}));
  for (const record_table* records : {&apart, &alike})
    for (const key_part& part : {key_part{}, descending})
      expect_stable_order(*records, {part}, 2);
}

// Rows by a column of numbers, in pieces: whole words with their numbers, words cut off for them, and pairs.
TEST(RecordSort, WordsOfColumns) {
  constexpr std::size_t n = 120000;
  std::mt19937_64 random(3);
  std::vector<std::int64_t> few(n), many(n), cut(n);
  for (std::size_t i = 0; i < n; ++i) {
    few[i] = static_cast<std::int64_t>(random() % 100) - 50;
    many[i] = static_cast<std::int64_t>((random() & ~std::uint64_t{0xFFFF}) | random() % 3); // many more bits than fit
    cut[i] = i > 5000 && i < 5025 ? static_cast<std::int64_t>(random() % 6) : static_cast<std::int64_t>(random());
  }
  few[7] = INT64_MIN; // so that its words have no bits to spare, and repeat
  for (const std::vector<std::int64_t>* values : {&few, &many, &cut})
    for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{2}, n})
      for (const bool reverse : {false, true}) {
        const auto* const bytes = reinterpret_cast<const char*>(values->data());
        const column_cells cells{.type = key_type::i64,
                                 .pieces = {{rows / 3, nullptr, bytes, nullptr},
                                            {rows - rows / 3, nullptr, bytes + 8 * (rows / 3), nullptr}}};
        const std::vector<columnar_key> order{{.cells = cells, .part = {.reverse = reverse}}};
        std::vector<std::uint32_t> expected(rows);
        std::iota(expected.begin(), expected.end(), 0u);
        std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
          return reverse ? (*values)[a] > (*values)[b] : (*values)[a] < (*values)[b];
        });
        const raw_array<std::uint32_t> sorted = sort_columnar_words(rows, order, {});
        ASSERT_EQ(sorted.size(), rows);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), sorted.data()));
      }
}

TEST(RecordSort, FirstOfEquals) {
  const std::string text = "b 1\na 1\nb 2\na 2\na 3\n";
  const record_table records = split_lines(text, '\n', 1);
  key_part first;
  first.where = key_part::place::fields;
  first.range.last_field = 0;
  const record_order order{first};
  raw_array<std::uint32_t> sorted = sort_records(records, order, {});
  ASSERT_EQ(keep_first_of_equals(records, order, {sorted.data(), sorted.size()}, 2), 2u);
  EXPECT_EQ(records[sorted[0]], "a 1");
  EXPECT_EQ(records[sorted[1]], "b 1");
}

TEST(RecordSort, FirstDisorder) {
  std::string text;
  for (int i = 10000; i < 60000; ++i)
    text += std::to_string(i) + "\n";
  const record_table fine = split_lines(text, '\n', 2);
  EXPECT_EQ(first_disorder(fine, {{}}, true, 3), std::nullopt);
  for (const std::size_t at : {std::size_t{1}, std::size_t{4096}, std::size_t{30000}, std::size_t{49999}}) {
    std::string broken = text;
    broken[at * 6] = '0';
    EXPECT_EQ(first_disorder(split_lines(broken, '\n', 2), {{}}, false, 3), at);
  }
  EXPECT_EQ(first_disorder(split_lines("a\na\n", '\n', 1), {{}}, false, 1), std::nullopt);
  EXPECT_EQ(first_disorder(split_lines("a\na\n", '\n', 1), {{}}, true, 1), 1u);
}

TEST(Lines, AreCutAlikeByAnyNumberOfThreads) {
  std::mt19937 random(2);
  std::string text;
  std::vector<std::string> lines;
  while (text.size() < (std::size_t{4} << 20)) {
    lines.emplace_back(random() % 50, 'x');
    text += lines.back() + "\n";
  }
  text.pop_back();
  for (const unsigned threads : {1u, 2u, 5u}) {
    const record_table records = split_lines(text, '\n', threads);
    ASSERT_EQ(records.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
      ASSERT_EQ(records[i], lines[i]);
  }
  EXPECT_EQ(split_lines("", '\n', 1).size(), 0u);
  EXPECT_EQ(split_lines("\n", '\n', 1).size(), 1u);
}

} // namespace
} // namespace sortile::files
