// Sends the last step of a search for ranks to the queue's backend.
#include "kernels/ranks/pick_keys.hpp"

#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

template <class Word>
void pick_keys(const simt::queue& q, const pick_keys_request<Word>& r) {
  if (r.where.count == 0 || r.places.empty())
    return;
  check_array("pick_keys", "out", r.out, r.where.count * r.places.size());
  send(q, r);
}

template <class Word>
void pick_quantiles(const simt::queue& q, const pick_quantiles_request<Word>& r) {
  const std::size_t results = r.places.empty() ? r.probabilities.size() : r.places.size();
  if (r.where.count == 0 || results == 0)
    return;
  check_array("pick_quantiles", "out", r.out, r.where.count * results);
  send(q, r);
}

SORTILE_EACH_WORD(SORTILE_CALL, pick_keys, pick_keys_request)
SORTILE_EACH_WORD(SORTILE_CALL, pick_quantiles, pick_quantiles_request)

} // namespace sortile::kernels
