// CUB's decomposers as this library's: what a tuple of references to members says becomes a list of members.
//
// A decomposer of CUB takes a T& and returns a tuple of references, the most significant member first. An object of the
// library's decomposers returns members(…) of them (compare.cuh). A bit window counts from the last member's lowest
// bit, over the images of all members put together:
//
//     tuple of u16 a, f32 b, i8 c      image of 56 bits
//
//     55      40 39                8 7       0
//     [    a    ][        b         ][   c   ]     bits [8, 40): by b alone
//
// Words of that image, with the bits outside of the window cleared, are then the members that decide.
#pragma once

#include <sortile/cub/call.cuh>

#include <tuple>

namespace sortile::cub::inline SORTILE_BACKEND {
namespace detail {

/// Of a tuple of references to keys, std's or cuda::std's: how many.
template <class Tuple>
inline constexpr std::size_t referenced_keys = 0;
template <template <class...> class Tuple, class... Member>
inline constexpr std::size_t referenced_keys<Tuple<Member&...>> = (key<Member> && ...) ? sizeof...(Member) : 0;

/// What is no number and can be called with a key.
template <class D, class T>
concept takes_apart = !std::convertible_to<D, int> && requires(D & decompose, T& t) {
  decompose(t);
};

template <class D, class T>
using taken_apart = decltype(std::declval<D&>()(std::declval<T&>()));

/// Whether device code may take the tuple apart: std::get is a host function to nvcc, unless it is told otherwise.
template <class Tuple>
inline constexpr bool is_for_devices = true;
#if defined(__NVCC__) && !defined(__CUDACC_RELAXED_CONSTEXPR__)
template <class... Member>
inline constexpr bool is_for_devices<std::tuple<Member...>> = false;
#endif

/// Whether D is a decomposer of T; where it is not, the compilation ends here.
template <class T, class D>
constexpr bool check_decomposer() {
  static_assert(value<T>, "sortile: keys with a decomposer are moved as bytes and must be trivially copyable");
  static_assert(takes_apart<D, T>, "sortile: a decomposer must be a function object that takes a reference to a key");
  if constexpr (value<T> && takes_apart<D, T>) {
    constexpr bool fits = referenced_keys < std::remove_cvref_t < taken_apart < D, T >>>> 0;
    static_assert(fits, "sortile: a decomposer must return a tuple of references to members, which are integers or "
                        "floats");
    static_assert(std::is_trivially_copyable_v<D>,
                  "sortile: a decomposer is copied to the device as bytes and must be trivially copyable");
    constexpr bool is_read = is_for_devices<std::remove_cvref_t<taken_apart<D, T>>>;
    static_assert(is_read, "sortile: device code reads no std::tuple; let the decomposer return a cuda::std::tuple, or "
                           "compile with --expt-relaxed-constexpr");
    return fits && is_read && std::is_trivially_copyable_v<D>;
  } else {
    return false;
  }
}

// Types that device functions return are made here: nvcc's host pass sees no bodies of theirs, and device code may not
// call the functions that make them.

template <class Tuple>
struct list_of_tuple;
template <template <class...> class Tuple, class... Member>
struct list_of_tuple<Tuple<Member&...>> {
  using type = member_list<std::remove_cv_t<Member>...>;
};
/// The members of a T that is taken apart.
template <class D, class T>
using member_list_of = typename list_of_tuple<std::remove_cvref_t<taken_apart<D, T>>>::type;

/// Bits of their image.
template <class D, class T>
inline constexpr unsigned decomposed_bits = sortile::detail::image_bits_of<member_list_of<D, T>>;

/// The whole of a key's members.
template <class D>
struct by_members {
  D decompose;

  template <class T>
  SORTILE_DEVICE member_list_of<D, T> operator()(const T& t) const {
    T key = t; // CUB's decomposers take a T&, and need not be const
    D take_apart = decompose;
    const auto tuple = take_apart(key);
    return listed<member_list_of<D, T>>(
        tuple, std::make_index_sequence<referenced_keys<std::remove_cvref_t<taken_apart<D, T>>>>());
  }

 private:
  template <class List, class Tuple, std::size_t... I>
  SORTILE_DEVICE static List listed(const Tuple& tuple, std::index_sequence<I...>) {
    using std::get;
    return members(get<I>(tuple)...);
  }
};

template <class List, unsigned Word>
struct word_type {
  using type = sortile::detail::bits_of_size<key_bytes(image_word_type(sortile::detail::image_bits_of<List>, Word))>;
};
template <class List, unsigned Word>
using word_of = typename word_type<List, Word>::type;

template <class List, class Numbers>
struct words_of;
template <class List, unsigned... I>
struct words_of<List, std::integer_sequence<unsigned, I...>> {
  using type = member_list<word_of<List, sizeof...(I) - 1 - I>...>;
};
template <class List>
struct word_numbering {
  using type = std::make_integer_sequence<unsigned, image_words(sortile::detail::image_bits_of<List>)>;
};
template <class List>
using word_numbers = typename word_numbering<List>::type;
/// The words of the image of a list, the highest first.
template <class List>
using word_list_of = typename words_of<List, word_numbers<List>>::type;

/// The bits [begin, end) of their image.
template <class D>
struct by_window {
  by_members<D> whole;
  unsigned begin, end;

  template <class T>
  SORTILE_DEVICE word_list_of<member_list_of<D, T>> operator()(const T& t) const {
    return words(whole(t), word_numbers<member_list_of<D, T>>());
  }

 private:
  template <class List, unsigned... I>
  SORTILE_DEVICE word_list_of<List> words(const List& list, std::integer_sequence<unsigned, I...>) const {
    return members(word<sizeof...(I) - 1 - I>(list)...);
  }
  template <unsigned Word, class List>
  SORTILE_DEVICE word_of<List, Word> word(const List& list) const {
    const std::uint64_t mask = below(end, Word) & ~below(begin, Word);
    return static_cast<word_of<List, Word>>(image_word<Word>(list) & mask);
  }
  /// The bits of a word that lie below `bit` of the image.
  SORTILE_DEVICE static std::uint64_t below(unsigned bit, unsigned word) {
    const unsigned first = word * image_word_bits;
    if (bit >= first + image_word_bits)
      return ~std::uint64_t{0};
    return bit <= first ? 0 : (std::uint64_t{1} << (bit - first)) - 1;
  }
};

/// The sort of `arrays` by a decomposer of the library.
template <class T, class V, class By>
auto struct_sort_of(const call_arrays<T, V>& arrays, std::size_t n, const By& by) {
  const std::span<const T> in(arrays.keys_in, n);
  const std::span<T> out(arrays.keys_out, n);
  if constexpr (call_arrays<T, V>::has_values)
    return make_struct_sort(in, std::span<const V>(arrays.values_in, n), out, std::span<V>(arrays.values_out, n), by);
  else
    return make_struct_sort(in, out, by);
}

} // namespace detail
} // namespace sortile::cub::inline SORTILE_BACKEND
