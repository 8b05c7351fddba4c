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
  bit_window bits{};
};

/// The counts of all requests, several at a time. \throws error where a result is wrong
std::vector<executor::counters> count(const std::vector<count_request>& requests, std::uint64_t seed);

/// Bytes that lanes asked global memory for, and bytes of the 32-byte sectors that it moved.
double global_bytes(const executor::counters& counted);
double sector_bytes(const executor::counters& counted);

/// The counts as figures of a point, a key each: "bytes", "sector bytes", "sectors a load", "sectors a store", "ideal
/// sectors a store", "shared wavefronts", "bank conflicts", "barriers".
void add_figures(point& p, const executor::counters& counted, std::uint64_t n);

// --- for experiments that count and time

/// A length at which the GPU's time speaks of the work and not of its start.
std::uint64_t timed_length(const workbench& bench, const classics::classic& c);
/// As long as counting can be waited for: several tiles, merges and divisions of each classic, whose counts a shorter
/// input would not show.
std::uint64_t counted_length(const classics::classic& c, bool quick);

/// The sorts' times in one contest; without a GPU points that say so.
points timed(workbench& bench, const std::string& workload, std::uint64_t n,
             const std::vector<std::pair<const classics::classic*, parameters>>& sorts, bit_window bits = {});
/// Adds to each point the counts of its request.
points counted(const std::vector<count_request>& requests, points all, std::uint64_t seed);

double nanoseconds_a_key(const point& p);
/// A row a point, by facet and series where facets tell points apart.
std::string table_of_counts(const std::string& corner, const points& all);

} // namespace sortile::experiments
