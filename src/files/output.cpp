// See output.hpp.
#include "files/output.hpp"

#include "files/failure.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sortile::files {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t gather_limit = std::size_t{1} << 18;

// The descriptor behind "-", /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N. It is duplicated: opening the
// name again would start at the beginning of a file that others may have written to, and renaming would cut it off from
// them.
std::optional<int> inherited_descriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    int fd = -1;
    if (path.starts_with(prefix)) {
      const char* end = path.data() + path.size();
      if (std::from_chars(path.data() + prefix.size(), end, fd).ptr == end)
        return fd;
    }
  }
  return std::nullopt;
}

// Where the symbolic links of a target lead, also where the last one leads to a file that does not exist yet.
std::string resolve(const std::string& path, const std::string& name) {
  std::error_code error;
  fs::path target = path;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    if (links == 40)
      fail_system(name, "follow the symbolic link", ELOOP);
    const fs::path next = fs::read_symlink(target, error);
    if (error)
      fail_system(name, "follow the symbolic link", error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

} // namespace

output::output(const std::string& path) : name_(path == "-" ? "standard output" : path) {
  try {
    open_target(path);
  } catch (...) {
    discard();
    throw;
  }
}

void output::open_target(const std::string& path) {
  struct stat status {};
  if (const std::optional<int> fd = inherited_descriptor(path)) {
    file_ = file_descriptor(::dup(*fd));
  } else if (path.empty()) {
    fail("output", "the name is empty (a path, or - for standard output, is needed)");
  } else if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode))
      fail(name_, "is a directory (a file name is needed)");
    file_ = file_descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  } else {
    return open_temporary(resolve(path, name_));
  }
  if (!file_)
    fail_system(name_, "open for writing");
}

// A name that nobody uses yet; one of a killed process of the same number may be left.
void output::create_temporary(const fs::path& target) {
  static unsigned counter = 0;
  constexpr int attempts = 1000;
  const std::string base = target.filename().string().substr(0, 200); // room for the rest within NAME_MAX
  int code = EEXIST;
  for (int i = 0; i < attempts && code == EEXIST; ++i) {
    temporary_ = (target.parent_path() / fmt::format(".{}.sortile-{}-{}", base, ::getpid(), counter++)).string();
    file_ = file_descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_) {
      entry_ = std::make_unique<temporary_entry>(temporary_);
      return;
    }
    code = errno;
  }
  temporary_.clear();
  fail_system(name_, "create a temporary file beside it", code);
}

void output::open_temporary(const std::string& target) {
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && ::access(target.c_str(), W_OK) != 0)
    fail_system(name_, "open for writing");
  create_temporary(target);
  target_ = target;
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
  if (has_positions())
    write_fully_at(file_.get(), gathered_, claim(gathered_.size()), name_);
  else
    write_fully(file_.get(), gathered_, name_);
  gathered_.clear();
}

void output::write(std::string_view bytes) {
  if (gathered_.size() + bytes.size() > gather_limit)
    flush();
  if (bytes.size() < gather_limit) {
    gathered_ += bytes;
  } else if (has_positions()) {
    write_fully_at(file_.get(), bytes, claim(bytes.size()), name_);
  } else {
    write_fully(file_.get(), bytes, name_);
  }
}

std::uint64_t output::claim(std::uint64_t size) {
  const std::uint64_t begin = position_;
  position_ += size;
  return begin;
}

std::uint64_t output::reserve(std::uint64_t size) {
  flush();
  return claim(size);
}

void output::write_at(std::uint64_t offset, std::string_view bytes) const {
  write_fully_at(file_.get(), bytes, offset, name_);
}

void output::commit() {
  flush();
  file_.close(name_);
  if (temporary_.empty())
    return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    fail_system(name_, "rename the finished temporary file to it");
  temporary_.clear();
  entry_.reset();
}

bool is_terminal_output(const std::string& path) {
  if (const std::optional<int> fd = inherited_descriptor(path))
    return ::isatty(*fd) == 1;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISCHR(status.st_mode))
    return false;
  const file_descriptor terminal(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  return terminal && ::isatty(terminal.get()) == 1;
}

} // namespace sortile::files
