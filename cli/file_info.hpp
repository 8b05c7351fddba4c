// sortile info FILE: how a file would be understood.
#pragma once

#include "array_options.hpp"
#include "talk.hpp"
#include "text_options.hpp"

#include <string>
#include <vector>

namespace sortile::cli {

struct file_info_job {
  std::vector<std::string> inputs;
  std::string format;
  array_options arrays;
  text_options text;
  bool as_json = false;
};

int show_file_info(const file_info_job& job);

} // namespace sortile::cli
