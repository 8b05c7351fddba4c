// Says at the end of a run how many tests of the GPU did not run for want of one.
#include <gtest/gtest.h>

#include <cstdio>
#include <string_view>

namespace {

class skip_counter : public testing::EmptyTestEventListener {
  void OnTestProgramEnd(const testing::UnitTest& all) override {
    int skipped = 0;
    for (int s = 0; s < all.total_test_suite_count(); ++s) {
      const testing::TestSuite& suite = *all.GetTestSuite(s);
      if (std::string_view(suite.name()).ends_with("_on_cuda"))
        skipped += suite.skipped_test_count();
    }
    std::printf("GPU-only cases skipped: %d\n", skipped);
  }
};

const bool registered = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new skip_counter); // gtest owns it
  return true;
}();

} // namespace
