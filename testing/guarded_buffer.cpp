// Red zones, see guarded_buffer.hpp.
#include "testing/guarded_buffer.hpp"

#include "testing/workloads.hpp"

#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace sortile::testing {

namespace {

constexpr std::uint64_t zone_seed = 0x7265647a6f6e65; // "redzone"

std::byte zone_pattern(std::size_t i) {
  return static_cast<std::byte>(random_bits(zone_seed, i));
}

constexpr std::size_t boundary = 128;

/// The first address at or after p on a boundary, plus the offset.
std::byte* aligned_start(std::byte* p, std::size_t offset) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  return p + ((boundary - address % boundary) % boundary) + offset;
}

constexpr array_memory heap{[](std::size_t bytes) { return ::operator new(bytes); },
                            [](void* memory) { ::operator delete(memory); }, [] {}};

} // namespace

guarded_buffer::guarded_buffer(std::size_t bytes, std::size_t offset, std::uint64_t seed, const array_memory* where)
    : storage_(static_cast<std::byte*>((where == nullptr ? heap : *where).allocate(bytes + 2 * zone + boundary + offset)),
               (where == nullptr ? heap : *where).release),
      data_(aligned_start(storage_.get() + zone, offset)), size_(bytes) {
  for (std::size_t i = 0; i < 2 * zone; ++i)
    *zone_byte(i) = zone_pattern(i);
  poison(seed);
  guard(true);
}

guarded_buffer::guarded_buffer(guarded_buffer&& other) noexcept
    : storage_(std::move(other.storage_)), data_(other.data_), size_(other.size_) {}

guarded_buffer::~guarded_buffer() {
  if (storage_ != nullptr)
    guard(false);
}

guarded_buffer guarded_buffer::copy_of(const void* source, std::size_t bytes, std::size_t offset) {
  guarded_buffer buffer(bytes, offset);
  if (bytes != 0)
    std::memcpy(buffer.data_, source, bytes);
  return buffer;
}

void guarded_buffer::poison(std::uint64_t seed) {
  std::size_t i = 0;
  for (; i + 8 <= size_; i += 8) {
    const std::uint64_t word = random_bits(seed, i);
    std::memcpy(data_ + i, &word, 8);
  }
  for (; i < size_; ++i)
    data_[i] = static_cast<std::byte>(random_bits(seed, i));
}

std::string guarded_buffer::damage() const {
  guard(false);
  std::string complaint;
  for (std::size_t i = 0; i < 2 * zone && complaint.empty(); ++i)
    if (*zone_byte(i) != zone_pattern(i))
      complaint = i < zone ? "byte " + std::to_string(zone - i) + " before the buffer of " + std::to_string(size_) +
                                 " was overwritten"
                           : "byte " + std::to_string(i - zone) + " after the buffer of " + std::to_string(size_) +
                                 " was overwritten";
  guard(true);
  return complaint;
}

void guarded_buffer::guard([[maybe_unused]] bool forbidden) const {
#if defined(__SANITIZE_ADDRESS__)
  if (forbidden) {
    __asan_poison_memory_region(data_ - zone, zone);
    __asan_poison_memory_region(data_ + size_, zone);
  } else {
    __asan_unpoison_memory_region(data_ - zone, zone);
    __asan_unpoison_memory_region(data_ + size_, zone);
  }
#endif
}

} // namespace sortile::testing
