// What kind of file an input is: said with --format or --type, else known by its name, else by its first bytes.
#pragma once

#include "array_options.hpp"
#include "text_options.hpp"

#include "files/array_axis.hpp"
#include "files/array_file.hpp"
#include "files/fixed_records.hpp"

#include <string>
#include <variant>

namespace sortile::cli {

enum class file_format { lines, csv, tsv, npy, raw, records, parquet, arrow, arrows };

constexpr bool is_array(file_format format) {
  return format == file_format::npy || format == file_format::raw || format == file_format::records;
}
constexpr bool is_table(file_format format) {
  return format == file_format::csv || format == file_format::tsv;
}
/// Tables whose columns have types, which PyArrow reads and writes.
constexpr bool is_columnar(file_format format) {
  return format == file_format::parquet || format == file_format::arrow || format == file_format::arrows;
}

/// What --no-sync says of itself, in every command that writes a file.
inline constexpr const char* no_sync_text =
    "do not wait until the output is on the disk (a loss of power may then leave it incomplete)";

/// The --format option.
void add_format_option(CLI::App& command, std::string& format);

/// The first bytes of a regular file, which tell what some files are; nothing of a pipe, which could not be read again.
/// Moves no position. Of packed files, the first bytes of what is packed.
inline constexpr std::size_t first_bytes_wanted = 16;
std::string first_bytes(const std::string& path, bool as_it_is = false);

/// Decides. `begin` holds the input's first bytes, as far as they are known.
/// \throws invalid_argument where options contradict each other, or what the file's name or first bytes say
file_format format_of(const std::string& path, std::string_view begin, const std::string& said,
                      const array_options& arrays, const text_options& text);

/// Several inputs are of one format. \throws invalid_argument where this one is not
void need_same_format(const std::string& path, std::string_view begin, file_format format, const std::string& said,
                      const array_options& arrays, const text_options& text);

/// An output's name does not promise another kind of array than what is written. `type`: of raw keys; `said`: --format,
/// which allows everything. \throws invalid_argument
void need_output_name(const std::string& path, file_format format, std::optional<key_type> type,
                      const std::string& said);

/// The format that a file's name says; nothing where it says none.
std::optional<file_format> format_by_name(const std::string& path);

/// The key type that a raw file's name says ("keys.u32"); nothing where it says none.
std::optional<key_type> type_by_name(const std::string& path);

/// Opens an array of either format. \throws as open_npy(), open_raw(); invalid_argument where the type of raw keys is
/// not known
files::array_file open_array(const std::string& path, file_format format, const array_options& arrays);
files::array_file open_array(files::input source, const std::string& path, file_format format,
                             const array_options& arrays);

/// Whether an array is sorted as records ordered by ranges of bytes, and not as keys of the library.
/// \param begin  of the file, the header of a .npy file with it
bool is_ordered_as_records(std::string_view begin, std::string_view name, file_format format,
                           const array_options& arrays);
/// Where records lie and how they are ordered, before they are there. \param begin  as is_ordered_as_records()
struct record_layout {
  std::size_t header_bytes = 0;
  std::size_t record_bytes = 0;
  files::record_order order;
  std::optional<files::npy_header> npy;
};
record_layout layout_of_records(std::string_view begin, std::string_view name, file_format format,
                                const array_options& arrays);
/// The type of raw keys. \throws invalid_argument where nothing says it
key_type type_of_raw_keys(const std::string& path, const array_options& arrays);
/// The field that is the key of a .npy array; empty: the first. \throws invalid_argument
std::string field_of_npy(const array_options& arrays);

/// The elements of a .npy array that is taken along an axis: keys of the library, or what is ordered as records.
using array_elements = std::variant<files::array_layout, files::record_elements>;
array_elements elements_along(const files::npy_header& header, const std::string& name, const array_options& arrays);
/// \throws invalid_argument: other formats have no axes
[[noreturn]] void refuse_axis(const axis_options& along);

/// Opens such. \throws invalid_argument, io_failure
files::fixed_records open_fixed_records(files::input source, file_format format, const array_options& arrays);

/// \throws invalid_argument naming an option that has no meaning for arrays
void refuse_text_options(const text_options& text);
/// \throws invalid_argument naming an option that has no meaning for text
void refuse_array_options(const array_options& arrays);

/// \throws invalid_argument where bytes that are no text would go to a terminal without --force
void refuse_binary_to_terminal(const std::string& path, bool force);

} // namespace sortile::cli
