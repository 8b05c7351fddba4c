// The jobs of check and merge, which sort -c and sort -m do too.
#pragma once

#include "array_options.hpp"
#include "memory_options.hpp"
#include "talk.hpp"
#include "text_options.hpp"

#include "files/output.hpp"

#include <string>
#include <vector>

namespace sortile::cli {

struct check_job {
  std::vector<std::string> inputs;
  std::string format;
  std::string permutation_of;
  array_options arrays;
  axis_options along;
  text_options text;
  bool quiet = false;         ///< the exit status says it all
  bool as_sort = false;       ///< for sort -c: one input only
  bool is_sort_alone = false; ///< called as `sort`: a disorder is told in GNU sort's words
};
int run_check(const check_job& job, const talk& voice);

struct merge_job {
  std::vector<std::string> inputs;
  std::string output = "-";
  std::string format;
  array_options arrays;
  text_options text;
  bool force = false;
  bool no_sync = false;
  bool trusted = false; ///< for sort -m: inputs out of order are no error
  memory_options memory;
  bool debug = false; ///< show the keys of every line

  files::output_options how_to_write(const std::string& path) const {
    return {.synced = !no_sync, .pack = arrays.packing_of_output(path), .temporary_folder = memory.folder()};
  }
};
int run_merge(const merge_job& job, const talk& voice);

} // namespace sortile::cli
