// See run_formats.hpp.
#include "files/external/run_formats.hpp"

#include "files/array_select.hpp"
#include "files/array_sort.hpp"
#include "files/fixed_records.hpp"
#include "files/parallel.hpp"
#include "files/planning.hpp"
#include "files/record_sort.hpp"
#include "files/record_write.hpp"
#include "files/text_views.hpp"

#include <utility>

namespace sortile::files {

namespace {

// The phases of an external sort tell of its progress; those of a single piece do not.
options without_progress(options opts) {
  opts.progress = {};
  return opts;
}

void sort_piece(const record_table& records, const merge_rules& rules, const options& opts, output& to) {
  const unsigned threads = thread_count(opts.threads);
  const raw_array<std::uint32_t> sorted = sort_records(records, rules.order, opts, rules.unique, rules.most);
  write_records(records, {sorted.data(), sorted.size()}, to, threads);
}

// Of the words of n records and of the engine that sorts them.
std::size_t engine_memory(sort_request request, std::size_t n, const options& opts) {
  request.n = n;
  return explain_request(request, opts).workspace_bytes;
}

} // namespace

run_format record_runs(const record_shape& shape, const record_order& order, bool unique, std::size_t most,
                       const options& opts, record_cutter cut) {
  run_format format{.shape = shape, .sort = {}, .rules = {}};
  format.rules.order = order;
  format.rules.delimiter = shape.delimiter;
  format.rules.unique = unique;
  format.rules.most = most;
  format.rules.trusted = true;
  if (!cut)
    cut = [shape, threads = thread_count(opts.threads)](std::string_view text) {
      return shape.record_bytes == 0 ? split_lines(text, shape.delimiter, threads)
                                     : split_evenly(text, shape.record_bytes, threads);
    };
  format.sort = [cut = std::move(cut), rules = format.rules, plain = without_progress(opts)](
                    std::string_view text, output& to) { sort_piece(cut(text), rules, plain, to); };
  return format;
}

run_format array_runs(const array_layout& layout, bool unique, std::size_t most, const options& opts) {
  run_format format{.shape = {.record_bytes = layout.record_bytes}, .sort = {}, .rules = {}};
  format.rules.order = order_of_keys(layout, opts);
  format.rules.trusted = true;
  format.rules.unique = unique;
  format.rules.most = most;
  format.sort = [layout, few = !unique && most != SIZE_MAX, most, plain = without_progress(opts)](std::string_view data,
                                                                                                  output& to) {
    const array_file piece = array_of(layout, data);
    if (few)
      write_array_top(piece, most, to, plain);
    else
      sort_array(piece, to, plain);
  };
  return format;
}

// Where each record begins, its number, the first word of its key; then what tells equal words apart, or, where its
// text is sorted as a string, where that lies and whether it repeats another one.
std::function<std::size_t(std::size_t)> memory_of_records(const record_order& order, const options& opts) {
  const std::size_t view = begins_with_one_text(order) ? sizeof(std::string_view) + 1 : 0;
  return [view, plain = without_progress(opts)](std::size_t n) {
    options words = plain;
    words.order = order::ascending;
    words.bits = {};
    const std::size_t engine =
        engine_memory({.type = key_type::u64, .carries = payload::indices, .value_bytes = 4}, n, words);
    constexpr std::size_t start = 8;
    constexpr std::size_t number = 4;
    constexpr std::size_t word = 8;
    return (start + number + 2 * word + view) * n + engine;
  };
}

std::function<std::size_t(std::size_t)> memory_of_arrays(const array_layout& layout, const options& opts) {
  return [layout, plain = without_progress(opts)](std::size_t n) { return array_sort_memory(layout, n, plain); };
}

} // namespace sortile::files
