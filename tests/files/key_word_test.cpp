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

} // namespace
} // namespace sortile::files
