// See file_format.hpp.
#include "file_format.hpp"

#include "files/failure.hpp"
#include "files/file_descriptor.hpp"
#include "files/output.hpp"

#include <array>
#include <filesystem>
#include <map>

namespace sortile::cli {

using files::refuse;

namespace {

const std::map<std::string, file_format> formats{{"lines", file_format::lines},
                                                 {"csv", file_format::csv},
                                                 {"tsv", file_format::tsv},
                                                 {"npy", file_format::npy},
                                                 {"raw", file_format::raw}};

std::string extension_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension.empty() ? extension : extension.substr(1);
}

// Only of regular files: the first bytes of a pipe could not be put back.
bool begins_like_npy(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error))
    return false;
  const files::file_descriptor file = files::open_input(path);
  std::array<char, 6> first{};
  const std::size_t got = files::read_fully(file.get(), first.data(), first.size(), path);
  return files::looks_like_npy({first.data(), got});
}

} // namespace

void add_format_option(CLI::App& command, std::string& format) {
  command
      .add_option("--format", format,
                  "lines, csv, tsv, npy or raw (default: by the file's name, else its first bytes, else lines)")
      ->option_text("FORMAT")
      ->check(CLI::IsMember({"lines", "csv", "tsv", "npy", "raw"}));
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
  if (extension == "txt" || extension == "lines")
    return file_format::lines;
  return std::nullopt;
}

file_format format_of(const std::string& path, const std::string& said, const array_options& arrays,
                      const text_options& text) {
  if (!said.empty())
    return formats.at(said);
  if (!arrays.type.empty())
    return file_format::raw;
  const std::optional<file_format> by_name = format_by_name(path);
  if (text.wants_table())
    return by_name == file_format::tsv ? file_format::tsv : file_format::csv;
  if (text.wants_lines())
    return file_format::lines;
  if (by_name)
    return *by_name;
  return begins_like_npy(path) ? file_format::npy : file_format::lines;
}

files::array_file open_array(const std::string& path, file_format format, const array_options& arrays) {
  if (format == file_format::npy) {
    if (!arrays.type.empty())
      refuse("--type goes with raw arrays; a .npy file says its own type");
    return files::open_npy(path, arrays.key_field);
  }
  if (!arrays.key_field.empty())
    refuse("--key goes with structured .npy records; a raw array has no fields");
  const std::optional<key_type> type = arrays.raw_type().has_value() ? arrays.raw_type() : type_by_name(path);
  if (!type)
    refuse("{}: say the type of its keys: --type u32 (u8 … u128, i8 … i128, f16, bf16, f32, f64)",
           files::display_name(path));
  return files::open_raw(path, *type);
}

void refuse_text_options(const text_options& text) {
  if (const std::string name = text.named_for_arrays(); !name.empty())
    refuse("{} goes with text; arrays are ordered with -r, --order, --bits and --key", name);
}

void refuse_array_options(const array_options& arrays) {
  const char* name = !arrays.type.empty()        ? "--type"
                     : !arrays.key_field.empty() ? "--key"
                     : !arrays.bits.empty()      ? "--bits"
                                                 : nullptr;
  if (name != nullptr)
    refuse("{} goes with arrays (.npy and raw); text is ordered with -k and --by", name);
}

void refuse_binary_to_terminal(const std::string& path, bool force) {
  if (!force && files::is_terminal_output(path))
    refuse("an array is no text, and the output is a terminal (allowed: -o FILE, a pipe, or --force to write it all "
           "the same)");
}

} // namespace sortile::cli
