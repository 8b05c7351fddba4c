// The sort between splitters for keys of 128 bits, alone.
#include "kernels/splitters/splitter_launches.hpp"

namespace sortile::kernels::detail {

template <>
void launch_splitter_sort<simt::this_backend>(const simt::queue& q, const splitter_sort_request<uint128>& request,
                                              const sort_pairs_plan& plan) {
  splitter_sorter<uint128, no_value, integer_image<uint128>>(q, request, plan).launch();
}

} // namespace sortile::kernels::detail
