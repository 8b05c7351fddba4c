// Element types of NumPy arrays, and missing values.
//
// The library has one order of floats: NaN is the largest. NumPy puts NaN and NaT last in both directions. Both orders
// agree on everything else, so the sorted array is one block of missing values and one of the others, and putting the
// block where it belongs is one move of memory; where nothing is missing, which is found by looking at one key, it is
// none.
#include "element.hpp"

#include "cpu/scratch.hpp"

#include <cstring>
#include <limits>
#include <string_view>

namespace sortile::python {

namespace {

/// ml_dtypes registers its types with NumPy; the type of their scalars says which one it is.
bool is_bfloat16(const PyArray_Descr* type) {
  const nb::object name = nb::handle(reinterpret_cast<PyObject*>(type->typeobj)).attr("__name__");
  return nb::isinstance<nb::str>(name) && std::string_view(nb::cast<const char*>(name)) == "bfloat16";
}

std::optional<key_type> integer_of(key_type narrowest, npy_intp width) {
  for (unsigned step = 0; step < 4; ++step)
    if (width == npy_intp{1} << step)
      return static_cast<key_type>(static_cast<unsigned>(narrowest) + step);
  return std::nullopt;
}

std::optional<key_type> float_of(npy_intp width) {
  switch (width) {
  case 2:
    return key_type::f16;
  case 4:
    return key_type::f32;
  case 8:
    return key_type::f64;
  default:
    return std::nullopt;
  }
}

std::optional<key_type> key_type_of_array(PyArrayObject* array) {
  const PyArray_Descr* const type = PyArray_DESCR(array);
  const npy_intp width = PyArray_ITEMSIZE(array);
  if (PyTypeNum_ISUSERDEF(type->type_num))
    return width == 2 && is_bfloat16(type) ? std::optional(key_type::bf16) : std::nullopt;
  switch (type->kind) {
  case 'b':
    return key_type::u8;
  case 'u':
    return integer_of(key_type::u8, width);
  case 'i':
    return integer_of(key_type::i8, width);
  case 'M':
  case 'm':
    return key_type::i64;
  case 'f':
    return float_of(width);
  default:
    return std::nullopt;
  }
}

template <class Word>
Word load(const void* from) {
  Word w;
  std::memcpy(&w, from, sizeof w);
  return w;
}

/// Positions in [0, n) for which `first` holds come first: how many they are.
template <class First>
std::size_t partition_point(std::size_t n, First&& first) {
  std::size_t begin = 0, end = n;
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (first(middle))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/// As count_missing(), with missing(i) saying whether place i holds a missing key.
template <class Missing>
std::size_t count_at_end(missing_move move, std::size_t n, Missing&& missing) {
  if (n == 0 || move == missing_move::none)
    return 0;
  if (move == missing_move::front_to_end)
    return !missing(0) ? 0 : partition_point(n, missing);
  return !missing(n - 1) ? 0 : n - partition_point(n, [&](std::size_t i) { return !missing(i); });
}

} // namespace

std::optional<element> element_of(PyArrayObject* array) {
  const std::optional<key_type> type = key_type_of_array(array);
  if (!type)
    return std::nullopt;
  const char kind = PyArray_DESCR(array)->kind;
  const missing_kind missing = kind == 'M' || kind == 'm' ? missing_kind::nat
                               : is_float(*type)          ? missing_kind::nan
                                                          : missing_kind::none;
  return element{*type, static_cast<unsigned>(key_bytes(*type)), PyArray_ISBYTESWAPPED(array), missing};
}

bool is_missing(const element& e, const void* key) {
  switch (e.missing) {
  case missing_kind::none:
    return false;
  case missing_kind::nat:
    return load<std::int64_t>(key) == std::numeric_limits<std::int64_t>::min();
  case missing_kind::nan:
    break;
  }
  switch (e.type) {
  case key_type::f16:
    return (load<std::uint16_t>(key) & 0x7fffu) > 0x7c00u;
  case key_type::bf16:
    return (load<std::uint16_t>(key) & 0x7fffu) > 0x7f80u;
  case key_type::f32:
    return (load<std::uint32_t>(key) & 0x7fffffffu) > 0x7f800000u;
  default:
    return (load<std::uint64_t>(key) & ~(std::uint64_t{1} << 63)) > std::uint64_t{0x7ff} << 52;
  }
}

missing_move move_of_missing(const element& e, order direction, nan_place wanted) {
  const bool descending = direction == order::descending;
  switch (e.missing) {
  case missing_kind::nan:
    return descending && wanted == nan_place::last ? missing_move::front_to_end : missing_move::none;
  case missing_kind::nat:
    if (!descending)
      return missing_move::front_to_end;
    return wanted == nan_place::last ? missing_move::none : missing_move::end_to_front;
  default:
    return missing_move::none;
  }
}

std::size_t count_missing(const element& e, missing_move move, const void* keys, std::size_t n) {
  const std::byte* const first = static_cast<const std::byte*>(keys);
  return count_at_end(move, n, [&](std::size_t i) { return is_missing(e, first + i * e.width); });
}

void place_missing(const element& e, missing_move move, void* keys, std::size_t n) {
  move_block(move, keys, n, count_missing(e, move, keys, n), e.width);
}

void place_missing_positions(const element& e, missing_move move, const void* keys, void* positions,
                             std::size_t index_bytes, std::size_t n) {
  if (move == missing_move::none)
    return;
  const auto position = [&](std::size_t i) -> std::size_t {
    const std::byte* const at = static_cast<const std::byte*>(positions) + i * index_bytes;
    return index_bytes == 4 ? load<std::uint32_t>(at) : load<std::uint64_t>(at);
  };
  const std::byte* const first = static_cast<const std::byte*>(keys);
  const std::size_t count = count_at_end(move, n, [&](std::size_t i) {
    const std::size_t at = position(i); // beyond the keys where another thread has changed them during the sort
    return at < n && is_missing(e, first + at * e.width);
  });
  move_block(move, positions, n, count, index_bytes);
}

void move_block(missing_move move, void* data, std::size_t n, std::size_t count, std::size_t width) {
  if (move == missing_move::none || count == 0 || count == n)
    return;
  const std::size_t head = (move == missing_move::front_to_end ? count : n - count) * width; // changes places with tail
  const std::size_t tail = n * width - head;
  std::byte* const bytes = static_cast<std::byte*>(data);
  const cpu::scratch aside(head < tail ? head : tail, "the missing values of a sort");
  std::byte* const kept = aside.bytes().data();
  if (head < tail) {
    std::memcpy(kept, bytes, head);
    std::memmove(bytes, bytes + head, tail);
    std::memcpy(bytes + tail, kept, head);
  } else {
    std::memcpy(kept, bytes + head, tail);
    std::memmove(bytes + tail, bytes, head);
    std::memcpy(bytes, kept, tail);
  }
}

void turn_signs(void* floats, std::size_t n, std::size_t width) {
  auto* const bytes = static_cast<unsigned char*>(floats);
  for (std::size_t i = 0; i < n; ++i)
    bytes[i * width + width - 1] ^= 0x80;
}

} // namespace sortile::python
