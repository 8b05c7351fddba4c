// See array_axis.hpp. An array in C order is, for each choice of the axes before, a matrix of the axis by all axes
// behind it: its columns are sorted, in one call for each such matrix; along the last axis everything is one matrix of
// rows.
#include "files/array_axis.hpp"

#include "files/array_sort.hpp"
#include "files/failure.hpp"
#include "files/parallel.hpp"

#include <sortile/segments.hpp>

namespace sortile::files {

namespace {

struct axis_shape {
  std::size_t before = 1, length = 1, behind = 1; ///< elements of the axes before, of the axis, behind it

  axis_shape(const array_file& array, long axis) {
    const auto axes = static_cast<long>(array.shape.size());
    const long wanted = axis < 0 ? axis + axes : axis;
    if (wanted < 0 || wanted >= axes)
      refuse("--axis {}: {} has {} axes (allowed: {} to {})", axis, array.name(), axes, -axes, axes - 1);
    if (!array.layout.keys_alone())
      refuse("--axis: {} holds records; plain keys are sorted along an axis", array.name());
    const auto place = static_cast<std::size_t>(array.axes_reversed ? axes - 1 - wanted : wanted);
    for (std::size_t i = 0; i < array.shape.size(); ++i)
      (i < place ? before : i == place ? length : behind) *= array.shape[i];
  }

  /// Matrices that are sorted one after the other.
  std::size_t calls() const { return behind == 1 ? 1 : before; }
  std::size_t elements() const { return behind == 1 ? before * length : length * behind; }
  segments where() const { return behind == 1 ? segments::rows(before, length) : segments::columns(length, behind); }
};

} // namespace

plan explain_array_along(const array_file& array, long axis, const options& opts) {
  const axis_shape shape(array, axis);
  plan p = explain(segmented_request{{.type = array.layout.key, .n = shape.elements()}, shape.where()}, opts);
  const std::uint64_t bytes = std::uint64_t{array.count} * array.layout.record_bytes;
  if (shape.calls() > 1)
    p.steps.insert(p.steps.begin(), {"repeat", std::to_string(shape.calls()) + " times, for the axes before", 0, 0});
  p.steps.push_back({"write", "sorted keys to the output", bytes, bytes});
  return p;
}

void sort_array_along(const array_file& array, long axis, output& to, const options& opts) {
  const axis_shape shape(array, axis);
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

} // namespace sortile::files
