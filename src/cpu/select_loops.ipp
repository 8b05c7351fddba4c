// The loops of select_loops.hpp. Included once per instruction set (select_width.hpp), under the compiler's target
// pragma: plain loops that compilers turn into vectors.
//
// A first loop makes the images of a block and counts. Only where it counted something does a second loop write
// offsets, without a branch per key. Few blocks of a long array hold one of the first keys, so nearly all of the time
// goes to the first loop, which runs as fast as memory delivers.

namespace sortile::cpu::SORTILE_CPU_ISA {

/// Counts of a block, as wide as the keys where that holds a block's length.
template <class K>
using block_count =
    std::conditional_t<sizeof(K) == 1, std::uint16_t, std::conditional_t<sizeof(K) == 16, std::uint64_t, K>>;

/// The ordering image; of floats the exact one.
template <bool Exact, class K>
inline K ordering_of(const key_image<K>& image, K u) {
  return static_cast<K>((Exact ? image.exact_float(u) : image.plain(u)) & image.window);
}

template <bool Exact, class K>
inline std::size_t below_of(const K* keys, std::size_t n, const key_image<K>& image, K pivot, std::size_t& equal,
                            std::uint16_t* offsets) {
  const key_image<K> im = image;
  alignas(64) K images[select_block];
  block_count<K> below = 0, same = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const K x = ordering_of<Exact>(im, keys[i]);
    images[i] = x;
    below = static_cast<block_count<K>>(below + (x < pivot));
    same = static_cast<block_count<K>>(same + (x == pivot));
  }
  equal += static_cast<std::size_t>(same);
  std::size_t found = 0;
  if (below != 0)
    for (std::size_t i = 0; i < n; ++i) {
      offsets[found] = static_cast<std::uint16_t>(i);
      found += images[i] < pivot;
    }
  return found;
}

template <bool Exact, class K>
inline std::size_t equal_of(const K* keys, std::size_t n, const key_image<K>& image, K pivot, std::uint16_t* offsets) {
  const key_image<K> im = image;
  alignas(64) K images[select_block];
  block_count<K> same = 0;
  for (std::size_t i = 0; i < n; ++i) {
    images[i] = ordering_of<Exact>(im, keys[i]);
    same = static_cast<block_count<K>>(same + (images[i] == pivot));
  }
  std::size_t found = 0;
  if (same != 0)
    for (std::size_t i = 0; i < n; ++i) {
      offsets[found] = static_cast<std::uint16_t>(i);
      found += images[i] == pivot;
    }
  return found;
}

// A key inside of an interval is greater than one splitter more than it is not smaller than: than the interval's lower
// one. So the difference of the two sums over all intervals is 1 inside and 0 outside.
template <bool Exact, class K>
inline std::size_t between_of(const K* keys, std::size_t n, const key_image<K>& image, const K* splitters,
                              std::size_t splitter_count, splitter_counts& counts, std::uint16_t* offsets) {
  const key_image<K> im = image;
  alignas(64) K images[select_block];
  alignas(64) block_count<K> inside[select_block];
  for (std::size_t i = 0; i < n; ++i) {
    images[i] = ordering_of<Exact>(im, keys[i]);
    inside[i] = 0;
  }
  std::size_t within = 0;
  for (std::size_t s = 0; s < splitter_count; s += 2) {
    const K low = splitters[s], high = splitters[s + 1];
    block_count<K> above_low = 0, from_low = 0, above_high = 0, from_high = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const K x = images[i];
      const auto over = static_cast<block_count<K>>(x > low), beyond = static_cast<block_count<K>>(x >= high);
      above_low = static_cast<block_count<K>>(above_low + over);
      from_low = static_cast<block_count<K>>(from_low + (x >= low));
      above_high = static_cast<block_count<K>>(above_high + (x > high));
      from_high = static_cast<block_count<K>>(from_high + beyond);
      inside[i] = static_cast<block_count<K>>(inside[i] + (over & (beyond ^ 1)));
    }
    counts.greater[s] += static_cast<std::size_t>(above_low);
    counts.not_smaller[s] += static_cast<std::size_t>(from_low);
    counts.greater[s + 1] += static_cast<std::size_t>(above_high);
    counts.not_smaller[s + 1] += static_cast<std::size_t>(from_high);
    if (above_low > from_high)
      within += static_cast<std::size_t>(above_low - from_high);
  }
  std::size_t found = 0;
  if (within != 0)
    for (std::size_t i = 0; i < n; ++i) {
      offsets[found] = static_cast<std::uint16_t>(i);
      found += inside[i] != 0;
    }
  return found;
}

template <bool Exact, class K>
inline void histogram_of(const K* keys, std::size_t n, const key_image<K>& image, const prefixed_digit<K>& d,
                         std::uint32_t* counts) {
  const key_image<K> im = image;
  const prefixed_digit<K> digit = d;
  alignas(64) K images[select_block];
  for (std::size_t i = 0; i < n; ++i)
    images[i] = ordering_of<Exact>(im, keys[i]);
  for (std::size_t i = 0; i < n; ++i)
    if ((images[i] & digit.prefix_mask) == digit.prefix)
      ++counts[static_cast<std::size_t>(static_cast<K>(images[i] >> digit.shift) & digit.mask)];
}

// The table's functions: floats take the exact image, since −0 and NaN may be anywhere.

template <class K>
std::size_t below(const K* keys, std::size_t n, const key_image<K>& image, K pivot, std::size_t& equal,
                  std::uint16_t* offsets) {
  return image.is_float ? below_of<true>(keys, n, image, pivot, equal, offsets)
                        : below_of<false>(keys, n, image, pivot, equal, offsets);
}

template <class K>
std::size_t equal(const K* keys, std::size_t n, const key_image<K>& image, K pivot, std::uint16_t* offsets) {
  return image.is_float ? equal_of<true>(keys, n, image, pivot, offsets)
                        : equal_of<false>(keys, n, image, pivot, offsets);
}

template <class K>
std::size_t between(const K* keys, std::size_t n, const key_image<K>& image, const K* splitters,
                    std::size_t splitter_count, splitter_counts& counts, std::uint16_t* offsets) {
  return image.is_float ? between_of<true>(keys, n, image, splitters, splitter_count, counts, offsets)
                        : between_of<false>(keys, n, image, splitters, splitter_count, counts, offsets);
}

template <class K>
void histogram_of_prefix(const K* keys, std::size_t n, const key_image<K>& image, const prefixed_digit<K>& d,
                         std::uint32_t* counts) {
  if (image.is_float)
    histogram_of<true>(keys, n, image, d, counts);
  else
    histogram_of<false>(keys, n, image, d, counts);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
