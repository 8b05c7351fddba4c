// Dates and times in the forms of ISO 8601 and RFC 3339, as points in time. Read by hand: strptime(3) knows no
// fractions of a second and obeys the locale, and std::chrono::parse is not in Debian 12's libstdc++.
#pragma once

#include "files/key_word.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sortile::files {

/// Seconds since 1970-01-01T00:00:00Z, and a fraction of one in units of 10^-18.
struct instant {
  std::int64_t seconds = 0;
  std::uint64_t fraction = 0;

  auto operator<=>(const instant&) const = default;
};

/// YYYY-MM-DD, or that, a T or blank, and HH:MM[:SS[.FRACTION]][Z|+HH[:MM]|-HH[:MM]]; blanks around it. Without a zone
/// it is taken as UTC. Nothing where it is something else, or no day of the calendar.
std::optional<instant> parse_instant(std::string_view text);

/// Word `depth` of the point in time that a text names; an empty text comes first, what is none last.
key_word instant_word(std::string_view text, std::size_t depth);

} // namespace sortile::files
