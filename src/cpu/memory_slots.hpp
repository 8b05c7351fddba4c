// Memory for the time of a call that does not come from the heap: slots of one mapping, which short calls share.
//
// Idea: a short sort needs some KB to some MB for some microseconds. The heap gives them, but may take a lock, a page
// fault for each page that it has given back since, and from a thread that calls for the first time an arena. Here one
// mapping stays: its pages cost nothing until they are touched, and then once in a process. It is cut into slots:
//
//     bytes of a slot   8 KiB   64 KiB   512 KiB   2 MiB   8 MiB
//     slots                32       32        16       8       3        50 MiB of addresses
//
// A slot is taken by an exchange of its flag and given back by a store: no lock, so nothing waits, and a fork at any
// time leaves a child that works (what another thread had taken stays taken there). What finds no free slot, or is
// larger, comes from the heap. So does everything where the addresses of the process are limited (ulimit -v), and under
// AddressSanitizer, which knows the ends of what the heap gives. Threads begin their search at different slots, by
// where their stacks lie, so that they seldom meet at a flag.
//
// What has been touched stays resident until release_slots().
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace sortile::cpu {

/// Above this many bytes there is no slot.
inline constexpr std::size_t largest_slot = std::size_t{8} << 20;

// Exported: the libraries of further engines share the slots of this one.
/// A free slot of at least so many bytes, aligned to workspace_alignment, from 4 MiB on to 2 MiB; null: none is free.
[[gnu::visibility("default")]] void* take_slot(std::size_t bytes) noexcept;
/// Whether this was a slot: it is free now.
[[gnu::visibility("default")]] bool give_slot(void* memory) noexcept;
/// Gives the pages of all slots that are free back to the system.
[[gnu::visibility("default")]] void release_slots() noexcept;

/// A slot, or of the heap; null: there is no memory.
void* take_memory(std::size_t bytes) noexcept;
void give_memory(void* memory) noexcept;

/// For containers that live no longer than a call.
template <class T>
struct call_allocator {
  using value_type = T;

  call_allocator() = default;
  template <class U>
  call_allocator(const call_allocator<U>&) noexcept {}

  T* allocate(std::size_t n) {
    void* const memory =
        n <= std::numeric_limits<std::size_t>::max() / sizeof(T) ? take_memory(n * sizeof(T)) : nullptr;
    if (memory == nullptr)
      throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { give_memory(memory); }

  bool operator==(const call_allocator&) const = default;
};

template <class T>
using call_vector = std::vector<T, call_allocator<T>>;

} // namespace sortile::cpu
