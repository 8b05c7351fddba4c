// Checks jobs of routing and sends them to the queue's backend.
#include "kernels/route/route.hpp"

#include "kernels/arena.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

#include <string>

namespace sortile::kernels {
namespace {

template <class Word>
void check(const route_job<Word>& job) {
  check_array("route", "experts", job.experts, job.n);
  if (job.expert_count == 0 || job.expert_count > 4096 || job.limit > job.expert_count || job.block == 0)
    throw invalid_argument("route: " + std::to_string(job.expert_count) + " experts, of which " +
                           std::to_string(job.limit) + " are numbered, in blocks of " + std::to_string(job.block));
  if (job.rows == no_expert || job.rows < job.n)
    throw invalid_argument("route: " + std::to_string(job.rows) + " rows for " + std::to_string(job.n) + " pairs");
  if (job.index_bytes != 4 && job.index_bytes != 8)
    throw invalid_argument("route: numbers of " + std::to_string(job.index_bytes) + " bytes");
  if (job.in_one_launch && !is_one_route_launch(job.n, job.expert_count))
    throw invalid_argument("route: " + std::to_string(job.n) + " pairs of " + std::to_string(job.expert_count) +
                           " experts are more than one launch takes");
}

} // namespace

std::size_t route_workspace_bytes(std::uint64_t n, std::uint64_t expert_count) {
  arena a;
  a.take(detail::route_blocks::count(n) * expert_count * 4);
  a.take(expert_count * 4);
  return a.bytes();
}

template <class Word>
void route(const simt::queue& q, const route_job<Word>& job) {
  check(job);
  if (!job.in_one_launch) {
    const std::size_t wanted = route_workspace_bytes(job.n, job.expert_count);
    check_workspace("route", job.workspace, wanted, wanted, arena::alignment);
  }
  send(q, job);
}

template void route(const simt::queue&, const route_job<std::uint8_t>&);
template void route(const simt::queue&, const route_job<std::uint16_t>&);
template void route(const simt::queue&, const route_job<std::uint32_t>&);
template void route(const simt::queue&, const route_job<std::uint64_t>&);

} // namespace sortile::kernels
