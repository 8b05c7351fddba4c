// sortile check on arrays: in order as a whole, or along an axis.
#include "check_parts.hpp"
#include "key_lines.hpp"

#include "files/array_axis.hpp"
#include "files/failure.hpp"
#include "files/fixed_records.hpp"
#include "files/memory.hpp"
#include "files/parallel.hpp"
#include "files/strided_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/ranges.h>

namespace sortile::cli {

namespace {

// An array: where its records begin and how they are ordered.
class checked_array {
 public:
  checked_array(const check_job& job, const std::string& path, std::unique_ptr<files::input_stream> stream,
                file_format format)
      : begin_(format == file_format::npy ? stream->peek_npy_header() : ""), name_(stream->name()),
        as_records_(is_ordered_as_records(begin_, name_, format, job.arrays)),
        layout_(as_records_ ? layout_of_records(begin_, name_, format, job.arrays) : of_keys(job, path, format)),
        pieces_(job, std::move(stream), {.record_bytes = layout_.record_bytes}, layout_.header_bytes) {}

  const std::string& name() const { return name_; }
  const files::record_order& order() const { return layout_.order; }
  /// Of keys of the library.
  const std::optional<files::array_layout>& keys() const { return keys_; }
  bool is_like(const checked_array& other) const {
    const auto descr = [](const checked_array& each) { return each.layout_.npy ? each.layout_.npy->descr : ""; };
    return keys_ || other.keys_ ? keys_ == other.keys_
                                : descr(*this) == descr(other) && layout_.record_bytes == other.layout_.record_bytes;
  }
  std::uint64_t offset_of(std::uint64_t record) const { return layout_.header_bytes + record * layout_.record_bytes; }

  files::check_result check(const talk& voice) { return whole(pieces_.check(order(), voice)); }
  files::check_result sum() { return whole(pieces_.sum()); }

 private:
  record_layout of_keys(const check_job& job, const std::string& path, file_format format) {
    record_layout layout;
    if (format == file_format::npy)
      layout.npy = files::parse_npy_header(begin_, name_);
    keys_ = layout.npy ? files::layout_of(*layout.npy, field_of_npy(job.arrays), name_)
                       : files::layout_of(type_of_raw_keys(path, job.arrays));
    layout.header_bytes = layout.npy ? layout.npy->data_offset : 0;
    layout.record_bytes = keys_->record_bytes;
    layout.order = files::order_of_keys(*keys_, job.arrays.for_library());
    return layout;
  }

  files::check_result whole(files::check_result result) const {
    if (layout_.npy)
      files::need_whole_array(*layout_.npy, result.bytes, name_);
    else if (keys_)
      files::need_whole_keys(keys_->key, result.bytes, name_);
    else
      files::need_whole_records(name_, layout_.header_bytes, result.bytes, layout_.record_bytes);
    return result;
  }

  std::string begin_; // the header of a .npy file
  std::string name_;
  bool as_records_;
  std::optional<files::array_layout> keys_;
  record_layout layout_;
  pieces pieces_;
};

std::string key_text(const files::array_layout& layout, std::string_view record) {
  files::raw_array<char> key(layout.key_size());
  files::take_keys(layout, record.data(), 0, 1, key.data());
  std::string line;
  append_lines(layout.key, key.data(), 1, line);
  line.pop_back();
  return line;
}

// An array whose lines along an axis are to be in order, each by itself. It is in memory; of the records that are
// looked at, which say the number of their line too, there is a piece at a time.
class array_of_lines {
 public:
  array_of_lines(const check_job& job, files::input source)
      : source_(std::move(source)), header_(files::parse_npy(source_.bytes(), source_.name(), files::npy_axes::any)),
        shape_(files::shape_along(header_, job.along.chosen(), source_.name())),
        elements_(as_records(job, elements_along(header_, source_.name(), job.arrays))),
        records_(files::numbered(elements_)), threads_(files::thread_count(job.arrays.threads)) {}

  const std::string& name() const { return source_.name(); }
  const files::npy_header& header() const { return header_; }
  const files::record_order& order() const { return records_.order; }
  std::vector<std::size_t> index_of(std::size_t record) const {
    return files::index_of_element(header_, shape_, record);
  }

  files::check_result check(const files::check_rules& rules) const {
    const std::size_t at_once = files::check_memory / 8 / records_.bytes + 1; // two pieces and their starts fit
    files::raw_array<char> records;
    std::size_t begin = 0;
    const auto next = [&] {
      const std::size_t end = std::min(begin + at_once, shape_.elements());
      records =
          files::number_lines(elements_, shape_, source_.bytes().substr(header_.data_offset), begin, end, threads_);
      begin = end;
      return files::split_evenly({records.data(), records.size()}, records_.bytes, threads_);
    };
    return files::check_records(next, rules, threads_);
  }

 private:
  static files::record_elements as_records(const check_job& job, array_elements elements) {
    if (auto* records = std::get_if<files::record_elements>(&elements))
      return std::move(*records);
    const auto& keys = std::get<files::array_layout>(elements);
    return {keys.record_bytes, files::order_of_keys(keys, job.arrays.for_library())};
  }

  files::input source_;
  files::npy_header header_;
  files::axis_shape shape_;
  files::record_elements elements_;
  files::record_elements records_; // the elements behind the numbers of their lines
  unsigned threads_;
};

} // namespace

int check_array(const check_job& job, const std::string& path, std::unique_ptr<files::input_stream> stream,
                file_format format, const talk& voice) {
  if (const std::string option = job.text.named_for_arrays(); option != "-u")
    refuse_text_options(job.text);
  checked_array array(job, path, std::move(stream), format);
  const files::check_result found = array.check(voice);
  if (tells(job, voice))
    tell(job, array.name(), found.facts);
  if (found.disorder && array.keys() && !job.text.unique)
    return report(job, voice,
                  fmt::format("{}: key {} is out of order: {} follows {}", array.name(), found.disorder->record,
                              key_text(*array.keys(), found.disorder->text),
                              key_text(*array.keys(), found.disorder->before)));
  if (found.disorder)
    return report(job, voice,
                  fmt::format("{}: record {} (offset {}) is out of order: its key is {} that of the record before",
                              array.name(), found.disorder->record, array.offset_of(found.disorder->record),
                              how_it_relates(array.order(), found.disorder->before, found.disorder->text)));
  voice.say(2, "{}: {} {} in order", array.name(), found.records,
            array.keys() ? fmt::format("{} keys", name(array.keys()->key)) : "records");
  if (job.permutation_of.empty())
    return all_well;
  checked_array other(job, job.permutation_of, open_stream(job, job.permutation_of), format);
  if (!array.is_like(other))
    return report_other_type(job, voice, array.name(), other.name());
  return check_permutation(job, voice, array.name(), found.sum, other.sum().sum);
}

int check_along(const check_job& job, std::unique_ptr<files::input_stream> stream, file_format format,
                const talk& voice) {
  if (format != file_format::npy)
    refuse_axis(job.along);
  if (const std::string option = job.text.named_for_arrays(); option != "-u")
    refuse_text_options(job.text);
  const array_of_lines array(job, files::input(std::move(*stream)));
  const files::check_result found = array.check({.order = array.order(),
                                                 .strict = job.text.unique,
                                                 .summary = tells(job, voice),
                                                 .sum = !job.permutation_of.empty()});
  if (tells(job, voice))
    tell(job, array.name(), found.facts);
  const long axis = job.along.chosen();
  if (found.disorder)
    return report(
        job, voice,
        fmt::format("{}: element [{}] is out of order along axis {}: its key is {} that of the element before",
                    array.name(), fmt::join(array.index_of(found.disorder->record), ", "), axis,
                    how_it_relates(array.order(), found.disorder->before, found.disorder->text)));
  voice.say(2, "{}: {} elements in order along axis {}", array.name(), found.records, axis);
  if (job.permutation_of.empty())
    return all_well;
  const array_of_lines other(job, files::input(std::move(*open_stream(job, job.permutation_of))));
  if (other.header().descr != array.header().descr)
    return report_other_type(job, voice, array.name(), other.name());
  if (other.header().shape != array.header().shape)
    return report(job, voice, fmt::format("{}: its shape is another than that of {}", array.name(), other.name()));
  return check_permutation(job, voice, array.name(), found.sum, other.check({.order = {}, .sum = true}).sum);
}

} // namespace sortile::cli
