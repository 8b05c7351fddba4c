// See input_stream.hpp. What is read first goes through `ahead_`, so that its first bytes can tell whether it is
// packed; of a plain input, all further bytes go straight to the caller.
#include "files/input_stream.hpp"

#include "files/failure.hpp"
#include "files/npy.hpp"
#include "files/parallel.hpp"

#include <algorithm>
#include <atomic>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sortile::files {

namespace {

constexpr std::size_t read_slice_bytes = std::size_t{1} << 22;
constexpr std::size_t ahead_bytes = std::size_t{1} << 17;
constexpr std::size_t beginning_bytes = std::size_t{1} << 12; // enough to tell how an input is packed

} // namespace

std::string display_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

file_descriptor open_input(const std::string& path) {
  const int fd = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    fail_system(display_name(path), "open for reading");
  return file_descriptor(fd);
}

input_stream::input_stream(const std::string& path, bool as_it_is, unsigned threads)
    : byte_source(display_name(path)), file_(open_input(path)), as_it_is_(as_it_is), threads_(threads) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0)
    fail_system(name(), "examine");
  if (S_ISDIR(status.st_mode))
    fail(name(), "is a directory (a file, a pipe or - is needed)");
  // Files of /proc say that they are empty, and are not.
  const off_t position = S_ISREG(status.st_mode) && status.st_size > 0 ? ::lseek(file_.get(), 0, SEEK_CUR) : -1;
  if (position >= 0 && position < status.st_size)
    promised_ = static_cast<std::uint64_t>(status.st_size - position);
}

bool input_stream::is_written_by(const output& to) const {
  struct stat status {};
  return ::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         to.writes_into({status.st_dev, status.st_ino});
}

// Of a file that was cut meanwhile, records are missing.
void input_stream::need_whole_file() const {
  if (came_ < promised_)
    fail(name(), "became shorter while it was read: {} of {} bytes came", came_, promised_);
}

std::size_t input_stream::read_plain(char* to, std::size_t room) {
  const bool is_large = came_ < promised_ && std::min<std::uint64_t>(promised_ - came_, room) > 2 * read_slice_bytes;
  const std::size_t got = is_large && threads_ > 1 ? read_known(to, room) : read_fully(file_.get(), to, room, name());
  came_ += got;
  if (got == 0)
    need_whole_file();
  return got;
}

// As much of what the file promised as there is room for, on several threads.
std::size_t input_stream::read_known(char* to, std::size_t room) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(promised_ - came_, room));
  const off_t position = ::lseek(file_.get(), 0, SEEK_CUR);
  if (position < 0)
    fail_system(name(), "read");
  std::atomic<std::size_t> came{0};
  parallel_for(threads_, (size + read_slice_bytes - 1) / read_slice_bytes, [&](std::size_t slice) {
    const std::size_t from = slice * read_slice_bytes;
    came += read_fully_at(file_.get(), to + from, std::min(read_slice_bytes, size - from),
                          static_cast<std::uint64_t>(position) + from, name());
  });
  if (came != size) {
    came_ += came;
    need_whole_file();
  }
  if (::lseek(file_.get(), position + static_cast<off_t>(size), SEEK_SET) < 0)
    fail_system(name(), "read");
  return size;
}

// At least one byte, unless all is unpacked.
std::size_t input_stream::read_unpacked(char* to, std::size_t room) {
  for (;;) {
    if (taken_ == ahead_.size()) {
      ahead_.resize(ahead_bytes);
      taken_ = 0;
      ahead_.resize(read_plain(ahead_.data(), ahead_.size()));
    }
    const unpacker::step step = unpacker_->run(std::string_view(ahead_).substr(taken_), to, room);
    taken_ += step.taken;
    if (step.put != 0)
      return step.put;
    if (ahead_.empty()) {
      unpacker_->finish();
      return 0;
    }
  }
}

void input_stream::look_at_beginning() {
  begun_ = true;
  if (as_it_is_)
    return;
  ahead_.resize(beginning_bytes);
  ahead_.resize(read_plain(ahead_.data(), ahead_.size()));
  packed_how_ = packing_of(ahead_, name());
  if (packed_how_ != packing::none)
    unpacker_.emplace(packed_how_, name());
}

std::size_t input_stream::read(char* to, std::size_t room) {
  if (peeked_taken_ < peeked_.size()) {
    const std::size_t some = std::min(room, peeked_.size() - peeked_taken_);
    std::copy_n(peeked_.data() + peeked_taken_, some, to);
    peeked_taken_ += some;
    return some;
  }
  if (!begun_)
    look_at_beginning();
  if (unpacker_)
    return read_unpacked(to, room);
  if (taken_ == ahead_.size())
    return read_plain(to, room);
  const std::size_t some = std::min(room, ahead_.size() - taken_);
  std::copy_n(ahead_.data() + taken_, some, to);
  taken_ += some;
  return some;
}

leased_pages input_stream::pages() {
  if (!begun_)
    look_at_beginning();
  const off_t position = ::lseek(file_.get(), 0, SEEK_CUR);
  if (unpacker_ || promised_ == 0 || position < 0)
    return {};
  const std::uint64_t ahead = (ahead_.size() - taken_) + (peeked_.size() - peeked_taken_);
  const std::uint64_t end = static_cast<std::uint64_t>(position) + promised_ - came_;
  leased_pages all = leased_pages::of(file_.get(), static_cast<std::uint64_t>(position) - ahead, end, name(), threads_);
  if (!all)
    return all;
  if (::lseek(file_.get(), static_cast<off_t>(end), SEEK_SET) < 0)
    fail_system(name(), "read");
  came_ = promised_;
  taken_ = ahead_.size();
  peeked_taken_ = peeked_.size();
  return all;
}

std::string_view input_stream::peek(std::size_t size) {
  std::string more(std::min(size, ahead_bytes), '\0');
  while (peeked_.size() - peeked_taken_ < size) {
    std::string rest = std::exchange(peeked_, {}).substr(std::exchange(peeked_taken_, 0));
    const std::size_t got = read(more.data(), std::min(more.size(), size - rest.size()));
    peeked_ = rest.append(more, 0, got);
    if (got == 0)
      break;
  }
  return std::string_view(peeked_).substr(peeked_taken_, size);
}

std::string input_stream::take(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const std::size_t got = read(bytes.data() + done, size - done);
    if (got == 0)
      fail(name(), "became shorter while it was read");
    done += got;
  }
  return bytes;
}

std::uint64_t input_stream::expected() {
  peek(1);
  return packed() == packing::none ? promised() : 0;
}

std::string_view input_stream::peek_npy_header() {
  constexpr std::size_t longest = std::size_t{1} << 26;
  return peek(std::min(npy_header_size(peek(npy_frame_bytes)), longest));
}

} // namespace sortile::files
