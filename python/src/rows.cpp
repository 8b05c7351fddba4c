// argsort_rows: the order of rows by several columns.
//
// The library orders columns of any type and direction, with NaN as the largest and NaT as the smallest. Where the
// caller wants them elsewhere, a column is copied and changed so that its order comes out as wanted: floats that
// descend with NaN last ascend with their sign turned (a NaN stays one); datetimes count from their second smallest value
// on, so that NaT, by wrapping round, becomes the largest.
#include "arrays.hpp"
#include "call.hpp"
#include "sort.hpp"

#include "cpu/parallel.hpp"

#include <sortile/request.hpp>

#include <string>
#include <vector>

namespace sortile::python {

namespace {

constexpr std::size_t alone_below = std::size_t{1} << 15;

/// A column as the library is given it, with the array that holds it.
struct prepared_column {
  nb::object array;
  column as_given;
  enum class change { none, turn_sign, count_from_second } change = change::none;
};

template <class Word, class Change>
void change_all(void* data, std::size_t n, unsigned threads, Change&& change) {
  Word* const words = static_cast<Word*>(data);
  cpu::for_each_piece(threads, n, alone_below, [&](std::size_t begin, std::size_t end) {
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

void need_length(PyArrayObject* a, std::size_t n, std::size_t number) {
  if (PyArray_NDIM(a) != 1 || size_of(a) != n)
    throw nb::value_error(("sortile.argsort_rows: column " + std::to_string(number) + " has shape " + shape_text(a) +
                           "; columns have one axis and the length of the first, " + std::to_string(n))
                              .c_str());
}

} // namespace

nb::object argsort_rows(nb::handle columns, nb::handle descending, nb::handle dtype, nb::handle nan, nb::handle threads,
                        nb::handle progress) {
  const nb::list arrays = nb::borrow<nb::list>(columns), directions = nb::borrow<nb::list>(descending);
  std::vector<element> elements;
  for (const nb::handle one : arrays) {
    const std::optional<element> e = plain_element(one);
    if (!e || e->swapped)
      return not_implemented();
    elements.push_back(*e);
  }
  call how(nb::bool_(false), nan, threads, progress);
  const int type_number = position_type(dtype);
  const std::size_t n = size_of(as_array(arrays[0]));
  std::vector<prepared_column> prepared;
  std::vector<column> given;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    need_length(as_array(arrays[i]), n, i);
    prepared.push_back(prepare(arrays[i], elements[i], order_of(directions[i]), how.nan));
    given.push_back(prepared.back().as_given);
  }
  nb::object positions = new_vector(n, type_number);
  how.run(n, [&] {
    for (const prepared_column& c : prepared)
      apply(c, n, how.threads());
    run(rows_request{n, given, PyArray_DATA(as_array(positions)),
                     static_cast<std::size_t>(type_number == NPY_UINT32 ? 4 : 8)},
        how.opts);
  });
  return positions;
}

} // namespace sortile::python
