// Text cut into records: where each one begins. The records of lines and of CSV rows alike.
#pragma once

#include "files/record_starts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sortile::files {

/// n records that follow each other in `text`, each ended by one `delimiter` (the last one's may be missing). A record
/// is what lies before its delimiter; CSV rows with CRLF keep the CR.
struct record_table {
  std::string_view text;
  char delimiter = '\n';
  std::uint64_t gap = 1; ///< bytes between records: the delimiter, or nothing where all are of one size
  record_starts starts;  ///< n + 1: where record i begins; record i + 1 begins behind its delimiter

  std::size_t size() const { return starts.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    return {text.data() + starts[i], starts[i + 1] - starts[i] - gap};
  }
};

/// Cuts text into records of `record_bytes`. \throws out_of_memory
record_table split_evenly(std::string_view text, std::size_t record_bytes, unsigned threads);

/// So many records end in so many first bytes of a text.
struct record_mark {
  std::size_t bytes = 0;
  std::size_t records = 0;
};

std::size_t count_bytes(std::string_view text, char wanted);

/// Cuts text at every delimiter. O(text) on `threads` threads. \throws out_of_memory
record_table split_lines(std::string_view text, char delimiter, unsigned threads);
/// Where the delimiters have been counted. \param marks  places behind delimiters, in order, up to the last
record_table split_lines(std::string_view text, char delimiter, std::span<const record_mark> marks, unsigned threads);

} // namespace sortile::files
