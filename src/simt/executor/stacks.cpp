// The pool of fiber stacks.
#include "simt/executor/stacks.hpp"

#include <cstdint>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace sortile::executor {
namespace {
constexpr std::size_t page = 4096, stacks_a_slab = 64, max_guarded = 8192;
constexpr std::uint64_t canary = 0x5eed57ac4b07703dull;
} // namespace

stack_pool& stack_pool::instance() {
  static stack_pool pool;
  return pool;
}

stack_pool::size_class& stack_pool::class_of(std::size_t bytes) {
  for (size_class& c : classes_)
    if (c.bytes == bytes)
      return c;
  return classes_.emplace_back(size_class{bytes, {}});
}

void stack_pool::grow(size_class& c) {
  void* slab = mmap(nullptr, c.bytes * stacks_a_slab, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slab == MAP_FAILED)
    throw std::bad_alloc();
  for (std::size_t i = 0; i < stacks_a_slab; ++i) {
    char* low = static_cast<char*>(slab) + i * c.bytes;
    if (guarded_ < max_guarded && mprotect(low, page, PROT_NONE) == 0)
      ++guarded_;
    std::memcpy(low + page, &canary, sizeof canary);
    c.free.push_back(low + page);
  }
}

char* stack_pool::take(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  size_class& c = class_of(bytes);
  if (c.free.empty())
    grow(c);
  char* low = c.free.back();
  c.free.pop_back();
  return low;
}

void stack_pool::give(char* low, std::size_t bytes) {
  std::memcpy(low, &canary, sizeof canary);
  std::lock_guard lock(mutex_);
  class_of(bytes).free.push_back(low);
}

bool stack_pool::canary_alive(const char* low) {
  return std::memcmp(low, &canary, sizeof canary) == 0;
}

std::size_t stack_pool::stagger(const char* low, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(low) / bytes % 29 * 192;
}

} // namespace sortile::executor
