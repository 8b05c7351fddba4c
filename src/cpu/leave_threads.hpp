// For threads that stop for ever within a call, as Python's may while the process ends.
#pragma once

namespace sortile::cpu {

/// The end of the program no longer waits for the CPU engine's threads, of which some may wait for such a one.
void leave_threads();

} // namespace sortile::cpu
