// See columnar.hpp.
#include "columnar.hpp"

#include "command_line.hpp"
#include "sort_job.hpp"
#include "text_commands.hpp"

#include "files/failure.hpp"
#include "files/message_text.hpp"
#include "files/parallel.hpp"
#include "files/record_sort.hpp"

#include <algorithm>
#include <utility>

namespace sortile::cli {

using files::refuse;

namespace {

// Options of text that have no meaning for typed columns.
void refuse_options_of_text(const text_options& text, const std::string& name) {
  const std::string option = text.wants_lines()       ? text.named_for_arrays()
                             : text.separator_text    ? "-t"
                             : text.no_quotes         ? "--no-quotes"
                             : text.no_header         ? "--no-header"
                             : !text.comment.empty()  ? "--comment"
                             : !text.bad_rows.empty() ? "--bad-rows"
                                                      : "";
  if (!option.empty())
    refuse("{}: {} goes with text; Parquet and Arrow files are ordered with --by, -r and --nulls", name, option);
}

std::vector<std::string> names_of(const std::vector<files::column_key>& keys) {
  std::vector<std::string> names;
  for (const files::column_key& key : keys)
    names.push_back(key.name);
  return names;
}

std::vector<files::column_key> keys_of(const text_options& text, const std::string& name) {
  refuse_options_of_text(text, name);
  if (text.by.empty())
    refuse("{}: say by which columns the rows are to be ordered: --by NAME[:desc],… (sortile info FILE lists them)",
           name);
  return files::parse_column_keys(text.by);
}

// What a key says of its column's cells has to be so: they have their types.
void need_form(const files::column_key& key, const files::columnar_column& column, bool is_text,
               const std::string& name) {
  using form = files::column_key::form;
  constexpr std::pair<form, const char*> words[] = {{form::text, "text"},       {form::number, "num"},
                                                    {form::time, "time"},       {form::version, "version"},
                                                    {form::semantic, "semver"}, {form::natural, "natural"}};
  const bool of_text = key.as != form::number && key.as != form::time;
  for (const auto& [as, word] : words)
    if (key.as == as && is_text != of_text)
      refuse("{}: its column '{}' is of type {}: :{} goes with {}", name, key.name, column.type, word,
             of_text ? "text" : "columns of numbers and times");
}

std::vector<files::columnar_key> order_of(const files::columnar_table& table,
                                          const std::vector<files::column_key>& keys, const text_options& text,
                                          bool reverse) {
  std::vector<files::columnar_key> order;
  const auto of_locale = text.collation();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const files::column_cells& cells = table.keys()[i];
    need_form(keys[i], table.columns()[cells.column], !cells.type, table.name());
    files::columnar_key key{.cells = cells};
    key.part.as = files::form_named(keys[i].as);
    key.part.reverse = keys[i].descending.value_or(reverse);
    collate(key.part, of_locale);
    key.nulls_first = keys[i].empty_first.value_or(text.nulls.empty() ? !key.part.reverse : text.nulls == "first");
    order.push_back(std::move(key));
  }
  return order;
}

std::vector<files::written_order> written_order_of(const std::vector<files::columnar_key>& order) {
  std::vector<files::written_order> written;
  for (const files::columnar_key& key : order) {
    if (!key.cells.type && key.part.as != files::key_part::form::text)
      break; // readers would take it for the order of the bytes
    written.push_back({key.cells.column, key.part.reverse, key.nulls_first});
  }
  return written;
}

std::vector<files::columnar_input> open_all(const std::vector<std::string>& paths, files::input_stream&& first,
                                            bool as_it_is, file_format format) {
  std::vector<files::columnar_input> inputs;
  inputs.emplace_back(paths[0], std::move(first), columnar_format_of(format));
  for (std::size_t i = 1; i < paths.size(); ++i)
    inputs.emplace_back(paths[i], files::input_stream(paths[i], as_it_is), columnar_format_of(format));
  return inputs;
}

files::columnar_format output_format(const std::string& output, file_format format) {
  const std::optional<file_format> named = format_by_name(output);
  if (files::without_packing(output).ends_with(".feather"))
    return files::columnar_format::feather;
  return columnar_format_of(named && is_columnar(*named) ? *named : format);
}

int show_types(std::vector<files::columnar_input> inputs, unsigned threads) {
  const files::columnar_table table(std::move(inputs), std::vector<std::string>(), {.threads = threads});
  for (const files::columnar_column& column : table.columns())
    fmt::print("{}\t{}\n", files::escaped(column.name), column.type);
  return all_well;
}

files::columnar_limits limits_of(const memory_options& memory, unsigned threads) {
  return {.threads = threads,
          .memory = memory.limit(),
          .memory_is_named = !memory.buffer_size.empty(),
          .folders = memory.store().folders()};
}

// The rows that are written, and with --count how many each of them stands for.
struct chosen_rows {
  files::raw_array<std::uint32_t> ids;
  files::raw_array<std::uint64_t> counts;
};

chosen_rows choose(const sort_job& job, const columnar_rows& rows, const options& opts) {
  chosen_rows chosen{rows.sorted(opts, job.text.unique && !job.count, job.count ? SIZE_MAX : job.most()), {}};
  if (job.count) {
    chosen.counts = files::raw_array<std::uint64_t>(chosen.ids.size());
    chosen.ids.keep_first(
        files::keep_first_of_equals(rows.records(), rows.order(), {chosen.ids.data(), chosen.ids.size()},
                                    files::thread_count(opts.threads), {chosen.counts.data(), chosen.counts.size()}));
  }
  chosen.ids.keep_first(job.most());
  chosen.counts.keep_first(chosen.ids.size());
  return chosen;
}

} // namespace

columnar_rows::columnar_rows(std::vector<files::columnar_input> inputs, const text_options& text, bool reverse,
                             const files::columnar_limits& limits, bool written)
    : table_([&] {
        const std::vector<std::string> names = names_of(keys_of(text, inputs.front().name));
        return files::columnar_table(std::move(inputs), names, limits, written);
      }()),
      by_(order_of(table_, files::parse_column_keys(text.by), text, reverse)), written_(written_order_of(by_)),
      threads_(limits.threads), order_(files::order_of_columnar_keys(table_.rows(), by_)) {}

const files::record_table& columnar_rows::records() const {
  if (!keys_)
    keys_ = files::make_columnar_keys(table_.rows(), by_, threads_);
  return keys_->records;
}

files::raw_array<std::uint32_t> columnar_rows::sorted(const options& given, bool distinct, std::size_t most) const {
  if (distinct || files::bytes_of_columnar_key(by_).value_or(SIZE_MAX) > sizeof(std::uint64_t))
    return files::sort_records(records(), order_, given, distinct, most);
  files::raw_array<std::uint32_t> ids = files::sort_columnar_words(table_.rows(), by_, given);
  ids.keep_first(most);
  return ids;
}

plan columnar_rows::explain(const options& opts) const {
  const std::size_t n = table_.rows();
  const std::optional<std::size_t> bytes = files::bytes_of_columnar_key(by_);
  return files::explain_record_sort(n, bytes ? n * *bytes : records().text.size(), order_, opts);
}

int sort_columnar(const sort_job& job, first_input first, file_format format, const talk& voice) {
  refuse_array_options(job.arrays);
  const unsigned threads = files::thread_count(job.arrays.threads);
  if (!job.values_output.empty())
    refuse("--values-output goes with arrays; of tables, counts are their last column");
  progress_bar bar(voice);
  bar.phase("read");
  std::vector<files::columnar_input> inputs = open_all(job.inputs, std::move(*first), job.arrays.as_it_is, format);
  if (job.types)
    return show_types(std::move(inputs), threads);
  columnar_rows rows(std::move(inputs), job.text, job.arrays.descending(), limits_of(job.memory, threads), true);
  options opts = job.arrays.for_library();
  const std::size_t n = rows.table().rows();
  const plan how = rows.explain(opts);
  if (job.explain)
    return explained(job.of_the_first(how));
  refuse_binary_to_terminal(job.output, job.force);
  files::output to(job.output, job.how_to_write(job.output));
  bar.phase("sort");
  opts.progress = bar.callback();
  const chosen_rows chosen = choose(job, rows, opts);
  rows.forget_keys();
  bar.phase("write");
  std::optional<std::span<const std::uint64_t>> counts;
  if (job.count)
    counts.emplace(chosen.counts.data(), chosen.counts.size());
  rows.table().write({chosen.ids.data(), chosen.ids.size()}, counts, output_format(job.output, format), rows.written(),
                     to);
  to.commit();
  bar.phase({});
  say_done(voice, n, "rows", bar, how);
  return all_well;
}

namespace {

void need_sorted_parts(const columnar_rows& rows, const files::columnar_table& table, unsigned threads) {
  std::size_t begin = 0;
  for (std::size_t part = 0; part < table.parts().size(); ++part) {
    const std::size_t end = begin + table.parts()[part];
    if (const auto at = files::first_disorder(rows.records(), rows.order(), false, threads, begin, end))
      files::fail(table.name_of_part(part), "row {} is out of order (merge takes sorted inputs: sort this one first)",
                  *at - begin + 1);
    begin = end;
  }
}

} // namespace

std::uint64_t merge_columnar(const merge_job& job, file_format format) {
  refuse_array_options(job.arrays);
  refuse_binary_to_terminal(job.output, job.force);
  need_output_name(job.output, format, {}, job.format);
  const unsigned threads = files::thread_count(job.arrays.threads);
  columnar_rows rows(
      open_all(job.inputs, files::input_stream(job.inputs[0], job.arrays.as_it_is), job.arrays.as_it_is, format),
      job.text, job.arrays.descending(), limits_of(job.memory, threads), true);
  if (!job.trusted)
    need_sorted_parts(rows, rows.table(), threads);
  files::output to(job.output, job.how_to_write(job.output));
  const files::raw_array<std::uint32_t> ids = rows.sorted(job.arrays.for_library(), job.text.unique, SIZE_MAX);
  rows.forget_keys();
  rows.table().write({ids.data(), ids.size()}, std::nullopt, output_format(job.output, format), rows.written(), to);
  to.commit();
  return ids.size();
}

columnar_sum sum_of_columnar(files::columnar_input input, unsigned threads) {
  std::vector<files::columnar_input> inputs;
  inputs.push_back(std::move(input));
  const files::columnar_table table(std::move(inputs), std::nullopt, {.threads = threads});
  std::vector<bool> compared(table.columns().size());
  std::vector<files::columnar_key> all;
  for (const files::column_cells& cells : table.keys()) {
    compared[cells.column] = true;
    all.push_back({.cells = cells, .nulls_first = true});
  }
  for (std::size_t i = 0; i < compared.size(); ++i)
    if (!compared[i])
      files::fail(table.name(), "its column '{}' is of type {}, which --permutation-of does not compare",
                  table.columns()[i].name, table.columns()[i].type);
  const files::normalized_keys keys = files::make_columnar_keys(table.rows(), all, threads);
  return {table.name(), table.columns(), files::sum_of_records(keys.records, threads)};
}

files::file_preview preview_of_columnar(files::columnar_input input, unsigned threads) {
  std::vector<files::columnar_input> inputs;
  inputs.push_back(std::move(input));
  const files::columnar_table table(std::move(inputs), std::nullopt, {.threads = threads});
  files::file_preview preview{.record = "row", .records = table.rows(), .facts = table.facts()};
  for (const files::columnar_column& column : table.columns())
    preview.columns.push_back({column.name, column.type, column.nulls, ""});
  std::vector<std::size_t> with_order; // columns
  std::vector<const files::column_cells*> cells_of(table.columns().size());
  for (const files::column_cells& cells : table.keys()) {
    cells_of[cells.column] = &cells;
    if (table.rows() > 0)
      with_order.push_back(cells.column);
  }
  files::find_orders(preview, with_order, [&](const std::vector<files::ordered_column>& columns, bool strict) {
    std::vector<files::columnar_key> by;
    for (const files::ordered_column& each : columns)
      by.push_back(
          {.cells = *cells_of[each.column], .part = {.reverse = each.descending}, .nulls_first = !each.descending});
    const files::normalized_keys keys = files::make_columnar_keys(table.rows(), by, threads);
    return !files::first_disorder(keys.records, files::order_of_columnar_keys(table.rows(), by), strict, threads);
  });
  return preview;
}

} // namespace sortile::cli
