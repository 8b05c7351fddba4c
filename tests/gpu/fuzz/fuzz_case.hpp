// One fuzzed sort: a random request of the differential tests, with what only arrays in device memory can be asked for,
// and its check against the CPU engine.
#pragma once

#include "testing/request_case.hpp"
#include "tests/gpu/fuzz/place.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sortile::fuzz {

struct fuzz_case {
  testing::request_case request;
  /// Where set, the number of keys lies in device memory: this many, of which at most request.n count.
  std::optional<std::uint64_t> device_n{};
};

/// Drawn from a seed; n log-uniform up to `largest`, and no more than a gigabyte of keys and values.
fuzz_case draw(std::uint64_t seed, std::size_t largest);

std::string to_string(const fuzz_case& c);

/// Sorts in the place and compares with the CPU engine, byte for byte: keys, values, what must be left as it was, and
/// the red zones of every array. Empty where all is well.
std::string complaint_of(const fuzz_case& c, const place& at);

} // namespace sortile::fuzz
