// Offsets of segments as a caller gave them.
#pragma once

#include "arrays.hpp"

#include <sortile/segments.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace sortile::python {

/// Offsets of one side: those of an array, or a list of numbers. They are copied: the library checks them before it
/// goes by them, and another thread may write to the caller's array in between.
class offsets {
 public:
  /// Whether they are such, and none is negative; of all others Python has to take care.
  bool take(nb::handle given) {
    if (PyList_CheckExact(given.ptr()))
      return take_list(given.ptr());
    if (!PyArray_CheckExact(given.ptr()))
      return false;
    PyArrayObject* const a = as_array(given);
    const char kind = PyArray_DESCR(a)->kind;
    if (PyArray_NDIM(a) != 1 || !PyArray_IS_C_CONTIGUOUS(a) || !PyArray_ISALIGNED(a) || PyArray_ISBYTESWAPPED(a) ||
        (kind != 'i' && kind != 'u'))
      return false;
    size_ = size_of(a);
    width_ = static_cast<std::size_t>(PyArray_ITEMSIZE(a));
    if (width_ != 4 && width_ != 8)
      return false;
    make_room((size_ * width_ + 7) / 8);
    if (size_ > 0)
      std::memcpy(numbers_.get(), PyArray_DATA(a), size_ * width_);
    return (width_ == 8 && (kind == 'u' || has_no_negative<std::int64_t>())) ||
           (width_ == 4 && (kind == 'u' || has_no_negative<std::int32_t>()));
  }

  const void* data() const { return numbers_.get(); }
  std::size_t size() const { return size_; }
  std::size_t width() const { return width_; }

 private:
  template <class Word>
  bool has_no_negative() const {
    const Word* const first = reinterpret_cast<const Word*>(numbers_.get());
    return std::all_of(first, first + size_, [](Word w) { return w >= 0; });
  }

  bool take_list(PyObject* list) {
    size_ = static_cast<std::size_t>(PyList_Size(list));
    make_room(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      PyObject* const one = PyList_GetItem(list, static_cast<Py_ssize_t>(i));
      int beyond = 0;
      const long long number = PyLong_CheckExact(one) ? PyLong_AsLongLongAndOverflow(one, &beyond) : -1;
      if (number < 0 || beyond != 0)
        return false;
      numbers_[i] = static_cast<std::uint64_t>(number);
    }
    width_ = sizeof(std::uint64_t);
    return true;
  }

  /// For so many words, not written yet; of none too there is a place.
  void make_room(std::size_t words) { numbers_.reset(new std::uint64_t[words + 1]); }

  std::unique_ptr<std::uint64_t[]> numbers_;
  std::size_t size_ = 0, width_ = 0;
};

/// The segments that a caller's offsets make: those of neighbours, or a tuple of two, where they begin and end.
class given_segments {
 public:
  /// False where Python has to take care.
  bool take(nb::handle given) {
    const bool neighbours = !PyTuple_CheckExact(given.ptr());
    if (!neighbours && PyTuple_Size(given.ptr()) != 2)
      return false;
    if (neighbours ? !begins_.take(given)
                   : !begins_.take(PyTuple_GetItem(given.ptr(), 0)) || !ends_.take(PyTuple_GetItem(given.ptr(), 1)))
      return false;
    if (!neighbours && (begins_.size() != ends_.size() || begins_.width() != ends_.width()))
      return false;
    where = {.form = neighbours ? segment_form::offsets : segment_form::ranges,
             .count = begins_.size() - (neighbours && begins_.size() > 0 ? 1 : 0),
             .begins = begins_.data(),
             .ends = ends_.data(),
             .offset_bytes = begins_.width()};
    return true;
  }

  segments where;

 private:
  offsets begins_, ends_;
};

} // namespace sortile::python
