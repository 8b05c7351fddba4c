// The kernel of the partition in place: keys collect in a block for each bucket, and whole blocks are written to the
// front, over what has been read. Included once per instruction set (kernels_all.hpp). in_place.hpp says what happens
// to the blocks.
//
//     [ block of 3 | block of 0 | block of 3 |      free      | not read yet … ]
//                                             ^slot            ^i               fewer keys are written than read
//
// A block stays in the L2 cache until it is full, so a bucket costs one mispredicted branch a block and no counter of
// positions. Stable: the blocks of a bucket are filled one after the other.
namespace sortile::cpu::SORTILE_CPU_ISA {

template <class K, class V>
inline void flush_block(block_collector<K, V>& c, std::size_t bucket) {
  const std::size_t block = c.block, at = bucket * block;
  c.fill[bucket] = 0;
  if (c.in_head[bucket] != 0) {
    const std::size_t begin = at + c.head[bucket], n = block - c.head[bucket];
    c.in_head[bucket] = 0;
    std::memcpy(c.heads.keys + begin, c.buffers.keys + begin, n * sizeof(K));
    if constexpr (has_values<V>)
      std::memcpy(c.heads.values + begin, c.buffers.values + begin, n * sizeof(V));
    return;
  }
  std::memcpy(c.array.keys + c.slot * block, c.buffers.keys + at, block * sizeof(K));
  if constexpr (has_values<V>)
    std::memcpy(c.array.values + c.slot * block, c.buffers.values + at, block * sizeof(V));
  c.targets[c.slot++] = c.next[bucket]++;
}

template <bool Exact, class K, class V>
void collect_with(std::size_t begin, std::size_t n, const key_image<K>& image, const split<K>& d,
                  block_collector<K, V>& state) {
  block_collector<K, V> c = state;
  const lanes<K, V> from = c.array.at(begin);
  alignas(64) std::uint16_t digits[digit_block];
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    digits_of<Exact>(from.keys + i, m, image, d, digits);
    const auto put = [&](std::size_t j) {
      const std::size_t b = digits[j], at = c.fill[b];
      c.buffers.keys[b * c.block + at] = from.keys[i + j];
      if constexpr (has_values<V>)
        c.buffers.values[b * c.block + at] = from.values[i + j];
      c.fill[b] = static_cast<std::uint32_t>(at + 1);
      if (at + 1 == c.block) [[unlikely]]
        flush_block(c, b);
    };
    std::size_t j = 0;
    for (; j + digit_run <= m; j += digit_run) {
      const std::size_t b = digits[j], at = c.fill[b];
      if (is_run(digits + j) && at + digit_run < c.block) {
        std::memcpy(c.buffers.keys + b * c.block + at, from.keys + i + j, digit_run * sizeof(K));
        if constexpr (has_values<V>)
          std::memcpy(c.buffers.values + b * c.block + at, from.values + i + j, digit_run * sizeof(V));
        c.fill[b] = static_cast<std::uint32_t>(at + digit_run);
      } else {
        for (std::size_t k = j; k < j + digit_run; ++k)
          put(k);
      }
    }
    for (; j < m; ++j)
      put(j);
  }
  state.slot = c.slot;
}

template <class K, class V>
void collect(std::size_t begin, std::size_t n, const key_image<K>& image, const split<K>& d,
             block_collector<K, V>& state) {
  if constexpr (width_has_floats<K>) {
    if (image.exact)
      return collect_with<true>(begin, n, image, d, state);
  }
  collect_with<false>(begin, n, image, d, state);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
