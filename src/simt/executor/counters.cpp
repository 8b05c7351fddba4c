// Sums and the table of what kernels did.
#include "simt/executor/counters.hpp"

#include <algorithm>
#include <cstdio>

namespace sortile::executor {
namespace {

std::string line(const char* format, auto... values) {
  char text[160];
  const int length = std::snprintf(text, sizeof text, format, values...);
  return std::string(text, std::min(sizeof text - 1, std::size_t(std::max(length, 0))));
}

std::string row(const char* name, const memory_counters& m, const char* unit) {
  if (!m.requests)
    return {};
  return line("%-16s %12llu requests %6.2f %s each (%.2f at best) %6.1f %% partial %14llu bytes\n", name,
              static_cast<unsigned long long>(m.requests), m.units_per_request(), unit,
              double(m.ideal) / double(m.requests), 100.0 * double(m.partial) / double(m.requests),
              static_cast<unsigned long long>(m.bytes));
}

std::string row(const char* name, std::uint64_t n) {
  return n ? line("%-16s %12llu\n", name, static_cast<unsigned long long>(n)) : std::string();
}

} // namespace

memory_counters& memory_counters::operator+=(const memory_counters& o) {
  requests += o.requests;
  partial += o.partial;
  bytes += o.bytes;
  units += o.units;
  ideal += o.ideal;
  return *this;
}

std::uint64_t counters::bank_conflicts() const {
  return shared_loads.units - shared_loads.ideal + shared_stores.units - shared_stores.ideal + shared_atomics.units -
         shared_atomics.ideal;
}

counters& counters::operator+=(const counters& o) {
  global_loads += o.global_loads;
  global_stores += o.global_stores;
  global_atomics += o.global_atomics;
  shared_loads += o.shared_loads;
  shared_stores += o.shared_stores;
  shared_atomics += o.shared_atomics;
  constant_loads += o.constant_loads;
  launches += o.launches;
  blocks += o.blocks;
  threads += o.threads;
  block_barriers += o.block_barriers;
  warp_barriers += o.warp_barriers;
  warp_collectives += o.warp_collectives;
  cluster_barriers += o.cluster_barriers;
  grid_barriers += o.grid_barriers;
  bulk_copies += o.bulk_copies;
  bulk_bytes += o.bulk_bytes;
  spins += o.spins;
  return *this;
}

std::string counters::report() const {
  return row("launches", launches) + row("blocks", blocks) + row("threads", threads) +
         row("global loads", global_loads, "sectors") + row("global stores", global_stores, "sectors") +
         row("global atomics", global_atomics, "sectors") + row("shared loads", shared_loads, "wavefronts") +
         row("shared stores", shared_stores, "wavefronts") + row("shared atomics", shared_atomics, "wavefronts") +
         row("constant loads", constant_loads, "addresses") + row("bank conflicts", bank_conflicts()) +
         row("block barriers", block_barriers) + row("warp barriers", warp_barriers) +
         row("warp collectives", warp_collectives) + row("cluster barriers", cluster_barriers) +
         row("grid barriers", grid_barriers) + row("bulk copies", bulk_copies) + row("bulk bytes", bulk_bytes) +
         row("spins", spins);
}

} // namespace sortile::executor
