// The whole key of each record as one string of bytes: the strings compare as the records do in all parts of the order.
//
// Made where reading a part again for each of its words would cost too much: keys of a locale. The words of a part
// (key_word.hpp) are such a string already, the upper byte first: no part's words begin as those of another one go on,
// so that the next part may follow.
#pragma once

#include "files/memory.hpp"
#include "files/record_order.hpp"
#include "files/record_table.hpp"

#include <functional>
#include <string>

namespace sortile::files {

/// Move-only; the records are the keys.
struct normalized_keys {
  raw_array<char> bytes;
  record_table records;
};

/// Whether records with this order are sorted by such keys.
bool needs_normalized_keys(const record_order& order);

/// The key of each record from a function of its own: append(begin, end, keys, ends) appends the keys of the records
/// [begin, end) to the string `keys`, and tells where each ends in it by ends[i]. Called for slices, on `threads`
/// threads. \throws out_of_memory
using key_appender = std::function<void(std::size_t begin, std::size_t end, std::string& keys, std::uint64_t* ends)>;
normalized_keys make_keys(std::size_t records, const key_appender& append, unsigned threads);

/// O(text) on `threads` threads; twice the keys' memory for a moment. \throws out_of_memory
normalized_keys make_normalized_keys(const record_table& records, const record_order& order, unsigned threads);

} // namespace sortile::files
