// The sum of hashes: blind to order, and to nothing else.
#include "files/multiset.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace sortile::files {
namespace {

TEST(Multiset, OrderDoesNotMatter) {
  const std::string text = "b\na\n\nlonger than sixteen bytes\na\n";
  const std::string other = "\na\nlonger than sixteen bytes\na\nb";
  EXPECT_EQ(sum_of_records(split_lines(text, '\n', 1), 2), sum_of_records(split_lines(other, '\n', 1), 1));
}

TEST(Multiset, EverythingElseDoes) {
  const multiset_sum sum = sum_of_records(split_lines("b\na\na\n", '\n', 1), 1);
  for (const char* other : {"b\nb\na\n", "a\nb\n", "a\nb\na\na\n", "a\na\nc\n", "a\na\nB\n", "ab\na\n\n"})
    EXPECT_NE(sum, sum_of_records(split_lines(other, '\n', 1), 1)) << other;
  std::string data(16 * 3, '\0');
  const multiset_sum zeros = sum_of_records(data, 16, 1);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = 1;
    EXPECT_NE(zeros, sum_of_records(data, 16, 1)) << i;
    data[i] = 0;
  }
  EXPECT_NE(zeros, sum_of_records(data, 8, 1));
}

} // namespace
} // namespace sortile::files
