// Options that name an engine and an order for arrays: shared by sort, check and merge.
#pragma once

#include <sortile/options.hpp>
#include <sortile/types.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace sortile::cli {

struct array_options {
  std::string type;      ///< of raw keys
  std::string key_field; ///< of structured .npy records
  std::string bits;      ///< "B:E"
  std::string direction; ///< "asc", "desc"
  std::string engine;
  unsigned threads = 0;
  bool reverse = false;

  void add_to(CLI::App& command);

  bool descending() const;
  /// Order, bits, engine and threads for the library. \throws invalid_argument
  options for_library() const;
  std::optional<key_type> raw_type() const;
};

/// "100000000", "100M", "64k", "2^28", "1e8". \throws invalid_argument
std::uint64_t parse_count(const std::string& text, std::string_view what);

} // namespace sortile::cli
