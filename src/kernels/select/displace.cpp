// Checks requests to make room for chosen elements and sends them to the queue's backend.
#include "kernels/select/displace.hpp"

#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

void displace(const simt::queue& q, const displace_request& r) {
  if (r.k > r.n || r.begin > r.n - r.k)
    throw invalid_argument("displace: a window of k = " + std::to_string(r.k) + " places from " +
                           std::to_string(r.begin) + " on does not lie within n = " + std::to_string(r.n));
  if (r.k == 0 || r.k == r.n)
    return;
  check_size("displace", "elements", r.element_bytes);
  check_width("displace", "positions", r.position_bytes);
  check_array("displace", "elements", static_cast<char*>(r.elements), r.n);
  check_array("displace", "chosen", static_cast<const char*>(r.chosen), r.k);
  check_apart("displace", "elements", r.elements, r.n * r.element_bytes, "chosen", r.chosen, r.k * r.position_bytes);
  send(q, r);
}

} // namespace sortile::kernels
