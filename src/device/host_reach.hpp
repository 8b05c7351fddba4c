// Whether the host can read an array: a pointer into a GPU's memory that is taken for a host pointer would fault
// somewhere in a sort, so the front door asks first.
#pragma once

namespace sortile::device {

/// Whether this process has loaded a driver: without one there is no such memory. Loads none.
bool has_driver() noexcept;

/// A word that is null for as long as this process is known to have no driver. Null where no word tells.
void** word_of_a_driver() noexcept;

/// Whether the array lies in memory of a GPU that the host cannot read. Managed and pinned memory is the host's too.
/// False where that is not known for sure. Asks the driver.
bool is_out_of_reach(const void* array) noexcept;

} // namespace sortile::device
