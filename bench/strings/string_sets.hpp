// The sets of strings that sorts of strings are measured with: those of the literature, and what programs sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::bench {

/// n strings, which lie one after the other (`offsets` has n + 1 places), or overlap: then there are no offsets.
struct string_set {
  std::string name;
  std::vector<char> bytes;
  std::vector<std::uint64_t> offsets{};
  std::vector<std::string_view> views{};
};

/// Names of the sets that are made by rules.
std::span<const char* const> generated_sets();

/// At most n strings of a set: fewer where these would take more than 400 MB.
string_set make_set(const std::string& name, std::size_t n, std::uint64_t seed);

/// Lines of a file, by whose name they are called, without their newlines: so many lists of up to n from places all
/// over it, a single one from its middle. \throws std::runtime_error where there are none
std::vector<string_set> lines_of(const std::string& path, std::size_t n, std::size_t lists);

} // namespace sortile::bench
