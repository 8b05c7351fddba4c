// Reports the checks written in C to GoogleTest, one test each; and holds the two lists of numbers against each other.
#include "tests/c_api/c_checks.h"

#include <sortile/sortile.h>
#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace {

class from_c : public ::testing::TestWithParam<const named_c_check*> {};

TEST_P(from_c, works) {
  const char* complaint = GetParam()->run();
  EXPECT_EQ(complaint, nullptr) << complaint << "; last error: " << sortile_error_message();
}

std::vector<const named_c_check*> all_checks() {
  std::vector<const named_c_check*> checks;
  for (const named_c_check* check = c_checks; check->name != nullptr; ++check)
    checks.push_back(check);
  return checks;
}

INSTANTIATE_TEST_SUITE_P(c_api, from_c, ::testing::ValuesIn(all_checks()),
                         [](const auto& check) { return std::string(check.param->name); });

TEST(c_api, numbers_are_those_of_the_headers) {
  for (int code = 0; code <= SORTILE_INTERNAL_ERROR; ++code)
    EXPECT_EQ(sortile_status_name(static_cast<sortile_status>(code)),
              sortile::name(static_cast<sortile::status>(code)));
  EXPECT_EQ(static_cast<int>(sortile::status::internal_error), SORTILE_INTERNAL_ERROR);
  EXPECT_EQ(static_cast<int>(sortile::key_type::i8), SORTILE_I8);
  EXPECT_EQ(static_cast<int>(sortile::key_type::bf16), SORTILE_BF16);
  EXPECT_EQ(static_cast<int>(sortile::key_type::f64), SORTILE_F64);
  EXPECT_EQ(std::size(sortile::all_key_types), static_cast<std::size_t>(SORTILE_F64) + 1);
}

TEST(c_api, messages_belong_to_their_thread) {
  ASSERT_EQ(sortile_sort(SORTILE_U32, nullptr, nullptr, 7, nullptr), SORTILE_INVALID_ARGUMENT);
  const std::string here = sortile_error_message();
  std::thread([] { sortile_sort(SORTILE_F64, nullptr, nullptr, 9, nullptr); }).join();
  EXPECT_EQ(here, sortile_error_message());
}

} // namespace
