// Replaced allocation functions, see allocation_hooks.hpp.
#include "tests/faults/allocation_hooks.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<std::size_t> count{0}, total_bytes{0}, count_of_c{0}, live_bytes{0};
std::atomic<long> until_failure{-1};
std::atomic<bool> failed{false};
std::atomic<bool> and_all_further{false};
thread_local bool may_fail_further = false;

/// Whether this allocation is the one to fail; counts it where not.
bool must_fail() {
  if (until_failure.load() >= 0 && until_failure.fetch_sub(1) == 0) {
    failed = true;
    return true;
  }
  return failed && and_all_further && may_fail_further;
}

void note(std::size_t bytes) {
  ++count;
  total_bytes += bytes;
  live_bytes += bytes;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (must_fail())
    return nullptr;
  void* p = nullptr;
  if (posix_memalign(&p, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes == 0 ? 1 : bytes) != 0)
    return nullptr;
  note(malloc_usable_size(p));
  return p;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* p = allocate(bytes, alignment);
  if (p == nullptr)
    throw std::bad_alloc();
  return p;
}

void release(void* p) {
  if (p != nullptr)
    live_bytes -= malloc_usable_size(p);
  std::free(p);
}

constexpr std::size_t plain = alignof(std::max_align_t);

} // namespace

void* operator new(std::size_t bytes) {
  return allocate_or_throw(bytes, plain);
}
void* operator new[](std::size_t bytes) {
  return allocate_or_throw(bytes, plain);
}
void* operator new(std::size_t bytes, std::align_val_t a) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(a));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, plain);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, plain);
}
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept {
  release(p);
}
void operator delete[](void* p) noexcept {
  release(p);
}
void operator delete(void* p, std::size_t) noexcept {
  release(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  release(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  release(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  release(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  release(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  release(p);
}

#if defined(__GLIBC__)
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t n, std::size_t bytes);
void* __libc_realloc(void* p, std::size_t bytes);

void* malloc(std::size_t bytes) {
  ++count_of_c;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t n, std::size_t bytes) {
  ++count_of_c;
  return __libc_calloc(n, bytes);
}
void* realloc(void* p, std::size_t bytes) {
  ++count_of_c;
  return __libc_realloc(p, bytes);
}
}
#endif

extern "C" void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  if (must_fail()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* p = reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
  if (p != MAP_FAILED)
    note(bytes);
  return p;
}

extern "C" int munmap(void* address, std::size_t bytes) noexcept {
  const long result = syscall(SYS_munmap, address, bytes);
  if (result == 0)
    live_bytes -= bytes;
  return static_cast<int>(result);
}

namespace sortile::testing {

allocation_count allocations_so_far() {
  return {count, total_bytes, count_of_c, live_bytes};
}

void fail_allocation(long countdown) {
  and_all_further = false;
  failed = false;
  until_failure = countdown;
}

void fail_allocations_from(long countdown) {
  fail_allocation(-1);
  may_fail_further = true;
  and_all_further = true;
  until_failure = countdown;
}

bool allocation_has_failed() {
  return failed;
}

} // namespace sortile::testing
