// What `sortile sort` is asked for, and the sorts that it leads to: one function for each kind of input.
#pragma once

#include "array_options.hpp"
#include "file_format.hpp"
#include "talk.hpp"
#include "text_options.hpp"

#include "files/input.hpp"
#include "files/output.hpp"

#include <sortile/sortile.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sortile::cli {

struct sort_job {
  std::vector<std::string> inputs;
  std::string output = "-";
  bool output_named = false;
  std::string format;
  std::string values;
  std::string values_output;
  std::string values_type;
  array_options arrays;
  text_options text;
  bool rows = false;        ///< --rows
  std::optional<long> axis; ///< --axis
  std::string top;          ///< --top K
  std::string quantiles;    ///< --quantiles P,…
  bool force = false;
  bool no_sync = false;
  bool explain = false;
  bool types = false;
  bool count = false; ///< --count
  bool debug = false;
  bool check = false;
  bool check_quietly = false;
  bool merge = false;
  std::string names_from;  ///< --files0-from
  std::string buffer_size; ///< checked, and of no meaning: memory is what the inputs need
  std::string batch_size;
  std::string compress_program;
  std::vector<std::string> temporary_folders;

  files::output_options how_to_write(const std::string& path) const;
  /// Whether counts are written beside their records, not into a file of their own.
  bool counts_inside() const { return count && values_output.empty(); }
};

/// Each opens what is left of the inputs, of which `first` is the first, writes the output, and returns the exit
/// status. \throws invalid_argument, io_failure
int sort_arrays(const sort_job& job, files::input first, file_format format, const talk& voice);
int sort_tables(const sort_job& job, files::input first, file_format format, const talk& voice);
int sort_lines(const sort_job& job, files::input first, const talk& voice);
/// Records of one size, of which the library has no such keys, or several.
int sort_fixed_records(const sort_job& job, files::input first, file_format format, const talk& voice);

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

} // namespace sortile::cli
