// Splits of images in place, around a pivot or around three at once, and the choice of pivots.
namespace sortile::cpu::SORTILE_CPU_ISA {

// Vectors of a block that is read from one side at a time. Twice as many are held in registers meanwhile.
inline constexpr std::size_t block_vectors = 8;

// Reads change sides all the time, which the processor's own prefetching does not follow beyond the L2 cache.
inline constexpr std::ptrdiff_t prefetch_blocks = 3;

template <class S>
SORTILE_INLINE void prefetch_block(const typename S::T* p) {
  each<block_vectors>([&](auto i) __attribute__((always_inline)) { __builtin_prefetch(p + i.value * S::lanes); });
}

// What tells low lanes of a vector of images: those below the pivot, or not above it.
template <class S, bool OrEqual>
struct below_pivot {
  typename S::V pivot;
  explicit below_pivot(typename S::T key) : pivot(S::all(key)) {}
  SORTILE_INLINE unsigned operator()(typename S::V images) const {
    return S::template low_lanes<OrEqual>(images, pivot);
  }
};

// Moves what is low to the front; returns how many those are. n ≥ 2 · block_vectors · lanes.
//
//   [ written low … )        gap      [ not read yet )       gap       ( … written high ]
//                   left ──▶   read ──▶               ◀── read_end  ◀── right
// Both gaps together always hold what is in registers, and the side with the smaller gap is read next: so no write
// reaches what is not read yet.
template <class S, class IsLow>
std::size_t split_by(typename S::T* keys, std::size_t n, const IsLow& given) {
  using T = typename S::T;
  using V = typename S::V;
  constexpr std::size_t block = block_vectors * S::lanes;
  const IsLow is_low = given;
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
      each<block_vectors>([&](auto i)
                              __attribute__((always_inline)) { v[i.value] = S::load(read + i.value * S::lanes); });
      read += block;
      prefetch_block<S>(read + prefetch_blocks * block);
    } else {
      read_end -= block;
      prefetch_block<S>(read_end - (prefetch_blocks + 1) * block);
      each<block_vectors>([&](auto i)
                              __attribute__((always_inline)) { v[i.value] = S::load(read_end + i.value * S::lanes); });
    }
    each<block_vectors>([&](auto i) __attribute__((always_inline)) {
      S::move_apart(v[i.value], is_low(v[i.value]), left, right);
    });
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
    S::move_apart(v, is_low(v), left, right);
  }
  // One gap is left, and once the odd ones are in it, it is a whole number of vectors: at least two, or just the last
  // one.
  S::move_first_apart(some, odd, is_low(some), left, right);
  each<block_vectors>([&](auto i) __attribute__((always_inline)) {
    S::move_apart(low[i.value], is_low(low[i.value]), left, right);
  });
  each<block_vectors>([&](auto i) __attribute__((always_inline)) {
    S::move_apart(high[i.value], is_low(high[i.value]), left, right);
  });
  return static_cast<std::size_t>(left - keys);
}

template <class S, bool OrEqual>
std::size_t split_in_place(typename S::T* images, std::size_t n, typename S::T pivot) {
  return split_by<S>(images, n, below_pivot<S, OrEqual>(pivot));
}

// The same of any number of keys: of few, which are held aside meanwhile, the odd ones first.
template <class S, class IsLow>
std::size_t split_any_by(typename S::T* keys, std::size_t n, const IsLow& is_low) {
  using T = typename S::T;
  constexpr std::size_t few = 2 * block_vectors * S::lanes;
  if (n >= few)
    return split_by<S>(keys, n, is_low);
  alignas(64) T all[few];
  std::memcpy(all, keys, n * sizeof(T));
  T *left = keys, *right = keys + n;
  const std::size_t odd = n % S::lanes;
  const typename S::V some = S::load_first(all, odd);
  S::move_first_apart(some, odd, is_low(some), left, right);
  for (std::size_t i = odd; i < n; i += S::lanes) {
    const typename S::V v = S::load(all + i);
    S::move_apart(v, is_low(v), left, right);
  }
  return static_cast<std::size_t>(left - keys);
}

template <class S, bool OrEqual>
std::size_t split_any(typename S::T* images, std::size_t n, typename S::T pivot) {
  return split_any_by<S>(images, n, below_pivot<S, OrEqual>(pivot));
}

// ---- around three pivots ----

// Idea. A split around one pivot reads and writes every key for each level. Around three it reads and writes them once
// for two levels, which is what counts where memory, or a cache that is further away, is slower than the comparisons.
//
// The keys of each class gather at the front of a quarter of the array, and each quarter is read from its front on:
//
//     [ written 0 ) gap [ not read yet ┆ written 1 ) gap [ not read yet ┆ written 2 ) gap [ … ┆ written 3 ) gap [ …
//
// Invariant: the gaps together are what is held beside the array. Keys are read from the quarter with the narrowest
// gap, a step at a time, and three steps are held for each quarter. Then every gap has room for a step when one is
// written: of what the gaps of j quarters lack, reading takes a step from the one that lacks most, and writing adds one
// at most; so j of four lack at most 1, 5/3 and 11/6 steps together for j = 3, 2, 1.
//
// Pivots from a sample leave quarters that differ by some hundredths. The first quarter that is read to its end ends
// this step; what is held goes to the gaps, and what was not read is split by single pivots, and exchanged with what is
// in its place.
//
// Cost: 8 bytes a 32-bit key and two levels, where two splits take 16, and some hundredths of the keys once more.
inline constexpr std::size_t held_steps = 3;

// What lies in a core's own cache is read and written as quickly as it is compared.
template <class S>
inline constexpr std::size_t least_in_four = (std::size_t{1} << 20) / sizeof(typename S::T);

// Whether all keys of a part are known to be below the pivot, or above.
enum class side : unsigned char { low, high, unknown };
struct side_of {
  std::size_t begin, end;
  side is;
};

// Parts that follow each other: brings keys of [begin, end) that are below the pivot before the others; where those
// end.
template <class S, std::size_t Parts>
std::size_t settle(typename S::T* keys, std::size_t begin, std::size_t end, const side_of (&parts)[Parts],
                   typename S::T pivot) {
  stretch stretches[Parts];
  std::size_t lows = begin;
  for (std::size_t i = 0; i < Parts; ++i) {
    const std::size_t from = std::clamp(parts[i].begin, begin, end), n = std::clamp(parts[i].end, begin, end) - from;
    const std::size_t below = parts[i].is == side::low    ? n
                              : parts[i].is == side::high ? 0
                                                          : split_any<S, false>(keys + from, n, pivot);
    stretches[i] = {from, from + n, below};
    lows += below;
  }
  each_misplaced(stretches, lows, [&](std::size_t a, std::size_t b, std::size_t n) {
    std::swap_ranges(keys + a, keys + a + n, keys + b);
  });
  return lows;
}

// The quarters of an array, and where the keys end that a split has gathered at the front of each.
struct quarters {
  std::size_t begin[5];
  std::size_t known[4];
};

// Gathers keys of each class at the front of a quarter, until a quarter is read to its end.
template <class S>
quarters gather_in_quarters(typename S::T* keys, std::size_t n, const typename S::T (&pivots)[3]) {
  using T = typename S::T;
  using V = typename S::V;
  constexpr std::size_t step = block_vectors * S::lanes;
  const V first = S::all(pivots[0]), second = S::all(pivots[1]), third = S::all(pivots[2]);
  alignas(64) T held[4 * held_steps * step];
  T *write[4], *read[4], *end[4];
  for (std::size_t i = 0; i < 4; ++i) {
    write[i] = keys + n / 4 * i;
    read[i] = write[i] + held_steps * step;
    end[i] = i < 3 ? write[i] + n / 4 : keys + n;
    std::memcpy(held + i * held_steps * step, write[i], held_steps * step * sizeof(T));
  }
  for (;;) {
    std::size_t narrowest = 0;
    std::ptrdiff_t gap = read[0] - write[0];
    each<3>([&](auto i) __attribute__((always_inline)) {
      const std::ptrdiff_t other = read[i.value + 1] - write[i.value + 1];
      narrowest = other < gap ? i.value + 1 : narrowest;
      gap = other < gap ? other : gap;
    });
    const T* const from = read[narrowest];
    if (end[narrowest] - from < static_cast<std::ptrdiff_t>(step))
      break;
    read[narrowest] += step;
    prefetch_block<S>(from + prefetch_blocks * static_cast<std::ptrdiff_t>(step));
    V v[block_vectors];
    each<block_vectors>([&](auto i)
                            __attribute__((always_inline)) { v[i.value] = S::load(from + i.value * S::lanes); });
    each<block_vectors>([&](auto i) __attribute__((always_inline)) {
      S::split_in_four(v[i.value], first, second, third, write);
    });
  }
  const T* rest = held;
  quarters q;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto gap = static_cast<std::size_t>(read[i] - write[i]);
    std::memcpy(write[i], rest, gap * sizeof(T));
    rest += gap;
    q.known[i] = static_cast<std::size_t>(write[i] - keys);
    q.begin[i] = n / 4 * i;
  }
  q.begin[4] = n;
  return q;
}

// Pivots[0] < pivots[1] < pivots[2]. Moves what is below the first to the front, then what is below the second, and so
// on; where the second, third and fourth class begin. n ≥ least_in_four.
template <class S>
void split_in_four(typename S::T* keys, std::size_t n, const typename S::T (&pivots)[3], std::size_t (&begins)[3]) {
  const auto [quarter, known] = gather_in_quarters<S>(keys, n, pivots);
  const std::size_t middle = settle<S>(keys, 0, n,
                                       {{0, known[0], side::low},
                                        {known[0], quarter[1], side::unknown},
                                        {quarter[1], known[1], side::low},
                                        {known[1], quarter[2], side::unknown},
                                        {quarter[2], known[2], side::high},
                                        {known[2], quarter[3], side::unknown},
                                        {quarter[3], known[3], side::high},
                                        {known[3], n, side::unknown}},
                                       pivots[1]);
  // What changed places in that is not known any more: it was not read before, or stands beyond the middle.
  begins[0] = settle<S>(keys, 0, middle,
                        {{0, known[0], side::low},
                         {known[0], quarter[1], side::unknown},
                         {quarter[1], known[1], side::high},
                         {known[1], n, side::unknown}},
                        pivots[0]);
  begins[1] = middle;
  begins[2] = settle<S>(keys, middle, n,
                        {{0, quarter[2], side::unknown},
                         {quarter[2], known[2], side::low},
                         {known[2], quarter[3], side::unknown},
                         {quarter[3], known[3], side::high},
                         {known[3], n, side::unknown}},
                        pivots[2]);
}

// ---- pivots ----

template <class T>
struct random_positions { // xorshift64*
  std::uint64_t state;
  std::size_t below(std::size_t n) {
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return static_cast<std::size_t>((static_cast<unsigned __int128>(state * 0x2545f4914f6cdd1d) * n) >> 64);
  }
};

template <class S>
void draw(const typename S::T* keys, std::size_t n, random_positions<typename S::T>& random, typename S::T* sample,
          std::size_t drawn) {
  const std::size_t stride = n / drawn;
  for (std::size_t i = 0; i < drawn; ++i)
    sample[i] = keys[i * stride + random.below(stride)];
}

// The middle key of a sample, whether it is the least one too, and whether it fills seven eighths of it.
template <class T>
struct drawn_pivot {
  T key;
  bool is_least, is_heavy;
};

template <class S>
drawn_pivot<typename S::T> choose_pivot(const typename S::T* keys, std::size_t n,
                                        random_positions<typename S::T>& random) {
  using T = typename S::T;
  if (n < 4096) {
    constexpr std::size_t rows = S::lanes < 8 ? 2 : 1;
    const std::size_t stride = n / (rows * S::lanes);
    typename S::V sample[rows];
    each<rows>([&](auto row) __attribute__((always_inline)) {
      sample[row.value] = S::load_strided(keys + stride / 2 + row.value * S::lanes * stride, stride);
    });
    sort_rows<S>(sample);
    T key;
    if constexpr (rows == 1)
      key = S::middle(sample[0]);
    else
      key = S::lowest(sample[rows / 2]);
    unsigned equal = 0;
    each<rows>([&](auto row) __attribute__((always_inline)) {
      equal |= S::equal_lanes(sample[row.value], S::all(key)) << (row.value * S::lanes);
    });
    return {key, (equal & 1) != 0, static_cast<unsigned>(_mm_popcnt_u32(equal)) >= rows * S::lanes / 8 * 7};
  }
  constexpr std::size_t most = 8 * S::lanes;
  alignas(64) T sample[most];
  const std::size_t drawn = n < 65536 ? 4 * S::lanes : most;
  draw<S>(keys, n, random, sample, drawn);
  sort_few<S, false>(sample, drawn, as_they_are<S>(), sample);
  const T key = sample[drawn / 2];
  return {key, key == sample[0], key == sample[drawn / 16] && key == sample[drawn - 1 - drawn / 16]};
}

// How many keys at the front are the same.
template <class S>
std::size_t equal_front(const typename S::T* keys, std::size_t n, typename S::T key) {
  constexpr std::size_t rows = 4;
  const typename S::V all = S::all(key);
  std::size_t i = 0;
  for (; i + rows * S::lanes <= n; i += rows * S::lanes) {
    typename S::V v[rows];
    each<rows>([&](auto r) __attribute__((always_inline)) {
      v[r.value] = S::bits_xor(S::load(keys + i + r.value * S::lanes), all);
    });
    if (!S::is_zero(S::bits_or(S::bits_or(v[0], v[1]), S::bits_or(v[2], v[3]))))
      break;
  }
  while (i < n && keys[i] == key)
    ++i;
  return i;
}

// Calls other(position) for each of n keys that is not this one, until it returns false; whether it never does. Four
// stretches are read side by side: a processor that asks its memory ahead of one stretch gets a quarter to a half less
// of it.
template <class S, class F>
bool each_other(const typename S::T* keys, std::size_t n, typename S::T key, F&& other) {
  constexpr std::size_t stretches = 4, vectors = 2;
  const std::size_t length = n / (stretches * vectors * S::lanes) * (vectors * S::lanes);
  const typename S::V all = S::all(key);
  const auto look_at = [&](std::size_t at) { // a vector
    unsigned others = S::equal_lanes(S::load(keys + at), all) ^ ((1u << S::lanes) - 1);
    for (; others != 0; others &= others - 1)
      if (!other(at + static_cast<std::size_t>(std::countr_zero(others))))
        return false;
    return true;
  };
  for (std::size_t i = 0; i < length; i += vectors * S::lanes) {
    typename S::V others = S::all(0);
    each<stretches * vectors>([&](auto r) __attribute__((always_inline)) {
      const auto* const here = keys + r.value / vectors * length + i + r.value % vectors * S::lanes;
      others = S::bits_or(others, S::bits_xor(S::load(here), all));
    });
    if (!S::is_zero(others)) [[unlikely]]
      for (std::size_t r = 0; r < stretches * vectors; ++r)
        if (!look_at(r / vectors * length + i + r % vectors * S::lanes))
          return false;
  }
  for (std::size_t i = stretches * length; i < n; ++i)
    if (keys[i] != key && !other(i))
      return false;
  return true;
}

template <class S>
bool are_all(const typename S::T* keys, std::size_t n, typename S::T key) {
  return each_other<S>(keys, n, key, [](std::size_t) { return false; });
}

template <class S>
void sort_images(typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image);

// Three, at the quarters of a sample.
template <class S>
void choose_pivots(const typename S::T* keys, std::size_t n, random_positions<typename S::T>& random,
                   typename S::T (&pivots)[3]) {
  constexpr std::size_t most = 512;
  alignas(64) typename S::T sample[most];
  draw<S>(keys, n, random, sample, most);
  sort_images<S>(sample, most, as_they_are<S>());
  for (std::size_t i = 0; i < 3; ++i)
    pivots[i] = sample[most / 4 * (i + 1)];
}

// Splits around three pivots from a sample. A key that fills a quarter or more is one of them, and the next number is
// another: so all that is equal to it has a part of its own (three_parts.hpp). False, and nothing has moved, where one
// key fills half, as a split beside it does with one pivot; where the keys lie in the core's own cache; and where this
// is not made of vectors.
template <class S>
bool split_by_sample(typename S::T* keys, std::size_t n, typename S::T lowest, random_positions<typename S::T>& random,
                     typename S::T (&pivots)[3], std::size_t (&begins)[3]) {
  using T = typename S::T;
  if constexpr (S::splits_in_four)
    if (n >= least_in_four<S>) {
      choose_pivots<S>(keys, n, random, pivots);
      if (pivots[0] == pivots[2] || pivots[1] == lowest || pivots[2] > std::numeric_limits<T>::max() - 2)
        return false;
      for (T below = lowest; T & pivot : pivots)
        below = pivot = std::max(pivot, static_cast<T>(below + 1));
      split_in_four<S>(keys, n, pivots, begins);
      return true;
    }
  return false;
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
