// Facts by name, in the order in which they were added: what a measurement was taken on, how it was set.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sortile::testing {

class facts {
 public:
  using fact = std::variant<bool, double, std::string>;
  using named_fact = std::pair<std::string, fact>;

  facts() = default;
  facts(std::initializer_list<named_fact> all) : all_(all) {}

  /// A text, a number, or true or false.
  template <class T>
  void add(std::string name, const T& what) {
    if constexpr (std::is_same_v<T, bool>)
      all_.emplace_back(std::move(name), what);
    else if constexpr (std::is_arithmetic_v<T>)
      all_.emplace_back(std::move(name), static_cast<double>(what));
    else
      all_.emplace_back(std::move(name), std::string(what));
  }

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // What there is of the kind under the name; empty, 0 or false where there is nothing.
  std::string text(std::string_view name) const { return as<std::string>(name); }
  double number(std::string_view name) const { return as<double>(name); }
  bool truth(std::string_view name) const { return as<bool>(name); }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  bool operator==(const facts&) const = default;

 private:
  const fact* find(std::string_view name) const {
    for (const named_fact& each : all_)
      if (each.first == name)
        return &each.second;
    return nullptr;
  }
  template <class T>
  T as(std::string_view name) const {
    const fact* found = find(name);
    const T* value = found == nullptr ? nullptr : std::get_if<T>(found);
    return value == nullptr ? T{} : *value;
  }

  std::vector<named_fact> all_;
};

} // namespace sortile::testing
