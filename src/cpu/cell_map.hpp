// Buckets by a map: the range of a sample is cut evenly into cells, and each of them into as many parts as the sample
// has keys there.
//
// Idea. The highest bits of normal or exponential keys leave a third of them together, but within a 64th of their range
// such keys lie about evenly. So the bucket of a key is found without a search, by a look-up and one multiplication.
//
//     keys      .   .  .. .: ::|:||:|:: :.. ..   .   .
//     cells   [       |       |       |       |       ]     cell = its first bucket, and how many parts it has
//     parts   [       |  |  | |||||||||||||||||   |   ]     bucket = first + distance in the cell · parts / its width
//
// Whether they do lie evenly the sample tells (split_choice.hpp). What is outside of its range goes to the first or the
// last bucket.
//
// Heavy keys that are taken out beforehand (kernels_heavy.ipp) have buckets of their own: each raises the numbers of
// what is above it by two.
#pragma once

#include "cpu/key_image.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sortile::cpu {

template <class K>
struct cell_map {
  static constexpr unsigned cell_bits = 6, part_bits = 16;
  static constexpr std::size_t cells = std::size_t{1} << cell_bits;

  K least = 0, most = 0;                      ///< the least image of the sample, and how far the greatest is from it
  unsigned down = 0, up = 0;                  ///< shifts that make it a number of 32 bits with its highest bit set
  alignas(64) std::uint32_t cell[cells] = {}; ///< the first bucket in the upper half, the parts in the lower one
  std::size_t buckets = 0;

  cell_map() = default;
  /// Of a sorted sample of n ≥ 1 images, with `wanted` buckets at most, more than there are cells.
  cell_map(const K* sample, std::size_t n, std::size_t wanted)
      : least(sample[0]), most(static_cast<K>(sample[n - 1] - sample[0])) {
    const unsigned width = width_of_key(most);
    down = width > 32 ? width - 32 : 0;
    up = width > 0 && width < 32 ? 32 - width : 0;
    for (std::size_t i = 0; i < n; ++i)
      ++cell[distance(sample[i]) >> (32 - cell_bits)];
    // Cells that are too sparse for a part of their own have one all the same. Others share what is left: each begins
    // where the parts of all keys before it end.
    const auto sparse = static_cast<std::size_t>(
        std::count_if(cell, cell + cells, [&](std::size_t keys) { return keys * (wanted - cells) < n; }));
    std::size_t before = 0;
    for (std::uint32_t& c : cell) {
      const std::size_t begin = before * (wanted - sparse) / n;
      before += c;
      const std::size_t parts = std::max<std::size_t>(before * (wanted - sparse) / n - begin, 1);
      c = static_cast<std::uint32_t>(buckets << part_bits | parts);
      buckets += parts;
    }
  }

  /// Of an image, as far as the sample reaches.
  std::uint32_t distance(K x) const {
    const K from_least = x > least ? static_cast<K>(x - least) : K{0};
    return static_cast<std::uint32_t>(std::min(from_least, most) >> down) << up;
  }

  std::uint16_t bucket(K x) const {
    const std::uint32_t d = distance(x), c = cell[d >> (32 - cell_bits)], in_cell = d << cell_bits >> (32 - part_bits),
                        parts = c & ((1u << part_bits) - 1);
    return static_cast<std::uint16_t>((c >> part_bits) + (in_cell * parts >> part_bits));
  }
};

} // namespace sortile::cpu
