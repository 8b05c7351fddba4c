// The map by distribution (key_scan/key_map.hpp) as the sort of pairs uses it: skewed keys fill its buckets evenly.
//
//   number   what is mapped of a key: an integer's image; of a float its y (key_spread.hpp), which is even over the
//            sample's interval where the sort divides it by value
//   y        twice the number's place on the map
//
// Below a bucket's own bits y says nothing more: keys of a bucket lie nearly evenly in the interval of images that the
// bucket stands for, and the local step divides that (drawn_map.hpp).
#pragma once

#include "kernels/key_scan/key_map.hpp"
#include "kernels/key_scan/map_center.hpp"
#include "kernels/pairs/key_spread.hpp"
#include "kernels/pairs/sort_pairs.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image>
struct map_numbers {
  static constexpr bool of_integers = std::is_same_v<Image, integer_image<Word>>;
  using number = std::conditional_t<of_integers, Word, std::uint32_t>;
  using map = key_map<number>;

  /// Parts of the sample that the map is drawn from, each counted by one block: 2^14 keys each at most.
  static SORTILE_HOST_DEVICE unsigned rows(unsigned sample_bits) {
    return sample_bits > 18 ? detail::pair_map_rows : detail::pair_map_rows / 4;
  }
  static_assert(map::cells <= detail::pair_map_cells<Word>);

  Image image;
  key_spread<Word, Image> keys;

  SORTILE_DEVICE number operator()(Word key) const {
    if constexpr (of_integers)
      return image.image(key);
    else
      return keys.y(image, key);
  }
  /// Of the key of this image, or of one that would stand there.
  SORTILE_DEVICE number of_image(Word v) const {
    if constexpr (of_integers)
      return v;
    else
      return keys.y_of_image(image, v);
  }
};

/// Digits of y by the map.
template <class Word, class Image>
struct mapped_digits {
  using numbers = map_numbers<Word, Image>;

  numbers number;
  typename numbers::number center;
  simt::shared_view<std::uint32_t> map;
  unsigned shift; // 1 at least
  std::uint32_t mask;

  SORTILE_DEVICE std::uint32_t operator()(Word key) const {
    return numbers::map::spread(map, center, number(key)) >> (shift - 1) & mask;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
