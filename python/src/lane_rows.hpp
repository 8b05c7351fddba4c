// The lanes of an array as rows that the library selects from: one behind the other, without gaps, in native byte
// order, and with NaT as the largest, as NaN is.
#pragma once

#include "arrays.hpp"

#include <optional>

namespace sortile::python {

/// `array` with the axis at `from` at `to`, the others in their order; itself where it is there.
nb::object with_axis_moved(nb::handle array, int from, int to);

class lane_rows {
 public:
  /// Of any array whose elements the library orders by themselves, and an axis that it has (None: all elements are one
  /// lane). Nothing where Python has to take care, or to say what is wrong. The array itself where it can be read as it
  /// lies, else a copy.
  static std::optional<lane_rows> of(nb::handle x, nb::handle axis);
  /// Of an array of one axis alone.
  static std::optional<lane_rows> of_one_axis(nb::handle x) {
    return PyArray_CheckExact(x.ptr()) && PyArray_NDIM(as_array(x)) == 1 ? of(x, nb::none()) : std::nullopt;
  }

  element e;
  std::size_t count = 0, n = 0; ///< rows, and elements of each

  std::size_t size() const { return count * n; }
  const std::byte* data() const { return static_cast<const std::byte*>(PyArray_DATA(as_array(array_))); }
  const npy_intp* other_axes() const { return PyArray_DIMS(as_array(array_)); }
  int others() const { return PyArray_NDIM(as_array(array_)) - 1; }

  /// To be called before the rows are read, by whoever has their memory; the interpreter's lock is not needed.
  void prepare() const;
  /// What prepare() did, undone in n elements that were taken from the rows.
  void undo(void* elements, std::size_t n) const;

  /// The rows as an array that may be written to, unprepared: the copy, where there is one.
  nb::object writable() const;
  /// A new array like the rows, each of `length` elements; of the rows' type, or of a number of NumPy's.
  nb::object new_results(std::size_t length) const;
  nb::object new_results(std::size_t length, int type_number) const;
  /// Of rows of another number.
  nb::object new_matrix(std::size_t rows, std::size_t columns) const;
  /// The type of the rows' elements, in native byte order.
  PyArray_Descr* type() const { return PyArray_DESCR(as_array(array_)); }
  /// An array of elements of the rows in the byte order that was given. Other objects, too, as they are.
  nb::object in_given_order(const nb::object& elements) const;
  /// Results like the rows as the caller has them: the axis where it was, elements in the byte order that was given.
  nb::object given_back(const nb::object& results) const;

 private:
  nb::object made(std::size_t length, PyArray_Descr* type) const;
  bool counts_from_second() const { return e.missing == missing_kind::nat; }

  nb::object given_, array_;
  int axis_ = 0; ///< where the lanes' axis was, of as many as the rows have
  bool is_copy_ = false;
};

} // namespace sortile::python
