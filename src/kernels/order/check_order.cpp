// Checks the request and sends it to the queue's backend.
#include "kernels/order/check_order.hpp"

#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

template <class Word>
void check_order(const simt::queue& q, const check_order_request<Word>& r) {
  if (r.rows == 0 || r.n < 2)
    return;
  check_array("check_order", "keys", r.keys, r.rows * r.n);
  check_array("check_order", "answer", r.answer, 1);
  send(q, r);
}

SORTILE_EACH_WORD(SORTILE_CALL, check_order, check_order_request)

} // namespace sortile::kernels
