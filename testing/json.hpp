// Writes JSON (RFC 8259): the JSON of the command. Values are appended in order; the writer keeps commas, quotes and
// indentation. For the command's few flat objects, so that its quick build needs no library for JSON; kept results are
// read and written by one (results.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::testing {

class json_writer {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  /// The name of the next value of an object.
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number); ///< shortest form that reads back the same; null for what JSON cannot say
  void value(bool truth);
  template <std::integral I>
  void value(I number) {
    before_value();
    text_ += std::to_string(number);
  }

  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }

  /// The whole document.
  const std::string& text() const { return text_; }

 private:
  void open(char bracket);
  void close(char bracket);
  void before_value();
  void quote(std::string_view text);
  void new_line();

  std::string text_;
  std::vector<bool> has_elements_; ///< per open bracket
  bool after_key_ = false;
};

} // namespace sortile::testing
