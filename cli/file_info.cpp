// See file_info.hpp.
#include "file_info.hpp"

#include "columnar.hpp"
#include "command_line.hpp"
#include "file_format.hpp"

#include "files/failure.hpp"
#include "files/file_preview.hpp"
#include "files/message_text.hpp"
#include "files/parallel.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace sortile::cli {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* word_of(file_format format) {
  switch (format) {
  case file_format::csv:
    return "csv";
  case file_format::tsv:
    return "tsv";
  case file_format::npy:
    return "npy";
  case file_format::raw:
    return "raw";
  case file_format::records:
    return "records";
  case file_format::parquet:
    return "parquet";
  case file_format::arrow:
    return "arrow";
  case file_format::arrows:
    return "arrows";
  default:
    return "lines";
  }
}

files::file_preview preview_of(const file_info_job& job, const std::string& path, files::input source,
                               file_format format, unsigned threads) {
  switch (format) {
  case file_format::npy:
    return files::preview_npy(std::move(source), threads);
  case file_format::raw:
    return files::preview_raw(open_array(std::move(source), path, format, job.arrays), threads);
  case file_format::records:
    return files::preview_records(open_fixed_records(std::move(source), format, job.arrays), threads);
  case file_format::csv:
  case file_format::tsv: {
    files::csv_table table =
        files::open_csv(std::move(source), job.text.table_options(format == file_format::tsv), threads);
    return files::preview_table(table, threads);
  }
  default:
    return files::preview_lines(files::split_lines(source.bytes(), job.text.delimiter(), threads), threads);
  }
}

std::string details_of(const files::column_preview& column) {
  std::string details = column.type;
  if (column.empty != 0)
    details += fmt::format(", {} empty", column.empty);
  if (!column.order.empty())
    details += ", " + column.order;
  return details;
}

// A file and what is told of it.
struct seen_file {
  std::string name;
  file_format format = file_format::lines;
  files::packing packed = files::packing::none;
  std::uint64_t bytes = 0; ///< unpacked
  files::file_preview preview{};
};

seen_file look_at(const file_info_job& job, const std::string& path, unsigned threads) {
  files::input_stream stream(path, job.arrays.as_it_is, threads);
  seen_file file{.name = stream.name()};
  file.format = format_of(path, stream.peek(first_bytes_wanted), job.format, job.arrays, job.text);
  file.packed = stream.packed();
  if (is_columnar(file.format)) {
    files::columnar_input input(path, std::move(stream), columnar_format_of(file.format));
    file.bytes = input.bytes();
    file.preview = preview_of_columnar(std::move(input), threads);
    return file;
  }
  files::input source(std::move(stream));
  file.bytes = source.bytes().size();
  file.preview = preview_of(job, path, std::move(source), file.format, threads);
  return file;
}

void print(const seen_file& file) {
  const files::file_preview& preview = file.preview;
  fmt::print("{}\n", files::escaped(file.name));
  fmt::print("format      {}{}\n", word_of(file.format),
             file.packed == files::packing::gzip   ? ", packed by gzip"
             : file.packed == files::packing::zstd ? ", packed by zstd"
                                                   : "");
  fmt::print("size        {} bytes, {} {}{}\n", file.bytes, preview.records, preview.record,
             preview.records == 1 ? "" : "s");
  for (const auto& [fact, value] : preview.facts)
    fmt::print("{:<11} {}\n", fact, files::escaped(value));
  std::size_t width = 0;
  for (const files::column_preview& column : preview.columns)
    width = std::max(width, files::escaped(column.name).size());
  for (const files::column_preview& column : preview.columns)
    fmt::print("  {:<{}}{}{}\n", files::escaped(column.name), width, width == 0 ? "" : "  ",
               files::escaped(details_of(column)));
  for (const std::string& options : preview.sorted_by)
    fmt::print("in order by sortile sort{}{}\n", options.empty() ? "" : " ", options);
  if (preview.sorted_by.empty())
    fmt::print("in order by nothing that was tried\n");
}

json as_json(const seen_file& file) {
  const files::file_preview& preview = file.preview;
  json columns = json::array();
  for (const files::column_preview& column : preview.columns)
    columns.push_back({{"name", column.name}, {"type", column.type}, {"empty", column.empty}, {"order", column.order}});
  json facts = json::object();
  for (const auto& [fact, value] : preview.facts)
    facts[fact] = value;
  return {{"file", file.name},        {"format", word_of(file.format)}, {"bytes", file.bytes},
          {"record", preview.record}, {"records", preview.records},     {"facts", facts},
          {"columns", columns},       {"sorted_by", preview.sorted_by}};
}

} // namespace

int show_file_info(const file_info_job& job) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  json all = json::array();
  for (const std::string& path : job.inputs) {
    const seen_file file = look_at(job, path, threads);
    if (job.as_json)
      all.push_back(as_json(file));
    else
      print(file);
  }
  constexpr int indentation = 2;
  if (job.as_json)
    fmt::print("{}\n", all.dump(indentation, ' ', false, json::error_handler_t::replace));
  return all_well;
}

} // namespace sortile::cli
