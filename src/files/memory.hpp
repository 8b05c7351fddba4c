// Large arrays that are about to be overwritten: not cleared first, aligned for every key type, and on huge pages where
// they are large, since first touches of small pages would cost more than what is done with them.
#pragma once

#include <sortile/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <type_traits>

#include <fmt/format.h>
#include <sys/mman.h>

namespace sortile::files {

/// n elements of unspecified contents. Move-only. \throws out_of_memory naming the bytes
template <class T>
class raw_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  raw_array() = default;
  explicit raw_array(std::size_t n) : size_(n) {
    std::size_t bytes = 0;
    if (!__builtin_mul_overflow(n, sizeof(T), &bytes) && bytes < SIZE_MAX / 2)
      memory_.reset(static_cast<T*>(allocate(bytes)));
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

  /// The first n elements are those that count; the memory stays.
  void keep_first(std::size_t n) { size_ = std::min(size_, n); }

 private:
  static void* allocate(std::size_t bytes) {
    constexpr std::size_t huge_page = std::size_t{1} << 21;
    const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : 64;
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded);
#ifdef MADV_HUGEPAGE
    if (memory != nullptr && alignment == huge_page)
      ::madvise(memory, rounded, MADV_HUGEPAGE); // only advice: without it the pages are small
#endif
    return memory;
  }

  struct release {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, release> memory_;
  std::size_t size_ = 0;
};

} // namespace sortile::files
