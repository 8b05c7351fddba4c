// What sortile throws. Every message says what is wrong, where, and what is allowed.
#pragma once

#include <sortile/language.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// The kinds of failure; sortile.h has the same list with the same numbers.
enum class status : int {
  ok = 0,
  invalid_argument = 1, ///< null pointer, overlapping arrays, lengths that differ, bit window out of range, …
  workspace_too_small = 2,
  unknown_engine = 3,  ///< no engine of that name
  engine_unusable = 4, ///< the engine exists and cannot run here, or not this request
  out_of_memory = 5,
  cancelled = 6, ///< the progress callback returned false
  device_failure = 7,
  io_failure = 8,
  internal_error = 9,
};

/// "invalid argument", "out of memory", …
std::string_view name(status code);

/// The base of everything that sortile throws.
class error : public std::runtime_error {
 public:
  error(status code, const std::string& message) : std::runtime_error(message), code_(code) {}
  status code() const noexcept { return code_; }

 private:
  status code_;
};

namespace detail {
template <status Code>
class error_of : public error {
 public:
  explicit error_of(const std::string& message) : error(Code, message) {}
};
} // namespace detail

class invalid_argument : public detail::error_of<status::invalid_argument> {
  using error_of::error_of;
};
class workspace_too_small : public detail::error_of<status::workspace_too_small> {
  using error_of::error_of;
};
class unknown_engine : public detail::error_of<status::unknown_engine> {
  using error_of::error_of;
};
class engine_unusable : public detail::error_of<status::engine_unusable> {
  using error_of::error_of;
};
class out_of_memory : public detail::error_of<status::out_of_memory> {
  using error_of::error_of;
};
/// Outputs, and arrays that were being sorted in place, may hold unspecified contents after this.
class cancelled : public detail::error_of<status::cancelled> {
  using error_of::error_of;
};
class device_failure : public detail::error_of<status::device_failure> {
  using error_of::error_of;
};
class io_failure : public detail::error_of<status::io_failure> {
  using error_of::error_of;
};

} // namespace sortile
#pragma GCC visibility pop
