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

// ---- keys up to a bound ----

// Whether a key lies up to a bound. Integers of any bit window, compared as signed numbers: AVX2 has no others.
template <class K>
struct integer_upto {
  using S = std::make_signed_t<K>;
  using key = K;
  K window, flip;
  S bound;
  integer_upto(const key_image<K>& image, K most)
      : window(image.window), flip(static_cast<K>((image.flip & image.window) ^ sign)),
        bound(static_cast<S>(most ^ sign)) {}
  S number(K u) const { return static_cast<S>(static_cast<K>((u & window) ^ flip)); }
  std::uint8_t operator()(K u) const { return number(u) <= bound; }
  static constexpr K sign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
};

// Of 128 bits, by their halves: compilers make vectors of these alone.
template <>
struct integer_upto<uint128> {
  using key = uint128;
  std::uint64_t low_window, high_window, low_flip, high_flip;
  std::int64_t low_bound, high_bound;
  integer_upto(const key_image<uint128>& image, uint128 most)
      : low_window(low_of(image.window)), high_window(high_of(image.window)),
        low_flip(low_of(image.flip & image.window) ^ sign), high_flip(high_of(image.flip & image.window) ^ sign),
        low_bound(static_cast<std::int64_t>(low_of(most) ^ sign)),
        high_bound(static_cast<std::int64_t>(high_of(most) ^ sign)) {}
  std::int64_t high_number(std::uint64_t high) const {
    return static_cast<std::int64_t>((high & high_window) ^ high_flip);
  }
  std::uint64_t of_halves(std::uint64_t low, std::uint64_t high) const {
    const std::int64_t x = high_number(high), y = static_cast<std::int64_t>((low & low_window) ^ low_flip);
    return static_cast<std::uint64_t>(x < high_bound) |
           (static_cast<std::uint64_t>(x == high_bound) & static_cast<std::uint64_t>(y <= low_bound));
  }
  std::uint8_t operator()(uint128 u) const { return static_cast<std::uint8_t>(of_halves(low_of(u), high_of(u))); }
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63;

 private:
  static std::uint64_t low_of(uint128 u) { return static_cast<std::uint64_t>(u); }
  static std::uint64_t high_of(uint128 u) { return static_cast<std::uint64_t>(u >> 64); }
};

// Floats as the processor compares them: −0 equals 0, and no NaN is below anything. `bound` is a number.
template <class F>
struct rising_upto {
  using key = F;
  F bound;
  std::uint8_t operator()(F u) const { return u <= bound; }
};
template <class F>
struct falling_upto { // NaNs come first
  using key = F;
  F bound;
  std::uint8_t operator()(F u) const { return !(u < bound); }
};

// By exact images: floats of 16 bits, of a bit window, and bounds that are NaNs.
template <class K>
struct exact_upto {
  using key = K;
  key_image<K> image;
  K bound;
  std::uint8_t operator()(K u) const { return ordering_of<true>(image, u) <= bound; }
};

template <class Upto, class T>
inline bool any_upto(const Upto& is_upto, const T* keys) {
  using sum = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                 std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  sum any = 0;
  for (std::size_t i = 0; i < upto_chunk<T>; ++i)
    any = static_cast<sum>(any | sum{is_upto(keys[i])});
  return any != 0;
}
inline bool any_upto(const integer_upto<uint128>& is_upto, const uint128* keys) {
  using half_key [[gnu::may_alias]] = std::uint64_t;
  const auto* const half = reinterpret_cast<const half_key*>(keys);
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < upto_chunk<uint128>; ++i)
    any |= is_upto.of_halves(half[2 * i], half[2 * i + 1]);
  return any != 0;
}

// Which keys of a chunk are up to the bound: a byte for each.
template <class Upto, class T>
inline void mark_upto(const Upto& is_upto, const T* keys, std::uint8_t* hits) {
  for (std::size_t i = 0; i < upto_chunk<T>; ++i)
    hits[i] = is_upto(keys[i]);
}
inline void mark_upto(const integer_upto<uint128>& is_upto, const uint128* keys, std::uint8_t* hits) {
  using half_key [[gnu::may_alias]] = std::uint64_t;
  const auto* const half = reinterpret_cast<const half_key*>(keys);
  alignas(64) std::uint64_t marks[upto_chunk<uint128>];
  for (std::size_t i = 0; i < upto_chunk<uint128>; ++i)
    marks[i] = is_upto.of_halves(half[2 * i], half[2 * i + 1]);
  for (std::size_t i = 0; i < upto_chunk<uint128>; ++i)
    hits[i] = static_cast<std::uint8_t>(marks[i]);
}

// The last chunk, where it is not whole, is filled with its first key. Of a chunk with hits, bytes say where they are.
template <class Upto, class K>
std::size_t next_of(const K* keys, std::size_t& from, std::size_t end, const Upto& given, std::uint16_t* offsets) {
  using T = typename Upto::key;
  constexpr std::size_t chunk = upto_chunk<T>, together = 32;
  const Upto is_upto = given;
  const T* at = reinterpret_cast<const T*>(keys) + from;
  std::size_t left = end - from;
  for (; left >= chunk && !any_upto(is_upto, at); left -= chunk)
    at += chunk;
  from = end - left;
  if (left == 0)
    return 0;
  alignas(64) T last[chunk];
  if (left < chunk) {
    std::fill(std::copy(at, at + left, last), last + chunk, *at);
    at = last;
  }
  alignas(64) std::uint8_t hits[chunk];
  mark_upto(is_upto, at, hits);
  std::size_t found = 0;
  for (std::size_t i = 0; i < chunk; i += together) {
    std::uint64_t words[together / 8];
    std::memcpy(words, hits + i, together);
    if ((words[0] | words[1] | words[2] | words[3]) != 0)
      for (std::size_t w = 0; w < together / 8; ++w)
        for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
          offsets[found++] = static_cast<std::uint16_t>(i + 8 * w + static_cast<unsigned>(std::countr_zero(bits)) / 8);
  }
  while (found > 0 && offsets[found - 1] >= left)
    --found;
  if (found == 0)
    from = end;
  return found;
}

// The number that floats are compared with in place of images with `bound`: none where it is a NaN, or above all
// numbers. −0, which no exact image is, stands for the number before both zeros.
template <class F, class K>
inline std::size_t next_of_floats(const K* keys, std::size_t& from, std::size_t end, const key_image<K>& image, K bound,
                                  std::uint16_t* offsets) {
  const bool falls = image.codec.complement != 0;
  K key = image.key_of(bound);
  if (key == image.codec.sign && !falls)
    key = image.key_of(static_cast<K>(bound - 1));
  const F number = std::bit_cast<F>(key);
  if (number != number)
    return next_of(keys, from, end, exact_upto<K>{image, bound}, offsets);
  return falls ? next_of(keys, from, end, falling_upto<F>{number}, offsets)
               : next_of(keys, from, end, rising_upto<F>{number}, offsets);
}

// ---- the first keys of a sample ----

// How the first of several keys is found: take(first so far, key), from `none` on; then the image of it.
template <class K>
struct integer_first {
  using S = std::make_signed_t<K>;
  using key = K;
  integer_upto<K> as; // numbers as it compares them
  S none() const { return std::numeric_limits<S>::max(); }
  S take(S first, K u) const { return std::min(first, as.number(u)); }
  K image(S first) const { return static_cast<K>(static_cast<K>(first) ^ integer_upto<K>::sign); }
};
// Of 128 bits by the high halves.
template <>
struct integer_first<uint128> {
  using key = uint128;
  integer_upto<uint128> as;
  std::int64_t none() const { return std::numeric_limits<std::int64_t>::max(); }
  std::int64_t take(std::int64_t first, uint128 u) const {
    return std::min(first, as.high_number(static_cast<std::uint64_t>(u >> 64)));
  }
  uint128 image(std::int64_t first) const {
    return uint128{static_cast<std::uint64_t>(first) ^ integer_upto<uint128>::sign} << 64 | ~std::uint64_t{0};
  }
};
template <class F, class K>
struct rising_first { // of NaNs alone infinity is left, which may be no key
  using key = F;
  key_image<K> images;
  F none() const { return std::numeric_limits<F>::infinity(); }
  F take(F first, F u) const { return u < first ? u : first; }
  K image(F first) const { return first == none() ? images.window : images.ordering(std::bit_cast<K>(first)); }
};
template <class F, class K>
struct falling_first { // a number takes the place of a NaN, which would come first
  using key = F;
  key_image<K> images;
  F none() const { return -std::numeric_limits<F>::infinity(); }
  F take(F first, F u) const { return u <= first ? first : u; }
  K image(F first) const { return images.ordering(std::bit_cast<K>(first)); }
};
template <class K>
struct exact_first {
  using key = K;
  key_image<K> images;
  K none() const { return static_cast<K>(~K{0}); }
  K take(K first, K u) const { return std::min(first, ordering_of<true>(images, u)); }
  K image(K first) const { return first; }
};

template <class First, class K>
void first_of_columns(const K* keys, std::size_t rows, std::size_t step, const First& given, K* least) {
  using T = typename First::key;
  constexpr std::size_t lanes = sample_row<T>;
  const First first = given;
  decltype(first.none()) lane[lanes];
  for (std::size_t l = 0; l < lanes; ++l)
    lane[l] = first.none();
  const T* row = reinterpret_cast<const T*>(keys);
  for (std::size_t r = 0; r < rows; ++r, row += step)
    for (std::size_t l = 0; l < lanes; ++l)
      lane[l] = first.take(lane[l], row[l]);
  for (std::size_t l = 0; l < lanes; ++l)
    least[l] = first.image(lane[l]);
}

// The table's functions: floats take the exact image, since −0 and NaN may be anywhere.

template <class K>
std::size_t next_upto(const K* keys, std::size_t& from, std::size_t end, const key_image<K>& image, K bound,
                      std::uint16_t* offsets) {
  if constexpr (width_has_floats<K>)
    if (image.is_float) {
      const bool whole = image.window == static_cast<K>(~K{0});
      if constexpr (sizeof(K) == 4)
        if (whole)
          return next_of_floats<float>(keys, from, end, image, bound, offsets);
      if constexpr (sizeof(K) == 8)
        if (whole)
          return next_of_floats<double>(keys, from, end, image, bound, offsets);
      return next_of(keys, from, end, exact_upto<K>{image, bound}, offsets);
    }
  return next_of(keys, from, end, integer_upto<K>(image, bound), offsets);
}

template <class K>
std::size_t below(const K* keys, std::size_t n, const key_image<K>& image, K pivot, std::size_t& equal,
                  std::uint16_t* offsets) {
  return image.is_float ? below_of<width_has_floats<K>>(keys, n, image, pivot, equal, offsets)
                        : below_of<false>(keys, n, image, pivot, equal, offsets);
}

template <class K>
std::size_t equal(const K* keys, std::size_t n, const key_image<K>& image, K pivot, std::uint16_t* offsets) {
  return image.is_float ? equal_of<width_has_floats<K>>(keys, n, image, pivot, offsets)
                        : equal_of<false>(keys, n, image, pivot, offsets);
}

template <class K>
std::size_t between(const K* keys, std::size_t n, const key_image<K>& image, const K* splitters,
                    std::size_t splitter_count, splitter_counts& counts, std::uint16_t* offsets) {
  return image.is_float ? between_of<width_has_floats<K>>(keys, n, image, splitters, splitter_count, counts, offsets)
                        : between_of<false>(keys, n, image, splitters, splitter_count, counts, offsets);
}

template <class K>
void least_of_columns(const K* keys, std::size_t rows, std::size_t step, const key_image<K>& image, K* least) {
  if constexpr (width_has_floats<K>)
    if (image.is_float) {
      if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
        if (image.window == static_cast<K>(~K{0})) {
          using F = std::conditional_t<sizeof(K) == 4, float, double>;
          return image.codec.complement == 0 ? first_of_columns(keys, rows, step, rising_first<F, K>{image}, least)
                                             : first_of_columns(keys, rows, step, falling_first<F, K>{image}, least);
        }
      return first_of_columns(keys, rows, step, exact_first<K>{image}, least);
    }
  first_of_columns(keys, rows, step, integer_first<K>{integer_upto<K>(image, K{0})}, least);
}

template <class K>
void histogram_of_prefix(const K* keys, std::size_t n, const key_image<K>& image, const prefixed_digit<K>& d,
                         std::uint32_t* counts) {
  if (image.is_float)
    histogram_of<width_has_floats<K>>(keys, n, image, d, counts);
  else
    histogram_of<false>(keys, n, image, d, counts);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
