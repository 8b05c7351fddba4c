// See key_lines.hpp.
#include "key_lines.hpp"

#include <iterator>

#include <fmt/format.h>

namespace sortile::cli {

namespace {

template <class K, class Shown = K>
void append_as(const void* keys, std::size_t n, std::string& text) {
  const K* key = static_cast<const K*>(keys);
  for (std::size_t i = 0; i < n; ++i)
    fmt::format_to(std::back_inserter(text), "{}\n", static_cast<Shown>(key[i]));
}

} // namespace

void append_lines(key_type type, const void* keys, std::size_t n, std::string& text) {
  switch (type) {
  case key_type::u8:
    return append_as<std::uint8_t, unsigned>(keys, n, text);
  case key_type::u16:
    return append_as<std::uint16_t>(keys, n, text);
  case key_type::u32:
    return append_as<std::uint32_t>(keys, n, text);
  case key_type::u64:
    return append_as<std::uint64_t>(keys, n, text);
  case key_type::u128:
    return append_as<uint128>(keys, n, text);
  case key_type::i8:
    return append_as<std::int8_t, int>(keys, n, text);
  case key_type::i16:
    return append_as<std::int16_t>(keys, n, text);
  case key_type::i32:
    return append_as<std::int32_t>(keys, n, text);
  case key_type::i64:
    return append_as<std::int64_t>(keys, n, text);
  case key_type::i128:
    return append_as<int128>(keys, n, text);
  case key_type::f16:
    return append_as<half, float>(keys, n, text);
  case key_type::bf16:
    return append_as<bfloat16, float>(keys, n, text);
  case key_type::f32:
    return append_as<float>(keys, n, text);
  case key_type::f64:
    return append_as<double>(keys, n, text);
  }
}

} // namespace sortile::cli
