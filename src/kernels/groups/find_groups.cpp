// Checks requests for groups and sends them to the queue's backend.
#include "kernels/groups/find_groups.hpp"

#include "kernels/argument_checks.hpp"

namespace sortile::kernels {

std::size_t find_groups_workspace_bytes(std::uint64_t n) {
  // The number, where all blocks read it, and look_back_chain<uint64>::bytes.
  return detail::find_groups_number_bytes + 16 + (n + detail::find_groups_tile - 1) / detail::find_groups_tile * 16;
}

template <class Word>
void find_groups(const simt::queue& q, const find_groups_request<Word>& r) {
  check_array("find_groups", "sorted", r.sorted, r.n);
  check_array("find_groups", "groups", r.groups, 1);
  if (r.n == 0 || r.n / detail::find_groups_tile > 0x7ffffffeu)
    throw invalid_argument("find_groups: n = " + std::to_string(r.n) + " is none, or more than one launch can do");
  if ((r.order == nullptr && (r.first != nullptr || r.inverse != nullptr)) ||
      (r.counts != nullptr && r.offsets == nullptr))
    throw invalid_argument("find_groups: first and inverse follow from order, counts from offsets; it is null");
  simt::visit(q, [&](auto backend) { detail::launch_find_groups<decltype(backend)>(q, r); });
}

template void find_groups(const simt::queue&, const find_groups_request<std::uint8_t>&);
template void find_groups(const simt::queue&, const find_groups_request<std::uint16_t>&);
template void find_groups(const simt::queue&, const find_groups_request<std::uint32_t>&);
template void find_groups(const simt::queue&, const find_groups_request<std::uint64_t>&);
template void find_groups(const simt::queue&, const find_groups_request<uint128>&);

} // namespace sortile::kernels
