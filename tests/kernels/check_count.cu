// Whether a count on the device stays within its bound.
#include "kernels/count/check_count.hpp"
#include "tests/simt/fixture.hpp"

#include <sortile/error.hpp>

namespace sortile::simt_tests {
namespace {

SIMT_TEST(check_count, says_whether_the_count_fits) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{99}, std::uint64_t{100}, std::uint64_t{101},
                                      std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
          buffer<std::uint64_t> count(1, n);
          buffer<std::uint32_t> status(3, 77u);
          kernels::check_count(q, count.view().data(), 100, status.view().data() + 1);
          EXPECT_EQ(status.host(), (std::vector<std::uint32_t>{77, n > 100 ? 1u : 0u, 77})) << n;
        }
        buffer<std::uint32_t> status(1, 77u);
        kernels::check_count(q, nullptr, 0, status.view().data());
        EXPECT_EQ(status.host().front(), 0u);
        EXPECT_THROW(kernels::check_count(q, nullptr, 0, nullptr), invalid_argument);
      },
      2);
}

} // namespace
} // namespace sortile::simt_tests
