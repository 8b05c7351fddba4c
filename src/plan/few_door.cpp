// When calls on few keys may do without the library; see the header.
#include "plan/few_door.hpp"

#include "cpu/atomic_view.hpp"
#include "device/host_reach.hpp"

#include <sortile/few.hpp>

namespace sortile::detail {

namespace {
void* undecided = &undecided;
void* shut = &shut; // where no word tells of drivers
} // namespace

void** few_door = &undecided;

void decide_few_door() noexcept {
  const cpu::atomic_view door(few_door);
  if (door.load(std::memory_order_relaxed) != &undecided)
    return;
  void** const word = device::word_of_a_driver();
  door.store(word != nullptr ? word : &shut, std::memory_order_relaxed);
}

} // namespace sortile::detail
