// The sort between splitters for keys of 128 bits: integers, with values of up to 8 bytes.
#include "kernels/splitters/splitter_launches.hpp"

namespace sortile::kernels::detail {

template <>
void launch_splitter_sort<simt::this_backend>(const simt::queue& q, const typed_request<uint128>& request,
                                              const partition_plan& plan, unsigned step) {
  const auto with = [&]<class Value>(const Value*) {
    splitter_sorter<uint128, Value, integer_image<uint128>>(q, request, plan).launch(step);
  };
  if (request.value_bytes == 0)
    with(static_cast<const no_value*>(nullptr));
  else if (request.value_bytes == 4)
    with(static_cast<const std::uint32_t*>(nullptr));
  else
    with(static_cast<const std::uint64_t*>(nullptr));
}

} // namespace sortile::kernels::detail
