// Parquet and Arrow files in the commands: which rows come first, and how such files are sorted and told of.
#pragma once

#include "file_format.hpp"
#include "talk.hpp"
#include "text_commands.hpp"
#include "text_options.hpp"

#include "files/columnar/columnar_keys.hpp"
#include "files/columnar/columnar_table.hpp"
#include "files/file_preview.hpp"
#include "files/input_stream.hpp"
#include "files/multiset.hpp"

#include <sortile/options.hpp>
#include <sortile/request.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sortile::cli {

constexpr files::columnar_format columnar_format_of(file_format format) {
  return format == file_format::parquet ? files::columnar_format::parquet
         : format == file_format::arrow ? files::columnar_format::arrow
                                        : files::columnar_format::arrows;
}

/// The rows of such files and their keys by --by.
class columnar_rows {
 public:
  /// \param written  whether rows may be written \throws invalid_argument where options do not fit the columns;
  /// io_failure as files::columnar_table
  columnar_rows(std::vector<files::columnar_input> inputs, const text_options& text, bool reverse,
                const files::columnar_limits& limits, bool written = false);

  files::columnar_table& table() { return table_; }
  const std::string& name() const { return table_.name(); }
  /// The keys of all rows, made when they are first asked for.
  const files::record_table& records() const;
  const files::record_order& order() const { return order_; }
  /// The numbers of the rows, in order; as files::sort_records().
  files::raw_array<std::uint32_t> sorted(const options& opts, bool distinct, std::size_t most) const;
  /// The plan for that.
  plan explain(const options& opts) const;
  /// What a file of the sorted rows says of their order.
  const std::vector<files::written_order>& written() const { return written_; }
  /// The keys go, when the order of the rows is known.
  void forget_keys() { keys_.reset(); }

 private:
  files::columnar_table table_;
  std::vector<files::columnar_key> by_;
  std::vector<files::written_order> written_;
  unsigned threads_;
  files::record_order order_;
  mutable std::optional<files::normalized_keys> keys_;
};

/// Merges such files, which are held in memory. \return the rows written \throws io_failure naming file and row where
/// one is not in order
std::uint64_t merge_columnar(const merge_job& job, file_format format);

/// All rows of such a file, in whatever order: two files of equal columns hold the same rows where the sums are equal.
/// Numbers and texts count by their values. \throws io_failure where a column has no order, so that it cannot be
/// compared
struct columnar_sum {
  std::string name;
  std::vector<files::columnar_column> columns;
  files::multiset_sum rows;
};
columnar_sum sum_of_columnar(files::columnar_input input, unsigned threads);

/// What such a file holds, and by what it is in order.
files::file_preview preview_of_columnar(files::columnar_input input, unsigned threads);

} // namespace sortile::cli
