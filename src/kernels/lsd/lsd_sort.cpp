// Checks requests for a stable sort and sends them to the queue's backend.
#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/lsd/lsd_launch.hpp"
#include "kernels/request_checks.hpp"

namespace sortile::kernels {

namespace {

constexpr const char* call = "lsd_sort";

template <class Word>
void check_shape(const lsd_request<Word>& r) {
  check_request_shape(call, r);
  constexpr std::uint64_t most = std::uint64_t{1} << 42;
  if (r.n > most)
    throw invalid_argument("lsd_sort: n = " + std::to_string(r.n) + ", at most 2^42 keys are allowed");
}

} // namespace

template <class Word>
std::size_t lsd_workspace_bytes(const lsd_request<Word>& request) {
  check_shape(request);
  return request.n == 0 ? 0 : detail::lay_out_lsd(request, detail::plan_lsd(request)).bytes;
}

template <class Word>
void lsd_sort(const simt::queue& q, const lsd_request<Word>& request) {
  check_shape(request);
  if (request.n == 0)
    return;
  check_request_arrays(call, request);
  const auto plan = detail::plan_lsd(request);
  check_workspace(call, request.workspace, request.workspace_bytes, detail::lay_out_lsd(request, plan).bytes,
                  detail::lsd_layout::alignment);
  simt::visit(q, [&](auto backend) { detail::launch_lsd_sort<decltype(backend)>(q, request, plan); });
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template std::size_t lsd_workspace_bytes(const lsd_request<WORD>&);                                                  \
  template void lsd_sort(const simt::queue&, const lsd_request<WORD>&);
SORTILE_INSTANCE(std::uint8_t)
SORTILE_INSTANCE(std::uint16_t)
SORTILE_INSTANCE(std::uint32_t)
SORTILE_INSTANCE(std::uint64_t)
SORTILE_INSTANCE(uint128)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
