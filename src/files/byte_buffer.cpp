// See byte_buffer.hpp.
#include "files/byte_buffer.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>

namespace sortile::files {

namespace {

constexpr std::size_t page = std::size_t{1} << 12;
constexpr std::size_t huge_page = std::size_t{1} << 21;

} // namespace

byte_buffer::~byte_buffer() {
  if (data_ != nullptr && !pages_)
    ::munmap(data_, capacity_);
}

void byte_buffer::reserve(std::size_t size, std::string_view what) {
  if (size <= capacity_)
    return;
  const std::size_t unit = size >= 2 * huge_page ? huge_page : page;
  const std::size_t wanted = size > SIZE_MAX - unit ? 0 : (size + unit - 1) / unit * unit;
  void* memory = MAP_FAILED;
  if (wanted != 0 && (data_ == nullptr || pages_))
    memory = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  else if (wanted != 0)
    memory = ::mremap(data_, capacity_, wanted, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED)
    throw out_of_memory(fmt::format("{}: {} bytes of memory are not to be had for it", what, size));
  if (pages_) {
    std::memcpy(memory, data_, size_);
    pages_ = {};
  }
  data_ = static_cast<char*>(memory);
  capacity_ = wanted;
#ifdef MADV_HUGEPAGE
  if (unit == huge_page)
    ::madvise(data_, capacity_, MADV_HUGEPAGE); // only advice: without it the pages are small
#endif
}

} // namespace sortile::files
