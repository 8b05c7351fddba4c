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
  classics::request asked{.n = r.n, .type = type_for(*r.counted), .workload = r.workload, .bits = r.bits, .seed = seed};
  asked.parameters = r.given;
  const classics::outcome done = classics::run(*r.counted, asked, classics::engine::executor, on);
  if (!done.verdict)
    throw error(status::internal_error, "wrong result on the executor: " + done.verdict.complaint);
  return on.counted();
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

namespace {

bool is_quadratic(const classics::classic& c) {
  return c.work.find("n^2") == 0;
}

} // namespace

std::uint64_t timed_length(const workbench& bench, const classics::classic& c) {
  return std::min(c.largest_n, bench.size(std::uint64_t{1} << (is_quadratic(c) ? 14 : 22)));
}

std::uint64_t counted_length(const classics::classic& c, bool quick) {
  return std::min(c.largest_n, std::uint64_t{1} << (quick ? 11 : is_quadratic(c) ? 13 : 17));
}

points timed(workbench& bench, const std::string& workload, std::uint64_t n,
             const std::vector<std::pair<const classics::classic*, parameters>>& sorts, bit_window bits) {
  contest on(bench, workload, n, bits);
  points all;
  for (const auto& [c, given] : sorts)
    on.add(on.work_of(*c, given));
  if (bench.on_gpu())
    for (const standing& s : on.run({.run = 1, .all = 1}))
      all.push_back(point_of(s, on));
  else
    for (const auto& [c, given] : sorts)
      all.push_back(point_of({.name = label(*c, given), .seconds = {}, .note = "no GPU: counted alone"}, on));
  return all;
}

points counted(const std::vector<count_request>& requests, points all, std::uint64_t seed) {
  const std::vector<executor::counters> counts = count(requests, seed);
  for (std::size_t k = 0; k < counts.size(); ++k)
    add_figures(all[k], counts[k], requests[k].n);
  return all;
}

double nanoseconds_a_key(const point& p) {
  return 1e9 * p.median() / double(p.n);
}

std::string table_of_counts(const std::string& corner, const points& all) {
  std::vector<std::vector<std::string>> rows{{corner, "sectors a load", "sectors a store", "at best",
                                              "sector bytes a key", "shared wavefronts a key", "bank conflicts a key",
                                              "counted at n", "timed at n", "ns a key"}};
  for (const point& p : all) {
    const bool by_facet =
        std::any_of(all.begin(), all.end(), [&](const point& q) { return q.series == p.series && q.facet != p.facet; });
    const auto figure = [&](const char* name) { return figures_text(p.figure(name)); };
    rows.push_back({by_facet ? p.facet + ", " + p.series : p.series, figure("sectors a load"),
                    figure("sectors a store"), figure("ideal sectors a store"), figure("sector bytes"),
                    figure("shared wavefronts"), figure("bank conflicts"), power_text(p.figure("counted at n")),
                    p.seconds.empty() ? "" : power_text(double(p.n)),
                    p.seconds.empty() ? "" : figures_text(nanoseconds_a_key(p))});
  }
  return "Counts by the executor, u32 keys; time on the GPU\n\n" + markdown(rows);
}

} // namespace sortile::experiments
