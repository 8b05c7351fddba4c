// Keys as sort(1) took them before POSIX.1-2001, by positions that are counted from 0: +1.2n -3.4r.
#pragma once

#include <optional>
#include <string>

namespace sortile::cli {

/// Whether +1 is a key, as in the edition of POSIX that _POSIX2_VERSION names; else it is the name of a file. Those
/// from 2001 to 2008 want a name there. \param edition  the variable's value; null, empty or no number: GNU's default,
/// that of 2008
bool has_keys_of_positions(const char* edition);

/// "+1.2n" and, where there is one, "-3.4r": the key as -k takes it; nothing where the first is none (but a file name).
std::optional<std::string> key_of_positions(const std::string& first, const std::string& last);

} // namespace sortile::cli
