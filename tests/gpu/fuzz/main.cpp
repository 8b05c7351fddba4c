// gpu_fuzz: random sorts of arrays in device memory against the CPU engine, for as long as it is told to.
//
//   gpu_fuzz [--seconds S] [--first N] [--seed N] [--largest N] [--largest-on-executor N] [--verbose]
//
// Every key type, payload, width, order, bit window, form and alignment; n log-uniform up to 2^26, also in device
// memory; every workload; red zones around every array, poisoned outputs and workspace. A failure prints its request
// and the command that repeats it. Without a GPU the same cases run on the executor, where they are small enough, some
// with every check of a schedule of their own, and the number of those that need a GPU is told. Exit status: 0, 1 where
// a sort was wrong, 2 where something else failed, 77 where nothing could run.
#include "simt/executor/device.hpp"
#include "tests/gpu/fuzz/fuzz_case.hpp"

#include <sortile/error.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace sortile::fuzz {
namespace {

enum exit_status { all_well = 0, wrong = 1, trouble = 2, skipped = 77 };

struct settings {
  double seconds = 5;
  std::uint64_t first = 1'000'000;
  std::uint64_t only = 0; ///< 0: all from the first on
  std::size_t largest = std::size_t{1} << 26;
  std::size_t largest_on_executor = 40'000;
  bool verbose = false;
};

struct tally {
  std::uint64_t run = 0, elements = 0, checked = 0, too_large = 0;
};

/// Some of the executor's runs interleave all threads, hold stores back and look for races; these take ten times as
/// long.
void choose_schedule(const fuzz_case& c, std::uint64_t seed, tally& count) {
  constexpr std::size_t largest_checked = 1500;
  const bool checked = seed % 4 == 0 && c.request.n <= largest_checked;
  count.checked += checked ? 1 : 0;
  ::setenv("SORTILE_EXECUTOR_SEED", std::to_string(seed).c_str(), 1);
  ::setenv("SORTILE_EXECUTOR_CHECKS", checked ? std::to_string(unsigned(executor::all_checks)).c_str() : "0", 1);
}

void tell(const fuzz_case& c, std::uint64_t seed, const settings& s, const std::string& what) {
  std::fprintf(stderr, "gpu_fuzz: %s\n  in %s\n  repeat with: gpu_fuzz --seed %llu --largest %zu\n", what.c_str(),
               to_string(c).c_str(), static_cast<unsigned long long>(seed), s.largest);
}

/// One case; whether it was right.
bool run_one(std::uint64_t seed, const settings& s, const place& at, tally& count) {
  const fuzz_case c = draw(seed, s.largest);
  if (!at.is_gpu()) {
    if (s.only == 0 && c.request.n > s.largest_on_executor) {
      ++count.too_large;
      return true;
    }
    choose_schedule(c, seed, count);
  }
  if (s.verbose)
    std::printf("%llu: %s\n", static_cast<unsigned long long>(seed), to_string(c).c_str());
  std::string complaint;
  try {
    complaint = complaint_of(c, at);
  } catch (const out_of_memory& none) {
    throw; // of the machine, not of the sort
  } catch (const std::exception& failure) {
    complaint = std::string("it failed: ") + failure.what();
  }
  ++count.run;
  count.elements += c.request.n;
  if (!complaint.empty())
    tell(c, seed, s, complaint);
  return complaint.empty();
}

int fuzz(const settings& s) {
  std::string why_no_gpu;
  const place gpu = gpu_place(why_no_gpu);
  const bool on_gpu = !gpu.engine.empty();
  const place at = on_gpu ? gpu : executor_place();
  for (const engine_info& engine : engines())
    if (engine.name == at.engine && !engine.usable) {
      std::printf("gpu_fuzz: no GPU (%s), and no executor: %s\n", why_no_gpu.c_str(), engine.reason.c_str());
      return skipped;
    }
  using clock = std::chrono::steady_clock;
  const clock::time_point end =
      clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(s.seconds));
  tally count;
  bool right = true;
  std::uint64_t seed = s.only != 0 ? s.only : s.first;
  do
    right = run_one(seed++, s, at, count);
  while (right && s.only == 0 && clock::now() < end);
  std::printf("%llu random sorts of %llu elements on %s%s\n", static_cast<unsigned long long>(count.run),
              static_cast<unsigned long long>(count.elements), at.engine.c_str(), right ? ", all right" : "");
  if (!on_gpu)
    std::printf(
        "%llu of them with every schedule check\nGPU-only cases skipped: %llu, of more than %zu elements (%s)\n",
        static_cast<unsigned long long>(count.checked), static_cast<unsigned long long>(count.too_large),
        s.largest_on_executor, why_no_gpu.c_str());
  return right ? all_well : wrong;
}

} // namespace
} // namespace sortile::fuzz

int main(int argc, char** argv) {
  sortile::fuzz::settings s;
  CLI::App app("Random sorts on the GPU, or on the executor, against the CPU engine");
  app.add_option("--seconds", s.seconds, "for so long")
      ->envname("SORTILE_FUZZ_SECONDS")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--first", s.first, "seed of the first case")
      ->envname("SORTILE_FUZZ_FIRST")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", s.only, "one case alone: that of this seed")->check(CLI::PositiveNumber);
  app.add_option("--largest", s.largest, "elements at most")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30))
      ->capture_default_str();
  app.add_option("--largest-on-executor", s.largest_on_executor, "elements at most, without a GPU; others are left out")
      ->capture_default_str();
  app.add_flag("--verbose", s.verbose, "print every request before it runs");
  CLI11_PARSE(app, argc, argv);
  try {
    return sortile::fuzz::fuzz(s);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gpu_fuzz: %s\n", failure.what());
    return sortile::fuzz::trouble;
  }
}
