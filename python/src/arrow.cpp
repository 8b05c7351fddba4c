// Columns of tables by the Arrow C interface.
//
// The pieces of a column lie wherever its library keeps them; here they become one array of keys. Numbers are copied as
// they are; text becomes ranks (text_order.hpp); a dictionary's indices become the ranks of its entries. Where
// something is null, a column of flags goes before the keys, and the keys of all nulls are zero, so that nulls are
// equal.
#include "arrow.hpp"

#include "arrow_abi.hpp"
#include "text_order.hpp"

#include "cpu/parallel.hpp"

#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace sortile::python {

namespace {

constexpr std::size_t alone_below = std::size_t{1} << 15;

enum class layout { fixed, bits, offsets_32, offsets_64, views };

/// How the elements of an Arrow type lie, and as what keys they are ordered.
struct arrow_type {
  layout lies = layout::fixed;
  key_type key = key_type::u32; ///< of text: its ranks
  bool is_text() const { return lies >= layout::offsets_32; }
};

std::optional<key_type> one_letter(char letter) {
  switch (letter) {
  case 'c':
    return key_type::i8;
  case 'C':
    return key_type::u8;
  case 's':
    return key_type::i16;
  case 'S':
    return key_type::u16;
  case 'i':
    return key_type::i32;
  case 'I':
    return key_type::u32;
  case 'l':
    return key_type::i64;
  case 'L':
    return key_type::u64;
  case 'e':
    return key_type::f16;
  case 'f':
    return key_type::f32;
  case 'g':
    return key_type::f64;
  default:
    return std::nullopt;
  }
}

/// "d:precision,scale[,bits]": all values of a column have one scale, so their integers are in their order.
std::optional<arrow_type> decimal_type(std::string_view format) {
  const std::size_t first = format.find(','), second = format.find(',', first + 1);
  const std::string_view bits = second == std::string_view::npos ? "128" : format.substr(second + 1);
  if (bits == "128")
    return arrow_type{layout::fixed, key_type::i128};
  if (bits == "64")
    return arrow_type{layout::fixed, key_type::i64};
  if (bits == "32")
    return arrow_type{layout::fixed, key_type::i32};
  return std::nullopt;
}

std::optional<arrow_type> type_of(std::string_view format) {
  if (format.size() == 1) {
    if (const std::optional<key_type> key = one_letter(format[0]))
      return arrow_type{layout::fixed, *key};
    if (format == "b")
      return arrow_type{layout::bits, key_type::u8};
    if (format == "u" || format == "z")
      return arrow_type{layout::offsets_32};
    if (format == "U" || format == "Z")
      return arrow_type{layout::offsets_64};
    return std::nullopt;
  }
  if (format == "vu" || format == "vz")
    return arrow_type{layout::views};
  if (format.starts_with("d:"))
    return decimal_type(format);
  if (format == "tdD" || format == "tts" || format == "ttm")
    return arrow_type{layout::fixed, key_type::i32};
  if (format == "tdm" || format == "ttu" || format == "ttn" || format.starts_with("ts") || format.starts_with("tD"))
    return arrow_type{layout::fixed, key_type::i64};
  return std::nullopt;
}

bool bit(const void* bits, std::size_t i) {
  return (static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8) & 1) != 0;
}

const std::byte* buffer(const ArrowArray& a, int64_t i) {
  return static_cast<const std::byte*>(a.buffers[i]);
}

/// The validity bits of a piece; null where everything in it is valid.
const void* validity(const ArrowArray& a) {
  return a.null_count == 0 || a.n_buffers == 0 ? nullptr : a.buffers[0];
}

template <class Offset>
text text_by_offsets(const ArrowArray& a, std::size_t i) {
  Offset bounds[2];
  std::memcpy(bounds, buffer(a, 1) + i * sizeof(Offset), sizeof bounds);
  return {reinterpret_cast<const char*>(buffer(a, 2)) + bounds[0], static_cast<std::size_t>(bounds[1] - bounds[0])};
}

/// Views: 16 bytes each; up to 12 bytes of text stand in the view, longer ones in a buffer that it names.
text text_by_view(const ArrowArray& a, std::size_t i) {
  const std::byte* const view = buffer(a, 1) + 16 * i;
  std::int32_t words[4];
  std::memcpy(words, view, sizeof words);
  const std::size_t length = static_cast<std::size_t>(words[0]);
  if (length <= 12)
    return {reinterpret_cast<const char*>(view) + 4, length};
  return {reinterpret_cast<const char*>(buffer(a, 2 + words[2])) + words[3], length};
}

text text_at(const ArrowArray& a, layout lies, std::size_t i) {
  switch (lies) {
  case layout::offsets_32:
    return text_by_offsets<std::int32_t>(a, i);
  case layout::offsets_64:
    return text_by_offsets<std::int64_t>(a, i);
  default:
    return text_by_view(a, i);
  }
}

/// Uninitialised memory that a column owns.
std::shared_ptr<void> memory_of(std::size_t bytes) {
  const auto space = std::make_shared<cpu::scratch>(bytes, "a column of a table");
  return {space, space->bytes().data()};
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

std::size_t rows_of(const std::vector<arrow_array>& pieces) {
  std::size_t n = 0;
  for (const arrow_array& piece : pieces)
    n += static_cast<std::size_t>(piece.it.length);
  return n;
}

bool has_nulls(const std::vector<arrow_array>& pieces) {
  for (const arrow_array& piece : pieces)
    if (validity(piece.it) != nullptr)
      return true;
  return false;
}

void fill_fixed(const part& p, std::size_t width, std::byte* to) {
  const std::byte* const from = buffer(p.array, 1) + p.first * width;
  if (validity(p.array) == nullptr) {
    std::memcpy(to + p.at * width, from, p.n * width);
    return;
  }
  for (std::size_t i = 0; i < p.n; ++i)
    if (p.valid(i))
      std::memcpy(to + (p.at + i) * width, from + i * width, width);
    else
      std::memset(to + (p.at + i) * width, 0, width);
}

void fill_bits(const part& p, std::byte* to) {
  for (std::size_t i = 0; i < p.n; ++i)
    to[p.at + i] = static_cast<std::byte>(p.valid(i) && bit(p.array.buffers[1], p.first + i));
}

std::shared_ptr<void> text_ranks(const std::vector<arrow_array>& pieces, layout lies, unsigned threads) {
  const std::size_t n = rows_of(pieces);
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw invalid_argument("sortile: a column of text has " + std::to_string(n) +
                           " rows; at most 2^32 - 1 can be ordered");
  std::vector<text> texts(n);
  for_each_part(pieces, threads, [&](const part& p) {
    for (std::size_t i = 0; i < p.n; ++i)
      if (p.valid(i))
        texts[p.at + i] = text_at(p.array, lies, p.first + i);
  });
  const std::shared_ptr<void> ranks = memory_of(n * sizeof(std::uint32_t));
  rank_texts(texts, static_cast<std::uint32_t*>(ranks.get()), threads);
  return ranks;
}

/// Keys of all rows, nulls as zero (of text: as the empty one).
std::shared_ptr<void> keys_of(const std::vector<arrow_array>& pieces, const arrow_type& type, unsigned threads) {
  if (type.is_text())
    return text_ranks(pieces, type.lies, threads);
  const std::size_t width = key_bytes(type.key);
  const std::shared_ptr<void> keys = memory_of(rows_of(pieces) * width);
  std::byte* const to = static_cast<std::byte*>(keys.get());
  for_each_part(pieces, threads, [&](const part& p) {
    if (type.lies == layout::bits)
      fill_bits(p, to);
    else
      fill_fixed(p, width, to);
  });
  return keys;
}

/// NaN last in descending order: floats with their sign turned ascend, and a NaN stays one (rows.cpp does the same).
void turn_signs(key_type type, void* keys, std::size_t n) {
  const std::size_t width = key_bytes(type);
  std::byte* const top = static_cast<std::byte*>(keys) + width - 1; // of the first key: little-endian
  for (std::size_t i = 0; i < n; ++i)
    top[i * width] ^= std::byte{0x80};
}

std::string type_name(const ArrowSchema& schema) {
  return std::string("Arrow type \"") + schema.format + "\"";
}

arrow_type known_type(const ArrowSchema& schema) {
  const ArrowSchema& elements = schema.dictionary != nullptr ? *schema.dictionary : schema;
  const std::optional<arrow_type> type = type_of(elements.format);
  if (!type || elements.dictionary != nullptr)
    throw nb::type_error(("sortile: a column of " + type_name(elements) +
                          " has no order here; those that have: numbers, decimals of up to 128 bits, booleans, dates, "
                          "times, text, binary, and dictionaries of these")
                             .c_str());
  return *type;
}

void need_success(ArrowArrayStream& stream, int code) {
  if (code == 0)
    return;
  const char* const why = stream.get_last_error(&stream);
  throw std::runtime_error(std::string("sortile: the table's library gave no column: ") +
                           (why != nullptr ? why : "it does not say why"));
}

/// The entries that a piece's dictionary has, as if they were a column; the piece keeps them.
std::vector<arrow_array> entries_of(const ArrowArray& piece) {
  std::vector<arrow_array> entries(1);
  entries[0].it = *piece.dictionary;
  entries[0].it.release = nullptr;
  return entries;
}

std::size_t index_at(const part& p, key_type type, std::size_t i) {
  std::uint64_t index = 0; // indices are not negative, and lie in little-endian order
  std::memcpy(&index, buffer(p.array, 1) + (p.first + i) * key_bytes(type), key_bytes(type));
  return static_cast<std::size_t>(index);
}

} // namespace

struct arrow_column::parts {
  arrow_owner<ArrowSchema> schema;
  arrow_type type;
  std::vector<arrow_array> pieces;

  bool is_dictionary() const { return schema.it.dictionary != nullptr; }

  /// The rows as their entries: each piece is unpacked by its own dictionary. Text stays where it lies.
  std::shared_ptr<void> dictionary_keys(unsigned threads) const;
};

arrow_column::arrow_column(nb::handle capsule) : parts_(std::make_unique<parts>()) {
  auto* const stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr)
    throw nb::python_error();
  need_success(*stream, stream->get_schema(stream, &parts_->schema.it));
  parts_->type = known_type(parts_->schema.it);
  for (;;) {
    arrow_array piece;
    need_success(*stream, stream->get_next(stream, &piece.it));
    if (piece.it.release == nullptr)
      return;
    parts_->pieces.push_back(std::move(piece));
  }
}

arrow_column::~arrow_column() = default;
arrow_column::arrow_column(arrow_column&&) noexcept = default;

std::size_t arrow_column::size() const {
  return rows_of(parts_->pieces);
}

std::shared_ptr<void> arrow_column::parts::dictionary_keys(unsigned threads) const {
  const std::optional<key_type> index = one_letter(schema.it.format[0]);
  if (!index || is_float(*index))
    throw invalid_argument("sortile: a dictionary with indices of " + type_name(schema.it));
  const std::size_t n = rows_of(pieces), width = type.is_text() ? sizeof(text) : key_bytes(type.key);
  std::vector<text> texts(type.is_text() ? n : 0);
  const std::shared_ptr<void> keys = type.is_text() ? nullptr : memory_of(n * width);
  std::size_t done = 0;
  for (const arrow_array& piece : pieces) {
    const std::vector<arrow_array> entries = entries_of(piece.it);
    const ArrowArray& e = entries[0].it;
    if (e.null_count != 0 && e.n_buffers > 0 && e.buffers[0] != nullptr)
      throw invalid_argument("sortile: a dictionary has an entry that is null; make its rows null instead");
    if (piece.it.length == 0)
      continue;
    const std::shared_ptr<void> values = type.is_text() ? nullptr : keys_of(entries, type, threads);
    const part all{piece.it, static_cast<std::size_t>(piece.it.offset), static_cast<std::size_t>(piece.it.length),
                   done};
    cpu::for_each_piece(threads, all.n, alone_below, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        std::byte* const to = static_cast<std::byte*>(keys.get()) + (type.is_text() ? 0 : (done + i) * width);
        if (type.is_text()) {
          if (all.valid(i))
            texts[done + i] = text_at(e, type.lies, static_cast<std::size_t>(e.offset) + index_at(all, *index, i));
        } else if (all.valid(i)) {
          std::memcpy(to, static_cast<const std::byte*>(values.get()) + index_at(all, *index, i) * width, width);
        } else {
          std::memset(to, 0, width);
        }
      }
    });
    done += all.n;
  }
  if (!type.is_text())
    return keys;
  const std::shared_ptr<void> ranks = memory_of(n * sizeof(std::uint32_t));
  rank_texts(texts, static_cast<std::uint32_t*>(ranks.get()), threads);
  return ranks;
}

std::vector<owned_column> arrow_column::keys(order direction, nan_place nan, bool nulls_first, unsigned threads) const {
  const std::size_t n = size();
  std::vector<owned_column> columns;
  if (has_nulls(parts_->pieces)) {
    const std::shared_ptr<void> flags = memory_of(n);
    for_each_part(parts_->pieces, threads, [&](const part& p) {
      for (std::size_t i = 0; i < p.n; ++i)
        static_cast<std::uint8_t*>(flags.get())[p.at + i] = p.valid(i) == nulls_first;
    });
    columns.push_back({{key_type::u8, flags.get(), order::ascending}, n, flags});
  }
  const arrow_type& type = parts_->type;
  const std::shared_ptr<void> keys =
      parts_->is_dictionary() ? parts_->dictionary_keys(threads) : keys_of(parts_->pieces, type, threads);
  if (is_float(type.key) && direction == order::descending && nan == nan_place::last) {
    turn_signs(type.key, keys.get(), n);
    direction = order::ascending;
  }
  columns.push_back({{type.key, keys.get(), direction}, n, keys});
  return columns;
}

} // namespace sortile::python
