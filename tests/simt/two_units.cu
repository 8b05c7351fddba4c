// One kernel in two translation units, as a header of kernels that several files of a program include.
#include "two_units.hpp"

#include <numeric>

namespace sortile::simt_tests {
namespace {

/// Flattened, so that each unit runs its own copy of what prepares a launch.
[[gnu::flatten]] void launch_in_this_unit(const simt::queue& q, const kernel_of_two_units& kernel) {
  simt::launch(q, {.grid = 1}, kernel);
}

SIMT_TEST(launch, one_kernel_in_two_units) {
  std::vector<std::uint32_t> expected(kernel_of_two_units::block_threads);
  std::iota(expected.rbegin(), expected.rend(), 25 * 1024 - kernel_of_two_units::block_threads);
  on_every_schedule(
      [&](const simt::queue& q) {
        for (const auto launch : {launch_in_this_unit, launch_in_another_unit, launch_in_this_unit}) {
          buffer<std::uint32_t> to(kernel_of_two_units::block_threads);
          launch(q, {to.view()});
          ASSERT_EQ(to.host(), expected);
        }
      },
      2);
}

} // namespace
} // namespace sortile::simt_tests
