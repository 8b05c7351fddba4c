// A pool of fiber stacks, kept across launches.
//
// Stacks come in slabs of one mapping each. The lowest page of each of the first 8192 stacks is a guard (a process may
// have 65,530 mappings). A canary above it shows an overrun where there is no guard. The tops of stacks are staggered:
// equally aligned, the parts in use would share a few cache sets.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace sortile::executor {

class stack_pool {
 public:
  static stack_pool& instance();
  /// The lowest usable byte of a stack of `bytes`, canary written.
  char* take(std::size_t bytes);
  void give(char* low, std::size_t bytes);
  static bool canary_alive(const char* low);
  /// How far below the end of stack `low` its first frame may start.
  static std::size_t stagger(const char* low, std::size_t bytes);

 private:
  struct size_class {
    std::size_t bytes;
    std::vector<char*> free;
  };
  size_class& class_of(std::size_t bytes);
  void grow(size_class& c);
  std::mutex mutex_;
  std::vector<size_class> classes_;
  std::size_t guarded_ = 0;
};

} // namespace sortile::executor
