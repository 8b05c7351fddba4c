// The vector sorts of keys alone: the quicksort of images, and what makes images of keys.
namespace sortile::cpu::SORTILE_CPU_ISA {

template <class S>
std::size_t take_out(const typename S::T* from, std::size_t n, const typename S::T* heavy, std::size_t m,
                     std::uint64_t* counts, typename S::T* rest);

// Writes the key of an image n times.
template <class S>
void fill_image(typename S::T* to, std::size_t n, typename S::T x, const plain_image<key_bits<S>>& image) {
  const typename S::V v = vector_image<S>(image).from(S::all(x));
  std::size_t i = 0;
  for (; i + S::lanes <= n; i += S::lanes)
    S::store(to + i, v);
  S::store_first(to + i, n - i, v);
}

// Where the keys of one image stand.
struct middle_part {
  std::size_t begin, end;
};

// Of n images, of which most are x, the first `equal` too: gathers the others, splits them, and writes the key of x
// between what is below it and what is above.
template <class S>
[[gnu::noinline]] middle_part gather_others(typename S::T* keys, std::size_t n, std::size_t equal, typename S::T x,
                                            const plain_image<key_bits<S>>& image) {
  std::uint64_t count = 0;
  const std::size_t others = take_out<S>(keys + equal, n - equal, &x, 1, &count, keys),
                    below = split_any<S, false>(keys, others, x), end = n - (others - below);
  std::memmove(keys + end, keys + below, (others - below) * sizeof(x));
  fill_image<S>(keys + below, end - below, x, image);
  return {below, end};
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
    T pivots[3];
    std::size_t begins[3];
    if (split_by_sample<S>(keys, n, lowest, random, pivots, begins)) {
      depth -= depth > 0; // two levels
      const std::size_t begin = each_of_three(
          pivots, begins, lowest, [&](std::size_t at, std::size_t size) { from_images<S>(keys + at, size, image); },
          [&](std::size_t at, std::size_t size, T least) {
            quicksort<S>(keys + at, size, image, least, depth, random);
          });
      keys += begin, n -= begin;
      continue;
    }
    const drawn_pivot<T> drawn = choose_pivot<S>(keys, n, random);
    const T pivot = drawn.key;
    const T above = pivot < std::numeric_limits<T>::max() ? static_cast<T>(pivot + 1) : pivot;
    if (drawn.is_heavy) [[unlikely]] {
      const std::size_t equal = equal_front<S>(keys, n, pivot);
      if (equal == n)
        return from_images<S>(keys, n, image);
      if (pivot != lowest) { // else nothing is below it, and one split does
        const middle_part middle = gather_others<S>(keys, n, equal, pivot, image);
        quicksort<S>(keys, middle.begin, image, lowest, depth, random);
        keys += middle.end, n -= middle.end;
        lowest = above;
        continue;
      }
    }
    if (!drawn.is_least) {
      const std::size_t below = split_in_place<S, false>(keys, n, pivot);
      quicksort<S>(keys, below, image, lowest, depth, random);
      keys += below, n -= below;
      lowest = pivot;
      continue;
    }
    // The sample has no lesser one, so the pivot goes with those below it, if there are any.
    const std::size_t low = split_in_place<S, true>(keys, n, pivot);
    if (pivot == lowest)
      from_images<S>(keys, low, image);
    else
      quicksort<S>(keys, low, image, lowest, depth, random);
    keys += low, n -= low;
    lowest = above;
  }
  if (n > 0)
    sort_few<S, false>(keys, n, image, keys);
}

template <class S>
void sort_images(typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image) {
  random_positions<typename S::T> random{0x9e3779b97f4a7c15 + n};
  quicksort<S>(keys, n, image, std::numeric_limits<typename S::T>::min(),
               2 * static_cast<unsigned>(std::bit_width(n)) + 8, random);
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
// And back.
template <class S>
key_bits<S>* bits(typename S::T* numbers) {
  return reinterpret_cast<key_bits<S>*>(numbers);
}

template <class S>
void sort_keys(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image, key_bits<S>* sorted) {
  const typename S::T* const from = numbers<S>(keys);
  typename S::T* const to = numbers<S>(sorted);
  if (n <= S::rows_at_once * S::lanes) {
    if (n > 0)
      sort_few<S, true>(from, n, image, to);
    return;
  }
  to_images<S>(from, n, image, to);
  sort_images<S>(to, n, image);
}

// Whether images that rise from key to key, or fall, or stay, tell the order of floats among which a −0 or a NaN is:
// not of NaNs, and +0 may not go behind a −0 that it has stood before.
template <class S>
[[gnu::noinline]] bool tell_order(typename S::V u, typename S::V next, typename S::V infinity, bool falling) {
  const typename S::V first = S::magnitude(u), second = S::magnitude(next);
  if (S::has_special(first, infinity) || S::has_special(second, infinity))
    return false;
  return !falling || (S::equal_lanes(S::bits_or(first, second), S::all(0)) & ~S::equal_lanes(u, next)) == 0;
}

// How many of n > lanes keys, all or up to a vector, have images that rise from key to key, or fall, or stay, and tell
// their order. Equal keys are equal bits, so what falls and stays may be reversed.
template <class S>
[[gnu::noinline]] std::size_t length_of_run(const typename S::T* keys, std::size_t n,
                                            const plain_image<key_bits<S>>& image, bool falling) {
  using V = typename S::V;
  const vector_image<S> im(image);
  const V infinity = S::all(static_cast<typename S::T>(image.infinity));
  const typename S::T *const less = keys + falling, *const greater = keys + !falling;
  const auto holds = [&](std::size_t i) __attribute__((always_inline)) {
    const V u = S::load(less + i), next = S::load(greater + i);
    if (image.infinity != 0 && (S::has_special(u, infinity) || S::has_special(next, infinity))) [[unlikely]]
      if (!tell_order<S>(u, next, infinity, falling))
        return false;
    return !S::any_greater(im.to(u), im.to(next));
  };
  for (std::size_t i = 0; i + S::lanes < n; i += S::lanes)
    if (!holds(i))
      return i + 1;
  return holds(n - S::lanes - 1) ? n : n - S::lanes;
}

// Whether there is a −0 or a NaN, of floats.
template <class S>
bool any_special(const typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image) {
  const typename S::V infinity = S::all(static_cast<typename S::T>(image.infinity));
  constexpr std::size_t block = block_vectors * S::lanes;
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
    bool special = false;
    each<block_vectors>([&](auto r) __attribute__((always_inline)) {
      special |= S::has_special(S::load(keys + i + r.value * S::lanes), infinity);
    });
    if (special)
      return true;
  }
  bool special = false;
  for (; i < n; i += S::lanes)
    special |= S::has_special(S::load_first(keys + i, std::min(n - i, S::lanes)), infinity);
  return special;
}

// Of n keys, of which the first `equal` ≥ 1 are one: whether hardly any others are among them, so that these are put
// before it and behind. One read tells, and where the array stays in its place nothing but the others is written.
//
//     7 7 7 7 3 7 7 9 7 7   ──▶   others 3 9      ──▶   [3] 7 7 7 [7] 7 7 [7] 7 [9]
template <class S>
[[gnu::noinline]] bool place_few_others(const typename S::T* from, std::size_t n, std::size_t equal,
                                        const plain_image<key_bits<S>>& image, typename S::T* to) {
  using T = typename S::T;
  constexpr std::size_t most = 32;
  const T key = from[0];
  std::size_t at[most];
  alignas(64) T others[most + 1];
  std::size_t m = 0;
  const bool few = each_other<S>(from + equal, n - equal, key, [&](std::size_t i) {
    if (m == most)
      return false;
    at[m] = equal + i;
    others[m++] = from[equal + i];
    return true;
  });
  if (!few)
    return false;
  others[m] = key;
  if (m > 0 && to_images<S>(others, m + 1, image, others) <= m)
    return false;
  sort_few<S, false>(others, m + 1, image, others);
  if (from != to)
    std::memcpy(to, from, n * sizeof(T));
  for (std::size_t j = 0; j < m; ++j)
    to[at[j]] = key;
  const auto below = static_cast<std::size_t>(std::find(others, others + m, key) - others);
  std::copy(others, others + below, to);
  std::copy(others + below + 1, others + m + 1, to + n - (m - below));
  return true;
}

// Floats and integers as vectors compare them, one at a time.
template <class S>
class scalar_image {
 public:
  explicit scalar_image(const plain_image<key_bits<S>>& image) : image_(image) {}
  typename S::T operator()(typename S::T key) const {
    const auto u = static_cast<key_bits<S>>(key);
    const key_bits<S> negative = (u >> (8 * sizeof(u) - 1)) != 0 ? image_.negative : 0;
    return static_cast<typename S::T>(u ^ negative ^ image_.flip ^ bias<S>);
  }

 private:
  const plain_image<key_bits<S>> image_;
};

inline constexpr std::size_t most_taken_out = 4096; // keys, on the stack

// Of n keys, so many may be out of place: splits take longer the wider keys are, and the more there are.
template <class T>
std::size_t most_out_of_place(std::size_t n) {
  return std::min(most_taken_out, n * static_cast<std::size_t>(std::bit_width(n)) * sizeof(T) / 1024);
}

// Keys of which few are out of place: these are taken out, sorted, and merged with the others, which are in order.
//
//     1 2 [9] 4 5 6 [3] 7 8   ──▶   1 2 5 7 8      9 4 6 3      a key that comes before the one before it goes, and
//                                                               so does that one: one of the two is out of place
//
// Idea: Cook and Kim, "Best sorting algorithm for nearly sorted lists", 1980. Cost: a key that stays is read, compared
// and moved twice, a vector at a time, 0.3 ns; one that goes takes some 30 ns. A split takes 0.5 ns for each level.
template <class S>
class nearly_in_order {
  using T = typename S::T;
  using V = typename S::V;

 public:
  // Of n keys, of which the first `rising` ≥ 1 are in order.
  nearly_in_order(const T* from, std::size_t n, std::size_t rising, const plain_image<key_bits<S>>& image, T* to)
      : from_(from), n_(n), image_(image), scalar_(image), vector_(image), to_(to),
        read_(image.infinity == 0 ? rising : 1), kept_(read_) {}

  // False, and the keys are as they were, where too many are out of place, or −0 or a NaN is among them.
  [[gnu::noinline]] bool place() {
    constexpr std::size_t block = 512;
    if (from_ != to_)
      std::copy_n(from_, kept_, to_);
    bool done = true;
    while (done && read_ < n_) {
      const std::size_t end = std::min(n_, read_ + block);
      done = (image_.infinity == 0 || !any_special<S>(from_ + read_ - 1, end - read_ + 1, image_)) && take_out(end);
    }
    if (!done) {
      if (from_ == to_)
        put_back();
      return false;
    }
    to_images<S>(others_, taken_, image_, others_);
    sort_images<S>(others_, taken_, image_);
    merge();
    return true;
  }

 private:
  // Of the keys from place i > 0 on, which come before the one before them.
  unsigned descents_at(std::size_t i) const {
    return S::template low_lanes<false>(vector_.to(S::load(from_ + i)), vector_.to(S::load(from_ + i - 1)));
  }

  // Up to `end`. False where too many are out of place.
  bool take_out(std::size_t end) {
    while (read_ < end) {
      if (taken_ == 0 || (kept_ > 0 && to_[kept_ - 1] == from_[read_ - 1])) // else the one before it is gone
        keep_run(end);
      if (read_ == end)
        return true;
      const T key = from_[read_];
      if (kept_ > 0 && scalar_(key) < scalar_(to_[kept_ - 1])) {
        if (!take_two(key))
          return false;
      } else {
        to_[kept_++] = key;
      }
      ++read_;
    }
    return true;
  }

  // Keeps whole vectors of keys that rise from the one before them, and the first ones of another.
  void keep_run(std::size_t end) {
    while (read_ + S::lanes <= end) {
      const unsigned descents = descents_at(read_);
      if (descents != 0) {
        for (auto rising = std::countr_zero(descents); rising > 0; --rising)
          to_[kept_++] = from_[read_++];
        return;
      }
      S::store(to_ + kept_, S::load(from_ + read_));
      kept_ += S::lanes, read_ += S::lanes;
    }
  }

  // This key, and the last one that was kept. False where they are too many, in all or here.
  bool take_two(T key) {
    constexpr std::size_t some = 16, apart = 24; // random keys have so many so near
    if (taken_ + 2 > most_taken_out || are_too_many())
      return false;
    if (taken_ % some == 0) {
      if (taken_ > 0 && read_ - read_before_ < apart)
        return false;
      read_before_ = read_;
    }
    places_[taken_ / 2] = read_;
    others_[taken_++] = to_[--kept_];
    others_[taken_++] = key;
    return true;
  }

  // Much more than what was seen of all.
  bool are_too_many() const {
    constexpr std::size_t few = 16;
    return taken_ > few + 2 * read_ * most_out_of_place<T>(n_) / n_;
  }

  // In place: takes back what was done, the last key first.
  void put_back() {
    for (; taken_ > 0; taken_ -= 2) {
      const std::size_t place = places_[taken_ / 2 - 1], behind = read_ - place - 1; // all of these were kept
      kept_ -= behind;
      std::memmove(to_ + place + 1, to_ + kept_, behind * sizeof(T));
      to_[place] = others_[taken_ - 1];
      to_[kept_++] = others_[taken_ - 2];
      read_ = place;
    }
  }

  // From the end: what is kept moves up behind the greatest of the others that are left.
  void merge() {
    for (std::size_t left = taken_; left > 0; --left) {
      const T other = others_[left - 1], image = scalar_(other);
      const V all = S::all(image);
      for (; kept_ >= S::lanes; kept_ -= S::lanes) {
        const V keys = S::load(to_ + kept_ - S::lanes);
        if (S::template low_lanes<true>(vector_.to(keys), all) != 0)
          break;
        S::store(to_ + kept_ - S::lanes + left, keys);
      }
      for (; kept_ > 0 && scalar_(to_[kept_ - 1]) > image; --kept_)
        to_[kept_ - 1 + left] = to_[kept_ - 1];
      to_[kept_ - 1 + left] = other;
    }
  }

  const T* const from_;
  const std::size_t n_;
  const plain_image<key_bits<S>>& image_;
  const scalar_image<S> scalar_;
  const vector_image<S> vector_;
  T* const to_;
  std::size_t read_, kept_, taken_ = 0, read_before_ = 0;
  std::size_t places_[most_taken_out / 2]; // where the second of each two was
  alignas(64) T others_[most_taken_out];
};

// How many of the keys behind `at` come before the one before them, of so many vectors.
template <class S>
[[gnu::noinline]] std::size_t descents_in(const typename S::T* at, std::size_t vectors,
                                          const plain_image<key_bits<S>>& image) {
  const vector_image<S> im(image);
  std::size_t descents = 0;
#pragma GCC unroll 1
  for (; vectors > 0; --vectors, at += S::lanes)
    descents += static_cast<std::size_t>(
        std::popcount(S::template low_lanes<false>(im.to(S::load(at + 1)), im.to(S::load(at)))));
  return descents;
}

// Whether so few keys seem to be out of place that it pays: 16 tell that of random ones, four times 64 of others. Two
// keys go for each that comes before the one before it.
template <class S>
bool seems_nearly_in_order(const typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image) {
  using T = typename S::T;
  constexpr std::size_t least = 512; // of fewer keys, to look takes more than a hundredth of their sort
  constexpr std::size_t most_of_16 = 2, places = 4, length = 64;
  if (n < least || descents_in<S>(keys, std::max<std::size_t>(2, 16 / S::lanes), image) > most_of_16)
    return false;
  std::size_t descents = 0;
  for (std::size_t p = 0; p < places; ++p)
    descents += descents_in<S>(keys + (n - length - 1) / (places - 1) * p, length / S::lanes, image);
  return 2 * descents * n <= places * length * (most_out_of_place<T>(n) + n / 64);
}

// Apart from its caller, whose stack would be as large.
template <class S>
[[gnu::noinline]] bool place_nearly_in_order(const typename S::T* from, std::size_t n, std::size_t rising,
                                             const plain_image<key_bits<S>>& image, typename S::T* to) {
  return nearly_in_order<S>(from, n, rising, image, to).place();
}

// Whether n > lanes keys are in order, or against it, or all but for a few, or all the same but for a few. `sorted`
// holds the result then.
template <class S>
bool place_in_order(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image,
                    key_bits<S>* sorted) {
  const typename S::T* const from = numbers<S>(keys);
  typename S::T* const to = numbers<S>(sorted);
  constexpr std::size_t seem_one = 64, seem_one_from = 8192; // keys; of fewer two values seem one too often
  if (n >= seem_one_from && from[0] == from[n / 2] && from[0] == from[n - 1] &&
      place_few_others<S>(from, n, 1, image, to))
    return true;
  const std::size_t equal = equal_front<S>(from, n, from[0]), same = std::min(equal - 1, n - S::lanes - 1),
                    rising = equal == n ? n : same + length_of_run<S>(from + same, n - same, image, false);
  if (rising == n) {
    if (from != to)
      std::memcpy(to, from, n * sizeof *to);
    return true;
  }
  if (equal >= seem_one && place_few_others<S>(from, n, equal, image, to))
    return true;
  if (same + length_of_run<S>(from + same, n - same, image, true) != n)
    return seems_nearly_in_order<S>(from, n, image) && place_nearly_in_order<S>(from, n, rising, image, to);
  if (from == to)
    std::reverse(to, to + n);
  else
    std::reverse_copy(from, from + n, to);
  return true;
}

// Keys that may be in order already, and of which nothing is known.
template <class S>
bool sort_unseen(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image, key_bits<S>* sorted) {
  const typename S::T* const from = numbers<S>(keys);
  typename S::T* const to = numbers<S>(sorted);
  if (n <= S::rows_at_once * S::lanes) {
    if (image.infinity != 0 && any_special<S>(from, n, image))
      return false;
    sort_few<S, true>(from, n, image, to);
    return true;
  }
  if (place_in_order<S>(keys, n, image, sorted))
    return true;
  if (const std::size_t made = to_images<S>(from, n, image, to); made < n) {
    if (from == to)
      from_images<S>(to, made, image);
    return false;
  }
  sort_images<S>(to, n, image);
  return true;
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
