// See array_axis.hpp. An array in C order is, for each choice of the axes before, a matrix of the axis by all axes
// behind it: its columns are sorted, in one call for each such matrix; along the last axis everything is one matrix of
// rows. Elements that are no keys of the library are copied behind the number of the line that they are in, and all of
// them are sorted at once by that number first.
#include "files/array_axis.hpp"

#include "files/array_sort.hpp"
#include "files/failure.hpp"
#include "files/memory.hpp"
#include "files/parallel.hpp"
#include "files/record_sort.hpp"

#include <sortile/segments.hpp>

#include <cstdint>
#include <cstring>

namespace sortile::files {

namespace {

// The shape of an array of keys, and in which calls it is sorted.
struct key_lines : axis_shape {
  key_lines(const array_file& array, long axis) : axis_shape(array.shape, array.axes_reversed, axis, array.name()) {
    if (!array.layout.keys_alone())
      refuse("--axis: {} holds records; plain keys are sorted along an axis", array.name());
  }

  /// Matrices that are sorted one after the other.
  std::size_t calls() const { return behind == 1 ? 1 : before; }
  std::size_t elements() const { return behind == 1 ? before * length : length * behind; }
  segments where() const { return behind == 1 ? segments::rows(before, length) : segments::columns(length, behind); }
};

constexpr std::size_t line_bytes = sizeof(std::uint64_t);

// The order of elements behind the numbers of their lines.
record_order order_within_lines(const record_order& order) {
  key_part line{.where = key_part::place::range, .as = key_part::form::bytes};
  line.binary = {.offset = 0, .bytes = line_bytes};
  record_order all{line};
  for (key_part part : order) {
    part.binary.offset += line_bytes;
    all.push_back(part);
  }
  return all;
}

// Where elements lie in the array, by line and place within it.
struct line_places {
  axis_shape shape;
  std::size_t lines() const { return shape.before * shape.behind; }
  std::size_t at(std::size_t line, std::size_t i) const {
    return (line / shape.behind * shape.length + i) * shape.behind + line % shape.behind;
  }
};

} // namespace

axis_shape::axis_shape(std::span<const std::size_t> sides, bool reversed, long axis, std::string_view name) {
  const auto axes = static_cast<long>(sides.size());
  const long wanted = axis < 0 ? axis + axes : axis;
  if (wanted < 0 || wanted >= axes)
    refuse("--axis {}: {} has {} axes (allowed: {} to {})", axis, name, axes, -axes, axes - 1);
  const auto place = static_cast<std::size_t>(reversed ? axes - 1 - wanted : wanted);
  for (std::size_t i = 0; i < sides.size(); ++i)
    (i < place ? before : i == place ? length : behind) *= sides[i];
}

plan explain_array_along(const array_file& array, long axis, const options& opts) {
  const key_lines shape(array, axis);
  plan p = explain(segmented_request{{.type = array.layout.key, .n = shape.elements()}, shape.where()}, opts);
  const std::uint64_t bytes = std::uint64_t{array.count} * array.layout.record_bytes;
  if (shape.calls() > 1)
    p.steps.insert(p.steps.begin(), {"repeat", std::to_string(shape.calls()) + " times, for the axes before", 0, 0});
  p.steps.push_back({"write", "sorted keys to the output", bytes, bytes});
  return p;
}

void sort_array_along(const array_file& array, long axis, output& to, const options& opts) {
  const key_lines shape(array, axis);
  const unsigned threads = thread_count(opts.threads);
  const key_array keys(array, threads);
  const std::size_t bytes = shape.elements() * array.layout.key_size();
  raw_array<char> sorted(array.count * array.layout.key_size());
  for (std::size_t c = 0; c < shape.calls() && array.count > 0; ++c) {
    options of_call = opts;
    if (opts.progress)
      of_call.progress = [&, c](double done) {
        return opts.progress((static_cast<double>(c) + done) / static_cast<double>(shape.calls()));
      };
    const sort_request arrays{.type = array.layout.key,
                              .n = shape.elements(),
                              .keys_in = static_cast<const char*>(keys.data()) + c * bytes,
                              .keys_out = sorted.data() + c * bytes};
    run(segmented_request{arrays, shape.where()}, of_call);
  }
  to.write(array.header);
  write_keys(array, sorted.data(), to, threads);
}

namespace {

// The sides of an array in the order in which the file has them: with the last lying side by side.
std::vector<std::size_t> sides_of(const npy_header& header) {
  return header.fortran_order ? std::vector<std::size_t>(header.shape.rbegin(), header.shape.rend()) : header.shape;
}

} // namespace

plan explain_records_along(const npy_header& header, const record_order& order, long axis, std::string_view name,
                           const options& opts) {
  const axis_shape shape(sides_of(header), header.fortran_order, axis, name);
  plan p = explain_record_sort(header.count, header.count * (line_bytes + header.record_bytes),
                               order_within_lines(order), opts);
  const std::uint64_t bytes = std::uint64_t{header.count} * header.record_bytes;
  p.steps.insert(p.steps.begin(), {"lines",
                                   fmt::format("{} lines of {} elements each, copied behind their numbers",
                                               shape.before * shape.behind, shape.length),
                                   bytes, bytes + header.count * line_bytes});
  return p;
}

void sort_records_along(const input& source, const npy_header& header, const record_order& order, long axis, output& to,
                        const options& opts) {
  const line_places places{axis_shape(sides_of(header), header.fortran_order, axis, source.name())};
  const unsigned threads = thread_count(opts.threads);
  const std::size_t element = header.record_bytes;
  const std::size_t record = line_bytes + element;
  const std::size_t length = places.shape.length;
  const std::string_view data = source.bytes().substr(header.data_offset);
  raw_array<char> text(header.count * record);
  constexpr std::size_t smallest_slice = 1 << 14; // records
  parallel_slices(threads, header.count, smallest_slice, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint64_t line = __builtin_bswap64(k / length); // little-endian machines alone are supported
      std::memcpy(text.data() + k * record, &line, line_bytes);
      std::memcpy(text.data() + k * record + line_bytes, data.data() + places.at(k / length, k % length) * element,
                  element);
    }
  });
  const record_table records = split_evenly({text.data(), text.size()}, record, threads);
  const raw_array<std::uint32_t> ids = sort_records(records, order_within_lines(order), opts);
  raw_array<char> sorted(header.count * element);
  parallel_slices(threads, header.count, smallest_slice, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      std::memcpy(sorted.data() + places.at(k / length, k % length) * element,
                  text.data() + ids[k] * record + line_bytes, element);
  });
  to.write(source.bytes().substr(0, header.data_offset));
  to.write({sorted.data(), sorted.size()});
}

} // namespace sortile::files
