// What the calls ask of their arrays before they touch them.
#pragma once

#include "element.hpp"

#include "cpu/scratch.hpp"

#include <optional>

namespace sortile::python {

inline nb::object not_implemented() {
  return nb::borrow<nb::object>(Py_NotImplemented);
}

/// The element of a plain ndarray that the library orders by itself; nothing where Python has to take care.
inline std::optional<element> plain_element(nb::handle x) {
  return PyArray_CheckExact(x.ptr()) ? element_of(as_array(x)) : std::nullopt;
}

inline std::byte* data_of(nb::handle array) {
  return static_cast<std::byte*>(PyArray_DATA(as_array(array)));
}

/// An array of one axis that can be read where it lies, or a copy of it that can: no gaps, aligned. The byte order
/// stays.
nb::object without_gaps(nb::handle array);

/// The entries of a list or a tuple; none of anything else.
class entries {
 public:
  explicit entries(nb::handle given) : given_(given.ptr()), is_tuple_(PyTuple_CheckExact(given_)) {
    if (is_tuple_ || PyList_CheckExact(given_))
      size_ = static_cast<std::size_t>(is_tuple_ ? PyTuple_Size(given_) : PyList_Size(given_));
  }
  std::size_t size() const { return size_; }
  nb::handle operator[](std::size_t i) const {
    const auto at = static_cast<Py_ssize_t>(i);
    return is_tuple_ ? PyTuple_GetItem(given_, at) : PyList_GetItem(given_, at);
  }

 private:
  PyObject* given_;
  bool is_tuple_;
  std::size_t size_ = 0;
};

/// Scratch memory of a call. Few bytes lie within: asking for them would take longer than they are used.
class call_scratch {
 public:
  call_scratch(std::size_t bytes, const char* purpose)
      : beside_(bytes <= sizeof within_ ? 0 : bytes, purpose),
        data_(bytes <= sizeof within_ ? within_ : beside_.bytes().data()) {}
  call_scratch(const call_scratch&) = delete;
  call_scratch& operator=(const call_scratch&) = delete;

  std::byte* data() const { return data_; }

 private:
  alignas(64) std::byte within_[1024];
  cpu::scratch beside_;
  std::byte* data_;
};

/// "float32", "(3, 4)": for messages.
std::string type_text(PyArrayObject* array);
std::string shape_text(PyArrayObject* array);

/// Whether the bytes from the first to the last element of one reach into those of the other.
bool share_memory(PyArrayObject* a, PyArrayObject* b);

/// Whether a call that reads `in` and writes `out` sees anything of its own doing: they share memory, and are not the
/// same array.
bool overlap_in_part(PyArrayObject* in, PyArrayObject* out);

/// Sees that `out` can take a result like `like`, of this type. \throws TypeError, ValueError
void need_fitting(const char* function, nb::handle out, PyArrayObject* like, PyArray_Descr* type);

/// The number of NumPy's type for positions: int64 for None. \throws TypeError for all but int64 and uint32
int position_type(nb::handle dtype);

} // namespace sortile::python
