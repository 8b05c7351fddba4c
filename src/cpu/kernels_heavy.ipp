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
[[gnu::noinline]] std::size_t take_out_key(const K* keys, const V* values, std::size_t n, K key, K* left_keys,
                                           V* left_values, V* taken, std::size_t ahead) {
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

#if defined(SORTILE_CPU_WIDE_HERE)
/// As many values as a vector has keys, where those have `Lanes`: in one vector, or in two.
template <class V, std::size_t Lanes>
class lane_values {
  static constexpr bool are_two = sizeof(V) * Lanes > sizeof(wide);
  static constexpr std::size_t lanes_each = are_two ? Lanes / 2 : Lanes;

 public:
  [[gnu::always_inline]] explicit lane_values(const V* from) : low_(from), high_(are_two ? from + lanes_each : from) {}

  /// Writes the chosen ones to `to`, and more of them than there are: up to as many as were read.
  [[gnu::always_inline]] void put(std::uint32_t chosen, V* to) const {
    if constexpr (are_two) {
      const std::uint32_t low = chosen & ((1u << lanes_each) - 1);
      low_.put(low, to);
      high_.put(chosen >> lanes_each, to + __builtin_popcount(low));
    } else {
      low_.put(chosen, to);
    }
  }

 private:
  wide_elements<V, lanes_each> low_, high_;
};

template <class K, class V>
inline constexpr bool can_sort_out = (sizeof(K) == 4 || sizeof(K) == 8) && (sizeof(V) == 4 || sizeof(V) == 8);

/// So many keys it pays to compare with.
template <class K>
inline constexpr std::size_t most_to_sort_out = 64 / sizeof(K);

/// Of n = 32 or 64 keys, those that come twice or more, up to `most` of them, in the order in which they are met; it
/// ends where some have come once. Of random keys hardly any two are equal: four of them, compared with 32, tell
/// that in a few nanoseconds. Where so many are known already, others are wanted even if they come once.
template <class K>
heavy_found find_wanted(const K* keys, std::size_t n, std::size_t most, K* wanted, std::size_t known) {
  heavy_found found{known, 0};
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
    constexpr std::size_t most_here = most_to_sort_out<K>;
    const std::size_t too_many = n / 16 * (most_here > 8 ? 13 : 10);
    constexpr std::size_t lanes = wide_lanes<K>, first = 32, compared = 4, most_beside = 4;
    const std::size_t most_light = n > 32 ? 5 : 3;
    const unsigned least = known > 0 ? 1 : 2;
    unsigned alike = 0;
    for (std::size_t i = 0; i < first && known == 0; i += lanes) {
      const wide x = load_wide(keys + i);
      for (std::size_t j = 0; j < compared; ++j)
        alike += static_cast<unsigned>(__builtin_popcount(equal_to(x, keys[j])));
    }
    if (known == 0 && alike < compared + (n > 32 ? 2 : 4)) // each is equal to itself
      return found;
    std::uint64_t left = ~std::uint64_t{0} >> (64 - n);
    const auto take = [&](K key) {
      std::uint64_t same = 0;
      for (std::size_t i = 0; i < n; i += lanes)
        same |= std::uint64_t{equal_to(load_wide(keys + i), key)} << i;
      left &= ~same;
      return static_cast<unsigned>(__builtin_popcountll(same));
    };
    for (std::size_t j = 0; j < known; ++j)
      found.keys += take(wanted[j]);
    for (std::size_t light = 0; left != 0 && light < most_light && found.values < most && found.values < most_here;) {
      const K key = keys[__builtin_ctzll(left)];
      const unsigned count = take(key);
      if (count >= least) {
        wanted[found.values++] = key;
        found.keys += count;
        if (known == 0 && found.values == most_beside &&
            static_cast<std::size_t>(__builtin_popcountll(left)) > too_many)
          break; // these will not be all
      } else {
        ++light;
      }
    }
  }
  return found;
}

/// Sorts out pairs of up to `Most` heavy keys. How many there are is known to the compiler, so that keys and places
/// stay in registers: with a loop over any number of them it takes twice as long. Fewer are made up by one that is none
/// of them; if it is met, it goes to the rest.
template <std::size_t Most, class K, class V>
[[gnu::noinline]] std::size_t sort_out_some(const source<K>& from, std::size_t n, const K* wanted, std::size_t m,
                                            std::size_t step, sorted_out<K>& out) {
  constexpr std::size_t lanes_here = wide_lanes<K>;
  constexpr std::uint32_t all = (1u << lanes_here) - 1;
  V made_up[digit_block + 2 * lanes_here]; // values of the key that makes up the number
  K key[Most];
  V *next[Most], *last[Most];
#pragma GCC unroll 16
  for (std::size_t j = 0; j < Most; ++j) {
    key[j] = j < m ? wanted[j] : out.none[0];
    next[j] = j < m ? reinterpret_cast<V*>(out.next[j]) : made_up;
    last[j] = j < m ? reinterpret_cast<V*>(out.last[j]) : made_up;
  }
  K* rest_keys = out.rest.keys;
  V* rest_values = out.rest.template values_as<V>();
  const std::uint32_t usual = out.has_usually_rest ? all : 0;
  const auto has_room = [&] {
    bool room = rest_keys <= out.last_rest;
#pragma GCC unroll 16
    for (std::size_t j = 0; j < Most; ++j)
      room = room && next[j] <= last[j];
    return room;
  };
  value_block<V> values_of;
  K last_keys[lanes_here];
  V last_values[lanes_here], firsts[2 * lanes_here];
  std::size_t i = 0;
  for (std::size_t in_step; i < n && has_room(); i += in_step) {
    in_step = n - i < step ? n - i : step;
    const K* keys = from.keys + i;
    const V* values = values_of(from, i, in_step);
    std::uint32_t there = all;
    V* first = nullptr;
    for (std::size_t at = 0; at < in_step; at += lanes_here, keys += lanes_here, values += lanes_here) {
      if (in_step - at < lanes_here) [[unlikely]] { // the last ones from and to where a vector has room
        const std::size_t left = in_step - at;
        std::fill(last_keys, std::end(last_keys), out.none[1]);
        std::memcpy(last_keys, keys, left * sizeof(K));
        std::memcpy(last_values, values, left * sizeof(V));
        there = (1u << left) - 1;
        first = std::exchange(next[0], firsts);
        keys = last_keys;
        values = last_values;
      }
      const wide x = load_wide(keys);
      const lane_values<V, lanes_here> values_here(values); // all are read before any is written
      std::uint32_t left = there;
#pragma GCC unroll 16
      for (std::size_t j = 0; j < Most; ++j) {
        const std::uint32_t which = equal_to(x, key[j]);
        values_here.put(which, next[j]);
        next[j] += __builtin_popcount(which);
        left &= ~which;
        __asm__("" : "+r"(left)); // where registers are few, places go to memory, not what waits for the one before it
      }
      if ((left | usual) != 0) {
        wide_elements<K, lanes_here>(keys).put(left, rest_keys);
        values_here.put(left, rest_values);
        rest_keys += __builtin_popcount(left);
        rest_values += __builtin_popcount(left);
      }
    }
    if (first != nullptr) {
      std::memcpy(first, firsts, static_cast<std::size_t>(next[0] - firsts) * sizeof(V));
      next[0] = first + (next[0] - firsts);
    }
    if constexpr (Most > 1)
      if (m < Most && next[Most - 1] != made_up) [[unlikely]] {
        const auto some = static_cast<std::size_t>(next[Most - 1] - made_up);
        std::fill_n(rest_keys, some, out.none[0]);
        std::memcpy(rest_values, made_up, some * sizeof(V));
        rest_keys += some;
        rest_values += some;
#pragma GCC unroll 16
        for (std::size_t j = 0; j < Most; ++j)
          next[j] = j < m ? next[j] : made_up;
      }
  }
#pragma GCC unroll 16
  for (std::size_t j = 0; j < Most; ++j)
    if (j < m)
      out.next[j] = reinterpret_cast<std::byte*>(next[j]);
  out.rest.keys = rest_keys;
  out.rest.values = reinterpret_cast<std::byte*>(rest_values);
  return i;
}

/// Appends the value of each of n pairs whose key is wanted[j] where out.next[j] says, the other pairs to the rest.
/// Vectors of values are written, which reach behind what they say. What belongs to wanted[0] may be written over the
/// values that are read.
template <class K, class V>
std::size_t sort_out(const source<K>& from, std::size_t n, const K* wanted, std::size_t m, std::size_t step,
                     sorted_out<K>& out) {
  if (m <= 2)
    return sort_out_some<2, K, V>(from, n, wanted, m, step, out);
  if (m <= 4)
    return sort_out_some<4, K, V>(from, n, wanted, m, step, out);
  if constexpr (most_to_sort_out < K >> 8)
    if (m > 8)
      return sort_out_some<most_to_sort_out<K>, K, V>(from, n, wanted, m, step, out);
  return sort_out_some<8, K, V>(from, n, wanted, m, step, out);
}
#else
template <class K, class V>
inline constexpr bool can_sort_out = false;
template <class K>
heavy_found find_wanted(const K*, std::size_t, std::size_t, K*, std::size_t) {
  return {};
}
template <class K, class V>
std::size_t sort_out(const source<K>&, std::size_t, const K*, std::size_t, std::size_t, sorted_out<K>&);
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
