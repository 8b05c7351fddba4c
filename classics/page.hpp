// A run of a classic, or two on the same keys, as one page for a browser: its steps, its trace, its source and its
// essay, with the style and the script that show them. The page loads nothing.
#pragma once

#include "classics/runner.hpp"
#include "classics/step.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sortile::classics {

/// What a page shows of a classic.
struct shown_run {
  const classic* what = nullptr;
  request asked;
  std::string command; ///< that makes the same run
  std::string look;    ///< what to look at, of an example; may be empty
  std::vector<step> steps;
  nlohmann::ordered_json trace; ///< null where there is none; then `remark` says why
  std::string remark{};
};

/// What a page shows at most, so that a browser draws it at once.
inline constexpr std::uint64_t largest_on_page = 256;
inline constexpr std::size_t most_events_on_page = 12'000;

/// Runs a classic twice: once telling its steps, once recorded. The steps cost requests of their own, which are not to
/// be in the ledger. Of a run with more events than a page holds the steps alone are shown, with a remark.
/// \throws invalid_argument where there are more keys than a page holds, or the result is wrong
shown_run run_to_show(const classic& c, const request& asked, std::string command);

/// The page of one run or of two.
std::string html_page(const std::vector<shown_run>& runs);

/// The essay at the top of a source of the gallery, without its comment signs; empty where there is none.
std::string essay_of(std::string_view file);

} // namespace sortile::classics
