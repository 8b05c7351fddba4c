// See python_literal.hpp. A recursive descent; the depth is bounded, because headers come from anywhere.
#include "files/python_literal.hpp"

#include "files/failure.hpp"

#include <charconv>

namespace sortile::files {

namespace {

using kind = python_literal::kind;

constexpr std::string_view escape_letters = "\\'\"abfnrtv";
constexpr std::string_view escaped_characters = "\\'\"\a\b\f\n\r\t\v";

// As Python prints it.
std::string python_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (c == '\'' || c == '\\')
      result += {'\\', c};
    else if (c == '\n' || c == '\r' || c == '\t')
      result += {'\\', c == '\n' ? 'n' : c == '\r' ? 'r' : 't'};
    else if (is_control)
      result += fmt::format("\\x{:02x}", c);
    else
      result += c;
  }
  return result + '\'';
}

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  python_literal whole() {
    python_literal result = value(0);
    skip_blanks();
    if (at_ != text_.size())
      wrong("nothing more");
    return result;
  }

 private:
  static constexpr int deepest = 32;

  [[noreturn]] void wrong(std::string_view expected) const {
    refuse("at character {} {} is expected", at_ + 1, expected);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ == text_.size())
      return false;
    ++at_;
    return true;
  }

  python_literal value(int depth) {
    if (depth > deepest)
      refuse("more than {} levels of brackets", deepest);
    switch (peek()) {
    case '(':
      return sequence(')', depth);
    case '[':
      return sequence(']', depth);
    case '{':
      return dictionary(depth);
    case '\'':
    case '"':
      return text();
    default:
      return word();
    }
  }

  python_literal sequence(char close, int depth) {
    python_literal result{.what = kind::sequence, .tuple = close == ')'};
    ++at_;
    while (!accept(close)) {
      result.items.push_back(value(depth + 1));
      if (!accept(',') && peek() != close)
        wrong(close == ')' ? "',' or ')'" : "',' or ']'");
    }
    return result;
  }

  python_literal dictionary(int depth) {
    python_literal result{.what = kind::dictionary};
    ++at_;
    while (!accept('}')) {
      if (peek() != '\'' && peek() != '"')
        wrong("a key in quotes");
      result.keys.push_back(text().text);
      if (!accept(':'))
        wrong("':'");
      result.items.push_back(value(depth + 1));
      if (!accept(',') && peek() != '}')
        wrong("',' or '}'");
    }
    return result;
  }

  python_literal text() {
    python_literal result{.what = kind::text};
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size())
        append_escape(result.text);
      else
        result.text += text_[at_++];
    }
    if (at_ == text_.size())
      wrong("a closing quote");
    ++at_;
    return result;
  }

  // What a backslash begins. Behind one without a meaning, Python keeps both characters.
  void append_escape(std::string& to) {
    const char letter = text_[at_ + 1];
    at_ += 2;
    if (letter == 'x' || letter == 'u' || letter == 'U')
      append_utf8(code_point(letter == 'x' ? 2 : letter == 'u' ? 4 : 8), to);
    else if (const std::size_t which = escape_letters.find(letter); which != std::string_view::npos)
      to += escaped_characters[which];
    else
      to.append({'\\', letter});
  }

  std::uint32_t code_point(std::size_t digits) {
    constexpr std::uint32_t greatest = 0x10ffff;
    std::uint32_t code = 0;
    const std::string_view number = text_.substr(at_, digits);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), code, 16);
    if (error != std::errc{} || number.size() != digits || end != number.data() + digits || code > greatest)
      wrong(fmt::format("the number of a character in {} hexadecimal digits", digits));
    at_ += digits;
    return code;
  }

  python_literal word() {
    for (const auto& [name, literal] :
         {std::pair{std::string_view("True"), python_literal{.what = kind::boolean, .boolean = true}},
          std::pair{std::string_view("False"), python_literal{.what = kind::boolean}},
          std::pair{std::string_view("None"), python_literal{}}}) {
      if (text_.substr(at_).starts_with(name)) {
        at_ += name.size();
        return literal;
      }
    }
    python_literal result{.what = kind::integer};
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), result.integer);
    if (error == std::errc::result_out_of_range) {
      result.text.assign(text_.data() + at_, end);
      result.integer = result.text.front() == '-' ? INT64_MIN : INT64_MAX;
    } else if (error != std::errc{}) {
      wrong("a value");
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    accept('L'); // Python 2 wrote long integers so
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

const python_literal* python_literal::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == key)
      return &items[i];
  return nullptr;
}

std::string to_string(const python_literal& literal) {
  std::string text;
  switch (literal.what) {
  case kind::none:
    return "None";
  case kind::boolean:
    return literal.boolean ? "True" : "False";
  case kind::integer:
    return literal.text.empty() ? fmt::format("{}", literal.integer) : literal.text;
  case kind::text:
    return python_quoted(literal.text);
  case kind::sequence:
    for (const python_literal& item : literal.items)
      text += (text.empty() ? "" : ", ") + to_string(item);
    if (!literal.tuple)
      return "[" + text + "]";
    return "(" + text + (literal.items.size() == 1 ? ",)" : ")");
  case kind::dictionary:
    for (std::size_t i = 0; i < literal.keys.size(); ++i)
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", python_quoted(literal.keys[i]),
                          to_string(literal.items[i]));
    return "{" + text + "}";
  }
  return text;
}

void append_utf8(std::uint32_t code, std::string& to) {
  const auto further = [&](int shift) { to += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    to += static_cast<char>(code);
    return;
  }
  if (code < 0x800) {
    to += static_cast<char>(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      to += static_cast<char>(0xe0 | code >> 12);
    } else {
      to += static_cast<char>(0xf0 | code >> 18);
      further(12);
    }
    further(6);
  }
  further(0);
}

python_literal parse_python_literal(std::string_view text) {
  return parser(text).whole();
}

} // namespace sortile::files
