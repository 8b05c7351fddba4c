// Slots of one mapping; see the header.
#include "cpu/memory_slots.hpp"

#include <sortile/options.hpp>

#include <atomic>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || !defined(__linux__)
#define SORTILE_HEAP_ALONE
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SORTILE_HEAP_ALONE
#endif
#endif

#if !defined(SORTILE_HEAP_ALONE)
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace sortile::cpu {

#if defined(SORTILE_HEAP_ALONE)

void* take_slot(std::size_t) noexcept {
  return nullptr;
}
bool give_slot(void*) noexcept {
  return false;
}
void release_slots() noexcept {}

#else

namespace {

struct slot_size {
  std::size_t bytes, slots;

  constexpr std::size_t all() const { return bytes * slots; }
};

/// The largest first, since these are aligned best; searched from the last.
constexpr slot_size sizes[] = {{largest_slot, 3},
                               {std::size_t{2} << 20, 8},
                               {std::size_t{512} << 10, 16},
                               {std::size_t{64} << 10, 32},
                               {std::size_t{8} << 10, 32}};
constexpr std::size_t alignment = std::size_t{2} << 20; // of a huge page
constexpr std::size_t huge_from = std::size_t{4} << 20; // of smaller scratch, huge pages would be mostly unused

constexpr std::size_t sum(std::size_t (*of)(const slot_size&)) {
  std::size_t all = 0;
  for (const slot_size& size : sizes)
    all += of(size);
  return all;
}
constexpr std::size_t all_slots = sum([](const slot_size& s) { return s.slots; });
constexpr std::size_t all_bytes = sum([](const slot_size& s) { return s.all(); });

struct alignas(64) flag { // in a cache line of its own
  std::atomic<bool> taken{false};
};
constinit flag flags[all_slots];

std::byte nowhere;
constexpr std::byte* none = &nowhere;                  // where there can be no mapping: nobody tries again
constinit std::atomic<std::byte*> all_memory{nullptr}; // where the first slot begins

/// The mapping, made by the first call of the process that wants a slot. Nothing where there is none.
std::byte* map_slots() noexcept {
  rlimit limit{};
  const bool is_limited = ::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
  constexpr std::size_t bytes = all_bytes + alignment;
  void* const base =
      is_limited ? MAP_FAILED
                 : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  std::byte* mine = none;
  if (base != MAP_FAILED) {
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    mine = reinterpret_cast<std::byte*>((address + alignment - 1) / alignment * alignment);
  }
  std::byte* other = nullptr;
  if (all_memory.compare_exchange_strong(other, mine, std::memory_order_acq_rel))
    return mine;
  if (base != MAP_FAILED)
    ::munmap(base, bytes);
  return other;
}

/// Where the first slot begins; `none` where there are no slots.
std::byte* first_slot() noexcept {
  std::byte* const first = all_memory.load(std::memory_order_acquire);
  return first != nullptr ? first : map_slots();
}

bool take(flag& f) {
  return !f.taken.load(std::memory_order_relaxed) && !f.taken.exchange(true, std::memory_order_acquire);
}

/// Different for the threads of a process, mostly, and mostly the same for a thread.
std::size_t number_of_this_stack() {
  const std::byte here{};
  const std::uint64_t mebibyte = reinterpret_cast<std::uintptr_t>(&here) >> 20;
  return (mebibyte * 0x9e3779b97f4a7c15) >> 32;
}

} // namespace

void* take_slot(std::size_t bytes) noexcept {
  std::byte* const memory = first_slot();
  if (memory == none)
    return nullptr;
  std::byte* end = memory + all_bytes;
  std::size_t behind = all_slots;
  const std::size_t start = number_of_this_stack();
  for (std::size_t s = std::size(sizes); s-- > 0;) {
    const slot_size size = sizes[s];
    std::byte* const begin = end - size.all();
    flag* const first = flags + behind - size.slots;
    for (std::size_t i = 0; bytes <= size.bytes && i < size.slots; ++i) {
      const std::size_t at = (start + i) % size.slots;
      if (!take(first[at]))
        continue;
      std::byte* const taken = begin + at * size.bytes;
      if (bytes >= huge_from)
        ::madvise(taken, size.bytes, MADV_HUGEPAGE); // advice only
      return taken;
    }
    end = begin;
    behind -= size.slots;
  }
  return nullptr;
}

bool give_slot(void* given) noexcept {
  const std::byte* const memory = all_memory.load(std::memory_order_acquire);
  std::size_t offset = reinterpret_cast<std::uintptr_t>(given) - reinterpret_cast<std::uintptr_t>(memory), number = 0;
  if (memory == nullptr || memory == none || offset >= all_bytes)
    return false;
  for (const slot_size& size : sizes) {
    if (offset < size.all()) {
      flags[number + offset / size.bytes].taken.store(false, std::memory_order_release);
      break;
    }
    offset -= size.all();
    number += size.slots;
  }
  return true;
}

void release_slots() noexcept {
  std::byte* begin = all_memory.load(std::memory_order_acquire);
  if (begin == nullptr || begin == none)
    return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  flag* f = flags;
  for (const slot_size& size : sizes)
    for (std::size_t i = 0; i < size.slots; ++i, ++f, begin += size.bytes)
      if (size.bytes % page == 0 && take(*f)) {
        ::madvise(begin, size.bytes, MADV_DONTNEED);
        f->taken.store(false, std::memory_order_release);
      }
}

#endif

void* take_memory(std::size_t bytes) noexcept {
  void* const slot = take_slot(bytes);
  return slot != nullptr ? slot : ::operator new (bytes, std::align_val_t{workspace_alignment}, std::nothrow);
}

void give_memory(void* memory) noexcept {
  if (!give_slot(memory))
    ::operator delete (memory, std::align_val_t{workspace_alignment});
}

} // namespace sortile::cpu
