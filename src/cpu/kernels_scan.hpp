// Kernels that read or split: look, histogram, partition.
//
// Partition is where memory is won or lost. A key goes to one of up to 2048 places; written straight there, each write
// would fetch a cache line, change a few bytes of it and write it back later, with a TLB miss on the way. So every
// bucket has a line in a buffer that stays in the L2 cache; keys collect there and go out a whole aligned line at a
// time, past the caches where the array is larger than they are (Satish et al., "Fast sort on CPUs and GPUs", SIGMOD
// 2010; Wassenberg and Sanders, "Engineering a multi-core radix sort", Euro-Par 2011).
//
//     bucket b:  destination  … ──────[···xxxx][xxxxxxxx][xxx·····] …      one [ ] is a line
//                                      ^start            ^line  ^position[b]
//     buffer b:                                          [xxx·····]        slot = position mod line
//
// Lines are those of the destination, so only the first and the last write of a bucket can be partial.
#pragma once

#include "cpu/kernels.hpp"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sortile::cpu::SORTILE_CPU_ISA {

template <class K>
inline std::size_t bucket_of(K image, digit d) {
  return static_cast<std::size_t>(image >> d.shift) & (d.buckets() - 1);
}

// OR, AND and the order of a block. Flags are gathered in key-wide integers, which compilers turn into vectors.
template <bool IsFloat, bool Exact, class K>
void look_at(const K* keys, std::size_t n, const K* before, const key_image<K>& image, look_result<K>& found) {
  const key_image<K> im = image;
  const auto ordering = [&](K u) {
    return static_cast<K>((Exact ? im.codec.whole_image(u) : im.plain(u)) & im.window);
  };
  K any = found.any, all = found.all, special = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const K x = Exact ? im.codec.whole_image(keys[i]) : im.plain(keys[i]);
    any = static_cast<K>(any | x);
    all = static_cast<K>(all & x);
    if constexpr (IsFloat && !Exact)
      special = static_cast<K>(special | static_cast<K>(im.is_special(keys[i])));
  }
  found.any = any;
  found.all = all;
  found.special = found.special || special != 0;
  if (n == 0 || !(found.ascending || found.descending))
    return;
  K falls = 0, rises_or_stays = 0;
  if (before != nullptr) {
    const K x = ordering(*before), y = ordering(keys[0]);
    falls = x > y;
    rises_or_stays = x <= y;
  }
  for (std::size_t i = 1; i < n; ++i) {
    const K x = ordering(keys[i - 1]), y = ordering(keys[i]);
    falls = static_cast<K>(falls | static_cast<K>(x > y));
    rises_or_stays = static_cast<K>(rises_or_stays | static_cast<K>(x <= y));
  }
  found.ascending = found.ascending && falls == 0;
  found.descending = found.descending && rises_or_stays == 0;
}

template <class K>
void look(const K* keys, std::size_t n, const K* before, const key_image<K>& image, look_result<K>& found) {
  if constexpr (width_has_floats<K>) {
    if (image.is_float) {
      image.exact ? look_at<true, true>(keys, n, before, image, found)
                  : look_at<true, false>(keys, n, before, image, found);
      return;
    }
  }
  look_at<false, false>(keys, n, before, image, found);
}

template <class K>
void histogram(const K* keys, std::size_t n, const key_image<K>& image, digit d, std::uint64_t* counts) {
  const key_image<K> im = image;
  if constexpr (width_has_floats<K>) {
    if (im.exact) {
      for (std::size_t i = 0; i < n; ++i)
        ++counts[bucket_of(im.codec.whole_image(keys[i]), d)];
      return;
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    ++counts[bucket_of(im.plain(keys[i]), d)];
}

// Writes a whole line of `Bytes` bytes.
template <std::size_t Bytes>
inline void put_line(void* to, const void* from, bool stream) {
#if defined(__SSE2__)
  if constexpr (Bytes % 16 == 0) {
    if (stream) {
      for (std::size_t i = 0; i < Bytes / 16; ++i)
        _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_load_si128(static_cast<const __m128i*>(from) + i));
      return;
    }
  }
#else
  (void)stream;
#endif
  std::memcpy(to, from, Bytes);
}

// One partition under way: buffers, and where their lines go.
template <class K, class V>
struct line_writer {
  static constexpr std::size_t line = line_keys<K, V>();
  static constexpr std::size_t slots = line - 1;

  K* key_lines;
  V* value_lines;
  lanes<K, V> to; // shifted down by `phase`, so that positions count from the start of a line
  const std::uint64_t* start;
  std::size_t phase; // keys from the line boundary below `to` to it
  bool stream_keys, stream_values;

  line_writer(std::byte* buffers, std::size_t buckets, lanes<K, V> destination, const std::uint64_t* starts,
              bool stream)
      : key_lines(reinterpret_cast<K*>(buffers)), value_lines(nullptr), start(starts) {
    const auto address = reinterpret_cast<std::uintptr_t>(destination.keys);
    phase = address / sizeof(K) % line;
    to.keys = reinterpret_cast<K*>(address - phase * sizeof(K));
    stream_keys = stream;
    stream_values = false;
    if constexpr (has_values<V>) {
      value_lines = reinterpret_cast<V*>(buffers + buckets * line * sizeof(K));
      const auto values = reinterpret_cast<std::uintptr_t>(destination.values) - phase * sizeof(V);
      to.values = reinterpret_cast<V*>(values);
      stream_values = stream && values % 16 == 0;
    }
  }

  void put(std::size_t bucket, std::size_t position, K key) const {
    key_lines[bucket * line + (position & slots)] = key;
  }
  void put(std::size_t bucket, std::size_t position, const V& v) const requires has_values<V> {
    value_lines[bucket * line + (position & slots)] = v;
  }

  // The line that ends before `end` is full.
  void flush(std::size_t bucket, std::size_t end) const {
    const std::size_t begin = end - line;
    if (start[bucket] + phase > begin) {
      flush_part(bucket, start[bucket] + phase, end);
      return;
    }
    put_line<line * sizeof(K)>(to.keys + begin, key_lines + bucket * line, stream_keys);
    if constexpr (has_values<V>)
      put_line<line * sizeof(V)>(to.values + begin, value_lines + bucket * line, stream_values);
  }

  void flush_part(std::size_t bucket, std::size_t begin, std::size_t end) const {
    const std::size_t slot = bucket * line + (begin & slots);
    std::memcpy(to.keys + begin, key_lines + slot, (end - begin) * sizeof(K));
    if constexpr (has_values<V>)
      std::memcpy(to.values + begin, value_lines + slot, (end - begin) * sizeof(V));
  }

  // What is left in the buffers; positions are counted from `to` as the caller knows it again.
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

// The value of from.keys[i].
template <bool MakesIndices, class K, class V>
inline V value_at(const source<K, V>& from, std::size_t i) {
  if constexpr (MakesIndices) {
    const std::uint64_t index = from.first_index + i;
    V v;
    std::memcpy(&v, &index, sizeof(V)); // little endian: the low bytes of a position that fits
    return v;
  } else {
    return from.values[i];
  }
}

template <bool Exact, bool MakesIndices, class K, class V>
void partition_with(source<K, V> from, std::size_t n, const key_image<K>& image, digit d, std::uint64_t* position,
                    const line_writer<K, V>& writer) {
  const key_image<K> im = image;
  const line_writer<K, V> out = writer;
  for (std::size_t i = 0; i < n; ++i) {
    const K key = from.keys[i];
    const std::size_t b = bucket_of(Exact ? im.codec.whole_image(key) : im.plain(key), d);
    const std::size_t p = position[b];
    out.put(b, p, key);
    if constexpr (has_values<V>)
      out.put(b, p, value_at<MakesIndices>(from, i));
    position[b] = p + 1;
    if (((p + 1) & out.slots) == 0)
      out.flush(b, p + 1);
  }
}

// Calls f with the two questions that a moving loop must not ask for every key answered at compile time: are the images
// exact ones, and are indices made.
template <class K, class V, class F>
inline void with_questions(const source<K, V>& from, const key_image<K>& image, F&& f) {
  using yes = std::true_type;
  using no = std::false_type;
  if constexpr (has_values<V> && (sizeof(V) == 4 || sizeof(V) == 8)) {
    if (from.makes_indices()) {
      if constexpr (width_has_floats<K>) {
        if (image.exact)
          return f(yes{}, yes{});
      }
      return f(no{}, yes{});
    }
  }
  if constexpr (width_has_floats<K>) {
    if (image.exact)
      return f(yes{}, no{});
  }
  f(no{}, no{});
}

template <class K, class V>
void partition(source<K, V> from, std::size_t n, const key_image<K>& image, digit d, std::uint64_t* position,
               const std::uint64_t* start, lanes<K, V> to, bool stream, std::byte* buffers) {
  const line_writer<K, V> writer(buffers, d.buckets(), to, start, stream);
  for (std::size_t b = 0; b < d.buckets(); ++b)
    position[b] += writer.phase;
  with_questions(from, image, [&](auto exact, auto makes_indices) {
    partition_with<exact.value, makes_indices.value>(from, n, image, d, position, writer);
  });
  writer.finish(position, d.buckets());
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
