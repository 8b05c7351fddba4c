// See array_axis.hpp. The columns of a matrix are sorted in one call; along the last axis everything is one matrix of
// rows. Elements that are no keys of the library are copied behind the number of the line that they are in, and all of
// them are sorted at once by that number first.
#include "files/array_axis.hpp"

#include "files/array_sort.hpp"
#include "files/external/run_formats.hpp"
#include "files/failure.hpp"
#include "files/parallel.hpp"
#include "files/record_sort.hpp"

#include <sortile/segments.hpp>
#include <sortile/select.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>

namespace sortile::files {

namespace {

// In which calls keys are sorted.
struct key_lines : axis_shape {
  explicit key_lines(const axis_shape& shape) : axis_shape(shape) {}

  /// Matrices that are sorted one after the other.
  std::size_t calls() const { return behind == 1 ? 1 : before; }
  std::size_t elements_of_call() const { return behind == 1 ? before * length : matrix(); }
  segments where() const { return behind == 1 ? segments::rows(before, length) : segments::columns(length, behind); }
  segmented_request request(const array_layout& layout) const {
    return {{.type = layout.key, .n = elements_of_call()}, where()};
  }

  /// Whether each line is a row of which some are wanted, so that these are selected.
  bool are_selected() const { return behind == 1 && written() < length; }
  top_k_request selection(const array_layout& layout) const {
    return {.type = layout.key, .n = length, .k = written(), .rows = before};
  }
};

// The first elements of each line, which a matrix begins with, moved to the front. Returns how many bytes these are.
std::size_t keep_written(char* matrices, const axis_shape& shape, std::size_t element_bytes) {
  const std::size_t whole = shape.matrix() * element_bytes, kept = shape.written() * shape.behind * element_bytes;
  for (std::size_t i = 1; i < shape.before && kept < whole; ++i)
    std::memmove(matrices + i * kept, matrices + i * whole, kept);
  return shape.before * kept;
}

constexpr std::size_t line_bytes = sizeof(std::uint64_t);
constexpr std::size_t line_slice_records = std::size_t{1} << 14;

// Where elements lie in the array, by line and place within it.
struct line_places {
  axis_shape shape;
  std::size_t at(std::size_t line, std::size_t i) const {
    return (line / shape.behind * shape.length + i) * shape.behind + line % shape.behind;
  }
};

} // namespace

axis_shape shape_along(const npy_header& header, long axis, std::string_view name) {
  const auto axes = static_cast<long>(header.shape.size());
  if (axes == 0)
    refuse("{}: the array has no axis, shape () (allowed: one axis and more)", name);
  const long wanted = axis < 0 ? axis + axes : axis;
  if (wanted < 0 || wanted >= axes)
    refuse("--axis {}: {} has {} {} (allowed: {} to {})", axis, name, axes, axes == 1 ? "axis" : "axes", -axes,
           axes - 1);
  axis_shape shape;
  shape.axis = static_cast<std::size_t>(wanted);
  for (long i = 0; i < axes; ++i) {
    const bool lies_before = header.fortran_order ? i > wanted : i < wanted;
    (i == wanted   ? shape.length
     : lies_before ? shape.before
                   : shape.behind) *= header.shape[static_cast<std::size_t>(i)];
  }
  return shape;
}

plan explain_along(const array_layout& layout, const axis_shape& shape, const options& opts) {
  const key_lines lines(shape);
  plan p = lines.are_selected() ? explain(lines.selection(layout), opts) : explain(lines.request(layout), opts);
  const std::uint64_t bytes = std::uint64_t{shape.before} * shape.written() * shape.behind * layout.record_bytes;
  if (lines.calls() > 1)
    p.steps.insert(p.steps.begin(), {"repeat", std::to_string(lines.calls()) + " times, for the axes before", 0, 0});
  p.steps.push_back({"write", "sorted keys to the output", bytes, bytes});
  return p;
}

std::size_t memory_along(const array_layout& layout, const axis_shape& shape, const options& opts) {
  const std::size_t keys = shape.elements() * layout.key_size();
  const key_lines lines(shape);
  return keys + (layout.swapped ? keys : 0) +
         (lines.are_selected() ? workspace_bytes(lines.selection(layout), opts)
                               : workspace_bytes(lines.request(layout), opts));
}

void sort_along(const array_layout& layout, const axis_shape& shape, std::string_view data, output& to,
                const options& opts) {
  const key_lines lines(shape);
  array_file array = array_of(layout, data);
  const unsigned threads = thread_count(opts.threads);
  const key_array keys(array, threads);
  const std::size_t bytes = lines.elements_of_call() * layout.key_size();
  array.count = shape.before * shape.written() * shape.behind;
  if (lines.are_selected()) {
    raw_array<char> first(array.count * layout.key_size());
    top_k_request request = lines.selection(layout);
    request.keys_in = keys.data();
    request.keys_out = first.data();
    run(request, opts);
    return write_keys(array, first.data(), to, threads);
  }
  raw_array<char> sorted(shape.elements() * layout.key_size());
  for (std::size_t c = 0; c < lines.calls() && sorted.size() > 0; ++c) {
    options of_call = opts;
    if (opts.progress)
      of_call.progress = [&, c](double done) {
        return opts.progress((static_cast<double>(c) + done) / static_cast<double>(lines.calls()));
      };
    segmented_request request = lines.request(layout);
    request.arrays.keys_in = static_cast<const char*>(keys.data()) + c * bytes;
    request.arrays.keys_out = sorted.data() + c * bytes;
    run(request, of_call);
  }
  keep_written(sorted.data(), shape, layout.key_size());
  write_keys(array, sorted.data(), to, threads);
}

plan explain_along(const record_elements& elements, const axis_shape& shape, const options& opts) {
  const std::size_t n = shape.elements();
  plan p = explain_record_sort(n, n * (line_bytes + elements.bytes), numbered(elements).order, opts);
  const std::uint64_t bytes = std::uint64_t{n} * elements.bytes;
  p.steps.insert(p.steps.begin(), {"lines",
                                   fmt::format("{} lines of {} elements each, copied behind their numbers",
                                               shape.before * shape.behind, shape.length),
                                   bytes, bytes + n * line_bytes});
  return p;
}

std::size_t memory_along(const record_elements& elements, const axis_shape& shape, const options& opts) {
  const std::size_t n = shape.elements();
  return n * (line_bytes + 2 * elements.bytes) + memory_of_records(numbered(elements).order, opts)(n);
}

bool in_order_along(const record_elements& elements, const axis_shape& shape, std::string_view data, unsigned threads) {
  const auto element = [&](std::size_t place) { return data.substr(place * elements.bytes, elements.bytes); };
  std::atomic<bool> in_order{true};
  parallel_slices(threads, shape.elements(), line_slice_records, [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end && in_order; ++place) {
      const bool ends_line = place / shape.behind % shape.length == shape.length - 1;
      if (!ends_line && compare(elements.order, element(place), element(place + shape.behind)) > 0)
        in_order = false;
    }
  });
  return in_order;
}

raw_array<char> number_lines(const record_elements& elements, const axis_shape& shape, std::string_view data,
                             std::size_t begin, std::size_t end, unsigned threads) {
  const line_places places{shape};
  const std::size_t bytes = line_bytes + elements.bytes;
  raw_array<char> records((end - begin) * bytes);
  parallel_slices(threads, end - begin, line_slice_records, [&](std::size_t from, std::size_t to) {
    char* record = records.data() + from * bytes;
    for (std::size_t k = begin + from; k < begin + to; ++k, record += bytes) {
      const std::size_t number = k / shape.length;
      const std::uint64_t line = __builtin_bswap64(number); // little-endian machines alone are supported
      std::memcpy(record, &line, line_bytes);
      std::memcpy(record + line_bytes, data.data() + places.at(number, k % shape.length) * elements.bytes,
                  elements.bytes);
    }
  });
  return records;
}

record_elements numbered(const record_elements& elements) {
  key_part line{.where = key_part::place::range, .as = key_part::form::bytes};
  line.binary = {.offset = 0, .bytes = line_bytes};
  record_elements result{line_bytes + elements.bytes, {line}};
  for (key_part part : elements.order) {
    part.binary.offset += line_bytes;
    result.order.push_back(part);
  }
  return result;
}

std::vector<std::size_t> index_of_element(const npy_header& header, const axis_shape& shape, std::size_t record) {
  std::size_t place = line_places{shape}.at(record / shape.length, record % shape.length);
  std::vector<std::size_t> index(header.shape.size());
  for (std::size_t i = 0; i < index.size(); ++i) { // from the axis that lies side by side
    const std::size_t axis = header.fortran_order ? i : index.size() - 1 - i;
    index[axis] = place % header.shape[axis];
    place /= header.shape[axis];
  }
  return index;
}

void sort_along(const record_elements& elements, const axis_shape& shape, std::string_view data, output& to,
                const options& opts) {
  const line_places places{shape};
  const unsigned threads = thread_count(opts.threads);
  const std::size_t element = elements.bytes;
  const std::size_t count = shape.elements();
  const raw_array<char> lines = number_lines(elements, shape, data, 0, count, threads);
  const record_elements of_lines = numbered(elements);
  const record_table records = split_evenly({lines.data(), lines.size()}, of_lines.bytes, threads);
  const raw_array<std::uint32_t> ids = sort_records(records, of_lines.order, opts);
  raw_array<char> sorted(count * element);
  parallel_slices(threads, count, line_slice_records, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      std::memcpy(sorted.data() + places.at(k / shape.length, k % shape.length) * element,
                  lines.data() + ids[k] * of_lines.bytes + line_bytes, element);
  });
  to.write({sorted.data(), keep_written(sorted.data(), shape, element)});
}

} // namespace sortile::files
