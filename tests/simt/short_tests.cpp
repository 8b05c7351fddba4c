// SORTILE_TESTS_SHORT: what it leaves of a test's inputs.
#include "tests/simt/fixture.hpp"

#include <string>

namespace sortile::simt_tests {
namespace {

/// Sets the variable for as long as it lives.
class setting {
 public:
  explicit setting(const char* value) {
    if (const char* now = std::getenv(name)) {
      before_ = now;
      was_set_ = true;
    }
    setenv(name, value, 1);
  }
  ~setting() {
    if (was_set_)
      setenv(name, before_.c_str(), 1);
    else
      unsetenv(name);
  }
  setting(const setting&) = delete;

 private:
  static constexpr const char* name = "SORTILE_TESTS_SHORT";
  std::string before_;
  bool was_set_ = false;
};

/// Pairs of two loops, of 4 and of 3.
std::vector<int> pairs_taken(unsigned stride) {
  one_in taken(stride);
  std::vector<int> pairs;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      if (taken())
        pairs.push_back(10 * i + j);
  return pairs;
}

TEST(short_tests, take_all_inputs_unless_they_are_asked_for) {
  for (const char* off : {"", "0"}) {
    const setting here(off);
    EXPECT_EQ(a_few(2, {1, 2, 3}), (std::vector{1, 2, 3}));
    EXPECT_EQ(unless_short(70'001, 20'001), 70'001);
    EXPECT_EQ(pairs_taken(5).size(), 12u);
  }
}

TEST(short_tests, take_the_last_the_first_and_evenly_between) {
  const setting here("1");
  EXPECT_EQ(unless_short(70'001, 20'001), 20'001);
  EXPECT_EQ(a_few(1, {1, 2, 3}), (std::vector{3}));
  EXPECT_EQ(a_few(2, {1, 2, 3}), (std::vector{1, 3}));
  EXPECT_EQ(a_few(3, {0, 1, 2, 3, 4, 5, 6}), (std::vector{0, 3, 6}));
  EXPECT_EQ(a_few(4, {0, 1, 2, 3, 4, 5, 6, 7}), (std::vector{0, 2, 4, 7}));
  EXPECT_EQ(a_few(5, {1, 2, 3}), (std::vector{1, 2, 3}));
  const unsigned array[] = {7, 8, 9};
  EXPECT_EQ(a_few(1, array), (std::vector{9u}));
}

TEST(short_tests, take_one_in_so_many) {
  const setting here("1");
  EXPECT_EQ(pairs_taken(5), (std::vector{0, 12, 31}));
  EXPECT_EQ(pairs_taken(20), (std::vector{0}));
}

} // namespace
} // namespace sortile::simt_tests
