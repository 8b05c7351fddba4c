// What a classic does to memory, counted by the executor: for keys alone, u32, at a length at which counting is quick.
// They depend on n, most of all where it is too small for several tiles, merges or divisions; so the length is said
// beside.
#pragma once

#include "bench/classics/experiment.hpp"

#include "simt/executor/counters.hpp"

namespace sortile::experiments {

struct count_request {
  const classics::classic* counted = nullptr;
  parameters given{};
  std::string workload = "uniform";
  std::uint64_t n = 0;
};

/// The counts of all requests, several at a time. \throws error where a result is wrong
std::vector<executor::counters> count(const std::vector<count_request>& requests, std::uint64_t seed);

/// Bytes that lanes asked global memory for, and bytes of the 32-byte sectors that it moved.
double global_bytes(const executor::counters& counted);
double sector_bytes(const executor::counters& counted);

/// The counts as figures of a point, a key each: "bytes", "sector bytes", "sectors a load", "sectors a store", "ideal
/// sectors a store", "shared wavefronts", "bank conflicts", "barriers".
void add_figures(point& p, const executor::counters& counted, std::uint64_t n);

} // namespace sortile::experiments
