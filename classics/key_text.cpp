// See key_text.hpp.
#include "classics/key_text.hpp"

#include "testing/verify.hpp"

#include <sortile/error.hpp>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>

namespace sortile::classics {

namespace {

struct named_notation {
  std::string_view name;
  notation shown;
};
constexpr named_notation notations[] = {{"dec", notation::decimal},
                                        {"bin", notation::binary},
                                        {"hex", notation::hexadecimal},
                                        {"halves", notation::halves}};

template <class T>
T value_of(const void* key) {
  T value;
  std::memcpy(&value, key, sizeof value);
  return value;
}

std::string short_float(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string decimal_text(key_type type, const void* key) {
  switch (type) {
  case key_type::u32:
    return std::to_string(value_of<std::uint32_t>(key));
  case key_type::i32:
    return std::to_string(value_of<std::int32_t>(key));
  case key_type::u64:
    return std::to_string(value_of<std::uint64_t>(key));
  case key_type::i64:
    return std::to_string(value_of<std::int64_t>(key));
  case key_type::f32:
    return short_float(double(value_of<float>(key)));
  case key_type::f64:
    return short_float(value_of<double>(key));
  default:
    return testing::key_text(type, key);
  }
}

std::string binary_text(std::uint64_t key, unsigned bits) {
  std::string text;
  for (unsigned bit = bits; bit-- > 0;)
    text += ((key >> bit) & 1) != 0 ? '1' : '0';
  return text;
}

std::string hexadecimal_text(std::uint64_t key, unsigned bits) {
  char text[20];
  std::snprintf(text, sizeof text, "%0*llx", static_cast<int>((bits + 3) / 4), static_cast<unsigned long long>(key));
  return text;
}

template <class T>
std::string range_of() {
  return "whole numbers from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
         std::to_string(std::numeric_limits<T>::max());
}

std::string allowed_of(key_type type) {
  switch (type) {
  case key_type::u32:
    return range_of<std::uint32_t>();
  case key_type::u64:
    return range_of<std::uint64_t>();
  case key_type::i32:
    return range_of<std::int32_t>();
  case key_type::i64:
    return range_of<std::int64_t>();
  default:
    return "numbers such as -1.5, 3e8, inf, nan";
  }
}

[[noreturn]] void refuse_key(key_type type, std::string_view text) {
  throw invalid_argument("'" + std::string(text) + "' is no " + std::string(name(type)) +
                         " key (allowed: " + allowed_of(type) + ")");
}

template <class T>
void store_key(std::string_view text, key_type type, void* key, int base = 10) {
  T value{};
  const char* end = text.data() + text.size();
  std::from_chars_result found{};
  if constexpr (std::is_floating_point_v<T>)
    found = std::from_chars(text.data(), end, value);
  else
    found = std::from_chars(text.data(), end, value, base);
  if (found.ec != std::errc{} || found.ptr != end || text.empty())
    refuse_key(type, text);
  std::memcpy(key, &value, sizeof value);
}

template <class Word, class Half>
void store_unsigned(std::string_view text, key_type type, void* key) {
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    Half upper{}, lower{};
    store_key<Half>(text.substr(0, slash), type, &upper);
    store_key<Half>(text.substr(slash + 1), type, &lower);
    const auto value = static_cast<Word>(Word{upper} << (4 * sizeof(Word)) | lower);
    std::memcpy(key, &value, sizeof value);
  } else if (text.starts_with("0x")) {
    store_key<Word>(text.substr(2), type, key, 16);
  } else if (text.starts_with("0b")) {
    store_key<Word>(text.substr(2), type, key, 2);
  } else {
    store_key<Word>(text, type, key);
  }
}

} // namespace

notation notation_named(std::string_view name) {
  std::string allowed;
  for (const named_notation& n : notations) {
    if (n.name == name)
      return n.shown;
    allowed += (allowed.empty() ? "" : ", ") + std::string(n.name);
  }
  throw invalid_argument("keys cannot be shown as " + std::string(name) + " (allowed: " + allowed + ")");
}

std::string_view name(notation shown) {
  return notations[static_cast<std::size_t>(shown)].name;
}

std::uint64_t bits_of(key_type type, const void* key) {
  return key_bytes(type) == 4 ? value_of<std::uint32_t>(key) : value_of<std::uint64_t>(key);
}

std::string key_as_text(key_type type, const void* key, notation shown, unsigned bits) {
  if (shown == notation::decimal)
    return decimal_text(type, key);
  const std::uint64_t all = bits_of(type, key), kept = bits >= 64 ? all : all & ((std::uint64_t{1} << bits) - 1);
  const unsigned half = key_bits(type) / 2;
  if (shown == notation::halves)
    return std::to_string(all >> half) + "/" + std::to_string(all & ((std::uint64_t{1} << half) - 1));
  return shown == notation::binary ? binary_text(kept, bits) : hexadecimal_text(kept, bits);
}

void parse_key(key_type type, std::string_view text, void* key) {
  switch (type) {
  case key_type::u32:
    return store_unsigned<std::uint32_t, std::uint16_t>(text, type, key);
  case key_type::u64:
    return store_unsigned<std::uint64_t, std::uint32_t>(text, type, key);
  case key_type::i32:
    return store_key<std::int32_t>(text, type, key);
  case key_type::i64:
    return store_key<std::int64_t>(text, type, key);
  case key_type::f32:
    return store_key<float>(text, type, key);
  case key_type::f64:
    return store_key<double>(text, type, key);
  default:
    throw invalid_argument("keys of the type " + std::string(name(type)) + " cannot be typed in");
  }
}

} // namespace sortile::classics
