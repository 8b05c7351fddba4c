// How the file layer reports trouble: one line that names the file, says what is wrong and what would be allowed.
#pragma once

#include <sortile/error.hpp>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace sortile::files {

/// Throws io_failure "NAME: what".
template <class... Args>
[[noreturn]] void fail(std::string_view name, fmt::format_string<Args...> what, Args&&... args) {
  throw io_failure(fmt::format("{}: {}", name, fmt::format(what, std::forward<Args>(args)...)));
}

/// Throws io_failure "NAME: cannot ACTION: what the system says"; `code` is an errno.
[[noreturn]] void fail_system(std::string_view name, std::string_view action, int code = errno);

/// Trouble of which GNU sort has words that scripts may look for, where they call the command as `sort`.
class known_failure : public io_failure {
 public:
  known_failure(const std::string& what, std::string words_of_sort)
      : io_failure(what), words_of_sort_(std::move(words_of_sort)) {}
  const std::string& words_of_sort() const noexcept { return words_of_sort_; }

 private:
  std::string words_of_sort_;
};

/// Bytes that could not be written.
class write_failure : public known_failure {
 public:
  /// \param bytes  that were to be written at once  \param code  an errno
  write_failure(std::string_view name, std::size_t bytes, int code);
};

/// A temporary file that could not be made in a folder. \param code  an errno
known_failure temporary_file_failure(std::string_view folder, int code);

/// Throws invalid_argument with a formatted message: an option that cannot be meant, not a file that is broken.
template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> what, Args&&... args) {
  throw invalid_argument(fmt::format(what, std::forward<Args>(args)...));
}

} // namespace sortile::files
