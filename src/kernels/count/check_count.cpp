// Checks the request and sends it to the queue's backend.
#include "kernels/count/check_count.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

void check_count(const simt::queue& q, const std::uint64_t* device_n, std::uint64_t bound, std::uint32_t* status) {
  check_array("check_count", "status", status, 1);
  if (device_n != nullptr)
    check_array("check_count", "device_n", device_n, 1);
  send(q, detail::count_check{device_n, bound, status});
}

} // namespace sortile::kernels
