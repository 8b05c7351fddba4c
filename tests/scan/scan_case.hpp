// A scan and a histogram as a test makes them: on guarded buffers, checked against a loop over 64-bit words.
#pragma once

#include "testing/guarded_buffer.hpp"
#include "testing/verify.hpp"

#include <sortile/scan.hpp>

#include <string>

namespace sortile::testing {

struct scan_case {
  key_type type = key_type::u32;
  std::size_t n = 0;
  scan_operator op = scan_operator::sum;
  scan_kind kind = scan_kind::inclusive;
  std::optional<std::uint64_t> initial{};
  bool in_place = false;
  std::uint64_t seed = 0;
  order direction = order::ascending; ///< of histograms, and the bits
  bit_window bits{};
  std::string engine{};
  unsigned threads = 0;
  const array_memory* where = nullptr; ///< null: in host memory; else in this, as memory::device
};

std::string to_string(const scan_case& c);

/// Runs the scan and checks every result, and that nothing else is written.
verdict check_scan(const scan_case& c);
/// The same of a histogram of any key type.
verdict check_histogram(const scan_case& c);

/// A scan drawn from a seed, of at most largest_n integers.
scan_case random_scan(std::uint64_t seed, const std::string& engine, std::size_t largest_n);
/// A histogram drawn from a seed.
scan_case random_histogram(std::uint64_t seed, const std::string& engine, std::size_t largest_n);

} // namespace sortile::testing
