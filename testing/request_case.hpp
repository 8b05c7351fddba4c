// One request as a test makes it: every choice that a caller has, drawn from a seed or set by hand, run on guarded
// buffers and checked against the oracle. The one driver of differential tests, for every engine.
#pragma once

#include "testing/guarded_buffer.hpp"
#include "testing/verify.hpp"

#include <sortile/request.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sortile::testing {

/// Where the result goes.
enum class form : std::uint8_t { in_place, out_of_place, double_buffer };

struct request_case {
  key_type type = key_type::u32;
  std::size_t n = 0;
  std::string workload = "uniform";
  std::uint64_t seed = 0; ///< of the keys, the values and the poison
  order direction = order::ascending;
  bit_window bits{};
  payload carries = payload::none;
  std::size_t value_bytes = 0; ///< of values, or of indices (4 or 8)
  testing::form form = form::in_place;
  bool keys_wanted = true; ///< argsort: whether the sorted keys are asked for too
  std::string engine{};
  unsigned threads = 0;
  bool own_workspace = false; ///< give exactly the workspace that is asked for
  bool watch_progress = false;
  std::size_t refused_call = 0; ///< not 0: the progress callback refuses from this call on, so that the sort is cancelled
  std::size_t key_offset = 0;   ///< keys begin so many keys after a 128-byte boundary
  std::size_t value_offset = 0; ///< values so many bytes (indices: so many indices)
  const array_memory* where = nullptr; ///< null: in host memory; else in this, as memory::device
};

/// The case as one line.
std::string to_string(const request_case& c);

/// A case drawn from a seed, on one of the given engines ("" stands for the planner's choice), with n up to largest_n.
request_case random_case(std::uint64_t seed, const std::vector<std::string>& engines, std::size_t largest_n);

/// Runs the case and checks everything that is promised of it: the result byte for byte, inputs that may only be read,
/// red zones, where the result lies, progress. A case that is cancelled leaves what may only be read as it was, writes
/// nowhere else, and its callback is not called again; one that ends before is a case like any other.
verdict check(const request_case& c);

} // namespace sortile::testing
