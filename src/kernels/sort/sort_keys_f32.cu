// Sort of keys that are floats of 32 bits.
#include "kernels/float_image.hpp"
#include "kernels/sort/sort_keys_instance.hpp"

namespace sortile::kernels::detail {

template <>
void launch_sort_floats<simt::this_backend>(const simt::queue& q, const typed_request<std::uint32_t>& request,
                                            const partition_plan& plan, unsigned step) {
  key_sort<std::uint32_t, float_image<std::uint32_t>>(q, request, plan).launch(step);
}

} // namespace sortile::kernels::detail
