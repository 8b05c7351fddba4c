// Options that name an engine and an order for arrays: shared by sort, check and merge.
#pragma once

#include "files/packing.hpp"

#include <sortile/options.hpp>
#include <sortile/types.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sortile::cli {

struct array_options {
  std::string type;              ///< of raw keys
  std::vector<std::string> keys; ///< fields of structured .npy records, or ranges of plain ones
  std::string record;            ///< --record: bytes of a plain record
  std::string bits;              ///< "B:E"
  std::string direction;         ///< "asc", "desc"
  std::string engine;
  unsigned threads = 0;
  bool reverse = false;
  bool as_it_is = false; ///< packed files are not unpacked, and outputs not packed

  void add_to(CLI::App& command);

  bool descending() const;
  /// Order, bits, engine and threads for the library. \throws invalid_argument
  options for_library() const;
  /// What is done without an engine refuses names of none all the same. \throws unknown_engine, engine_unusable
  void need_engine() const;
  std::optional<key_type> raw_type() const;
  /// How an output of this name is packed.
  /// \throws invalid_argument where the name says a packing that is not written
  files::packing packing_of_output(const std::string& path) const;
  /// Bytes of a record of --record. \throws invalid_argument
  std::size_t record_bytes() const;
};

/// Options that have the lines of an array along one axis taken each by itself.
struct axis_options {
  bool rows = false; ///< --rows
  std::string axis;  ///< --axis

  void add_to(CLI::App& command);
  bool given() const { return rows || !axis.empty(); }
  const char* name() const { return rows ? "--rows" : "--axis"; }
  /// The axis; -1 is the last. \throws invalid_argument
  long chosen() const;
};

/// "100000000", "100M", "64k", "2^28", "1e8". \throws invalid_argument
std::uint64_t parse_count(const std::string& text, std::string_view what);

} // namespace sortile::cli
