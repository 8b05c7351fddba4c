// The readers that are fuzzed, each a function that takes any bytes and ends the process where a promise is broken.
#pragma once

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace sortile::files::fuzz {

/// Says what does not hold, and ends.
inline void hold(bool condition, std::string_view what) {
  if (condition)
    return;
  fmt::print(stderr, "does not hold: {}\n", what);
  std::abort();
}

void npy(std::string_view bytes);    ///< headers of .npy files
void csv(std::string_view bytes);    ///< tables, their rows and types
void keys(std::string_view bytes);   ///< -k, --by and --key
void number(std::string_view bytes); ///< numbers, dates, and what else a text can be ordered as
void record(std::string_view bytes); ///< records of one size
void packed(std::string_view bytes); ///< gzip and zstd

/// Takes the bytes before the first `end` out of `rest`; all of them where there is none.
inline std::string_view take(std::string_view& rest, char end) {
  const std::string_view first = rest.substr(0, rest.find(end));
  rest.remove_prefix(first.size() + (first.size() < rest.size() ? 1 : 0));
  return first;
}

} // namespace sortile::files::fuzz
