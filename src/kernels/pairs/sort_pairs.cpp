// Checks requests for a sort of pairs, decides how they are cut, and sends them to the queue's backend.
#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/pairs/pair_request_checks.hpp"

namespace sortile::kernels {

namespace {

using detail::sort_pairs_layout;
using detail::sort_pairs_plan;

constexpr const char* call = "sort_pairs";

template <class Word>
void check_shape(const sort_pairs_request<Word>& r) {
  check_pairs_shape(call, r);
  const unsigned bits = r.partition_bits;
  if (bits == 0 && r.n > sort_pairs_small)
    refuse(call, "partition_bits = 0 with n = " + std::to_string(r.n) +
                     ", allowed up to n = " + std::to_string(sort_pairs_small));
}

} // namespace

template <class Word>
std::size_t sort_pairs_workspace_bytes(const sort_pairs_request<Word>& r) {
  check_shape(r);
  return r.n == 0 ? 0 : sort_pairs_layout::of<Word>(sort_pairs_plan::of(r.n, r.partition_bits), r).bytes;
}

sort_shape sort_pairs_shape_of(std::uint64_t n) {
  const auto plan = sort_pairs_plan::of(n, ~0u);
  return {plan.first_bits, plan.second_bits, plan.bins() == 1};
}

template <class Word>
void sort_pairs(const simt::queue& q, const sort_pairs_request<Word>& request) {
  check_shape(request);
  check_pairs_options(call, request);
  check_pairs_arrays(call, request, sort_pairs_workspace_bytes(request));
  const auto plan = sort_pairs_plan::of(request.n, request.partition_bits);
  simt::visit(q, [&](auto backend) { detail::launch_sort_pairs<decltype(backend)>(q, request, plan); });
}

template std::size_t sort_pairs_workspace_bytes(const sort_pairs_request<std::uint32_t>&);
template std::size_t sort_pairs_workspace_bytes(const sort_pairs_request<std::uint64_t>&);
template void sort_pairs(const simt::queue&, const sort_pairs_request<std::uint32_t>&);
template void sort_pairs(const simt::queue&, const sort_pairs_request<std::uint64_t>&);

} // namespace sortile::kernels
