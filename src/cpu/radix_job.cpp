// The layout of a radix sort's scratch.
#include "cpu/radix_job.hpp"

#include <algorithm>

namespace sortile::cpu {

namespace {

constexpr std::size_t round_up(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

} // namespace

radix_tuning& tuning() {
  static radix_tuning values;
  return values;
}

radix_layout::radix_layout(std::size_t key_bytes, std::size_t value_width, std::size_t n, unsigned threads) {
  const std::size_t pair = key_bytes + value_width;
  local_limit = tuning().local_bytes / pair;
  bucket_keys = tuning().bucket_bytes / pair;
  const bool is_local = n <= local_limit;
  workers = is_local || n < tuning().alone_below_bytes / pair ? 1 : std::max(1u, threads);
  lane_keys = is_local ? (n + 63) / 64 * 64 : (local_limit + 63) / 64 * 64;
  if (n <= insertion_limit)
    return;
  const std::size_t counters = max_local_digits * max_buckets * sizeof(std::uint32_t);
  worker_bytes = counters + round_up(3 * lane_keys * pair);
  if (!is_local) {
    line_bytes = max_buckets * line_keys(key_bytes, value_width) * pair;
    chunks = workers == 1 ? 1 : std::size_t{4} * workers;
    worker_bytes += line_bytes + 2 * max_buckets * sizeof(std::uint64_t);
  }
  bytes = workers * worker_bytes + (workers > 1 ? chunks * 2 * max_buckets * sizeof(std::uint64_t) : 0);
}

} // namespace sortile::cpu
