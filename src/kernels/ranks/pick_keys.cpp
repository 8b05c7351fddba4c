// Sends the last step of a search for ranks to the queue's backend.
#include "kernels/ranks/pick_keys.hpp"

#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

template <class Word>
void pick_keys(const simt::queue& q, const pick_keys_request<Word>& r) {
  if (r.rows == 0 || r.places.empty())
    return;
  check_array("pick_keys", "out", r.out, r.rows * r.places.size());
  send(q, r);
}

template <class Word>
void pick_quantiles(const simt::queue& q, const pick_quantiles_request<Word>& r) {
  if (r.rows == 0 || r.quantiles.empty())
    return;
  check_array("pick_quantiles", "out", r.out, r.rows * r.quantiles.size());
  send(q, r);
}

SORTILE_EACH_WORD(SORTILE_CALL, pick_keys, pick_keys_request)
SORTILE_EACH_WORD(SORTILE_CALL, pick_quantiles, pick_quantiles_request)

} // namespace sortile::kernels
