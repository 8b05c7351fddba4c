// See warm_memory.hpp.
#include "bench/warm_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

namespace sortile::bench {

namespace {

std::size_t element_bytes(shape s) {
  static constexpr std::size_t bytes[] = {4, 8, 4, 8, 12, 16};
  return bytes[static_cast<std::size_t>(s)];
}

} // namespace

void warm_memory(const std::vector<row_spec>& rows) {
  constexpr std::size_t copies = 12, page = 4096, huge_page = std::size_t{2} << 20;
  std::size_t bytes = huge_page;
  for (const row_spec& r : rows)
    bytes = std::max(bytes, copies * r.n * element_bytes(r.shape) / huge_page * huge_page);
  void* memory = std::aligned_alloc(huge_page, bytes);
  if (memory == nullptr)
    return;
  madvise(memory, bytes, MADV_HUGEPAGE);
  for (std::size_t i = 0; i < bytes; i += page)
    static_cast<volatile char*>(memory)[i] = 1;
  std::free(memory);
}

} // namespace sortile::bench
