// Checks requests for groups of short arrays and sends them to the queue's backend.
#include "kernels/groups/short_groups.hpp"

#include "kernels/argument_checks.hpp"

namespace sortile::kernels {

template <class Word>
void short_groups(const simt::queue& q, const short_groups_request<Word>& r) {
  check_array("short_groups", "keys", r.keys, r.n);
  check_array("short_groups", "groups", r.groups, 1);
  if (r.n == 0 || r.n > short_groups_most(sizeof(Word)))
    throw invalid_argument("short_groups: n = " + std::to_string(r.n) + "; allowed are 1 to " +
                           std::to_string(short_groups_most(sizeof(Word))));
  simt::visit(q, [&](auto backend) { detail::launch_short_groups<decltype(backend)>(q, r); });
}

template void short_groups(const simt::queue&, const short_groups_request<std::uint8_t>&);
template void short_groups(const simt::queue&, const short_groups_request<std::uint16_t>&);
template void short_groups(const simt::queue&, const short_groups_request<std::uint32_t>&);
template void short_groups(const simt::queue&, const short_groups_request<std::uint64_t>&);
template void short_groups(const simt::queue&, const short_groups_request<uint128>&);

} // namespace sortile::kernels
