// pdqsort (Peters 2021): the branchless form, which it chooses for numbers by itself.
#include "bench/rivals/rival.hpp"

#include <pdqsort.h>

namespace sortile::bench {

namespace {

struct by_pdqsort {
  template <class T>
  static void sort(T* begin, T* end, unsigned) {
    pdqsort_branchless(begin, end);
  }
};

} // namespace

std::vector<rival> pdqsort_rivals() {
  return {rival_of<by_pdqsort>("pdqsort", false, false)};
}

} // namespace sortile::bench
