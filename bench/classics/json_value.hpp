// Reads JSON (RFC 8259) into a tree: the committed results, from which plots and tables are made again.
#pragma once

#include "testing/json.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sortile::experiments {

/// A value; objects keep the order of their members.
class json_value {
 public:
  using array = std::vector<json_value>;
  using object = std::vector<std::pair<std::string, json_value>>;

  json_value() = default; ///< null
  template <class T>
  explicit json_value(T content) : content_(std::move(content)) {}

  // Each throws invalid_argument where the value is of another kind.
  bool truth() const { return as<bool>("true or false"); }
  double number() const { return as<double>("a number"); }
  const std::string& text() const { return as<std::string>("a text"); }
  const array& elements() const { return as<array>("an array"); }
  const object& members() const { return as<object>("an object"); }
  /// A member of an object. \throws invalid_argument naming it where there is none
  const json_value& at(std::string_view name) const;
  /// The same, or null.
  const json_value* find(std::string_view name) const;

  void write(testing::json_writer& out) const;

 private:
  template <class T>
  const T& as(const char* wanted) const {
    const T* found = std::get_if<T>(&content_);
    if (found == nullptr)
      refuse(wanted);
    return *found;
  }
  [[noreturn]] static void refuse(const char* wanted);

  std::variant<std::nullptr_t, bool, double, std::string, array, object> content_{nullptr};
};

/// \throws invalid_argument naming the line where the text is no JSON
json_value parse_json(std::string_view text);

} // namespace sortile::experiments
