// Columns of tables by the Arrow C interface.
//
// The pieces of a column lie wherever its library keeps them; here they become one array of keys. Numbers are copied as
// they are, or stay where they lie in one piece; text becomes words or ranks (text_order.hpp); a dictionary's indices
// become its entries. Where something is null, a column of flags goes before the keys, and the keys of all nulls are
// zero, so that nulls are equal.
#include "arrow.hpp"

#include "arrow_pieces.hpp"
#include "text_order.hpp"

#include "primitives/text_word.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

namespace sortile::python {

namespace {

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

/// "w:bytes"
std::optional<arrow_type> equal_texts_type(std::string_view bytes) {
  arrow_type type{.lies = layout::equal_texts};
  const auto [end, failure] = std::from_chars(bytes.begin(), bytes.end(), type.text_bytes);
  return failure == std::errc() && end == bytes.end() ? std::optional(type) : std::nullopt;
}

/// Uninitialised memory that a column owns.
std::shared_ptr<void> memory_of(std::size_t bytes) {
  const auto space = std::make_shared<cpu::scratch>(bytes, "a column of a table", cpu::scratch::held_for::longer);
  return {space, space->bytes().data()};
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

/// Texts of all rows.
class text_list {
 public:
  explicit text_list(std::size_t n) : n_(n), memory_(memory_of(n * sizeof(std::string_view))) {
    if (n > std::numeric_limits<std::uint32_t>::max())
      throw invalid_argument("sortile: a column of text has " + std::to_string(n) +
                             " rows; at most 2^32 - 1 can be ordered");
  }
  void put(std::size_t row, std::string_view text) {
    static_cast<std::string_view*>(memory_.get())[row] = text.empty() ? std::string_view("") : text;
  }
  void put_null(std::size_t row) { static_cast<std::string_view*>(memory_.get())[row] = {}; }

  /// What orders them: words where these are few, else ranks.
  std::vector<owned_column> keys(order direction, unsigned threads) const {
    constexpr std::size_t most_words = 2;
    const std::span<const std::string_view> texts(static_cast<const std::string_view*>(memory_.get()), n_);
    const text_extent extent = extent_of(texts, threads);
    std::vector<owned_column> columns;
    if (extent.longest - extent.shared > most_words * text_word_bytes) {
      const std::shared_ptr<void> ranks = memory_of(n_ * sizeof(std::uint32_t));
      rank_texts(texts, static_cast<std::uint32_t*>(ranks.get()), threads);
      return {{{key_type::u32, ranks.get(), direction}, n_, ranks}};
    }
    for (std::size_t from = extent.shared; columns.empty() || from < extent.longest; from += text_word_bytes) {
      const std::shared_ptr<void> words = memory_of(n_ * sizeof(std::uint64_t));
      make_words(texts, from, static_cast<std::uint64_t*>(words.get()), threads);
      columns.push_back({{key_type::u64, words.get(), direction}, n_, words});
    }
    return columns;
  }

 private:
  std::size_t n_;
  std::shared_ptr<void> memory_;
};

text_list texts_of(const std::vector<arrow_array>& pieces, const arrow_type& type, unsigned threads) {
  text_list texts(rows_of(pieces));
  for_each_part(pieces, threads, [&](const part& p) {
    for (std::size_t i = 0; i < p.n; ++i)
      if (p.valid(i))
        texts.put(p.at + i, text_at(p.array, type, p.first + i));
      else
        texts.put_null(p.at + i);
  });
  return texts;
}

/// NaN last in descending order: floats with their sign turned ascend, and a NaN stays one (rows.cpp does the same).
void turn_signs(key_type type, void* keys, std::size_t n) {
  const std::size_t width = key_bytes(type);
  std::byte* const top = static_cast<std::byte*>(keys) + width - 1; // of the first key: little-endian
  for (std::size_t i = 0; i < n; ++i)
    top[i * width] ^= std::byte{0x80};
}

/// Arrow's word for a type, where its format is no letter that says it.
std::string type_name(const ArrowSchema& schema) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {{"+s", "struct"},
                                                                     {"+l", "list"},
                                                                     {"+L", "large_list"},
                                                                     {"+vl", "list_view"},
                                                                     {"+vL", "large_list_view"},
                                                                     {"+w:", "fixed_size_list"},
                                                                     {"+m", "map"},
                                                                     {"+u", "union"},
                                                                     {"+r", "run_end_encoded"},
                                                                     {"ti", "interval"},
                                                                     {"d:", "decimal of more than 128 bits"}};
  const std::string_view format = schema.format;
  for (const auto& [begin, word] : words)
    if (format.starts_with(begin))
      return std::string(word);
  return "Arrow's type \"" + std::string(format) + "\"";
}

arrow_type known_type(const ArrowSchema& schema) {
  const ArrowSchema& elements = schema.dictionary != nullptr ? *schema.dictionary : schema;
  const std::optional<arrow_type> type = type_of(elements.format);
  if (!type || elements.dictionary != nullptr)
    throw type_without_order(
        type_name(elements) +
        " has no order here; those that have: numbers, decimals of up to 128 bits, booleans, dates, "
        "times, text, binary, and dictionaries of these");
  return *type;
}

/// The entries that a piece's dictionary has, as if they were a column; the piece keeps them.
std::vector<arrow_array> entries_of(const ArrowArray& piece) {
  std::vector<arrow_array> entries(1);
  entries[0].it = *piece.dictionary;
  entries[0].it.release = nullptr;
  return entries;
}

/// All rows of a piece, as entries of its dictionary.
struct entry_rows {
  part rows;
  const ArrowArray& entries;
  key_type index;

  entry_rows(const ArrowArray& piece, key_type index_type, std::size_t at)
      : rows{piece, static_cast<std::size_t>(piece.offset), static_cast<std::size_t>(piece.length), at},
        entries(*piece.dictionary), index(index_type) {}

  std::size_t operator[](std::size_t i) const {
    std::uint64_t number = 0; // indices are not negative, and lie in little-endian order
    std::memcpy(&number, buffer(rows.array, 1) + (rows.first + i) * key_bytes(index), key_bytes(index));
    return static_cast<std::size_t>(number);
  }
  std::size_t in_buffers(std::size_t i) const { return static_cast<std::size_t>(entries.offset) + (*this)[i]; }
  /// Neither the row nor its entry is null.
  bool valid(std::size_t i) const {
    return rows.valid(i) && (validity(entries) == nullptr || bit(validity(entries), in_buffers(i)));
  }
};

} // namespace

std::optional<arrow_type> type_of(std::string_view format) {
  if (format.size() == 1) {
    if (const std::optional<key_type> key = one_letter(format[0]))
      return arrow_type{layout::fixed, *key};
    if (format == "n")
      return arrow_type{layout::nothing, key_type::u8};
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
  if (format == "_pli128" || format == "_plu128") // Polars' own
    return arrow_type{layout::fixed, format[3] == 'i' ? key_type::i128 : key_type::u128};
  if (format.starts_with("w:"))
    return equal_texts_type(format.substr(2));
  if (format.starts_with("d:"))
    return decimal_type(format);
  if (format == "tdD" || format == "tts" || format == "ttm")
    return arrow_type{layout::fixed, key_type::i32};
  if (format == "tdm" || format == "ttu" || format == "ttn" || format.starts_with("ts") || format.starts_with("tD"))
    return arrow_type{layout::fixed, key_type::i64};
  return std::nullopt;
}

std::shared_ptr<void> keys_of(const std::vector<arrow_array>& pieces, const arrow_type& type, unsigned threads) {
  const std::size_t width = key_bytes(type.key);
  const std::shared_ptr<void> keys = memory_of(rows_of(pieces) * width);
  std::byte* const to = static_cast<std::byte*>(keys.get());
  for_each_part(pieces, threads, [&](const part& p) {
    if (type.lies == layout::nothing)
      std::memset(to + p.at, 0, p.n);
    else if (type.lies == layout::bits)
      fill_bits(p, to);
    else
      fill_fixed(p, width, to);
  });
  return keys;
}

const std::byte* keys_in_place(const std::vector<arrow_array>& pieces, const arrow_type& type) {
  if (pieces.size() != 1 || type.lies != layout::fixed)
    return nullptr;
  const ArrowArray& only = pieces.front().it;
  const std::size_t width = key_bytes(type.key);
  const std::byte* const keys = buffer(only, 1) + static_cast<std::size_t>(only.offset) * width;
  return reinterpret_cast<std::uintptr_t>(keys) % width == 0 ? keys : nullptr;
}

std::shared_ptr<void> flags_of(const std::vector<arrow_array>& pieces, bool valid, unsigned threads) {
  const std::shared_ptr<void> flags = memory_of(rows_of(pieces));
  for_each_part(pieces, threads, [&](const part& p) {
    for (std::size_t i = 0; i < p.n; ++i)
      static_cast<std::uint8_t*>(flags.get())[p.at + i] = p.valid(i) == valid;
  });
  return flags;
}

arrow_column::arrow_column(nb::handle given) : parts_(std::make_unique<parts>(column_of(given))) {
  parts_->type = known_type(parts_->schema.it);
}

arrow_column::~arrow_column() = default;
arrow_column::arrow_column(arrow_column&&) noexcept = default;

std::size_t arrow_column::size() const {
  return rows_of(parts_->pieces);
}

key_type arrow_column::parts::index_type() const {
  const std::optional<key_type> index = one_letter(schema.it.format[0]);
  if (!index || is_float(*index))
    throw invalid_argument("sortile: a dictionary with indices of type " + type_name(schema.it));
  return *index;
}

bool arrow_column::parts::has_null_entries() const {
  return is_dictionary() && std::any_of(pieces.begin(), pieces.end(), [](const arrow_array& piece) {
           return validity(*piece.it.dictionary) != nullptr;
         });
}

std::shared_ptr<void> arrow_column::parts::entry_flags(bool valid, unsigned threads) const {
  const std::shared_ptr<void> flags = memory_of(rows_of(pieces));
  std::size_t done = 0;
  for (const arrow_array& piece : pieces) {
    const entry_rows entry(piece.it, index_type(), done);
    cpu::for_each_piece(threads, entry.rows.n, alone_below, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        static_cast<std::uint8_t*>(flags.get())[done + i] = entry.valid(i) == valid;
    });
    done += entry.rows.n;
  }
  return flags;
}

std::vector<owned_column> arrow_column::parts::dictionary_keys(order direction, unsigned threads) const {
  const std::size_t n = rows_of(pieces), width = key_bytes(type.key);
  text_list texts(type.is_text() ? n : 0);
  const std::shared_ptr<void> keys = memory_of(type.is_text() ? 0 : n * width);
  std::size_t done = 0;
  for (const arrow_array& piece : pieces) {
    if (piece.it.length == 0)
      continue;
    const std::shared_ptr<void> values = type.is_text() ? nullptr : keys_of(entries_of(piece.it), type, threads);
    const entry_rows entry(piece.it, index_type(), done);
    const auto put_text = [&](std::size_t i) {
      if (entry.valid(i))
        texts.put(done + i, text_at(entry.entries, type, entry.in_buffers(i)));
      else
        texts.put_null(done + i);
    };
    const auto put_key = [&](std::size_t i) {
      std::byte* const to = static_cast<std::byte*>(keys.get()) + (done + i) * width;
      if (entry.valid(i))
        std::memcpy(to, static_cast<const std::byte*>(values.get()) + entry[i] * width, width);
      else
        std::memset(to, 0, width);
    };
    cpu::for_each_piece(threads, entry.rows.n, alone_below, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        type.is_text() ? put_text(i) : put_key(i);
    });
    done += entry.rows.n;
  }
  if (type.is_text())
    return texts.keys(direction, threads);
  return {{{type.key, keys.get(), direction}, n, keys}};
}

std::vector<owned_column> arrow_column::parts::plain_keys(order direction, bool in_place, unsigned threads) const {
  if (type.is_text())
    return texts_of(pieces, type, threads).keys(direction, threads);
  const std::size_t n = rows_of(pieces);
  if (const std::byte* const lying = in_place && !has_nulls(pieces) ? keys_in_place(pieces, type) : nullptr)
    return {{{type.key, lying, direction}, n, nullptr}};
  const std::shared_ptr<void> keys = keys_of(pieces, type, threads);
  return {{{type.key, keys.get(), direction}, n, keys}};
}

std::vector<owned_column> arrow_column::keys(order direction, nan_place nan, bool nulls_first, unsigned threads) const {
  const std::size_t n = size();
  std::vector<owned_column> columns;
  const bool by_entries = parts_->has_null_entries();
  if (by_entries || has_nulls(parts_->pieces)) {
    const std::shared_ptr<void> flags =
        by_entries ? parts_->entry_flags(nulls_first, threads) : flags_of(parts_->pieces, nulls_first, threads);
    columns.push_back({{key_type::u8, flags.get(), order::ascending}, n, flags});
  }
  const arrow_type& type = parts_->type;
  const bool turns = !type.is_text() && is_float(type.key) && direction == order::descending && nan == nan_place::last;
  std::vector<owned_column> keys = parts_->is_dictionary() ? parts_->dictionary_keys(direction, threads)
                                                           : parts_->plain_keys(direction, !turns, threads);
  if (turns) {
    turn_signs(type.key, keys.front().memory.get(), n);
    keys.front().as_given.order = order::ascending;
  }
  std::move(keys.begin(), keys.end(), std::back_inserter(columns));
  return columns;
}

} // namespace sortile::python
