// read_arrow and take_arrow: a table is read once, its columns order its rows (rows.cpp), and its rows are taken in
// that order, as an array of the Arrow C interface. So are those of a column by itself.
//
// Columns are made one after another, each by all threads. Of text, first the places of the rows are read, whose
// lengths say where their copies begin; then their bytes are copied. Both miss the cache for every row: reads of places
// overlap by themselves, and bytes are asked for some rows ahead.
#include "arrays.hpp"
#include "arrow_pieces.hpp"
#include "call.hpp"
#include "sort.hpp"

#include "cpu/gather.hpp"
#include "cpu/scratch.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace sortile::python {

namespace {

/// The rows of a column by their numbers.
template <class Offset>
class text_rows {
 public:
  explicit text_rows(const std::vector<arrow_array>& all) {
    std::size_t n = 0;
    for (const arrow_array& piece : all)
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

/// A PyCapsule that owns a struct; the struct is the first thing in `given`.
template <class Given>
nb::object capsule_of(Given&& given, const char* name) {
  auto own = std::make_unique<Given>(std::move(given));
  const auto destroy = [](PyObject* capsule) {
    delete static_cast<Given*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  };
  nb::object capsule = owned(PyCapsule_New(own.get(), name, destroy));
  (void)own.release();
  return capsule;
}

/// What an array owns that is made here.
struct made_array {
  std::vector<cpu::scratch> memory;
  std::vector<const void*> buffers;
  std::vector<arrow_array> children;
  std::vector<ArrowArray*> child_pointers;

  std::byte* add(std::size_t bytes) {
    memory.emplace_back(std::max<std::size_t>(bytes, 1), "rows of a table");
    buffers.push_back(memory.back().bytes().data());
    return memory.back().bytes().data();
  }
};

void release(ArrowArray* a) {
  delete static_cast<made_array*>(a->private_data);
  a->release = nullptr;
}

arrow_array exported(std::unique_ptr<made_array> made, std::size_t n, std::int64_t nulls) {
  for (arrow_array& child : made->children)
    made->child_pointers.push_back(&child.it);
  arrow_array a;
  a.it = {.length = static_cast<std::int64_t>(n),
          .null_count = nulls,
          .offset = 0,
          .n_buffers = static_cast<std::int64_t>(made->buffers.size()),
          .n_children = static_cast<std::int64_t>(made->children.size()),
          .buffers = made->buffers.data(),
          .children = made->child_pointers.data(),
          .dictionary = nullptr,
          .release = &release,
          .private_data = made.get()};
  (void)made.release(); // the array's from here on
  return a;
}

/// Whether a field says that its type is one of Arrow's extensions. Where nobody has registered that type, its library
/// would take what is made here for what the type is stored as.
bool is_extension(const ArrowSchema& schema) {
  const char* at = schema.metadata;
  const auto number = [&at] {
    std::int32_t n = 0;
    std::memcpy(&n, at, sizeof n);
    at += sizeof n;
    return n;
  };
  const auto text = [&] {
    const auto bytes = static_cast<std::size_t>(number());
    return std::string_view(std::exchange(at, at + bytes), bytes);
  };
  for (std::int32_t pairs = at == nullptr ? 0 : number(); pairs > 0; --pairs) {
    if (text() == "ARROW:extension:name")
      return true;
    text();
  }
  return false;
}

/// Rows of columns in another order. What take() gives has no release where it does not take such a column.
template <class Index>
class row_taking {
 public:
  row_taking(nb::handle rows, unsigned threads)
      : rows_(static_cast<const Index*>(PyArray_DATA(as_array(rows)))), n_(size_of(as_array(rows))), threads_(threads) {
  }

  arrow_array take(const ArrowSchema& schema, const std::vector<arrow_array>& pieces) const {
    if (schema.dictionary != nullptr || is_extension(schema))
      return {};
    if (std::string_view(schema.format) == "+s")
      return take_children(schema, pieces);
    const std::optional<arrow_type> type = type_of(schema.format);
    return type ? take_column(*type, pieces) : arrow_array();
  }

 private:
  arrow_array take_column(const arrow_type& type, const std::vector<arrow_array>& pieces) const {
    auto made = std::make_unique<made_array>();
    const bool lacks = has_nulls(pieces);
    if (type.lies == layout::nothing)
      return exported(std::move(made), n_, static_cast<std::int64_t>(n_));
    if (lacks)
      put_bits(flags_of(pieces, true, threads_), made->add((n_ + 7) / 8));
    else
      made->buffers.push_back(nullptr);
    if (!put_entries(type, pieces, *made))
      return {};
    return exported(std::move(made), n_, lacks ? -1 : 0); // how many nulls is not known
  }

  bool put_entries(const arrow_type& type, const std::vector<arrow_array>& pieces, made_array& made) const {
    switch (type.lies) {
    case layout::fixed:
      put_keys(type, pieces, made.add(n_ * key_bytes(type.key)));
      return true;
    case layout::bits:
      put_bits(keys_of(pieces, type, threads_), made.add((n_ + 7) / 8));
      return true;
    case layout::offsets_32:
      return put_texts<std::int32_t>(pieces, made);
    case layout::offsets_64:
      return put_texts<std::int64_t>(pieces, made);
    default:
      return false;
    }
  }

  void put_keys(const arrow_type& type, const std::vector<arrow_array>& pieces, std::byte* to) const {
    const std::byte* const lying = keys_in_place(pieces, type);
    const std::shared_ptr<void> copied = lying == nullptr ? keys_of(pieces, type, threads_) : nullptr;
    if (n_ > 0)
      cpu::gather(lying == nullptr ? copied.get() : lying, rows_, sizeof(Index), n_, key_bytes(type.key), to, threads_);
  }

  /// A bit for each row, of flags that are bytes.
  void put_bits(const std::shared_ptr<void>& flags, std::byte* to) const {
    const auto* const from = static_cast<const std::uint8_t*>(flags.get());
    cpu::for_each_piece(threads_, (n_ + 7) / 8, alone_below / 8, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        unsigned byte = 0;
        for (std::size_t i = 8 * b; i < std::min(n_, 8 * b + 8); ++i)
          byte |= unsigned{from[rows_[i]] != 0} << i % 8;
        to[b] = static_cast<std::byte>(byte);
      }
    });
  }

  template <class Offset>
  bool put_texts(const std::vector<arrow_array>& pieces, made_array& made) const {
    const text_rows<Offset> from(pieces);
    auto* const offsets = reinterpret_cast<Offset*>(made.add((n_ + 1) * sizeof(Offset)));
    text_taking<Offset, Index> texts(from, rows_, n_, offsets, threads_);
    const std::size_t bytes = texts.measure();
    if (bytes > static_cast<std::size_t>(std::numeric_limits<Offset>::max()))
      return false;
    texts.copy(reinterpret_cast<char*>(made.add(bytes)));
    return true;
  }

  arrow_array take_children(const ArrowSchema& schema, const std::vector<arrow_array>& pieces) const {
    auto made = std::make_unique<made_array>();
    made->buffers.push_back(nullptr);
    made->children.reserve(static_cast<std::size_t>(schema.n_children));
    for (std::int64_t c = 0; c < schema.n_children && !has_nulls(pieces); ++c) {
      made->children.push_back(take(*schema.children[c], children_of(pieces, c)));
      if (made->children.back().it.release == nullptr)
        return {};
    }
    return has_nulls(pieces) ? arrow_array() : exported(std::move(made), n_, 0);
  }

  const Index* const rows_;
  const std::size_t n_;
  const unsigned threads_;
};

} // namespace

nb::object read_arrow(nb::handle stream) {
  return capsule_of(arrow_stream(stream), table_capsule);
}

nb::object take_arrow(nb::handle given, nb::handle rows, nb::handle threads) {
  call how(threads);
  std::optional<arrow_stream> own;
  arrow_stream* const read = read_table(given);
  arrow_stream& from = read != nullptr ? *read : own.emplace(given);
  arrow_array taken;
  const std::size_t n = size_of(as_array(rows));
  how.run_to_the_end(n, [&] {
    taken = PyArray_ITEMSIZE(as_array(rows)) == 4
                ? row_taking<std::uint32_t>(rows, how.threads(n)).take(from.schema.it, from.pieces)
                : row_taking<std::uint64_t>(rows, how.threads(n)).take(from.schema.it, from.pieces);
  });
  if (taken.it.release == nullptr)
    return not_implemented();
  return nb::make_tuple(capsule_of(std::move(from.schema), "arrow_schema"),
                        capsule_of(std::move(taken), "arrow_array"));
}

} // namespace sortile::python
