// Large arrays that are about to be overwritten: not cleared first, and aligned for every key type.
#pragma once

#include <sortile/error.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <type_traits>

#include <fmt/format.h>

namespace sortile::files {

/// n elements of unspecified contents. Move-only. \throws out_of_memory naming the bytes
template <class T>
class raw_array {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  raw_array() = default;
  explicit raw_array(std::size_t n) : size_(n) {
    std::size_t bytes = 0;
    if (!__builtin_mul_overflow(n, sizeof(T), &bytes) && bytes < SIZE_MAX - 63)
      memory_.reset(static_cast<T*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64 + (bytes == 0 ? 64 : 0))));
    if (!memory_)
      throw out_of_memory(fmt::format("no memory for {} elements of {} bytes", n, sizeof(T)));
  }

  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }

private:
  struct release {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, release> memory_;
  std::size_t size_ = 0;
};

} // namespace sortile::files
