// What the vector sorts are made of, for any vector type S of the shape in vector_avx512.ipp: images, networks in registers,
// and leaves, the few keys that those sort at once.
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

// Sorts R rows, row by row; groups of so many lanes, if that is enough.
template <class S, std::size_t R, std::size_t Lanes = S::lanes>
SORTILE_INLINE void sort_rows(typename S::V (&v)[R]) {
  sort_columns<S>(v);
  merge_groups<S, R, 2>(v);
  merge_groups<S, R, 4>(v);
  if constexpr (Lanes >= 8)
    merge_groups<S, R, 8>(v);
  if constexpr (Lanes >= 16)
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

// Sorts n keys, Whole · lanes ≤ n ≤ R · lanes, or n ≤ Lanes in one row. FromKeys: what is loaded are keys, else images;
// keys are stored.
template <class S, std::size_t Whole, std::size_t R, bool FromKeys, std::size_t Lanes = S::lanes>
void sort_leaf(const typename S::T* from, std::size_t n, const plain_image<key_bits<S>>& image, typename S::T* to) {
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
  if constexpr (FromKeys)
    each<R>([&](auto row) __attribute__((always_inline)) { v[row.value] = im.to(v[row.value]); });
  each<R>([&](auto row) __attribute__((always_inline)) {
    constexpr std::size_t r = row.value;
    if (r >= Whole && r >= whole)
      v[r] = S::fill_behind(v[r], n > r * S::lanes ? n - r * S::lanes : 0);
  });
  sort_rows<S, R, Lanes>(v);
  each<R>([&](auto row) __attribute__((always_inline)) {
    constexpr std::size_t r = row.value;
    v[r] = im.from(v[r]);
    if (r < Whole || r < whole)
      S::store(to + r * S::lanes, v[r]);
    else if constexpr (r == 0)
      S::store_first(to, n, v[r]);
    else if (n > r * S::lanes)
      S::store_last(to + n, n, v[r - 1], v[r]);
  });
}

template <class S, bool FromKeys>
void sort_few(const typename S::T* from, std::size_t n, const plain_image<key_bits<S>>& image, typename S::T* to) {
  switch ((n + S::lanes - 1) / S::lanes) {
  case 0:
  case 1: // each step waits for the one before it, and four lanes need 3 steps, 16 lanes 10
    if (n <= 4)
      return sort_leaf<S, 0, 1, FromKeys, 4>(from, n, image, to);
    if constexpr (S::lanes > 8)
      if (n <= 8)
        return sort_leaf<S, 0, 1, FromKeys, 8>(from, n, image, to);
    return sort_leaf<S, 0, 1, FromKeys>(from, n, image, to);
  case 2:
    return sort_leaf<S, 1, 2, FromKeys>(from, n, image, to);
  case 3:
    return sort_leaf<S, 2, 3, FromKeys>(from, n, image, to);
  case 4:
    return sort_leaf<S, 3, 4, FromKeys>(from, n, image, to);
  case 5:
  case 6:
    return sort_leaf<S, 4, 6, FromKeys>(from, n, image, to);
  case 7:
  case 8:
    return sort_leaf<S, 6, 8, FromKeys>(from, n, image, to);
  case 9:
  case 10:
    return sort_leaf<S, 8, 10, FromKeys>(from, n, image, to);
  case 11:
  case 12:
    return sort_leaf<S, 10, 12, FromKeys>(from, n, image, to);
  case 13:
  case 14:
    return sort_leaf<S, 12, 14, FromKeys>(from, n, image, to);
  default:
    return sort_leaf<S, 14, 16, FromKeys>(from, n, image, to);
  }
}

// ---- images ----

// The images of the keys up to the vector with the first −0 or NaN; how many those are.
template <class S>
std::size_t to_images(const typename S::T* from, std::size_t n, const plain_image<key_bits<S>>& image, typename S::T* to) {
  using V = typename S::V;
  const vector_image<S> im(image);
  const bool is_float = image.infinity != 0;
  if (!is_float && from == to && is_as_they_are<S>(image))
    return n;
  const V infinity = S::all(static_cast<typename S::T>(image.infinity));
  std::size_t i = 0;
  for (; i + S::lanes <= n; i += S::lanes) {
    const V u = S::load(from + i);
    if (is_float && S::has_special(u, infinity)) [[unlikely]]
      return i;
    S::store(to + i, im.to(u));
  }
  if (i < n) {
    const V u = S::load_first(from + i, n - i);
    if (is_float && S::has_special(u, infinity))
      return i;
    S::store_first(to + i, n - i, im.to(u));
  }
  return n;
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

} // namespace sortile::cpu::SORTILE_CPU_ISA
