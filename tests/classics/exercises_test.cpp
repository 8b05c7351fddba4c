// Exercises: the gallery's own classics pass, every file with a gap fails with a hint and passes once the gap is
// filled, and each has its page.
#include "classics/registry.hpp"
#include "exercises/grading.hpp"
#include "tests/source_folder.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

namespace sortile::classics {
#define SORTILE_CLASSICS_FILE(FILE)                                                                                    \
  template <class Backend>                                                                                             \
  std::vector<classic> classics_of_##FILE();
#include "files_of_exercises.inc"
#undef SORTILE_CLASSICS_FILE
} // namespace sortile::classics

namespace sortile::exercises {
namespace {

std::map<std::string, classics::classic> all_attempts() {
  std::map<std::string, classics::classic> all;
#define SORTILE_CLASSICS_FILE(FILE) all[#FILE] = classics::classics_of_##FILE<simt::on_executor>().at(0);
#include "files_of_exercises.inc"
#undef SORTILE_CLASSICS_FILE
  return all;
}

std::string file_of(const exercise& e, const char* how = "exercise_") {
  std::string file = how + std::string(e.name);
  std::replace(file.begin(), file.end(), '-', '_');
  return file;
}

TEST(exercises, the_gallerys_own_pass) {
  for (const exercise& e : all_exercises()) {
    const std::vector<mark> marks = grade(classics::classic_named(e.solution), e);
    EXPECT_TRUE(passed(marks)) << e.name << '\n' << to_text(marks);
    EXPECT_EQ(marks.size(), 3 + e.bounds.size()) << e.name;
  }
}

TEST(exercises, files_with_a_gap_fail_with_a_hint) {
  const auto attempts = all_attempts();
  EXPECT_EQ(attempts.size(), 2 * all_exercises().size());
  for (const exercise& e : all_exercises()) {
    ASSERT_EQ(attempts.count(file_of(e)), 1u) << e.name;
    const std::vector<mark> marks = grade(attempts.at(file_of(e)), e);
    EXPECT_FALSE(passed(marks)) << e.name << '\n' << to_text(marks);
    EXPECT_FALSE(marks.back().hint.empty()) << e.name << '\n' << to_text(marks);
  }
}

TEST(exercises, files_pass_once_the_gap_is_filled) {
  const auto attempts = all_attempts();
  for (const exercise& e : all_exercises()) {
    ASSERT_EQ(attempts.count(file_of(e, "exercise_filled_")), 1u) << e.name;
    const std::vector<mark> marks = grade(attempts.at(file_of(e, "exercise_filled_")), e);
    EXPECT_TRUE(passed(marks)) << e.name << '\n' << to_text(marks);
  }
}

TEST(exercises, have_pages_that_say_how_they_are_graded) {
  for (const exercise& e : all_exercises()) {
    std::ifstream page(testing::source_folder() + "/exercises/" + std::string(e.name) + ".md");
    ASSERT_TRUE(page) << e.name;
    std::stringstream text;
    text << page.rdbuf();
    EXPECT_NE(text.str().find("make exercise " + std::string(e.name)), std::string::npos) << e.name;
    EXPECT_NE(text.str().find(std::string(e.solution)), std::string::npos) << e.name;
  }
  EXPECT_THROW(exercise_named("no-such"), invalid_argument);
}

} // namespace
} // namespace sortile::exercises
