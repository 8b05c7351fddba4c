// sortile gen sortbenchmark: records of 100 bytes, as the sort benchmark has them.
#pragma once

#include "talk.hpp"

#include "files/output.hpp"

#include <cstdint>

namespace sortile::cli {

inline constexpr std::size_t benchmark_record_bytes = 100;

/// Appends n records: binary ones, or printable ones that end in CR LF. Equal counts give equal records.
void gen_benchmark_records(std::uint64_t n, bool as_text, files::output& to, unsigned threads, progress_bar& bar);

} // namespace sortile::cli
