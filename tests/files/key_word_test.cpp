// Words of text compare as the text does, also with NUL bytes and at the edges of words.
#include "files/key_word.hpp"
#include "files/record_order.hpp"

#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace sortile::files {
namespace {

TEST(TextWord, ComparesAsTheText) {
  std::mt19937 random(11);
  const auto draw = [&] {
    std::string text;
    for (std::size_t i = random() % 24; i > 0; --i)
      text += "\0\0ab\xff"[random() % 5];
    return text;
  };
  for (int i = 0; i < 50000; ++i) {
    const std::string a = draw();
    const std::string b = draw();
    int result = 0;
    for (std::size_t depth = 0; result == 0; ++depth) {
      const key_word x = text_word(a, depth);
      const key_word y = text_word(b, depth);
      result = x.bits < y.bits ? -1 : x.bits > y.bits ? 1 : 0;
      if (result == 0) {
        ASSERT_EQ(x.last, y.last);
        if (x.last)
          break;
      }
    }
    const int expected = a.compare(b);
    ASSERT_EQ(result, expected < 0 ? -1 : expected > 0 ? 1 : 0);
  }
}

// Text that ends where its memory ends: a read beyond it is found by AddressSanitizer.
TEST(TextWord, ReadsNothingBeyondTheText) {
  for (std::size_t size = 0; size < 20; ++size) {
    const std::unique_ptr<char[]> text(new char[size + (size == 0)]);
    std::fill_n(text.get(), size, 'x');
    for (std::size_t depth = 0;; ++depth)
      if (text_word({text.get(), size}, depth).last)
        break;
  }
}

TEST(RecordOrder, WordsAgreeWithCompare) {
  std::mt19937 random(5);
  const std::string letters = "aAbB -19.\t";
  const auto draw = [&] {
    std::string text;
    for (std::size_t i = random() % 30; i > 0; --i)
      text += letters[random() % letters.size()];
    return text;
  };
  using form = key_part::form;
  for (int i = 0; i < 20000; ++i) {
    key_part part;
    part.as = std::array{form::text, form::folded, form::leading_number}[random() % 3];
    part.reverse = random() % 2 == 0;
    if (random() % 2 == 0) {
      part.where = key_part::place::fields;
      part.range.first_field = random() % 3;
    }
    const std::string a = draw();
    const std::string b = draw();
    std::string scratch;
    int by_words = 0;
    for (std::size_t depth = 0;; ++depth) {
      const key_word x = word_of(part, a, depth, scratch);
      const key_word y = word_of(part, b, depth, scratch);
      by_words = x.bits < y.bits ? -1 : x.bits > y.bits ? 1 : 0;
      if (by_words != 0 || x.last)
        break;
    }
    ASSERT_EQ(by_words, compare({part}, a, b)) << '[' << a << "] [" << b << ']';
  }
}

// Words and comparisons of filtered texts are those of what the filter leaves.
TEST(KeyWord, FilteredTexts) {
  std::mt19937 random(11);
  constexpr std::string_view bytes = "aAbZ09 \t-_.\x01\x7f\xe9\xff";
  const auto text = [&](std::size_t most) {
    std::string made;
    for (std::size_t n = random() % most; n > 0; --n)
      made += random() % 40 == 0 ? '\0' : bytes[random() % bytes.size()];
    return made;
  };
  using keep = text_filter::keep;
  for (int round = 0; round < 3000; ++round) {
    const text_filter filter{std::array{keep::all, keep::dictionary, keep::printing}[random() % 3], random() % 2 == 0};
    const std::string prefix = text(40);
    const std::string a = prefix + text(30);
    const std::string b = random() % 8 == 0 ? a : prefix + text(30);
    std::string left_of_a;
    std::string left_of_b;
    const std::string_view x = filtered(a, filter, left_of_a);
    const std::string_view y = filtered(b, filter, left_of_b);
    const int step = x.compare(y);
    ASSERT_EQ(compare_filtered(a, b, filter), step < 0 ? -1 : step > 0 ? 1 : 0) << round;
    for (std::size_t depth = 0;; ++depth) {
      const key_word wanted = text_word(x, depth);
      const key_word word = filtered_word(a, filter, depth);
      ASSERT_EQ(word.bits, wanted.bits) << round << ' ' << depth;
      ASSERT_EQ(word.last, wanted.last);
      if (wanted.last)
        break;
    }
  }
}

} // namespace
} // namespace sortile::files
