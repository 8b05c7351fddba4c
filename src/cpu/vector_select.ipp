// Selections by vectors: keys of neighbouring ranks come to their places, in place, or are found among keys that are
// only read.
//
// Idea. Quickselect (Hoare's FIND, 1961) with the pivots of Floyd and Rivest's SELECT (1975): a sorted sample has a key
// that is probably a little below the wanted one, and one a little above it. A split around each, the one first that
// takes more keys away, leaves what lies between them, and that is selected from in the same way. So a median costs 1.5
// reads and writes of each key and some hundredths, a rank near an end one; halves around a median of eight would cost
// 3 and 2. What one leaf of the vector sort holds is sorted.
//
//     [ below low )[ low … wanted … high ]( above high ]        low = sample[r − margin], high = sample[r + margin]
//     second split ◀─┘                  └─▶ first split
//
// Keys stay keys: the image is made of each vector as it is compared, which is one operation for integers and four for
// floats, where images and keys in turns would be two more reads and writes. Splits go by `image < pivot` alone; "not
// above high" is "below the number after high". Arrays that are only read are not split, but for short ones: one read
// copies what lies between low and high, and counts what lies below. Long arrays are done in pieces (long_select.hpp).
//
// Invariant: images of what is left lie in [least, greatest]. Where the two are equal, so are all keys: arrays of few
// values end there. Where a sample leads to no split, it has both bounds in it, and a split beside its middle key takes
// one of them away.
//
// Bound. A split by a good sample leaves a small part. After a few that left more than half, halves of the interval
// [least, greatest] take the place of samples: a digit of one bit each time. So no array takes more than so many splits
// as a key has bits, and a few.
//
// Floats. −0 equals 0, and NaNs each other, so a stable sort's order of these goes by their places, which a split
// forgets. Where there are any, numbers that put −0 next to 0 and all NaNs together take the place of keys, and a walk
// over the keys as they were says which of the zeros, or of the NaNs, has the rank.
namespace sortile::cpu::SORTILE_CPU_ISA {

// ---- images ----

enum class image_kind : unsigned char { integers, floats, turned_floats };

// Numbers in the order of floats, with NaNs of any sign together at their end, and −0 next to 0: the image, less that
// of the first number that is none, wraps NaNs with a sign around to the others. In operations of one kind for single
// keys and for vectors: (u ^ (its signs & negative)) − first ^ flip.
template <class K>
struct turned {
  K sign, negative, first, flip;
  explicit turned(const plain_image<K>& image)
      : sign(static_cast<K>(~image.negative)), negative(image.negative), first(static_cast<K>(~image.infinity)),
        flip(image.flip == sign ? K{0} : static_cast<K>(~K{0})) {}
  K operator()(K u) const {
    const K signs = static_cast<K>(K{0} - static_cast<K>(u >> (8 * sizeof(K) - 1)));
    return static_cast<K>(static_cast<K>((u ^ (signs & negative)) - first) ^ flip);
  }
  K back(K x) const {
    const K folded = static_cast<K>(static_cast<K>(x ^ flip) + first);
    const K signs = static_cast<K>(K{0} - static_cast<K>(folded >> (8 * sizeof(K) - 1)));
    return static_cast<K>(folded ^ (signs & negative));
  }
};

// Of single keys: numbers as vectors compare them, and keys of those.
template <class S, image_kind Kind>
struct image_of_key {
  using T = typename S::T;
  using K = key_bits<S>;
  plain_image<K> image;
  turned<K> turn;
  explicit image_of_key(const plain_image<K>& i) : image(i), turn(i) {}
  T operator()(T key) const {
    const K u = static_cast<K>(key);
    if constexpr (Kind == image_kind::turned_floats)
      return static_cast<T>(turn(u) ^ bias<S>);
    const K signs = static_cast<K>(K{0} - static_cast<K>(u >> (8 * sizeof(K) - 1)));
    return static_cast<T>(u ^ (Kind == image_kind::floats ? signs & image.negative : K{0}) ^ image.flip ^ bias<S>);
  }
  // Of integers and turned floats.
  T back(T x) const {
    const K u = static_cast<K>(x) ^ bias<S>;
    return static_cast<T>(Kind == image_kind::turned_floats ? turn.back(u) : static_cast<K>(u ^ image.flip));
  }
};

// Of vectors.
template <class S, image_kind Kind>
struct image_of_vector {
  using K = key_bits<S>;
  using V = typename S::V;
  V negative, first, flip;
  explicit image_of_vector(const plain_image<K>& image)
      : negative(all(image.negative)), first(all(turned<K>(image).first)),
        flip(all((Kind == image_kind::turned_floats ? turned<K>(image).flip : image.flip) ^ bias<S>)) {}
  SORTILE_INLINE V operator()(V u) const {
    if constexpr (Kind == image_kind::integers)
      return S::bits_xor(u, flip);
    else if constexpr (Kind == image_kind::floats)
      return S::image(u, negative, flip);
    else
      return S::bits_xor(S::minus(S::image(u, negative, S::all(0)), first), flip);
  }

 private:
  static V all(K x) { return S::all(static_cast<typename S::T>(x)); }
};

template <class S, image_kind Kind>
struct below_pivot_as_image {
  image_of_vector<S, Kind> image;
  typename S::V pivot;
  SORTILE_INLINE unsigned operator()(typename S::V u) const { return S::template low_lanes<false>(image(u), pivot); }
};

// ---- samples ----

inline constexpr unsigned most_poor_splits = 8;

// What images of the wanted ranks probably lie between, themselves included, and one in the middle of them.
template <class T>
struct bracket {
  T low, high, middle;
};

// Of ranks `first` to `last`. A bound that is beyond the sample is `least` or `greatest`.
template <class S, class Image>
bracket<typename S::T> sampled_bracket(const typename S::T* keys, std::size_t n, std::size_t first, std::size_t last,
                                       float deviations, const Image& image, typename S::T least,
                                       typename S::T greatest, random_positions<typename S::T>& random) {
  using T = typename S::T;
  alignas(64) T sample[most_sampled];
  const std::size_t m = sample_of(n);
  if (n < 4096) {
    const std::size_t stride = n / m;
    for (std::size_t i = 0; i < m; ++i)
      sample[i] = keys[i * stride + stride / 2];
  } else {
    draw<S>(keys, n, random, sample, m);
  }
  for (std::size_t i = 0; i < m; ++i) // no algorithm of the library's: compiled for less, it would call `image`
    sample[i] = image(sample[i]);
  sort_keys<S>(bits<S>(sample), m, as_they_are<S>(), bits<S>(sample));
  const sampled_places at(n, m, first, last, deviations);
  return {at.low < 0 ? least : sample[static_cast<std::size_t>(at.low)],
          at.high < static_cast<float>(m) ? sample[static_cast<std::size_t>(at.high)] : greatest,
          sample[std::min(m - 1, static_cast<std::size_t>(at.middle))]};
}

// Whether images rise, or stay, from key to key of n > lanes: then each key is where a stable sort has it.
template <class S, image_kind Kind>
bool rises(const typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image) {
  const image_of_vector<S, Kind> image_of(image);
  const auto falls = [&](std::size_t i) __attribute__((always_inline)) {
    return S::any_greater(image_of(S::load(keys + i)), image_of(S::load(keys + i + 1)));
  };
  for (std::size_t i = 0; i + S::lanes < n; i += S::lanes)
    if (falls(i))
      return false;
  return !falls(n - S::lanes - 1);
}

template <class S>
bool is_in_order(const typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image) {
  return image.infinity == 0 ? rises<S, image_kind::integers>(keys, n, image)
                             : rises<S, image_kind::turned_floats>(keys, n, image);
}

// ---- in place ----

// Fewer keys are sorted sooner than asked whether they are in order.
inline constexpr std::size_t run_from = 64;
// Up to so many keys of which a quarter is wanted are sorted as soon.
inline constexpr std::size_t sorted_with_many = 4096;

// Brings the keys of ranks `first` to `last` of n to their places, what comes before them in front of them, and the
// others behind them. Of floats that are not turned, there is no −0 and no NaN. All images are in [least, greatest].
template <class S, image_kind Kind>
void select_plain(typename S::T* keys, std::size_t n, std::size_t first, std::size_t last,
                  const plain_image<key_bits<S>>& image,
                  typename S::T least = std::numeric_limits<typename S::T>::min(),
                  typename S::T greatest = std::numeric_limits<typename S::T>::max()) {
  static_assert(Kind != image_kind::turned_floats);
  using T = typename S::T;
  using K = key_bits<S>;
  constexpr std::size_t leaf = S::rows_at_once * S::lanes;
  static_assert(leaf >= 2 * block_vectors * S::lanes);
  random_positions<T> random{0x9e3779b97f4a7c15 + n};
  unsigned poor = 0; // splits that left more than half
  if (n <= sorted_with_many && last - first >= n / 4) {
    sort_keys<S>(bits<S>(keys), n, image, bits<S>(keys));
    return;
  }
  // Keeps the side of a split that has the wanted ranks; whether that is the low one, or the other, as was thought.
  // Where both sides have some, those of which there are fewer are brought to their places first.
  const auto keep = [&](T pivot, bool low) {
    const std::size_t below =
        split_by<S>(keys, n, below_pivot_as_image<S, Kind>{image_of_vector<S, Kind>(image), S::all(pivot)});
    const bool both = first < below && last >= below;
    if (both && below - first > last + 1 - below) {
      select_plain<S, Kind>(keys + below, n - below, 0, last - below, image, pivot, greatest);
      last = below - 1;
    } else if (both) {
      select_plain<S, Kind>(keys, below, first, below - 1, image, least, static_cast<T>(pivot - 1));
      first = below;
    }
    if (last < below) {
      n = below, greatest = static_cast<T>(pivot - 1);
      return low && !both;
    }
    keys += below, n -= below, first -= below, last -= below, least = pivot;
    return !low && !both;
  };
  const auto keep_low = [&](T high) { return high == greatest || n < leaf || keep(static_cast<T>(high + 1), true); };
  const auto keep_high = [&](T low) { return low == least || n < leaf || keep(low, false); };
  while (n > leaf && least < greatest) {
    const std::size_t before = n;
    if (poor >= most_poor_splits) { // a digit of one bit
      const K width = static_cast<K>(static_cast<K>(greatest) - static_cast<K>(least));
      keep_low(static_cast<T>(static_cast<K>(least) + width / 2));
      continue;
    }
    auto [low, high, middle] =
        sampled_bracket<S>(keys, n, first, last, split_margin, image_of_key<S, Kind>(image), least, greatest, random);
    if (low == least && high == greatest) {
      if (last - first > n / 4) {
        sort_keys<S>(bits<S>(keys), n, image, bits<S>(keys));
        return;
      }
      (middle > least ? low : high) = middle;
    }
    if (first < n - 1 - last)
      static_cast<void>(keep_low(high) && keep_high(low));
    else
      static_cast<void>(keep_high(low) && keep_low(high));
    poor += n > before / 2;
  }
  if (n > 1 && least < greatest)
    sort_few<S, true>(keys, n, image, keys);
}

// The zeros and NaNs of an array, in its order: which of them have given ranks in a stable sort.
template <class K>
class specials {
 public:
  specials(const K* keys, std::size_t n, const plain_image<K>& image)
      : keys_(keys), magnitude_(image.negative), infinity_(image.infinity) {
    const K sign = static_cast<K>(~magnitude_);
    std::size_t minus = 0;
    for (std::size_t i = 0; i < n; ++i) {
      nans_ += is_nan(keys[i]);
      zeros_ += is_zero(keys[i]);
      minus += (keys[i] & sign) != 0;
      minus -= (keys[i] & sign) != 0 && (is_nan(keys[i]) || is_zero(keys[i]));
    }
    const bool falling = image.flip != sign;
    first_nan_ = falling ? 0 : n - nans_;
    first_zero_ = falling ? n - zeros_ - minus : minus;
  }

  /// Writes those of the ranks from `first` to `last` that are zeros or NaNs to where their ranks say from `found` on;
  /// whether there are any.
  bool write(std::size_t first, std::size_t last, K* found) const {
    const bool nans = write_those(first, last, found, first_nan_, nans_, [this](K u) { return is_nan(u); });
    const bool zeros = write_those(first, last, found, first_zero_, zeros_, [this](K u) { return is_zero(u); });
    return nans || zeros;
  }

 private:
  bool is_nan(K u) const { return static_cast<K>(u & magnitude_) > infinity_; }
  bool is_zero(K u) const { return static_cast<K>(u & magnitude_) == 0; }

  template <class Is>
  bool write_those(std::size_t first, std::size_t last, K* found, std::size_t begin, std::size_t count, Is&& is) const {
    const std::size_t from = std::max(first, begin), until = std::min(last + 1, begin + count);
    for (std::size_t i = 0, rank = begin; rank < until && from < until; ++i)
      if (is(keys_[i])) {
        if (rank >= from)
          found[rank - first] = keys_[i];
        ++rank;
      }
    return from < until;
  }

  const K* keys_;
  K magnitude_, infinity_;
  std::size_t nans_ = 0, zeros_ = 0, first_nan_, first_zero_;
};

template <class S>
void select_around_specials(key_bits<S>* keys, std::size_t n, std::size_t nth, const plain_image<key_bits<S>>& image) {
  using K = key_bits<S>;
  K special = 0;
  const bool is_special = specials<K>(keys, n, image).write(nth, nth, &special);
  const turned<K> turn(image);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = turn(keys[i]);
  select_plain<S, image_kind::integers>(numbers<S>(keys), n, nth, nth, {});
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = turn.back(keys[i]);
  if (is_special) // any other one may stand where it stood
    std::swap(keys[nth], *std::find(keys, keys + n, special));
}

template <class S>
void select_keys(key_bits<S>* keys, std::size_t n, std::size_t nth, const plain_image<key_bits<S>>& image) {
  typename S::T* const all = numbers<S>(keys);
  if (n >= run_from && is_in_order<S>(all, n, image))
    return;
  if (image.infinity != 0 && any_special<S>(all, n, image))
    select_around_specials<S>(keys, n, nth, image);
  else if (n <= S::rows_at_once * S::lanes)
    sort_few<S, true>(all, n, image, all);
  else if (image.infinity == 0)
    select_plain<S, image_kind::integers>(all, n, nth, nth, image);
  else
    select_plain<S, image_kind::floats>(all, n, nth, nth, image);
}

// ---- of keys that are only read ----

// Whether keys equal to the bounds of an interval lie in it, or are counted beside it.
enum class bounds : unsigned char { included, excluded, counted };

// Copies the images that lie between `low` and `high` to `inside`, in order: how many. Whole vectors are written: there
// is room for n and one more. Counts those in front of the interval, with those equal to a `low` that does not lie in
// it.
template <class S, image_kind Kind, bounds Bounds>
std::size_t gather_between(const typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image,
                           typename S::T low, typename S::T high, typename S::T* inside, interval_counts& counts) {
  using V = typename S::V;
  constexpr unsigned all = (1u << S::lanes) - 1;
  const image_of_vector<S, Kind> image_of(image);
  const V lowest = S::all(low), highest = S::all(high);
  typename S::T* to = inside;
  interval_counts more;
  const auto count = [](unsigned lanes) { return static_cast<std::size_t>(_mm_popcnt_u32(lanes)); };
  const auto take = [&](V u, unsigned there) __attribute__((always_inline)) {
    const V x = image_of(u);
    const unsigned is_low = S::template low_lanes<Bounds != bounds::included>(x, lowest) & there;
    const unsigned is_inside = S::template low_lanes<Bounds == bounds::included>(x, highest) & there & ~is_low;
    more.before += count(is_low);
    if constexpr (Bounds == bounds::counted) {
      more.low += count(S::equal_lanes(x, lowest) & there);
      more.high += count(S::equal_lanes(x, highest) & there);
    }
    S::store_others(x, is_inside ^ all, to);
  };
  std::size_t i = 0;
  for (; i + 4 * S::lanes <= n; i += 4 * S::lanes)
    each<4>([&](auto r) __attribute__((always_inline)) { take(S::load(keys + i + r.value * S::lanes), all); });
  for (; i < n; i += S::lanes) { // lanes that are not there are zeros
    const std::size_t left = std::min(n - i, S::lanes);
    take(S::load_first(keys + i, left), all >> (S::lanes - left));
  }
  counts.before += more.before;
  counts.low += more.low;
  counts.high += more.high;
  return static_cast<std::size_t>(to - inside);
}

// Leaves images of ranks `first` to `last` in order in `space`: where.
template <class S, image_kind Kind>
const typename S::T* images_of_ranks(const typename S::T* keys, std::size_t n, std::size_t first, std::size_t last,
                                     const plain_image<key_bits<S>>& image, typename S::T* space) {
  using T = typename S::T;
  T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const auto gather = [&](std::size_t& below) {
    interval_counts counts;
    const std::size_t copied = gather_between<S, Kind, bounds::included>(keys, n, image, low, high, space, counts);
    below = counts.before;
    return copied;
  };
  std::size_t below = 0, inside = n;
  if (n <= copied_whole) {
    const image_of_vector<S, Kind> image_of(image);
    std::size_t i = 0;
    for (; i + S::lanes <= n; i += S::lanes)
      S::store(space + i, image_of(S::load(keys + i)));
    if (i < n) // greatest numbers behind them: whole vectors are sorted, whose stores are read again sooner
      S::store(space + i, S::fill_behind(image_of(S::load_first(keys + i, n - i)), n - i));
    const std::size_t whole = (n + S::lanes - 1) / S::lanes * S::lanes;
    if (whole <= S::rows_at_once * S::lanes) {
      sort_few<S, false>(space, whole, as_they_are<S>(), space);
      return space + first;
    }
  } else {
    random_positions<T> random{0x9e3779b97f4a7c15 + n};
    const auto likely =
        sampled_bracket<S>(keys, n, first, last, read_margin, image_of_key<S, Kind>(image), low, high, random);
    const T least = low, greatest = high;
    low = likely.low, high = likely.high;
    inside = gather(below);
    if (first < below || last >= below + inside) { // all of one side, or all that there is
      const bool is_low = last < below, is_high = first >= below + inside;
      high = is_low ? static_cast<T>(low - 1) : greatest;
      low = is_high ? static_cast<T>(likely.high + 1) : least;
      inside = gather(below);
    }
  }
  select_plain<S, image_kind::integers>(space, inside, first - below, last - below, as_they_are<S>(), low, high);
  return space + (first - below);
}

template <class S, image_kind Kind>
void keys_of_ranks(const key_bits<S>* keys, std::size_t n, std::size_t first, std::size_t last,
                   const plain_image<key_bits<S>>& image, key_bits<S>* space, key_bits<S>* found) {
  const typename S::T* const images =
      images_of_ranks<S, Kind>(numbers<S>(keys), n, first, last, image, numbers<S>(space));
  const image_of_key<S, Kind> codec(image);
  bool is_special = false;
  for (std::size_t i = 0; i <= last - first; ++i) {
    found[i] = static_cast<key_bits<S>>(codec.back(images[i]));
    const auto magnitude = static_cast<key_bits<S>>(found[i] & image.negative);
    is_special |= magnitude == 0 || magnitude > image.infinity;
  }
  if (Kind == image_kind::turned_floats && is_special)
    specials<key_bits<S>>(keys, n, image).write(first, last, found);
}

// Copies the keys of ranks `first` to `last` to `found`; the keys are only read. `space` has room for n and a vector.
template <class S>
void find_ranks(const key_bits<S>* keys, std::size_t n, std::size_t first, std::size_t last,
                const plain_image<key_bits<S>>& image, key_bits<S>* space, key_bits<S>* found) {
  if (n > S::rows_at_once * S::lanes && is_in_order<S>(numbers<S>(keys), n, image))
    std::copy(keys + first, keys + last + 1, found);
  else if (image.infinity == 0)
    keys_of_ranks<S, image_kind::integers>(keys, n, first, last, image, space, found);
  else
    keys_of_ranks<S, image_kind::turned_floats>(keys, n, first, last, image, space, found);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
