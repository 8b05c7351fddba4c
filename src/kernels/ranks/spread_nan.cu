// The kernel of spread_nan.hpp: a thread a number.
#include "kernels/ranks/spread_nan.hpp"

#include "simt/simt.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

struct spread_nan_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  simt::global<double> numbers;
  std::uint64_t all, count;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < all; i += stride) {
      const double last = numbers.load(i - i % count + count - 1);
      if (last != last && i % count != count - 1)
        numbers.store(i, last);
    }
  }
};

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

namespace sortile::kernels::detail {

template <>
void launch_spread_nan<simt::this_backend>(const simt::queue& q, const spread_nan_request& r) {
  constexpr std::uint64_t most_blocks = 2048;
  const std::uint64_t all = r.rows * r.count,
                      blocks = (all + spread_nan_kernel::block_threads - 1) / spread_nan_kernel::block_threads;
  simt::launch(q, {.grid = unsigned(std::min(blocks, most_blocks))},
               spread_nan_kernel{.numbers = {r.numbers, all}, .all = all, .count = r.count});
}

} // namespace sortile::kernels::detail
