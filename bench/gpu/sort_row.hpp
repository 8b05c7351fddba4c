// What a row of the GPU benchmark sorts: a kind of elements, the workload that gives their keys, and how many.
#pragma once

#include "testing/workloads.hpp"

#include <sortile/request.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sortile::bench {

/// Keys, and what travels with them. Of payload::indices sortile makes the indices and writes no keys; CUB sorts pairs
/// of key and index from an array that is there before the clock starts. In structs keys are sorted as a user's type
/// is, whose order the library does not know: by sortile with a decomposer, by CUB's merge sort with a comparator.
/// Arrays in host memory are pageable ones, given to the library's ordinary call; beside it the same bytes are copied
/// to the device and back from pinned memory, which is the most that can be expected of it.
struct sort_kind {
  std::string_view name; ///< "u32", "u64+u32", "u64 index", "u32 struct"
  key_type type;
  payload carries;
  unsigned value_bytes;
  bool in_structs = false; ///< of one member each
  bool in_host_memory = false;

  std::size_t element_bytes() const { return key_bytes(type) + value_bytes; }
};

/// Whom sortile is compared with: "cub", or "pinned copy".
std::string_view rival_of(const sort_kind& kind);

std::span<const sort_kind> all_sort_kinds();
/// \throws invalid_argument listing the kinds where there is none of this name
const sort_kind& sort_kind_named(std::string_view name);

/// Of the inputs of all rows.
inline constexpr std::uint64_t seed = 1;

struct sort_row {
  const sort_kind* kind;
  testing::workload workload;
  std::uint64_t n;

  /// "u32 uniform 2^28": what --row looks in.
  std::string name() const;
  bool operator==(const sort_row& other) const = default;
};

/// Bytes that a sort of arrays in host memory has to bring to the device and back.
double bytes_copied(const sort_row& row);

/// Whether arrays of the row could stay in the L2 cache from one sort to the next, so that cold and warm differ.
bool fits_a_cache(const sort_row& row);

/// Bytes that CUB's radix sort moves by its own design: a histogram of all digits, then one pass a digit. 0 where it
/// sorts in one block, or may, and where it does not sort by digits.
double bytes_moved_by_cub(const sort_kind& kind, std::uint64_t n);

} // namespace sortile::bench
