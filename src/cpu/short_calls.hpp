// What the calls that are done at once ask of their arguments before anything else (small_sort.cpp, small_select.cpp):
// whether they are usual and sound. All others go on to the front door's checks, which name every misuse.
#pragma once

#include "device/host_reach.hpp"

#include <sortile/few.hpp>
#include <sortile/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

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

/// Whether arrays may be a GPU's. The door of few keys is open only as long as there is no driver, and takes two reads.
inline bool may_be_out_of_reach() {
  return !sortile::detail::few_door_is_open() && device::has_driver();
}

/// False where the front door has to refuse a GPU's memory by name.
inline bool are_in_reach(std::initializer_list<const void*> arrays) {
  return !may_be_out_of_reach() || std::none_of(arrays.begin(), arrays.end(), device::is_out_of_reach);
}

/// The same of what is written, and of what each part of a list reads.
template <class Part>
bool are_in_reach(const void* out, std::span<const Part> parts, const void* Part::*read) {
  return !may_be_out_of_reach() ||
         (!device::is_out_of_reach(out) && std::none_of(parts.begin(), parts.end(), [&](const Part& part) {
           return device::is_out_of_reach(part.*read);
         }));
}

/// Keys that a merge or an order of rows reads, beside what it writes.
inline bool can_be_read(const void* keys, std::size_t n, std::size_t key, const void* out, std::size_t out_bytes) {
  return n == 0 || (keys != nullptr && is_aligned(keys, key) && apart(keys, n * key, out, out_bytes));
}

inline bool can_be_written(const void* out, std::size_t alignment) {
  return out != nullptr && is_aligned(out, alignment);
}

} // namespace sortile::cpu
