// The other unit of two_units.cu.
#include "two_units.hpp"

namespace sortile::simt_tests::inline SORTILE_BACKEND {

[[gnu::flatten]] void launch_in_another_unit(const simt::queue& q, const kernel_of_two_units& kernel) {
  simt::launch(q, {.grid = 1}, kernel);
}

} // namespace sortile::simt_tests::inline SORTILE_BACKEND
