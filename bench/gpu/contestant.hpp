// What takes part in a GPU benchmark: something that queues one piece of work on a stream, the default one unless
// said otherwise, again and again.
#pragma once

#include "device/memory_resource.hpp"

#include <sortile/options.hpp>
#include <sortile/request.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sortile::bench {

using shared_buffer = std::shared_ptr<device::device_buffer>;
inline shared_buffer make_buffer(std::size_t bytes) {
  return std::make_shared<device::device_buffer>(bytes, nullptr);
}

struct contestant {
  std::string name;
  std::function<void()> run;       ///< queues the work; never synchronises
  std::size_t workspace_bytes = 0; ///< beside input and output
};

/// One row: contestants doing the same work on the same data.
struct row {
  std::string name;
  std::uint64_t n = 0;
  double bytes = 0; ///< that the work has to move, read plus written
  std::vector<contestant> contestants;
  std::string workload = "uniform";
};

// CUB's side, from the toolkit's headers. Outputs lie in the caller's memory.
contestant cub_scan(const std::uint32_t* in, std::uint32_t* out, std::uint64_t n, cudaStream_t stream = nullptr);
contestant cub_scan(const std::uint64_t* in, std::uint64_t* out, std::uint64_t n);
/// 256 bins of byte samples; `channels` 1, or 4 for all digits of 32-bit keys.
contestant cub_histogram(const std::uint8_t* samples, std::uint64_t n, int channels, std::uint32_t* bins);
/// Keys alone, ascending, of the types u8 to u128, f32 and f64; input kept. Arrays as the request says.
contestant cub_sort_keys(const sort_request& request, cudaStream_t stream = nullptr, bit_window bits = {});
/// Pairs, by keys ascending, stably; input kept: u32 with values of 4 bytes, u64 with 4 and 8.
contestant cub_sort_pairs(const sort_request& request, bit_window bits = {});
/// Structs of one member, a u32 or u64, by `a.key < b.key`; input kept. CUB's merge sort.
contestant cub_merge_sort(const sort_request& request);
std::string cub_version();

// Thrust's side: u32 keys in place, ascending. sort and sort_by_key go by digits, the stable sort by a comparison that
// Thrust does not know merges. Temporary memory is kept from run to run.
contestant thrust_sort(std::uint32_t* keys, std::uint64_t n, cudaStream_t stream = nullptr);
contestant thrust_stable_sort(std::uint32_t* keys, std::uint64_t n, cudaStream_t stream = nullptr);
contestant thrust_sort_by_key(std::uint32_t* keys, std::uint32_t* values, std::uint64_t n,
                              cudaStream_t stream = nullptr);

/// The same by compare.cuh, with a decomposer.
contestant sortile_struct_sort(const sort_request& request);

} // namespace sortile::bench
