// What a measurement was taken on: goes into every JSON file of results. Read from /proc and /sys, which no library of
// Debian's tells in full.
#pragma once

#include "testing/facts.hpp"

#include <string>

namespace sortile::testing {

struct environment {
  std::string date; ///< UTC, ISO 8601
  /// Git revision that was built, "+" after it where the tree had changes; "unknown" where it was no checkout.
  std::string revision;
  std::string cpu;          ///< model name
  unsigned cpus = 0;        ///< that this process may use
  std::string cpu_features; ///< the vector extensions among the CPU's flags
  std::string l2_cache, l3_cache;
  std::string governor; ///< of CPU 0; "unknown" where the system does not say
  std::string memory;
  std::string system; ///< kernel and distribution
  std::string compiler, build_type, flags;
};

environment capture_environment();

/// For the files of results.
facts to_facts(const environment& e);

/// A few lines for people.
std::string to_string(const environment& e);

} // namespace sortile::testing
