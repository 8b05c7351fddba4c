// Boost.Sort: block_indirect_sort, parallel_stable_sort, spreadsort.
#include "bench/rivals/rival.hpp"

#include <boost/sort/sort.hpp>

namespace sortile::bench {

namespace {

struct by_block_indirect_sort {
  template <class T>
  static void sort(T* begin, T* end, unsigned threads) {
    boost::sort::block_indirect_sort(begin, end, threads);
  }
};

struct by_parallel_stable_sort {
  template <class T>
  static void sort(T* begin, T* end, unsigned threads) {
    boost::sort::parallel_stable_sort(begin, end, threads);
  }
};

struct by_spreadsort {
  template <class T>
  requires std::is_arithmetic_v<T>
  static void sort(T* begin, T* end, unsigned) {
    if constexpr (std::is_integral_v<T>)
      boost::sort::spreadsort::integer_sort(begin, end);
    else
      boost::sort::spreadsort::float_sort(begin, end);
  }
  template <class Key, class Value>
  static void sort(pair_of<Key, Value>* begin, pair_of<Key, Value>* end, unsigned) {
    boost::sort::spreadsort::integer_sort(begin, end,
                                          [](const auto& pair, unsigned shift) { return pair.key >> shift; });
  }
};

} // namespace

std::vector<rival> boost_rivals() {
  return {rival_of<by_block_indirect_sort>("boost block_indirect_sort", false, true),
          rival_of<by_parallel_stable_sort>("boost parallel_stable_sort", true, true),
          rival_of<by_spreadsort>("boost spreadsort", false, false)};
}

} // namespace sortile::bench
