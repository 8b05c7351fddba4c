// What the checks of all kinds of files share. See text_commands.hpp for the job.
#pragma once

#include "command_line.hpp"
#include "file_format.hpp"
#include "text_commands.hpp"

#include "files/external/run_reader.hpp"
#include "files/input_stream.hpp"
#include "files/multiset.hpp"
#include "files/order_check.hpp"
#include "files/record_order.hpp"
#include "files/record_summary.hpp"
#include "files/record_table.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sortile::cli {

/// Says what is wrong, unless the exit status is to say it alone; returns that status.
int report(const check_job& job, const talk& voice, const std::string& what);
int report_other_type(const check_job& job, const talk& voice, const std::string& name, const std::string& other);

/// Do both hold the same records? Of --permutation-of.
int check_permutation(const check_job& job, const talk& voice, const std::string& name,
                      const files::multiset_sum& of_checked, const files::multiset_sum& of_other);

/// Whether the facts are printed that a benchmark of sorts asks for: not where the exit status says it all.
bool tells(const check_job& job, const talk& voice);
void tell(const check_job& job, const std::string& name, const files::record_summary& facts);

/// The first record that is smaller than the one before it, or with -u not larger. Tells the facts too.
std::optional<std::size_t> find_disorder(const check_job& job, const std::string& name,
                                         const files::record_table& records, const files::record_order& order,
                                         const talk& voice);

/// The key of a record that is out of order, beside that of the one before: "smaller than".
const char* how_it_relates(const files::record_order& order, std::string_view before, std::string_view record);

std::unique_ptr<files::input_stream> open_stream(const check_job& job, const std::string& path);

/// An input of lines, or of records of one size, that is read piece by piece.
class pieces {
 public:
  pieces(const check_job& job, std::unique_ptr<files::input_stream> stream, const files::record_shape& shape,
         std::size_t header_bytes = 0);

  const std::string& name() const { return name_; }

  /// Is it in order?
  files::check_result check(const files::record_order& order, const talk& voice);
  /// What does it hold?
  files::check_result sum();

 private:
  files::check_result look(const files::check_rules& rules);

  const check_job& job_;
  std::string name_;
  files::record_shape shape_;
  files::run_reader reader_;
};

int check_array(const check_job& job, const std::string& path, std::unique_ptr<files::input_stream> stream,
                file_format format, const talk& voice);
/// With --rows or --axis.
int check_along(const check_job& job, std::unique_ptr<files::input_stream> stream, file_format format,
                const talk& voice);

} // namespace sortile::cli
