// The sort of pairs for keys of 32 bits.
#include "kernels/pairs/pair_launches.hpp"

namespace sortile::kernels::detail {

template <>
void launch_sort_pairs<simt::this_backend>(const simt::queue& q, const sort_pairs_request<std::uint32_t>& request,
                                           const sort_pairs_plan& plan) {
  if (request.n != 0 || request.unsuited != nullptr)
    launch_pair_sort(q, request, plan);
}

} // namespace sortile::kernels::detail
