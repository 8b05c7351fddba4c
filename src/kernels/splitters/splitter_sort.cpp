// Checks requests for a sort between splitters and sends them to the queue's backend.
#include "kernels/splitters/splitter_sort.hpp"
#include "kernels/request_checks.hpp"

namespace sortile::kernels {

namespace {

template <class Word>
constexpr sort_limits limits{
    .call = "splitter_sort", .most = sort_pairs_most, .widest_value = sizeof(Word) > 8 ? 8 : 16, .vectors = true};

template <class Word>
void check(const typed_request<Word>& r) {
  check_shape(limits<Word>, r);
  check_partitions(limits<Word>, r.tuning, 2);
}

template <class Word>
void check_verdict(const typed_request<Word>& r) {
  if (r.verdict.word == nullptr)
    refuse(limits<Word>, "the verdict's word is null; a fallback has to hear where the sample's buckets are too full");
}

} // namespace

template <class Word>
std::size_t splitter_sort_workspace_bytes(const typed_request<Word>& r) {
  check(r);
  return detail::splitter_layout::of(partition_plan::between_splitters(r.n, r.tuning.partition_bits), r).bytes;
}

template <class Word>
void splitter_sort(const simt::queue& q, const typed_request<Word>& r, unsigned step) {
  if (step == all_steps || step == 0) {
    check(r);
    check_scratch(limits<Word>, r);
    check_verdict(r);
    check_memory(limits<Word>, r, splitter_sort_workspace_bytes(r));
  }
  const auto plan = partition_plan::between_splitters(r.n, r.tuning.partition_bits);
  simt::visit(q, [&](auto backend) { detail::launch_splitter_sort<decltype(backend)>(q, r, plan, step); });
}

template std::size_t splitter_sort_workspace_bytes(const typed_request<std::uint64_t>&);
template std::size_t splitter_sort_workspace_bytes(const typed_request<uint128>&);
template void splitter_sort(const simt::queue&, const typed_request<std::uint64_t>&, unsigned);
template void splitter_sort(const simt::queue&, const typed_request<uint128>&, unsigned);

} // namespace sortile::kernels
