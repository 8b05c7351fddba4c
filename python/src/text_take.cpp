// take_text: the rows of a column of text in another order, as the buffers of an Arrow array.
//
// First the places of the rows are read, whose lengths say where their copies begin; then their bytes are copied. Both
// miss the cache for every row: reads of places overlap by themselves, and bytes are asked for some rows ahead.
#include "arrays.hpp"
#include "arrow_pieces.hpp"
#include "call.hpp"
#include "sort.hpp"

#include "cpu/scratch.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace sortile::python {

namespace {

/// The rows of a column by their numbers.
template <class Offset>
class text_rows {
 public:
  explicit text_rows(const arrow_column::parts& column) {
    std::size_t n = 0;
    for (const arrow_array& piece : column.pieces)
      if (const auto length = static_cast<std::size_t>(piece.it.length); length > 0) {
        const auto first = static_cast<std::size_t>(piece.it.offset);
        pieces_.push_back({buffer(piece.it, 1) + first * sizeof(Offset),
                           reinterpret_cast<const char*>(buffer(piece.it, 2)), validity(piece.it), first, n});
        ends_.push_back(n += length);
      }
  }

  /// Null where the row is.
  std::string_view operator[](std::size_t row) const {
    const piece& p = pieces_.size() == 1 ? pieces_.front() : piece_of(row);
    const std::size_t i = row - p.at;
    if (p.valid != nullptr && !bit(p.valid, p.first + i))
      return {};
    Offset bounds[2]; // which need not be aligned
    std::memcpy(bounds, p.offsets + i * sizeof(Offset), sizeof bounds);
    const auto bytes = static_cast<std::size_t>(bounds[1] - bounds[0]);
    return bytes == 0 ? std::string_view("") : std::string_view(p.bytes + bounds[0], bytes);
  }

 private:
  struct piece {
    const std::byte* offsets; ///< of its first row
    const char* bytes;
    const void* valid;
    std::size_t first, at; ///< its first row: in its buffers, and in the column
  };

  const piece& piece_of(std::size_t row) const {
    return pieces_[static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin())];
  }

  std::vector<piece> pieces_;
  std::vector<std::size_t> ends_;
};

/// memcpy, which would be called for each short text.
void copy_text(std::string_view text, char* to) {
  const std::size_t n = text.size();
  const auto both_ends = [&](auto word) { // which overlap
    std::memcpy(&word, text.data(), sizeof word);
    auto last = word;
    std::memcpy(&last, text.data() + n - sizeof last, sizeof last);
    std::memcpy(to, &word, sizeof word);
    std::memcpy(to + n - sizeof last, &last, sizeof last);
  };
  if (n > 16)
    std::memcpy(to, text.data(), n);
  else if (n >= 8)
    both_ends(std::uint64_t{});
  else if (n >= 4)
    both_ends(std::uint32_t{});
  else
    for (std::size_t i = 0; i < n; ++i)
      to[i] = text[i];
}

/// What is made, in two steps: offsets, then bytes.
template <class Offset, class Index>
class text_taking {
 public:
  text_taking(const text_rows<Offset>& from, const Index* rows, std::size_t n, Offset* offsets, unsigned threads)
      : from_(from), rows_(rows), n_(n), offsets_(offsets), threads_(threads),
        space_(n * sizeof(std::string_view), "the rows of a column of text"),
        texts_(reinterpret_cast<std::string_view*>(space_.bytes().data())),
        begins_((n < alone_below ? 1 : std::size_t{4} * threads) + 1) {}

  /// How many bytes there are.
  std::size_t measure() {
    each_piece([&](std::size_t piece, std::size_t begin, std::size_t end) {
      std::size_t bytes = 0;
      for (std::size_t i = begin; i < end; ++i)
        bytes += (texts_[i] = from_[static_cast<std::size_t>(rows_[i])]).size();
      begins_[piece + 1] = bytes;
    });
    for (std::size_t p = 1; p < begins_.size(); ++p)
      begins_[p] += begins_[p - 1];
    return begins_.back();
  }

  void copy(char* to) {
    offsets_[0] = 0;
    each_piece([&](std::size_t piece, std::size_t begin, std::size_t end) {
      char* at = to + begins_[piece];
      for (std::size_t i = begin; i < end; ++i) {
        if (i + ahead < end)
          __builtin_prefetch(texts_[i + ahead].data());
        copy_text(texts_[i], at);
        at += texts_[i].size();
        offsets_[i + 1] = static_cast<Offset>(at - to);
      }
    });
  }

  void mark_valid(std::uint8_t* bits) const {
    cpu::for_each_piece(threads_, (n_ + 7) / 8, alone_below / 8, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        unsigned byte = 0;
        for (std::size_t i = 8 * b; i < std::min(n_, 8 * b + 8); ++i)
          byte |= unsigned{texts_[i].data() != nullptr} << i % 8;
        bits[b] = static_cast<std::uint8_t>(byte);
      }
    });
  }

 private:
  static constexpr std::size_t ahead = 12;

  template <class F>
  void each_piece(F&& f) {
    const std::size_t pieces = begins_.size() - 1;
    cpu::for_each_task(threads_, pieces, nullptr, [&](unsigned, std::size_t p) {
      f(p, cpu::part_begin(n_, pieces, p), cpu::part_begin(n_, pieces, p + 1));
    });
  }

  const text_rows<Offset>& from_;
  const Index* const rows_;
  const std::size_t n_;
  Offset* const offsets_;
  const unsigned threads_;
  const cpu::scratch space_;
  std::string_view* const texts_;
  std::vector<std::size_t> begins_; ///< of the pieces' bytes
};

template <class Offset, class Index>
nb::object taken(const arrow_column::parts& column, nb::handle rows, call& how) {
  const text_rows<Offset> from(column);
  const std::size_t n = size_of(as_array(rows));
  const nb::object offsets = new_vector(n + 1, sizeof(Offset) == 4 ? NPY_INT32 : NPY_INT64);
  nb::object valid = nb::none();
  text_taking<Offset, Index> taking(from, static_cast<const Index*>(PyArray_DATA(as_array(rows))), n,
                                    static_cast<Offset*>(PyArray_DATA(as_array(offsets))), how.threads());
  std::size_t bytes = 0;
  how.run(n, [&] { bytes = taking.measure(); });
  if (bytes > static_cast<std::size_t>(std::numeric_limits<Offset>::max()))
    return not_implemented();
  const nb::object data = new_vector(bytes, NPY_UINT8);
  if (has_nulls(column.pieces))
    valid = new_vector((n + 7) / 8, NPY_UINT8);
  how.run(n, [&] {
    taking.copy(static_cast<char*>(PyArray_DATA(as_array(data))));
    if (!valid.is_none())
      taking.mark_valid(static_cast<std::uint8_t*>(PyArray_DATA(as_array(valid))));
  });
  return nb::make_tuple(valid, offsets, data);
}

} // namespace

nb::object take_text(nb::handle stream, nb::handle rows, nb::handle threads) {
  const arrow_column column(stream);
  const arrow_column::parts& parts = column.lying();
  call how(nb::bool_(false), nb::str("last"), threads, nb::none());
  const bool narrow = PyArray_ITEMSIZE(as_array(rows)) == 4;
  if (!parts.is_dictionary() && parts.type.lies == layout::offsets_32)
    return narrow ? taken<std::int32_t, std::uint32_t>(parts, rows, how)
                  : taken<std::int32_t, std::int64_t>(parts, rows, how);
  if (!parts.is_dictionary() && parts.type.lies == layout::offsets_64)
    return narrow ? taken<std::int64_t, std::uint32_t>(parts, rows, how)
                  : taken<std::int64_t, std::int64_t>(parts, rows, how);
  return not_implemented();
}

} // namespace sortile::python
