// The sort of pairs for keys of 32 bits.
#include "kernels/pairs/pair_launches.hpp"

namespace sortile::kernels::detail {

template <>
void launch_sort_pairs<simt::this_backend>(const simt::queue& q, const typed_request<std::uint32_t>& request,
                                           const partition_plan& plan, unsigned step) {
  if (request.n != 0 || request.may_fall_back())
    by_value_and_image(request, [&]<class Value, class Image>(const Value*, const Image*) {
      pair_sort<std::uint32_t, Value, Image>(q, request, plan).launch(step);
    });
}

} // namespace sortile::kernels::detail
