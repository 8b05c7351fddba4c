// Memory for the time of a short call.
#pragma once

#include "cpu/memory_slots.hpp"

#include <cstddef>
#include <span>

namespace sortile::cpu {

/// Few bytes are on the stack, more a slot's or the heap's.
class short_room {
 public:
  explicit short_room(std::size_t bytes) : memory_(bytes > sizeof own_ ? take_memory(bytes) : nullptr), bytes_(bytes) {}
  short_room(const short_room&) = delete;
  short_room& operator=(const short_room&) = delete;
  ~short_room() {
    if (memory_ != nullptr)
      give_memory(memory_);
  }
  /// Empty where there is none.
  std::span<std::byte> get() {
    if (bytes_ <= sizeof own_)
      return own_;
    return {static_cast<std::byte*>(memory_), memory_ != nullptr ? bytes_ : 0};
  }

 private:
  alignas(64) std::byte own_[16384];
  void* memory_;
  std::size_t bytes_;
};

} // namespace sortile::cpu
