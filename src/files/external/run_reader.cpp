// See run_reader.hpp. What a piece needs depends on how many records its text holds. So the text is read in chunks, and
// every few kilobytes a mark says how many records end there; the piece ends at the last mark that fits. What was read
// beyond it begins the next piece.
#include "files/external/run_reader.hpp"

#include "files/failure.hpp"
#include "files/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

namespace sortile::files {

namespace {

constexpr std::size_t mark_bytes = std::size_t{1} << 15;
constexpr std::size_t smallest_chunk = std::size_t{1} << 16;
constexpr std::size_t largest_chunk = std::size_t{1} << 26;

// Bytes that regular files promise; 0 where one is none, or is packed.
std::uint64_t expected_bytes(byte_source& first, const std::vector<std::string>& further) {
  std::uint64_t sum = first.expected();
  for (const std::string& path : further) {
    std::error_code unknown;
    const std::uint64_t size =
        std::filesystem::is_regular_file(path, unknown) ? std::filesystem::file_size(path, unknown) : 0;
    sum = sum == 0 || size == 0 || unknown ? 0 : sum + size;
  }
  return sum;
}

} // namespace

run_reader::run_reader(std::unique_ptr<byte_source> first, std::vector<std::string> further, const record_shape& shape,
                       run_limit limit, unsigned threads, bool as_it_is)
    : stream_(std::move(first)), further_(std::move(further)), shape_(shape), limit_(std::move(limit)),
      threads_(threads), as_it_is_(as_it_is), first_name_(stream_->name()),
      bytes_expected_(expected_bytes(*stream_, further_)) {}

std::string run_reader::name() const {
  return further_.empty() ? first_name_ : fmt::format("{} files", further_.size() + 1);
}

// A single input that fits into memory need not be copied there.
void run_reader::take_pages() {
  if (std::exchange(begun_, true) || !further_.empty() || bytes_expected_ > limit_.memory)
    return;
  if (leased_pages pages = stream_->pages()) {
    buffer_ = byte_buffer(std::move(pages));
    unread_ = buffer_.size();
  }
}

std::string_view run_reader::skip_header(std::size_t size) {
  take_pages();
  if (size <= unread_)
    unread_ -= size;
  buffer_.reserve(size, first_name_);
  while (buffer_.size() < size) {
    const std::size_t got = stream_->read(buffer_.end(), size - buffer_.size());
    if (got == 0)
      fail(first_name_, "became shorter while it was read");
    buffer_.grow(got);
  }
  bytes_read_ += size;
  front_ = size;
  return buffer_.bytes().substr(0, size);
}

std::size_t run_reader::chunk() const {
  return std::clamp(limit_.memory / 16, smallest_chunk, largest_chunk);
}

void run_reader::drop_handed_out() {
  if (cut_ == 0)
    return;
  if (buffer_.holds_pages()) {
    front_ += cut_;
  } else {
    const std::string_view rest = text().substr(cut_);
    std::memmove(buffer_.end() - buffer_.size(), rest.data(), rest.size());
    buffer_.shrink(rest.size());
    front_ = 0;
  }
  const auto next_begin =
      std::partition_point(begins_.begin(), begins_.end(), [&](const input_begin& each) { return each.at <= cut_; });
  begins_.erase(begins_.begin(), next_begin - 1);
  for (input_begin& each : begins_)
    each.at -= std::min(each.at, cut_);
  cut_ = 0;
  marks_.clear();
  in_quotes_ = false; // a record has ended there
}

// Behind the last byte of an input: its last record ends, and the next input's turn comes. (Where nothing is left in
// the buffer, all was handed out up to a delimiter.)
void run_reader::end_input() {
  const bool is_open = input_has_bytes_ && !text().empty() && text().back() != shape_.delimiter;
  if (shape_.record_bytes == 0 && is_open) {
    std::string end(1, shape_.delimiter);
    if (!text().ends_with(line_end_))
      end.insert(0, line_end_);
    buffer_.reserve(buffer_.size() + end.size(), name());
    std::copy(end.begin(), end.end(), buffer_.end());
    buffer_.grow(end.size());
  }
  input_has_bytes_ = false;
  at_end_ = next_input_ == further_.size();
  stream_ = nullptr;
  if (at_end_)
    return;
  auto next = std::make_unique<input_stream>(further_[next_input_++], as_it_is_, threads_);
  if (begin_further_)
    begin_further_(*next, next_input_);
  stream_ = std::move(next);
  begins_.push_back({next_input_, text().size()});
}

std::vector<input_begin> run_reader::inputs() const {
  std::vector<input_begin> inputs;
  for (const input_begin& each : begins_)
    if (inputs.empty() || each.at < cut_)
      inputs.push_back(each);
  return inputs;
}

void run_reader::read_more() {
  const std::size_t wanted = chunk();
  std::size_t done = 0;
  while (done < wanted && !at_end_) {
    if (unread_ == 0 && buffer_.room() == 0) {
      const std::uint64_t promised = std::min<std::uint64_t>(stream_->promised() + 1, limit_.memory);
      buffer_.reserve(std::max(buffer_.size() + wanted, static_cast<std::size_t>(promised)), name());
    }
    std::size_t got = std::min(unread_, wanted - done);
    unread_ -= got;
    if (got == 0) {
      got = stream_->read(buffer_.end(), std::min(buffer_.room(), wanted - done));
      buffer_.grow(got);
    }
    done += got;
    bytes_read_ += got;
    input_has_bytes_ |= got != 0;
    if (got == 0)
      end_input();
  }
}

void run_reader::count(std::size_t from) {
  if (shape_.record_bytes == 0)
    return count_delimited(from);
  const std::size_t unit = std::max<std::size_t>(1, mark_bytes / shape_.record_bytes) * shape_.record_bytes;
  const std::size_t whole = text().size() / shape_.record_bytes * shape_.record_bytes;
  std::size_t at = marks_.empty() ? 0 : marks_.back().bytes;
  while (at < whole) {
    at = std::min(whole, at + unit);
    marks_.push_back({at, at / shape_.record_bytes});
  }
}

void run_reader::count_delimited(std::size_t from) {
  const std::string_view text = this->text();
  const std::size_t pieces = (text.size() - from + mark_bytes - 1) / mark_bytes;
  std::vector<piece_marks> found(pieces);
  parallel_for(text.size() - from < largest_chunk / 16 ? 1 : threads_, pieces, [&](std::size_t i) {
    const std::size_t begin = from + i * mark_bytes;
    found[i] = marks_of(text.substr(begin, mark_bytes), begin);
  });
  std::size_t records = marks_.empty() ? 0 : marks_.back().records;
  for (const piece_marks& each : found) {
    const record_mark& here = each.outside_quotes[in_quotes_ ? 1 : 0];
    if (here.records != 0)
      marks_.push_back({here.bytes, records += here.records});
    in_quotes_ ^= each.quotes_are_odd;
  }
}

// The records of a piece of text and the end of its last, for a piece that begins outside quotes, and within.
run_reader::piece_marks run_reader::marks_of(std::string_view piece, std::size_t begin) const {
  piece_marks found;
  if (!shape_.csv || !shape_.csv->quotes) {
    found.outside_quotes[0] = {begin + piece.rfind(shape_.delimiter) + 1, count_bytes(piece, shape_.delimiter)};
    return found;
  }
  for (std::size_t i = 0; i < piece.size(); ++i) {
    found.quotes_are_odd ^= piece[i] == '"';
    if (piece[i] == shape_.delimiter) {
      record_mark& at = found.outside_quotes[found.quotes_are_odd ? 1 : 0];
      at = {begin + i + 1, at.records + 1};
    }
  }
  return found;
}

std::size_t run_reader::memory_at(const record_mark& at) const {
  return at.bytes + limit_.working_memory(at.records);
}

// Whether the records whose ends are known are as many as fit. Without any, more is read in any case.
bool run_reader::is_full() const {
  return !marks_.empty() && text().size() + limit_.working_memory(marks_.back().records) > limit_.memory;
}

std::string_view run_reader::next() {
  take_pages();
  drop_handed_out();
  count(0);
  while (!is_full() && !at_end_) {
    const std::size_t before = text().size();
    read_more();
    count(before);
  }
  cut_ = text().size();
  records_ = marks_.empty() ? 0 : marks_.back().records;
  if (is_full()) {
    const auto too_large = std::partition_point(marks_.begin(), marks_.end(),
                                                [&](const record_mark& at) { return memory_at(at) <= limit_.memory; });
    const record_mark& last = too_large == marks_.begin() ? *too_large : *(too_large - 1);
    cut_ = last.bytes;
    records_ = last.records;
  }
  return text().substr(0, cut_);
}

input run_reader::take_whole() {
  return input::of_buffer(name(), std::move(buffer_));
}

} // namespace sortile::files
