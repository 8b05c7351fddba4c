// Text cut into records: where each one begins. The records of lines and of CSV rows alike.
#pragma once

#include "files/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sortile::files {

/// n records that follow each other in `text`, each ended by one `delimiter` (the last one's may be missing). A record
/// is what lies before its delimiter; CSV rows with CRLF keep the CR.
struct record_table {
  std::string_view text;
  char delimiter = '\n';
  std::uint64_t gap = 1;           ///< bytes between records: the delimiter, or nothing where all are of one size
  raw_array<std::uint64_t> starts; ///< n + 1: where record i begins; record i + 1 begins behind its delimiter

  std::size_t size() const { return starts.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    return {text.data() + starts[i], starts[i + 1] - starts[i] - gap};
  }
};

/// Cuts text into records of `record_bytes`. \throws out_of_memory
record_table split_evenly(std::string_view text, std::size_t record_bytes, unsigned threads);

/// Cuts text at every delimiter. O(text) on `threads` threads. \throws out_of_memory
record_table split_lines(std::string_view text, char delimiter, unsigned threads);

} // namespace sortile::files
