// See file_format.hpp.
#include "file_format.hpp"

#include "files/columnar/columnar_table.hpp"
#include "files/failure.hpp"
#include "files/file_descriptor.hpp"
#include "files/output.hpp"
#include "files/parallel.hpp"

#include <array>
#include <filesystem>
#include <map>

#include <sys/stat.h>
#include <unistd.h>

namespace sortile::cli {

using files::refuse;

namespace {

const std::map<std::string, file_format> formats{
    {"lines", file_format::lines},     {"csv", file_format::csv},     {"tsv", file_format::tsv},
    {"npy", file_format::npy},         {"raw", file_format::raw},     {"records", file_format::records},
    {"parquet", file_format::parquet}, {"arrow", file_format::arrow}, {"arrows", file_format::arrows}};

std::string extension_of(const std::string& path) {
  const std::string extension = std::filesystem::path(files::without_packing(path)).extension().string();
  return extension.empty() ? extension : extension.substr(1);
}

// What compressed and columnar files begin with: sorting their bytes as lines would only destroy them.
struct known_beginning {
  std::string_view bytes;
  const char* what;
};
constexpr std::array known_beginnings{known_beginning{"\x1f\x8b", "a gzip file (gzip -dc decompresses it)"},
                                      known_beginning{"\x28\xb5\x2f\xfd", "a zstd file (zstd -dc decompresses it)"},
                                      known_beginning{{"\xfd"
                                                       "7zXZ\0",
                                                       6},
                                                      "an xz file (xz -dc decompresses it)"},
                                      known_beginning{"BZh91AY&SY", "a bzip2 file (bzip2 -dc decompresses it)"},
                                      known_beginning{"PK\x03\x04", "a zip archive (.npz is one: unzip it)"},
                                      known_beginning{"\x89HDF\r\n", "an HDF5 file, which is not read"},
                                      known_beginning{"SQLite format 3", "an SQLite database"}};

constexpr const char* name_of(file_format format) {
  switch (format) {
  case file_format::csv:
    return "a table (.csv)";
  case file_format::tsv:
    return "a table (.tsv)";
  case file_format::npy:
    return "a .npy array";
  case file_format::raw:
    return "an array of raw keys";
  case file_format::records:
    return "records of one size";
  case file_format::parquet:
    return "a Parquet file";
  case file_format::arrow:
    return "an Arrow file";
  case file_format::arrows:
    return "an Arrow stream";
  default:
    return "text lines";
  }
}

// --type T: raw keys, unless the file says that it is something else.
file_format format_with_type(const std::string& path, std::optional<file_format> by_name, bool is_npy,
                             const array_options& arrays) {
  const std::string file = files::display_name(path);
  if (is_npy || by_name == file_format::npy)
    refuse("{}: is a .npy array, which says its own type: --type goes with raw keys (--format raw takes the header for "
           "keys too)",
           file);
  if (by_name && by_name != file_format::raw)
    refuse("{}: its name says {}: --type goes with raw keys (--format raw says that it holds such)", file,
           name_of(*by_name));
  const std::optional<key_type> named = type_by_name(path);
  if (named && *named != key_type_named(arrays.type))
    refuse("{}: its name says keys of type {}, --type says {} (--format raw too, and --type decides)", file,
           name(*named), arrays.type);
  return file_format::raw;
}

// --record N: plain records, unless the file says that it is something else.
file_format format_with_record(const std::string& path, std::optional<file_format> by_name, bool is_npy,
                               const array_options& arrays, const text_options& text) {
  const std::string file = files::display_name(path);
  if (is_npy || by_name == file_format::npy)
    refuse("{}: is a .npy array, which says its own records: --record goes with plain ones (--format records takes the "
           "header for records too)",
           file);
  if (by_name && (is_table(*by_name) || is_columnar(*by_name)))
    refuse("{}: its name says {}: --record goes with plain records (--format records says that it holds such)", file,
           name_of(*by_name));
  if (!arrays.type.empty())
    refuse("--record and --type: say the type in the key, such as --key 8:4:u32");
  if (const std::string option = text.named_for_arrays(); !option.empty() && option != "-u")
    refuse("{} goes with text; records are ordered with --key OFFSET:LENGTH[:TYPE] and -r", option);
  return file_format::records;
}

// Options of one kind on a file of another would tear it apart.
file_format format_with_text_options(const std::string& path, std::optional<file_format> by_name, bool is_npy,
                                     const text_options& text) {
  const std::string file = files::display_name(path);
  const std::string option = text.named_for_arrays();
  if (is_npy || (by_name && is_array(*by_name)))
    refuse("{}: is {}: {} goes with text; arrays are ordered with -r, --order, --bits and --key (--format {} says that "
           "it is text all the same)",
           file, is_npy ? name_of(file_format::npy) : name_of(*by_name), option, text.wants_table() ? "csv" : "lines");
  if (text.wants_table())
    return by_name == file_format::tsv ? file_format::tsv : file_format::csv;
  if (by_name && is_table(*by_name))
    refuse("{}: its name says {}: {} goes with lines; a table is ordered with --by (--format lines sorts it as lines, "
           "header and all)",
           file, name_of(*by_name), option);
  return file_format::lines;
}

// A Parquet or Arrow file, by what it begins with or else by its name.
std::optional<file_format> columnar_format(const std::string& path, std::string_view begin,
                                           std::optional<file_format> by_name, const text_options& text) {
  std::optional<file_format> format;
  if (const std::optional<files::columnar_format> known = files::columnar_format_of(begin))
    format = *known == files::columnar_format::parquet ? file_format::parquet
             : *known == files::columnar_format::arrow ? file_format::arrow
                                                       : file_format::arrows;
  const std::string file = files::display_name(path);
  if (format && by_name && !is_columnar(*by_name))
    refuse("{}: its name says {}, but it begins as {} (--format says what it is)", file, name_of(*by_name),
           name_of(*format));
  if (!format && by_name && is_columnar(*by_name))
    format = by_name;
  if (format && text.wants_lines())
    refuse("{}: is {}: {} goes with lines; such a table is ordered with --by", file, name_of(*format),
           text.named_for_arrays());
  return format;
}

void refuse_known_beginnings(const std::string& path, std::string_view begin) {
  for (const known_beginning& known : known_beginnings)
    if (begin.starts_with(known.bytes))
      refuse("{}: is {} (--format says what it is to be taken for)", files::display_name(path), known.what);
}

} // namespace

void add_format_option(CLI::App& command, std::string& format) {
  command
      .add_option(
          "--format", format,
          "lines, csv, tsv, npy, raw, records, parquet, arrow or arrows (default: by the file's name, else its first "
          "bytes, else lines)")
      ->option_text("FORMAT")
      ->check(CLI::IsMember({"lines", "csv", "tsv", "npy", "raw", "records", "parquet", "arrow", "arrows"}));
}

std::optional<key_type> type_by_name(const std::string& path) {
  const std::string extension = extension_of(path);
  for (const key_type type : all_key_types)
    if (extension == name(type))
      return type;
  return std::nullopt;
}

std::optional<file_format> format_by_name(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension == "npy")
    return file_format::npy;
  if (extension == "csv" || extension == "tsv")
    return formats.at(extension);
  if (extension == "raw" || extension == "bin" || type_by_name(path))
    return file_format::raw;
  if (extension == "parquet" || extension == "arrows")
    return formats.at(extension);
  if (extension == "arrow" || extension == "feather")
    return file_format::arrow;
  if (extension == "txt" || extension == "lines")
    return file_format::lines;
  return std::nullopt;
}

std::string first_bytes(const std::string& path, bool as_it_is) {
  constexpr std::size_t enough_to_unpack = 4096;
  std::string first(enough_to_unpack, '\0');
  const files::file_descriptor file = files::open_input(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return {};
  const off_t position = ::lseek(file.get(), 0, SEEK_CUR); // of standard input, others may have read some
  first.resize(files::read_fully_at(file.get(), first.data(), first.size(),
                                    static_cast<std::uint64_t>(std::max<off_t>(position, 0)),
                                    files::display_name(path)));
  const files::packing how = as_it_is ? files::packing::none : files::packing_of(first, path);
  if (how != files::packing::none) {
    std::string plain(first_bytes_wanted, '\0');
    plain.resize(files::unpacker(how, files::display_name(path)).run(first, plain.data(), plain.size()).put);
    return plain;
  }
  first.resize(std::min(first.size(), first_bytes_wanted));
  return first;
}

file_format format_of(const std::string& path, std::string_view begin, const std::string& said,
                      const array_options& arrays, const text_options& text) {
  if (!said.empty())
    return formats.at(said);
  const bool is_npy = files::looks_like_npy(begin);
  const std::optional<file_format> by_name = format_by_name(path);
  if (!arrays.record.empty())
    return format_with_record(path, by_name, is_npy, arrays, text);
  if (!arrays.type.empty())
    return format_with_type(path, by_name, is_npy, arrays);
  if (!by_name || !is_array(*by_name))
    refuse_known_beginnings(path, begin);
  if (!by_name || !is_array(*by_name))
    if (const std::optional<file_format> columnar = columnar_format(path, begin, by_name, text))
      return *columnar;
  if (text.wants_lines() || text.wants_table())
    return format_with_text_options(path, by_name, is_npy, text);
  if (is_npy && by_name && by_name != file_format::npy)
    refuse("{}: its name says {}, but it begins as a .npy array (--format says what it is)", files::display_name(path),
           name_of(*by_name));
  return by_name.value_or(is_npy ? file_format::npy : file_format::lines);
}

void need_same_format(const std::string& path, std::string_view begin, file_format format, const std::string& said,
                      const array_options& arrays, const text_options& text) {
  const file_format other = format_of(path, begin, said, arrays, text);
  if (other != format)
    refuse("{}: is {}, but the first input is {} (--format says what all of them are)", files::display_name(path),
           name_of(other), name_of(format));
}

void need_output_name(const std::string& path, file_format format, std::optional<key_type> type,
                      const std::string& said) {
  const std::optional<file_format> named = format_by_name(path);
  const std::optional<key_type> named_type = type_by_name(path);
  const bool promises = named && (*named != file_format::raw || named_type); // .raw and .bin may hold anything
  const auto has_types = [](file_format which) { return is_array(which) || is_columnar(which); };
  if (!said.empty() || !promises || !(has_types(*named) || has_types(format)))
    return;
  if (is_columnar(*named) && is_columnar(format))
    return; // it is written as the name says
  if (*named != format)
    refuse("{}: the output's name says {}, but what is written is {} (another name is needed, or --format)", path,
           name_of(*named), name_of(format));
  if (type && named_type && *named_type != *type)
    refuse("{}: the output's name says keys of type {}, but they are {} (another name is needed, or --format)", path,
           name(*named_type), name(*type));
}

files::array_file open_array(const std::string& path, file_format format, const array_options& arrays) {
  return open_array(files::input(path, files::thread_count(arrays.threads), arrays.as_it_is), path, format, arrays);
}

std::string field_of_npy(const array_options& arrays) {
  if (!arrays.type.empty())
    refuse("--type goes with raw arrays; a .npy file says its own type");
  return arrays.keys.empty() ? std::string() : arrays.keys.front();
}

key_type type_of_raw_keys(const std::string& path, const array_options& arrays) {
  if (!arrays.keys.empty())
    refuse("--key goes with structured .npy records and --record; a raw array has no fields");
  const std::optional<key_type> type = arrays.raw_type().has_value() ? arrays.raw_type() : type_by_name(path);
  if (!type)
    refuse("{}: say the type of its keys: --type u32 (u8 … u128, i8 … i128, f16, bf16, f32, f64)",
           files::display_name(path));
  return *type;
}

files::array_file open_array(files::input source, const std::string& path, file_format format,
                             const array_options& arrays) {
  return format == file_format::npy ? files::open_npy(std::move(source), field_of_npy(arrays))
                                    : files::open_raw(std::move(source), type_of_raw_keys(path, arrays));
}

bool is_ordered_as_records(std::string_view begin, std::string_view name, file_format format,
                           const array_options& arrays) {
  if (format == file_format::records)
    return true;
  if (format != file_format::npy || !arrays.type.empty() || !files::needs_records(begin, name, arrays.keys))
    return false;
  if (!arrays.bits.empty())
    refuse("--bits goes with one key of an integer or float type");
  return true;
}

namespace {

std::size_t plain_record_bytes(const array_options& arrays) {
  if (arrays.record.empty())
    refuse("--format records: say how large they are: --record N");
  if (!arrays.bits.empty())
    refuse("--bits goes with arrays (.npy and raw); records have --key OFFSET:LENGTH[:TYPE]");
  return arrays.record_bytes();
}

} // namespace

record_layout layout_of_records(std::string_view begin, std::string_view name, file_format format,
                                const array_options& arrays) {
  if (format != file_format::npy) {
    const std::size_t bytes = plain_record_bytes(arrays);
    return {0, bytes, files::order_of_ranges(bytes, arrays.keys, arrays.descending()), {}};
  }
  const files::npy_header header = files::parse_npy_header(begin, name);
  return {header.data_offset, header.record_bytes,
          files::order_of_fields(header, arrays.keys, arrays.descending(), name), header};
}

array_elements elements_along(const files::npy_header& header, const std::string& name, const array_options& arrays) {
  if (!header.structured && header.fields[0].key)
    return files::layout_of(header, field_of_npy(arrays), name);
  if (!(arrays.type + arrays.bits).empty())
    refuse("{} does not go with dates, texts and records", arrays.bits.empty() ? "--type" : "--bits");
  return files::record_elements{header.record_bytes,
                                files::order_of_fields(header, arrays.keys, arrays.descending(), name)};
}

void refuse_axis(const axis_options& along) {
  refuse("{} goes with .npy files, which say the shape of their array", along.name());
}

files::fixed_records open_fixed_records(files::input source, file_format format, const array_options& arrays) {
  const unsigned threads = files::thread_count(arrays.threads);
  if (format == file_format::npy)
    return files::open_npy_records(std::move(source), arrays.keys, arrays.descending(), threads);
  return files::open_records(std::move(source), plain_record_bytes(arrays), arrays.keys, arrays.descending(), threads);
}

void refuse_text_options(const text_options& text) {
  if (const std::string name = text.named_for_arrays(); !name.empty())
    refuse("{} goes with text; arrays are ordered with -r, --order, --bits and --key", name);
}

void refuse_array_options(const array_options& arrays) {
  const char* name = !arrays.type.empty()     ? "--type"
                     : !arrays.keys.empty()   ? "--key"
                     : !arrays.record.empty() ? "--record"
                     : !arrays.bits.empty()   ? "--bits"
                                              : nullptr;
  if (name != nullptr)
    refuse("{} goes with arrays (.npy and raw) and records of one size (--record N says how large); text is ordered "
           "with -k and --by",
           name);
}

void refuse_binary_to_terminal(const std::string& path, bool force) {
  if (!force && files::is_terminal_output(path))
    refuse("an array is no text, and the output is a terminal (allowed: -o FILE, a pipe, or --force to write it all "
           "the same)");
}

} // namespace sortile::cli
