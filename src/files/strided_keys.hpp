// Keys between records and a plain array: taken out, put back, bytes reversed where the file has the other byte order.
#pragma once

#include "files/array_file.hpp"

#include <cstddef>
#include <span>

namespace sortile::files {

/// Copies the keys of records [begin, end) to keys + begin · key size, in this machine's byte order.
void take_keys(const array_layout& layout, const char* records, std::size_t begin, std::size_t end, char* keys);

/// The other way: writes keys [begin, end) into the records at `records`, which begins with record `begin`.
void put_keys(const array_layout& layout, const char* keys, std::size_t begin, std::size_t end, char* records);

/// Copies what is not the key of records [begin, end) to rests + begin · (record − key) bytes, and back.
void take_rests(const array_layout& layout, const char* records, std::size_t begin, std::size_t end, char* rests);
void put_rests(const array_layout& layout, const char* rests, std::size_t begin, std::size_t end, char* records);

} // namespace sortile::files
