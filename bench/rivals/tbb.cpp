// oneTBB's parallel_sort, and the standard library's parallel sorts, which run on oneTBB here.
#include "bench/rivals/rival.hpp"

#include <algorithm>
#include <execution>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>

namespace sortile::bench {

namespace {

struct by_parallel_sort {
  template <class T>
  static void sort(T* begin, T* end, unsigned threads) {
    tbb::task_arena(static_cast<int>(threads)).execute([&] { tbb::parallel_sort(begin, end); });
  }
};

struct by_std_sort_par {
  template <class T>
  static void sort(T* begin, T* end, unsigned threads) {
    tbb::task_arena(static_cast<int>(threads)).execute([&] { std::sort(std::execution::par, begin, end); });
  }
};

} // namespace

std::vector<rival> tbb_rivals() {
  return {rival_of<by_parallel_sort>("tbb::parallel_sort", false, true),
          rival_of<by_std_sort_par>("std::sort(par)", false, true)};
}

} // namespace sortile::bench
