// What the host side of a kernel asks of its arguments. Each function throws an error that names the call, the argument
// and what is allowed.
#pragma once

#include <sortile/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sortile::kernels {

template <class T>
void check_array(const char* call, const char* argument, const T* array, std::uint64_t n) {
  const std::string where = std::string(call) + ": " + argument;
  if (array == nullptr && n > 0)
    throw invalid_argument(where + " is null although n = " + std::to_string(n));
  if (reinterpret_cast<std::uintptr_t>(array) % alignof(T) != 0)
    throw invalid_argument(where + " is not aligned to its items' " + std::to_string(alignof(T)) + " bytes");
  if (n > SIZE_MAX / sizeof(T))
    throw invalid_argument(where + ": n = " + std::to_string(n) + " items exceed the address space");
}

/// Of each of `what`: elements of any size, but of some.
inline void check_size(const char* call, const char* what, std::size_t bytes) {
  if (bytes == 0)
    throw invalid_argument(std::string(call) + ": " + what + " of 0 bytes; at least 1 is allowed");
}
/// Of numbers (number_array.hpp).
inline void check_width(const char* call, const char* what, std::size_t bytes) {
  if (bytes != 4 && bytes != 8)
    throw invalid_argument(std::string(call) + ": " + what + " of " + std::to_string(bytes) +
                           " bytes; 4 and 8 are allowed");
}

inline void check_apart(const char* call, const char* a_name, const void* a, std::size_t a_bytes, const char* b_name,
                        const void* b, std::size_t b_bytes) {
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a), b_begin = reinterpret_cast<std::uintptr_t>(b);
  if (a_bytes > 0 && b_bytes > 0 && a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes)
    throw invalid_argument(std::string(call) + ": " + a_name + " and " + b_name + " overlap");
}

inline void check_workspace(const char* call, const void* workspace, std::size_t bytes, std::size_t wanted,
                            std::size_t alignment = 16) {
  if (bytes < wanted)
    throw workspace_too_small(std::string(call) + ": the workspace has " + std::to_string(bytes) + " bytes, " +
                              std::to_string(wanted) + " are needed");
  if (wanted > 0 && workspace == nullptr)
    throw invalid_argument(std::string(call) + ": workspace is null, " + std::to_string(wanted) + " bytes are needed");
  if (reinterpret_cast<std::uintptr_t>(workspace) % alignment != 0)
    throw invalid_argument(std::string(call) + ": workspace is not aligned to " + std::to_string(alignment) + " bytes");
}

} // namespace sortile::kernels
