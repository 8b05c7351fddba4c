// The standard library's sorts.
#include "bench/rivals/rival.hpp"

#include <algorithm>

namespace sortile::bench {

namespace {

struct by_std_sort {
  template <class T>
  static void sort(T* begin, T* end, unsigned) {
    std::sort(begin, end);
  }
};

struct by_std_stable_sort {
  template <class T>
  static void sort(T* begin, T* end, unsigned) {
    std::stable_sort(begin, end);
  }
};

} // namespace

std::vector<rival> standard_rivals() {
  return {rival_of<by_std_sort>("std::sort", false, false),
          rival_of<by_std_stable_sort>("std::stable_sort", true, false)};
}

} // namespace sortile::bench
