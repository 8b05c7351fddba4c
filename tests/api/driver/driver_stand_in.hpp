// What a test tells the library that stands in for the driver.
#pragma once

#include <cstddef>

namespace sortile::testing {
enum class memory_kind { device, managed, pinned };
}

extern "C" void stand_in_say(const void* begin, std::size_t bytes, sortile::testing::memory_kind kind);
