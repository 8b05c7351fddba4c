// The places of few keys. Idea: every key is compared with every other, eight or four at a time. That is n² / 8 or
// n² / 4 comparisons, of which none waits for another and none is guessed, and the keys that are moved, with what
// they carry, move once. A sort of words that hold a key and its position takes fewer, but of twice the width, and has
// to make the words and to take them apart.
//
//     place of key i  =  keys before i that are not above it  +  keys behind i that are below it
//
//     vectors of images      [0 …  7]  [8 … 15]  [16 … 23]
//     key 9 to all lanes        <        < or =      ≤          which of the lanes it comes before: one more each
//                             (strict)  (by lane)  (not above)
//
// What comes before by its position is counted as all keys of earlier vectors, less those that are above.
//
// Compiled for AVX2 alone, which processors with AVX-512 have too: there comparisons go to masks, and are no numbers.
namespace sortile::cpu::SORTILE_CPU_ISA {

// Exact images, as vectors compare them: −0 is 0, and a NaN is behind all others.
template <class S, bool IsFloat>
class exact_images {
 public:
  using V = typename S::V;
  using K = key_bits<S>;
  explicit exact_images(const key_codec<K>& codec)
      : flip_(all(static_cast<K>(codec.sign ^ codec.complement))),
        window_(all(static_cast<K>(codec.mask << codec.shift))), bias_(all(bias<S>)), infinity_(all(codec.infinity)),
        nan_(all(static_cast<K>(~codec.complement))) {}

  SORTILE_INLINE V operator()(V u) const {
    V image;
    if constexpr (IsFloat) {
      const V magnitude = S::without(u, bias_);
      const V number = S::without(u, S::equal(magnitude, S::all(0)));
      image = S::either(S::image(number, S::without(S::all(-1), bias_), flip_), nan_, S::greater(magnitude, infinity_));
    } else {
      image = S::bits_xor(u, flip_);
    }
    return S::bits_xor(S::bits_and(image, window_), bias_);
  }

 private:
  static V all(K x) { return S::all(static_cast<typename S::T>(x)); }
  V flip_, window_, bias_, infinity_, nan_; // the bias is the sign bit
};

// Of neighbours, vector by vector, until some rise and some fall.
template <class S, class Image>
SORTILE_INLINE seen_order order_of_neighbours(const typename S::T* keys, std::size_t n, const Image& image) {
  constexpr unsigned all = (1u << S::lanes) - 1;
  unsigned fallen = 0, risen = 0;
  const auto compare = [&](typename S::V first, typename S::V second, unsigned lanes) __attribute__((always_inline)) {
    const unsigned falls = S::lanes_of(S::greater(image(first), image(second)));
    fallen |= falls & lanes;
    risen |= ~falls & lanes;
    return fallen == 0 || risen == 0;
  };
  const std::size_t neighbours = n - 1;
  if (neighbours < S::lanes) {
    if (!compare(S::load_first(keys, neighbours), S::load_first(keys + 1, neighbours), (1u << neighbours) - 1))
      return seen_order::none;
  } else {
    for (std::size_t i = 0; i + S::lanes <= neighbours; i += S::lanes)
      if (!compare(S::load(keys + i), S::load(keys + i + 1), all))
        return seen_order::none;
    const std::size_t last = neighbours - S::lanes;
    if (!compare(S::load(keys + last), S::load(keys + last + 1), all))
      return seen_order::none;
  }
  return fallen == 0 ? seen_order::rising : seen_order::falling;
}

// The places of the keys in R vectors from the one numbered `first` on, of n.
template <class S, std::size_t R>
SORTILE_INLINE void place_vectors(const typename S::T* images, std::size_t first, std::size_t n,
                                  std::uint32_t* places) {
  using V = typename S::V;
  V own[R], count[R];
  each<R>([&](auto r) __attribute__((always_inline)) {
    own[r.value] = S::load(images + (first + r.value) * S::lanes);
    count[r.value] = S::all(static_cast<typename S::T>((first + r.value) * S::lanes)); // all of earlier vectors
  });
  std::size_t j = 0;
  for (; j < first * S::lanes; ++j) {
    const V other = S::all(images[j]);
    each<R>([&](auto r) __attribute__((always_inline)) {
      count[r.value] = S::plus(count[r.value], S::greater(other, own[r.value])); // less what is above
    });
  }
  each<R>([&](auto at) __attribute__((always_inline)) {
    const std::size_t begin = j, end = std::min(begin + S::lanes, n);
#pragma GCC unroll 1 // written out eight times it would leave no registers to the counts
    for (; j < end; ++j) {
      const V other = S::all(images[j]);
      each<R>([&](auto r) __attribute__((always_inline)) {
        V& c = count[r.value];
        if constexpr (r.value > at.value)
          c = S::plus(c, S::greater(other, own[r.value]));
        else
          c = S::minus(c, S::greater(own[r.value], other));
      });
      V& c = count[at.value];
      c = S::minus(c, S::without(S::equal(own[at.value], other), S::first(j - begin + 1)));
    }
  });
  for (; j < n; ++j) {
    const V other = S::all(images[j]);
    each<R>([&](auto r) __attribute__((always_inline)) {
      count[r.value] = S::minus(count[r.value], S::greater(own[r.value], other));
    });
  }
  each<R>([&](auto r) __attribute__((always_inline)) {
    S::store_places(places + (first + r.value) * S::lanes, count[r.value]);
  });
}

// The same of all.
template <class S>
[[gnu::noinline]] void place_all(const typename S::T* images, std::size_t n, std::uint32_t* places) {
  constexpr std::size_t at_once = 4;
  const std::size_t vectors = (n + S::lanes - 1) / S::lanes;
  std::size_t first = 0;
  for (; first + at_once <= vectors; first += at_once)
    place_vectors<S, at_once>(images, first, n, places);
  switch (vectors - first) {
  case 3:
    return place_vectors<S, 3>(images, first, n, places);
  case 2:
    return place_vectors<S, 2>(images, first, n, places);
  case 1:
    return place_vectors<S, 1>(images, first, n, places);
  default:
    return;
  }
}

template <class S, bool IsFloat>
seen_order find_places(const typename S::T* keys, std::size_t n, const key_codec<key_bits<S>>& codec,
                       std::uint32_t* places) {
  const exact_images<S, IsFloat> exact(codec);
  if (const seen_order seen = order_of_neighbours<S>(keys, n, exact); seen != seen_order::none)
    return seen;
  alignas(64) typename S::T images[most_placed];
  std::size_t i = 0;
  for (; i + S::lanes <= n; i += S::lanes)
    S::store(images + i, exact(S::load(keys + i)));
  if (i < n)
    S::store(images + i, exact(S::load_first(keys + i, n - i)));
  place_all<S>(images, n, places);
  return seen_order::none;
}

template <class S>
seen_order find_places(const key_bits<S>* keys, std::size_t n, const key_codec<key_bits<S>>& codec,
                       std::uint32_t* places) {
  return codec.infinity != 0 ? find_places<S, true>(numbers<S>(keys), n, codec, places)
                             : find_places<S, false>(numbers<S>(keys), n, codec, places);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
