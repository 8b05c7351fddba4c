// Checks the request and sends it to the queue's backend.
#include "kernels/ranks/spread_nan.hpp"

#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

void spread_nan(const simt::queue& q, const spread_nan_request& r) {
  if (r.rows == 0 || r.count < 2)
    return;
  check_array("spread_nan", "numbers", r.numbers, r.rows * r.count);
  if (r.results != nullptr && r.result_bytes == sizeof(float))
    check_array("spread_nan", "results", static_cast<float*>(r.results), r.rows * (r.count - 1));
  else if (r.results != nullptr)
    check_array("spread_nan", "results", static_cast<double*>(r.results), r.rows * (r.count - 1));
  send(q, r);
}

} // namespace sortile::kernels
