// The broken zoo: the executor finds each bug by its name, and the repaired files, made from the broken ones by a
// change of a line or two (repairs.py), pass the same examination.
#include "classics/broken/broken.hpp"
#include "classics/runner.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <set>

namespace sortile::classics {
namespace {

#ifdef SORTILE_REPAIRED
TEST(repaired, kernels_pass_the_examination) {
  for (const classic& c : all_broken()) {
    const autopsy found = examine(c);
    EXPECT_EQ(found.found_as, "") << c.name << '\n' << found.report;
    EXPECT_GE(found.runs, 16u);
  }
}
#else
TEST(broken, bugs_are_found_and_named) {
  ASSERT_EQ(all_broken().size(), all_specimens().size());
  std::set<std::string_view> kinds;
  for (std::size_t i = 0; i < all_broken().size(); ++i) {
    const classic& c = all_broken()[i];
    EXPECT_EQ(c.name, all_specimens()[i].name);
    const autopsy found = examine(c);
    EXPECT_EQ(found.found_as, all_specimens()[i].found_as) << c.name << '\n' << found.report;
    EXPECT_FALSE(found.report.empty()) << c.name;
    kinds.insert(found.found_as);
  }
  EXPECT_GE(kinds.size(), 5u);
  EXPECT_THROW(specimen_named("no-such"), invalid_argument);
}
#endif

} // namespace
} // namespace sortile::classics
