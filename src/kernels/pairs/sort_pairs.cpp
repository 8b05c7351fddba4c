// Checks requests for a sort of pairs and sends them to the queue's backend.
#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/request_checks.hpp"

namespace sortile::kernels {

namespace {

constexpr sort_limits limits{.call = "sort_pairs", .most = sort_pairs_most, .widest_value = 16, .vectors = true};

template <class Word>
void check(const typed_request<Word>& r) {
  check_shape(limits, r);
  check_partitions(limits, r.tuning);
  if (r.tuning.partition_bits == 0 && r.n > sort_pairs_small)
    refuse(limits, "partition_bits = 0 with n = " + std::to_string(r.n) +
                       ", allowed up to n = " + std::to_string(sort_pairs_small));
}

} // namespace

template <class Word>
std::size_t sort_pairs_workspace_bytes(const typed_request<Word>& r) {
  check(r);
  return detail::sort_pairs_layout::of(partition_plan::of_pairs(r.n, r.tuning.partition_bits), r).bytes;
}

template <class Word>
void sort_pairs(const simt::queue& q, const typed_request<Word>& r, unsigned step) {
  if (step == all_steps || step == 0) {
    check(r);
    check_scratch(limits, r);
    check_memory(limits, r, sort_pairs_workspace_bytes(r));
  }
  const auto plan = partition_plan::of_pairs(r.n, r.tuning.partition_bits);
  simt::visit(q, [&](auto backend) { detail::launch_sort_pairs<decltype(backend)>(q, r, plan, step); });
}

template std::size_t sort_pairs_workspace_bytes(const typed_request<std::uint32_t>&);
template std::size_t sort_pairs_workspace_bytes(const typed_request<std::uint64_t>&);
template void sort_pairs(const simt::queue&, const typed_request<std::uint32_t>&, unsigned);
template void sort_pairs(const simt::queue&, const typed_request<std::uint64_t>&, unsigned);

} // namespace sortile::kernels
