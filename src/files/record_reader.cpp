// See record_reader.hpp.
#include "files/record_reader.hpp"

#include "files/failure.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::files {

namespace {

constexpr std::size_t first_buffer_bytes = std::size_t{1} << 12;

} // namespace

record_reader::record_reader(const std::string& path, char delimiter, std::optional<csv_dialect> csv,
                             const output* into, bool as_it_is, std::size_t buffer_bytes)
    : shape_{.delimiter = delimiter, .csv = csv}, most_at_once_(buffer_bytes),
      buffer_(std::clamp<std::size_t>(buffer_bytes, 1, first_buffer_bytes)) {
  auto stream = std::make_unique<input_stream>(path, as_it_is);
  const bool is_target = into != nullptr && stream->is_written_by(*into);
  source_ = std::move(stream);
  while (is_target && refill()) {
  }
}

record_reader::record_reader(std::unique_ptr<byte_source> source, const record_shape& shape, std::size_t buffer_bytes)
    : source_(std::move(source)), shape_(shape), most_at_once_(buffer_bytes),
      buffer_(std::clamp<std::size_t>(buffer_bytes, 1, first_buffer_bytes)) {}

std::string_view record_reader::first_bytes(std::size_t size) {
  while (end_ - begin_ < size && refill()) {
  }
  return {buffer_.data() + begin_, std::min(size, end_ - begin_)};
}

std::size_t record_reader::find_end(bool& in_quotes) const {
  const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
  if (shape_.record_bytes != 0)
    return rest.size() < shape_.record_bytes ? std::string_view::npos : shape_.record_bytes;
  return shape_.csv && shape_.csv->quotes ? end_of_csv_record(rest, 0, *shape_.csv, in_quotes)
                                          : rest.find(shape_.delimiter);
}

// More bytes behind the unfinished record, which moves to the front. The buffer doubles where that record is as large
// as it, and up to most_at_once_ where the last read has filled it: then there is probably much more to come.
bool record_reader::refill() {
  if (at_end_)
    return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size())
    buffer_.resize(2 * buffer_.size());
  else if (was_filled_ && buffer_.size() < most_at_once_)
    buffer_.resize(std::min(2 * buffer_.size(), most_at_once_));
  const std::size_t got = source_->read(buffer_.data() + end_, buffer_.size() - end_);
  was_filled_ = end_ + got == buffer_.size();
  end_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

bool record_reader::next() {
  bool in_quotes = false;
  std::size_t length = find_end(in_quotes);
  while (length == std::string_view::npos && refill())
    length = find_end(in_quotes);
  const bool ended = length != std::string_view::npos;
  if (!ended && begin_ == end_)
    return false;
  was_ended_ = ended;
  line_ = next_line_;
  if (in_quotes)
    fail(name(), "line {}: a quoted cell is never closed", line_);
  if (!ended && shape_.record_bytes != 0)
    fail(name(), "ends within record {}", line_);
  record_ = {buffer_.data() + begin_, ended ? length : end_ - begin_};
  next_line_ += 1 + (shape_.csv ? static_cast<std::uint64_t>(std::count(record_.begin(), record_.end(), '\n')) : 0);
  begin_ += record_.size() + (ended && delimited() ? 1 : 0);
  return true;
}

} // namespace sortile::files
