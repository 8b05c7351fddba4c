// See binary_keys.hpp.
#include "files/binary_keys.hpp"

#include "files/failure.hpp"

#include "primitives/key_codec.hpp"

#include <algorithm>
#include <charconv>

namespace sortile::files {

namespace {

constexpr std::string_view range_words =
    "OFFSET:LENGTH[:TYPE][:le|:be][:asc|:desc], such as 0:10 or 8:4:u32:desc; offsets count from 0";

std::size_t take_number(std::string_view& rest, std::string_view whole, std::string_view what) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc{})
    refuse("--key {}: {} is expected at '{}' (allowed: {})", whole, what, rest.substr(0, 40), range_words);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return value;
}

std::optional<key_type> type_named(std::string_view word) {
  const auto* found = std::find_if(std::begin(all_key_types), std::end(all_key_types),
                                   [&](key_type type) { return name(type) == word; });
  return found == std::end(all_key_types) ? std::nullopt : std::optional(*found);
}

void apply_word(std::string_view word, std::string_view whole, range_key& key) {
  if ((word == "asc" || word == "desc") && !key.descending)
    key.descending = word == "desc";
  else if ((word == "le" || word == "be") && !key.big_endian)
    key.big_endian = word == "be";
  else if (const std::optional<key_type> type = type_named(word); type && !key.type)
    key.type = type;
  else if (type || word == "asc" || word == "desc" || word == "le" || word == "be")
    refuse("--key {}: ':{}' says again what was said before it", whole, word);
  else
    refuse("--key {}: ':{}' is not understood (allowed: {}; types u8 … u128, i8 … i128, f16, bf16, f32, f64)", whole,
           word, range_words);
}

std::uint64_t load(std::string_view bytes, bool big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[big_endian ? i : bytes.size() - 1 - i]);
  return value;
}

// The image of a number of up to 64 bits, in as many bits.
std::uint64_t image_of(std::uint64_t bits, key_type type) {
  const unsigned width = 8 * static_cast<unsigned>(key_bytes(type));
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
  key_codec<std::uint64_t> codec;
  codec.sign = is_float(type) || is_signed_integer(type) ? std::uint64_t{1} << (width - 1) : 0;
  codec.infinity = infinity_bits(type);
  codec.mask = mask;
  return codec.image(bits);
}

// Of bits [first, first + 64) of an image, those within the range's window.
std::uint64_t window_of(const binary_range& range, unsigned first) {
  const unsigned begin = std::clamp(range.bits_begin, first, first + 64) - first;
  const unsigned end = std::clamp(range.bits_end, first, first + 64) - first;
  const auto below = [](unsigned bit) { return bit == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit) - 1; };
  return end < begin ? 0 : below(end) & ~below(begin);
}

} // namespace

bool looks_like_range(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return digits > 0 && digits < text.size() && text[digits] == ':';
}

range_key parse_range_key(std::string_view text) {
  std::string_view rest = text;
  range_key key;
  key.offset = take_number(rest, text, "an offset");
  if (!rest.starts_with(':'))
    refuse("--key {}: ':' is expected at '{}' (allowed: {})", text, rest.substr(0, 40), range_words);
  rest.remove_prefix(1);
  key.bytes = take_number(rest, text, "a length");
  while (rest.starts_with(':')) {
    rest.remove_prefix(1);
    const std::string_view word = rest.substr(0, rest.find(':'));
    apply_word(word, text, key);
    rest.remove_prefix(word.size());
  }
  if (!rest.empty())
    refuse("--key {}: '{}' is not understood (allowed: {})", text, rest.substr(0, 40), range_words);
  if (key.bytes == 0)
    refuse("--key {}: a key has one byte at least", text);
  if (key.type && key_bytes(*key.type) != key.bytes)
    refuse("--key {}: {} has {} bytes, not {}", text, name(*key.type), key_bytes(*key.type), key.bytes);
  if (key.big_endian.value_or(false) && !key.type)
    refuse("--key {}: :be goes with a number (such as :u32:be); bytes are compared from the first on", text);
  return key;
}

key_word bytes_word(std::string_view text, std::size_t depth) {
  const std::string_view rest = text.substr(depth * sizeof(std::uint64_t));
  if (rest.size() > sizeof(std::uint64_t))
    return {detail::load_big_endian(rest.data()), false};
  if (rest.size() == sizeof(std::uint64_t))
    return {detail::load_big_endian(rest.data()), true};
  return {detail::load_few(rest.data(), rest.size()), true};
}

key_word code_points_word(std::string_view text, const binary_range& range, std::size_t depth) {
  constexpr std::size_t character = 4;
  const std::string_view rest = text.substr(depth * 2 * character);
  const std::uint64_t first = load(rest.substr(0, character), range.big_endian);
  const std::uint64_t second = rest.size() > character ? load(rest.substr(character, character), range.big_endian) : 0;
  return {first << 32 | second, rest.size() <= 2 * character};
}

key_word value_word(std::string_view text, const binary_range& range, std::size_t depth) {
  if (text.size() <= sizeof(std::uint64_t)) {
    const std::uint64_t image = image_of(load(text, range.big_endian), range.type);
    return {(range.smallest_last ? image - 1 : image) & window_of(range, 0), true};
  }
  const std::uint64_t upper = load(text.substr(range.big_endian ? 0 : 8, 8), range.big_endian);
  if (depth == 0)
    return {(upper ^ (is_signed_integer(range.type) ? std::uint64_t{1} << 63 : 0)) & window_of(range, 64), false};
  return {load(text.substr(range.big_endian ? 8 : 0, 8), range.big_endian) & window_of(range, 0), true};
}

} // namespace sortile::files
