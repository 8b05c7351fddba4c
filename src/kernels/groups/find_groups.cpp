// Checks requests for groups and sends them to the queue's backend.
#include "kernels/groups/find_groups.hpp"

#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

std::size_t find_groups_workspace_bytes(std::uint64_t n) {
  // The number, where all blocks read it, and look_back_chain<uint64>::bytes.
  return detail::find_groups_number_bytes + 16 + (n + detail::find_groups_tile - 1) / detail::find_groups_tile * 16;
}

template <class Word>
void find_groups(const simt::queue& q, const find_groups_request<Word>& r) {
  check_array("find_groups", "keys", r.keys, r.n);
  check_array("find_groups", "groups", r.groups, 1);
  const std::uint64_t most = r.are_sorted ? 0x7fffffff * detail::find_groups_tile - 1 : short_groups_most(sizeof(Word));
  if (r.n == 0 || r.n > most)
    throw invalid_argument("find_groups: n = " + std::to_string(r.n) + (r.are_sorted ? " sorted" : "") +
                           " keys; allowed are 1 to " + std::to_string(most));
  if (r.are_sorted && ((r.order == nullptr && (r.first != nullptr || r.inverse != nullptr)) ||
                       (r.counts != nullptr && r.offsets == nullptr)))
    throw invalid_argument("find_groups: first and inverse follow from order, counts from offsets; it is null");
  send(q, r);
}

SORTILE_EACH_WORD(SORTILE_CALL, find_groups, find_groups_request)

} // namespace sortile::kernels
