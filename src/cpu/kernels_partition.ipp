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
// Lines are those of the destination, so only the first and the last write of a bucket can be partial.
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

// Writes past the caches, and is done with it for other threads too.
inline void write_out(const void* from, std::size_t bytes, void* to) {
  stream_bytes(to, from, bytes);
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// One partition under way: buffers, and where their lines go.
template <class K, class V, std::size_t Line, std::size_t Buckets>
struct line_writer {
  static constexpr std::size_t line = Line;
  static constexpr std::size_t slots = line - 1;

  K* key_lines;
  V* value_lines;
  K* to_keys; // shifted down by `phase`, so that positions count from the start of a line
  V* to_values;
  const std::uint64_t* start;
  std::size_t phase; // keys from the line boundary below `to` to it
  bool stream_keys, stream_values;

  line_writer(std::byte* buffers, const lanes<K>& destination, const std::uint64_t* starts, bool stream)
      : key_lines(reinterpret_cast<K*>(buffers)), value_lines(nullptr), to_values(nullptr), start(starts) {
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
  }

  // Puts a key, and its value, into its bucket at `position`, which counts from `to`.
  void put(std::size_t bucket, std::size_t position, K key, const V& value) const {
    K* const keys = key_lines + bucket * line;
    V* const values = has_values<V> ? value_lines + bucket * line : nullptr;
    if ((position & slots) != slots) [[likely]] {
      keys[position & slots] = key;
      if constexpr (has_values<V>)
        values[position & slots] = value;
      return;
    }
    const std::size_t begin = position - slots;
    if (start[bucket] + phase > begin) { // the first line of the bucket, which it shares with the one before
      keys[slots] = key;
      if constexpr (has_values<V>)
        values[slots] = value;
      flush_part(bucket, start[bucket] + phase, position + 1);
      return;
    }
    put_line<line>(to_keys + begin, keys, key, stream_keys);
    if constexpr (has_values<V>)
      put_line<line>(to_values + begin, values, value, stream_values);
  }

  // Puts `count` neighbours into one bucket, from `position` on.
  void put_run(std::size_t bucket, std::size_t position, const K* keys, const V* values, std::size_t count) const {
    for (std::size_t i = 0; i < count;) {
      const std::size_t slot = position & slots, m = line - slot < count - i ? line - slot : count - i;
      std::memcpy(key_lines + bucket * line + slot, keys + i, m * sizeof(K));
      if constexpr (has_values<V>)
        for (std::size_t j = 0; j < m; ++j) // a call of memcpy takes longer
          value_lines[bucket * line + slot + j] = values[i + j];
      position += m;
      i += m;
      if ((position & slots) == 0) {
        const std::size_t first = start[bucket] + phase;
        flush_part(bucket, first > position - line ? first : position - line, position);
      }
    }
  }

  void flush_part(std::size_t bucket, std::size_t begin, std::size_t end) const {
    const std::size_t slot = bucket * line + (begin & slots);
    std::memcpy(to_keys + begin, key_lines + slot, (end - begin) * sizeof(K));
    if constexpr (has_values<V>)
      std::memcpy(to_values + begin, value_lines + slot, (end - begin) * sizeof(V));
  }

  // Writes what is left in the buffers; then positions count from the caller's `to` again.
  void finish(std::uint64_t* position, std::size_t buckets) const {
    for (std::size_t b = 0; b < buckets; ++b) {
      const std::size_t end = position[b], line_begin = end & ~slots, first = start[b] + phase;
      flush_part(b, line_begin > first ? line_begin : first, end);
      position[b] = end - phase;
    }
#if defined(__SSE2__)
    if (stream_keys)
      _mm_sfence();
#endif
  }
};

template <std::size_t Line, std::size_t Buckets, class K, class V>
void partition_by_digits(const source<K>& from, std::size_t n, const key_image<K>& image, const split<K>& d,
                         const kept_digits& kept, std::uint64_t* position, const std::uint64_t* start,
                         const lanes<K>& to, bool stream, std::byte* buffers) {
  const line_writer<K, V, Line, Buckets> out(buffers, to, start, stream);
  for (std::size_t b = 0; b < d.buckets(); ++b)
    position[b] += out.phase;
  alignas(64) std::uint16_t digits[digit_block];
  value_block<V> values_of;
  constexpr std::size_t ahead = 4 * digit_block; // the processor itself fetches no further than to the end of a page
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    const K* const keys = from.keys + i;
    const V* const values = values_of(from, i, m);
    fetch(keys, ahead, ahead + digit_block);
    if constexpr (has_values<V>)
      if (!from.makes_indices())
        fetch(values, ahead, ahead + digit_block);
    if (i + m <= kept.n)
      std::copy(kept.digits + i, kept.digits + i + m, digits);
    else
      digits_of(keys, m, image, d, digits);
    const auto put = [&](std::size_t j) {
      const std::size_t b = digits[j], p = position[b];
      position[b] = p + 1;
      if constexpr (has_values<V>)
        out.put(b, p, keys[j], values[j]);
      else
        out.put(b, p, keys[j], {});
    };
    std::size_t j = 0;
    for (; j + digit_run <= m; j += digit_run) {
      if (is_run(digits + j)) {
        out.put_run(digits[j], position[digits[j]], keys + j, has_values<V> ? values + j : nullptr, digit_run);
        position[digits[j]] += digit_run;
      } else {
        for (std::size_t k = j; k < j + digit_run; ++k)
          put(k);
      }
    }
    for (; j < m; ++j)
      put(j);
  }
  out.finish(position, d.buckets());
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
  static_assert(few_buckets * long_line <= max_buckets * line);
  if (d.buckets() <= few_buckets)
    partition_by_digits<long_line, few_buckets, K, V>(from, n, image, d, kept, position, start, to, stream, buffers);
  else
    partition_by_digits<line, max_buckets, K, V>(from, n, image, d, kept, position, start, to, stream, buffers);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
