// See columnar_keys.hpp.
#include "files/columnar/columnar_keys.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::files {

namespace {

// The cells of a column from some row on.
class cell_reader {
 public:
  cell_reader(const columnar_key& key, std::size_t row) : key_(key), piece_(key.cells.pieces.begin()), row_(row) {
    if (key.cells.type)
      width_ = key_bytes(*key.cells.type);
    range_ = {.offset = 0, .bytes = width_, .type = key.cells.type.value_or(key_type::u8)};
  }

  // Appends the key of the next row's cell.
  void append(std::string& keys) {
    while (row_ >= piece_->rows) {
      row_ -= piece_->rows;
      ++piece_;
    }
    const std::size_t i = row_++;
    const bool is_null = piece_->valid != nullptr && piece_->valid[i] == 0;
    if (key_.cells.nulls != 0)
      keys += static_cast<char>(is_null != key_.nulls_first);
    if (key_.cells.type)
      append_number(is_null ? nullptr : piece_->values + i * width_, keys);
    else if (!is_null)
      append_normalized(parts_, text_at(i), keys);
  }

 private:
  std::string_view text_at(std::size_t i) const {
    const std::int64_t* const offsets = piece_->offsets;
    return {piece_->values + (offsets[i] - offsets[0]), static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }

  void append_number(const char* cell, std::string& keys) const {
    const std::size_t begin = keys.size();
    keys.resize(begin + width_, '\0');
    if (cell == nullptr)
      return;
    constexpr std::size_t word_bytes = sizeof(std::uint64_t);
    char* to = keys.data() + begin;
    for (std::size_t depth = 0; depth * word_bytes < width_; ++depth) {
      std::uint64_t word = value_word({cell, width_}, range_, depth).bits;
      word = __builtin_bswap64(key_.part.reverse ? ~word : word);
      const std::size_t used = std::min(width_, word_bytes);
      std::memcpy(to, reinterpret_cast<const char*>(&word) + word_bytes - used, used);
      to += used;
    }
  }

  const columnar_key& key_;
  const record_order parts_{key_.part};
  std::vector<column_piece>::const_iterator piece_;
  std::size_t row_;
  std::size_t width_ = 0;
  binary_range range_{};
};

} // namespace

normalized_keys make_columnar_keys(std::size_t rows, std::span<const columnar_key> order, unsigned threads) {
  return make_keys(
      rows,
      [&](std::size_t begin, std::size_t end, std::string& keys, std::uint64_t* ends) {
        std::vector<cell_reader> readers;
        readers.reserve(order.size());
        for (const columnar_key& key : order)
          readers.emplace_back(key, begin);
        for (std::size_t i = begin; i < end; ++i) {
          for (cell_reader& reader : readers)
            reader.append(keys);
          ends[i] = keys.size();
        }
      },
      threads);
}

record_order order_of_columnar_keys(const normalized_keys& keys, std::span<const columnar_key> order) {
  key_part whole;
  const bool one_length =
      std::all_of(order.begin(), order.end(), [](const columnar_key& key) { return key.cells.type.has_value(); });
  if (one_length && keys.records.size() != 0) {
    whole.where = key_part::place::range;
    whole.as = key_part::form::bytes;
    whole.binary = {.offset = 0, .bytes = keys.records[0].size()};
  }
  return {whole};
}

} // namespace sortile::files
