// Checks requests for a sort between splitters and sends them to the queue's backend.
#include "kernels/splitters/splitter_sort.hpp"
#include "kernels/pairs/pair_request_checks.hpp"
#include "kernels/splitters/splitter_sort_launch.hpp"

namespace sortile::kernels {

namespace {

constexpr const char* call = "splitter_sort";

template <class Word>
void check_shape(const splitter_sort_request<Word>& r) {
  check_pairs_shape(call, r);
  if (sizeof(Word) > 8 && r.value_bytes > 8)
    refuse(call, "value_bytes = " + std::to_string(r.value_bytes) + ", with keys of 128 bits 0, 4 and 8 are allowed");
  if (r.partition_bits < 2)
    refuse(call, "partition_bits = " + std::to_string(r.partition_bits) + ", 2 to " +
                     std::to_string(detail::sort_pairs_plan::most_bits) + " are allowed");
}

template <class Word>
void check_words(const splitter_sort_request<Word>& r) {
  if (r.unsuited == nullptr)
    refuse(call, "unsuited is null; somebody has to hear where the sample's buckets are too full");
  if (r.leaves_to_passes && r.only_if != nullptr)
    refuse(call, "leaves_to_passes with only_if; whoever set that has looked at the keys");
  if (r.only_if == r.unsuited)
    refuse(call, "only_if and unsuited are one word");
  if (reinterpret_cast<std::uintptr_t>(r.only_if) % alignof(std::uint32_t) != 0)
    refuse(call, "only_if is not aligned to its 4 bytes");
}

} // namespace

template <class Word>
std::size_t splitter_sort_workspace_bytes(const splitter_sort_request<Word>& r) {
  check_shape(r);
  return detail::splitter_layout::of<Word>(detail::splitter_plan_of(r.n, r.partition_bits), r).bytes;
}

template <class Word>
void splitter_sort(const simt::queue& q, const splitter_sort_request<Word>& request) {
  check_shape(request);
  check_pairs_options(call, request);
  check_words(request);
  check_pairs_arrays(call, request, splitter_sort_workspace_bytes(request));
  const auto plan = detail::splitter_plan_of(request.n, request.partition_bits);
  simt::visit(q, [&](auto backend) { detail::launch_splitter_sort<decltype(backend)>(q, request, plan); });
}

template std::size_t splitter_sort_workspace_bytes(const splitter_sort_request<std::uint64_t>&);
template std::size_t splitter_sort_workspace_bytes(const splitter_sort_request<uint128>&);
template void splitter_sort(const simt::queue&, const splitter_sort_request<std::uint64_t>&);
template void splitter_sort(const simt::queue&, const splitter_sort_request<uint128>&);

} // namespace sortile::kernels
