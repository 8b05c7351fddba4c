// sortile sort --quantiles: of an array in memory the library finds them; of a larger one a sort in runs, of which
// nothing is written, shows the keys between which they lie.
#include "command_line.hpp"
#include "sort_job.hpp"

#include "files/array_select.hpp"
#include "files/array_sort.hpp"
#include "files/failure.hpp"
#include "files/input.hpp"
#include "files/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace sortile::cli {

using files::refuse;

namespace {

// "0.5,0.9" as numbers.
std::vector<double> probabilities_of(const std::string& text) {
  std::vector<double> list;
  for (std::string_view rest = text;;) {
    const std::string one(rest.substr(0, rest.find(',')));
    char* end = nullptr;
    const double p = std::strtod(one.c_str(), &end);
    if (one.empty() || *end != '\0' || !(p >= 0 && p <= 1))
      refuse("--quantiles {}: '{}' is no number from 0 to 1", text, one);
    list.push_back(p);
    if (one.size() == rest.size())
      return list;
    rest.remove_prefix(one.size() + 1);
  }
}

// Takes the records on both sides of each quantile out of all that come in order.
class records_beside {
 public:
  records_beside(const std::vector<double>& probabilities, std::uint64_t n) {
    for (const double p : probabilities) {
      const double place = p * static_cast<double>(n - 1);
      sides_.push_back({static_cast<std::uint64_t>(std::floor(place)),
                        static_cast<std::uint64_t>(std::ceil(place)),
                        place - std::floor(place),
                        {}});
    }
  }

  void add(std::string_view record) {
    for (sides& each : sides_)
      if (each.low == next_ || each.high == next_)
        each.records += record;
    ++next_;
  }

  // Between two keys a quantile lies where it lies between all.
  std::vector<std::string> quantiles(const files::array_layout& layout, const options& opts) const {
    std::vector<std::string> found;
    for (const sides& each : sides_)
      found.push_back(files::array_quantiles(files::array_of(layout, each.records), {each.fraction}, opts).front());
    return found;
  }

 private:
  struct sides {
    std::uint64_t low, high; // places in the order
    double fraction;
    std::string records;
  };
  std::vector<sides> sides_;
  std::uint64_t next_ = 0;
};

std::vector<std::string> quantiles_of(const files::array_file& array, const std::vector<double>& at,
                                      const options& opts, progress_bar& bar, const talk& voice) {
  bar.phase("select");
  std::vector<std::string> found = files::array_quantiles(array, at, opts);
  bar.phase({});
  say_done(voice, array.count, fmt::format("{} keys", name(array.layout.key)), bar,
           files::explain_array_quantiles(array, at, opts));
  return found;
}

std::vector<std::string> quantiles_in_runs(const sort_job& job, files::run_reader& reader, std::string_view first_run,
                                           const array_plan& planned, const std::vector<double>& at, progress_bar& bar,
                                           const talk& voice) {
  const options opts = job.arrays.for_library();
  const std::uint64_t header = planned.npy ? planned.npy->data_offset : 0;
  std::optional<records_beside> beside;
  files::temporary_store store = job.memory.store();
  files::external_options how{.memory = job.memory.limit(), .temporaries = &store, .batch = job.memory.batch()};
  how.phase = [&](std::string name) { bar.phase(std::move(name)); };
  how.progress = bar.sink();
  how.last.write = [&](std::string_view record, files::output&) {
    if (!beside) { // all are read now
      need_whole(planned, reader.bytes_read() - header, reader.name());
      beside.emplace(at, (reader.bytes_read() - header) / planned.layout.record_bytes);
    }
    beside->add(record);
  };
  files::output nowhere("/dev/null");
  const plan of_one = files::explain_array_sort(files::array_of(planned.layout, first_run), opts);
  const files::external_summary done =
      files::sort_externally(reader, first_run, files::array_runs(planned.layout, false, SIZE_MAX, opts), how, nowhere);
  std::vector<std::string> found = beside->quantiles(planned.layout, opts);
  bar.phase({});
  say_done_in_runs(voice, done, bar, of_one);
  return found;
}

// What does not go with --quantiles.
void need_quantiles_alone(const sort_job& job) {
  if (!job.top.empty() || !(job.values + job.values_type).empty() || job.text.unique || job.output_named)
    refuse("--quantiles prints numbers: it does not go with --top, --values, -u and -o");
  if (job.arrays.descending() || !job.arrays.bits.empty())
    refuse("--quantiles are those of whole keys in ascending order: they do not go with -r, --order desc and --bits");
}

// Where a line of an array stands: "3,:" is row 3 of a matrix, ":,0" its first column.
std::string name_of_line(const files::npy_header& header, const files::axis_shape& shape, std::size_t line) {
  const std::vector<std::size_t> index = files::index_of_element(header, shape, line * shape.length);
  std::string text;
  for (std::size_t i = 0; i < index.size(); ++i)
    text += (i == 0 ? "" : ",") + (i == shape.axis ? ":" : std::to_string(index[i]));
  return text;
}

} // namespace

// A line for each line of the array and each probability: where it stands, a tab, the probability, a tab, the quantile.
int print_quantiles_along(const sort_job& job, first_input first, const talk& voice) {
  need_quantiles_alone(job);
  const std::vector<double> at = probabilities_of(job.quantiles);
  const files::npy_header header =
      files::parse_npy_header(first->peek_npy_header(), first->name(), files::npy_axes::any);
  const files::axis_shape shape = files::shape_along(header, job.along.chosen(), first->name());
  const array_elements elements = elements_along(header, first->name(), job.arrays);
  const auto* const layout = std::get_if<files::array_layout>(&elements);
  if (layout == nullptr)
    refuse("{}: --quantiles goes with keys that are numbers, not with elements of type {}", first->name(),
           header.descr);
  if (shape.length == 0 && shape.before * shape.behind > 0)
    files::fail(first->name(), "has no keys along this axis, and so no quantiles");
  const options opts = job.arrays.for_library();
  const plan how = files::explain_quantiles_along(*layout, shape, at, opts);
  if (job.explain)
    return explained(how);
  const auto of_matrices = [&](std::size_t matrices) {
    files::axis_shape some = shape;
    some.before = matrices;
    return some;
  };
  const std::size_t matrix_bytes = shape.matrix() * header.record_bytes;
  if (shape.before > 0)
    need_memory_along(job, matrix_bytes + files::memory_of_quantiles(*layout, of_matrices(1)), first->name());
  std::vector<std::string> found;
  {
    progress_bar bar(voice);
    bar.phase("read");
    files::run_reader reader =
        read_in_runs(job, std::move(first), {.record_bytes = std::max<std::size_t>(matrix_bytes, 1)},
                     [&](std::size_t matrices) { return files::memory_of_quantiles(*layout, of_matrices(matrices)); });
    reader.skip_header(header.data_offset);
    std::uint64_t bytes = 0;
    bar.phase("select");
    for (std::string_view data = reader.next(); !data.empty();
         data = reader.at_end() ? std::string_view() : reader.next()) {
      if (bytes += data.size(); reader.at_end())
        files::need_whole_array(header, bytes, reader.name());
      for (std::string& each : files::quantiles_along(*layout, of_matrices(data.size() / matrix_bytes), data, at, opts))
        found.push_back(std::move(each));
    }
    files::need_whole_array(header, bytes, reader.name());
    bar.phase({});
    say_done(voice, header.count, fmt::format("{} keys", name(layout->key)), bar, how);
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    fmt::print("{}\t{}\t{}\n", name_of_line(header, shape, i / at.size()), at[i % at.size()], found[i]);
  return all_well;
}

// A line for each: the probability, a tab, the quantile.
int print_quantiles(const sort_job& job, first_input first, const array_plan& planned, file_format format,
                    const talk& voice) {
  need_quantiles_alone(job);
  const options opts = job.arrays.for_library();
  const std::vector<double> at = probabilities_of(job.quantiles);
  std::vector<std::string> found;
  {
    progress_bar bar(voice);
    bar.phase("read");
    files::run_reader reader = read_in_runs(job, std::move(first), {.record_bytes = planned.layout.record_bytes},
                                            files::memory_of_arrays(planned.layout, opts));
    reader.skip_header(planned.npy ? planned.npy->data_offset : 0);
    const std::string_view run = reader.next();
    if (reader.at_end()) {
      const files::array_file array = open_array(reader.take_whole(), job.inputs[0], format, job.arrays);
      if (job.explain)
        return explained(files::explain_array_quantiles(array, at, opts));
      found = quantiles_of(array, at, opts, bar, voice);
    } else {
      if (job.explain)
        return explained(
            plan_of_runs(files::explain_array_sort(files::array_of(planned.layout, run), opts), run.size()));
      found = quantiles_in_runs(job, reader, run, planned, at, bar, voice);
    }
  }
  for (std::size_t i = 0; i < at.size(); ++i)
    fmt::print("{}\t{}\n", at[i], found[i]);
  return all_well;
}

} // namespace sortile::cli
