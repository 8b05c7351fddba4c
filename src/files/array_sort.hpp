// Sorts the records of an array file into an output: the binary half of `sortile sort`.
#pragma once

#include "files/array_file.hpp"
#include "files/memory.hpp"
#include "files/output.hpp"

#include <sortile/request.hpp>

namespace sortile::files {

/// How the records travel. Small rests of a record are values of the sort; large ones are fetched once, by position, at
/// the end.
enum class array_route { keys, keys_and_rests, positions };
array_route route_of(const array_layout& layout);

/// \throws invalid_argument where records have values of their own already, and a second file of values would follow
void need_keys_alone(const array_layout& layout, std::string_view name);

/// The plan for sorting this array: the library's plan, with the steps that files add.
plan explain_array_sort(const array_file& array, const options& opts);
/// \throws what sort_array_with_values() throws of such files
void need_values_of(const array_file& keys, const values_file& values);
/// The plan for sorting keys and values in two files. \throws what sort_array_with_values() throws of such files
plan explain_array_sort(const array_file& keys, const values_file& values, const options& opts);

/// Bytes that sort_array() needs for n records beside the array itself.
std::size_t array_sort_memory(const array_layout& layout, std::size_t n, const options& opts);

/// Writes the array's header and its records in order. Stable.
void sort_array(const array_file& array, output& to, const options& opts);

/// The same for keys and values in two files. \throws io_failure where they are not of one length, invalid_argument
/// where the records of the array have values of their own already
void sort_array_with_values(const array_file& keys, const values_file& values, output& keys_to, output& values_to,
                            const options& opts);

/// Writes sorted keys of an array of keys alone, in the file's byte order.
void write_keys(const array_file& array, const char* keys, output& to, unsigned threads);
/// Writes what is in memory as it is to be in the file.
void write_plain(output& to, unsigned threads, const char* bytes, std::size_t size);

/// The keys as an array that the library takes: the file's own bytes where they can be used, else a copy.
class key_array {
 public:
  key_array(const array_file& array, unsigned threads);
  const void* data() const { return data_; }

 private:
  const void* data_ = nullptr;
  raw_array<char> copy_;
};

} // namespace sortile::files
