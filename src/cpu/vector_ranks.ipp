// The vector selections' steps one by one, see vector_ranks.hpp.
namespace sortile::cpu::SORTILE_CPU_ISA {

// Calls f with the kind of numbers that keys are compared as where −0 and NaNs may be among them.
template <class K, class F>
auto with_numbers(const plain_image<K>& image, F&& f) {
  return image.infinity == 0 ? f(std::integral_constant<image_kind, image_kind::integers>{})
                             : f(std::integral_constant<image_kind, image_kind::turned_floats>{});
}

// The same where there are none.
template <class K, class F>
auto with_images(const plain_image<K>& image, F&& f) {
  return image.infinity == 0 ? f(std::integral_constant<image_kind, image_kind::integers>{})
                             : f(std::integral_constant<image_kind, image_kind::floats>{});
}

template <class S, image_kind Kind>
void each_image(const typename S::T* keys, std::size_t n, const plain_image<key_bits<S>>& image, typename S::T* to) {
  const image_of_vector<S, Kind> image_of(image);
  std::size_t i = 0;
  for (; i + S::lanes <= n; i += S::lanes)
    S::store(to + i, image_of(S::load(keys + i)));
  S::store_first(to + i, n - i, image_of(S::load_first(keys + i, n - i)));
}

template <class S>
void numbers_of_keys(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image,
                     key_bits<S>* numbers_of) {
  with_numbers(image,
               [&](auto kind) { each_image<S, kind.value>(numbers<S>(keys), n, image, numbers<S>(numbers_of)); });
}

template <class S>
void images_of_keys(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image,
                    key_bits<S>* images) {
  with_images(image, [&](auto kind) { each_image<S, kind.value>(numbers<S>(keys), n, image, numbers<S>(images)); });
}

template <class S>
void keys_of_numbers(const key_bits<S>* from, std::size_t n, const plain_image<key_bits<S>>& image, key_bits<S>* keys) {
  with_numbers(image, [&](auto kind) {
    const image_of_key<S, kind.value> codec(image);
    for (std::size_t i = 0; i < n; ++i)
      keys[i] = static_cast<key_bits<S>>(codec.back(static_cast<typename S::T>(from[i])));
  });
}

template <class S>
void sort_numbers(key_bits<S>* images, std::size_t n) {
  sort_images<S>(numbers<S>(images), n, as_they_are<S>());
}

template <class S>
bool keys_are_in_order(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image) {
  return is_in_order<S>(numbers<S>(keys), n, image);
}

template <class S>
bool any_special_key(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image) {
  return any_special<S>(numbers<S>(keys), n, image);
}

template <class S>
std::size_t numbers_between(const key_bits<S>* keys, std::size_t n, const plain_image<key_bits<S>>& image,
                            key_bits<S> low, key_bits<S> high, bool count_bounds, key_bits<S>* inside,
                            interval_counts& counts) {
  using T = typename S::T;
  return with_numbers(image, [&](auto kind) {
    const auto gather =
        count_bounds ? gather_between<S, kind.value, bounds::counted> : gather_between<S, kind.value, bounds::excluded>;
    return gather(numbers<S>(keys), n, image, static_cast<T>(low), static_cast<T>(high), numbers<S>(inside), counts);
  });
}

template <class S>
void split_two_of_keys(key_bits<S>* left, std::size_t left_n, key_bits<S>* right, std::size_t right_n,
                       const plain_image<key_bits<S>>& image, key_bits<S> pivot, std::size_t& left_lows,
                       std::size_t& right_lows) {
  with_images(image, [&](auto kind) {
    const below_pivot_as_image<S, kind.value> is_low{image_of_vector<S, kind.value>(image),
                                                     S::all(static_cast<typename S::T>(pivot))};
    split_both<S>(numbers<S>(left), left_n, numbers<S>(right), right_n, is_low, left_lows, right_lows);
  });
}

template <class S>
void select_between(key_bits<S>* keys, std::size_t n, std::size_t first, std::size_t last,
                    const plain_image<key_bits<S>>& image, key_bits<S> lowest, key_bits<S> highest) {
  using T = typename S::T;
  with_images(image, [&](auto kind) {
    select_plain<S, kind.value>(numbers<S>(keys), n, first, last, image, static_cast<T>(lowest),
                                static_cast<T>(highest));
  });
}

template <class S>
inline constexpr rank_parts<key_bits<S>> parts_of_ranks{
    static_cast<key_bits<S>>(std::numeric_limits<typename S::T>::min()),
    static_cast<key_bits<S>>(std::numeric_limits<typename S::T>::max()),
    as_they_are<S>(),
    keys_are_in_order<S>,
    any_special_key<S>,
    numbers_of_keys<S>,
    keys_of_numbers<S>,
    sort_numbers<S>,
    numbers_between<S>,
    images_of_keys<S>,
    split_two_of_keys<S>,
    select_between<S>};

} // namespace sortile::cpu::SORTILE_CPU_ISA
