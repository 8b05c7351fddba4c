// What tests see of a selection: the names of its steps as they are done, to hold the plan against them.
#pragma once

#include <string_view>
#include <vector>

namespace sortile::cpu {

/// Null, but in such a test, which has one selection of one row done at a time: rows may be selected from side by side.
inline constinit std::vector<std::string_view>* told_steps = nullptr;

/// By the thread that has the row.
inline void tell_step(std::string_view name) {
  if (told_steps != nullptr)
    told_steps->push_back(name);
}

} // namespace sortile::cpu
