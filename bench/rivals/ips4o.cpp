// ips4o (Axtmann, Witt, Ferizovic, Sanders 2017), in its sequential and parallel forms.
#include "bench/rivals/rival.hpp"

#include <ips4o.hpp>

namespace sortile::bench {

namespace {

struct by_ips4o {
  template <class T>
  static void sort(T* begin, T* end, unsigned) {
    ips4o::sort(begin, end, std::less<>());
  }
};

struct by_parallel_ips4o {
  template <class T>
  static void sort(T* begin, T* end, unsigned threads) {
    ips4o::parallel::sort(begin, end, std::less<>(), static_cast<int>(threads));
  }
};

} // namespace

std::vector<rival> ips4o_rivals() {
  return {rival_of<by_ips4o>("ips4o", false, false), rival_of<by_parallel_ips4o>("ips4o parallel", false, true)};
}

} // namespace sortile::bench
