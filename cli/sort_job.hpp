// What `sortile sort` is asked for, and the sorts that it leads to: one function for each kind of input.
#pragma once

#include "array_options.hpp"
#include "file_format.hpp"
#include "memory_options.hpp"
#include "talk.hpp"
#include "text_options.hpp"

#include "files/array_file.hpp"
#include "files/external/run_formats.hpp"
#include "files/input_stream.hpp"
#include "files/output.hpp"
#include "files/record_counts.hpp"

#include <sortile/sortile.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sortile::cli {

struct sort_job {
  bool is_sort_alone = false; ///< called as `sort`
  std::vector<std::string> inputs;
  std::string output = "-";
  bool output_named = false;
  std::string format;
  std::string values;
  std::string values_output;
  std::string values_type;
  array_options arrays;
  text_options text;
  axis_options along;
  std::string top;       ///< --top K
  std::string quantiles; ///< --quantiles P,…
  bool force = false;
  bool no_sync = false;
  bool explain = false;
  bool types = false;
  bool count = false; ///< --count
  bool debug = false;
  bool check = false;
  bool check_quietly = false;
  bool merge = false;
  std::optional<std::string> names_from; ///< --files0-from
  memory_options memory;

  files::output_options how_to_write(const std::string& path) const;
  /// Whether counts are written beside their records, not into a file of their own.
  bool counts_inside() const { return count && values_output.empty(); }
  /// The K of --top; without it as many as there are. \throws invalid_argument
  std::size_t most() const;
  /// A plan of a sort of records; with --top, of what finds the first.
  plan of_the_first(plan how) const;
};

/// A stream that is read when the format of its input is known.
using first_input = std::unique_ptr<files::input_stream>;

/// Each opens what is left of the inputs, of which `first` is the first, writes the output, and returns the exit
/// status. \throws invalid_argument, io_failure
int sort_arrays(const sort_job& job, first_input first, file_format format, const talk& voice);
int sort_tables(const sort_job& job, first_input first, file_format format, const talk& voice);
/// Parquet and Arrow files.
int sort_columnar(const sort_job& job, first_input first, file_format format, const talk& voice);
int sort_lines(const sort_job& job, first_input first, const talk& voice);
/// Records of one size, of which the library has no such keys, or several.
int sort_fixed_records(const sort_job& job, first_input first, file_format format, const talk& voice);

/// An array that is not known to fit: its layout, and its header where it is a .npy file.
struct array_plan {
  files::array_layout layout;
  std::optional<files::npy_header> npy;
};
/// \throws io_failure where so many bytes are not what the header promises, or no whole number of keys
void need_whole(const array_plan& planned, std::uint64_t bytes, const std::string& name);
/// One matrix of an array that is taken along an axis has to fit where -S says how much memory there is.
void need_memory_along(const sort_job& job, std::size_t least, const std::string& name);
/// --quantiles: a line for each.
int print_quantiles(const sort_job& job, first_input first, const array_plan& planned, file_format format,
                    const talk& voice);

/// The same of each line along the axis of --rows or --axis.
int print_quantiles_along(const sort_job& job, first_input first, const talk& voice);

/// What is sorted in runs because it does not fit into memory.
struct runs_to_sort {
  files::run_format format;
  plan how;                                              ///< of one run
  std::function<void(std::uint64_t bytes)> need_whole{}; ///< throws where that is not what the header promises
  files::counted_form count{};                           ///< of --count
  std::string descr{};                                   ///< as records_to_sort have it
  /// Of records of a key and a value: the values go to an output of their own, behind a header.
  struct values_apart {
    std::size_t key_bytes = 0; ///< 0: none do
    std::string header{};
  } values{};
  std::function<void(files::output&)> write_last{}; ///< what goes behind the records
};

/// The plan of one run, of so many bytes, becomes that of all.
plan plan_of_runs(plan how, std::size_t bytes);
/// The inputs of a job, cut into runs. \param working_memory  of so many records \param memory  in all; 0: the job's
files::run_reader read_in_runs(const sort_job& job, first_input first, const files::record_shape& shape,
                               std::function<std::size_t(std::size_t)> working_memory, std::size_t memory = 0);
/// Sorts the run `first_run`, which the reader has handed out, and those behind it.
int sort_in_runs(const sort_job& job, files::run_reader& reader, std::string_view first_run, runs_to_sort what,
                 progress_bar& bar, const talk& voice);

/// The outputs of a sort: -o, and --values-output where it is named. Both are opened before the work begins.
class sort_outputs {
 public:
  /// \throws io_failure; invalid_argument where both lead to one file
  explicit sort_outputs(const sort_job& job);

  files::output to;
  std::optional<files::output> values;

  void commit();
};

/// --count goes with -u, and its counts have a place. \param inside  whether records of this format can hold them
void need_place_of_counts(const sort_job& job, bool inside);

/// What --explain prints.
int explained(const plan& how);
/// What was done and how fast, at level 2.
void say_done(const talk& voice, std::size_t n, std::string_view what, const progress_bar& bar, const plan& how);
/// The same of a sort in runs. \param how  of one run
void say_done_in_runs(const talk& voice, const files::external_summary& done, const progress_bar& bar, const plan& how);

} // namespace sortile::cli
