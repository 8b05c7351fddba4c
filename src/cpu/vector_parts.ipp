// The vector sorts' steps one by one, see vector_parts.hpp.
namespace sortile::cpu::SORTILE_CPU_ISA {

template <class S>
std::size_t keys_to_images(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image,
                           key_bits<S>* images) {
  return to_images<S>(numbers<S>(keys), n, image, numbers<S>(images));
}

template <class S>
void images_to_keys(key_bits<S>* images, std::size_t n, const plain_image<key_bits<S>>& image) {
  from_images<S>(numbers<S>(images), n, image);
}

template <class S>
key_bits<S> pivot_of(const key_bits<S>* images, std::size_t n, std::uint64_t seed) {
  random_positions<typename S::T> random{0x9e3779b97f4a7c15 + seed};
  return static_cast<key_bits<S>>(choose_pivot<S>(numbers<S>(images), n, random).key);
}

template <class S>
std::size_t split_images(key_bits<S>* images, std::size_t n, key_bits<S> pivot, bool or_equal) {
  const auto p = static_cast<typename S::T>(pivot);
  return or_equal ? split_any<S, true>(numbers<S>(images), n, p) : split_any<S, false>(numbers<S>(images), n, p);
}

template <class S>
bool images_in_four(key_bits<S>* images, std::size_t n, key_bits<S> lowest, std::uint64_t seed,
                    key_bits<S> (&pivots)[3], std::size_t (&begins)[3]) {
  random_positions<typename S::T> random{0x9e3779b97f4a7c15 + seed};
  typename S::T chosen[3];
  if (!split_by_sample<S>(numbers<S>(images), n, static_cast<typename S::T>(lowest), random, chosen, begins))
    return false;
  std::transform(chosen, chosen + 3, pivots, [](typename S::T pivot) { return static_cast<key_bits<S>>(pivot); });
  return true;
}

// As split_in_place does, but the front is that of one stretch and the end that of another, both of at least a block.
// Stops where the stretch that is to be read is through, and puts what is in registers back: what lies between `front`
// and `end` is not split yet.
//
//   [ written low … )      gap      [ not read yet )   ┆   [ not read yet )       gap       ( … written high ]
//                  front ──▶   read ──▶       front_end┆end_front    ◀── read_end  ◀── end
template <class S, class IsLow>
void split_outer(typename S::T*& front_of, const typename S::T* front_end, const typename S::T* end_front,
                 typename S::T*& end_of, const IsLow& given) {
  using T = typename S::T;
  using V = typename S::V;
  T *front = front_of, *end = end_of; // in registers: for all that is known, stores of vectors change what is in memory
  constexpr std::ptrdiff_t block = block_vectors * S::lanes;
  const IsLow is_low = given;
  T *read = front + block, *read_end = end - block;
  V held[2 * block_vectors];
  each<block_vectors>([&](auto i) __attribute__((always_inline)) {
    held[i.value] = S::load(front + i.value * S::lanes);
    held[block_vectors + i.value] = S::load(read_end + i.value * S::lanes);
  });
  for (;;) {
    V v[block_vectors];
    if (read - front <= end - read_end) {
      if (front_end - read < block)
        break;
      each<block_vectors>([&](auto i)
                              __attribute__((always_inline)) { v[i.value] = S::load(read + i.value * S::lanes); });
      read += block;
      prefetch_block<S>(read + prefetch_blocks * block);
    } else {
      if (read_end - end_front < block)
        break;
      read_end -= block;
      prefetch_block<S>(read_end - (prefetch_blocks + 1) * block);
      each<block_vectors>([&](auto i)
                              __attribute__((always_inline)) { v[i.value] = S::load(read_end + i.value * S::lanes); });
    }
    each<block_vectors>([&](auto i) __attribute__((always_inline)) {
      S::move_apart(v[i.value], is_low(v[i.value]), front, end);
    });
  }
  alignas(64) T back[2 * block];
  each<2 * block_vectors>([&](auto i)
                              __attribute__((always_inline)) { S::store(back + i.value * S::lanes, held[i.value]); });
  std::copy_n(back, read - front, front);
  std::copy_n(back + (read - front), end - read_end, read_end);
  front_of = front, end_of = end;
}

template <class S, class IsLow>
void split_both(typename S::T* left, std::size_t left_n, typename S::T* right, std::size_t right_n, const IsLow& is_low,
                std::size_t& left_lows, std::size_t& right_lows) {
  typename S::T *front = left, *end = right + right_n;
  if (std::min(left_n, right_n) >= block_vectors * S::lanes)
    split_outer<S>(front, left + left_n, right, end, is_low);
  left_lows = static_cast<std::size_t>(front - left) +
              split_any_by<S>(front, static_cast<std::size_t>(left + left_n - front), is_low);
  right_lows = split_any_by<S>(right, static_cast<std::size_t>(end - right), is_low);
}

template <class S>
void split_two(key_bits<S>* left, std::size_t left_n, key_bits<S>* right, std::size_t right_n, key_bits<S> pivot,
               bool or_equal, std::size_t& left_lows, std::size_t& right_lows) {
  const auto p = static_cast<typename S::T>(pivot);
  const auto split = [&](const auto& is_low) {
    split_both<S>(numbers<S>(left), left_n, numbers<S>(right), right_n, is_low, left_lows, right_lows);
  };
  or_equal ? split(below_pivot<S, true>(p)) : split(below_pivot<S, false>(p));
}

// Floats: zeros and NaNs to `aside`, images of the others to `rest`, which may be where the keys are, both in the order
// in which they come; how many others. Whole vectors are written: both have room for n.
template <class S>
std::size_t set_aside(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image,
                      key_bits<S>* rest_keys, key_bits<S>* aside_keys) {
  using V = typename S::V;
  const typename S::T* const from = numbers<S>(keys);
  typename S::T *rest = numbers<S>(rest_keys), *aside = numbers<S>(aside_keys);
  const vector_image<S> im(image);
  const V infinity = S::all(static_cast<typename S::T>(image.infinity));
  constexpr unsigned all = (1u << S::lanes) - 1;
  for (std::size_t i = 0; i + S::lanes <= n; i += S::lanes) {
    const V u = S::load(from + i);
    const unsigned special = S::zeros_and_nans(u, infinity);
    S::store_others(im.to(u), special, rest);
    if (special != 0)
      S::store_others(u, special ^ all, aside);
  }
  const std::size_t odd = n % S::lanes;
  alignas(64) typename S::T last[S::lanes], images[S::lanes];
  const V u = S::load_first(from + n - odd, odd);
  S::store(last, u);
  S::store(images, im.to(u));
  const unsigned special = S::zeros_and_nans(u, infinity);
  for (std::size_t i = 0; i < odd; ++i)
    if ((special >> i & 1) != 0)
      *aside++ = last[i];
    else
      *rest++ = images[i];
  return static_cast<std::size_t>(rest - numbers<S>(rest_keys));
}

// Adds to counts[j] how often heavy[j] occurs, of `Heavy` images, and returns how often all do. Each lane counts for
// itself. n is a multiple of two vectors.
template <class S, std::size_t Heavy>
std::size_t count_in_lanes(const typename S::T* from, std::size_t n, const typename S::T* heavy,
                           std::uint64_t* counts) {
  using V = typename S::V;
  constexpr std::size_t ahead = 1024; // keys
  V sums[Heavy][2], wanted[Heavy];
  each<Heavy>([&](auto j) __attribute__((always_inline)) {
    wanted[j.value] = S::all(heavy[j.value]);
    sums[j.value][0] = sums[j.value][1] = S::all(0);
  });
  for (std::size_t i = 0; i < n; i += 2 * S::lanes) {
    __builtin_prefetch(from + i + ahead);
    const V a = S::load(from + i), b = S::load(from + i + S::lanes);
    each<Heavy>([&](auto j) __attribute__((always_inline)) { // −1 where equal
      sums[j.value][0] = S::minus(sums[j.value][0], S::equal(a, wanted[j.value]));
      sums[j.value][1] = S::minus(sums[j.value][1], S::equal(b, wanted[j.value]));
    });
  }
  std::size_t all = 0;
  each<Heavy>([&](auto j) __attribute__((always_inline)) {
    alignas(64) typename S::T lane[2 * S::lanes];
    S::store(lane, sums[j.value][0]);
    S::store(lane + S::lanes, sums[j.value][1]);
    const auto found = static_cast<std::size_t>(std::accumulate(lane, lane + 2 * S::lanes, typename S::T{0}));
    counts[j.value] += found;
    all += found;
  });
  return all;
}

// What take_out does, where lanes count: a stretch of keys in the L1 cache is counted first, and as a key is one of the
// heavy ones at most, the counts tell whether there are others, which few stretches of few values have.
template <class S>
std::size_t take_out_by_counts(const typename S::T* from, std::size_t n, const typename S::T* heavy, std::size_t m,
                               std::uint64_t* counts, typename S::T* rest) {
  using V = typename S::V;
  constexpr std::size_t stretch = 2048, together = 4;
  typename S::T* to = rest;
  for (std::size_t begin = 0; begin < n;) {
    const std::size_t in_stretch = std::min(stretch, n - begin), whole = in_stretch / (2 * S::lanes) * (2 * S::lanes);
    std::size_t found = 0;
    for (std::size_t j = 0; j < m;) {
      const auto count = [&](auto heavies) {
        found += count_in_lanes<S, heavies.value>(from + begin, whole, heavy + j, counts + j);
        j += heavies.value;
      };
      if (m - j >= together)
        count(std::integral_constant<std::size_t, together>{});
      else if (m - j >= 2)
        count(std::integral_constant<std::size_t, 2>{});
      else
        count(std::integral_constant<std::size_t, 1>{});
    }
    for (std::size_t i = begin; found < whole && i < begin + whole; i += S::lanes) {
      const V v = S::load(from + i);
      V given = S::equal(v, S::all(heavy[0]));
      for (std::size_t j = 1; j < m; ++j)
        given = S::bits_or(given, S::equal(v, S::all(heavy[j])));
      S::store_others(v, S::lanes_of(given), to);
    }
    for (std::size_t i = begin + whole; i < begin + in_stretch; ++i) {
      const auto x = from[i];
      const auto j = static_cast<std::size_t>(std::find(heavy, heavy + m, x) - heavy);
      if (j < m)
        ++counts[j];
      else
        *to++ = x;
    }
    begin += in_stretch;
  }
  return static_cast<std::size_t>(to - rest);
}

// Takes the m images in `heavy` out of n: adds to counts[j] how often heavy[j] occurs, writes the others to `rest`,
// which may be where the images are, and returns how many those are. Whole vectors are written: `rest` has room for n.
template <class S>
std::size_t take_out(const typename S::T* from, std::size_t n, const typename S::T* heavy, std::size_t m,
                     std::uint64_t* counts, typename S::T* rest) {
  using V = typename S::V;
  constexpr std::size_t block = block_vectors * S::lanes;
  constexpr std::size_t ahead = 16; // of few values reading is all that there is to do
  typename S::T* to = rest;
  std::size_t i = 0;
  if constexpr (S::counts_by_lanes) { // where the first ones have no others, there may be none
    i = std::min<std::size_t>(n, 256);
    to += take_out_by_counts<S>(from, i, heavy, m, counts, to);
    if (to == rest)
      return take_out_by_counts<S>(from + i, n - i, heavy, m, counts, to);
  }
  for (; i + block <= n; i += block) {
    V v[block_vectors];
    unsigned found[block_vectors] = {};
    prefetch_block<S>(from + i + ahead * block);
    each<block_vectors>([&](auto r)
                            __attribute__((always_inline)) { v[r.value] = S::load(from + i + r.value * S::lanes); });
    for (std::size_t j = 0; j < m; ++j) {
      const V key = S::all(heavy[j]);
      unsigned count = 0;
      each<block_vectors>([&](auto r) __attribute__((always_inline)) {
        const unsigned equal = S::equal_lanes(v[r.value], key);
        found[r.value] |= equal;
        count += static_cast<unsigned>(_mm_popcnt_u32(equal));
      });
      counts[j] += count;
    }
    unsigned in_all = found[0];
    each<block_vectors>([&](auto r) __attribute__((always_inline)) { in_all &= found[r.value]; });
    if (in_all != (1u << S::lanes) - 1)
      each<block_vectors>([&](auto r)
                              __attribute__((always_inline)) { S::store_others(v[r.value], found[r.value], to); });
  }
  for (; i < n; ++i) {
    const auto x = from[i];
    const auto j = static_cast<std::size_t>(std::find(heavy, heavy + m, x) - heavy);
    if (j < m)
      ++counts[j];
    else
      *to++ = x;
  }
  return static_cast<std::size_t>(to - rest);
}

template <class S>
std::size_t heavy_taken_out(const key_bits<S>* images, std::size_t n, const key_bits<S>* heavy, std::size_t m,
                            std::uint64_t* counts, key_bits<S>* rest) {
  return take_out<S>(numbers<S>(images), n, numbers<S>(heavy), m, counts, numbers<S>(rest));
}

template <class S>
bool are_all_keys(const key_bits<S>* keys, std::size_t n, key_bits<S> key) {
  return are_all<S>(numbers<S>(keys), n, static_cast<typename S::T>(key));
}

template <class S>
void fill_with(key_bits<S>* to, std::size_t n, key_bits<S> key) {
  fill_image<S>(numbers<S>(to), n, static_cast<typename S::T>(key ^ bias<S>), {});
}

template <class S>
void images_sorted(key_bits<S>* images, std::size_t n, const plain_image<key_bits<S>>& image) {
  sort_images<S>(numbers<S>(images), n, image);
}

template <class S>
inline constexpr vector_parts<key_bits<S>> parts{static_cast<key_bits<S>>(std::numeric_limits<typename S::T>::min()),
                                                 keys_to_images<S>,
                                                 images_to_keys<S>,
                                                 is_as_they_are<S>,
                                                 set_aside<S>,
                                                 pivot_of<S>,
                                                 split_images<S>,
                                                 images_in_four<S>,
                                                 split_two<S>,
                                                 heavy_taken_out<S>,
                                                 are_all_keys<S>,
                                                 fill_with<S>,
                                                 images_sorted<S>};

} // namespace sortile::cpu::SORTILE_CPU_ISA
