// How the file layer reports trouble: one line that names the file, says what is wrong and what would be allowed.
#pragma once

#include <sortile/error.hpp>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace sortile::files {

/// Throws io_failure "NAME: what".
template <class... Args>
[[noreturn]] void fail(std::string_view name, fmt::format_string<Args...> what, Args&&... args) {
  throw io_failure(fmt::format("{}: {}", name, fmt::format(what, std::forward<Args>(args)...)));
}

/// Throws io_failure "NAME: cannot ACTION: what the system says"; `code` is an errno.
[[noreturn]] void fail_system(std::string_view name, std::string_view action, int code = errno);

/// Bytes that could not be written. Scripts that call the command as `sort` look for GNU sort's words.
class write_failure : public io_failure {
 public:
  /// \param bytes  that were to be written at once  \param code  an errno
  write_failure(std::string_view name, std::size_t bytes, int code);
  const std::string& words_of_sort() const noexcept { return words_of_sort_; }

 private:
  std::string words_of_sort_;
};

/// Throws invalid_argument with a formatted message: an option that cannot be meant, not a file that is broken.
template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> what, Args&&... args) {
  throw invalid_argument(fmt::format(what, std::forward<Args>(args)...));
}

} // namespace sortile::files
