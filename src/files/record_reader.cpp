// See record_reader.hpp.
#include "files/record_reader.hpp"

#include "files/failure.hpp"
#include "files/input.hpp"

#include <algorithm>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

namespace sortile::files {

namespace {

constexpr std::size_t first_capacity = std::size_t{1} << 18;

} // namespace

record_reader::record_reader(const std::string& path, char delimiter, std::optional<csv_dialect> csv,
                             const output* into, bool as_it_is)
    : name_(display_name(path)), file_(open_input(path)), delimiter_(delimiter), csv_(csv), buffer_(first_capacity),
      as_it_is_(as_it_is) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0)
    fail_system(name_, "examine");
  if (S_ISDIR(status.st_mode))
    fail(name_, "is a directory (a file, a pipe or - is needed)");
  const off_t position = S_ISREG(status.st_mode) ? ::lseek(file_.get(), 0, SEEK_CUR) : -1;
  if (position >= 0 && position < status.st_size)
    promised_ = static_cast<std::uint64_t>(status.st_size - position);
  if (into != nullptr && S_ISREG(status.st_mode) && into->writes_into({status.st_dev, status.st_ino}))
    read_all();
}

void record_reader::read_all() {
  while (!at_end_)
    refill();
}

// Of a file that was cut meanwhile, records are missing.
void record_reader::need_whole_file() const {
  if (came_ < promised_)
    fail(name_, "became shorter while it was read: {} of {} bytes came", came_, promised_);
}

std::string_view record_reader::first_bytes(std::size_t size) {
  while (end_ - begin_ < size && refill()) {
  }
  return {buffer_.data() + begin_, std::min(size, end_ - begin_)};
}

std::size_t record_reader::find_end(bool& in_quotes) const {
  const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
  return csv_ && csv_->quotes ? end_of_csv_record(rest, 0, *csv_, in_quotes) : rest.find(delimiter_);
}

std::size_t record_reader::read_more(char* to, std::size_t room) {
  if (unpacker_)
    return unpack_more(to, room);
  const std::size_t got = read_fully(file_.get(), to, room, name_);
  came_ += got;
  return got;
}

// At least one byte, unless all is unpacked.
std::size_t record_reader::unpack_more(char* to, std::size_t room) {
  for (;;) {
    if (packed_begin_ == packed_end_) {
      packed_begin_ = 0;
      packed_end_ = read_fully(file_.get(), packed_.data(), packed_.size(), name_);
      came_ += packed_end_;
    }
    const unpacker::step step = unpacker_->run({packed_.data() + packed_begin_, packed_end_ - packed_begin_}, to, room);
    packed_begin_ += step.taken;
    if (step.put != 0)
      return step.put;
    if (packed_end_ == 0) {
      unpacker_->finish();
      return 0;
    }
  }
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
  const bool is_first = came_ == 0;
  std::size_t got = read_more(buffer_.data() + end_, buffer_.size() - end_);
  const packing how = is_first && !as_it_is_ ? packing_of({buffer_.data(), got}) : packing::none;
  if (how != packing::none) {
    unpacker_.emplace(how, name_);
    packed_ = buffer_;
    packed_end_ = got;
    got = read_more(buffer_.data(), buffer_.size());
  }
  end_ += got;
  at_end_ = got == 0;
  if (at_end_)
    need_whole_file();
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
  line_ = next_line_;
  if (in_quotes)
    fail(name_, "line {}: a quoted cell is never closed", line_);
  record_ = {buffer_.data() + begin_, ended ? length : end_ - begin_};
  next_line_ += 1 + (csv_ ? static_cast<std::uint64_t>(std::count(record_.begin(), record_.end(), '\n')) : 0);
  begin_ += record_.size() + (ended ? 1 : 0);
  return true;
}

} // namespace sortile::files
