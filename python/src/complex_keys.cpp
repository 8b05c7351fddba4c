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

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>

namespace sortile::python {

namespace {

constexpr std::size_t parts_alone_below = std::size_t{1} << 15;
constexpr std::size_t compared_most = 16; ///< numbers that are ordered as they are: columns would cost more

template <class Float>
struct number {
  Float real, imaginary;
  unsigned lacks() const { return (std::isnan(real) ? 2u : 0u) + (std::isnan(imaginary) ? 1u : 0u); }
};

/// Whether one number comes before another, as order_numbers() has them.
template <class Float>
struct comes_before {
  bool descends, lacking_descend;

  bool operator()(const number<Float>& a, const number<Float>& b) const {
    if (const unsigned x = a.lacks(), y = b.lacks(); x != y)
      return (x < y) != lacking_descend;
    if (a.real < b.real || b.real < a.real)
      return (a.real < b.real) != descends;
    return descends ? b.imaginary < a.imaginary : a.imaginary < b.imaginary;
  }
};

template <class Float>
comes_before<Float> comparison(const complex_keys& c, const options& opts) {
  const bool descends = opts.order == sortile::order::descending;
  return {descends, descends && c.nan == nan_place::largest};
}

/// Few numbers, of which nobody wants to be told.
bool are_compared(std::size_t n, const options& opts) {
  return n <= compared_most && !opts.progress;
}

template <class Float, class Index>
void order_few(const complex_keys& c, const number<Float>* keys, std::size_t n, Index* indices, const options& opts) {
  const auto before = comparison<Float>(c, opts);
  std::iota(indices, indices + n, Index{0});
  if (n < 2)
    return;
  std::stable_sort(indices, indices + n, [&](Index a, Index b) { return before(keys[a], keys[b]); });
}

template <class Float>
void sort_few(const complex_keys& c, const void* keys, std::size_t n, void* result, const options& opts) {
  auto* const first = static_cast<number<Float>*>(result);
  if (keys != result)
    std::memcpy(result, keys, n * sizeof *first);
  if (n > 1)
    std::stable_sort(first, first + n, comparison<Float>(c, opts));
}

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
  if (are_compared(n, opts)) {
    const auto* const few = static_cast<const number<Float>*>(keys);
    return index_bytes == 4 ? order_few(c, few, n, static_cast<std::uint32_t*>(indices), opts)
                            : order_few(c, few, n, static_cast<std::uint64_t*>(indices), opts);
  }
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
  if (are_compared(n, opts))
    return part == key_type::f32 ? sort_few<float>(*this, keys, n, result, opts)
                                 : sort_few<double>(*this, keys, n, result, opts);
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
