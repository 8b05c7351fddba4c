// Sorts of two to eight integers of 4 and 8 bytes with values of 4 or 8, or as positions, by types known at run time.
//
// They are done as in the caller's code (few_at_once.hpp): all pairs of images are compared, each in its register, and
// every element moves once. To fill vectors, to read the places that these find from memory and to copy the elements
// takes longer than that, by 15 to 20 ns of a call. Floats, whose images take a dozen operations, bits and other
// values go to few_places.cpp.
#include "cpu/few_words.hpp"
#include "cpu/key_image.hpp"

#include <sortile/few_at_once.hpp>

namespace sortile::cpu {

namespace {

template <class K>
struct integer_images {
  using word = K;
  static constexpr bool tells_keys = false; // they are moved with what they carry
  K flip;

  integer_images(key_type type, order direction) : flip(key_image<K>(type, direction, {}).flip) {}
  K image(K u) const { return static_cast<K>(u ^ flip); }
  template <std::size_t... I>
  bool are_in_order(const K* keys, std::index_sequence<I...>) const {
    return (unsigned{image(keys[I + 1]) < image(keys[I])} | ...) == 0;
  }
};

template <class K, class Value>
void sort_pairs(const sort_request& r, const ordering& by) {
  using value = sortile::detail::held<Value>; // the caller's need not be aligned
  const integer_images<K> images(r.type, by.direction);
  const sortile::detail::few_array<K> keys{static_cast<const K*>(r.keys_in), static_cast<K*>(r.keys_out)};
  const sortile::detail::few_array<value> values{static_cast<const value*>(r.values_in),
                                                 static_cast<value*>(r.values_out)};
  sortile::detail::by_number(r.n, [&](auto all) { sortile::detail::sort_elements(images, all, keys, values); });
}

template <class K, class Index>
void write_positions(const sort_request& r, const ordering& by) {
  const integer_images<K> images(r.type, by.direction);
  sortile::detail::by_number(r.n, [&](auto all) {
    sortile::detail::order_elements(images, all, static_cast<const K*>(r.keys_in), static_cast<Index*>(r.values_out));
  });
}

template <class K, class Carried>
void sort(const sort_request& r, const ordering& by) {
  r.carries == payload::values ? sort_pairs<K, Carried>(r, by) : write_positions<K, Carried>(r, by);
}

} // namespace

bool sort_few_integers(const sort_request& r, const ordering& by) {
  const bool is_one_array = r.carries == payload::indices && r.keys_out == nullptr;
  if (r.n > sortile::detail::most_few || (r.carries != payload::values && !is_one_array) || !by.is_whole() ||
      is_float(r.type) || (r.value_bytes != 4 && r.value_bytes != 8))
    return false;
  const bool is_wide = r.value_bytes == 8;
  switch (key_bytes(r.type)) {
  case 4:
    is_wide ? sort<std::uint32_t, std::uint64_t>(r, by) : sort<std::uint32_t, std::uint32_t>(r, by);
    return true;
  case 8:
    is_wide ? sort<std::uint64_t, std::uint64_t>(r, by) : sort<std::uint64_t, std::uint32_t>(r, by);
    return true;
  default:
    return false;
  }
}

} // namespace sortile::cpu
