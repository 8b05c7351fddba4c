// The layout of a radix sort's scratch.
#include "cpu/radix_job.hpp"

#include "cpu/kernels_words.hpp"

#include <algorithm>
#include <bit>

namespace sortile::cpu {

namespace {

constexpr std::size_t round_up(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// In a line, pairs lie as structures do: a wide key with a narrow value has padding behind it.
std::size_t bytes_of_lines(std::size_t key_bytes, std::size_t value_width) {
  const std::size_t in_line = key_bytes == 8 && value_width == 4 ? 16 : key_bytes + value_width;
  return max_buckets * line_keys(key_bytes, value_width) * in_line;
}

} // namespace

radix_layout::radix_layout(std::size_t key_bytes, std::size_t value_width, std::size_t n, unsigned threads) {
  const std::size_t pair = key_bytes + value_width;
  local_limit = tuning().local_bytes / pair;
  bucket_keys = tuning().bucket_bytes / pair;
  if (value_width != 0 && (key_bytes == 4 || key_bytes == 8)) // sorted by words of 32 bits
    bucket_keys = std::min(bucket_keys, tuning().bucket_pairs);
  const bool is_local = n <= local_limit;
  workers = is_local || n < tuning().alone_below_bytes / pair ? 1 : std::max(1u, threads);
  lane_keys = is_local ? (n + 63) / 64 * 64 : (local_limit + 63) / 64 * 64;
  if (n <= insertion_limit)
    return;
  const std::size_t counters = max_local_digits * max_buckets * sizeof(std::uint32_t);
  lanes_bytes = round_up(3 * lane_keys * pair);
  worker_bytes = counters + lanes_bytes;
  if (!is_local) {
    line_bytes = bytes_of_lines(key_bytes, value_width);
    chunks = workers == 1 ? 1 : std::size_t{4} * workers;
    worker_bytes += line_bytes + 2 * max_buckets * sizeof(std::uint64_t);
  }
  bytes = workers * worker_bytes + (workers > 1 ? chunks * 2 * max_buckets * sizeof(std::uint64_t) : 0);
}

in_place_layout::in_place_layout(std::size_t key_bytes, std::size_t value_width, std::size_t n, unsigned threads,
                                 std::size_t limit) {
  const std::size_t pair = key_bytes + value_width;
  constexpr std::size_t least_local_bytes = std::size_t{16} << 10;
  block = std::bit_floor(std::max<std::size_t>(tuning().block_bytes / pair, 1));
  vector_limit = tuning().vector_bytes / key_bytes;
  workers = n < tuning().alone_below_bytes / pair ? 1 : std::max(1u, threads);
  std::size_t local_bytes = tuning().bucket_bytes;
  for (measure(pair, n, local_bytes); bytes > limit; measure(pair, n, local_bytes)) {
    if (local_bytes > 4 * least_local_bytes || (workers == 1 && local_bytes > least_local_bytes))
      local_bytes /= 2;
    else if (workers > 1)
      --workers;
    else
      break;
  }
  spare_keys = block_bytes / pair;
  has_room_for_lines = table_bytes + bytes_of_lines(key_bytes, value_width) <= worker_bytes;
  has_room_beside = table_bytes + block_bytes + bytes_of_lines(key_bytes, value_width) <= worker_bytes;
  if (value_width != 0 && (key_bytes == 4 || key_bytes == 8)) // so that few are larger than short words sort
    bucket_keys = std::min(bucket_keys, short_words_most / 2);
}

void in_place_layout::measure(std::size_t pair, std::size_t n, std::size_t local_bytes) {
  constexpr std::size_t most_blocks = 2 * 256 + 2; // buffers and heads of 256 buckets, and two that are carried
  local_limit = local_bytes / pair / 64 * 64;
  bucket_keys = std::max<std::size_t>(local_limit / 2, 1);
  block_bytes = round_up(most_blocks * block * pair);
  const std::size_t counters = max_local_digits * max_buckets * sizeof(std::uint32_t);
  worker_bytes = table_bytes + block_bytes + counters + round_up(3 * local_limit * pair);
  slots = n / block + 1;
  bytes = workers * worker_bytes + round_up(slots * (sizeof(std::uint32_t) + 1));
}

} // namespace sortile::cpu
