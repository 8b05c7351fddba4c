// Results with planted numbers.
#pragma once

#include "bench/gpu/sort_results.hpp"

namespace sortile::bench {

inline sort_row row_of(std::string_view kind, std::string_view workload, unsigned log_n) {
  return {&sort_kind_named(kind), testing::workload_named(workload), std::uint64_t{1} << log_n};
}

/// sortile and CUB, in seconds.
inline sort_result planted(const sort_row& row, double ours, double cubs, double noise_of_each = 0) {
  return {
      row,
      false,
      {{.name = "cub", .workspace_bytes = 2'000'000'000, .bytes_moved = 6e9, .seconds = cubs, .noise = noise_of_each},
       {.name = "sortile",
        .workspace_bytes = 1'000'000'000,
        .bytes_moved = 3e9,
        .seconds = ours,
        .noise = noise_of_each}}};
}

/// Of arrays in host memory: sortile and the pinned copy, in seconds; 2^28 keys of 4 bytes are 2.147 GB there and back.
inline sort_result planted_in_host_memory(const sort_row& row, double ours, double copy, double noise_of_each = 0) {
  const double bytes = bytes_copied(row);
  return {row,
          false,
          {{.name = "pinned copy", .bytes_moved = bytes, .seconds = copy, .noise = noise_of_each},
           {.name = "sortile", .bytes_moved = bytes, .seconds = ours, .noise = noise_of_each}}};
}

inline sort_results planted_results(std::vector<sort_result> rows, const std::string& gpu = "NVIDIA H100 80GB HBM3") {
  return {.environment = {{"date", "2026-01-02"},
                          {"revision", "0123456789ab"},
                          {"gpu", gpu},
                          {"toolkit", "13.0"},
                          {"cub", "3.0.1"},
                          {"copy_bytes_per_second", 3e12}},
          .rows = std::move(rows)};
}

} // namespace sortile::bench
