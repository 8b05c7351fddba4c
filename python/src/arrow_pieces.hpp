// Columns of the Arrow C interface as they lie: pieces that follow each other, and the entries in them.
#pragma once

#include "arrow.hpp"
#include "arrow_abi.hpp"

#include "cpu/parallel.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace sortile::python {

inline constexpr std::size_t alone_below = std::size_t{1} << 15; // rows

enum class layout { nothing, fixed, bits, offsets_32, offsets_64, views, equal_texts };

/// How the elements of an Arrow type lie, and as what keys they are ordered.
struct arrow_type {
  layout lies = layout::fixed;
  key_type key = key_type::u32; ///< not of text
  std::size_t text_bytes = 0;   ///< of each text, where all have the same length
  bool is_text() const { return lies >= layout::offsets_32; }
};

inline bool bit(const void* bits, std::size_t i) {
  return (static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8) & 1) != 0;
}

inline const std::byte* buffer(const ArrowArray& a, int64_t i) {
  return static_cast<const std::byte*>(a.buffers[i]);
}

/// The validity bits of a piece; null where everything in it is valid.
inline const void* validity(const ArrowArray& a) {
  return a.null_count == 0 || a.n_buffers == 0 ? nullptr : a.buffers[0];
}

template <class Offset>
std::string_view text_by_offsets(const ArrowArray& a, std::size_t i) {
  Offset bounds[2];
  std::memcpy(bounds, buffer(a, 1) + i * sizeof(Offset), sizeof bounds);
  return {reinterpret_cast<const char*>(buffer(a, 2)) + bounds[0], static_cast<std::size_t>(bounds[1] - bounds[0])};
}

/// Views: 16 bytes each; up to 12 bytes of text stand in the view, longer ones in a buffer that it names.
inline std::string_view text_by_view(const ArrowArray& a, std::size_t i) {
  const std::byte* const view = buffer(a, 1) + 16 * i;
  std::int32_t words[4];
  std::memcpy(words, view, sizeof words);
  const std::size_t length = static_cast<std::size_t>(words[0]);
  if (length <= 12)
    return {reinterpret_cast<const char*>(view) + 4, length};
  return {reinterpret_cast<const char*>(buffer(a, 2 + words[2])) + words[3], length};
}

inline std::string_view text_at(const ArrowArray& a, const arrow_type& type, std::size_t i) {
  switch (type.lies) {
  case layout::offsets_32:
    return text_by_offsets<std::int32_t>(a, i);
  case layout::offsets_64:
    return text_by_offsets<std::int64_t>(a, i);
  case layout::equal_texts:
    return {reinterpret_cast<const char*>(buffer(a, 1)) + i * type.text_bytes, type.text_bytes};
  default:
    return text_by_view(a, i);
  }
}

/// Some rows of a piece of a column, and where the first of them is in the whole.
struct part {
  const ArrowArray& array;
  std::size_t first; ///< in the array, its offset counted
  std::size_t n;
  std::size_t at;

  bool valid(std::size_t i) const { return validity(array) == nullptr || bit(validity(array), first + i); }
};

using arrow_array = arrow_owner<ArrowArray>;

/// f(part) for parts of all pieces, side by side.
template <class F>
void for_each_part(const std::vector<arrow_array>& pieces, unsigned threads, F&& f) {
  std::size_t at = 0;
  for (const arrow_array& piece : pieces) {
    const std::size_t n = static_cast<std::size_t>(piece.it.length), first = static_cast<std::size_t>(piece.it.offset);
    if (n == 0) // its buffers may be null
      continue;
    cpu::for_each_piece(threads, n, alone_below, [&](std::size_t begin, std::size_t end) {
      f(part{piece.it, first + begin, end - begin, at + begin});
    });
    at += n;
  }
}

inline std::size_t rows_of(const std::vector<arrow_array>& pieces) {
  std::size_t n = 0;
  for (const arrow_array& piece : pieces)
    n += static_cast<std::size_t>(piece.it.length);
  return n;
}

inline bool has_nulls(const std::vector<arrow_array>& pieces) {
  for (const arrow_array& piece : pieces)
    if (validity(piece.it) != nullptr)
      return true;
  return false;
}

/// The type of an Arrow format; nothing where it has no order here.
std::optional<arrow_type> type_of(std::string_view format);

/// Keys of all rows, nulls as zero. Not of text.
std::shared_ptr<void> keys_of(const std::vector<arrow_array>& pieces, const arrow_type& type, unsigned threads);

/// The keys of a column that lie in one piece as they are to be, nulls among them; else null.
const std::byte* keys_in_place(const std::vector<arrow_array>& pieces, const arrow_type& type);

/// A byte for each row: whether that it is valid is `valid`.
std::shared_ptr<void> flags_of(const std::vector<arrow_array>& pieces, bool valid, unsigned threads);

/// What a library hands out: a type, and pieces that follow each other.
struct arrow_stream {
  /// Takes them out of a PyCapsule "arrow_array_stream", or the only piece out of a tuple of PyCapsules "arrow_schema"
  /// and "arrow_array".
  explicit arrow_stream(nb::handle given);
  arrow_stream() = default;

  arrow_owner<ArrowSchema> schema;
  std::vector<arrow_array> pieces;
};

/// What read_arrow() gives: a PyCapsule that owns an arrow_stream.
inline constexpr const char* table_capsule = "sortile_table";

/// The table in such a capsule; null of anything else.
arrow_stream* read_table(nb::handle given);

/// A column: what an arrow_stream takes, or a tuple of such a capsule and the column's number, which stays the table's.
arrow_stream column_of(nb::handle given);

/// The entries of a struct's child. They stay the struct's, which has to be there as long.
std::vector<arrow_array> children_of(const std::vector<arrow_array>& pieces, std::int64_t number);

struct arrow_column::parts : arrow_stream {
  explicit parts(arrow_stream&& given) : arrow_stream(std::move(given)) {}

  arrow_type type;

  bool is_dictionary() const { return schema.it.dictionary != nullptr; }

  /// Of no dictionary. `in_place`: keys that can be read where they lie are not copied.
  std::vector<owned_column> plain_keys(order direction, bool in_place, unsigned threads) const;
  key_type index_type() const;
  bool has_null_entries() const;
  /// A byte for each row: whether that neither it nor its entry is null is `valid`.
  std::shared_ptr<void> entry_flags(bool valid, unsigned threads) const;
  /// The rows as their entries, null as zero: each piece is unpacked by its own dictionary.
  std::vector<owned_column> dictionary_keys(order direction, unsigned threads) const;
};

} // namespace sortile::python
