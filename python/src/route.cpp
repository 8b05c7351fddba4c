#include "route.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "device.hpp"

#include <sortile/route.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace sortile::python {

namespace {

/// Offsets, counts, order, inverse, experts of blocks, dropped: in the order in which `sortile/_route.py` has them.
using result_arrays = std::array<void*, 6>;

route_request request_of(key_type type, std::size_t n, const void* experts, std::size_t expert_count, std::size_t block,
                         std::size_t index_bytes, const result_arrays& results) {
  return {.type = type,
          .n = n,
          .experts = experts,
          .expert_count = expert_count,
          .block = block,
          .index_bytes = index_bytes,
          .offsets = results[0],
          .counts = results[1],
          .order = results[2],
          .inverse = results[3],
          .block_experts = results[4],
          .dropped = results[5]};
}

constexpr long long most_rows = 0xfffffffe; // the library's 2^32 - 1 is "none"

bool is_integer_kind(PyArrayObject* a) {
  return PyArray_DESCR(a)->kind == 'i' || PyArray_DESCR(a)->kind == 'u';
}

/// NumPy's number of the type of results: int64 for None; NPY_NOTYPE for what Python has to look at.
int result_type(nb::handle dtype) {
  if (dtype.is_none())
    return NPY_INT64;
  PyArray_Descr* type = nullptr;
  if (!PyType_Check(dtype.ptr()) && !PyArray_DescrCheck(dtype.ptr()))
    return NPY_NOTYPE;
  if (PyArray_DescrConverter(dtype.ptr(), &type) != NPY_SUCCEED) {
    PyErr_Clear();
    return NPY_NOTYPE;
  }
  const nb::object keeper = nb::steal<nb::object>(reinterpret_cast<PyObject*>(type));
  const bool fits = type->kind == 'i' && PyArray_ISNBO(type->byteorder);
  return fits && PyDataType_ELSIZE(type) == 8   ? NPY_INT64
         : fits && PyDataType_ELSIZE(type) == 4 ? NPY_INT32
                                                : NPY_NOTYPE;
}

} // namespace

nb::object route(nb::handle experts, nb::handle expert_count, nb::handle block, nb::handle dtype, nb::handle threads) {
  const std::optional<long long> wanted = exact_number(expert_count), size = exact_number(block);
  if (!wanted || *wanted < 1 || *wanted > static_cast<long long>(route_experts_most) || !size || *size < 1 ||
      *size > most_rows / *wanted)
    return not_implemented();
  const int type = result_type(dtype);
  call how(threads);
  const std::optional<element> e = plain_element(experts);
  PyArrayObject* const pairs = as_array(experts);
  if (!e || !is_integer_kind(pairs) || e->swapped || !PyArray_IS_C_CONTIGUOUS(pairs) || !PyArray_ISALIGNED(pairs))
    return not_implemented();
  const std::size_t n = size_of(pairs), count = static_cast<std::size_t>(*wanted);
  const std::size_t rows = n > most_rows ? n : route_rows(n, count, static_cast<std::size_t>(*size));
  const std::size_t most = type == NPY_INT32 ? std::numeric_limits<std::int32_t>::max() : most_rows;
  if (type == NPY_NOTYPE || rows > most)
    return not_implemented();
  const std::size_t blocks = rows / static_cast<std::size_t>(*size);
  const nb::object offsets = new_vector(count + 1, type), counts = new_vector(count, type),
                   order = new_vector(rows, type), block_experts = new_vector(blocks, type);
  const nb::object inverse = owned(PyArray_SimpleNew(PyArray_NDIM(pairs), PyArray_DIMS(pairs), type));
  const nb::object dropped = owned(PyArray_SimpleNew(0, nullptr, type));
  const nb::object results[] = {offsets, counts, order, inverse, block_experts, dropped};
  result_arrays to;
  std::transform(std::begin(results), std::end(results), to.begin(),
                 [](const nb::object& one) { return PyArray_DATA(as_array(one)); });
  const route_request request = request_of(e->type, n, PyArray_DATA(pairs), count, static_cast<std::size_t>(*size),
                                           type == NPY_INT32 ? 4 : 8, to);
  how.run_to_the_end(n, [&] { run(request, how.opts); });
  return nb::make_tuple(offsets, counts, order, inverse, block_experts, dropped);
}

void device_route(int type, std::size_t n, std::uintptr_t experts, std::size_t expert_count, std::size_t block,
                  std::size_t index_bytes, const nb::list& results, int ordinal, std::uintptr_t stream,
                  nb::handle allocate) {
  result_arrays to;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(results[i]));
  const route_request request = request_of(static_cast<key_type>(type), n, reinterpret_cast<const void*>(experts),
                                           expert_count, block, index_bytes, to);
  queue_on(false, ordinal, stream, allocate, [&](const options& opts) { run(request, opts); });
}

} // namespace sortile::python
