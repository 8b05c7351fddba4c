// Heavy keys, taken out of the blocks that a split between splitters, or by a map, counts and moves. Included once per
// instruction set (kernels_all.hpp).
//
// Idea. A key that fills an eighth of an array or more has a bucket of its own (kernels_splitters.ipp), and each pair
// in it says the same: no place among splitters need be looked for, no line of a buffer collected, and all would wait
// for one counter. So a block of keys is compared with each heavy key, a vector at a time. The values of the equal ones
// are packed, and go to their bucket side by side; what is left of the block is packed too, and goes on to be looked at
// one by one. Keys of such a bucket are not moved at all: they are written where the result belongs.
//
//     block      7 3 7 7 9 1 7 …       ──▶   left [ 3 9 1 … ]      values of 7 [ v0 v2 v3 v6 … ]
//
// Cost: of each heavy key a comparison and three packings a vector, a third of a nanosecond a pair.
namespace sortile::cpu::SORTILE_CPU_ISA {

/// So many keys are freed of heavy ones at a time: what is left fills blocks then, as vectors need it.
inline constexpr std::size_t heavy_group = 4 * digit_block;

/// Those, and what whole vectors write beyond them.
template <class T>
struct packed_group {
  alignas(64) T at[heavy_group + 64 / sizeof(T)] = {};
};

#if defined(SORTILE_CPU_WIDE_HERE)
// Writes those of as many elements as a vector has keys, `Lanes`, that a mask has, one after the other, and up to as
// many; returns how many.
template <std::size_t Lanes, class T>
inline std::size_t pack(const T* from, std::uint32_t which, T* to) {
  if constexpr (sizeof(T) * Lanes > sizeof(wide)) {
    constexpr std::size_t half = Lanes / 2;
    const std::uint32_t low = which & ((1u << half) - 1);
    wide_elements<T, half>(from).put(low, to);
    wide_elements<T, half>(from + half).put(which >> half, to + __builtin_popcount(low));
  } else {
    wide_elements<T, Lanes>(from).put(which, to);
  }
  return static_cast<unsigned>(__builtin_popcount(which));
}

// Of n keys and values, which lie in whole vectors: packs what is not `key` to the front of `left`, which may be where
// they are, and the values of the others to the front of `taken`. Returns how many are left. With `ahead` it asks for
// what lies so many behind.
template <class K, class V>
[[gnu::noinline]] std::size_t take_out_key(const K* keys, const V* values, std::size_t n, K key, K* left_keys, V* left_values,
                                V* taken, std::size_t ahead) {
  constexpr std::size_t lanes = wide_lanes<K>;
  constexpr std::uint32_t all = (1u << lanes) - 1;
  std::size_t left = 0, out = 0;
  for (std::size_t i = 0; i < n; i += lanes) {
    const std::uint32_t there = n - i < lanes ? (1u << (n - i)) - 1 : all;
    const std::uint32_t equal = equal_to(load_wide(keys + i), key) & there;
    if (ahead > 0) {
      fetch(keys + i, ahead, ahead + lanes);
      if constexpr (has_values<V>)
        fetch(values + i, ahead, ahead + lanes);
    }
    if constexpr (has_values<V>) {
      out += pack<lanes>(values + i, equal, taken + out);
      pack<lanes>(values + i, there & ~equal, left_values + left);
    }
    left += pack<lanes>(keys + i, there & ~equal, left_keys + left);
  }
  return left;
}
#endif

/// A group of keys, and of their values, without the heavy keys of a tree.
template <class K, class V>
class lighter_group {
 public:
  static constexpr bool is_possible =
#if defined(SORTILE_CPU_WIDE_HERE)
      (sizeof(K) == 4 || sizeof(K) == 8) && (!has_values<V> || sizeof(V) == 4 || sizeof(V) == 8);
#else
      false;
#endif

  /// Calls f(h, values, count) for each heavy key that is met; returns how many of n keys are left. What lies `ahead`
  /// of them is asked for, where that is not 0.
  template <class F>
  std::size_t take_out([[maybe_unused]] const K* keys, [[maybe_unused]] const V* values, std::size_t n,
                       [[maybe_unused]] std::size_t ahead, [[maybe_unused]] const splitter_tree<K>& tree,
                       [[maybe_unused]] F&& f) {
    if constexpr (is_possible) {
      if (n < heavy_group) { // whole vectors are read
        std::copy(keys, keys + n, keys_.at);
        keys = keys_.at;
        if constexpr (has_values<V>) {
          std::memcpy(values_.at, values, n * sizeof(V));
          values = values_.at;
        }
      }
      for (std::size_t h = 0; h < tree.heavy_keys; ++h) {
        std::size_t left;
        if constexpr (has_values<V>)
          left = take_out_key(keys, values, n, tree.heavy[h], keys_.at, values_.at, taken_.at, ahead);
        else
          left = take_out_key<K, V>(keys, nullptr, n, tree.heavy[h], keys_.at, nullptr, nullptr, ahead);
        if (left < n) {
          if constexpr (has_values<V>)
            f(h, taken_.at, n - left);
          else
            f(h, nullptr, n - left);
        }
        n = left;
        ahead = 0;
        keys = keys_.at;
        if constexpr (has_values<V>)
          values = values_.at;
      }
    }
    return n;
  }

  /// Of so many that are left, how many are looked up: up to whole vectors side by side, which take less time than a
  /// few keys one by one.
  static std::size_t in_vectors(std::size_t n) {
    return (n + 63) / 64 * 64;
  }
  const K* keys() const {
    return keys_.at;
  }
  const V* values() const {
    if constexpr (has_values<V>)
      return values_.at;
    else
      return nullptr;
  }

 private:
  packed_group<K> keys_;
  packed_group<std::conditional_t<has_values<V>, V, std::uint8_t>> values_, taken_;
};

} // namespace sortile::cpu::SORTILE_CPU_ISA
