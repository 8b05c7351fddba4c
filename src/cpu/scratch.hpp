// Scratch memory for one call: aligned, uninitialised, and on huge pages where it is large.
//
// A sort writes all over its scratch in a few hundred to a few thousand streams. With 4 KiB pages each first touch
// costs a page fault (0.2–0.3 s for 400 MB) and each stream a TLB entry; with 2 MiB pages both nearly disappear. So
// large scratch is mapped by itself, aligned to 2 MiB, and advised to be huge; the threads that fill it touch it first,
// side by side.
#pragma once

#include <sortile/error.hpp>
#include <sortile/options.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace sortile::cpu {

/// What out_of_memory says where `bytes` could not be had.
[[noreturn]] inline void throw_out_of_memory(std::size_t bytes, const char* purpose) {
  throw out_of_memory("out of memory: " + std::to_string(bytes) + " bytes wanted for " + purpose);
}

/// Owns `bytes` of uninitialised memory, aligned to at least workspace_alignment. Movable.
class scratch {
 public:
  scratch() = default;

  /// \throws out_of_memory naming the bytes wanted and the purpose.
  explicit scratch(std::size_t bytes, const char* purpose = "the workspace of a sort") : size_(bytes) {
    if (bytes == 0)
      return;
    if (!(bytes >= mapped_from ? map() : allocate()))
      throw_out_of_memory(bytes, purpose);
  }
  scratch(scratch&& other) noexcept { swap(other); }
  scratch& operator=(scratch&& other) noexcept {
    scratch(std::move(other)).swap(*this);
    return *this;
  }
  ~scratch() {
#if defined(__linux__)
    if (mapping_ != nullptr) {
      ::munmap(mapping_, mapping_bytes_);
      return;
    }
#endif
    ::operator delete (data_, std::align_val_t{workspace_alignment});
  }

  std::span<std::byte> bytes() const noexcept {
    return {static_cast<std::byte*>(data_), size_};
  }

 private:
  static constexpr std::size_t mapped_from = std::size_t{32} << 20; // below, malloc keeps the pages from call to call
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  bool allocate() noexcept {
    data_ = ::operator new (size_, std::align_val_t{workspace_alignment}, std::nothrow);
    return data_ != nullptr;
  }

  bool map() noexcept {
#if defined(__linux__)
    if (size_ > SIZE_MAX - 2 * huge_page)
      return false;
    const std::size_t wanted = (size_ + huge_page - 1) / huge_page * huge_page;
    void* base = ::mmap(nullptr, wanted + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
      return false;
    mapping_ = base;
    mapping_bytes_ = wanted + huge_page;
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    data_ = reinterpret_cast<void*>((address + huge_page - 1) / huge_page * huge_page);
    ::madvise(data_, wanted, MADV_HUGEPAGE); // advice only: where it is refused, small pages do
    return true;
#else
    return allocate();
#endif
  }

  void swap(scratch& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(mapping_, other.mapping_);
    std::swap(mapping_bytes_, other.mapping_bytes_);
  }

  void* data_ = nullptr;
  std::size_t size_ = 0;
  void* mapping_ = nullptr; // what munmap gets back; null where the heap gave the memory
  std::size_t mapping_bytes_ = 0;
};

} // namespace sortile::cpu
