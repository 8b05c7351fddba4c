// Sort of keys that are floats of 32 bits.
#include "kernels/float_image.hpp"
#include "kernels/sort/sort_keys_instance.hpp"

namespace sortile::kernels::detail {

template <>
void launch_sort_floats<simt::this_backend>(const simt::queue& q, const sort_keys_request<std::uint32_t>& request,
                                            const sort_keys_plan& plan) {
  key_sort<std::uint32_t, float_image<std::uint32_t>>(q, request, plan).launch();
}

} // namespace sortile::kernels::detail
