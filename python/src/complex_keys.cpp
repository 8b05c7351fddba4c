// Complex numbers are ordered as rows of two columns. Where one of them lacks a part, a third column leads, which tells
// those apart that lack none, the imaginary part, the real one or both: then all NaNs that are compared are equal, and
// it does not matter where the library puts them.
#include "complex_keys.hpp"

#include "arrays.hpp"
#include "call.hpp"

#include "cpu/gather.hpp"
#include "cpu/parallel.hpp"
#include "plan/engine.hpp"

#include <sortile/request.hpp>

#include <array>
#include <atomic>
#include <cmath>

namespace sortile::python {

namespace {

constexpr std::size_t parts_alone_below = std::size_t{1} << 15;

unsigned threads_for(std::size_t n, const options& opts) {
  return n < parts_alone_below ? 1 : resolve_threads(opts);
}

/// n numbers as columns; true where one lacks a part.
template <class Float>
bool take_apart(const Float* numbers, std::size_t n, Float* real, Float* imaginary, std::uint8_t* lacks,
                unsigned threads) {
  std::atomic<bool> any{false};
  cpu::for_each_piece(threads, n, parts_alone_below, [&](std::size_t begin, std::size_t end) {
    unsigned found = 0;
    for (std::size_t i = begin; i < end; ++i) {
      real[i] = numbers[2 * i];
      imaginary[i] = numbers[2 * i + 1];
      lacks[i] = static_cast<std::uint8_t>((std::isnan(real[i]) ? 2 : 0) + (std::isnan(imaginary[i]) ? 1 : 0));
      found |= lacks[i];
    }
    if (found != 0)
      any.store(true, std::memory_order_relaxed);
  });
  return any.load();
}

template <class Float>
void order_numbers(const complex_keys& c, const void* keys, std::size_t n, void* indices, std::size_t index_bytes,
                   const options& opts) {
  const call_scratch space(n * (2 * sizeof(Float) + 1), "the parts of complex numbers");
  Float* const real = reinterpret_cast<Float*>(space.data());
  Float* const imaginary = real + n;
  auto* const lacks = reinterpret_cast<std::uint8_t*>(imaginary + n);
  const bool some_lack = take_apart(static_cast<const Float*>(keys), n, real, imaginary, lacks, threads_for(n, opts));
  const sortile::order lacking_come = c.nan == nan_place::largest ? opts.order : sortile::order::ascending;
  const std::array<column, 3> columns{
      {{key_type::u8, lacks, lacking_come}, {c.part, real, opts.order}, {c.part, imaginary, opts.order}}};
  options by_columns = opts;
  by_columns.order = sortile::order::ascending; // each column has its own
  run(rows_request{n, std::span(columns).subspan(some_lack ? 0 : 1), indices, index_bytes}, by_columns);
}

} // namespace

std::optional<complex_keys> complex_keys::of(nb::handle x) {
  PyArrayObject* const a = as_array(x);
  if (!PyArray_CheckExact(x.ptr()) || (PyArray_TYPE(a) != NPY_COMPLEX64 && PyArray_TYPE(a) != NPY_COMPLEX128) ||
      PyArray_ISBYTESWAPPED(a) || !PyArray_ISALIGNED(a))
    return std::nullopt;
  return complex_keys{PyArray_TYPE(a) == NPY_COMPLEX64 ? key_type::f32 : key_type::f64};
}

void complex_keys::order(const void* keys, std::size_t n, void* indices, std::size_t index_bytes,
                         const options& opts) const {
  if (part == key_type::f32)
    order_numbers<float>(*this, keys, n, indices, index_bytes, opts);
  else
    order_numbers<double>(*this, keys, n, indices, index_bytes, opts);
}

void complex_keys::sort(const void* keys, std::size_t n, void* result, const options& opts) const {
  constexpr double ordered_at = 0.8; // of the whole
  const std::size_t index_bytes = n >> 32 == 0 ? 4 : 8;
  const call_scratch indices(n * index_bytes, "the positions of complex numbers");
  options of_order = opts;
  of_order.progress = progress_of_step(opts.progress, 0, ordered_at);
  order(keys, n, indices.data(), index_bytes, of_order);
  const std::function<bool(double)> told = progress_of_step(opts.progress, ordered_at, 1);
  progress_meter progress(&told, n);
  const unsigned threads = threads_for(n, opts);
  if (keys != result) {
    cpu::gather(keys, indices.data(), index_bytes, n, width(), result, threads, &progress);
  } else {
    const call_scratch space(n * width(), "a copy of complex numbers");
    cpu::rearrange(result, indices.data(), index_bytes, n, width(), space.data(), threads);
  }
  progress.finish();
}

} // namespace sortile::python
