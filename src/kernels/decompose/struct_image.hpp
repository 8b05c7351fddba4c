// The image of a struct: the images of its members put together as one number, the first member highest.
//
//     members(u16 a, f32 b, i8 c)       image of 56 bits
//
//     55      40 39                8 7       0
//     [    a    ][        b         ][   c   ]      each as primitives/key_codec.hpp has it
//
// Comparing images is comparing the members in turn. The image is never held as a whole: image_word() gives 64 bits of
// it, and does not read members that have no bit in it. The compiler knows where everything lies.
#pragma once

#include "primitives/key_codec.hpp"

#include <sortile/struct_request.hpp>

#include <cstdint>
#include <type_traits>

namespace sortile {

/// A member that is compared the other way round; made by descending().
template <key Member>
struct descending_member {
  Member value;
};

namespace detail {

template <class T>
inline constexpr bool is_descending = false;
template <class K>
inline constexpr bool is_descending<descending_member<K>> = true;

template <std::size_t Bytes>
using bits_of_size =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t,
                                                             std::conditional_t<Bytes == 8, std::uint64_t, uint128>>>>;

} // namespace detail

/// What a decomposer may name: a key of the library, or descending() of one.
template <class M>
concept member = key<M> || detail::is_descending<M>;

/// The members that decide, the most significant first; made by members().
template <member... Member>
struct member_list {};
template <member First, member... Rest>
struct member_list<First, Rest...> {
  First first;
  member_list<Rest...> rest;
};

namespace detail {

template <class... Member>
inline constexpr unsigned image_bits = (0u + ... + unsigned(8 * sizeof(Member)));
template <class List>
inline constexpr unsigned image_bits_of = 0;
template <class... Member>
inline constexpr unsigned image_bits_of<member_list<Member...>> = image_bits<Member...>;

// Made outside of device code, which may read a constant and may not call the function that makes it.
template <class K, order Direction>
inline constexpr auto member_codec = make_key_codec<bits_of_size<sizeof(K)>>(key_type_of<K>, Direction, {});

template <order Direction = order::ascending, class K>
SORTILE_HOST_DEVICE auto member_image(const K& value) {
  constexpr auto codec = member_codec<K, Direction>;
  return codec.whole_image(__builtin_bit_cast(bits_of_size<sizeof(K)>, value));
}
template <class K>
SORTILE_HOST_DEVICE auto member_image(const descending_member<K>& m) {
  return member_image<order::descending>(m.value);
}

template <unsigned Begin>
SORTILE_HOST_DEVICE std::uint64_t image_from(const member_list<>&) {
  return 0;
}

/// The bits [Begin, Begin + 64) of the image of a list.
template <unsigned Begin, class First, class... Rest>
SORTILE_HOST_DEVICE std::uint64_t image_from(const member_list<First, Rest...>& list) {
  constexpr unsigned lowest = image_bits<Rest...>, end = lowest + 8 * sizeof(First);
  std::uint64_t bits = 0;
  if constexpr (lowest >= Begin && lowest < Begin + image_word_bits)
    bits = static_cast<std::uint64_t>(member_image(list.first)) << (lowest - Begin);
  else if constexpr (lowest < Begin && end > Begin)
    bits = static_cast<std::uint64_t>(member_image(list.first) >> (Begin - lowest));
  return bits | image_from<Begin>(list.rest);
}

} // namespace detail

/// Word `Word` of the image, 0 being the lowest.
template <unsigned Word, class... Member>
SORTILE_HOST_DEVICE std::uint64_t image_word(const member_list<Member...>& list) {
  return detail::image_from<Word * image_word_bits>(list);
}

} // namespace sortile
