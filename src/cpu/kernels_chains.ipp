// The kernel of pairs of few different keys: values are appended to the chains of their keys (value_chains.hpp).
// Included once per instruction set (kernels_all.hpp).
//
// What limits it is memory: 12 bytes read and written a pair of 8 bytes, and as much again when chains are placed. A
// look-up in the table takes some 16 instructions a pair. Where no more keys have been met than two vectors hold,
// these are searched for a vector of keys at once, and a block of pairs takes each value to its chain by the number of
// its key: 9 instructions. Of up to four keys each is compared with all, and the values of the equal ones are
// packed: no chain waits for where its last value went. What belongs to known keys is collected in lines that stay in
// the L1 cache, and goes to its chain as whole lines, past the caches where the array is larger than they are.
namespace sortile::cpu::SORTILE_CPU_ISA {

/// Asks for what is read some blocks after n keys and their values: a few lines at a time, since the processor waits
/// where many are asked for at once.
template <class K, class V>
inline void ask_ahead(const K* keys, const V* values, std::size_t n, bool makes_indices) {
  constexpr std::size_t ahead = 4 * digit_block;
  fetch(keys, ahead, ahead + n);
  if (!makes_indices)
    fetch(values, ahead, ahead + n);
}

/// Whether digit_run keys are the same.
template <class K>
inline bool are_equal(const K* keys) {
  K differing = 0;
  for (std::size_t i = 1; i < digit_run; ++i)
    differing = static_cast<K>(differing | static_cast<K>(keys[i] ^ keys[0]));
  return differing == 0;
}

#if defined(SORTILE_CPU_WIDE_HERE)
/// Keys that have chains, few enough for four vectors of AVX2 or two of AVX-512, 32 of 4 bytes or 16 of 8: vectors find
/// which one a key is.
template <class K>
class known_keys {
 public:
  using entry = typename value_chains<K>::entry;
  static constexpr std::size_t most = 128 / sizeof(K);

  known_keys() = default;
  /// None where there are too many.
  explicit known_keys(const value_chains<K>& chains) {
    size_ = chains.entries(entries_, most);
    std::sort(entries_, entries_ + size_, [](const entry* a, const entry* b) { return place(a->key) < place(b->key); });
    if (size_ == 0)
      return;
    // The first one again and again before them: what is not above a key last is the one.
    std::copy_backward(entries_, entries_ + size_, std::end(entries_));
    std::fill(entries_, std::end(entries_) - size_, entries_[most - size_]);
    std::transform(entries_, std::end(entries_), keys_, [](const entry* e) { return e->key; });
#if defined(SORTILE_CPU_AVX2_HERE)
    make_tree();
#endif
  }
  std::size_t size() const {
    return size_;
  }
  K key(std::size_t i) const {
    return keys_[i];
  }
  std::size_t begin() const {
    return most - size_;
  } // the first that find() says
  entry* operator[](std::size_t i) const {
    return entries_[i];
  }

#if defined(SORTILE_CPU_AVX512_HERE)
  /// Which of them n keys are, a multiple of 64; false where one is none of them.
  bool find(const K* keys, std::size_t n, std::uint16_t* which) const {
    constexpr std::size_t lanes = 64 / sizeof(K);
    const __m512i low = _mm512_load_si512(keys_), high = _mm512_load_si512(keys_ + lanes);
    bool found = true;
    for (std::size_t at = 0; at < n; at += lanes * side_by_side) {
      __m512i x[side_by_side], i[side_by_side];
      each_vector([&](std::size_t v) __attribute__((always_inline)) {
        x[v] = _mm512_loadu_si512(keys + at + lanes * v);
        i[v] = _mm512_setzero_si512();
      });
      for (std::size_t step = most / 2; step > 0; step /= 2)
        each_vector([&](std::size_t v) __attribute__((always_inline)) {
          if constexpr (sizeof(K) == 4) {
            const __m512i next = _mm512_or_si512(i[v], _mm512_set1_epi32(static_cast<int>(step)));
            i[v] = _mm512_mask_mov_epi32(
                i[v], _mm512_cmple_epu32_mask(_mm512_permutex2var_epi32(low, next, high), x[v]), next);
          } else {
            const __m512i next = _mm512_or_si512(i[v], _mm512_set1_epi64(static_cast<long long>(step)));
            i[v] = _mm512_mask_mov_epi64(
                i[v], _mm512_cmple_epu64_mask(_mm512_permutex2var_epi64(low, next, high), x[v]), next);
          }
        });
      each_vector([&](std::size_t v) __attribute__((always_inline)) {
        if constexpr (sizeof(K) == 4) {
          found = found && _mm512_cmpneq_epu32_mask(_mm512_permutex2var_epi32(low, i[v], high), x[v]) == 0;
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(which + at + lanes * v), _mm512_cvtepi32_epi16(i[v]));
        } else {
          found = found && _mm512_cmpneq_epu64_mask(_mm512_permutex2var_epi64(low, i[v], high), x[v]) == 0;
          _mm_storeu_si128(reinterpret_cast<__m128i*>(which + at + lanes * v), _mm512_cvtepi64_epi16(i[v]));
        }
      });
    }
    return found;
  }
#else
  /// The same. Numbers of 32 bits are searched for, in a tree as that of splitters; those of wide keys are their halves
  /// in one, so it is seen whether the key that was found is the one.
  bool find(const K* keys, std::size_t n, std::uint16_t* which) const {
    bool found = true;
    for (std::size_t at = 0; at < n; at += 16) {
      __m256i i[2];
      for (std::size_t v = 0; v < 2; ++v) {
        const __m256i different = find_eight(keys + at + 8 * v, i[v]);
        found = found && _mm256_testz_si256(different, different) != 0;
      }
      const __m256i packed = _mm256_packus_epi32(i[0], i[1]); // by halves of 128 bits
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(which + at), _mm256_permute4x64_epi64(packed, 0xd8));
    }
    return found;
  }
#endif

 private:
#if defined(SORTILE_CPU_AVX512_HERE)
  static K place(K key) {
    return key;
  }
#else
  static constexpr unsigned levels = std::bit_width(most) - 1;
  static constexpr std::uint32_t factor =
      0x9e3779b1; // odd, so that whole numbers in floats, whose low half is 0, differ

  static std::uint32_t place(K key) {
    if constexpr (sizeof(K) == 8)
      return static_cast<std::uint32_t>(key) ^ static_cast<std::uint32_t>(key >> 32) * factor;
    else
      return static_cast<std::uint32_t>(key);
  }

  void make_tree() {
    std::uint32_t places[most];
    std::transform(keys_, keys_ + most, places, place);
    if (std::adjacent_find(places + begin(), places + most) != places + most) {
      size_ = 0; // two keys with one number
      return;
    }
    for (unsigned l = 0; l < levels; ++l)
      for (std::size_t i = 0; i < std::size_t{1} << l; ++i)
        level_[l][i] = places[((2 * i + 1) << (levels - 1 - l))];
    least_ = places[0];
    for (std::size_t i = 0; i < most && sizeof(K) == 8; ++i) {
      low_[i] = static_cast<std::uint32_t>(keys_[i]);
      high_[i] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(keys_[i]) >> 32);
    }
  }

  /// Sets i to which known key each of eight is, or might be; not 0 where it is another one.
  [[gnu::always_inline]] __m256i find_eight(const K* keys, __m256i& i) const {
    __m256i x, low = _mm256_setzero_si256(), high = low;
    if constexpr (sizeof(K) == 4) {
      x = load_wide(keys);
    } else { // in the order 0, 1, 4, 5, 2, 3, 6, 7
      const __m256 a = _mm256_castsi256_ps(load_wide(keys)), b = _mm256_castsi256_ps(load_wide(keys + 4));
      low = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
      high = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
      x = _mm256_xor_si256(low, _mm256_mullo_epi32(high, all_lanes(factor)));
    }
    i = _mm256_setzero_si256();
    __m256i last = all_lanes(least_);
    const auto down = [&](__m256i places) __attribute__((always_inline)) {
      const __m256i right = _mm256_cmpeq_epi32(_mm256_max_epu32(places, x), x); // −1 where place ≤ x
      last = choose(last, places, right);
      i = _mm256_sub_epi32(_mm256_add_epi32(i, i), right);
    };
    down(all_lanes(level_[0][0]));
    down(look_up<8>(level_[1], i));
    down(look_up<8>(level_[2], i));
    down(look_up<8>(level_[3], i));
    if constexpr (sizeof(K) == 4) {
      static_assert(levels == 5);
      down(look_up<16>(level_[4], i));
      return _mm256_xor_si256(last, x);
    } else {
      static_assert(levels == 4);
      const __m256i different = _mm256_or_si256(_mm256_xor_si256(look_up<most>(low_, i), low),
                                                _mm256_xor_si256(look_up<most>(high_, i), high));
      i = _mm256_permute4x64_epi64(i, 0xd8);
      return different;
    }
  }

  alignas(32) std::uint32_t level_[levels][most / 2] = {}; // level l has 2^l places, in order
  alignas(32) std::uint32_t low_[most] = {}, high_[most] = {};
  std::uint32_t least_ = 0;
#endif
  alignas(64) K keys_[most];
  entry* entries_[most];
  std::size_t size_ = 0;
};
#endif

#if defined(SORTILE_CPU_WIDE_HERE)
/// Appends whole blocks of pairs to the chains of known keys.
template <class K, class V>
class known_chains {
 public:
  explicit known_chains(value_chains<K>& chains) : chains_(chains), in_block_(chains.block_bytes() - 1) {}

  /// How many of digit_block pairs have been appended, from the first on: none, all, or those before a key that is not
  /// known.
  std::size_t append(const K* keys, const V* values, bool makes_indices) {
    if constexpr (is_possible) {
      if (values_ != chains_.values()) {
        leave();
        values_ = chains_.values();
        known_ = known_keys<K>(chains_);
      }
      if (known_.size() == 0)
        return 0;
      enter();
      if constexpr (may_compare)
        switch (known_.size()) {
        case 1:
          return append_by_comparison<1>(keys, values, makes_indices);
        case 2:
          return append_by_comparison<2>(keys, values, makes_indices);
        case 3:
          return append_by_comparison<3>(keys, values, makes_indices);
        case most_compared:
          return append_by_comparison<most_compared>(keys, values, makes_indices);
        default:
          break;
        }
      return known_.find(keys, digit_block, which_) ? append_found(keys, values, makes_indices) : 0;
    }
    return 0;
  }

  /// Writes what has been collected to the chains: others may append to them now.
  void leave() {
    if (!entered_)
      return;
    entered_ = false;
    for (std::size_t k = known_.begin(); k < known_keys<K>::most; ++k) {
      const std::size_t bytes = next_[k] - begin(k);
      std::memcpy(chain_[k], lines(k), bytes);
      known_[k]->what = chain_[k] + bytes;
    }
    if (chains_.past_caches())
      _mm_sfence(); // another thread may place them
  }

 private:
  static constexpr bool is_possible = sizeof(K) == 4 || sizeof(K) == 8;
  static constexpr bool may_compare = sizeof(V) == sizeof(K) || sizeof(V) == 4;
  static constexpr std::size_t most_compared = 4;
  static constexpr std::size_t room = 16384; // of all lines: a quarter of an L1 cache

  bool compares() const { return may_compare && known_.size() <= most_compared; }
  /// Where in all lines those of a chain begin.
  std::uint32_t begin(std::size_t k) const { return static_cast<std::uint32_t>(k - known_.begin()) * 2 * window_; }
  std::byte* lines(std::size_t k) const { return lines_ + begin(k); }

  /// Takes over what the last lines of the chains hold.
  void enter() {
    if (entered_)
      return;
    entered_ = true;
    window_ = static_cast<std::uint32_t>(
        std::min(chains_.block_bytes(), compares() ? room / most_compared / 2 : room / known_keys<K>::most));
    for (std::size_t k = known_.begin(); k < known_keys<K>::most; ++k) {
      std::byte* const what = known_[k]->what;
      const std::size_t bytes = reinterpret_cast<std::uintptr_t>(what) & (window_ - 1);
      chain_[k] = what - bytes;
      next_[k] = begin(k) + static_cast<std::uint32_t>(bytes);
      std::memcpy(lines(k), chain_[k], bytes);
    }
  }

  /// Writes full lines to their chain.
  [[gnu::noinline]] void flush(std::size_t k) {
    std::byte* const to = chain_[k];
    const std::byte* const from = lines(k);
    if (chains_.past_caches())
      for (std::size_t i = 0; i < window_; i += sizeof(wide))
        stream_wide(to + i, load_wide(from + i));
    else
      for (std::size_t i = 0; i < window_; i += sizeof(wide))
        store_wide(to + i, load_wide(from + i));
    chain_[k] += window_;
    if ((reinterpret_cast<std::uintptr_t>(chain_[k]) & in_block_) == 0)
      chain_[k] = chains_.next_block(known_[k]);
    next_[k] = begin(k);
    if (!chains_.past_caches())
      for (std::size_t i = 0; i < window_; i += 64)
        __builtin_prefetch(chain_[k] + i, 1);
  }

  /// Of at most `most_compared` known keys, each is compared with all. It stops before a vector that has another key.
  /// How many there are is known to the compiler, so that their places stay in registers.
  template <std::size_t Size>
  std::size_t append_by_comparison(const K* keys, const V* values, bool makes_indices) {
    constexpr std::size_t lanes = wide_lanes<K>;
    const std::size_t first = known_.begin();
    std::byte *next[Size], *end[Size];
    K key[Size];
    for (std::size_t k = 0; k < Size; ++k) {
      next[k] = lines_ + next_[first + k];
      end[k] = lines(first + k) + window_;
      key[k] = known_.key(first + k);
    }
    std::size_t j = 0;
    for (; j < digit_block; j += lanes) {
      ask_ahead(keys + j, values + j, lanes, makes_indices);
      const wide x = load_wide(keys + j);
      std::uint32_t which[Size], all = 0;
      for (std::size_t k = 0; k < Size; ++k)
        all |= which[k] = equal_to(x, key[k]);
      if (all != (1u << lanes) - 1)
        break;
      const wide_elements<V, lanes> values_here(values + j); // all are read: others may be written to their place
      for (std::size_t k = 0; k < Size; ++k) {
        store_wide(next[k], values_here.at_front(which[k]));
        next[k] += static_cast<unsigned>(__builtin_popcount(which[k])) * sizeof(V);
        if (next[k] >= end[k]) [[unlikely]] {
          flush(first + k);
          store_wide(end[k] - window_, load_wide(end[k]));
          next[k] -= window_;
        }
      }
    }
    for (std::size_t k = 0; k < Size; ++k)
      next_[first + k] = static_cast<std::uint32_t>(next[k] - lines_);
    return j;
  }

  /// Where some values belong is found before any is put there: a load waits until the processor knows where the stores
  /// before it go, and the place of a value would wait for that of the one before it.
  std::size_t append_found(const K* keys, const V* values, bool makes_indices) {
    constexpr std::size_t some = 4;
    for (std::size_t i = 0; i < digit_block; i += digit_run) {
      ask_ahead(keys + i, values + i, digit_run, makes_indices);
      std::uint32_t reached = 0;
      for (std::size_t j = i; j < i + digit_run; j += some) {
        std::uint32_t at[some];
#pragma GCC unroll 4
        for (std::size_t k = 0; k < some; ++k) {
          std::uint32_t& next = next_[which_[j + k]];
          at[k] = next;
          reached |= next += sizeof(V);
        }
#pragma GCC unroll 4
        for (std::size_t k = 0; k < some; ++k)
          std::memcpy(lines_ + at[k], values + j + k, sizeof(V));
      }
      if ((reached & window_) != 0) [[unlikely]]
        flush_full(which_ + i);
    }
    return digit_block;
  }

  /// Of those that a run has reached, the lines that are full.
  [[gnu::noinline]] void flush_full(const std::uint16_t* which) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < digit_run; ++j)
      if ((next_[which[j]] & window_) != 0) [[unlikely]]
        flush_and_go_on(which[j]);
  }

  /// The same of one whose next place is beyond the lines already.
  [[gnu::noinline]] void flush_and_go_on(std::size_t k) {
    const std::uint32_t beyond = next_[k] & (window_ - 1);
    flush(k);
    std::memcpy(lines(k), lines(k) + window_, beyond);
    next_[k] += beyond;
  }

  value_chains<K>& chains_;
  const std::uintptr_t in_block_;
  std::size_t values_ = 0; // that had chains when known_ was made
  known_keys<K> known_;
  bool entered_ = false;
  std::uint32_t window_ = 0;                // bytes that are collected of a chain; a run of values may reach beyond
  std::uint32_t next_[known_keys<K>::most]; // where in all lines the next value is collected
  std::byte* chain_[known_keys<K>::most];   // where the collected ones will go
  alignas(64) std::uint16_t which_[digit_block];
  alignas(2 * room) mutable std::byte lines_[2 * room];
};
#else
template <class K, class V>
class known_chains {
 public:
  explicit known_chains(const value_chains<K>&) {}
  std::size_t append(const K*, const V*, bool) { return 0; }
  void leave() {}
};
#endif

#if defined(SORTILE_CPU_AVX512_HERE)
#define SORTILE_CPU_TABLE_LOOP [[gnu::always_inline]] inline
#else
#define SORTILE_CPU_TABLE_LOOP [[gnu::noinline]] // with 16 registers, what it needs would be on the stack elsewhere
#endif

/// Of m ≤ digit_block pairs, by the table; false where there are more values than there is room for chains.
template <class K, class V>
SORTILE_CPU_TABLE_LOOP bool append_by_table(const K* keys, const V* values, std::size_t m, bool makes_indices,
                                            value_chains<K>& chains) {
  using entry = typename value_chains<K>::entry;
  const auto table = chains.table(); // what `home` needs stays in registers
  const std::uintptr_t in_block = chains.block_bytes() - 1;
  const auto put = [&](K key, const V* from, std::size_t count) __attribute__((always_inline)) { // false: no room
    entry* e = table.home(key);
    if (e->key != key) [[unlikely]] {
      e = chains.find(key);
      if (e == nullptr)
        return false;
    }
    std::byte* at = e->what;
    // So many chains are too many streams for the processor's own fetching.
    __builtin_prefetch(at + value_chains<K>::fetched, 1);
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(at, from + i, sizeof(V));
      at += sizeof(V);
      if ((reinterpret_cast<std::uintptr_t>(at) & in_block) == 0) [[unlikely]]
        at = chains.next_block(e);
    }
    e->what = at;
    return true;
  };
  std::size_t j = 0;
  for (; j + digit_run <= m; j += digit_run) {
    ask_ahead(keys + j, values + j, digit_run, makes_indices);
    if (are_equal(keys + j)) {
      if (!put(keys[j], values + j, digit_run))
        return false;
      continue;
    }
    for (std::size_t k = j; k < j + digit_run; ++k)
      if (!put(keys[k], values + k, 1)) [[unlikely]]
        return false;
  }
  for (; j < m; ++j)
    if (!put(keys[j], values + j, 1))
      return false;
  return true;
}
#undef SORTILE_CPU_TABLE_LOOP

/// False where there are more values than there is room for chains.
template <class K, class V>
bool chain(const source<K>& from, std::size_t n, value_chains<K>& chains) {
  value_block<V> values_of;
  known_chains<K, V> known(chains);
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    const K* const keys = from.keys + i;
    const V* const values = values_of(from, i, m);
    const std::size_t j = m == digit_block ? known.append(keys, values, from.makes_indices()) : 0;
    if (j == m)
      continue;
    known.leave();
    if (!append_by_table(keys + j, values + j, m - j, from.makes_indices(), chains))
      return false;
  }
  known.leave();
  return true;
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
