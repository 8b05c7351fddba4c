// Checks requests for a sort in one launch and sends them to the queue's backend.
#include "kernels/sample/sample_sort.hpp"
#include "kernels/request_checks.hpp"
#include "kernels/sample/sample_sort_launch.hpp"

#include <algorithm>

namespace sortile::kernels {

namespace {

constexpr const char* call = "sample_sort";
using detail::sample_shape;

template <class Word>
std::uint64_t most_in_blocks(const sample_request<Word>& r, unsigned blocks) {
  return std::uint64_t{std::min(blocks, sample_shape::most_buckets)} * detail::sample_shape_of(r).tile();
}

template <class Word>
void check_shape(const sample_request<Word>& r) {
  check_request_shape(call, r);
  if (r.n >= 0xffffffffu)
    throw invalid_argument("sample_sort: n = " + std::to_string(r.n) + ", fewer than 2^32 - 1 keys are allowed");
  if (r.attempts > sample_shape::most_attempts)
    throw invalid_argument("sample_sort: attempts = " + std::to_string(r.attempts) + ", at most " +
                           std::to_string(sample_shape::most_attempts) + " are allowed");
  if (r.blocks > sample_shape::most_buckets)
    throw invalid_argument("sample_sort: blocks = " + std::to_string(r.blocks) + ", at most " +
                           std::to_string(sample_shape::most_buckets) + " are allowed");
}

template <class Word>
void check_count(const simt::queue& q, const sample_request<Word>& r) {
  if (detail::in_one_block(r) && r.blocks == 0)
    return;
  const std::uint64_t most = r.blocks == 1   ? detail::sample_shape_of(r).capacity()
                             : r.blocks != 0 ? most_in_blocks(r, r.blocks)
                                             : sample_sort_most(q, r);
  if (r.n > most)
    throw invalid_argument("sample_sort: n = " + std::to_string(r.n) + "; this device sorts at most " +
                           std::to_string(most) + " such keys in one launch");
}

} // namespace

template <class Word>
std::uint64_t sample_sort_in_one_block(const sample_request<Word>& request) {
  return detail::sample_shape_of(request).alone;
}

template <class Word>
std::uint64_t sample_sort_most(const simt::queue& q, const sample_request<Word>& request) {
  const unsigned blocks =
      simt::visit(q, [&](auto backend) { return detail::resident_sample_blocks<decltype(backend), Word>(q, request); });
  return std::max(sample_sort_in_one_block(request), most_in_blocks(request, blocks));
}

template <class Word>
std::size_t sample_sort_workspace_bytes(const sample_request<Word>& request) {
  check_shape(request);
  return request.n == 0 ? 0 : detail::sample_layout::of(request).bytes;
}

template <class Word>
void sample_sort(const simt::queue& q, const sample_request<Word>& request) {
  check_shape(request);
  if (request.n == 0)
    return;
  check_request_arrays(call, request);
  check_workspace(call, request.workspace, request.workspace_bytes, detail::sample_layout::of(request).bytes,
                  detail::sample_layout::alignment);
  check_count(q, request);
  simt::visit(q, [&](auto backend) { detail::launch_sample_sort<decltype(backend), Word>(q, request); });
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template std::uint64_t sample_sort_in_one_block(const sample_request<WORD>&);                                        \
  template std::uint64_t sample_sort_most(const simt::queue&, const sample_request<WORD>&);                            \
  template std::size_t sample_sort_workspace_bytes(const sample_request<WORD>&);                                       \
  template void sample_sort(const simt::queue&, const sample_request<WORD>&);
SORTILE_INSTANCE(std::uint8_t)
SORTILE_INSTANCE(std::uint16_t)
SORTILE_INSTANCE(std::uint32_t)
SORTILE_INSTANCE(std::uint64_t)
SORTILE_INSTANCE(uint128)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
