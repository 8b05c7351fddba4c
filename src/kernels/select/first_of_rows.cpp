// Checks requests for the first elements of rows and sends them to the queue's backend.
#include "kernels/select/first_of_rows.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

void first_of_rows(const simt::queue& q, const first_of_rows_request& r) {
  if (r.rows == 0 || r.k == 0 || r.n == 0)
    return;
  check_size("first_of_rows", "elements", r.bytes);
  if (r.positions != nullptr)
    check_width("first_of_rows", "positions", r.position_bytes);
  if (r.results.bytes_each() != 0)
    check_width("first_of_rows", "numbers of results", r.results.bytes);
  if (r.where.count != 0 && (r.where.count != r.rows || r.where.form == segment_form::strided))
    throw invalid_argument("first_of_rows: segments are as many as rows, of form offsets or ranges");
  check_array("first_of_rows", "in", static_cast<const char*>(r.in), r.n * r.bytes);
  check_array("first_of_rows", "out", static_cast<char*>(r.out), r.rows * r.k * r.bytes);
  check_apart("first_of_rows", "in", r.in, r.n * r.bytes, "out", r.out, r.rows * r.k * r.bytes);
  send(q, r);
}

} // namespace sortile::kernels
