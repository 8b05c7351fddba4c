// JSON, see json.hpp.
#include "testing/json.hpp"

#include <charconv>
#include <cmath>

namespace sortile::testing {

void json_writer::new_line() {
  text_ += '\n';
  text_.append(2 * has_elements_.size(), ' ');
}

void json_writer::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_elements_.empty())
    return;
  if (has_elements_.back())
    text_ += ',';
  has_elements_.back() = true;
  new_line();
}

void json_writer::open(char bracket) {
  before_value();
  text_ += bracket;
  has_elements_.push_back(false);
}

void json_writer::close(char bracket) {
  const bool had_elements = has_elements_.back();
  has_elements_.pop_back();
  if (had_elements)
    new_line();
  text_ += bracket;
  if (has_elements_.empty())
    text_ += '\n';
}

void json_writer::key(std::string_view name) {
  before_value();
  quote(name);
  text_ += ": ";
  after_key_ = true;
}

void json_writer::value(std::string_view text) {
  before_value();
  quote(text);
}

void json_writer::value(double number) {
  before_value();
  char digits[40];
  text_ += std::isfinite(number) ? std::string_view(digits, std::to_chars(digits, digits + sizeof digits, number).ptr)
                                 : "null";
}

void json_writer::value(bool truth) {
  before_value();
  text_ += truth ? "true" : "false";
}

void json_writer::quote(std::string_view text) {
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += "\\u00";
      text_ += "0123456789abcdef"[c >> 4];
      text_ += "0123456789abcdef"[c & 15];
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

} // namespace sortile::testing
