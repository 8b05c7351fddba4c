// Writes text records in a given order.
#pragma once

#include "files/output.hpp"
#include "files/record_table.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace sortile::files {

/// Appends the records, each with its delimiter, in the order of `ids`. done(fraction) is called after every block, by
/// one thread at a time.
void write_records(const record_table& records, std::span<const std::uint32_t> ids, output& to, unsigned threads,
                   const std::function<void(double)>& done = {});

} // namespace sortile::files
