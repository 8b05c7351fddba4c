// Sorts within segments: many sorts in one call, each of a part of one array. Part of sortile.hpp.
//
//     std::vector<std::uint64_t> offsets{0, 3, 3, 8};            // segments [0, 3), [3, 3), [3, 8)
//     sortile::segment_sort(keys, sortile::segments::by_offsets(offsets));
//     sortile::segment_sort(matrix, sortile::segments::rows(1000, 256));      // each row of a 2-D array
//     sortile::segment_sort(matrix, sortile::segments::columns(1000, 256));   // each of its columns
//
// What holds. Each segment is sorted as sort() would sort it: stable, floats with −0 equal to +0 and NaN largest, bits
// never altered, by options::order and options::bits. Positions that segment_argsort() writes count from the beginning
// of their segment, as numpy.argsort(axis=…) has them. What lies in no segment is neither read nor written.
// No sorts of structs, no double buffers, no number of keys in device memory: the segments say what is sorted.
//
// Segments may be empty, may be millions, and may be of any mix of lengths. They must not overlap. Where the offsets
// lie in host memory that is checked before a key is moved: offsets that decrease, segments that reach beyond the
// arrays and segments that overlap are refused by name. In device memory offsets are read there, when the work is done:
// so the call is asynchronous, and a captured graph can be replayed with others. A segment whose end lies before its
// beginning is then taken as empty, one that reaches beyond the arrays is cut off at their end; sort_request's
// device_status, or options::checked, tells.
#pragma once

#include <sortile/sortile.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// An integer that says where a segment begins or ends: 32 or 64 bits, read as an unsigned number.
template <class I>
concept segment_offset = std::integral<I> &&(sizeof(I) == 4 || sizeof(I) == 8);

/// An array of them.
template <class R>
concept offset_range = detail::array_like<R> && segment_offset<std::ranges::range_value_t<R>>;

enum class segment_form : std::uint8_t {
  strided, ///< segment i: the elements i · stride + k · step for k < length
  offsets, ///< segment i: [begins[i], begins[i + 1]); begins has count + 1 elements
  ranges,  ///< segment i: [begins[i], ends[i]); both have count elements, in any order
};

/// Where the segments of an array lie, in elements. Offsets are only pointed to: they lie where options::memory says,
/// and must outlive the work.
struct segments {
  segment_form form = segment_form::strided;
  std::size_t count = 0; ///< segments

  const void* begins = nullptr; ///< of form offsets and ranges
  const void* ends = nullptr;   ///< of form ranges
  std::size_t offset_bytes = 8; ///< 4 or 8: the width of begins and ends

  std::size_t length = 0; ///< of form strided: elements of each segment
  std::size_t stride = 0; ///< from a segment's first element to the next segment's
  std::size_t step = 1;   ///< from an element to the next one of its segment

  /// Neighbouring segments: segment i ends where segment i + 1 begins. One more offset than segments; none: no segment.
  template <offset_range Offsets>
  requires std::ranges::borrowed_range<Offsets>
  static segments by_offsets(Offsets&& offsets) {
    const auto n = static_cast<std::size_t>(std::ranges::size(offsets));
    return {.form = segment_form::offsets,
            .count = n == 0 ? 0 : n - 1,
            .begins = std::ranges::data(offsets),
            .offset_bytes = sizeof(std::ranges::range_value_t<Offsets>)};
  }

  template <class Offsets>
  requires(!offset_range<Offsets> || !std::ranges::borrowed_range<Offsets>) static segments by_offsets(Offsets&&) {
    static_assert(offset_range<Offsets>, "sortile: offsets are integers of 32 or 64 bits in one piece of memory");
    static_assert(!offset_range<Offsets> || std::ranges::borrowed_range<Offsets>,
                  "sortile: segments point to their offsets, and these are a temporary; give them a name");
    return {};
  }

  /// Segments anywhere, with or without gaps, in any order. As many ends as begins, else invalid_argument is thrown.
  template <offset_range Begins, offset_range Ends>
  requires std::ranges::borrowed_range<Begins> && std::ranges::borrowed_range<Ends> &&
      (sizeof(std::ranges::range_value_t<Begins>) == sizeof(std::ranges::range_value_t<Ends>)) static segments
      by_ranges(Begins&& begins, Ends&& ends) {
    return pair_up(static_cast<std::size_t>(std::ranges::size(begins)),
                   static_cast<std::size_t>(std::ranges::size(ends)), std::ranges::data(begins),
                   std::ranges::data(ends), sizeof(std::ranges::range_value_t<Begins>));
  }

  /// The rows of a 2-D array in row-major order; `pitch`: elements from one row to the next, 0: no gaps.
  static constexpr segments rows(std::size_t rows, std::size_t columns, std::size_t pitch = 0) {
    return {.form = segment_form::strided, .count = rows, .length = columns, .stride = pitch == 0 ? columns : pitch};
  }

  /// The columns of that array.
  static constexpr segments columns(std::size_t rows, std::size_t columns, std::size_t pitch = 0) {
    return {.form = segment_form::strided,
            .count = columns,
            .length = rows,
            .stride = 1,
            .step = pitch == 0 ? columns : pitch};
  }

 private:
  static segments pair_up(std::size_t begins, std::size_t ends, const void* first_begin, const void* first_end,
                          std::size_t offset_bytes);
};

/// A sort within segments. `arrays` is the request for the whole arrays that the segments are part of: n is their
/// length, and outputs have the same segments as inputs. payload::indices makes positions within segments. Refused:
/// input_is_scratch, device_n.
struct segmented_request {
  sort_request arrays;
  segments where;
};

/// \throws unknown_engine, engine_unusable, invalid_argument: as run() would.
plan explain(const segmented_request& request, const options& opts = default_options());

/// Bytes of scratch that are enough for run() with this request on this engine, whatever the offsets are; they are not
/// read, and neither they nor the arrays need be there yet. In device memory also with fewer elements and segments.
std::size_t workspace_bytes(const segmented_request& request, const options& opts = default_options());

/// Sorts within the segments. O(n · key width) work, O(n) workspace at most; of host arrays less where no segment is
/// long.
/// \throws what run(sort_request) throws; invalid_argument also for segments that decrease, overlap, or reach beyond
/// the arrays
void run(const segmented_request& request, const options& opts = default_options());

/// Sorts the keys of each segment in place.
template <key_range Keys>
requires writable<Keys>
void segment_sort(Keys&& keys, const segments& where, const options& opts = default_options()) {
  run(segmented_request{detail::keys_request(keys, keys), where}, opts);
}

/// Sorts the segments of `in` into those of `out`, which has the same length and does not overlap it.
template <key_range In, key_range Out>
requires writable<Out>
void segment_sort(In&& in, Out&& out, const segments& where, const options& opts = default_options()) {
  detail::same_length("segment_sort", "in", detail::length(in), "out", detail::length(out));
  run(segmented_request{detail::keys_request(in, out), where}, opts);
}

/// Sorts the keys of each segment in place and moves values[i] with keys[i].
template <key_range Keys, value_range Values>
requires writable<Keys> && writable<Values>
void segment_sort_by_key(Keys&& keys, Values&& values, const segments& where, const options& opts = default_options()) {
  detail::same_length("segment_sort_by_key", "keys", detail::length(keys), "values", detail::length(values));
  segmented_request request{detail::keys_request(keys, keys), where};
  detail::add_values(request.arrays, values, values);
  run(request, opts);
}

/// Sorts the segments of keys_in, values_in into those of keys_out, values_out, all of one length; outputs overlap
/// nothing.
template <key_range KeysIn, value_range ValuesIn, key_range KeysOut, value_range ValuesOut>
requires writable<KeysOut> && writable<ValuesOut>
void segment_sort_by_key(KeysIn&& keys_in, ValuesIn&& values_in, KeysOut&& keys_out, ValuesOut&& values_out,
                         const segments& where, const options& opts = default_options()) {
  const std::size_t n = detail::length(keys_in);
  detail::same_length("segment_sort_by_key", "keys_in", n, "values_in", detail::length(values_in));
  detail::same_length("segment_sort_by_key", "keys_in", n, "keys_out", detail::length(keys_out));
  detail::same_length("segment_sort_by_key", "keys_in", n, "values_out", detail::length(values_out));
  segmented_request request{detail::keys_request(keys_in, keys_out), where};
  detail::add_values(request.arrays, values_in, values_out);
  run(request, opts);
}

/// Writes the order of each segment's keys, as positions from the segment's beginning: of segment [b, e) the key at
/// b + positions[b] is the first. The keys are only read.
template <key_range Keys, index_range Positions>
requires writable<Positions>
void segment_argsort(Keys&& keys, Positions&& positions, const segments& where,
                     const options& opts = default_options()) {
  using K = std::ranges::range_value_t<Keys>;
  using Index = std::ranges::range_value_t<Positions>;
  const std::size_t n = detail::length(keys);
  detail::same_length("segment_argsort", "keys", n, "positions", detail::length(positions));
  detail::need_wide_enough<Index>("segment_argsort", n);
  run(segmented_request{sort_request{.type = key_type_of<K>,
                                     .n = n,
                                     .keys_in = std::ranges::data(keys),
                                     .carries = payload::indices,
                                     .value_bytes = sizeof(Index),
                                     .values_out = std::ranges::data(positions)},
                        where},
      opts);
}

/// The same as a new vector, of 64-bit positions unless another index type is named; 0 where there is no segment.
template <index Index = std::uint64_t, key_range Keys>
[[nodiscard]] std::vector<Index> segment_argsort(Keys&& keys, const segments& where,
                                                 const options& opts = default_options()) {
  std::vector<Index> positions = detail::room_for_positions<Index>("segment_argsort", detail::length(keys));
  segment_argsort(keys, positions, where, opts);
  return positions;
}

} // namespace sortile
#pragma GCC visibility pop
