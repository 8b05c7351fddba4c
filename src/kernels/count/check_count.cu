// One thread compares the count with its bound.
#include "kernels/count/check_count.hpp"

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

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

namespace sortile::kernels::detail {

template <>
void launch_check_count<simt::this_backend>(const simt::queue& q, const std::uint64_t* device_n, std::uint64_t bound,
                                            std::uint32_t* status) {
  simt::launch(q, {.grid = 1},
               check_count_kernel{.device_n = {device_n, device_n == nullptr ? 0u : 1u},
                                  .status = {status, 1},
                                  .bound = bound,
                                  .is_on_device = device_n != nullptr});
}

} // namespace sortile::kernels::detail
