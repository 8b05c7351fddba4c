// Sends the last step of a search for ranks to the queue's backend.
#include "kernels/ranks/pick_keys.hpp"

#include "kernels/argument_checks.hpp"

namespace sortile::kernels {

template <class Word>
void pick_keys(const simt::queue& q, const pick_keys_request<Word>& r) {
  if (r.rows == 0 || r.places.empty())
    return;
  check_array("pick_keys", "out", r.out, r.rows * r.places.size());
  simt::visit(q, [&](auto backend) { detail::launch_pick_keys<decltype(backend)>(q, r); });
}

template <class Word>
void pick_quantiles(const simt::queue& q, const pick_quantiles_request<Word>& r) {
  if (r.rows == 0 || r.quantiles.empty())
    return;
  check_array("pick_quantiles", "out", r.out, r.rows * r.quantiles.size());
  simt::visit(q, [&](auto backend) { detail::launch_pick_quantiles<decltype(backend)>(q, r); });
}

#define SORTILE_PICK(WORD)                                                                                             \
  template void pick_keys(const simt::queue&, const pick_keys_request<WORD>&);                                         \
  template void pick_quantiles(const simt::queue&, const pick_quantiles_request<WORD>&);
SORTILE_PICK(std::uint8_t)
SORTILE_PICK(std::uint16_t)
SORTILE_PICK(std::uint32_t)
SORTILE_PICK(std::uint64_t)
SORTILE_PICK(uint128)
#undef SORTILE_PICK

} // namespace sortile::kernels
