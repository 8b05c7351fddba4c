// Up to 32 elements that are in order, or nearly; and up to 16 of any order, by their ranks. Part of sortile.hpp;
// few.hpp says which go where.
#pragma once

#include <sortile/few_keys.hpp>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile::detail {

inline constexpr std::size_t seen_first = 8; // keys that mostly tell that all are in random order
inline constexpr std::make_index_sequence<7> neighbours_at_first{};

/// What all keys say of their order.
enum class found_order {
  none,
  rising,        ///< each at or behind the one before it
  nearly_rising, ///< one or two come before the one before them, as where two have been exchanged
  falling,       ///< each comes before the one before it
};

/// The order of n ≥ seen_first keys, with up to `few` descents. Of the first eight those are counted that come before
/// the one before them, without a branch: of random keys mostly three to five. Where there are few, such are counted
/// among all. Where numbers do not say how −0 and NaNs are ordered, there is none.
template <class K, class Codec>
SORTILE_INLINED inline found_order look_at_order(const K* keys, std::size_t n, std::size_t few,
                                                 const Codec& codec) noexcept {
  constexpr std::size_t all_at_first = neighbours_at_first.size();
  static_assert(all_at_first == seen_first - 1);
  std::size_t descents = codec.descents(keys, neighbours_at_first);
  if (descents > few && descents != all_at_first)
    return found_order::none;
  std::size_t i = seen_first;
  for (auto last = codec.number(keys[i - 1]); i < n; ++i) {
    const auto number = codec.number(keys[i]);
    descents += number < last;
    last = number;
  }
  if (descents == 0)
    return codec.rise_where_numbers_do(keys, n) ? found_order::rising : found_order::none;
  if ((descents > few && descents != n - 1) || codec.have_special(keys, n))
    return found_order::none;
  return descents == n - 1 ? found_order::falling : found_order::nearly_rising;
}

inline constexpr std::size_t few_descents = 2;

/// Moves of an element by one place after which keys are not nearly in order: twice as many as there are elements,
/// which two that have been exchanged need at most.
constexpr std::size_t most_shifts(std::size_t n) noexcept {
  return 2 * n;
}

template <class T>
void turn_round(T* data, std::size_t n) noexcept {
  for (T *front = data, *back = data + n - 1; front < back; ++front, --back) {
    unsigned char a[sizeof(T)], b[sizeof(T)];
    std::memcpy(a, static_cast<const void*>(front), sizeof(T));
    std::memcpy(b, static_cast<const void*>(back), sizeof(T));
    std::memcpy(static_cast<void*>(front), b, sizeof(T));
    std::memcpy(static_cast<void*>(back), a, sizeof(T));
  }
}

template <class T>
SORTILE_INLINED inline void move_up(T* at) noexcept {
  std::memcpy(static_cast<void*>(at), static_cast<const void*>(at - 1), sizeof(T));
}

/// Puts each key, and its values, between those before it. False where that takes too many moves: what has been done
/// does not show in a stable sort of the rest.
template <class Codec, class K, class... V>
bool insert_nearly(std::size_t n, const Codec& codec, K* keys, V*... values) noexcept {
  std::size_t left = most_shifts(n);
  for (std::size_t i = 1; i < n; ++i) {
    if (!codec.comes_before(keys[i], keys[i - 1]))
      continue;
    std::size_t at = i;
    [&](const K given, const held<K> key, const held<V>... value) SORTILE_INLINED {
      do {
        move_up(keys + at);
        (move_up(values + at), ...);
        --at;
      } while (at > 0 && codec.comes_before(given, keys[at - 1]));
      put_held(key, keys[at]);
      (put_held(value, values[at]), ...);
    }(keys[i], hold(keys[i]), hold(values[i])...);
    if (i - at > left)
      return false;
    left -= i - at;
  }
  return true;
}

/// Keys alone that are put between each other where they are nearly in order; of 4 and 8 bytes the library's vectors
/// sort more, and floats, sooner.
template <class K>
inline constexpr std::size_t most_nearly_alone = sizeof(K) != 4 && sizeof(K) != 8 ? most_looked_at
                                                 : is_float(key_type_of<K>)       ? 0
                                                                                  : 12;

/// Elements of which all pairs are compared; of keys alone of 4 and 8 bytes the library's vectors sort more sooner.
inline constexpr std::size_t most_ranked = 16;
template <class K>
inline constexpr std::size_t most_ranked_alone = sizeof(K) != 4 && sizeof(K) != 8 ? most_ranked : 0;

using few_rank = std::uint32_t;

/// The ranks of n elements, as rank_images() finds them; is_below(b, a) of their positions.
template <class IsBelow>
SORTILE_INLINED inline void rank_all(std::size_t n, few_rank* ranks, const IsBelow& is_below) noexcept {
  for (std::size_t b = 0; b < n; ++b) {
    auto rank = static_cast<few_rank>(b);
    for (std::size_t a = 0; a < b; ++a) {
      asm(""); // vectors of so few, which compilers make of this, take longer
      const few_rank second_first = is_below(b, a);
      ranks[a] += second_first;
      rank -= second_first;
    }
    ranks[b] = rank;
  }
}

/// The ranks of keys.
template <class Codec, class K>
void rank_keys(const Codec& codec, const K* keys, std::size_t n, few_rank* ranks) noexcept {
  typename Codec::word images[most_ranked];
  for (std::size_t i = 0; i < n; ++i)
    images[i] = codec.image(keys[i]);
  rank_all(n, ranks, [&](std::size_t a, std::size_t b) { return images[a] < images[b]; });
}

template <class T>
void move_to_ranks(few_array<T> array, std::size_t n, const few_rank* ranks) noexcept {
  held<T> taken[most_ranked];
  std::memcpy(taken, static_cast<const void*>(array.from), n * sizeof(T));
  for (std::size_t i = 0; i < n; ++i)
    put_held(taken[i], array.to[ranks[i]]);
}

/// Sorts up to most_ranked elements. A function of its own, so that what is in order does not pay for its frame.
template <class Codec, class K, class... V>
[[gnu::noinline]] void sort_by_ranks(std::size_t n, Codec codec, few_array<K> keys, few_array<V>... values) noexcept {
  few_rank ranks[most_ranked];
  rank_keys(codec, keys.from, n, ranks);
  move_to_ranks(keys, n, ranks);
  (move_to_ranks(values, n, ranks), ...);
}
template <class Codec, class K, class Index>
[[gnu::noinline]] void order_by_ranks(std::size_t n, Codec codec, const K* keys, Index* positions) noexcept {
  few_rank ranks[most_ranked];
  rank_keys(codec, keys, n, ranks);
  for (std::size_t i = 0; i < n; ++i)
    positions[ranks[i]] = static_cast<Index>(i);
}

/// Sorts more than most_few elements, where they are few enough for ranks, or nearly in order, or each before the one
/// before it. False: they may have moved where the result belongs, but if that is where they were, a stable sort of
/// them gives what it would have given.
template <class Codec, class K, class... V>
[[gnu::noinline]] bool place_in_order(std::size_t n, Codec codec, few_array<K> keys, few_array<V>... values) noexcept {
  const std::size_t few = sizeof...(V) > 0 || n <= most_nearly_alone<K> ? few_descents : 0;
  const found_order found = look_at_order(keys.from, n, few, codec);
  if (found != found_order::none) {
    keys.copy(n);
    (values.copy(n), ...);
    if (found == found_order::falling) {
      turn_round(keys.to, n);
      (turn_round(values.to, n), ...);
    }
    if (found != found_order::nearly_rising || insert_nearly(n, codec, keys.to, values.to...))
      return true;
    keys.from = keys.to;
    ((values.from = values.to), ...);
  }
  if (n > (sizeof...(V) > 0 ? most_ranked : most_ranked_alone<K>))
    return false;
  sort_by_ranks(n, codec, keys, values...);
  return true;
}

/// The same of positions, which are written.
template <class Codec, class K, class Index>
[[gnu::noinline]] bool number_in_order(const K* keys, Index* positions, std::size_t n, Codec codec) noexcept {
  const found_order found = look_at_order(keys, n, few_descents, codec);
  if (found == found_order::rising || found == found_order::falling) {
    for (std::size_t i = 0; i < n; ++i)
      positions[i] = static_cast<Index>(found == found_order::rising ? i : n - 1 - i);
    return true;
  }
  if (found == found_order::nearly_rising) {
    std::size_t left = most_shifts(n), i = 0;
    for (; i < n; ++i) {
      const K key = keys[i];
      std::size_t at = i;
      for (; at > 0 && codec.comes_before(key, keys[positions[at - 1]]); --at)
        positions[at] = positions[at - 1];
      positions[at] = static_cast<Index>(i);
      if (i - at > left)
        break;
      left -= i - at;
    }
    if (i == n)
      return true;
  }
  if (n > most_ranked)
    return false;
  order_by_ranks(n, codec, keys, positions);
  return true;
}

} // namespace sortile::detail
#pragma GCC visibility pop
