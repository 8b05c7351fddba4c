// An instantiation of each kernel, for cost_test.py.
#include "cost_kernels.hpp"

namespace sortile::simt_cost {
inline namespace SORTILE_BACKEND {

void launch_all(const simt::queue& q) {
  simt::launch(q, {.grid = 1}, flip_bits{});
  simt::launch(q, {.grid = 1}, rank_digits{});
  simt::launch(q, {.grid = 1}, chained_scan{});
}

} // namespace SORTILE_BACKEND
} // namespace sortile::simt_cost
