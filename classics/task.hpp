// What a classic is asked to do and how its answer is judged: most sort, some do a part of a sort (a scan, a merge).
#pragma once

#include "testing/verify.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::classics {

struct request;

/// The arrays of a run on the host. The keys are aligned for any key type.
struct host_arrays {
  key_type type = key_type::u32;
  std::size_t n = 0;
  std::vector<std::byte> keys{};
  std::vector<std::uint32_t> values{}; ///< empty without pairs
};

struct task {
  std::string_view name{};
  std::string_view promise{}; ///< what holds of the output, in a sentence
  bool has_direction = true;  ///< ascending and descending differ
  /// Changes the workload's keys into an input of the task; null: they are one as they are.
  void (*prepare)(const request&, host_arrays&) = nullptr;
  /// A key as steps write it in base 10, and as --keys takes it; null: a number of its type.
  std::string (*text)(const void* key) = nullptr;
  void (*parse)(std::string_view text, void* key) = nullptr; ///< \throws invalid_argument
  /// Judges the output against the input. `stable` is what the classic claims.
  testing::verdict (*check)(const request&, bool stable, const host_arrays& before, const host_arrays& after) = nullptr;
};

/// All keys in order; values stay with their keys, those of equal keys in the order of the input where the classic is
/// stable.
extern const task sorting;
/// Element i becomes the sum, modulo 2^32, of the elements before it.
extern const task exclusive_scan;
/// Element i becomes the number of odd keys before it.
extern const task exclusive_scan_of_flags;

} // namespace sortile::classics
