// The steps that a selection tells of while it is done.
#pragma once

#include "cpu/told_steps.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace sortile::testing {

template <class F>
std::vector<std::string_view> steps_of(F&& f) {
  std::vector<std::string_view> steps;
  struct in_use {
    explicit in_use(std::vector<std::string_view>& to) { cpu::told_steps = &to; }
    ~in_use() { cpu::told_steps = nullptr; }
  };
  {
    const in_use while_here(steps);
    f();
  }
  return steps;
}

inline bool names(const std::vector<std::string_view>& steps, std::string_view step) {
  return std::find(steps.begin(), steps.end(), step) != steps.end();
}

} // namespace sortile::testing
