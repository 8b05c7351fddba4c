// Trouble in the words of sort(1).
#pragma once

#include "files/message_text.hpp"

#include <sortile/error.hpp>

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace sortile::files {

/// Trouble that sort(1) has too. Scripts look for its words; behind them stands what is allowed.
class refused_by_sort : public invalid_argument {
 public:
  /// \param further  lines that GNU sort adds, and that stand in no message of ours
  refused_by_sort(std::string_view words, std::string_view allowed, std::string_view further = {}, int status = 2)
      : invalid_argument(fmt::format("{} ({})", words, allowed)), words_(escaped(words) + std::string(further)),
        status_(status) {}
  /// What GNU sort says, in as many lines.
  const std::string& words() const noexcept { return words_; }
  /// How it ends.
  int status() const noexcept { return status_; }

 private:
  std::string words_;
  int status_;
};

} // namespace sortile::files
