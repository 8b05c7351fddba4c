// Prefix maxima.
#include "kernels/scan/scan_instance.hpp"

namespace sortile::kernels::detail {

template <class Backend, class T>
void launch_maximum_scan(const simt::queue& q, const scan_plan<T>& plan) {
  launch_scan<primitives::maximum>(q, plan);
}
template void launch_maximum_scan<simt::this_backend>(const simt::queue&, const scan_plan<std::uint32_t>&);
template void launch_maximum_scan<simt::this_backend>(const simt::queue&, const scan_plan<std::int32_t>&);
template void launch_maximum_scan<simt::this_backend>(const simt::queue&, const scan_plan<std::uint64_t>&);
template void launch_maximum_scan<simt::this_backend>(const simt::queue&, const scan_plan<std::int64_t>&);

} // namespace sortile::kernels::detail
