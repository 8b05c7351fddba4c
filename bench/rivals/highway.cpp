// Highway's vqsort. Version 1.0.3 loses NaNs from float arrays, so floats are given to it as integer images, made and
// undone inside the measured time (two light passes).
#include "bench/rivals/rival.hpp"

#include <hwy/contrib/sort/vqsort.h>
#include <limits>

namespace sortile::bench {

namespace {

template <class T>
void sort_as(void* elements, std::size_t n, unsigned) {
  hwy::Sorter()(static_cast<T*>(elements), n, hwy::SortAscending());
}

/// −0 and +0 are different images here, which a race on keys without them does not see.
template <class Image>
void sort_floats(void* elements, std::size_t n, unsigned threads) {
  auto* images = static_cast<Image*>(elements);
  const auto flip = [&] {
    for (std::size_t i = 0; i < n; ++i)
      images[i] ^= images[i] >> (8 * sizeof(Image) - 1) & std::numeric_limits<Image>::max();
  };
  flip();
  sort_as<Image>(elements, n, threads);
  flip();
}

} // namespace

std::vector<rival> highway_rivals() {
  return {{"hwy vqsort",
           false,
           false,
           {sort_as<std::uint32_t>, sort_as<std::uint64_t>, sort_floats<std::int32_t>, sort_floats<std::int64_t>,
            sort_as<hwy::K32V32>, nullptr, sort_as<hwy::K64V64>}}};
}

} // namespace sortile::bench
