// The sort of pairs for keys of 32 bits.
#include "kernels/pairs/pair_images.hpp"
#include "kernels/pairs/pair_launches.hpp"

namespace sortile::kernels::detail {

template <>
void launch_sort_pairs<simt::this_backend>(const simt::queue& q, const sort_pairs_request<std::uint32_t>& request,
                                           const sort_pairs_plan& plan) {
  if (request.n != 0 || request.unsuited != nullptr)
    by_value_and_image(request, [&]<class Value, class Image>(const Value*, const Image*) {
      pair_sort<std::uint32_t, Value, Image>(q, request, plan).launch();
    });
}

} // namespace sortile::kernels::detail
