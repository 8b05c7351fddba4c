// Scratch memory for one call: aligned, uninitialised, and on huge pages where it is large.
//
// A sort writes to its scratch in a few hundred to a few thousand streams. With 4 KiB pages each first touch costs a
// page fault (0.2–0.3 s for 400 MB) and each stream a TLB entry; with 2 MiB pages both nearly disappear. So large
// scratch is mapped by itself, aligned to 2 MiB, with advice to use huge pages; the threads that fill it touch it
// first, in parallel. Even that costs as much as a pass over the keys (several passes on virtual machines, where the
// host has to find the pages). So one mapping of up to 1 GiB is kept for the next call: release_scratch() gives it
// back.
#pragma once

#include <sortile/error.hpp>
#include <sortile/options.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
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

#if defined(__linux__)
/// The mapping that the last large scratch left behind, at most one in the process. Safe from several threads.
class kept_mapping {
 public:
  static constexpr std::size_t largest = std::size_t{1} << 30;

  struct mapping {
    void* base = nullptr;
    std::size_t bytes = 0;
  };

  /// A mapping of at least `bytes` and at most four times that, now the caller's; nothing where none is kept that fits.
  /// A much larger one would be held for as long as little is needed, and some scratch is handed out for good.
  mapping take(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    const bool fits = kept_.bytes >= bytes && kept_.bytes / 4 <= bytes;
    return fits ? std::exchange(kept_, {}) : mapping{};
  }

  /// Keeps the larger of `given` and what is kept, unmaps the other.
  void give(mapping given) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (given.bytes <= largest && given.bytes > kept_.bytes)
        std::swap(given, kept_);
    }
    if (given.base != nullptr)
      ::munmap(given.base, given.bytes);
  }

  void release() noexcept {
    mapping released;
    {
      const std::lock_guard lock(mutex_);
      std::swap(released, kept_);
    }
    if (released.base != nullptr)
      ::munmap(released.base, released.bytes);
  }

 private:
  std::mutex mutex_;
  mapping kept_;
};

inline constinit kept_mapping kept;
#endif

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
      kept.give({mapping_, mapping_bytes_});
      return;
    }
#endif
    ::operator delete (data_, std::align_val_t{workspace_alignment});
  }

  std::span<std::byte> bytes() const noexcept {
    return {static_cast<std::byte*>(data_), size_};
  }

 private:
  static constexpr std::size_t mapped_from = std::size_t{4} << 20; // below, malloc mostly keeps the pages between calls
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
    kept_mapping::mapping found = kept.take(wanted + huge_page);
    if (found.base == nullptr)
      found = map_anew(wanted + huge_page);
    if (found.base == nullptr)
      return false;
    mapping_ = found.base;
    mapping_bytes_ = found.bytes;
    const auto address = reinterpret_cast<std::uintptr_t>(found.base);
    data_ = reinterpret_cast<void*>((address + huge_page - 1) / huge_page * huge_page);
    ::madvise(data_, wanted, MADV_HUGEPAGE); // advice only: where it is refused, small pages do
    return true;
#else
    return allocate();
#endif
  }

#if defined(__linux__)
  /// Fresh pages; where there are none left, what is kept is given back first.
  static kept_mapping::mapping map_anew(std::size_t bytes) noexcept {
    const auto try_to = [bytes] {
      return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    };
    void* base = try_to();
    if (base == MAP_FAILED) {
      kept.release();
      base = try_to();
    }
    return base == MAP_FAILED ? kept_mapping::mapping{} : kept_mapping::mapping{base, bytes};
  }
#endif

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

/// Gives back to the system what is kept for the next call.
inline void release_scratch() noexcept {
#if defined(__linux__)
  kept.release();
#endif
}

} // namespace sortile::cpu
