// The sort between splitters for keys of 64 bits.
#include "kernels/splitters/splitter_launches.hpp"

namespace sortile::kernels::detail {

template <>
void launch_splitter_sort<simt::this_backend>(const simt::queue& q, const typed_request<std::uint64_t>& request,
                                              const partition_plan& plan, unsigned step) {
  by_value_and_image(request, [&]<class Value, class Image>(const Value*, const Image*) {
    splitter_sorter<std::uint64_t, Value, Image>(q, request, plan).launch(step);
  });
}

} // namespace sortile::kernels::detail
