// A library that goes by the driver's name and answers the one question that sortile asks a driver of a pointer. What
// lies where is what the test has said.
#include "tests/api/driver/driver_stand_in.hpp"

#include <cstdint>
#include <vector>

namespace {

struct piece {
  std::uintptr_t begin, end;
  sortile::testing::memory_kind kind;
};
std::vector<piece> pieces;

} // namespace

extern "C" {

void stand_in_say(const void* begin, std::size_t bytes, sortile::testing::memory_kind kind) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  pieces.push_back({address, address + bytes, kind});
}

/// As the driver's: CU_POINTER_ATTRIBUTE_MEMORY_TYPE (2), HOST_POINTER (4) and IS_MANAGED (8); zeros of other memory.
int cuPointerGetAttributes(unsigned count, int* which, void** answers, unsigned long long pointer) {
  using sortile::testing::memory_kind;
  const piece* in = nullptr;
  for (const piece& p : pieces)
    if (p.begin <= pointer && pointer < p.end)
      in = &p;
  for (unsigned i = 0; i < count; ++i)
    switch (which[i]) {
    case 2: // CU_MEMORYTYPE_HOST is 1, CU_MEMORYTYPE_DEVICE 2
      *static_cast<unsigned*>(answers[i]) = in == nullptr ? 0 : in->kind == memory_kind::pinned ? 1 : 2;
      break;
    case 4:
      *static_cast<const void**>(answers[i]) =
          in == nullptr || in->kind == memory_kind::device ? nullptr : reinterpret_cast<const void*>(pointer);
      break;
    case 8:
      *static_cast<unsigned*>(answers[i]) = in != nullptr && in->kind == memory_kind::managed ? 1 : 0;
      break;
    default:
      return 1; // CUDA_ERROR_INVALID_VALUE
    }
  return 0;
}
}
