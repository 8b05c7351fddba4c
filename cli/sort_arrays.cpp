// sortile sort on arrays: keys alone, with values, along an axis, or the first of them.
#include "command_line.hpp"
#include "sort_job.hpp"

#include "files/array_axis.hpp"
#include "files/array_groups.hpp"
#include "files/array_select.hpp"
#include "files/array_sort.hpp"
#include "files/external/paired_source.hpp"
#include "files/failure.hpp"
#include "files/input.hpp"
#include "files/parallel.hpp"
#include "files/record_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

namespace sortile::cli {

using files::refuse;

namespace {

// Bytes of one value: of a key type, or a plain number.
std::optional<std::size_t> value_bytes(const std::string& type) {
  if (type.empty())
    return std::nullopt;
  if (type.find_first_not_of("0123456789") != std::string::npos)
    return key_bytes(key_type_named(type));
  const std::uint64_t bytes = parse_count(type, "--values-type");
  if (bytes == 0 || bytes > 1u << 20)
    refuse("--values-type {}: a value has 1 to 1048576 bytes", type);
  return static_cast<std::size_t>(bytes);
}

// The values that go with the keys; nothing where no file of them is named. Who only asks for a plan names no output.
std::unique_ptr<files::input_stream> open_values(const sort_job& job) {
  if (job.values.empty() != job.values_output.empty() && (job.values.empty() || !job.explain))
    refuse("--values and --values-output go together");
  if (job.values.empty())
    return nullptr;
  return std::make_unique<files::input_stream>(job.values, job.arrays.as_it_is,
                                               files::thread_count(job.arrays.threads));
}

void write_array(const sort_job& job, const files::array_file& array, const std::optional<files::values_file>& values,
                 const options& opts) {
  sort_outputs outputs(job);
  if (values && !job.top.empty())
    files::write_array_top(array, *values, job.most(), outputs.to, *outputs.values, opts);
  else if (values)
    files::sort_array_with_values(array, *values, outputs.to, *outputs.values, opts);
  else
    files::sort_array(array, outputs.to, opts);
  outputs.commit();
}

// Shows the plan where that is asked for; else has `write` make the one output, in a phase of that name.
template <class Write>
int write_one(const sort_job& job, const files::array_file& array, file_format format, const plan& how,
              const char* phase, const talk& voice, Write&& write) {
  if (job.explain)
    return explained(how);
  refuse_binary_to_terminal(job.output, job.force);
  need_output_name(job.output, format, array.layout.key, job.format);
  progress_bar bar(voice);
  bar.phase(phase);
  files::output to(job.output, job.how_to_write(job.output));
  write(to, bar);
  to.commit();
  bar.phase({});
  say_done(voice, array.count, fmt::format("{} keys", name(array.layout.key)), bar, how);
  return all_well;
}

// An array of several axes that is sorted along one of them.
class array_along {
 public:
  /// \throws invalid_argument where an option does not go with it
  array_along(const sort_job& job, const files::npy_header& header, const std::string& name)
      : job_(job), name_(name), header_(header), shape_(files::shape_along(header, job.along.chosen(), name)),
        elements_(elements_along(header, name, job.arrays)) {
    shape_.most = job.most();
  }

  std::optional<key_type> type() const {
    const auto* keys = std::get_if<files::array_layout>(&elements_);
    return keys != nullptr ? std::optional(keys->key) : std::nullopt;
  }
  std::size_t matrix_bytes() const { return shape_.matrix() * header_.record_bytes; }
  /// The header of the output; that of the input says what the array is.
  std::string header_of_output(std::string_view of_input) const {
    if (shape_.written() == shape_.length)
      return std::string(of_input);
    std::vector<std::size_t> shape = header_.shape;
    shape[shape_.axis] = shape_.written();
    return files::make_npy_header(header_.descr, shape, header_.fortran_order);
  }
  plan explain() const {
    return std::visit([&](const auto& of) { return files::explain_along(of, shape_, options_()); }, elements_);
  }

  /// What a sort of so many matrices takes beside them.
  std::size_t memory(std::size_t matrices) const {
    return std::visit([&](const auto& of) { return files::memory_along(of, several(matrices), options_()); },
                      elements_);
  }

  /// Writes some of the matrices.
  void sort(std::string_view data, files::output& to, const options& opts) const {
    const files::axis_shape shape = several(matrix_bytes() == 0 ? 0 : data.size() / matrix_bytes());
    std::visit([&](const auto& of) { files::sort_along(of, shape, data, to, opts); }, elements_);
  }

  void need_memory() const {
    if (shape_.before > 0)
      need_memory_along(job_, matrix_bytes() + memory(1), name_);
  }

 private:
  options options_() const { return job_.arrays.for_library(); }
  files::axis_shape several(std::size_t matrices) const {
    files::axis_shape some = shape_;
    some.before = matrices;
    return some;
  }

  const sort_job& job_;
  std::string name_;
  files::npy_header header_;
  files::axis_shape shape_;
  array_elements elements_;
};

int sort_along(const sort_job& job, first_input first, file_format format, const talk& voice) {
  if (!(job.values + job.values_output + job.values_type).empty())
    refuse("--values does not go with --rows and --axis");
  const files::npy_header header =
      files::parse_npy_header(first->peek_npy_header(), first->name(), files::npy_axes::any);
  const array_along array(job, header, first->name());
  const plan how = array.explain();
  if (job.explain)
    return explained(how);
  refuse_binary_to_terminal(job.output, job.force);
  need_output_name(job.output, format, array.type(), job.format);
  array.need_memory();
  progress_bar bar(voice);
  bar.phase("read");
  files::run_reader reader =
      read_in_runs(job, std::move(first), {.record_bytes = std::max<std::size_t>(array.matrix_bytes(), 1)},
                   [&](std::size_t matrices) { return array.memory(matrices); });
  const std::string head(reader.skip_header(header.data_offset));
  std::string_view data = reader.next();
  options opts = job.arrays.for_library();
  if (reader.at_end())
    opts.progress = bar.callback();
  bar.phase("sort");
  files::output to(job.output, job.how_to_write(job.output));
  to.write(array.header_of_output(head));
  std::uint64_t bytes = 0;
  for (; !data.empty(); data = reader.at_end() ? std::string_view() : reader.next()) {
    if (bytes += data.size(); reader.at_end())
      files::need_whole_array(header, bytes, reader.name());
    array.sort(data, to, opts);
  }
  files::need_whole_array(header, bytes, reader.name());
  to.commit();
  bar.phase({});
  say_done(voice, header.count, array.type() ? fmt::format("{} keys", name(*array.type())) : "elements", bar, how);
  return all_well;
}

// The first records alone.
int write_top(const sort_job& job, const files::array_file& array, file_format format, const talk& voice) {
  const std::size_t k = job.most();
  options opts = job.arrays.for_library();
  const plan how = files::explain_array_top(array, k, opts);
  return write_one(job, array, format, how, "select", voice, [&](files::output& to, progress_bar& bar) {
    opts.progress = bar.callback();
    files::write_array_top(array, k, to, opts);
  });
}

// Outputs of keys, and of counts where they have a file of their own.
void need_binary_outputs(const sort_job& job, file_format format, key_type key) {
  if (job.explain)
    return;
  refuse_binary_to_terminal(job.output, job.force);
  need_output_name(job.output, format, key, job.format);
  if (job.values_output.empty())
    return;
  refuse_binary_to_terminal(job.values_output, job.force);
  need_output_name(job.values_output, format, key_type::u64, job.format);
}

// Distinct keys, and with --count how often each occurs.
int write_groups(const sort_job& job, const files::array_file& array, file_format format, const talk& voice) {
  const bool is_npy = format == file_format::npy;
  options opts = job.arrays.for_library();
  const plan how = files::explain_array_groups(array, opts);
  if (job.explain)
    return explained(how);
  need_binary_outputs(job, format, array.layout.key);
  progress_bar bar(voice);
  opts.progress = bar.callback();
  bar.phase("sort");
  sort_outputs outputs(job);
  files::distinct_keys found = files::find_distinct(array, job.count, opts);
  found.size = std::min(found.size, job.most());
  bar.phase("write");
  files::write_distinct(array, found, job.counts_inside(), outputs.to, files::thread_count(opts.threads));
  if (outputs.values)
    files::write_counts({found.counts.data(), found.size}, is_npy, *outputs.values);
  outputs.commit();
  bar.phase({});
  say_done(voice, array.count, fmt::format("{} keys", name(array.layout.key)), bar, how);
  return all_well;
}

// An array in memory, with its values.
int sort_whole(const sort_job& job, const files::array_file& array, const std::optional<files::values_file>& values,
               file_format format, progress_bar& bar, const talk& voice) {
  options opts = job.arrays.for_library();
  const plan how = !values           ? files::explain_array_sort(array, opts)
                   : job.top.empty() ? files::explain_array_sort(array, *values, opts)
                                     : files::explain_array_top(array, *values, job.most(), opts);
  if (job.explain)
    return explained(how);
  refuse_binary_to_terminal(job.output, job.force);
  if (values)
    refuse_binary_to_terminal(job.values_output, job.force);
  need_output_name(job.output, format, array.layout.key, job.format);
  opts.progress = bar.callback();
  bar.phase(job.top.empty() ? "sort" : "select");
  write_array(job, array, values, opts);
  bar.phase({});
  say_done(voice, array.count, fmt::format("{} keys", name(array.layout.key)), bar, how);
  return all_well;
}

array_plan plan_array(std::string_view begin, const sort_job& job, file_format format) {
  if (format != file_format::npy)
    return {files::layout_of(type_of_raw_keys(job.inputs[0], job.arrays)), {}};
  const std::string name = files::display_name(job.inputs[0]);
  const std::string field = field_of_npy(job.arrays);
  files::npy_header header = files::parse_npy_header(begin, name);
  return {files::layout_of(header, field, name), std::move(header)};
}

// An array that is there as a whole: sorted, or less of it.
int sort_what_fits(const sort_job& job, const files::array_file& array, file_format format, progress_bar& bar,
                   const talk& voice) {
  if (job.text.unique)
    return write_groups(job, array, format, voice);
  return job.top.empty() ? sort_whole(job, array, {}, format, bar, voice) : write_top(job, array, format, voice);
}

// A sort of an array that may be larger than memory.
int sort_all(const sort_job& job, first_input first, const array_plan& planned, file_format format, const talk& voice) {
  const options opts = job.arrays.for_library();
  progress_bar bar(voice);
  bar.phase("read");
  const std::size_t count = job.count ? sizeof(std::uint64_t) : 0;
  files::run_reader reader = read_in_runs(
      job, std::move(first), {.record_bytes = planned.layout.record_bytes},
      [count, keys = files::memory_of_arrays(planned.layout, opts)](std::size_t n) { return keys(n) + count * n; });
  const std::string header(reader.skip_header(planned.npy ? planned.npy->data_offset : 0));
  const std::string_view run = reader.next();
  if (reader.at_end()) {
    bar.phase({});
    return sort_what_fits(job, open_array(reader.take_whole(), job.inputs[0], format, job.arrays), format, bar, voice);
  }
  need_binary_outputs(job, format, planned.layout.key);
  // Counts need all of the equal keys; the last merge counts them.
  runs_to_sort what{.format = files::array_runs(planned.layout, job.text.unique && !job.count,
                                                job.count ? SIZE_MAX : job.most(), opts),
                    .how = files::explain_array_sort(files::array_of(planned.layout, run), opts)};
  what.format.header = header;
  what.count.place = files::count_place::last_field;
  if (planned.npy && (job.text.unique || !job.top.empty()))
    what.descr = job.counts_inside() ? files::descr_with_count(*planned.npy, reader.name()) : planned.npy->descr;
  what.need_whole = [&](std::uint64_t bytes) { need_whole(planned, bytes, reader.name()); };
  return sort_in_runs(job, reader, run, what, bar, voice);
}

// The header of an output that has the records of --top alone.
std::string header_of_first(const std::optional<files::npy_header>& npy, std::string header, const sort_job& job) {
  return npy && !job.top.empty() ? files::make_npy_header(npy->descr, std::min(npy->count, job.most())) : header;
}

// Keys with their values. Both in memory, where they are known to fit; else as records of a key and its value, in runs.
int sort_with_values(const sort_job& job, first_input keys, const array_plan& planned, file_format format,
                     const talk& voice) {
  if (job.text.unique && (job.values + job.values_type).empty())
    refuse("-u with --values-output: the values would be counts, which --count asks for");
  if (job.text.unique)
    refuse("-u does not go with --values");
  std::unique_ptr<files::input_stream> values = open_values(job);
  if (values == nullptr)
    refuse("--values-type goes with --values");
  files::need_keys_alone(planned.layout, keys->name());
  const files::values_layout of_values =
      files::layout_of_values(values->peek_npy_header(), values->name(), value_bytes(job.values_type));
  const std::uint64_t bytes = keys->expected();
  const std::size_t n = static_cast<std::size_t>(bytes) / planned.layout.key_size();
  const std::size_t moved = 2 * n * of_values.element_bytes; // values lie in two places
  const std::size_t needed =
      n * planned.layout.key_size() + moved + files::memory_of_arrays(planned.layout, job.arrays.for_library())(n);
  const bool fits = bytes != 0 && values->expected() != 0 && needed <= job.memory.limit();
  progress_bar bar(voice);
  bar.phase("read");
  if (fits || job.explain) {
    const files::array_file array = open_array(files::input(std::move(*keys)), job.inputs[0], format, job.arrays);
    return sort_whole(job, array, files::open_values(files::input(std::move(*values)), of_values.element_bytes), format,
                      bar, voice);
  }
  need_binary_outputs(job, format, planned.layout.key);
  const files::array_layout pairs{.key = planned.layout.key,
                                  .swapped = planned.layout.swapped,
                                  .key_offset = 0,
                                  .record_bytes = planned.layout.key_size() + of_values.element_bytes};
  const options opts = job.arrays.for_library();
  runs_to_sort what{.format = files::array_runs(pairs, false, job.most(), opts), .how = {}};
  what.format.header = header_of_first(planned.npy, keys->take(planned.npy ? planned.npy->data_offset : 0), job);
  what.values = {.key_bytes = planned.layout.key_size(),
                 .header =
                     header_of_first(of_values.npy, values->take(of_values.npy ? of_values.npy->data_offset : 0), job)};
  const std::string name = keys->name(), name_of_values = values->name();
  files::run_reader reader(std::make_unique<files::paired_source>(std::move(keys), planned.layout.key_size(),
                                                                  std::move(values), of_values.element_bytes),
                           {}, {.record_bytes = pairs.record_bytes},
                           {job.memory.limit(), files::memory_of_arrays(pairs, opts)},
                           files::thread_count(opts.threads));
  const std::string_view run = reader.next();
  what.how = files::explain_array_sort(files::array_of(pairs, run), opts);
  what.need_whole = [&](std::uint64_t of_pairs) {
    need_whole(planned, of_pairs / pairs.record_bytes * planned.layout.key_size(), name);
    if (of_values.npy)
      files::need_whole_array(*of_values.npy, of_pairs / pairs.record_bytes * of_values.element_bytes, name_of_values);
  };
  return sort_in_runs(job, reader, run, what, bar, voice);
}

} // namespace

void need_memory_along(const sort_job& job, std::size_t least, const std::string& name) {
  if (!job.memory.buffer_size.empty() && least > job.memory.limit())
    refuse("{}: what is sorted together along this axis takes {}B of memory; -S {} allows {}B", name,
           with_unit(static_cast<double>(least)), job.memory.buffer_size,
           with_unit(static_cast<double>(job.memory.limit())));
}

void need_whole(const array_plan& planned, std::uint64_t bytes, const std::string& name) {
  if (planned.npy)
    files::need_whole_array(*planned.npy, bytes, name);
  else
    files::need_whole_keys(planned.layout.key, bytes, name);
}

int sort_arrays(const sort_job& job, first_input first, file_format format, const talk& voice) {
  const bool along = job.along.given();
  const std::string begin(format == file_format::npy ? first->peek_npy_header() : "");
  if (!along && is_ordered_as_records(begin, first->name(), format, job.arrays))
    return sort_fixed_records(job, std::move(first), format, voice);
  if (const std::string option = job.text.named_for_arrays(); option != "-u")
    refuse_text_options(job.text);
  if (job.inputs.size() != 1)
    refuse("arrays are sorted one file at a time ({} are named); sortile merge joins sorted ones", job.inputs.size());
  if (along && job.text.unique)
    refuse("-u goes with arrays of one axis, not with --rows and --axis");
  need_place_of_counts(job, format == file_format::npy);
  if (along && format != file_format::npy)
    refuse_axis(job.along);
  if (along && !job.quantiles.empty())
    return print_quantiles_along(job, std::move(first), voice);
  if (along)
    return sort_along(job, std::move(first), format, voice);
  const array_plan planned = plan_array(begin, job, format);
  if (job.text.unique && !planned.layout.keys_alone()) {
    if (!job.arrays.bits.empty())
      refuse("-u of records does not go with --bits");
    return sort_fixed_records(job, std::move(first), format, voice);
  }
  const bool with_values = !(job.values + job.values_type).empty() || (!job.values_output.empty() && !job.count);
  if (!job.quantiles.empty())
    return print_quantiles(job, std::move(first), planned, format, voice);
  return with_values ? sort_with_values(job, std::move(first), planned, format, voice)
                     : sort_all(job, std::move(first), planned, format, voice);
}

} // namespace sortile::cli
