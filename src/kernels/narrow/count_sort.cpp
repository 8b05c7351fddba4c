// Checks requests for a sort by counting and sends them to the queue's backend.
#include "kernels/narrow/count_sort.hpp"
#include "kernels/request_checks.hpp"

namespace sortile::kernels {

namespace {

constexpr sort_limits limits{.call = "count_sort", .most = count_sort_most, .floats = false, .n_on_device = true};

} // namespace

template <class Word>
std::size_t count_sort_workspace_bytes(const typed_request<Word>& r) {
  check_shape(limits, r);
  return r.n == 0 || detail::counted_by_one_block(r) ? 0 : detail::count_sort_layout<Word>::of_all().bytes;
}

template <class Word>
void count_sort(const simt::queue& q, const typed_request<Word>& r) {
  check_shape(limits, r);
  check_memory(limits, r, count_sort_workspace_bytes(r));
  if (r.n == 0 && !r.may_fall_back())
    return;
  simt::visit(q, [&](auto backend) { detail::launch_count_sort<decltype(backend)>(q, r); });
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template std::size_t count_sort_workspace_bytes(const typed_request<WORD>&);                                         \
  template void count_sort(const simt::queue&, const typed_request<WORD>&);
SORTILE_INSTANCE(std::uint8_t)
SORTILE_INSTANCE(std::uint16_t)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
