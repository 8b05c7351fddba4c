// CUB beside sortile's selections: a file of its own, because it may be compiled with a newer CUB than the toolkit's.
#pragma once

#include "bench/gpu/contestant.hpp"

#include <optional>

namespace sortile::bench {

/// Keys in device memory, of the types u32, f32 and u64: the others are refused by a std::logic_error.
struct selected_keys {
  key_type type;
  std::uint64_t n;
  const void* keys;
};

/// CUB's maximum: one read of the keys.
contestant one_read(const selected_keys& of);
/// CUB's sort of all keys, apart.
contestant sort_of_all(const selected_keys& of);
/// CUB's DeviceTopK, the smallest k: not sorted, and different from run to run. Nothing where this CUB has none.
std::optional<contestant> cub_top_k(const selected_keys& of, std::uint64_t k);

/// Of the CUB that these are from.
std::string selection_cub_version();

} // namespace sortile::bench
