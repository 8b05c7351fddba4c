// One thread compares the count with its bound.
#include "kernels/count/check_count.hpp"
#include "kernels/send.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

struct check_count_kernel {
  static constexpr unsigned block_threads = 32;
  simt::global<const std::uint64_t> device_n;
  simt::global<std::uint32_t> status;
  std::uint64_t bound;
  bool is_on_device;

  SORTILE_DEVICE void operator()() const {
    if (simt::thread_index() == 0)
      status.store(0, is_on_device && device_n.load(0) > bound ? 1u : 0u);
  }
};

void launch(const simt::queue& q, const detail::count_check& c) {
  simt::launch(q, {.grid = 1},
               check_count_kernel{.device_n = {c.device_n, c.device_n == nullptr ? 0u : 1u},
                                  .status = {c.status, 1},
                                  .bound = c.bound,
                                  .is_on_device = c.device_n != nullptr});
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_LAUNCHES_OF(detail::count_check, launch)
