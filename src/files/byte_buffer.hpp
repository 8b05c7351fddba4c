// Bytes that grow at their end, for inputs whose size is not known beforehand.
//
// The memory is pages of the system's own, so that growing moves pages rather than bytes; they are huge where there is
// much of them, because a sort fetches records from all over its text. Or they are those of a file, where that can be
// (leased_pages.hpp), until more room is needed.
#pragma once

#include "files/leased_pages.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace sortile::files {

/// Move-only; views stay valid through moves, not through growth.
class byte_buffer {
 public:
  byte_buffer() = default;
  byte_buffer(byte_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)), pages_(std::move(other.pages_)) {}
  explicit byte_buffer(leased_pages pages)
      : data_(pages.data()), size_(pages.size()), capacity_(pages.capacity()), pages_(std::move(pages)) {}
  byte_buffer& operator=(byte_buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(pages_, other.pages_);
    return *this;
  }
  ~byte_buffer();

  std::size_t size() const { return size_; }
  std::string_view bytes() const { return {data_, size_}; }

  /// Whether they are a file's, to be read alone.
  bool holds_pages() const { return static_cast<bool>(pages_); }

  /// Memory for `size` bytes in all. \throws out_of_memory naming `what` the bytes are of
  void reserve(std::size_t size, std::string_view what);
  /// Where the next bytes go, and how many fit.
  char* end() { return data_ + size_; }
  std::size_t room() const { return capacity_ - size_; }
  /// Takes in `size` bytes that were put at end().
  void grow(std::size_t size) { size_ += size; }
  /// Forgets all but the first `size` bytes.
  void shrink(std::size_t size) { size_ = size; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  leased_pages pages_; // whose memory it is, where there are any
};

} // namespace sortile::files
