// Checks requests to move values and sends them to the queue's backend.
#include "kernels/values/move_values.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

void move_values(const simt::queue& q, const move_values_request& r) {
  if (r.n == 0)
    return;
  check_size("move_values", "values", r.value_bytes());
  if (r.indices != nullptr)
    check_width("move_values", "indices", r.index_bytes);
  check_array("move_values", "in", static_cast<const char*>(r.in), r.n);
  check_array("move_values", "out", static_cast<char*>(r.out), r.n);
  check_apart("move_values", "in", r.in, (r.in_n == 0 ? r.n : r.in_n) * r.in_bytes, "out", r.out, r.n * r.out_bytes);
  send(q, r);
}

} // namespace sortile::kernels
