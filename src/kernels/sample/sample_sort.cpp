// Checks requests for a sort in one launch and sends them to the queue's backend.
#include "kernels/sample/sample_sort.hpp"
#include "kernels/request_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

namespace {

using detail::sample_shape;

constexpr sort_limits limits{
    .call = "sample_sort", .most = 0xfffffffe, .widest_value = 16, .windows = true, .n_on_device = true};

template <class Word>
void check(const typed_request<Word>& r) {
  check_shape(limits, r);
  need_within(0, r.tuning.attempts, sample_shape::most_attempts, limits, "attempts");
  need_within(0, r.tuning.blocks, sample_shape::most_buckets, limits, "blocks");
}

template <class Word>
void check_fits(const simt::queue& q, const typed_request<Word>& r) {
  if (detail::in_one_block(r) && r.tuning.blocks == 0)
    return;
  const auto shape = detail::sample_shape_of(r);
  const unsigned blocks = r.tuning.blocks;
  const std::uint64_t most = blocks == 1   ? shape.capacity()
                             : blocks != 0 ? std::uint64_t{blocks} * shape.tile()
                                           : sample_sort_most(q, r);
  if (r.n > most)
    refuse(limits, "n = " + std::to_string(r.n) + "; this device sorts at most " + std::to_string(most) +
                       " such keys in one launch");
}

} // namespace

template <class Word>
std::uint64_t sample_sort_most(const simt::queue& q, const typed_request<Word>& request) {
  const unsigned blocks =
      simt::visit(q, [&](auto backend) { return detail::resident_sample_blocks<decltype(backend), Word>(q, request); });
  return detail::sample_shape_of(request).most(blocks);
}

template <class Word>
std::size_t sample_sort_workspace_bytes(const typed_request<Word>& request) {
  check(request);
  return request.n == 0 ? 0 : detail::sample_layout::of(request).bytes;
}

template <class Word>
void sample_sort(const simt::queue& q, const typed_request<Word>& request) {
  check(request);
  if (request.n == 0)
    return;
  check_memory(limits, request, detail::sample_layout::of(request).bytes);
  check_fits(q, request);
  simt::visit(q, [&](auto backend) { detail::launch_sample_sort<decltype(backend), Word>(q, request); });
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template std::uint64_t sample_sort_most(const simt::queue&, const typed_request<WORD>&);                             \
  template std::size_t sample_sort_workspace_bytes(const typed_request<WORD>&);                                        \
  template void sample_sort(const simt::queue&, const typed_request<WORD>&);
SORTILE_EACH_WORD(SORTILE_INSTANCE)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
