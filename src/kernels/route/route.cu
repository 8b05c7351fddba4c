// Launches the routing of pairs.
#include "kernels/arena.hpp"
#include "kernels/route/cluster_route_kernel.hpp"
#include "kernels/route/route_kernels.hpp"
#include "kernels/send.hpp"

#include <algorithm>
#include <bit>

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Word>
void launch_few(const simt::queue& q, const route_job<Word>& job) {
  using shape = detail::route_clusters;
  const auto of_tiles = [&job](std::uint64_t tile) {
    return unsigned((job.n + shape::blocks * tile - 1) / (shape::blocks * tile));
  };
  const unsigned clusters =
      std::max({std::min(of_tiles(shape::usual_tile), shape::usual), of_tiles(shape::largest_tile), 1u});
  const std::uint64_t each = (job.n + clusters * shape::blocks - 1) / (clusters * shape::blocks);
  simt::launch(q, {.grid = clusters * shape::blocks, .cluster = shape::blocks},
               cluster_route_kernel<Word>{
                   .arrays = route_arrays<Word>::of(job),
                   .tile_pairs = std::uint32_t((std::max<std::uint64_t>(each, 1) + 31) / 32 * 32),
                   .part_bits = unsigned(std::bit_width((job.expert_count + shape::blocks - 1) / shape::blocks - 1))});
}

template <class Word>
void launch_many(const simt::queue& q, const route_job<Word>& job) {
  using shape = detail::route_blocks;
  const auto arrays = route_arrays<Word>::of(job);
  const unsigned blocks = shape::count(job.n);
  const std::uint32_t share = shape::share(job.n);
  const std::uint64_t counters = std::uint64_t{blocks} * job.expert_count;
  arena a;
  auto* const space = static_cast<std::byte*>(job.workspace);
  const simt::global<std::uint32_t> counts{reinterpret_cast<std::uint32_t*>(space + a.take(counters * 4)), counters};
  const simt::global<std::uint32_t> totals{reinterpret_cast<std::uint32_t*>(space + a.take(job.expert_count * 4)),
                                           job.expert_count};
  simt::launch(q, {.grid = blocks, .dynamic_shared = job.expert_count * 4},
               route_count_kernel<Word>{.arrays = arrays, .counts = counts, .share = share});
  simt::launch(
      q, {.grid = (job.expert_count + simt::warp_size - 1) / simt::warp_size},
      route_columns_kernel{.counts = counts, .totals = totals, .expert_count = job.expert_count, .rows = blocks});
  using move = route_move_kernel<Word>;
  simt::launch(q, {.grid = blocks, .dynamic_shared = move::dynamic_bytes(job.expert_count)},
               move{.arrays = arrays, .counts = counts, .totals = totals, .share = share});
}

template <class Word>
void launch(const simt::queue& q, const route_job<Word>& job) {
  if (job.in_one_launch)
    launch_few(q, job);
  else
    launch_many(q, job);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_LAUNCHES(std::uint8_t, route_job, launch)
SORTILE_LAUNCHES(std::uint16_t, route_job, launch)
SORTILE_LAUNCHES(std::uint32_t, route_job, launch)
SORTILE_LAUNCHES(std::uint64_t, route_job, launch)
