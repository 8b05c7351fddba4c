// Checks requests for a stable sort and sends them to the queue's backend.
#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/request_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

namespace {

constexpr sort_limits limits{
    .call = "lsd_sort", .most = std::uint64_t{1} << 42, .widest_value = 16, .windows = true, .n_on_device = true};

} // namespace

template <class Word>
std::size_t lsd_workspace_bytes(const typed_request<Word>& request) {
  check_shape(limits, request);
  return request.n == 0 ? 0 : detail::lay_out_lsd(request, detail::plan_lsd(request)).bytes;
}

template <class Word>
std::size_t lsd_zeroed_bytes(const typed_request<Word>& request) {
  return detail::lay_out_lsd(request, detail::plan_lsd(request)).portions;
}

template <class Word>
void lsd_sort(const simt::queue& q, const typed_request<Word>& request, unsigned step) {
  const auto plan = detail::plan_lsd(request);
  if (step == all_steps || step == 0) {
    check_shape(limits, request);
    if (request.n == 0)
      return;
    check_memory(limits, request, detail::lay_out_lsd(request, plan).bytes);
  }
  simt::visit(q, [&](auto backend) { detail::launch_lsd_sort<decltype(backend)>(q, request, plan, step); });
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template std::size_t lsd_workspace_bytes(const typed_request<WORD>&);                                                \
  template std::size_t lsd_zeroed_bytes(const typed_request<WORD>&);                                                   \
  template void lsd_sort(const simt::queue&, const typed_request<WORD>&, unsigned);
SORTILE_EACH_WORD(SORTILE_INSTANCE)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
