// See broken.hpp.
#include "classics/broken/broken.hpp"

#include "classics/runner.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <stdexcept>

namespace sortile::classics {

// files_of_broken.inc is made by CMake, as files_of_classics.inc is.
#define SORTILE_CLASSICS_FILE(FILE)                                                                                    \
  template <class Backend>                                                                                             \
  std::vector<classic> classics_of_##FILE();
#include "files_of_broken.inc"
#undef SORTILE_CLASSICS_FILE

namespace {

constexpr std::string_view wrong_result = "wrong result";

constexpr specimen specimens[] = {
    {"radix-beyond-the-end", "often right, and wrong where the memory behind the array is not 0", "out of bounds",
     "how many elements an exclusive scan of n numbers has, and which of them holds the sum of all"},
    {"radix-unsorted-input", "keys are lost, or only the highest bit is sorted by", "race on shared storage",
     "what bits hold when they are summed, and which array the next round reads"},
    {"radix-sign", "keys are lost, or the kernel ends with an illegal address", "out of bounds",
     "how many keys lie before a one: all zeros, and which ones?"},
    {"scan-missing-barrier", "right in one warp, wrong now and then in several", "race on shared storage",
     "what a thread reads that another one writes in the same step"},
    {"rank-without-ties", "right until two keys are equal", wrong_result,
     "the places of equal keys, and the place that nobody writes"},
    {"look-back-by-index", "right on most machines, and hangs on some", "deadlock",
     "who has to be running for a wait to end, and in which order blocks begin"},
    {"barrier-in-a-branch", "right on some GPUs, and hangs or is wrong on others", "divergent barrier",
     "which threads of the block come to the barrier"},
    {"transposition-without-phases", "right in one warp, keys lost in several", "race on shared storage",
     "whether a partner has read a key before it is written over"},
};

std::vector<classic> gather() {
  std::vector<classic> found, all;
#define SORTILE_CLASSICS_FILE(FILE)                                                                                    \
  for (classic & c : classics_of_##FILE<simt::on_executor>()) {                                                        \
    c.file = "broken/" #FILE ".cu";                                                                                    \
    found.push_back(c);                                                                                                \
  }
#include "files_of_broken.inc"
#undef SORTILE_CLASSICS_FILE
  for (const specimen& s : specimens) {
    const auto at = std::find_if(found.begin(), found.end(), [&](const classic& c) { return c.name == s.name; });
    if (at == found.end())
      throw std::logic_error("no broken classic is called " + std::string(s.name));
    all.push_back(*at);
  }
  return all;
}

/// Nothing where the run was right.
autopsy examine_once(const classic& broken, std::uint64_t n, std::uint64_t seed) {
  machine on(executor::device_options{.seed = seed, .checks = executor::all_checks});
  try {
    const outcome found = run(broken, {.n = n, .workload = "range:1000", .seed = seed}, engine::executor, on);
    return found.verdict ? autopsy{} : autopsy{wrong_result, found.verdict.complaint};
  } catch (const executor::failure& e) {
    return {executor::name(e.kind), e.what()};
  }
}

} // namespace

std::span<const specimen> all_specimens() {
  return specimens;
}

const specimen& specimen_named(std::string_view name) {
  std::string names;
  for (const specimen& s : specimens) {
    if (s.name == name)
      return s;
    names += (names.empty() ? "" : ", ") + std::string(s.name);
  }
  throw invalid_argument("nothing in the broken zoo is called " + std::string(name) + " (there are: " + names + ")");
}

std::span<const classic> all_broken() {
  static const std::vector<classic> all = gather();
  return all;
}

autopsy examine(const classic& broken, unsigned schedules) {
  autopsy found;
  for (std::uint64_t seed = 1; seed <= schedules; ++seed)
    for (const std::uint64_t n : {7u, 33u, 100u, 200u, 1000u}) {
      if (n > broken.largest_n)
        continue;
      const unsigned runs = found.runs + 1;
      found = examine_once(broken, n, seed);
      found.runs = runs;
      if (!found.found_as.empty())
        return found;
    }
  return found;
}

std::string list_of_specimens() {
  std::string text;
  for (const specimen& s : specimens)
    text += std::string(s.name) + std::string(30 - s.name.size(), ' ') + std::string(s.symptom) + "\n";
  return text;
}

} // namespace sortile::classics
