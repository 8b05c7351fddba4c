// See python_literal.hpp. A recursive descent; the depth is bounded, because headers come from anywhere.
#include "files/python_literal.hpp"

#include "files/failure.hpp"

#include <charconv>

namespace sortile::files {

namespace {

using kind = python_literal::kind;

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
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size())
        ++at_;
      result.text += text_[at_];
    }
    if (at_ == text_.size())
      wrong("a closing quote");
    ++at_;
    return result;
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
    if (error != std::errc{})
      wrong("a value");
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
    return fmt::format("{}", literal.integer);
  case kind::text:
    for (const char c : literal.text)
      text += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return "'" + text + "'";
  case kind::sequence:
    for (const python_literal& item : literal.items)
      text += (text.empty() ? "" : ", ") + to_string(item);
    if (!literal.tuple)
      return "[" + text + "]";
    return "(" + text + (literal.items.size() == 1 ? ",)" : ")");
  case kind::dictionary:
    for (std::size_t i = 0; i < literal.keys.size(); ++i)
      text += fmt::format("{}'{}': {}", text.empty() ? "" : ", ", literal.keys[i], to_string(literal.items[i]));
    return "{" + text + "}";
  }
  return text;
}

python_literal parse_python_literal(std::string_view text) {
  return parser(text).whole();
}

} // namespace sortile::files
