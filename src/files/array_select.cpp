// See array_select.hpp. The records are chosen by the positions of their keys, and fetched in blocks.
#include "files/array_select.hpp"

#include "files/array_sort.hpp"
#include "files/failure.hpp"
#include "files/npy.hpp"
#include "files/parallel.hpp"
#include "files/record_blocks.hpp"
#include "primitives/quantile_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace sortile::files {

namespace {

top_k_request request_of(const array_file& array, std::size_t k) {
  return {.type = array.layout.key,
          .n = array.count,
          .k = std::min(k, array.count),
          .carries = payload::indices,
          .value_bytes = 8};
}

top_k_request request_of(const array_file& keys, const values_file& values, std::size_t k) {
  need_values_of(keys, values);
  return {.type = keys.layout.key,
          .n = keys.count,
          .k = std::min(k, keys.count),
          .carries = payload::values,
          .value_bytes = values.element_bytes};
}

// Lines of keys whose quantiles are wanted, as many as there are for each of `calls`: rows at once, or the columns of
// one matrix after the other.
struct quantile_lines {
  key_type type;
  std::size_t length, rows = 1, columns = 1, calls = 1;

  static quantile_lines of(const array_layout& layout, const axis_shape& shape) {
    if (shape.behind == 1)
      return {.type = layout.key, .length = shape.length, .rows = shape.before};
    return {.type = layout.key, .length = shape.length, .columns = shape.behind, .calls = shape.before};
  }

  std::size_t lines() const { return rows * columns; } // of a call
  std::size_t keys() const { return lines() * length; }
  bool are_columns() const { return columns != 1; }

  // A request of rows, or of the columns of a matrix.
  template <class Request, class Do>
  auto with(Request request, Do&& act) const {
    request.type = type;
    request.n = are_columns() ? keys() : length;
    request.rows = rows;
    return are_columns() ? act(segmented<Request>{request, segments::columns(length, columns)}) : act(request);
  }
};

// Of integers that a double does not hold. Where both neighbours are one key, the quantile is that key; else it is what
// the library computes of two.
template <class T>
void add_quantiles_of_integers(const quantile_lines& of, const void* keys, const std::vector<double>& probabilities,
                               const options& opts, std::vector<std::string>& texts) {
  std::vector<quantile_place> places;
  std::vector<std::size_t> ranks;
  for (const double p : probabilities) {
    const quantile_place& at = places.emplace_back(p, of.length, quantile_method::linear);
    ranks.insert(ranks.end(), {at.low, at.high});
  }
  std::vector<T> found(of.lines() * ranks.size());
  of.with(ranks_request{.keys = keys, .ranks = ranks, .keys_out = found.data()},
          [&](const auto& request) { run(request, opts); });
  for (std::size_t i = 0; i < found.size(); i += 2) {
    const T low = found[i], high = found[i + 1];
    texts.push_back(low == high ? fmt::format("{}", low)
                                : fmt::format("{}", between(static_cast<double>(low), static_cast<double>(high),
                                                            places[i / 2 % places.size()].fraction)));
  }
}

void add_quantiles(const quantile_lines& of, const void* keys, const std::vector<double>& probabilities,
                   const options& opts, std::vector<std::string>& texts) {
  switch (of.type) {
  case key_type::u64:
    return add_quantiles_of_integers<std::uint64_t>(of, keys, probabilities, opts, texts);
  case key_type::i64:
    return add_quantiles_of_integers<std::int64_t>(of, keys, probabilities, opts, texts);
  case key_type::u128:
    return add_quantiles_of_integers<uint128>(of, keys, probabilities, opts, texts);
  case key_type::i128:
    return add_quantiles_of_integers<int128>(of, keys, probabilities, opts, texts);
  default:
    break;
  }
  std::vector<double> results(of.lines() * probabilities.size());
  of.with(quantiles_request{.keys = keys, .probabilities = probabilities, .results = results.data()},
          [&](const auto& request) { run(request, opts); });
  for (const double each : results)
    texts.push_back(fmt::format("{}", each));
}

plan explain_quantiles(const quantile_lines& of, const std::vector<double>& probabilities, const options& opts) {
  plan p = of.with(quantiles_request{.probabilities = probabilities},
                   [&](const auto& request) { return explain(request, opts); });
  if (of.calls > 1)
    p.steps.insert(p.steps.begin(), {"repeat", std::to_string(of.calls) + " times, for the axes before", 0, 0});
  return p;
}

} // namespace

plan explain_array_top(const array_file& array, std::size_t k, const options& opts) {
  const top_k_request request = request_of(array, k);
  plan p = explain(request, opts);
  const std::uint64_t bytes = std::uint64_t{request.k} * array.layout.record_bytes;
  p.steps.push_back({"fetch", "records by position, to the output", bytes, bytes});
  return p;
}

void write_array_top(const array_file& array, std::size_t k, output& to, const options& opts) {
  const unsigned threads = thread_count(opts.threads);
  top_k_request request = request_of(array, k);
  raw_array<char> positions(request.k * sizeof(std::uint64_t));
  {
    const key_array keys(array, threads);
    request.keys_in = keys.data();
    request.values_out = positions.data();
    run(request, opts);
  }
  if (!array.header.empty())
    to.write(make_npy_header(array.descr, request.k));
  const std::size_t record = array.layout.record_bytes;
  write_fixed_records(to, threads, request.k, record, [&](std::size_t begin, std::size_t end, char* bytes) {
    for (std::size_t i = begin; i < end; ++i, bytes += record) {
      std::uint64_t position = 0;
      std::memcpy(&position, positions.data() + i * sizeof position, sizeof position);
      std::memcpy(bytes, array.data.data() + position * record, record);
    }
  });
}

plan explain_array_top(const array_file& keys, const values_file& values, std::size_t k, const options& opts) {
  const top_k_request request = request_of(keys, values, k);
  plan p = explain(request, opts);
  const std::uint64_t bytes = std::uint64_t{request.k} * (keys.layout.key_size() + values.element_bytes);
  p.steps.push_back({"write", "these keys and values to their outputs", bytes, bytes});
  return p;
}

void write_array_top(const array_file& keys, const values_file& values, std::size_t k, output& keys_to,
                     output& values_to, const options& opts) {
  top_k_request request = request_of(keys, values, k);
  const unsigned threads = thread_count(opts.threads);
  const key_array all(keys, threads);
  raw_array<char> first(request.k * keys.layout.key_size());
  raw_array<char> moved(request.k * values.element_bytes);
  request.keys_in = all.data();
  request.keys_out = first.data();
  request.values_in = values.data.data();
  request.values_out = moved.data();
  run(request, opts);
  array_file written = array_of(keys.layout, {});
  written.count = request.k;
  if (!keys.header.empty())
    keys_to.write(make_npy_header(keys.descr, request.k));
  write_keys(written, first.data(), keys_to, threads);
  if (!values.header.empty())
    values_to.write(make_npy_header(parse_npy_header(values.header, values.source.name()).descr, request.k));
  write_plain(values_to, threads, moved.data(), moved.size());
}

std::vector<std::string> array_quantiles(const array_file& array, const std::vector<double>& probabilities,
                                         const options& opts) {
  if (array.count == 0)
    fail(array.name(), "holds no keys, which have no quantiles");
  const key_array keys(array, thread_count(opts.threads));
  std::vector<std::string> texts;
  add_quantiles({.type = array.layout.key, .length = array.count}, keys.data(), probabilities, opts, texts);
  return texts;
}

plan explain_array_quantiles(const array_file& array, const std::vector<double>& probabilities, const options& opts) {
  return explain_quantiles({.type = array.layout.key, .length = array.count}, probabilities, opts);
}

std::vector<std::string> quantiles_along(const array_layout& layout, const axis_shape& shape, std::string_view data,
                                         const std::vector<double>& probabilities, const options& opts) {
  const quantile_lines lines = quantile_lines::of(layout, shape);
  std::vector<std::string> texts;
  const array_file array = array_of(layout, data);
  const key_array keys(array, thread_count(opts.threads));
  for (std::size_t call = 0; call < lines.calls; ++call)
    add_quantiles(lines, static_cast<const char*>(keys.data()) + call * lines.keys() * layout.key_size(), probabilities,
                  opts, texts);
  return texts;
}

plan explain_quantiles_along(const array_layout& layout, const axis_shape& shape,
                             const std::vector<double>& probabilities, const options& opts) {
  return explain_quantiles(quantile_lines::of(layout, shape), probabilities, opts);
}

std::size_t memory_of_quantiles(const array_layout& layout, const axis_shape& shape) {
  const std::size_t keys = shape.elements() * layout.key_size(), columns = shape.matrix() * layout.key_size();
  return (layout.swapped ? keys : 0) + (shape.behind == 1 ? keys : columns);
}

} // namespace sortile::files
