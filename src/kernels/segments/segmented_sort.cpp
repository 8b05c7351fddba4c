// Checks requests for sorts within segments and sends them to the queue's backend.
#include "kernels/segments/segmented_sort.hpp"
#include "kernels/request_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

namespace {

constexpr const char* call = "segmented_sort";

template <class Word>
void check(const segmented_sort_request<Word>& r) {
  constexpr std::uint64_t most = std::uint64_t{1} << 42;
  if (r.n > most || r.where.count > most)
    throw invalid_argument("segmented_sort: n = " + std::to_string(r.n) + ", " + std::to_string(r.where.count) +
                           " segments; at most 2^42 of both are allowed");
  if (r.value_bytes != 0 && r.value_bytes != 4 && r.value_bytes != 8 && r.value_bytes != 16)
    throw invalid_argument("segmented_sort: value_bytes = " + std::to_string(r.value_bytes) +
                           "; 0, 4, 8 and 16 are allowed");
}

template <class Word>
bool is_empty(const segmented_sort_request<Word>& r) {
  return r.where.count == 0 || r.n == 0 || detail::longest_segment(r) == 0;
}

} // namespace

template <class Word>
std::size_t segmented_sort_workspace_bytes(const segmented_sort_request<Word>& request) {
  check(request);
  return detail::segmented_layout::of(request).bytes;
}

template <class Word>
void segmented_sort(const simt::queue& q, const segmented_sort_request<Word>& request) {
  check(request);
  if (is_empty(request) && request.status == nullptr)
    return;
  check_workspace(call, request.workspace, request.workspace_bytes, detail::segmented_layout::of(request).bytes,
                  arena::alignment);
  send(q, request);
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template std::size_t segmented_sort_workspace_bytes(const segmented_sort_request<WORD>&);                            \
  template void segmented_sort(const simt::queue&, const segmented_sort_request<WORD>&);
SORTILE_EACH_WORD(SORTILE_INSTANCE)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
