// Checks the request and sends it to the queue's backend.
#include "kernels/order/check_order.hpp"

#include "kernels/argument_checks.hpp"

namespace sortile::kernels {

template <class Word>
void check_order(const simt::queue& q, const check_order_request<Word>& r) {
  if (r.rows == 0 || r.n < 2)
    return;
  check_array("check_order", "keys", r.keys, r.rows * r.n);
  check_array("check_order", "answer", r.answer, 1);
  simt::visit(q, [&](auto backend) { detail::launch_check_order<decltype(backend)>(q, r); });
}

template void check_order(const simt::queue&, const check_order_request<std::uint8_t>&);
template void check_order(const simt::queue&, const check_order_request<std::uint16_t>&);
template void check_order(const simt::queue&, const check_order_request<std::uint32_t>&);
template void check_order(const simt::queue&, const check_order_request<std::uint64_t>&);
template void check_order(const simt::queue&, const check_order_request<uint128>&);

} // namespace sortile::kernels
