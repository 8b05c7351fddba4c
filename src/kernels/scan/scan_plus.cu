// Prefix sums. Signed sums wrap as unsigned ones do, so they share the unsigned kernel (scan.cpp).
#include "kernels/scan/scan_instance.hpp"

namespace sortile::kernels::detail {

template <class Backend, class T>
void launch_plus_scan(const simt::queue& q, const scan_plan<T>& plan) {
  launch_scan<primitives::plus>(q, plan);
}
template void launch_plus_scan<simt::this_backend>(const simt::queue&, const scan_plan<std::uint32_t>&);
template void launch_plus_scan<simt::this_backend>(const simt::queue&, const scan_plan<std::uint64_t>&);

template <>
void launch_clear<simt::this_backend>(const simt::queue& q, void* memory, std::size_t bytes) {
  clear(q, memory, bytes);
}

} // namespace sortile::kernels::detail
