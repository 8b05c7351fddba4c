// Takes all memory that the library has beside the heap, so that its calls allocate.
#pragma once

#include "cpu/memory_slots.hpp"

#include <vector>

namespace sortile::testing {

class all_slots_taken {
 public:
  all_slots_taken() {
    while (void* const slot = cpu::take_slot(1))
      slots_.push_back(slot);
  }
  all_slots_taken(const all_slots_taken&) = delete;
  all_slots_taken& operator=(const all_slots_taken&) = delete;
  ~all_slots_taken() {
    for (void* const slot : slots_)
      cpu::give_slot(slot);
  }

 private:
  std::vector<void*> slots_;
};

} // namespace sortile::testing
