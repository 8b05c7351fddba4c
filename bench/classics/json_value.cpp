// A parser by recursive descent, a function for each rule of the grammar; see json_value.hpp.
#include "bench/classics/json_value.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace sortile::experiments {

namespace {

constexpr unsigned deepest = 100;

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  json_value document() {
    json_value v = value(0);
    skip_space();
    if (at_ != text_.size())
      refuse("something follows the document");
    return v;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + std::ptrdiff_t(at_), '\n');
    throw invalid_argument("JSON, line " + std::to_string(line) + ": " + what);
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c))
      refuse(std::string("expected ") + c);
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word)
      return false;
    at_ += word.size();
    return true;
  }

  json_value value(unsigned depth) {
    if (depth > deepest)
      refuse("nested too deeply");
    skip_space();
    if (at_ == text_.size())
      refuse("it ends too early");
    switch (text_[at_]) {
    case '{':
      return object(depth);
    case '[':
      return array(depth);
    case '"':
      return json_value(text());
    default:
      return take_word("true")    ? json_value(true)
             : take_word("false") ? json_value(false)
             : take_word("null")  ? json_value()
                                  : json_value(number());
    }
  }

  json_value object(unsigned depth) {
    json_value::object members;
    expect('{');
    if (take('}'))
      return json_value(std::move(members));
    do {
      skip_space();
      std::string name = text();
      expect(':');
      members.emplace_back(std::move(name), value(depth + 1));
    } while (take(','));
    expect('}');
    return json_value(std::move(members));
  }

  json_value array(unsigned depth) {
    json_value::array elements;
    expect('[');
    if (take(']'))
      return json_value(std::move(elements));
    do
      elements.push_back(value(depth + 1));
    while (take(','));
    expect(']');
    return json_value(std::move(elements));
  }

  double number() {
    double found = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), found);
    if (error != std::errc{} || (text_[at_] != '-' && (text_[at_] < '0' || text_[at_] > '9')))
      refuse("expected a value");
    at_ = std::size_t(end - text_.data());
    return found;
  }

  std::string text() {
    expect('"');
    std::string found;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\')
        escape(found);
      else
        found += text_[at_];
    if (at_ == text_.size())
      refuse("a text does not end");
    ++at_;
    return found;
  }

  /// At a backslash; leaves the last character of the escape to be stepped over.
  void escape(std::string& into) {
    static constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    const char kind = ++at_ < text_.size() ? text_[at_] : '\0';
    if (const std::size_t k = names.find(kind); k != std::string_view::npos) {
      into += meant[k];
      return;
    }
    unsigned code = 0;
    const char* digits = text_.data() + at_ + 1;
    if (kind != 'u' || at_ + 4 >= text_.size() || std::from_chars(digits, digits + 4, code, 16).ptr != digits + 4)
      refuse("an escape that there is not");
    if (code >= 0xd800 && code < 0xe000)
      refuse("surrogates are written as UTF-8 here");
    at_ += 4;
    if (code < 0x80) {
      into += char(code);
    } else if (code < 0x800) {
      into += {char(0xc0 | code >> 6), char(0x80 | (code & 63))};
    } else {
      into += {char(0xe0 | code >> 12), char(0x80 | (code >> 6 & 63)), char(0x80 | (code & 63))};
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

void json_value::refuse(const char* wanted) {
  throw invalid_argument(std::string("JSON: there is something else where ") + wanted + " is expected");
}

const json_value* json_value::find(std::string_view name) const {
  for (const auto& [key, content] : members())
    if (key == name)
      return &content;
  return nullptr;
}

const json_value& json_value::at(std::string_view name) const {
  if (const json_value* found = find(name))
    return *found;
  throw invalid_argument("JSON: an object has no member " + std::string(name));
}

void json_value::write(testing::json_writer& out) const {
  if (const auto* members = std::get_if<object>(&content_)) {
    out.begin_object();
    for (const auto& [name, content] : *members) {
      out.key(name);
      content.write(out);
    }
    out.end_object();
  } else if (const auto* elements = std::get_if<array>(&content_)) {
    out.begin_array();
    for (const json_value& each : *elements)
      each.write(out);
    out.end_array();
  } else if (const auto* text = std::get_if<std::string>(&content_)) {
    out.value(std::string_view(*text));
  } else if (const auto* truth = std::get_if<bool>(&content_)) {
    out.value(*truth);
  } else if (const auto* number = std::get_if<double>(&content_)) {
    out.value(*number);
  } else {
    out.value(std::numeric_limits<double>::quiet_NaN()); // null
  }
}

json_value parse_json(std::string_view text) {
  return parser(text).document();
}

} // namespace sortile::experiments
