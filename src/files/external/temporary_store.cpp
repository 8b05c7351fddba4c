// See temporary_store.hpp.
#include "files/external/temporary_store.hpp"

#include "files/external/child_program.hpp"
#include "files/failure.hpp"
#include "files/temporary_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sortile::files {

namespace {

constexpr std::size_t copied_at_once = std::size_t{1} << 18;
constexpr std::uint64_t release_unit = std::uint64_t{1} << 16; // a multiple of every file system's block

// File systems that know no files without names get one whose name goes at once; no signal comes in between.
file_descriptor nameless_file(const std::string& folder) {
  file_descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file && errno != EACCES && errno != ENOSPC && errno != EMFILE && errno != ENFILE) {
    const signal_hold until_unlinked;
    std::string path = (std::filesystem::path(folder) / "sortile-XXXXXX").string();
    file = file_descriptor(::mkostemp(path.data(), O_CLOEXEC));
    if (file)
      ::unlink(path.c_str());
  }
  if (!file)
    throw temporary_file_failure(folder, errno);
  return file;
}

std::string name_of_file_in(const std::string& folder) {
  return fmt::format("a temporary file in {}", folder);
}

struct pipe_ends {
  explicit pipe_ends(const std::string& name) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      fail_system(name, "make a pipe");
    from = file_descriptor(ends[0]);
    to = file_descriptor(ends[1]);
  }
  file_descriptor from;
  file_descriptor to;
};

// A temporary file as it is read, straight or through a program. The program shares the file's position with us, which
// tells how far it has come.
class temporary_bytes final : public byte_source {
 public:
  /// \param bytes  that were written  \param on_disk  that the file has
  temporary_bytes(std::string name, file_descriptor file, std::uint64_t bytes, std::uint64_t on_disk,
                  const std::string& program)
      : byte_source(std::move(name)), file_(std::move(file)), bytes_(bytes) {
    if (::lseek(file_.get(), 0, SEEK_SET) != 0)
      fail_system(this->name(), "read");
    ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL); // only advice
    released_at_once_ = std::max(4 * release_unit, on_disk / 64);
    if (program.empty())
      return;
    pipe_ends pipe(this->name());
    program_.emplace(program, std::vector<std::string>{"-d"}, file_.get(), pipe.to.get());
    unpacked_ = std::move(pipe.from);
  }
  ~temporary_bytes() override { unpacked_ = file_descriptor(); }

  std::size_t read(char* to, std::size_t room) override {
    const std::size_t got = read_fully(unpacked_ ? unpacked_.get() : file_.get(), to, room, name());
    if (got == 0 && program_)
      program_->finish();
    came_ += got;
    if (got == 0 ? came_ != bytes_ : came_ > bytes_)
      fail_changed();
    release();
    return got;
  }

 private:
  // A program that loses bytes, or adds some, may think that all is well.
  [[noreturn]] void fail_changed() const {
    const char* more = came_ > bytes_ ? " or more" : "";
    if (program_)
      fail(program_->name(), "the program has made {}{} bytes of the {} that it was given", came_, more, bytes_);
    fail(name(), "{}{} bytes came of the {} that were written", came_, more, bytes_);
  }

  // Only a courtesy to the disk: where it fails, the room is given back with the file.
  void release() {
    const off_t position = ::lseek(file_.get(), 0, SEEK_CUR);
    const std::uint64_t read = position < 0 ? 0 : static_cast<std::uint64_t>(position);
    if (read < released_ + released_at_once_)
      return;
    const std::uint64_t end = read / release_unit * release_unit;
    ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(released_),
                static_cast<off_t>(end - released_));
    released_ = end;
  }

  file_descriptor file_;
  std::optional<child_program> program_;
  file_descriptor unpacked_;
  std::uint64_t bytes_;
  std::uint64_t came_ = 0;
  std::uint64_t released_ = 0;
  std::uint64_t released_at_once_ = 0;
};

} // namespace

temporary_store::temporary_store(std::vector<std::string> folders, std::string program)
    : folders_(std::move(folders)), program_(std::move(program)) {}

const std::vector<std::string>& temporary_store::folders() {
  if (folders_.empty()) {
    const char* named = std::getenv("TMPDIR");
    folders_.emplace_back(named != nullptr && *named != '\0' ? named : "/tmp");
  }
  return folders_;
}

const std::string& temporary_store::next_folder() {
  return folders()[next_++ % folders().size()];
}

temporary_file::temporary_file(temporary_store& store, const std::function<void(output&)>& write)
    : program_(store.program_) {
  const std::string& folder = store.next_folder();
  name_ = name_of_file_in(folder);
  file_ = nameless_file(folder);
  if (program_.empty()) {
    output to(name_, std::move(file_), true);
    write(to);
    bytes_ = to.written();
    file_ = to.release();
  } else {
    write_through(program_, write);
  }
  struct stat status {};
  if (::fstat(file_.get(), &status) == 0)
    bytes_on_disk_ = static_cast<std::uint64_t>(status.st_size);
}

void temporary_file::write_through(const std::string& program, const std::function<void(output&)>& write) {
  const no_broken_pipe_signal here;
  pipe_ends pipe(name_);
  child_program compressor(program, {}, pipe.from.get(), file_.get());
  pipe.from = file_descriptor();
  try {
    output to(name_, std::move(pipe.to), false);
    write(to);
    bytes_ = to.written();
    to.commit();
  } catch (const io_failure&) {
    pipe.to = file_descriptor();
    compressor.finish(); // where it failed, that is what is to be told
    throw;
  }
  compressor.finish();
}

std::unique_ptr<byte_source> temporary_file::read() && {
  return std::make_unique<temporary_bytes>(name_, std::move(file_), bytes_, bytes_on_disk_, program_);
}

namespace {

void write_all(byte_source& from, output& to) {
  std::string part(copied_at_once, '\0');
  while (const std::size_t came = from.read(part.data(), part.size()))
    to.write({part.data(), came});
}

} // namespace

void temporary_file::write_to(output& to) && {
  write_all(*std::move(*this).read(), to);
}

void temporary_text::append(std::string_view bytes) {
  if (!out_) {
    const std::string& folder = store_.next_folder();
    name_ = name_of_file_in(folder);
    out_ = std::make_unique<output>(name_, nameless_file(folder), true);
  }
  out_->write(bytes);
}

void temporary_text::write_to(output& to) && {
  if (!out_)
    return;
  const std::uint64_t size = out_->written();
  temporary_bytes bytes(name_, out_->release(), size, 0, {});
  write_all(bytes, to);
}

} // namespace sortile::files
