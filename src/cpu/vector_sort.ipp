// The vector sorts of keys alone, for any vector type S of the shape in vector_avx512.ipp.
namespace sortile::cpu::SORTILE_CPU_ISA {

// Images are compared as numbers of type S::T. Where vectors compare signed numbers alone, T is signed, and the images
// have their highest bit flipped once more.
template <class S>
using key_bits = std::make_unsigned_t<typename S::T>;
template <class S>
inline constexpr key_bits<S> bias = std::is_signed_v<typename S::T> ? key_bits<S>{1} << (8 * sizeof(key_bits<S>) - 1) : 0;

// The image under which images are keys.
template <class S>
constexpr plain_image<key_bits<S>> as_they_are() {
  plain_image<key_bits<S>> image;
  image.flip = bias<S>;
  return image;
}
template <class S>
bool is_as_they_are(const plain_image<key_bits<S>>& image) {
  return image.negative == 0 && image.flip == bias<S>;
}

template <std::size_t N, class F>
SORTILE_INLINE void each(F&& f) { // f(integral_constant 0 … N − 1)
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<N>{});
}

// ---- networks ----

struct comparator {
  unsigned char a, b;
};
// The fewest comparators known: 1, 5 and 19 are optimal, 60 is Green's (Knuth, TAOCP 3, 5.3.4).
inline constexpr comparator network_2[] = {{0, 1}};
inline constexpr comparator network_4[] = {{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}};
inline constexpr comparator network_8[] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                           {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                           {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
inline constexpr comparator network_16[] = {
    {0, 1},   {2, 3},   {4, 5},   {6, 7},   {8, 9},   {10, 11}, {12, 13}, {14, 15}, {0, 2},   {1, 3},   {4, 6},   {5, 7},
    {8, 10},  {9, 11},  {12, 14}, {13, 15}, {0, 4},   {1, 5},   {2, 6},   {3, 7},   {8, 12},  {9, 13},  {10, 14}, {11, 15},
    {0, 8},   {1, 9},   {2, 10},  {3, 11},  {4, 12},  {5, 13},  {6, 14},  {7, 15},  {5, 10},  {6, 9},   {3, 12},  {13, 14},
    {4, 8},   {7, 11},  {1, 2},   {1, 4},   {7, 13},  {2, 8},   {11, 14}, {2, 4},   {5, 6},   {9, 10},  {11, 13}, {3, 8},
    {7, 12},  {6, 8},   {10, 12}, {3, 5},   {7, 9},   {3, 4},   {5, 6},   {7, 8},   {9, 10},  {11, 12}, {6, 7},   {8, 9}};

template <std::size_t R>
constexpr const auto& network_of() {
  if constexpr (R <= 2)
    return network_2;
  else if constexpr (R <= 4)
    return network_4;
  else if constexpr (R <= 8)
    return network_8;
  else
    return network_16;
}

// Sorts every column of R rows. Where R is not a power of two, the rows up to the next one are thought to hold the
// greatest key: comparators that reach them do nothing, here and in the merges.
template <class S, std::size_t R>
SORTILE_INLINE void sort_columns(typename S::V (&v)[R]) {
  constexpr const auto& network = network_of<R>();
  each<std::size(network)>([&](auto i) __attribute__((always_inline)) {
    constexpr comparator c = network_of<R>()[i.value];
    if constexpr (c.b < R)
      S::exchange(v[c.a], v[c.b]);
  });
}

// Columns of groups of Group / 2 lanes are sorted, row by row; merges neighbouring groups.
template <class S, std::size_t R, unsigned Group>
SORTILE_INLINE void merge_groups(typename S::V (&v)[R]) {
  using V = typename S::V;
  const auto mirrored = [&]<std::size_t Rows>(std::integral_constant<std::size_t, Rows>) __attribute__((always_inline)) {
    if constexpr (Rows <= std::bit_ceil(R))
      each<(R + Rows - 1) / Rows>([&](auto block) __attribute__((always_inline)) {
        each<Rows / 2>([&](auto row) __attribute__((always_inline)) {
          constexpr std::size_t first = block.value * Rows + row.value, second = block.value * Rows + Rows - 1 - row.value;
          if constexpr (second < R) {
            v[second] = S::template reverse<Group>(v[second]);
            S::exchange(v[first], v[second]);
          }
        });
      });
  };
  mirrored(std::integral_constant<std::size_t, 16>{});
  mirrored(std::integral_constant<std::size_t, 8>{});
  mirrored(std::integral_constant<std::size_t, 4>{});
  mirrored(std::integral_constant<std::size_t, 2>{});
  each<R>([&](auto row) __attribute__((always_inline)) {
    V& a = v[row.value];
    a = S::template smaller_then_greater<Group>(a, S::template reverse<Group>(a));
    if constexpr (Group >= 16)
      a = S::template smaller_then_greater<8>(a, S::template swap<4>(a));
    if constexpr (Group >= 8)
      a = S::template smaller_then_greater<4>(a, S::template swap<2>(a));
    if constexpr (Group >= 4)
      a = S::template smaller_then_greater<2>(a, S::template swap<1>(a));
  });
}

// Sorts R rows, row by row.
template <class S, std::size_t R>
SORTILE_INLINE void sort_rows(typename S::V (&v)[R]) {
  sort_columns<S>(v);
  merge_groups<S, R, 2>(v);
  merge_groups<S, R, 4>(v);
  if constexpr (S::lanes >= 8)
    merge_groups<S, R, 8>(v);
  if constexpr (S::lanes >= 16)
    merge_groups<S, R, 16>(v);
}

// ---- leaves ----

// The image in vectors.
template <class S>
struct vector_image {
  typename S::V negative, flip;
  explicit vector_image(const plain_image<key_bits<S>>& image)
      : negative(S::all(static_cast<typename S::T>(image.negative))),
        flip(S::all(static_cast<typename S::T>(image.flip ^ bias<S>))) {}
  SORTILE_INLINE typename S::V to(typename S::V u) const { return S::image(u, negative, flip); }
  SORTILE_INLINE typename S::V from(typename S::V x) const { return S::key(x, negative, flip); }
};

// Sorts n keys, Whole · lanes ≤ n ≤ R · lanes. FromKeys: what is loaded are keys, else images; keys are stored.
// Checks: false, and nothing stored, where −0 or NaN is met.
template <class S, std::size_t Whole, std::size_t R, bool FromKeys, bool Checks>
bool sort_leaf(const typename S::T* from, std::size_t n, const plain_image<key_bits<S>>& image, typename S::T* to) {
  using V = typename S::V;
  const vector_image<S> im(image);
  V v[R];
  const std::size_t whole = n / S::lanes;
  each<R>([&](auto row) __attribute__((always_inline)) {
    constexpr std::size_t r = row.value;
    if (r < Whole || r < whole)
      v[r] = S::load(from + r * S::lanes);
    else
      v[r] = S::load_first(from + r * S::lanes, n > r * S::lanes ? n - r * S::lanes : 0);
  });
  if constexpr (Checks) {
    if (image.infinity != 0) {
      const V infinity = S::all(static_cast<typename S::T>(image.infinity));
      bool special = false; // keys that are not there are zeros, which are not special
      each<R>([&](auto row) __attribute__((always_inline)) { special |= S::has_special(v[row.value], infinity); });
      if (special)
        return false;
    }
  }
  if constexpr (FromKeys)
    each<R>([&](auto row) __attribute__((always_inline)) { v[row.value] = im.to(v[row.value]); });
  each<R>([&](auto row) __attribute__((always_inline)) {
    constexpr std::size_t r = row.value;
    if (r >= Whole && r >= whole)
      v[r] = S::fill_behind(v[r], n > r * S::lanes ? n - r * S::lanes : 0);
  });
  sort_rows<S>(v);
  each<R>([&](auto row) __attribute__((always_inline)) {
    constexpr std::size_t r = row.value;
    const V u = im.from(v[r]);
    if (r < Whole || r < whole)
      S::store(to + r * S::lanes, u);
    else if (n > r * S::lanes)
      S::store_first(to + r * S::lanes, n - r * S::lanes, u);
  });
  return true;
}

template <class S, bool FromKeys, bool Checks>
bool sort_few(const typename S::T* from, std::size_t n, const plain_image<key_bits<S>>& image, typename S::T* to) {
  switch ((n + S::lanes - 1) / S::lanes) {
  case 0:
  case 1:
    return sort_leaf<S, 0, 1, FromKeys, Checks>(from, n, image, to);
  case 2:
    return sort_leaf<S, 1, 2, FromKeys, Checks>(from, n, image, to);
  case 3:
    return sort_leaf<S, 2, 3, FromKeys, Checks>(from, n, image, to);
  case 4:
    return sort_leaf<S, 3, 4, FromKeys, Checks>(from, n, image, to);
  case 5:
  case 6:
    return sort_leaf<S, 4, 6, FromKeys, Checks>(from, n, image, to);
  case 7:
  case 8:
    return sort_leaf<S, 6, 8, FromKeys, Checks>(from, n, image, to);
  case 9:
  case 10:
    return sort_leaf<S, 8, 10, FromKeys, Checks>(from, n, image, to);
  case 11:
  case 12:
    return sort_leaf<S, 10, 12, FromKeys, Checks>(from, n, image, to);
  case 13:
  case 14:
    return sort_leaf<S, 12, 14, FromKeys, Checks>(from, n, image, to);
  default:
    return sort_leaf<S, 14, 16, FromKeys, Checks>(from, n, image, to);
  }
}

// ---- images ----

template <class S>
bool to_images(const typename S::T* from, std::size_t n, const plain_image<key_bits<S>>& image, typename S::T* to) {
  using V = typename S::V;
  const vector_image<S> im(image);
  const bool is_float = image.infinity != 0;
  if (!is_float && from == to && is_as_they_are<S>(image))
    return false;
  const V infinity = S::all(static_cast<typename S::T>(image.infinity));
  bool special = false;
  std::size_t i = 0;
  for (; i + S::lanes <= n; i += S::lanes) {
    const V u = S::load(from + i);
    if (is_float)
      special |= S::has_special(u, infinity);
    S::store(to + i, im.to(u));
  }
  if (i < n) {
    const V u = S::load_first(from + i, n - i);
    if (is_float)
      special |= S::has_special(u, infinity);
    S::store_first(to + i, n - i, im.to(u));
  }
  return special;
}

template <class S>
void from_images(typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image) {
  if (is_as_they_are<S>(image))
    return;
  const vector_image<S> im(image);
  std::size_t i = 0;
  for (; i + S::lanes <= n; i += S::lanes)
    S::store(keys + i, im.from(S::load(keys + i)));
  if (i < n)
    S::store_first(keys + i, n - i, im.from(S::load_first(keys + i, n - i)));
}

// ---- quicksort of images, in place ----

// Vectors of a block that is read from one side at a time. Twice as many are held in registers meanwhile.
inline constexpr std::size_t block_vectors = 8;

// Reads change sides all the time, which the processor's own prefetching does not follow beyond the L2 cache.
inline constexpr std::ptrdiff_t prefetch_blocks = 3;

template <class S>
SORTILE_INLINE void prefetch_block(const typename S::T* p) {
  each<block_vectors>([&](auto i) __attribute__((always_inline)) { __builtin_prefetch(p + i.value * S::lanes); });
}

// Moves what is below the pivot (or not above it) to the front; returns how many those are. n ≥ 2 · block_vectors · lanes.
//
//   [ written low … )        gap      [ not read yet )       gap       ( … written high ]
//                   left ──▶   read ──▶               ◀── read_end  ◀── right
// Both gaps together always hold what is in registers, and the side with the smaller gap is read next: so no write
// reaches what is not read yet.
template <class S, bool OrEqual>
std::size_t split_in_place(typename S::T* keys, std::size_t n, typename S::T pivot_key) {
  using T = typename S::T;
  using V = typename S::V;
  constexpr std::size_t block = block_vectors * S::lanes;
  const V pivot = S::all(pivot_key);
  T *left = keys, *right = keys + n;
  const std::size_t odd = n % S::lanes;
  V low[block_vectors], high[block_vectors];
  each<block_vectors>([&](auto i) __attribute__((always_inline)) {
    low[i.value] = S::load(keys + i.value * S::lanes);
    high[i.value] = S::load(keys + n - block + i.value * S::lanes);
  });
  const V some = S::load_first(keys + block, odd);
  T *read = keys + block + odd, *read_end = keys + n - block;
  while (read_end - read >= static_cast<std::ptrdiff_t>(block)) {
    V v[block_vectors];
    if (read - left <= right - read_end) {
      each<block_vectors>([&](auto i) __attribute__((always_inline)) { v[i.value] = S::load(read + i.value * S::lanes); });
      read += block;
      prefetch_block<S>(read + prefetch_blocks * block);
    } else {
      read_end -= block;
      prefetch_block<S>(read_end - (prefetch_blocks + 1) * block);
      each<block_vectors>([&](auto i) __attribute__((always_inline)) { v[i.value] = S::load(read_end + i.value * S::lanes); });
    }
    each<block_vectors>([&](auto i) __attribute__((always_inline)) { S::template split<OrEqual>(v[i.value], pivot, left, right); });
  }
  while (read != read_end) {
    V v;
    if (read - left <= right - read_end) {
      v = S::load(read);
      read += S::lanes;
    } else {
      read_end -= S::lanes;
      v = S::load(read_end);
    }
    S::template split<OrEqual>(v, pivot, left, right);
  }
  // One gap is left, and once the odd ones are in it, it is a whole number of vectors: at least two, or just the last one.
  S::template split_first<OrEqual>(some, odd, pivot, left, right);
  each<block_vectors>([&](auto i) __attribute__((always_inline)) { S::template split<OrEqual>(low[i.value], pivot, left, right); });
  each<block_vectors>([&](auto i) __attribute__((always_inline)) { S::template split<OrEqual>(high[i.value], pivot, left, right); });
  return static_cast<std::size_t>(left - keys);
}

template <class T>
struct random_positions { // xorshift64*
  std::uint64_t state;
  std::size_t below(std::size_t n) {
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return static_cast<std::size_t>((static_cast<unsigned __int128>(state * 0x2545f4914f6cdd1d) * n) >> 64);
  }
};

template <class S>
typename S::T choose_pivot(const typename S::T* keys, std::size_t n, random_positions<typename S::T>& random) {
  using T = typename S::T;
  if (n < 4096) {
    constexpr std::size_t rows = S::lanes < 8 ? 2 : 1;
    const std::size_t stride = n / (rows * S::lanes);
    typename S::V sample[rows];
    each<rows>([&](auto row) __attribute__((always_inline)) {
      sample[row.value] = S::load_strided(keys + stride / 2 + row.value * S::lanes * stride, stride);
    });
    sort_rows<S>(sample);
    if constexpr (rows == 1)
      return S::middle(sample[0]);
    else
      return S::lowest(sample[rows / 2]);
  }
  constexpr std::size_t most = 8 * S::lanes;
  alignas(64) T sample[most];
  const std::size_t drawn = n < 65536 ? 4 * S::lanes : most;
  const std::size_t stride = n / drawn;
  for (std::size_t i = 0; i < drawn; ++i)
    sample[i] = keys[i * stride + random.below(stride)];
  sort_few<S, false, false>(sample, drawn, as_they_are<S>(), sample);
  return sample[drawn / 2];
}

// Sorts images in place and leaves keys. All images are ≥ lowest.
template <class S>
void quicksort(typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image, typename S::T lowest,
               unsigned depth, random_positions<typename S::T>& random) {
  using T = typename S::T;
  constexpr std::size_t leaf = S::rows_at_once * S::lanes;
  while (n > leaf) {
    if (depth-- == 0) { // pivots as bad as that are not met by chance
      std::sort(keys, keys + n);
      from_images<S>(keys, n, image);
      return;
    }
    const T pivot = choose_pivot<S>(keys, n, random);
    if (pivot == lowest) { // what is not above it is equal to it
      const std::size_t equal = split_in_place<S, true>(keys, n, pivot);
      from_images<S>(keys, equal, image);
      keys += equal, n -= equal;
      lowest = pivot < std::numeric_limits<T>::max() ? static_cast<T>(pivot + 1) : pivot;
      continue;
    }
    const std::size_t below = split_in_place<S, false>(keys, n, pivot);
    quicksort<S>(keys, below, image, lowest, depth, random);
    keys += below, n -= below;
    lowest = pivot;
  }
  if (n > 0)
    sort_few<S, false, false>(keys, n, image, keys);
}

template <class S>
void sort_images(typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image) {
  random_positions<typename S::T> random{0x9e3779b97f4a7c15 + n};
  quicksort<S>(keys, n, image, std::numeric_limits<typename S::T>::min(), 2 * static_cast<unsigned>(std::bit_width(n)) + 8, random);
}

// ---- keys ----

// Keys as the numbers that vectors compare.
template <class S>
const typename S::T* numbers(const key_bits<S>* keys) {
  return reinterpret_cast<const typename S::T*>(keys);
}
template <class S>
typename S::T* numbers(key_bits<S>* keys) {
  return reinterpret_cast<typename S::T*>(keys);
}

template <class S>
void sort_keys(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image, key_bits<S>* sorted) {
  const typename S::T* const from = numbers<S>(keys);
  typename S::T* const to = numbers<S>(sorted);
  if (n <= S::rows_at_once * S::lanes) {
    if (n > 0)
      sort_few<S, true, false>(from, n, image, to);
    return;
  }
  to_images<S>(from, n, image, to);
  sort_images<S>(to, n, image);
}

// Whether the images rise (or stay) from key to key, or fall, over all n > lanes keys, with no −0 and no NaN among them.
// Stops at the first place where they do not.
template <class S, bool Falling>
bool is_run(const typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image) {
  using V = typename S::V;
  const vector_image<S> im(image);
  const V infinity = S::all(static_cast<typename S::T>(image.infinity));
  const auto holds = [&](std::size_t i) __attribute__((always_inline)) {
    const V u = S::load(keys + i), next = S::load(keys + i + 1);
    if (image.infinity != 0 && (S::has_special(u, infinity) || S::has_special(next, infinity)))
      return false;
    return Falling ? S::all_greater(im.to(u), im.to(next)) : !S::any_greater(im.to(u), im.to(next));
  };
  for (std::size_t i = 0; i + S::lanes < n; i += S::lanes)
    if (!holds(i))
      return false;
  return holds(n - S::lanes - 1);
}

// Keys that may be in order already, and of which nothing is known.
template <class S>
bool sort_unseen(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image, key_bits<S>* sorted) {
  const typename S::T* const from = numbers<S>(keys);
  typename S::T* const to = numbers<S>(sorted);
  if (n <= S::rows_at_once * S::lanes)
    return sort_few<S, true, true>(from, n, image, to);
  if (is_run<S, false>(from, n, image)) {
    if (from != to)
      std::memcpy(to, from, n * sizeof *to);
    return true;
  }
  if (is_run<S, true>(from, n, image)) {
    if (from == to)
      std::reverse(to, to + n);
    else
      std::reverse_copy(from, from + n, to);
    return true;
  }
  if (to_images<S>(from, n, image, to)) {
    if (from == to)
      from_images<S>(to, n, image);
    return false;
  }
  sort_images<S>(to, n, image);
  return true;
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
