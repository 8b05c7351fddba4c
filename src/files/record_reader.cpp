// See record_reader.hpp.
#include "files/record_reader.hpp"

#include "files/failure.hpp"
#include "files/input.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::files {

namespace {

constexpr std::size_t first_capacity = std::size_t{1} << 18;

} // namespace

record_reader::record_reader(const std::string& path, char delimiter, std::optional<csv_dialect> csv)
    : name_(display_name(path)), file_(open_input(path)), delimiter_(delimiter), csv_(csv), buffer_(first_capacity) {}

std::size_t record_reader::find_end(std::size_t from, bool& in_quotes) const {
  if (csv_ && csv_->quotes) {
    const std::size_t found = end_of_csv_record({buffer_.data(), end_}, from, *csv_, in_quotes);
    return found == std::string_view::npos ? end_ : found;
  }
  const void* found = from == end_ ? nullptr : std::memchr(buffer_.data() + from, delimiter_, end_ - from);
  return found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) : end_;
}

// More bytes behind the unfinished record, which moves to the front; a record as large as the buffer doubles it.
bool record_reader::refill() {
  if (at_end_)
    return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size())
    buffer_.resize(2 * buffer_.size());
  const std::size_t got = read_fully(file_.get(), buffer_.data() + end_, buffer_.size() - end_, name_);
  end_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

bool record_reader::next() {
  bool in_quotes = false;
  std::size_t end = find_end(begin_, in_quotes);
  while (end == end_ && refill())
    end = find_end(begin_, in_quotes);
  if (end == end_ && begin_ == end_)
    return false;
  line_ = next_line_;
  if (in_quotes)
    fail(name_, "line {}: a quoted cell is never closed", line_);
  record_ = {buffer_.data() + begin_, end - begin_};
  next_line_ += 1 + (csv_ ? static_cast<std::uint64_t>(std::count(record_.begin(), record_.end(), '\n')) : 0);
  begin_ = end == end_ ? end_ : end + 1;
  return true;
}

} // namespace sortile::files
