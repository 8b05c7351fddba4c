// Checks requests for a sort by counting and sends them to the queue's backend.
#include "kernels/narrow/count_sort.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/narrow/count_sort_launch.hpp"

namespace sortile::kernels {

namespace {

constexpr const char* call = "count_sort";

template <class Word>
void check_shape(const count_sort_request<Word>& r) {
  if (r.n > count_sort_most)
    throw invalid_argument("count_sort: n = " + std::to_string(r.n) + ", at most " + std::to_string(count_sort_most) +
                           " keys are allowed");
  if (r.codec.shift != 0 || r.codec.mask != Word(~Word{0}))
    throw invalid_argument("count_sort: a bit window of " + std::to_string(r.codec.bits) +
                           " bits is not supported: keys equal in it would lose their order; the whole key is");
  if (r.codec.infinity != 0 && r.unsuited == nullptr)
    throw invalid_argument("count_sort: floating-point keys without `unsuited`: where +0 and -0, or different NaNs, "
                           "meet, they would lose their order, and the caller has to be told");
}

template <class Word>
void check_arrays(const count_sort_request<Word>& r) {
  const std::size_t bytes = std::size_t(r.n) * sizeof(Word);
  check_array(call, "in", r.in, r.n);
  check_array(call, "out", r.out, r.n);
  if (reinterpret_cast<std::uintptr_t>(r.device_n) % alignof(std::uint64_t) != 0)
    throw invalid_argument("count_sort: device_n is not aligned to 8 bytes");
  if (reinterpret_cast<std::uintptr_t>(r.unsuited) % alignof(std::uint32_t) != 0)
    throw invalid_argument("count_sort: unsuited is not aligned to 4 bytes");
  if (r.in != r.out)
    check_apart(call, "in", r.in, bytes, "out", r.out, bytes);
  const std::size_t count_bytes = r.device_n == nullptr ? 0 : sizeof *r.device_n;
  const std::size_t told_bytes = r.unsuited == nullptr ? 0 : sizeof *r.unsuited;
  check_apart(call, "workspace", r.workspace, r.workspace_bytes, "in", r.in, bytes);
  check_apart(call, "workspace", r.workspace, r.workspace_bytes, "out", r.out, bytes);
  check_apart(call, "device_n", r.device_n, count_bytes, "out", r.out, bytes);
  check_apart(call, "device_n", r.device_n, count_bytes, "workspace", r.workspace, r.workspace_bytes);
  check_apart(call, "unsuited", r.unsuited, told_bytes, "in", r.in, bytes);
  check_apart(call, "unsuited", r.unsuited, told_bytes, "out", r.out, bytes);
  check_apart(call, "unsuited", r.unsuited, told_bytes, "workspace", r.workspace, r.workspace_bytes);
}

} // namespace

template <class Word>
bool count_sort_in_one_block(std::uint64_t n) {
  return n <= detail::count_sort_one_block;
}

template <class Word>
std::size_t count_sort_workspace_bytes(const count_sort_request<Word>& request) {
  check_shape(request);
  const bool none = request.n == 0 || (count_sort_in_one_block<Word>(request.n) && !request.many);
  return none ? 0 : detail::count_sort_layout<Word>::bytes;
}

template <class Word>
void count_sort(const simt::queue& q, const count_sort_request<Word>& request) {
  check_shape(request);
  check_arrays(request);
  check_workspace(call, request.workspace, request.workspace_bytes, count_sort_workspace_bytes(request),
                  detail::count_sort_layout<Word>::alignment);
  if (request.n == 0 && request.unsuited == nullptr)
    return;
  simt::visit(q, [&](auto backend) { detail::launch_count_sort<decltype(backend)>(q, request); });
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template bool count_sort_in_one_block<WORD>(std::uint64_t);                                                          \
  template std::size_t count_sort_workspace_bytes(const count_sort_request<WORD>&);                                    \
  template void count_sort(const simt::queue&, const count_sort_request<WORD>&);
SORTILE_INSTANCE(std::uint8_t)
SORTILE_INSTANCE(std::uint16_t)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
