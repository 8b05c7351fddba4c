// What the kernels of a sort within segments share: where segments lie, entries of lists, the arrays on their way, and
// how an entry's sorted elements are written.
//
// An entry is a stretch of one of three arrays (the input, a spare one, the output), whose sorted elements belong at
// the same place of the output:
//
//   word 0    bit 63, 62: which array        bits 0 … 61: its first element
//   word 1    bits 56 … 63: bits of the image that are still to be sorted by (large entries alone)    below: its length
//
// Entries of the input are whole segments, so the place within the entry is the place within the segment: what
// positions are made of. Later they travel as values.
#pragma once

#include "kernels/any_image.hpp"
#include "kernels/sample/sample_elements.hpp"
#include "kernels/segments/segment_reader.hpp"
#include "kernels/segments/segmented_sort.hpp"
#include "simt/simt.hpp"

#include <bit>
#include <type_traits>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Indices into the control words, which are zero before the first kernel.
enum segment_control : unsigned {
  listed, ///< a list each
  offsets_wrong = detail::segment_wrong_word,
  larges_found = offsets_wrong + 1,                                  ///< a level each
  rows_taken = larges_found + detail::segment_partition::most_levels ///< a level each
};
static_assert(rows_taken + detail::segment_partition::most_levels <= detail::segment_control_words);

enum class segment_source : unsigned { input, spare, output };

/// What is sorted: images of integers or of floats, keys alone by their whole; or images with the places they came
/// from.
enum class segment_elements { integers, floats, placed };

struct segment_item {
  std::uint64_t begin;
  std::uint64_t length;
  segment_source source;
  unsigned bits_left;
};

using item_words = simt::vec<std::uint64_t, 2>;

SORTILE_DEVICE item_words packed_item(const segment_item& i) {
  return {{std::uint64_t(i.source) << 62 | i.begin, std::uint64_t{i.bits_left} << 56 | i.length}};
}
SORTILE_DEVICE segment_item unpacked_item(const item_words& w) {
  constexpr std::uint64_t begins = (std::uint64_t{1} << 62) - 1, lengths = (std::uint64_t{1} << 56) - 1;
  return {w[0] & begins, w[1] & lengths, segment_source(unsigned(w[0] >> 62)), unsigned(w[1] >> 56)};
}

/// An unordered list of entries in device memory, with its length in a control word. It has room for all entries that
/// segments without overlaps can make; what offsets with overlaps make beyond that is dropped, and told.
struct segment_list {
  simt::global<std::uint64_t> words; // two an entry
  simt::global<std::uint32_t> control;
  unsigned counter;
  std::uint32_t capacity;

  SORTILE_DEVICE std::uint32_t size() const {
    const std::uint32_t added = control.load(counter);
    return added < capacity ? added : capacity;
  }
  SORTILE_DEVICE segment_item load(std::uint32_t i) const {
    return unpacked_item(simt::load_vector<2>(words, std::uint64_t{i} * 2));
  }
  SORTILE_DEVICE void add(const segment_item& item) const { store(control.fetch_add(counter, 1u), item); }
  /// By all lanes of a warp, for those that have an entry: one addition for all.
  SORTILE_DEVICE void add_by_warp(bool mine, const segment_item& item) const {
    const unsigned who = simt::ballot(mine);
    if (who == 0)
      return;
    const unsigned first = simt::trailing_zeros(who);
    std::uint32_t at = 0;
    if (simt::lane_index() == first)
      at = control.fetch_add(counter, simt::popcount(who));
    at = simt::shuffle(at, first) + simt::popcount(who & simt::lanes_below());
    if (mine)
      store(at, item);
  }

  SORTILE_DEVICE void store(std::uint32_t i, const segment_item& item) const {
    if (i < capacity)
      simt::store_vector<2>(words, std::uint64_t{i} * 2, packed_item(item));
    else
      control.fetch_or(offsets_wrong, 1u);
  }
};

/// The lists by length.
struct segment_lists {
  segment_list of[detail::segment_classes::lists];
  detail::segment_classes classes;

  /// By all lanes of a warp: adds entries of more than `unlisted` elements, up to what a block takes; one addition for
  /// each list, all at once.
  SORTILE_DEVICE void add_by_warp(const segment_item& item, std::uint32_t unlisted) const {
    constexpr unsigned lists = detail::segment_classes::lists;
    const std::uint32_t n = item.length <= classes.block() ? std::uint32_t(item.length) : 0;
    const bool listed = n > unlisted;
    unsigned mine = 0; // the list
    SORTILE_UNROLL
    for (unsigned c = 0; c + 1 < lists; ++c)
      mine += n > classes.most[c];
    const unsigned who = simt::ballot(listed);
    if (who == 0)
      return;
    const unsigned peers = simt::match_bits<4>(mine) & who;
    const unsigned rank = simt::popcount(peers & simt::lanes_below());
    std::uint32_t at = 0;
    if (listed && rank == 0)
      at = of[0].control.fetch_add(kernels::listed + mine, simt::popcount(peers));
    at = simt::shuffle(at, peers == 0 ? 0 : simt::trailing_zeros(peers)) + rank;
    SORTILE_UNROLL
    for (unsigned c = 0; c < lists; ++c)
      if (listed && mine == c)
        of[c].store(at, item);
  }
};

/// Arrays of values, moved by words of 32 or 64 bits, so that one code moves values of every width.
struct value_arrays {
  const void* in;
  void *spare, *out;
  std::uint64_t n; // values
  unsigned words;  // of 32 bits, a value; 0: none
  bool make_indices;

  SORTILE_DEVICE bool in_place() const { return in == out; }
  SORTILE_DEVICE bool makes(segment_source source) const { return make_indices && source == segment_source::input; }
  template <class Part>
  SORTILE_DEVICE simt::global<const Part> from(segment_source source) const {
    const void* const array = source == segment_source::input ? in : source == segment_source::spare ? spare : out;
    return {static_cast<const Part*>(array), n * words * 4 / sizeof(Part)};
  }
  template <class Part>
  SORTILE_DEVICE simt::global<Part> to(segment_source target) const {
    return {static_cast<Part*>(target == segment_source::spare ? spare : out), n * words * 4 / sizeof(Part)};
  }
  /// f(words of a value), a constant where it is one: then a value's place is its word's.
  template <class F>
  SORTILE_DEVICE void with_size(F f) const {
    if (words == 1)
      f(std::integral_constant<unsigned, 1>{});
    else
      f(words);
  }
  /// Word w of the value at `begin + place` of an entry.
  SORTILE_DEVICE std::uint32_t word(const segment_item& item, std::uint64_t place, unsigned w) const {
    if (makes(item.source))
      return w == 0 ? std::uint32_t(place) : std::uint32_t(place >> 32);
    return from<std::uint32_t>(item.source).load((item.begin + place) * words + w);
  }
  SORTILE_DEVICE void store_word(std::uint64_t at, unsigned w, std::uint32_t x) const {
    to<std::uint32_t>(segment_source::output).store(at * words + w, x);
  }
};

template <class Word>
struct segment_arrays {
  simt::global<const Word> in;
  simt::global<Word> spare, out;
  value_arrays values;
  key_codec<Word> codec;
  bool keys_wanted, in_place;
  bool vectors; ///< all arrays of keys begin at multiples of 16 bytes

  SORTILE_DEVICE simt::global<const Word> from(segment_source source) const {
    return source == segment_source::input   ? in
           : source == segment_source::spare ? simt::global<const Word>(spare)
                                             : simt::global<const Word>(out);
  }
  // Without places images tell all of the key; floats' do but for −0, which equals 0, and NaNs, which all are equal.
  template <segment_elements Elements>
  SORTILE_DEVICE Word image(Word key) const {
    if constexpr (Elements == segment_elements::placed)
      return codec.image(key);
    else if constexpr (Elements == segment_elements::floats)
      return image_of_bits(float_bits(key));
    else
      return Word(key ^ codec.sign ^ codec.complement);
  }
  /// codec.image of many keys at once. It is asked a single time what they are: a branch for each would keep loads of
  /// the next from going out before it.
  template <int N>
  SORTILE_DEVICE void make_images(Word (&k)[N]) const {
    if (codec.infinity != 0) {
      const any_image<Word> floats(codec);
      SORTILE_UNROLL
      for (int j = 0; j < N; ++j)
        k[j] = floats.image(k[j]);
    } else {
      SORTILE_UNROLL
      for (int j = 0; j < N; ++j)
        k[j] = Word(k[j] ^ codec.sign ^ codec.complement);
    }
    SORTILE_UNROLL
    for (int j = 0; j < N; ++j)
      k[j] = Word(Word(k[j] >> codec.shift) & codec.mask);
  }
  /// The key that has this image.
  template <segment_elements Elements>
  SORTILE_DEVICE Word key(Word image) const {
    const Word ascending = Word(image ^ codec.complement);
    if constexpr (Elements == segment_elements::floats)
      return Word(ascending ^ flips((ascending & codec.sign) == 0));
    else
      return Word(ascending ^ codec.sign);
  }
  /// Of any float, by its bits: what key() turns back.
  SORTILE_DEVICE Word float_bits(Word key) const {
    return Word(key ^ flips((key & codec.sign) != 0) ^ codec.complement);
  }
  /// From float_bits() to the image: NaNs become one.
  SORTILE_DEVICE Word image_of_bits(Word bits) const { return is_nan_bits(bits) ? Word(~codec.complement) : bits; }
  SORTILE_DEVICE bool is_nan_bits(Word bits) const {
    const Word greatest = Word(codec.infinity ^ codec.sign), least = Word(~greatest);
    return Word((bits ^ codec.complement) - least) > Word(greatest - least);
  }
  SORTILE_DEVICE bool is_told(Word key) const {
    const auto x = std::bit_cast<std::conditional_t<sizeof(Word) == 4, float, double>>(key);
    return x == x && key != codec.sign;
  }
  /// Where a partition of entries of this array writes.
  static SORTILE_DEVICE segment_source target(segment_source source) {
    return source == segment_source::spare ? segment_source::output : segment_source::spare;
  }
  SORTILE_DEVICE simt::global<Word> to(segment_source target) const {
    return target == segment_source::spare ? spare : out;
  }

 private:
  SORTILE_DEVICE Word flips(bool negative) const { return negative ? Word(~Word{0}) : codec.sign; }
};

/// Writes the n sorted keys of an entry, of which thread t of `threads` writes t, t + threads, …; at(p) is the one that
/// belongs at place p.
template <int Items, class Word, class At>
SORTILE_DEVICE void write_keys(const segment_arrays<Word>& arrays, const segment_item& item, unsigned t,
                               unsigned threads, At at) {
  if (!arrays.keys_wanted)
    return;
  const auto n = std::uint32_t(item.length);
  const std::uint64_t first = item.begin + t;
  SORTILE_UNROLL
  for (int i = 0; i < Items; ++i) {
    const std::uint32_t p = t + unsigned(i) * threads;
    if (p < n)
      arrays.out.store(first + unsigned(i) * threads, at(p));
  }
}

/// The same of keys that come from the places at(p) of the entry. barrier() orders all these threads' accesses.
template <int Items, class Word, class At, class Barrier>
SORTILE_DEVICE void write_keys_from(const segment_arrays<Word>& arrays, const segment_item& item, unsigned t,
                                    unsigned threads, At at, Barrier barrier) {
  if (!arrays.keys_wanted)
    return;
  const auto n = std::uint32_t(item.length);
  const auto from = arrays.from(item.source);
  Word keys[Items] = {};
  SORTILE_UNROLL
  for (int i = 0; i < Items; ++i) {
    const std::uint32_t p = t + unsigned(i) * threads;
    if (p < n)
      keys[i] = from.load(item.begin + at(p));
  }
  barrier(); // what is written may be what others still have to read
  SORTILE_UNROLL
  for (int i = 0; i < Items; ++i)
    if (t + unsigned(i) * threads < n)
      arrays.out.store(item.begin + t + unsigned(i) * threads, keys[i]);
}

/// The same of values. `size`: words of a value, a constant where it is one.
template <int Items, class Size, class At, class Barrier>
SORTILE_DEVICE void write_values_from(const value_arrays& values, const segment_item& item, unsigned t,
                                      unsigned threads, Size size, At at, Barrier barrier) {
  const auto n = std::uint32_t(item.length);
  const auto from = values.from<std::uint32_t>(item.source);
  const auto out = values.to<std::uint32_t>(segment_source::output);
  const bool makes = values.makes(item.source);
  for (unsigned w = 0; w < size; ++w) {
    const std::uint64_t first = item.begin * size + w;
    std::uint32_t words[Items] = {};
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t p = t + unsigned(i) * threads;
      if (p < n)
        words[i] = at(p);
    }
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      if (!makes && t + unsigned(i) * threads < n)
        words[i] = from.load(first + words[i] * size);
    barrier();
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t p = t + unsigned(i) * threads;
      if (p < n)
        out.store(first + p * size, makes && w > 0 ? 0 : words[i]);
    }
  }
}

/// Writes packed elements (sample_elements.hpp), and their values, of which at(p) belongs at place p.
template <int Items, class Packed, segment_elements Elements, class Word, class At, class Barrier>
SORTILE_DEVICE void write_segment(const segment_arrays<Word>& arrays, const segment_item& item, unsigned t,
                                  unsigned threads, At at, Barrier barrier) {
  if constexpr (Elements != segment_elements::placed) {
    write_keys<Items>(arrays, item, t, threads,
                      [&](std::uint32_t p) { return arrays.template key<Elements>(Packed::image(at(p))); });
  } else {
    const auto place = [&](std::uint32_t p) { return std::uint32_t(Packed::place(at(p))); };
    if (arrays.codec.infinity == 0 && arrays.codec.bits == 8 * sizeof(Word)) // images tell all of the keys
      write_keys<Items>(arrays, item, t, threads, [&](std::uint32_t p) {
        return arrays.template key<segment_elements::integers>(Word(Packed::image(at(p))));
      });
    else
      write_keys_from<Items>(arrays, item, t, threads, place, barrier);
    arrays.values.with_size(
        [&](auto size) { write_values_from<Items>(arrays.values, item, t, threads, size, place, barrier); });
  }
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
