// The partition kernel. Included once per instruction set (kernels_all.hpp).
//
// The partition decides how well memory is used. A key goes to one of up to 2048 places. Written straight there, each
// key would fetch a cache line, change a few bytes of it and write it back later, with a TLB miss on the way. So every
// bucket has a line in a buffer that stays in the L2 cache. Keys collect there and are written one whole aligned line
// at a time, past the caches where the array is larger than they are (Satish et al., "Fast sort on CPUs and GPUs",
// SIGMOD 2010; Wassenberg and Sanders, "Engineering a multi-core radix sort", Euro-Par 2011).
//
//     bucket b:  destination  … ──────[···xxxx][xxxxxxxx][xxx·····] …      one [ ] is a line
//                                      ^start            ^line  ^position[b]
//     buffer b:                                          [xxx·····]        slot = position mod line
//
// Lines are those of the destination, so only the first and the last write of a bucket can be partial. A position has
// its highest bit set until a line of its bucket has been written, so `start` is read once. Where vectors can take
// pairs apart, a key and its value lie side by side in a buffer of both: one cache line is changed, not two.
namespace sortile::cpu::SORTILE_CPU_ISA {

#if defined(SORTILE_CPU_AVX512_HERE)
// The vector with its last element replaced.
template <class T>
inline __m512i with_last(__m512i v, const T& last) {
  if constexpr (sizeof(T) == 16) {
    return _mm512_inserti64x2(v, _mm_loadu_si128(reinterpret_cast<const __m128i*>(&last)), 3);
  } else if constexpr (sizeof(T) == 8) {
    return _mm512_mask_set1_epi64(v, 0x80, std::bit_cast<std::int64_t>(last));
  } else if constexpr (sizeof(T) == 4) {
    return _mm512_mask_set1_epi32(v, 0x8000, std::bit_cast<std::int32_t>(last));
  } else if constexpr (sizeof(T) == 2) {
    return _mm512_mask_set1_epi16(v, __mmask32{1} << 31, std::bit_cast<std::int16_t>(last));
  } else {
    return _mm512_mask_set1_epi8(v, __mmask64{1} << 63, std::bit_cast<std::int8_t>(last));
  }
}
#endif

// Writes a line: `Count` elements from a buffer whose last one is still in a register.
template <std::size_t Count, class T>
inline void put_line(T* to, T* from, const T& last, bool stream) {
#if defined(SORTILE_CPU_AVX512_HERE)
  // The last element is blended in on the way: were it stored first, the load of the line would wait for that store.
  if constexpr (Count * sizeof(T) % 64 == 0) {
    constexpr std::size_t vectors = Count * sizeof(T) / 64;
    __m512i v[vectors];
    for (std::size_t i = 0; i < vectors; ++i)
      v[i] = _mm512_load_si512(reinterpret_cast<const std::byte*>(from) + 64 * i);
    v[vectors - 1] = with_last(v[vectors - 1], last);
    for (std::size_t i = 0; i < vectors; ++i) {
      auto* const at = reinterpret_cast<__m512i*>(reinterpret_cast<std::byte*>(to) + 64 * i);
      stream ? _mm512_stream_si512(at, v[i]) : _mm512_storeu_si512(at, v[i]);
    }
    return;
  }
#endif
  from[Count - 1] = last;
#if defined(__SSE2__)
  if constexpr (Count * sizeof(T) % 16 == 0) {
    if (stream) {
      for (std::size_t i = 0; i < Count * sizeof(T) / 16; ++i)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i,
                         _mm_load_si128(reinterpret_cast<const __m128i*>(from) + i));
      return;
    }
  }
#else
  (void)stream;
#endif
  std::memcpy(to, from, Count * sizeof(T));
}

// Copies past the caches.
inline void stream_bytes(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
#if defined(__SSE2__)
  const std::size_t misaligned = (64 - reinterpret_cast<std::uintptr_t>(out) % 64) % 64,
                    head = misaligned < bytes ? misaligned : bytes;
  std::memcpy(out, in, head);
  out += head, in += head, bytes -= head;
  for (; bytes >= 64; out += 64, in += 64, bytes -= 64) {
#if defined(SORTILE_CPU_AVX512_HERE)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(out), _mm512_loadu_si512(in));
#else
    for (std::size_t i = 0; i < 64; i += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(out + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i)));
#endif
  }
#endif
  std::memcpy(out, in, bytes);
}

template <class K>
inline void fill(K* to, std::size_t n, K key, bool stream) {
#if defined(SORTILE_CPU_AVX512_HERE)
  constexpr std::size_t lanes = 64 / sizeof(K);
  if (stream && n >= 2 * lanes) {
    for (; reinterpret_cast<std::uintptr_t>(to) % 64 != 0; ++to, --n)
      *to = key;
    alignas(64) K all[lanes];
    std::fill_n(all, lanes, key);
    const __m512i v = _mm512_load_si512(all);
    for (; n >= lanes; to += lanes, n -= lanes)
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to), v);
    _mm_sfence();
  }
#else
  (void)stream;
#endif
  std::fill_n(to, n, key);
}

// Writes past the caches, and is done with it for other threads too.
inline void write_out(const void* from, std::size_t bytes, void* to) {
  stream_bytes(to, from, bytes);
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

#if defined(SORTILE_CPU_AVX512_HERE)
// Key and value of a pair lie side by side in its line, so that putting them there takes one cache line instead of two;
// vectors take them apart on the way out.
template <class K, class V>
inline constexpr bool lie_together = has_values<V> && ((sizeof(K) == sizeof(V) && (sizeof(K) == 4 || sizeof(K) == 8)) ||
                                                       (sizeof(K) == 8 && sizeof(V) == 4));

inline void put_vector(void* to, __m512i v, bool stream) {
  stream ? _mm512_stream_si512(static_cast<__m512i*>(to), v) : _mm512_storeu_si512(to, v);
}

// Writes a line of 64-bit keys and 32-bit values, whose last pair is still in registers.
template <std::size_t Count, class Pair>
inline void put_uneven_pairs(std::uint64_t* to_keys, std::uint32_t* to_values, const Pair* from, const Pair& last,
                             bool stream_keys, bool stream_values) {
  const __m512i keys = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14),
                values = _mm512_setr_epi32(2, 6, 10, 14, 18, 22, 26, 30, 0, 0, 0, 0, 0, 0, 0, 0);
  for (std::size_t i = 0; i < Count; i += 16) {
    __m512i half[2];
    for (std::size_t h = 0; h < 2; ++h) {
      const __m512i a = _mm512_load_si512(from + i + 8 * h);
      __m512i b = _mm512_load_si512(from + i + 8 * h + 4);
      if (i + 8 * h + 8 == Count)
        b = with_last(b, last);
      put_vector(to_keys + i + 8 * h, _mm512_permutex2var_epi64(a, keys, b), stream_keys);
      half[h] = _mm512_permutex2var_epi32(a, values, b);
    }
    put_vector(to_values + i, _mm512_inserti64x4(half[0], _mm512_castsi512_si256(half[1]), 1), stream_values);
  }
}

// The same of pairs whose key and value are of one width.
template <std::size_t Count, class K, class Pair>
inline void put_pairs(K* to_keys, K* to_values, const Pair* from, const Pair& last, bool stream_keys,
                      bool stream_values) {
  constexpr std::size_t in_vector = 64 / sizeof(K);
  const auto apart = [&](__m512i a, __m512i b, __m512i which) __attribute__((always_inline)) {
    return sizeof(K) == 4 ? _mm512_permutex2var_epi32(a, which, b) : _mm512_permutex2var_epi64(a, which, b);
  };
  const __m512i keys = sizeof(K) == 4 ? _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
                                      : _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const __m512i values =
      sizeof(K) == 4 ? _mm512_add_epi32(keys, _mm512_set1_epi32(1)) : _mm512_add_epi64(keys, _mm512_set1_epi64(1));
  for (std::size_t i = 0; i < Count; i += in_vector) {
    const __m512i a = _mm512_load_si512(from + i);
    __m512i b = _mm512_load_si512(from + i + in_vector / 2);
    if (i + in_vector == Count)
      b = with_last(b, last);
    const __m512i k = apart(a, b, keys), v = apart(a, b, values);
    put_vector(to_keys + i, k, stream_keys);
    put_vector(to_values + i, v, stream_values);
  }
}
#else
template <class K, class V>
inline constexpr bool lie_together = false;
#endif

// One partition under way: buffers, and where their lines go.
template <class K, class V, std::size_t Line, std::size_t Buckets>
struct line_writer {
  static constexpr std::size_t line = Line;
  static constexpr std::size_t slots = line - 1;
  static constexpr bool together = lie_together<K, V>;
  // A position of a bucket of which no line has been written: that may begin in the line of the one before.
  static constexpr std::uint64_t unwritten = std::uint64_t{1} << 63;

  struct pair {
    K key;
    V value;
  };

  pair* pair_lines;
  K* key_lines;
  V* value_lines;
  K* to_keys; // shifted down by `phase`, so that positions count from the start of a line
  V* to_values;
  std::uint64_t* position; // the caller's, from there too
  const std::uint64_t* start;
  std::size_t phase; // keys from the line boundary below `to` to it
  bool stream_keys, stream_values;

  line_writer(std::byte* buffers, const lanes<K>& destination, std::uint64_t* positions, const std::uint64_t* starts,
              std::size_t buckets, bool stream)
      : pair_lines(reinterpret_cast<pair*>(buffers)), key_lines(reinterpret_cast<K*>(buffers)), value_lines(nullptr),
        to_values(nullptr), position(positions), start(starts) {
    const auto address = reinterpret_cast<std::uintptr_t>(destination.keys);
    phase = address / sizeof(K) % line;
    to_keys = reinterpret_cast<K*>(address - phase * sizeof(K));
    stream_keys = stream; // lines of keys are aligned: `phase` sees to that
    stream_values = false;
    if constexpr (has_values<V>) {
      value_lines = reinterpret_cast<V*>(buffers + Buckets * line * sizeof(K));
      const auto values = reinterpret_cast<std::uintptr_t>(destination.values) - phase * sizeof(V);
      to_values = reinterpret_cast<V*>(values);
      stream_values = stream && values % 64 == 0;
    }
    for (std::size_t b = 0; b < buckets; ++b)
      position[b] = (position[b] + phase) | unwritten;
  }

  // Puts a key, and its value, into its bucket.
  void put(std::size_t bucket, K key, const V& value) const {
    const std::uint64_t at = position[bucket];
    position[bucket] = at + 1;
    if ((at & slots) != slots) [[likely]]
      return keep(bucket * line + (at & slots), key, value);
    if ((at & unwritten) != 0) [[unlikely]] {
      const std::uint64_t end = (at + 1) & ~unwritten;
      position[bucket] = end;
      if (start[bucket] + phase > end - line) {
        keep(bucket * line + slots, key, value);
        return flush_part(bucket, start[bucket] + phase, end);
      }
    }
    const std::size_t begin = (at & ~unwritten) - slots;
    if constexpr (together) {
#if defined(SORTILE_CPU_AVX512_HERE)
      const pair* const from = pair_lines + bucket * line;
      const pair last{key, value};
      if constexpr (sizeof(K) == sizeof(V))
        put_pairs<line>(to_keys + begin, reinterpret_cast<K*>(to_values + begin), from, last, stream_keys,
                        stream_values);
      else
        put_uneven_pairs<line>(to_keys + begin, reinterpret_cast<std::uint32_t*>(to_values + begin), from, last,
                               stream_keys, stream_values);
#endif
    } else {
      put_line<line>(to_keys + begin, key_lines + bucket * line, key, stream_keys);
      if constexpr (has_values<V>)
        put_line<line>(to_values + begin, value_lines + bucket * line, value, stream_values);
    }
  }

  // Puts `count` neighbours into one bucket.
  void put_run(std::size_t bucket, const K* keys, const V* values, std::size_t count) const {
    std::size_t at = position[bucket] & ~unwritten;
    position[bucket] += count;
    for (std::size_t i = 0; i < count;) {
      const std::size_t slot = at & slots, m = line - slot < count - i ? line - slot : count - i;
      for (std::size_t j = 0; j < m; ++j) // a call of memcpy takes longer
        keep(bucket * line + slot + j, keys[i + j], has_values<V> ? values[i + j] : V{});
      at += m;
      i += m;
      if ((at & slots) == 0) {
        const std::size_t first = start[bucket] + phase;
        flush_part(bucket, first > at - line ? first : at - line, at);
      }
    }
  }

  void keep(std::size_t slot, K key, const V& value) const {
    if constexpr (together) {
      pair_lines[slot] = {key, value};
    } else {
      key_lines[slot] = key;
      if constexpr (has_values<V>)
        value_lines[slot] = value;
    }
  }

  void flush_part(std::size_t bucket, std::size_t begin, std::size_t end) const {
    const std::size_t slot = bucket * line + (begin & slots);
    if constexpr (together) {
      for (std::size_t i = 0; i < end - begin; ++i) {
        to_keys[begin + i] = pair_lines[slot + i].key;
        to_values[begin + i] = pair_lines[slot + i].value;
      }
      return;
    }
    std::memcpy(to_keys + begin, key_lines + slot, (end - begin) * sizeof(K));
    if constexpr (has_values<V>)
      std::memcpy(to_values + begin, value_lines + slot, (end - begin) * sizeof(V));
  }

  // Writes what is left in the buffers; then positions count from the caller's `to` again.
  void finish(std::size_t buckets) const {
    for (std::size_t b = 0; b < buckets; ++b) {
      const std::size_t end = position[b] & ~unwritten, line_begin = end & ~slots, first = start[b] + phase;
      flush_part(b, line_begin > first ? line_begin : first, end);
      position[b] = end - phase;
    }
#if defined(__SSE2__)
    if (stream_keys)
      _mm_sfence();
#endif
  }
};

// Puts m ≤ digit_block keys into their buckets; ask_ahead(j) asks for what follows key j and those after it.
template <class K, class V, class Writer, class AskAhead>
inline void put_block(const K* keys, const V* values, std::size_t m, const std::uint16_t* digits, const Writer& out,
                      AskAhead&& ask_ahead) {
  const auto put = [&](std::size_t j) {
    if constexpr (has_values<V>)
      out.put(digits[j], keys[j], values[j]);
    else
      out.put(digits[j], keys[j], {});
  };
  std::size_t j = 0;
  for (; j + digit_run <= m; j += digit_run) {
    ask_ahead(j);
    if (is_run(digits + j)) {
      out.put_run(digits[j], keys + j, has_values<V> ? values + j : nullptr, digit_run);
    } else {
      for (std::size_t k = j; k < j + digit_run; ++k)
        put(k);
    }
  }
  for (; j < m; ++j)
    put(j);
}

// Asked for so many keys ahead: the processor itself fetches no further than to the end of a page.
inline constexpr std::size_t partition_ahead = 4 * digit_block;

template <std::size_t Line, std::size_t Buckets, class K, class V>
void partition_by_digits(const source<K>& from, std::size_t n, const key_image<K>& image, const split<K>& d,
                         const kept_digits& kept, std::uint64_t* position, const std::uint64_t* start,
                         const lanes<K>& to, bool stream, std::byte* buffers) {
  const line_writer<K, V, Line, Buckets> out(buffers, to, position, start, d.buckets(), stream);
  alignas(64) std::uint16_t digits[digit_block];
  value_block<V> values_of;
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    const K* const keys = from.keys + i;
    const V* const values = values_of(from, i, m);
    if (i + m <= kept.n)
      std::copy(kept.digits + i, kept.digits + i + m, digits);
    else
      digits_of(keys, m, image, d, digits);
    put_block(
        keys, values, m, digits, out, [&](std::size_t j) __attribute__((always_inline)) {
          fetch(keys + j, partition_ahead, partition_ahead + digit_run);
          if constexpr (has_values<V>)
            if (!from.makes_indices())
              fetch(values + j, partition_ahead, partition_ahead + digit_run);
        });
  }
  out.finish(d.buckets());
}

// The values of n ≤ heavy_group keys from key i on: where they lie, or positions that are made in `group`.
template <class K, class V>
const V* values_of_group(const source<K>& from, std::size_t i, std::size_t n, V* group) {
  if (!from.makes_indices())
    return from.template values_as<V>() + i;
  for (std::size_t j = 0; j < n; ++j)
    put_index(group[j], from.first_index + i + j);
  return group;
}

// The same beside heavy keys, whose values go to their buckets side by side. Their keys are not moved: the first one of
// each bucket is written, for whoever writes them where they belong.
template <std::size_t Line, std::size_t Buckets, class K, class V>
void partition_beside_heavy(const source<K>& from, std::size_t n, const key_image<K>& image, const split<K>& d,
                            const kept_digits& kept, std::uint64_t* position, const std::uint64_t* start,
                            const lanes<K>& to, bool stream, std::byte* buffers) {
  const splitter_tree<K>& tree = *d.tree;
  std::uint64_t heavy_at[splitter_tree<K>::most_heavy];
  for (std::size_t h = 0; h < tree.heavy_keys; ++h)
    heavy_at[h] = position[tree.heavy_bucket[h]];
  const line_writer<K, V, Line, Buckets> out(buffers, to, position, start, d.buckets(), stream);
  alignas(64) std::uint16_t digits[digit_block];
  lighter_group<K, V> lighter;
  V group[heavy_group];
  for (std::size_t i = 0; i < n; i += heavy_group) {
    const std::size_t in_group = n - i < heavy_group ? n - i : heavy_group;
    const V* const values = values_of_group(from, i, in_group, group);
    const std::size_t left = lighter.take_out(from.keys + i, values, in_group, partition_ahead, tree,
                                              [&](std::size_t h, const V* taken, std::size_t count) {
                                                if (heavy_at[h] == start[tree.heavy_bucket[h]])
                                                  to.keys[heavy_at[h]] = tree.heavy[h];
                                                V* const at = to.template values_as<V>() + heavy_at[h];
                                                stream ? stream_bytes(at, taken, count * sizeof(V))
                                                       : static_cast<void>(std::memcpy(at, taken, count * sizeof(V)));
                                                heavy_at[h] += count;
                                              });
    for (std::size_t j = 0; j < left; j += digit_block) {
      const std::size_t m = left - j < digit_block ? left - j : digit_block;
      if (i + in_group <= kept.n)
        std::copy(kept.digits + i + j, kept.digits + i + j + m, digits);
      else
        digits_of(lighter.keys() + j, lighter.in_vectors(m), image, d, digits);
      put_block(lighter.keys() + j, lighter.values() + j, m, digits, out, [](std::size_t) {});
    }
  }
  out.finish(d.buckets());
  for (std::size_t h = 0; h < tree.heavy_keys; ++h)
    position[tree.heavy_bucket[h]] = heavy_at[h];
}

// Partition around a key. Every key of a block is written to all three places, and only the position of the right one
// advances: no branch to mispredict, and no counter in memory that the many equal keys would wait for.
template <class K, class V>
void partition_around(const source<K>& from, std::size_t n, const key_image<K>& image, K middle,
                      std::uint64_t* position, const lanes<K>& to) {
  K images[digit_block], keys[3][digit_block];
  [[maybe_unused]] V values[3][has_values<V> ? digit_block : 1];
  value_block<V> values_of;
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    [[maybe_unused]] const V* const in = values_of(from, i, m);
    images_of(from.keys + i, m, image, images);
    std::size_t below = 0, equal = 0, above = 0;
    for (std::size_t j = 0; j < m; ++j) {
      const K x = images[j];
      keys[0][below] = keys[1][equal] = keys[2][above] = from.keys[i + j];
      if constexpr (has_values<V>)
        values[0][below] = values[1][equal] = values[2][above] = in[j];
      below += x < middle;
      equal += x == middle;
      above += x > middle;
    }
    const std::size_t counts[3] = {below, equal, above};
    for (std::size_t b = 0; b < 3; ++b) {
      std::memcpy(to.keys + position[b], keys[b], counts[b] * sizeof(K));
      if constexpr (has_values<V>)
        std::memcpy(to.template values_as<V>() + position[b], values[b], counts[b] * sizeof(V));
      position[b] += counts[b];
    }
  }
}

template <class K, class V>
void partition(const source<K>& from, std::size_t n, const key_image<K>& image, const split<K>& d,
               const kept_digits& kept, std::uint64_t* position, const std::uint64_t* start, const lanes<K>& to,
               bool stream, std::byte* buffers) {
  if (d.around_key)
    return partition_around<K, V>(from, n, image, d.key_image, position, to);
  constexpr std::size_t width = has_values<V> ? sizeof(V) : 0;
  constexpr std::size_t line = line_keys(sizeof(K), width), long_line = long_line_keys(sizeof(K), width);
  static_assert(few_buckets * long_line <= max_buckets * line); // radix_layout::line_bytes
  if constexpr (lighter_group<K, V>::is_possible && has_values<V>)
    if (d.leaves_keys_out())
      return d.buckets() <= few_buckets
                 ? partition_beside_heavy<long_line, few_buckets, K, V>(from, n, image, d, kept, position, start, to,
                                                                        stream, buffers)
                 : partition_beside_heavy<line, max_buckets, K, V>(from, n, image, d, kept, position, start, to, stream,
                                                                   buffers);
  if (d.buckets() <= few_buckets)
    partition_by_digits<long_line, few_buckets, K, V>(from, n, image, d, kept, position, start, to, stream, buffers);
  else
    partition_by_digits<line, max_buckets, K, V>(from, n, image, d, kept, position, start, to, stream, buffers);
}

// In place (kernels_blocks.hpp). What is written lies over what has been read: a group is read whole before a heavy key
// of it is put anywhere.
template <class K, class V>
void collect_beside_heavy(std::size_t begin, std::size_t n, const key_image<K>& image, const split<K>& d,
                          block_collector<K>& state) {
  const splitter_tree<K>& tree = *d.tree;
  block_collector<K> c = state;
  const source<K> from = c.from.at(begin);
  alignas(64) std::uint16_t digits[digit_block];
  lighter_group<K, V> lighter;
  V group[heavy_group];
  for (std::size_t i = 0; i < n; i += heavy_group) {
    const std::size_t in_group = n - i < heavy_group ? n - i : heavy_group;
    const std::size_t left =
        lighter.take_out(from.keys + i, values_of_group(from, i, in_group, group), in_group, partition_ahead, tree,
                         [&](std::size_t h, const V* taken, std::size_t count) {
                           collect_equal<K, V>(c, tree.heavy_bucket[h], taken, count);
                         });
    for (std::size_t j = 0; j < left; j += digit_block) {
      const std::size_t m = left - j < digit_block ? left - j : digit_block;
      digits_of(lighter.keys() + j, lighter.in_vectors(m), image, d, digits);
      collect_block<K, V>(c, lighter.keys() + j, lighter.values() + j, m, digits);
    }
  }
  state.slot = c.slot;
}

template <class K, class V>
void collect(std::size_t begin, std::size_t n, const key_image<K>& image, const split<K>& d, block_collector<K>& state) {
  if constexpr (lighter_group<K, V>::is_possible && has_values<V>)
    if (d.leaves_keys_out())
      return collect_beside_heavy<K, V>(begin, n, image, d, state);
  collect_by_digits<K, V>(begin, n, image, d, state);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
