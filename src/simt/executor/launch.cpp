// A launch on the executor: checked as the CUDA runtime would, run on one or several OS threads, with what it launches
// itself.
#include "simt/executor/dialect_launch.hpp"
#include "simt/executor/scheduler.hpp"
#include "simt/executor/watchdog.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <thread>

namespace sortile::executor {
namespace {

constexpr std::chrono::seconds grace{10}; // between the grid's own look at the clock and the watchdog's
constexpr unsigned threads_a_multiprocessor = 2048;
constexpr std::size_t shared_a_multiprocessor = std::size_t{228} * 1024;

[[noreturn]] void refuse(const grid_request& r, const std::string& what) {
  throw failure(fault::bad_launch, 0, std::string("executor: launch of kernel ") + r.kernel_name + " refused: " + what);
}

void check_launch(const grid_request& r, const device& d) {
  const simt::launch_config& c = r.config;
  if (c.grid.count() == 0)
    refuse(r, "the grid has no blocks");
  if (c.block == 0 || c.block > r.max_block || c.block > device::max_block_threads)
    refuse(r,
           "a block of " + std::to_string(c.block) + " threads; the kernel allows 1 to " + std::to_string(r.max_block));
  const std::size_t shared = r.static_bytes + c.dynamic_shared;
  if (shared > device::shared_limit)
    refuse(r, std::to_string(shared) + " bytes of shared storage; a block has " + std::to_string(device::shared_limit));
  if (c.cluster == 0 || c.cluster > device::max_cluster || c.grid.x % c.cluster != 0)
    refuse(r, "clusters of " + std::to_string(c.cluster) + " blocks in a grid of " + std::to_string(c.grid.x) +
                  "; 1 to " + std::to_string(device::max_cluster) + " that divide the grid");
  const simt::feature needs = r.needs | (c.cluster > 1 ? simt::feature::cluster : simt::feature::none) |
                              (c.dependent ? simt::feature::dependent_launch : simt::feature::none);
  simt::require_features(needs, d.options().architecture, r.kernel_name);
  if (c.cooperative && c.grid.count() > d.resident_blocks(c.block, shared))
    refuse(r, "a cooperative grid of " + std::to_string(c.grid.count()) + " blocks; " +
                  std::to_string(d.resident_blocks(c.block, shared)) + " can be resident");
}

// Blocks that are resident at once, in clusters, for each of `workers` OS threads.
std::size_t resident_clusters(const grid_run& run, const device& d, unsigned workers, random_source& random) {
  const simt::launch_config& c = run.request.config;
  if (c.cooperative)
    return std::size_t((run.clusters + workers - 1) / workers);
  const unsigned fit = d.resident_blocks(c.block, run.request.static_bytes + c.dynamic_shared) / c.cluster;
  const unsigned blocks = run.options.checks == check::none ? (workers > 1 ? 1 : 2) : 2 + random.below(7);
  return std::max(1u, std::min((blocks + c.cluster - 1) / c.cluster, std::max(fit, 1u)));
}

void run_grid(grid_run& run, const device& d, counters& total) {
  const grid_request& r = run.request;
  run.dims = {{r.config.grid.x, r.config.grid.y, r.config.grid.z}, r.config.block, r.config.cluster};
  run.clusters = r.config.grid.count() / r.config.cluster;
  run.deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                        std::chrono::duration<double>(run.options.watchdog_seconds));
  random_source random(run.seed);
  if (has(run.options.checks, check::schedule)) {
    run.order.resize(run.clusters);
    std::iota(run.order.begin(), run.order.end(), 0u);
    for (std::size_t i = run.order.size(); i > 1; --i)
      std::swap(run.order[i - 1], run.order[random.below(unsigned(i))]);
  }
  unsigned workers =
      run.options.os_threads ? run.options.os_threads : std::max(1u, std::thread::hardware_concurrency());
  workers = run.options.checks == check::none ? unsigned(std::min<std::uint64_t>(workers, run.clusters)) : 1;
  const std::size_t resident = resident_clusters(run, d, workers, random);
  const watchdog::watch watch(run.deadline + grace,
                              std::string("executor: watchdog: kernel ") + r.kernel_name +
                                  " runs without coming to a scheduling point; SORTILE_EXECUTOR_SEED=" +
                                  std::to_string(run.options.seed) + " repeats it");
  observer* const watcher = watching();
  if (watcher && !has(run.options.checks, check::counters))
    refuse(r, "an observer is told of requests under check::counters alone");
  if (watcher)
    watcher->launch_begins({r.kernel_name, run.dims, r.static_bytes + r.config.dynamic_shared, r.config.cooperative});
  auto work = [&] { scheduler(run, resident).run(); };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < workers; ++i)
    others.emplace_back(work);
  work();
  others.clear();
  run.counted.launches = 1;
  total += run.counted;
  if (run.error)
    std::rethrow_exception(run.error);
  if (watcher)
    watcher->launch_ends(run.counted);
}

} // namespace

unsigned device::resident_blocks(unsigned block_threads, std::size_t shared_bytes) const {
  const std::size_t by_threads = threads_a_multiprocessor / std::max(1u, block_threads);
  const std::size_t by_shared = shared_a_multiprocessor / (shared_bytes + 1024);
  return unsigned(std::min({by_threads, by_shared, std::size_t{32}})) * options_.multiprocessors;
}

void* device::constants_of(kernel_function kernel, std::size_t bytes) {
  std::vector<std::byte>& held = constants_[kernel];
  held.resize(bytes);
  return held.data();
}

// A grid, then what it launched: fire-and-forget children with all that they launch, then tail launches in their order.
void device::run(const grid_request& request) {
  check_launch(request, *this);
  std::vector<child_launch> todo(1);
  todo[0].request = request;
  while (!todo.empty()) {
    child_launch next = std::move(todo.back());
    todo.pop_back();
    grid_run run(*this);
    run.request = next.request;
    if (const auto set = constants_.find(run.request.call); set != constants_.end())
      run.request.constants = set->second.data();
    else if (run.request.wants_constants)
      refuse(run.request, "its constants were never set");
    run.options = options_;
    run.seed = options_.seed + 0x9e3779b97f4a7c15ull * launches_++;
    run_grid(run, *this, counters_);
    for (child_order order : {child_order::tail, child_order::fire_and_forget})
      for (std::size_t i = run.children.size(); i-- > 0;)
        if (run.children[i].order == order)
          todo.push_back(std::move(run.children[i]));
  }
}

void launch_child(const grid_request& request, child_order order, site where) {
  try {
    check_launch(request, mine->run_.owner);
  } catch (const simt::error& e) {
    bad_use(e.what(), where);
  }
  child_launch child{request, {}, order};
  const auto* bytes = static_cast<const unsigned char*>(request.kernel);
  child.kernel.assign(bytes, bytes + request.kernel_bytes);
  child.request.kernel = child.kernel.data();
  {
    std::lock_guard lock(mine->run_.mutex);
    mine->run_.children.push_back(std::move(child));
  }
  schedule_point(where);
}

device_options options_from_environment(device_options defaults) {
  auto number = [](const char* variable, auto& value) {
    const char* text = std::getenv(variable);
    if (!text)
      return;
    char* end = nullptr;
    errno = 0;
    const unsigned long long v = std::strtoull(text, &end, 10);
    using number_type = std::remove_reference_t<decltype(value)>;
    if (*text < '0' || *text > '9' || *end != 0 || errno != 0 || v > std::numeric_limits<number_type>::max())
      throw simt::error(std::string("simt: ") + variable + "=" + text + " is not a number");
    value = static_cast<number_type>(v);
  };
  number("SORTILE_EXECUTOR_SEED", defaults.seed);
  unsigned checks = unsigned(defaults.checks);
  number("SORTILE_EXECUTOR_CHECKS", checks);
  defaults.checks = check(checks);
  return defaults;
}

} // namespace sortile::executor

namespace sortile::simt {
inline namespace executor_backend {
namespace detail {

// "… [with K = the::kernel<int>]" → "the::kernel<int>".
std::string kernel_name(const std::string& pretty_function) {
  const std::size_t from = pretty_function.find("K = ") + 4;
  return pretty_function.substr(from, pretty_function.rfind(']') - from);
}

} // namespace detail
} // namespace executor_backend
} // namespace sortile::simt
