// The local kernel by words: a stable sort by means of one that is not. Included once per instruction set
// (kernels_all.hpp).
//
// Idea: a segment of the local sort is short, so a key and its position fit into 64 bits. No two such words are equal;
// the vector sort of 64-bit numbers puts them into the stable order, and the positions in them say where keys and
// values come from. −0, NaN, bit windows and orders concern the image alone.
//
//     word i   [ image of key i: the bits that differ in the segment ][ position i ]
//
// Where 64-bit keys differ in more bits than there is room for, the words hold the highest of them. Few neighbours are
// equal in those (a segment of 2^15 keys leaves room for 49 bits); one walk finds and repairs them.
namespace sortile::cpu::SORTILE_CPU_ISA {

// How images become words.
struct word_shape {
  unsigned width;         // of the differing bits, counted from bit 0
  unsigned dropped;       // lowest bits of the image that the words do not hold
  unsigned position_bits; // of the position
  bool whole;             // all that differs is in the words

  word_shape(std::uint64_t differing, std::size_t n)
      : width(static_cast<unsigned>(std::bit_width(differing))),
        dropped(differing == 0 ? 0 : static_cast<unsigned>(std::countr_zero(differing))),
        position_bits(static_cast<unsigned>(std::bit_width(n - 1))), whole(true) {
    if (width - dropped + position_bits > 64) {
      dropped = width + position_bits - 64;
      whole = false;
    }
  }
};

template <bool Exact, class K>
void make_words(const K* keys, std::size_t n, const key_image<K>& image, const word_shape& shape,
                std::uint64_t* words) {
  const key_image<K> im = image;
  const K kept = static_cast<K>(im.window & low_bits<K>(shape.width));
  const unsigned dropped = shape.dropped, position_bits = shape.position_bits;
  for (std::size_t i = 0; i < n; ++i)
    words[i] = std::uint64_t{static_cast<K>(image_of<Exact>(im, keys[i]) & kept)} >> dropped << position_bits | i;
}

// Words that differ in their positions alone are put into the order of the bits that they do not hold.
template <bool Exact, class K>
void repair_words(std::uint64_t* words, std::size_t n, const K* keys, const key_image<K>& image,
                  const word_shape& shape) {
  const std::uint64_t positions = low_bits<std::uint64_t>(shape.position_bits);
  const auto ordering = [&](std::uint64_t word) {
    return static_cast<K>(image_of<Exact>(image, keys[word & positions]) & image.window);
  };
  for (std::size_t i = 1; i < n; ++i) {
    if ((words[i] ^ words[i - 1]) > positions)
      continue;
    std::size_t end = i + 1;
    while (end < n && (words[end] ^ words[i]) <= positions)
      ++end;
    std::stable_sort(words + i - 1, words + end,
                     [&](std::uint64_t a, std::uint64_t b) { return ordering(a) < ordering(b); });
    i = end;
  }
}

template <bool MakesIndices, class K, class V>
void gather_words(const source<K, V>& from, std::size_t n, const std::uint64_t* words, unsigned position_bits,
                  const lanes<K, V>& to) {
  const std::uint64_t positions = low_bits<std::uint64_t>(position_bits);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(words[i] & positions);
    to.keys[i] = from.keys[at];
    if constexpr (has_values<V>)
      to.values[i] = value_at<MakesIndices>(from, at);
  }
}

// Sorts a segment whose images differ in the bits `differing`.
template <bool Exact, bool MakesIndices, class K, class V>
void sort_by_words(const source<K, V>& from, std::size_t n, const key_image<K>& image, K differing,
                   const lanes<K, V>& to, const local_scratch<K, V>& scratch) {
  auto* const words = reinterpret_cast<std::uint64_t*>(scratch.first.keys); // `second` follows it, `result` is free
  const word_shape shape(differing, n);
  make_words<Exact>(from.keys, n, image, shape, words);
  best_vector_kernels<std::uint64_t>()->sort(words, n, {}, words);
  if (!shape.whole)
    repair_words<Exact>(words, n, from.keys, image, shape);
  bool aliased = from.keys == to.keys;
  if constexpr (has_values<V>)
    aliased = aliased || from.values == to.values;
  gather_words<MakesIndices>(from, n, words, shape.position_bits, aliased ? scratch.result : to);
  if (aliased)
    copy_lanes<false>(source<K, V>(scratch.result), n, to);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
