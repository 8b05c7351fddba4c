// See file_info.hpp.
#include "file_info.hpp"

#include "command_line.hpp"
#include "file_format.hpp"

#include "files/failure.hpp"
#include "files/file_preview.hpp"
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

void print(const std::string& name, file_format format, std::size_t bytes, files::packing packed,
           const files::file_preview& preview) {
  fmt::print("{}\n", name);
  fmt::print("format      {}{}\n", word_of(format),
             packed == files::packing::gzip   ? ", packed by gzip"
             : packed == files::packing::zstd ? ", packed by zstd"
                                              : "");
  fmt::print("size        {} bytes, {} {}{}\n", bytes, preview.records, preview.record,
             preview.records == 1 ? "" : "s");
  for (const auto& [fact, value] : preview.facts)
    fmt::print("{:<11} {}\n", fact, value);
  std::size_t width = 0;
  for (const files::column_preview& column : preview.columns)
    width = std::max(width, column.name.size());
  for (const files::column_preview& column : preview.columns)
    fmt::print("  {:<{}}{}{}\n", column.name, width, width == 0 ? "" : "  ", details_of(column));
  for (const std::string& options : preview.sorted_by)
    fmt::print("in order by sortile sort{}{}\n", options.empty() ? "" : " ", options);
  if (preview.sorted_by.empty())
    fmt::print("in order by nothing that was tried\n");
}

json as_json(const std::string& name, file_format format, std::size_t bytes, const files::file_preview& preview) {
  json columns = json::array();
  for (const files::column_preview& column : preview.columns)
    columns.push_back({{"name", column.name}, {"type", column.type}, {"empty", column.empty}, {"order", column.order}});
  json facts = json::object();
  for (const auto& [fact, value] : preview.facts)
    facts[fact] = value;
  return {{"file", name},
          {"format", word_of(format)},
          {"bytes", bytes},
          {"record", preview.record},
          {"records", preview.records},
          {"facts", facts},
          {"columns", columns},
          {"sorted_by", preview.sorted_by}};
}

} // namespace

int show_file_info(const file_info_job& job) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  json all = json::array();
  for (const std::string& path : job.inputs) {
    files::input source(path, threads, job.arrays.as_it_is);
    const std::string name = source.name();
    const std::size_t bytes = source.bytes().size();
    const files::packing packed = source.packed();
    const file_format format = format_of(path, source.bytes(), job.format, job.arrays, job.text);
    const files::file_preview preview = preview_of(job, path, std::move(source), format, threads);
    if (job.as_json)
      all.push_back(as_json(name, format, bytes, preview));
    else
      print(name, format, bytes, packed, preview);
  }
  constexpr int indentation = 2;
  if (job.as_json)
    fmt::print("{}\n", all.dump(indentation, ' ', false, json::error_handler_t::replace));
  return all_well;
}

} // namespace sortile::cli
