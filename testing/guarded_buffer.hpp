// A buffer with red zones around it, a poisoned inside and a start that is as badly aligned as is allowed.
//
// Whoever writes outside is found by damage(); under AddressSanitizer whoever reads outside is found at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace sortile::testing {

/// Where arrays of a test lie, if not on the heap: memory that the host can read and write too.
struct array_memory {
  void* (*allocate)(std::size_t bytes);
  void (*release)(void* memory);
  void (*finish)(); ///< waits for the device, so that the host may look
};

class guarded_buffer {
 public:
  /// `bytes` bytes that begin `offset` bytes after a 128-byte boundary, filled with a pattern of the seed. An offset of
  /// one element is the worst start that a type of that size allows. `where` null: on the heap.
  explicit guarded_buffer(std::size_t bytes, std::size_t offset = 0, std::uint64_t seed = 0,
                          const array_memory* where = nullptr);
  guarded_buffer(guarded_buffer&& other) noexcept;
  guarded_buffer& operator=(guarded_buffer&&) = delete;
  ~guarded_buffer();

  /// A copy of other memory, guarded.
  static guarded_buffer copy_of(const void* source, std::size_t bytes, std::size_t offset = 0);

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<std::byte> bytes() { return {data_, size_}; }

  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data_), size_ / sizeof(T)};
  }

  /// Fills the inside with a pattern of the seed, so that nothing can depend on what was there.
  void poison(std::uint64_t seed);

  /// Empty where both red zones are as they were made; else which byte was overwritten.
  std::string damage() const;

 private:
  static constexpr std::size_t zone = 1024;
  void guard(bool forbidden) const;
  std::byte* zone_byte(std::size_t i) const { return i < zone ? data_ - zone + i : data_ + size_ + (i - zone); }

  std::unique_ptr<std::byte, void (*)(void*)> storage_;
  std::byte* data_;
  std::size_t size_;
};

} // namespace sortile::testing
