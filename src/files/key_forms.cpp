// See key_forms.hpp.
#include "files/key_forms.hpp"

#include "files/decimal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace sortile::files {

namespace {

constexpr bool is_a_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr char to_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool counts(char c, text_filter::keep kept) {
  switch (kept) {
  case text_filter::keep::dictionary:
    return is_letter(c) || is_a_digit(c) || is_blank(c);
  case text_filter::keep::printing:
    return c >= ' ' && c <= '~';
  default:
    return true;
  }
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  return text;
}

// The order of the units behind a number, as powers of a thousand; 0 for none.
int unit_power(char c) {
  constexpr std::string_view units = "KMGTPEZY";
  const std::size_t at = c == 'k' ? 0 : units.find(c);
  return c != '\0' && at != std::string_view::npos ? static_cast<int>(at) + 1 : 0;
}

// The signed power of the unit of a number; a zero has none. A point ends in a unit even where no digit follows it.
int signed_unit(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  bool any = false;
  const auto skip_digits = [&] {
    for (; at < text.size() && is_a_digit(text[at]); ++at)
      any |= text[at] != '0';
  };
  skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    skip_digits();
  }
  const int power = any && at < text.size() ? unit_power(text[at]) : 0;
  return text.starts_with('-') ? -power : power;
}

// Bytes of a version key. Parts without digits and numbers take turns, beginning with the former.
enum version_byte : unsigned char {
  tilde = 1,
  part_end = 2, // the end of a part without digits, before a number or at the end; letters stand for themselves
  other = 0xf0, // in front of any other character
};

// Compares by bytes as the version does: '~' before the end before letters before everything else, numbers by value.
void append_version(std::string_view text, std::string& key) {
  std::size_t at = 0;
  do {
    for (; at < text.size() && !is_a_digit(text[at]); ++at) {
      if (text[at] == '~') {
        key += static_cast<char>(tilde);
      } else {
        if (!is_letter(text[at]))
          key += static_cast<char>(other);
        key += text[at];
      }
    }
    key += static_cast<char>(part_end);
    while (at < text.size() && text[at] == '0')
      ++at;
    const std::size_t begin = at;
    while (at < text.size() && is_a_digit(text[at]))
      ++at;
    append_number(text.substr(begin, at - begin), key); // none where the text has ended: 0
  } while (at < text.size());
  key += static_cast<char>(part_end);
}

// The length of the text without its suffixes: at its end, each a point, a letter or '~', and letters, digits and '~'.
// All of the text may be suffixes, as in sort 9.1.
std::size_t length_without_suffixes(std::string_view text) {
  const auto begins_suffix = [&](std::size_t i) {
    return i + 1 < text.size() && text[i] == '.' && (is_letter(text[i + 1]) || text[i + 1] == '~');
  };
  const auto in_suffix = [&](std::size_t i) {
    return i < text.size() && (is_letter(text[i]) || is_a_digit(text[i]) || text[i] == '~');
  };
  for (std::size_t at = 0;; ++at) {
    const std::size_t length = at; // up to here at least
    while (begins_suffix(at))
      for (at += 2; in_suffix(at);)
        ++at;
    if (at == text.size())
      return length;
  }
}

// MD5 (RFC 1321) is what sort(1) orders by, so that --random-source gives the same order; nothing depends on its
// strength.
class md5 {
 public:
  void add(std::string_view bytes) {
    total_ += bytes.size();
    while (!bytes.empty()) {
      const std::size_t taken = std::min(bytes.size(), block_.size() - filled_);
      std::memcpy(block_.data() + filled_, bytes.data(), taken);
      bytes.remove_prefix(taken);
      filled_ += taken;
      if (filled_ == block_.size())
        take_block();
    }
  }

  // The digest as two numbers that compare as its bytes do.
  std::array<std::uint64_t, 2> digest() {
    const std::uint64_t bits = total_ * 8;
    add({"\x80", 1});
    while (filled_ != block_.size() - 8)
      add({"\0", 1});
    std::array<char, 8> length{};
    for (std::size_t i = 0; i < length.size(); ++i)
      length[i] = static_cast<char>(bits >> (8 * i));
    add({length.data(), length.size()});
    const auto pair = [&](std::size_t i) {
      return std::uint64_t{__builtin_bswap32(state_[i])} << 32 | __builtin_bswap32(state_[i + 1]);
    };
    return {pair(0), pair(2)};
  }

 private:
  static constexpr std::array<int, 16> turns{7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

  static const std::array<std::uint32_t, 64>& sines() {
    static const std::array<std::uint32_t, 64> table = [] {
      std::array<std::uint32_t, 64> made{};
      for (std::size_t i = 0; i < made.size(); ++i)
        made[i] = static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 0x1p32));
      return made;
    }();
    return table;
  }

  static std::uint32_t mixed(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    switch (round) {
    case 0:
      return (b & c) | (~b & d);
    case 1:
      return (d & b) | (~d & c);
    case 2:
      return b ^ c ^ d;
    default:
      return c ^ (b | ~d);
    }
  }

  void take_block() {
    constexpr std::array<std::size_t, 4> step{1, 5, 3, 7};
    constexpr std::array<std::size_t, 4> start{0, 1, 5, 0};
    auto [a, b, c, d] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::size_t round = i / 16;
      const std::size_t word = (start[round] + step[round] * i) % 16;
      std::uint32_t input = 0;
      for (std::size_t byte = 0; byte < 4; ++byte)
        input |= static_cast<std::uint32_t>(static_cast<unsigned char>(block_[4 * word + byte])) << (8 * byte);
      const std::uint32_t sum = a + mixed(round, b, c, d) + sines()[i] + input;
      a = d;
      d = c;
      c = b;
      b += std::rotl(sum, turns[4 * round + i % 4]);
    }
    state_ = {state_[0] + a, state_[1] + b, state_[2] + c, state_[3] + d};
    filled_ = 0;
  }

  std::array<std::uint32_t, 4> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::array<char, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t total_ = 0;
};

} // namespace

namespace {

// What a filter makes of each byte; none: it does not count.
class filter_table {
 public:
  static constexpr int none = -1;

  explicit filter_table(const text_filter& filter) {
    for (int c = 0; c < 256; ++c) {
      const char byte = static_cast<char>(c);
      made_[static_cast<std::size_t>(c)] = static_cast<std::int16_t>(
          counts(byte, filter.kept) ? static_cast<unsigned char>(filter.fold ? to_upper(byte) : byte) : none);
    }
  }
  static const filter_table& of(const text_filter& filter) {
    using keep = text_filter::keep;
    static const std::array<filter_table, 6> all{
        filter_table({keep::all, false}),        filter_table({keep::all, true}),
        filter_table({keep::dictionary, false}), filter_table({keep::dictionary, true}),
        filter_table({keep::printing, false}),   filter_table({keep::printing, true})};
    return all[2 * static_cast<std::size_t>(filter.kept) + (filter.fold ? 1 : 0)];
  }
  int operator()(char c) const { return made_[static_cast<unsigned char>(c)]; }
  /// The next byte that counts, from `at` on, which goes behind it; none at the end.
  int next(std::string_view text, std::size_t& at) const {
    while (at < text.size())
      if (const int made = (*this)(text[at++]); made != none)
        return made;
    return none;
  }

 private:
  std::array<std::int16_t, 256> made_{};
};

} // namespace

std::string_view filtered(std::string_view text, const text_filter& filter, std::string& scratch) {
  if (!filter.active())
    return text;
  const filter_table& made = filter_table::of(filter);
  scratch.clear();
  for (const char c : text)
    if (made(c) != filter_table::none)
      scratch += static_cast<char>(made(c));
  return scratch;
}

key_word filtered_word(std::string_view text, const text_filter& filter, std::size_t depth) {
  const filter_table& made = filter_table::of(filter);
  std::size_t at = 0;
  for (std::size_t left = depth * text_word_bytes; left > 0 && at < text.size(); ++at)
    left -= made(text[at]) != filter_table::none ? 1 : 0;
  std::array<char, text_word_bytes + 1> bytes{}; // one more: whether the word is the last
  std::size_t size = 0;
  for (int byte = 0; size < bytes.size() && (byte = made.next(text, at)) != filter_table::none; ++size)
    bytes[size] = static_cast<char>(byte);
  return text_word({bytes.data(), size}, 0);
}

int compare_filtered(std::string_view a, std::string_view b, const text_filter& filter) {
  const filter_table& made = filter_table::of(filter);
  const std::size_t common = std::min(a.size(), b.size());
  std::size_t i = 0;
  for (std::uint64_t x = 0, y = 0; i + sizeof x <= common; i += sizeof x) {
    std::memcpy(&x, a.data() + i, sizeof x);
    std::memcpy(&y, b.data() + i, sizeof y);
    if (x != y)
      break;
  }
  for (std::size_t j = i;;) {
    const int x = made.next(a, i);
    const int y = made.next(b, j);
    if (x != y)
      return x < y ? -1 : 1; // none is the smallest
    if (x == filter_table::none)
      return 0;
  }
}

key_word general_number_word(std::string_view text, std::size_t depth) {
  constexpr std::uint64_t none = 0;
  constexpr std::uint64_t not_a_number = std::uint64_t{1} << 62;
  constexpr std::uint64_t number = std::uint64_t{3} << 62;
  thread_local std::string ended; // strtold() needs an end to read up to
  ended = text;
  char* end = nullptr;
  const long double value = std::strtold(ended.c_str(), &end);
  if (end == ended.c_str())
    return {none, true};
  if (std::isnan(value)) { // by its bytes as they lie in memory, as GNU sort has it: the mantissa's first
    std::uint64_t mantissa = 0;
    std::uint16_t sign_and_exponent = 0;
    std::memcpy(&mantissa, &value, sizeof mantissa);
    if (std::numeric_limits<long double>::digits == 64)
      std::memcpy(&sign_and_exponent, reinterpret_cast<const char*>(&value) + 8, sizeof sign_and_exponent);
    const std::uint64_t order = byteswapped(mantissa);
    const std::uint64_t tail = (order & 7) << 16 | __builtin_bswap16(sign_and_exponent);
    return depth > 0 ? key_word{tail, true} : key_word{not_a_number | order >> 3, false};
  }
  // Sign, exponent and mantissa as integers that compare as the value does; infinity has an exponent of its own.
  int exponent = 0;
  const long double fraction = std::isinf(value) ? 0.5L : std::frexp(std::fabs(value), &exponent);
  const bool zero = value == 0;
  const std::uint64_t mantissa = zero ? 0 : static_cast<std::uint64_t>(std::ldexp(fraction, 64));
  const std::uint64_t biased = zero                ? 0
                               : std::isinf(value) ? std::uint64_t{0xfffe}
                                                   : static_cast<std::uint64_t>(exponent + 0x7fff);
  const bool negative = !zero && std::signbit(value);
  // 1 bit of sign, 16 of the exponent, 64 of the mantissa, of which 19 go to the second word.
  std::uint64_t head = biased << 45 | mantissa >> 19;
  std::uint64_t tail = mantissa & ((std::uint64_t{1} << 19) - 1);
  if (negative) {
    head = ~head & ((std::uint64_t{1} << 61) - 1);
    tail = ~tail & ((std::uint64_t{1} << 19) - 1);
  }
  if (depth > 0)
    return {tail, true};
  return {number | std::uint64_t{!negative} << 61 | head, false};
}

key_word human_number_word(std::string_view text, std::size_t depth) {
  text = without_blanks(text);
  if (depth == 0)
    return {static_cast<std::uint64_t>(signed_unit(text) + 16), false};
  return number_word(parse_leading_number(text), depth - 1);
}

void append_number(std::string_view digits, std::string& key) {
  constexpr unsigned char long_number = 0xf0;
  if (digits.size() < long_number) {
    key += static_cast<char>(digits.size());
  } else {
    key += static_cast<char>(long_number);
    for (int shift = 56; shift >= 0; shift -= 8)
      key += static_cast<char>(digits.size() >> shift);
  }
  key += digits;
}

key_word month_word(std::string_view text) {
  constexpr std::string_view months = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
  text = without_blanks(text);
  for (std::size_t month = 0; text.size() >= 3 && month < 12; ++month)
    if (std::equal(text.begin(), text.begin() + 3, months.begin() + static_cast<std::ptrdiff_t>(3 * month),
                   [](char a, char b) { return to_upper(a) == b; }))
      return {month + 1, true};
  return {0, true};
}

void make_version_key(std::string_view text, std::string& key) {
  key.clear();
  if (text.empty())
    return;
  // The empty text, ".", "..", names that begin with a point, all others.
  const char kind = text == "." ? 1 : text == ".." ? 2 : text.front() == '.' ? 3 : 4;
  key += kind;
  if (kind < 3)
    return;
  append_version(text.substr(0, length_without_suffixes(text)), key);
  append_version(text, key);
}

key_word random_word(std::string_view text, const random_seed& seed, std::size_t depth) {
  if (depth >= 2)
    return text_word(text, depth - 2);
  md5 hash;
  hash.add({reinterpret_cast<const char*>(seed.data()), seed.size()});
  hash.add(text);
  return {hash.digest()[depth], false};
}

// A run of digits becomes '0', its length and its digits: '0' keeps it where digits stand among the other bytes, and
// the length comes first, since of two numbers without zeros in front the longer one is the larger one.
void make_natural_key(std::string_view text, std::string& key) {
  constexpr std::size_t short_run = 0xff;
  key.clear();
  for (std::size_t at = 0; at < text.size();) {
    if (!is_a_digit(text[at])) {
      key += text[at++];
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    at = std::min(text.find_first_not_of('0', at), end);
    const std::size_t length = end - at;
    key += '0';
    key += static_cast<char>(std::min(length, short_run));
    if (length >= short_run)
      for (int shift = 56; shift >= 0; shift -= 8)
        key += static_cast<char>(std::uint64_t{length} >> shift & 0xff);
    key.append(text, at, length);
    at = end;
  }
}

key_word presence_word(std::string_view text) {
  return {without_blanks(text).empty() ? 0u : 1u, true};
}

} // namespace sortile::files
