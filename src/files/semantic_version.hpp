// Semantic versions: MAJOR.MINOR.PATCH[-PRERELEASE][+BUILD], and their precedence. Source: semver.org, 2.0.0, 9 to 11.
// By hand: what is needed is a text whose bytes sort as the version does, which no library for them gives.
#pragma once

#include <string>
#include <string_view>

namespace sortile::files {

/// Whether a text is one; a "v" in front of it, as tags have it, does not count.
bool is_semantic_version(std::string_view text);

/// A text whose bytes compare as the semantic version in `text` does. Numbers count by their value; a version with a
/// pre-release comes before the one without; identifiers of a pre-release count one by one, numbers before others, and
/// where one list begins the other, the shorter one comes first; the build does not count. Empty texts come first,
/// what is no semantic version comes last, by its bytes. Linear in its length.
void make_semantic_version_key(std::string_view text, std::string& key);

} // namespace sortile::files
