// Where records begin: numbers of 32 bits, where the text is short enough, else of 64.
#pragma once

#include "files/memory.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::files {

/// n numbers of unspecified values. Move-only.
class record_starts {
 public:
  record_starts() = default;
  /// \param greatest  that is going to be put there
  record_starts(std::size_t n, std::uint64_t greatest)
      : narrow_(greatest <= UINT32_MAX ? n : 0), wide_(greatest <= UINT32_MAX ? 0 : n), size_(n),
        is_narrow_(greatest <= UINT32_MAX) {}

  std::size_t size() const { return size_; }
  std::uint64_t operator[](std::size_t i) const { return is_narrow_ ? narrow_[i] : wide_[i]; }
  void set(std::size_t i, std::uint64_t value) {
    if (is_narrow_)
      narrow_[i] = static_cast<std::uint32_t>(value);
    else
      wide_[i] = value;
  }
  void prefetch(std::size_t i) const { is_narrow_ ? __builtin_prefetch(&narrow_[i]) : __builtin_prefetch(&wide_[i]); }

  /// As the library's sort of strings takes them.
  const void* data() const { return is_narrow_ ? static_cast<const void*>(narrow_.data()) : wide_.data(); }
  std::size_t width() const { return is_narrow_ ? sizeof(std::uint32_t) : sizeof(std::uint64_t); }

 private:
  raw_array<std::uint32_t> narrow_;
  raw_array<std::uint64_t> wide_;
  std::size_t size_ = 0;
  bool is_narrow_ = false;
};

} // namespace sortile::files
