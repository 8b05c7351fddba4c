// See counting.hpp.
#include "bench/classics/counting.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

namespace sortile::experiments {

namespace {

executor::counters count_one(const count_request& r, std::uint64_t seed) {
  classics::machine on(executor::device_options{.seed = seed, .checks = executor::check::counters});
  classics::request asked{.n = r.n, .type = type_for(*r.counted), .workload = r.workload, .seed = seed};
  asked.parameters = r.given;
  const classics::outcome done = classics::run(*r.counted, asked, classics::engine::executor, on);
  if (!done.verdict)
    throw error(status::internal_error, "wrong result on the executor: " + done.verdict.complaint);
  return on.executor_device().counted();
}

} // namespace

std::vector<executor::counters> count(const std::vector<count_request>& requests, std::uint64_t seed) {
  std::vector<executor::counters> counts(requests.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < requests.size();)
      counts[i] = count_one(requests[i], seed);
  };
  std::vector<std::future<void>> workers; // a launch that counts takes one thread
  for (unsigned w = 0; w < std::max(1u, std::thread::hardware_concurrency()); ++w)
    workers.push_back(std::async(std::launch::async, work));
  for (std::future<void>& w : workers)
    w.get();
  return counts;
}

double global_bytes(const executor::counters& c) {
  return double(c.global_loads.bytes + c.global_stores.bytes + c.global_atomics.bytes + c.bulk_bytes);
}

double sector_bytes(const executor::counters& c) {
  constexpr double sector = 32;
  return sector * double(c.global_loads.units + c.global_stores.units + c.global_atomics.units) + double(c.bulk_bytes);
}

void add_figures(point& p, const executor::counters& c, std::uint64_t n) {
  const double keys = double(n);
  p.figures["bytes"] = global_bytes(c) / keys;
  p.figures["sector bytes"] = sector_bytes(c) / keys;
  p.figures["sectors a load"] = c.global_loads.units_per_request();
  p.figures["sectors a store"] = c.global_stores.units_per_request();
  p.figures["ideal sectors a store"] =
      c.global_stores.requests ? double(c.global_stores.ideal) / double(c.global_stores.requests) : 0;
  p.figures["shared wavefronts"] = double(c.shared_loads.units + c.shared_stores.units + c.shared_atomics.units) / keys;
  p.figures["bank conflicts"] = double(c.bank_conflicts()) / keys;
  p.figures["barriers"] = double(c.block_barriers) / keys;
  p.figures["launches"] = double(c.launches);
  p.figures["counted at n"] = keys;
}

} // namespace sortile::experiments
