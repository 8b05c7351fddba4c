// Two to eight elements, each in its register: by a network, or by comparing all pairs. Part of sortile.hpp; few.hpp
// says which go where.
#pragma once

#include <sortile/few_keys.hpp>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile::detail {

struct few_comparator {
  unsigned char a, b;
};
/// The fewest comparators known for eight keys. Without those that reach a key that is not there they sort two to
/// seven, as if the others were the greatest; these are the fewest, too.
inline constexpr few_comparator few_network[] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                                 {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                                 {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};

template <std::size_t A, std::size_t B, std::size_t N, class Image>
SORTILE_INLINED inline void order_two(Image (&images)[N]) noexcept {
  if constexpr (B < N) {
    Image &a = images[A], &b = images[B];
    const bool exchanged = b < a;
    const Image less = exchanged ? b : a;
    b = exchanged ? a : b;
    a = less;
  }
}

template <std::size_t N, class Image>
SORTILE_INLINED inline void sort_images(Image (&images)[N]) noexcept {
  [&]<std::size_t... I>(std::index_sequence<I...>) SORTILE_INLINED {
    (order_two<few_network[I].a, few_network[I].b>(images), ...);
  }
  (std::make_index_sequence<std::size(few_network)>{});
}

/// The places of images in their stable order. A rank begins as the position; each pair moves one of two.
template <std::size_t N, class Image>
SORTILE_INLINED inline void rank_images(const Image (&images)[N], std::size_t (&ranks)[N]) noexcept {
  const auto compare = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) SORTILE_INLINED {
    constexpr std::size_t a = At / N, b = At % N;
    if constexpr (a < b) {
      const std::size_t second_first = images[b] < images[a];
      ranks[a] += second_first;
      ranks[b] -= second_first;
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) SORTILE_INLINED {
    (compare(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<N * N>{});
}

/// N elements of an array, taken out of it before they are put where their ranks say.
template <class T, std::size_t... I>
SORTILE_INLINED inline auto hold_all(const few_array<T>& array, std::index_sequence<I...>) noexcept {
  struct {
    held<T> elements[sizeof...(I)];
  } all{{hold(array.from[I])...}};
  return all;
}

/// Sorts elements as many as the indices. Keys that their images tell alone are exchanged, others go by ranks.
template <class Codec, class K, std::size_t... I, class... V>
SORTILE_INLINED inline void sort_elements(const Codec& codec, std::index_sequence<I...> all, few_array<K> keys,
                                          few_array<V>... values) noexcept {
  constexpr std::size_t n = sizeof...(I);
  if constexpr (n >= least_seen)
    if (codec.are_in_order(keys.from, std::make_index_sequence<n - 1>{})) {
      keys.copy(n);
      (values.copy(n), ...);
      return;
    }
  typename Codec::word images[n] = {codec.image(keys.from[I])...};
  if constexpr (Codec::tells_keys && sizeof...(V) == 0) {
    sort_images(images);
    ((keys.to[I] = codec.key_of(images[I])), ...);
  } else {
    std::size_t ranks[n] = {I...};
    rank_images(images, ranks);
    const auto move = [&]<class T>(const few_array<T>& array) SORTILE_INLINED {
      const auto taken = hold_all(array, all);
      (put_held(taken.elements[I], array.to[ranks[I]]), ...);
    };
    move(keys);
    (move(values), ...);
  }
}

/// Writes their positions.
template <class Codec, class K, class Index, std::size_t... I>
SORTILE_INLINED inline void order_elements(const Codec& codec, std::index_sequence<I...>, const K* keys,
                                           Index* positions) noexcept {
  constexpr std::size_t n = sizeof...(I);
  if constexpr (n >= least_seen)
    if (codec.are_in_order(keys, std::make_index_sequence<n - 1>{})) {
      ((positions[I] = Index{I}), ...);
      return;
    }
  typename Codec::word images[n] = {codec.image(keys[I])...};
  std::size_t ranks[n] = {I...};
  rank_images(images, ranks);
  ((positions[ranks[I]] = Index{I}), ...);
}

/// Calls sort(index_sequence<0 … n - 1>), n = 2 … most_few.
template <class Sort>
SORTILE_INLINED inline void by_number(std::size_t n, const Sort& sort) {
  switch (n) {
  case 2:
    return sort(std::make_index_sequence<2>{});
  case 3:
    return sort(std::make_index_sequence<3>{});
  case 4:
    return sort(std::make_index_sequence<4>{});
  case 5:
    return sort(std::make_index_sequence<5>{});
  case 6:
    return sort(std::make_index_sequence<6>{});
  case 7:
    return sort(std::make_index_sequence<7>{});
  default:
    return sort(std::make_index_sequence<8>{});
  }
}

} // namespace sortile::detail
#pragma GCC visibility pop
