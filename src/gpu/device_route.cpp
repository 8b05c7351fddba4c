#include "gpu/device_route.hpp"

#include "kernels/route/route.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>
#include <string>

namespace sortile::gpu {
namespace {

constexpr unsigned clusters_from = 90; // architectures

/// Calls f with a value of the unsigned type that experts' numbers are stored as.
template <class F>
void with_expert_word(key_type type, F&& f) {
  with_word(type, [&]<class Word>(Word word) {
    if constexpr (sizeof(Word) <= 8)
      f(word);
  });
}

/// As unsigned words, negative numbers are no smaller than this.
std::uint32_t limit_of(const route_request& r) {
  const unsigned bits = key_bits(r.type) - (is_signed_integer(r.type) ? 1 : 0);
  return std::uint32_t(std::min(r.expert_count, std::size_t{1} << std::min(bits, 31u)));
}

} // namespace

device_route::device_route(const route_request& request, const device_facts& device) : request_(request) {
  const bool few = kernels::is_one_route_launch(request.n, request.expert_count);
  in_one_launch_ = few && (device.architecture == any_device.architecture || device.architecture >= clusters_from);
  may_need_three_ = !few || device.architecture < clusters_from;
}

std::size_t device_route::workspace_bytes() const {
  return may_need_three_ ? kernels::route_workspace_bytes(request_.n, request_.expert_count) : 0;
}

void device_route::add_steps(std::vector<plan_step>& steps) const {
  const std::size_t rows = route_rows(request_.n, request_.expert_count, request_.block);
  const std::size_t read = request_.n * key_bytes(request_.type);
  const auto numbers = [this](const void* output, std::size_t count) {
    return output == nullptr ? 0 : count * request_.index_bytes;
  };
  const std::size_t written = numbers(request_.offsets, request_.expert_count + 1) +
                              numbers(request_.counts, request_.expert_count) + numbers(request_.order, rows) +
                              numbers(request_.inverse, request_.n) +
                              numbers(request_.block_experts, rows / request_.block) + numbers(request_.dropped, 1);
  const std::string experts = std::to_string(request_.expert_count) + " experts";
  if (in_one_launch_) {
    steps.push_back({"route", "clusters of blocks count " + experts + ", each for itself, and write rows in one launch",
                     read, written});
    return;
  }
  const std::size_t table = kernels::route_workspace_bytes(request_.n, request_.expert_count);
  steps.push_back({"count", "pairs of " + experts + ", a table's row a block", read, table});
  steps.push_back({"columns", "where each block's rows begin", table, table});
  steps.push_back({"move", "ranks within tiles, in the order of the pairs", read + table, written});
}

void device_route::launch(const simt::queue& q, void* workspace) const {
  with_expert_word(request_.type, [&]<class Word>(Word) {
    kernels::route(q, kernels::route_job<Word>{
                          .experts = static_cast<const Word*>(request_.experts),
                          .n = std::uint32_t(request_.n),
                          .expert_count = std::uint32_t(request_.expert_count),
                          .limit = limit_of(request_),
                          .block = std::uint32_t(request_.block),
                          .rows = std::uint32_t(route_rows(request_.n, request_.expert_count, request_.block)),
                          .index_bytes = unsigned(request_.index_bytes),
                          .in_one_launch = in_one_launch_,
                          .offsets = request_.offsets,
                          .counts = request_.counts,
                          .order = request_.order,
                          .inverse = request_.inverse,
                          .block_experts = request_.block_experts,
                          .dropped = request_.dropped,
                          .workspace = workspace,
                      });
  });
}

} // namespace sortile::gpu
