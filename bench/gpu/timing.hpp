// Times contestants on the GPU, taking turns, with CUDA events.
#pragma once

#include "bench/gpu/contestant.hpp"
#include "testing/facts.hpp"

namespace sortile::bench {

struct timing {
  double milliseconds = 0; ///< median of the rounds
  double noise = 0;        ///< half of the distance between the quartiles, as a share of the median
};

struct row_result {
  row measured;
  std::vector<timing> timings; ///< one a contestant
};

struct environment {
  std::string gpu, driver, toolkit, cub;
  double copy_bytes_per_second = 0; ///< read plus written, of a copy of 2^30 bytes within the device
};

environment look_around();

/// Whether two arrays in device memory are equal. Through the host, in pieces: it is done once a row or contestant.
bool same_bytes(const void* a, const void* b, std::size_t bytes);

/// Each round times every contestant once, one after the other, warm: `rounds` after two that are not counted. Short
/// work is repeated within a round and divided.
row_result measure(row r, unsigned rounds);

/// For files of results.
testing::facts facts_of(const environment& e);

/// A table for people; `results` against the copy rate.
std::string table(const environment& e, const std::vector<row_result>& results);
/// The same, with everything, as JSON.
std::string json(const environment& e, const std::vector<row_result>& results);

} // namespace sortile::bench
