// argsort_rows: the order of rows by several columns.
//
// The library orders columns of any type and direction, with NaN as the largest and NaT as the smallest. Where the
// caller wants them elsewhere, a column is copied and changed so that its order comes out as wanted: floats that
// descend with NaN last ascend with their sign turned (a NaN stays one); datetimes count from their second smallest
// value on, so that NaT, by wrapping round, becomes the largest.
#include "arrays.hpp"
#include "arrow.hpp"
#include "call.hpp"
#include "sort.hpp"

#include "cpu/parallel.hpp"

#include <sortile/request.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sortile::python {

namespace {

constexpr std::size_t rows_alone_below = std::size_t{1} << 15;

/// A column as the library is given it, with the array that holds it.
struct prepared_column {
  nb::object array;
  column as_given;
  enum class change { none, turn_sign, count_from_second } change = change::none;
};

template <class Word, class Change>
void change_all(void* data, std::size_t n, unsigned threads, Change&& change) {
  Word* const words = static_cast<Word*>(data);
  cpu::for_each_piece(threads, n, rows_alone_below, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      words[i] = static_cast<Word>(change(words[i]));
  });
}

template <class Word>
void turn_signs(void* data, std::size_t n, unsigned threads) {
  constexpr Word sign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  change_all<Word>(data, n, threads, [](Word w) { return w ^ sign; });
}

void apply(const prepared_column& c, std::size_t n, unsigned threads) {
  void* const data = PyArray_DATA(as_array(c.array));
  if (c.change == prepared_column::change::count_from_second)
    change_all<std::uint64_t>(data, n, threads, [](std::uint64_t w) { return w - 1; });
  else if (c.change == prepared_column::change::turn_sign)
    switch (key_bytes(c.as_given.type)) {
    case 2:
      return turn_signs<std::uint16_t>(data, n, threads);
    case 4:
      return turn_signs<std::uint32_t>(data, n, threads);
    default:
      return turn_signs<std::uint64_t>(data, n, threads);
    }
}

/// The change that brings missing values to where they are wanted, as move_of_missing() says for a sort of keys alone.
prepared_column prepare(nb::handle array, const element& e, order direction, nan_place nan) {
  prepared_column c;
  c.as_given = {e.type, nullptr, direction};
  if (move_of_missing(e, direction, nan) == missing_move::none) {
    c.array = without_gaps(array);
  } else {
    c.array = owned(PyArray_NewCopy(as_array(array), NPY_CORDER));
    c.change = e.missing == missing_kind::nan ? prepared_column::change::turn_sign
                                              : prepared_column::change::count_from_second;
    if (e.missing == missing_kind::nan)
      c.as_given.order = order::ascending;
  }
  c.as_given.data = PyArray_DATA(as_array(c.array));
  return c;
}

/// \throws TypeError with the type and the column's number: Python knows its name.
arrow_column column_of_table(nb::handle given, std::size_t number) {
  try {
    return arrow_column(given);
  } catch (const type_without_order& e) {
    PyErr_SetObject(PyExc_TypeError, nb::make_tuple(e.what(), number).ptr());
    throw nb::python_error();
  }
}

/// The columns of a call, as they came: arrays of NumPy's, and columns of tables in capsules.
class given_columns {
 public:
  /// \throws ValueError, TypeError. False where Python has to take care of a column.
  bool take(const nb::list& given, const nb::list& descending, nan_place nan) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const nb::handle one = given[i];
      const order direction = order_of(descending[i]);
      if (PyCapsule_CheckExact(one.ptr()) || PyTuple_CheckExact(one.ptr())) {
        entries_.push_back({{}, {}, column_of_table(one, i), direction});
        need_length(entries_.back().table->size(), i);
        continue;
      }
      const std::optional<element> e = plain_element(one);
      if (!e || e->swapped)
        return false;
      if (PyArray_NDIM(as_array(one)) != 1)
        throw nb::value_error(("sortile.argsort_rows: column " + std::to_string(i) + " has shape " +
                               shape_text(as_array(one)) + "; columns have one axis")
                                  .c_str());
      need_length(size_of(as_array(one)), i);
      entries_.push_back({prepare(one, *e, direction, nan), {}, {}, direction});
    }
    return true;
  }

  std::size_t rows() const { return rows_; }

  /// As the library takes them. The interpreter's lock is not needed.
  std::vector<column> keys(nan_place nan, bool nulls_first, unsigned threads) {
    std::vector<column> all;
    for (entry& e : entries_) {
      if (!e.table) {
        apply(e.array, rows_, threads);
        all.push_back(e.array.as_given);
        continue;
      }
      e.keys = e.table->keys(e.direction, nan, nulls_first, threads);
      for (const owned_column& c : e.keys)
        all.push_back(c.as_given);
    }
    return all;
  }

 private:
  struct entry {
    prepared_column array;
    std::vector<owned_column> keys;
    std::optional<arrow_column> table;
    order direction;
  };

  void need_length(std::size_t n, std::size_t number) {
    if (number == 0)
      rows_ = n;
    else if (n != rows_)
      throw nb::value_error(("sortile.argsort_rows: column " + std::to_string(number) + " has " + std::to_string(n) +
                             " rows, the first has " + std::to_string(rows_))
                                .c_str());
  }

  std::vector<entry> entries_;
  std::size_t rows_ = 0;
};

/// A column that can be read as it is, or changed; of n rows, where that is known.
std::optional<element> plain_column(nb::handle given, std::optional<npy_intp> n) {
  const std::optional<element> e = plain_element(given);
  const bool fits = e && !e->swapped && PyArray_NDIM(as_array(given)) == 1 &&
                    n.value_or(PyArray_DIM(as_array(given), 0)) == PyArray_DIM(as_array(given), 0);
  return fits ? e : std::nullopt;
}

/// The directions of columns: one for all, or a list or a tuple with one for each.
class directions {
 public:
  directions(nb::handle given, std::size_t columns)
      : one_(given), each_(given), are_several_(PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())),
        fit_(are_several_ ? each_.size() == columns : !PyArray_Check(given.ptr())) {}
  bool fit() const { return fit_; } ///< else Python has to take care
  order operator[](std::size_t i) const { return order_of(are_several_ ? each_[i] : one_); }

 private:
  nb::handle one_;
  entries each_;
  bool are_several_, fit_;
};

/// Whether the rows lie along an axis of arrays that have one.
bool is_only_axis(nb::handle axis) {
  int beyond = 0;
  const long long at = PyLong_CheckExact(axis.ptr()) ? PyLong_AsLongLongAndOverflow(axis.ptr(), &beyond) : 1;
  return beyond == 0 && (at == 0 || at == -1);
}

void order_rows(call& how, const std::vector<column>& keys, nb::handle positions) {
  run(rows_request{size_of(as_array(positions)), keys, PyArray_DATA(as_array(positions)),
                   static_cast<std::size_t>(PyArray_ITEMSIZE(as_array(positions)))},
      how.opts);
}

} // namespace

nb::object order_of_columns(nb::handle columns, nb::handle last_decides, nb::handle axis, nb::handle descending,
                            nb::handle dtype, nb::handle nan, nb::handle threads) {
  if (!(dtype.is_none() || PyType_Check(dtype.ptr()) || PyArray_DescrCheck(dtype.ptr())))
    return not_implemented();
  call how(nb::bool_(false), nan, threads, nb::none()); // each column has a direction of its own
  const int type_number = position_type(dtype);
  const entries given(columns);
  const directions down(descending, given.size());
  const bool from_behind = flag("last_decides", last_decides);
  if (given.size() == 0 || !plain_column(given[0], {}) || !is_only_axis(axis) || !down.fit())
    return not_implemented();
  const npy_intp n = PyArray_DIM(as_array(given[0]), 0);
  std::vector<prepared_column> prepared;
  std::vector<column> keys;
  prepared.reserve(given.size());
  keys.reserve(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::size_t number = from_behind ? given.size() - 1 - i : i;
    const std::optional<element> e = plain_column(given[number], n);
    if (!e)
      return not_implemented();
    prepared.push_back(prepare(given[number], *e, down[number], how.nan));
    keys.push_back(prepared.back().as_given);
  }
  nb::object positions = new_vector(static_cast<std::size_t>(n), type_number);
  how.run(static_cast<std::size_t>(n), [&] {
    for (const prepared_column& c : prepared)
      if (c.change != prepared_column::change::none)
        apply(c, static_cast<std::size_t>(n), how.threads(static_cast<std::size_t>(n)));
    order_rows(how, keys, positions);
  });
  return positions;
}

nb::object argsort_rows(nb::handle columns, nb::handle descending, nb::handle dtype, nb::handle nulls_first,
                        nb::handle nan, nb::handle threads, nb::handle progress) {
  call how(nb::bool_(false), nan, threads, progress);
  const int type_number = position_type(dtype);
  given_columns given;
  if (!given.take(nb::borrow<nb::list>(columns), nb::borrow<nb::list>(descending), how.nan))
    return not_implemented();
  const bool first = flag("nulls_first", nulls_first);
  nb::object positions = new_vector(given.rows(), type_number);
  how.run(given.rows(), [&] { order_rows(how, given.keys(how.nan, first, how.threads(given.rows())), positions); });
  return positions;
}

} // namespace sortile::python
