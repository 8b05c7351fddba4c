// See output.hpp.
#include "files/output.hpp"

#include "files/failure.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sortile::files {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t gather_limit = std::size_t{1} << 18;

// The number in a name such as /dev/fd/N, of which `digits` is the last part.
std::optional<int> descriptor_number(std::string_view digits) {
  int fd = -1;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, fd);
  return error == std::errc{} && rest == end && fd >= 0 ? std::optional(fd) : std::nullopt;
}

// The descriptor behind "-", /dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N and whatever else leads there. It is
// duplicated: opening the name again would start at the beginning of a file that others may have written to, and
// renaming would cut it off from them.
std::optional<int> inherited_descriptor(const fs::path& path) {
  if (path == "-" || path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  const std::optional<int> fd = descriptor_number(path.filename().native());
  if (!fd)
    return std::nullopt;
  std::error_code error;
  const fs::path folder = fs::canonical(path.parent_path(), error); // /dev/fd and /proc/self are links
  if (error)
    return std::nullopt;
  const fs::path own = fmt::format("/proc/{}", ::getpid());
  if (folder == own / "fd" || folder.native().starts_with((own / "task/").native()))
    return fd;
  return std::nullopt;
}

// Where the symbolic links of a target lead, also where the last one leads to a file that does not exist yet; up to a
// name of one of our descriptors.
fs::path resolve(fs::path target, const std::string& name) {
  std::error_code error;
  for (int links = 0; !inherited_descriptor(target) && fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    if (links == 40)
      fail_system(name, "follow the symbolic link", ELOOP);
    const fs::path next = fs::read_symlink(target, error);
    if (error)
      fail_system(name, "follow the symbolic link", error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target;
}

std::optional<file_identity> identity_of(const struct stat& status) {
  return file_identity{status.st_dev, status.st_ino};
}

// File systems that know no fsync() say so; that is no failure of the file.
bool sync_failed(int fd) {
  return ::fsync(fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP && errno != EINTR;
}

} // namespace

std::optional<file_identity> identity_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? identity_of(status) : std::nullopt;
}

std::optional<file_identity> identity_of(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 ? identity_of(status) : std::nullopt;
}

output::output(const std::string& path, const output_options& options)
    : name_(path == "-" ? "standard output" : path), temporary_folder_(options.temporary_folder),
      synced_(options.synced) {
  try {
    open_target(path);
    if (options.pack != packing::none)
      packer_.emplace(options.pack, name_);
  } catch (...) {
    discard();
    throw;
  }
}

output::output(std::string name, file_descriptor file, bool has_positions)
    : name_(std::move(name)), file_(std::move(file)), positions_(has_positions) {}

void output::open_target(const std::string& path) {
  if (path.empty())
    fail("output", "the name is empty (a path, or - for standard output, is needed)");
  const fs::path target = resolve(path, name_);
  struct stat status {};
  if (const std::optional<int> fd = inherited_descriptor(target)) {
    file_ = file_descriptor(::fcntl(*fd, F_DUPFD_CLOEXEC, 0));
  } else if (::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode))
      fail(name_, "is a directory (a file name is needed)");
    file_ = file_descriptor(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
  } else {
    return open_temporary(target);
  }
  if (!file_)
    fail_system(name_, "open for writing");
}

// A name that nobody uses yet; one of a killed process of the same number may be left. False where the folder takes no
// new file, and errno says why.
bool output::create_temporary(const fs::path& folder) {
  static unsigned counter = 0;
  constexpr int attempts = 1000;
  const std::string base = target_.filename().string().substr(0, 200); // room for the rest within NAME_MAX
  int code = EEXIST;
  for (int i = 0; i < attempts && code == EEXIST; ++i) {
    const signal_hold until_listed;
    temporary_ = (folder / fmt::format(".{}.sortile-{}-{}", base, ::getpid(), counter++)).string();
    file_ = file_descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_) {
      entry_ = std::make_unique<temporary_entry>(temporary_);
      positions_ = true;
      return true;
    }
    code = errno;
  }
  temporary_.clear();
  errno = code;
  return false;
}

void output::open_temporary(const fs::path& target) {
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && ::access(target.c_str(), W_OK) != 0)
    fail_system(name_, "open for writing");
  target_ = target;
  if (!create_temporary(target_.parent_path())) {
    const int code = errno;
    const bool is_closed = code == EACCES || code == EPERM || code == EROFS;
    if (exists && is_closed)
      in_place_ = file_descriptor(::open(target_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!in_place_)
      fail_system(name_, "create a temporary file beside it", code);
    const fs::path folder = temporary_folder_.empty() ? fs::temp_directory_path() : fs::path(temporary_folder_);
    if (!create_temporary(folder))
      fail_system(name_, fmt::format("create a temporary file beside it or in {}", folder.string()));
    return;
  }
  if (!exists)
    return;
  // Another owner can be kept by the superuser only; the mode follows, because a change of owner clears parts of it.
  [[maybe_unused]] const int kept = ::fchown(file_.get(), status.st_uid, status.st_gid);
  if (::fchmod(file_.get(), status.st_mode & 07777) != 0)
    fail_system(name_, "keep the mode");
}

output::~output() {
  discard();
}

void output::discard() {
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
}

void output::flush() {
  if (gathered_.empty())
    return;
  if (packer_)
    write_packed(gathered_, false);
  else if (has_positions())
    write_fully_at(file_.get(), gathered_, claim(gathered_.size()), name_);
  else
    write_fully(file_.get(), gathered_, name_);
  gathered_.clear();
}

void output::write(std::string_view bytes) {
  written_ += bytes.size();
  if (gathered_.size() + bytes.size() > gather_limit)
    flush();
  if (bytes.size() < gather_limit) {
    gathered_ += bytes;
  } else if (packer_) {
    write_packed(bytes, false);
  } else if (has_positions()) {
    write_fully_at(file_.get(), bytes, claim(bytes.size()), name_);
  } else {
    write_fully(file_.get(), bytes, name_);
  }
}

void output::write_packed(std::string_view bytes, bool last) {
  std::string packed;
  packer_->put(bytes, packed);
  if (last)
    packer_->finish(packed);
  write_fully(file_.get(), packed, name_);
}

std::uint64_t output::claim(std::uint64_t size) {
  const std::uint64_t begin = position_;
  position_ += size;
  return begin;
}

std::uint64_t output::reserve(std::uint64_t size) {
  flush();
  written_ += size;
  return claim(size);
}

void output::write_at(std::uint64_t offset, std::string_view bytes) const {
  write_fully_at(file_.get(), bytes, offset, name_);
}

fs::path output::folder() const {
  return target_.has_parent_path() ? target_.parent_path() : fs::path(".");
}

// All bytes are written, and on the disk where that is asked for.
void output::finish() {
  flush();
  if (packer_)
    write_packed({}, true);
  if (!temporary_.empty() && synced_ && sync_failed(file_.get()))
    fail_system(name_, "write to the disk");
  file_.close(name_);
}

// What was renamed is on the disk only when its folder is.
void output::sync_folder() const {
  if (target_.empty() || !synced_)
    return;
  const file_descriptor opened(::open(folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened && sync_failed(opened.get())) // a folder may be writable and not readable
    fail_system(name_, "write its folder to the disk (the file itself is complete)");
}

// The finished temporary file, in a folder of another place, over what the target holds.
void output::copy_into_target() {
  constexpr std::size_t piece = std::size_t{1} << 20;
  const file_descriptor from(::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from)
    fail_system(name_, "read its temporary file");
  std::string buffer(piece, '\0');
  std::uint64_t done = 0;
  for (std::size_t got; (got = read_fully(from.get(), buffer.data(), buffer.size(), temporary_)) != 0; done += got)
    write_fully_at(in_place_.get(), {buffer.data(), got}, done, name_);
  if (::ftruncate(in_place_.get(), static_cast<off_t>(done)) != 0)
    fail_system(name_, "cut it to its new size");
  if (synced_ && sync_failed(in_place_.get()))
    fail_system(name_, "write to the disk");
  in_place_.close(name_);
  discard();
  place_ = place::overwritten;
  temporary_.clear();
  entry_.reset();
}

void output::take_place() {
  if (temporary_.empty())
    return;
  if (in_place_)
    return copy_into_target();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    fail_system(name_, "rename the finished temporary file to it");
  place_ = place::overwritten;
  temporary_.clear();
  entry_.reset();
}

// take_place() in a way that go_back() can undo: the temporary file's name then has the old contents.
void output::exchange_places() {
  struct stat status {};
  if (temporary_.empty())
    return;
  if (in_place_)
    return copy_into_target();
  const bool exists = ::lstat(target_.c_str(), &status) == 0;
  if (exists && S_ISREG(status.st_mode) &&
      ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
    place_ = place::exchanged;
    return;
  }
  const std::string temporary = temporary_;
  take_place();
  if (!exists) {
    place_ = place::created;
    temporary_ = temporary;
  }
}

// False where the target has to stay as it is now.
bool output::go_back() {
  switch (place_) {
  case place::exchanged:
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0)
      return false;
    break;
  case place::created:
    if (::rename(target_.c_str(), temporary_.c_str()) != 0)
      return false;
    break;
  case place::overwritten:
    return false;
  case place::target_is_old:
    break;
  }
  place_ = place::target_is_old;
  return true;
}

void output::commit() {
  finish();
  {
    const signal_hold until_renamed;
    take_place();
  }
  sync_folder();
}

file_descriptor output::release() {
  flush();
  return std::move(file_);
}

void commit_both(output& a, output& b) {
  a.finish();
  b.finish();
  {
    const signal_hold until_renamed;
    a.exchange_places();
    try {
      b.exchange_places();
    } catch (const io_failure& error) {
      if (!a.go_back())
        throw io_failure(fmt::format("{} ({} has its new contents already)", error.what(), a.name()));
      throw;
    }
    for (output* each : {&a, &b}) {
      if (each->place_ == output::place::exchanged)
        each->discard(); // the old contents
      each->temporary_.clear();
      each->entry_.reset();
    }
  }
  a.sync_folder();
  b.sync_folder();
}

bool output::writes_into(const file_identity& file) const {
  return target_.empty() && identity_of(file_.get()) == file;
}

bool same_place(const output& a, const output& b) {
  if (!a.target_.empty() && !b.target_.empty())
    return a.target_.filename() == b.target_.filename() &&
           identity_of(a.folder().string()) == identity_of(b.folder().string());
  if (a.target_.empty() && b.target_.empty()) {
    struct stat status {};
    const bool device = ::fstat(a.file_.get(), &status) == 0 && S_ISCHR(status.st_mode); // /dev/null takes everything
    return !device && identity_of(a.file_.get()) == identity_of(b.file_.get());
  }
  const output& renamed = a.target_.empty() ? b : a;
  const output& straight = a.target_.empty() ? a : b;
  const std::optional<file_identity> old = identity_of(renamed.target_.string());
  return old && straight.writes_into(*old);
}

bool is_terminal_output(const std::string& path) {
  if (const std::optional<int> fd = inherited_descriptor(resolve(path, path)))
    return ::isatty(*fd) == 1;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISCHR(status.st_mode))
    return false;
  const file_descriptor terminal(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  return terminal && ::isatty(terminal.get()) == 1;
}

} // namespace sortile::files
