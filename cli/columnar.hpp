// Parquet and Arrow files in the commands: which rows come first, and how such files are sorted and told of.
#pragma once

#include "file_format.hpp"
#include "talk.hpp"
#include "text_options.hpp"

#include "files/columnar/columnar_keys.hpp"
#include "files/columnar/columnar_table.hpp"
#include "files/file_preview.hpp"
#include "files/input_stream.hpp"

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
  /// \throws invalid_argument where options do not fit the columns; io_failure as files::columnar_table
  columnar_rows(std::vector<files::columnar_input> inputs, const text_options& text, bool reverse, unsigned threads);

  files::columnar_table& table() { return table_; }
  const std::string& name() const { return table_.name(); }
  const files::record_table& records() const { return keys_.records; }
  const files::record_order& order() const { return order_; }
  /// What a file of the sorted rows says of their order.
  const std::vector<files::written_order>& written() const { return written_; }
  /// The keys go, when the order of the rows is known.
  void forget_keys() { keys_ = {}; }

 private:
  files::columnar_table table_;
  std::vector<files::columnar_key> by_;
  std::vector<files::written_order> written_;
  files::normalized_keys keys_;
  files::record_order order_;
};

/// What such a file holds, and by what it is in order.
files::file_preview preview_of_columnar(files::columnar_input input, unsigned threads);

} // namespace sortile::cli
