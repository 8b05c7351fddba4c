// See columnar_keys.hpp.
#include "files/columnar/columnar_keys.hpp"

#include "files/first_words.hpp"
#include "files/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace sortile::files {

namespace {

// The cells of a column from some row on.
class cell_reader {
 public:
  cell_reader(const columnar_key& key, std::size_t row) : key_(key), piece_(key.cells.pieces.begin()), row_(row) {
    starts_.reserve(key.cells.pieces.size());
    std::size_t start = 0;
    for (const column_piece& piece : key.cells.pieces) {
      starts_.push_back(start);
      start += piece.rows;
    }
    if (key.cells.type)
      width_ = key_bytes(*key.cells.type);
    range_ = {.offset = 0, .bytes = width_, .type = key.cells.type.value_or(key_type::u8)};
  }

  // Goes on from another row, one that there is.
  void move_to(std::size_t row) {
    const auto behind = std::upper_bound(starts_.begin(), starts_.end(), row); // of empty pieces, the last begins there
    const auto piece = behind - starts_.begin() - 1;
    piece_ = key_.cells.pieces.begin() + piece;
    row_ = row - starts_[static_cast<std::size_t>(piece)];
  }

  // Appends the key of the next row's cell.
  void append(std::string& keys) {
    const std::size_t i = next_row();
    const bool is_null = is_null_at(i);
    if (key_.cells.nulls != 0)
      keys += static_cast<char>(is_null != key_.nulls_first);
    if (key_.cells.type)
      append_number(is_null ? nullptr : piece_->values + i * width_, keys);
    else if (!is_null)
      append_normalized(parts_, text_at(i), keys);
  }

  // The same of a number of at most 8 bytes, behind those in a word.
  void append(std::uint64_t& word) {
    const std::size_t i = next_row();
    const bool is_null = is_null_at(i);
    if (key_.cells.nulls != 0)
      word = word << 8 | (is_null != key_.nulls_first ? 1 : 0);
    const unsigned bits = 8 * static_cast<unsigned>(width_);
    std::uint64_t image = is_null ? 0 : value_word({piece_->values + i * width_, width_}, range_, 0).bits;
    if (key_.part.reverse && !is_null)
      image = ~image;
    word = bits == 64 ? image : word << bits | (image & ((std::uint64_t{1} << bits) - 1));
  }

 private:
  std::size_t next_row() {
    while (row_ >= piece_->rows) {
      row_ -= piece_->rows;
      ++piece_;
    }
    return row_++;
  }

  bool is_null_at(std::size_t i) const { return piece_->valid != nullptr && piece_->valid[i] == 0; }

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
  std::vector<std::size_t> starts_; // the first row of each piece
  std::vector<column_piece>::const_iterator piece_;
  std::size_t row_; // within the piece, or behind it
  std::size_t width_ = 0;
  binary_range range_{};
};

constexpr std::size_t key_slice_rows = std::size_t{1} << 14;

std::vector<cell_reader> readers_of(std::span<const columnar_key> order, std::size_t row) {
  std::vector<cell_reader> readers;
  readers.reserve(order.size());
  for (const columnar_key& key : order)
    readers.emplace_back(key, row);
  return readers;
}

// What compares as the keys do, for keys of at most 8 bytes.
raw_array<std::uint64_t> words_of_rows(std::size_t rows, std::span<const columnar_key> order, unsigned threads) {
  raw_array<std::uint64_t> words(rows);
  parallel_slices(threads, rows, key_slice_rows, [&](std::size_t begin, std::size_t end) {
    std::vector<cell_reader> readers = readers_of(order, begin);
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t word = 0;
      for (cell_reader& reader : readers)
        reader.append(word);
      words[i] = word;
    }
  });
  return words;
}

// Rows of which the beginnings of the words are alike, in the order of their numbers: by their whole words.
void sort_alike(std::span<std::uint32_t> ids, std::vector<cell_reader>& readers) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
  pairs.reserve(ids.size());
  for (const std::uint32_t id : ids) {
    std::uint64_t word = 0;
    for (cell_reader& reader : readers) {
      reader.move_to(id);
      reader.append(word);
    }
    pairs.emplace_back(word, id);
  }
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = pairs[i].second;
}

// \param words  sorted; alike where they are equal
void sort_all_alike(std::span<std::uint32_t> ids, const raw_array<std::uint64_t>& words,
                    std::span<const columnar_key> order, unsigned threads) {
  const auto group_from = [&](std::size_t i) { // the first that begins at or behind i
    while (i > 0 && i < ids.size() && words[i] == words[i - 1])
      ++i;
    return i;
  };
  parallel_slices(threads, ids.size(), key_slice_rows, [&](std::size_t from, std::size_t to) {
    const std::size_t last = group_from(to);
    std::vector<cell_reader> readers = readers_of(order, 0);
    for (std::size_t begin = group_from(from), end = 0; begin < last; begin = end) {
      end = group_from(begin + 1);
      if (end - begin > 1)
        sort_alike(ids.subspan(begin, end - begin), readers);
    }
  });
}

} // namespace

std::optional<std::size_t> bytes_of_columnar_key(std::span<const columnar_key> order) {
  std::size_t bytes = 0;
  for (const columnar_key& key : order) {
    if (!key.cells.type)
      return std::nullopt;
    bytes += key_bytes(*key.cells.type) + (key.cells.nulls != 0 ? 1 : 0);
  }
  return bytes;
}

raw_array<std::uint32_t> sort_columnar_words(std::size_t rows, std::span<const columnar_key> order,
                                             const options& opts) {
  const unsigned threads = thread_count(opts.threads);
  raw_array<std::uint64_t> words = words_of_rows(rows, order, threads);
  raw_array<std::uint32_t> ids(rows);
  if (sort_numbered({words.data(), rows}, ids.data(), true, opts) == sorted_words::beginnings)
    sort_all_alike({ids.data(), rows}, words, order, threads);
  return ids;
}

normalized_keys make_columnar_keys(std::size_t rows, std::span<const columnar_key> order, unsigned threads) {
  return make_keys(
      rows,
      [&](std::size_t begin, std::size_t end, std::string& keys, std::uint64_t* ends) {
        std::vector<cell_reader> readers = readers_of(order, begin);
        for (std::size_t i = begin; i < end; ++i) {
          for (cell_reader& reader : readers)
            reader.append(keys);
          ends[i] = keys.size();
        }
      },
      threads);
}

record_order order_of_columnar_keys(std::size_t rows, std::span<const columnar_key> order) {
  key_part whole;
  if (const auto bytes = bytes_of_columnar_key(order); bytes && rows != 0) {
    whole.where = key_part::place::range;
    whole.as = key_part::form::bytes;
    whole.binary = {.offset = 0, .bytes = *bytes};
  }
  return {whole};
}

} // namespace sortile::files
