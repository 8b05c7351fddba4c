// What the calls that are done at once ask of their arguments before anything else (small_sort.cpp, small_select.cpp):
// whether they are usual and sound. All others go on to the front door's checks, which name every misuse.
#pragma once

#include "device/host_reach.hpp"

#include <sortile/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace sortile::cpu {

inline bool is_aligned(const void* p, std::size_t to) {
  return (reinterpret_cast<std::uintptr_t>(p) & (to - 1)) == 0;
}

inline bool same_or_apart(const void* a, const void* b, std::size_t bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x == y || (x < y ? y - x : x - y) >= bytes;
}

inline bool apart(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return a == nullptr || b == nullptr || (x < y ? y - x >= a_bytes : x - y >= b_bytes);
}

inline bool is_direction(order o) {
  return o == order::ascending || o == order::descending;
}

/// Options that a short call has no use for, or that need a look.
inline bool is_plain(const options& opts, bool engine_is_open) {
  return engine_is_open && opts.memory == memory::host && !opts.progress && opts.workspace.data() == nullptr &&
         opts.stream == nullptr && opts.resource == nullptr && is_direction(opts.order);
}

/// False where the front door has to refuse a GPU's memory by name.
inline bool are_in_reach(std::initializer_list<const void*> arrays) {
  return !device::has_driver() || std::none_of(arrays.begin(), arrays.end(), device::is_out_of_reach);
}

} // namespace sortile::cpu
