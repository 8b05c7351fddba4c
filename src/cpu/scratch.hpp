// Scratch memory for one call: aligned, uninitialised, and on huge pages where it is large.
//
// Up to 8 MiB it is a slot of the process (memory_slots.hpp), and nothing is allocated. What is larger, or finds no
// slot free, comes from the heap, or is mapped by itself:
//
// A sort writes to its scratch in a few hundred to a few thousand streams. With 4 KiB pages each first touch costs a
// page fault (0.2–0.3 s for 400 MB) and each stream a TLB entry; with 2 MiB pages both nearly disappear. So large
// scratch is mapped by itself, aligned to 2 MiB, with advice to use huge pages; the threads that fill it touch it
// first, in parallel. Even that costs as much as a pass over the keys (several passes on virtual machines, where the
// host has to find the pages). So mappings are kept for the next calls, 1 GiB together: release_scratch() gives them
// back. Any two of them differ by more than a factor of four, so that calls of very different lengths by turns find one
// each, and all others together are at most a third of the largest.
#pragma once

#include "cpu/memory_slots.hpp"

#include <sortile/error.hpp>
#include <sortile/options.hpp>

#include <algorithm>
#include <array>
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
/// The mappings that large scratch has left behind. Safe from several threads.
class kept_mappings {
 public:
  static constexpr std::size_t largest = std::size_t{1} << 30; ///< all together

  struct mapping {
    void* base = nullptr;
    std::size_t bytes = 0;
  };

  /// A mapping that serves `bytes`, now the caller's; nothing where none does.
  mapping take(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    for (mapping& m : kept_)
      if (serves(m, bytes))
        return std::exchange(m, {});
    return {};
  }

  /// Of what is kept and `given` the largest ones stay that do not serve each other. The others are unmapped.
  void give(mapping given) noexcept {
    std::array<mapping, places + 1> all{given};
    {
      const std::lock_guard lock(mutex_);
      std::copy(kept_.begin(), kept_.end(), all.begin() + 1);
      kept_ = {};
      std::sort(all.begin(), all.end(), [](const mapping& a, const mapping& b) { return a.bytes > b.bytes; });
      std::size_t kept = 0, bytes = 0;
      for (mapping& m : all)
        if (kept < places && bytes + m.bytes <= largest && (kept == 0 || !serves(kept_[kept - 1], m.bytes))) {
          bytes += m.bytes;
          kept_[kept++] = std::exchange(m, {});
        }
    }
    unmap(all);
  }

  void release() noexcept {
    std::array<mapping, places> released{};
    {
      const std::lock_guard lock(mutex_);
      std::swap(released, kept_);
    }
    unmap(released);
  }

 private:
  static constexpr std::size_t places = 5; ///< of 4 MiB to 1 GiB, more than four times each other, there are four

  /// At least the bytes, and at most four times as many: a much larger mapping would be held for as long as little is
  /// needed, and some scratch is handed out for good.
  static bool serves(const mapping& m, std::size_t bytes) { return m.bytes >= bytes && m.bytes / 4 <= bytes; }

  static void unmap(std::span<const mapping> mappings) {
    for (const mapping& m : mappings)
      if (m.base != nullptr)
        ::munmap(m.base, m.bytes);
  }

  std::mutex mutex_;
  std::array<mapping, places> kept_{};
};

inline constinit kept_mappings kept;
#endif

/// Owns `bytes` of uninitialised memory, aligned to at least workspace_alignment. Movable.
class scratch {
 public:
  /// What outlives the call takes no slot from the calls that come.
  enum class held_for { a_call, longer };

  scratch() = default;

  /// \throws out_of_memory naming the bytes wanted and the purpose.
  explicit scratch(std::size_t bytes, const char* purpose = "the workspace of a sort", held_for time = held_for::a_call)
      : size_(bytes) {
    if (bytes == 0)
      return;
    if (time == held_for::a_call)
      data_ = take_slot(bytes);
    if (data_ == nullptr && !(bytes >= mapped_from ? map() : allocate()))
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
    give_memory(data_);
  }

  std::span<std::byte> bytes() const noexcept {
    return {static_cast<std::byte*>(data_), size_};
  }

 private:
  static constexpr std::size_t mapped_from = std::size_t{4} << 20; // below, malloc mostly keeps the pages
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
    kept_mappings::mapping found = kept.take(wanted + huge_page);
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
  static kept_mappings::mapping map_anew(std::size_t bytes) noexcept {
    const auto try_to = [bytes] {
      return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    };
    void* base = try_to();
    if (base == MAP_FAILED) {
      kept.release();
      base = try_to();
    }
    return base == MAP_FAILED ? kept_mappings::mapping{} : kept_mappings::mapping{base, bytes};
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
  release_slots();
}

} // namespace sortile::cpu
