// A program that bytes go through: it reads one descriptor and writes another.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include <sys/types.h>

namespace sortile::files {

/// A running program. What it reads and writes is the caller's to close.
class child_program {
 public:
  /// Starts it with `reads` as its standard input and `writes` as its standard output; found as a shell finds it.
  /// \throws io_failure where it cannot be started
  child_program(const std::string& program, const std::vector<std::string>& arguments, int reads, int writes);
  child_program(const child_program&) = delete;
  child_program& operator=(const child_program&) = delete;
  ~child_program(); ///< waits for its end

  /// Waits for its end. \throws io_failure where it did not end well
  void finish();
  /// Waits for its end, once, and returns what waitpid() tells of it.
  int wait();

  const std::string& name() const { return program_; }

 private:
  std::string program_;
  pid_t process_ = -1;
};

/// As long as one of these lives, a write into a pipe that nobody reads is an ordinary error, in this thread and those
/// that it starts.
class no_broken_pipe_signal {
 public:
  no_broken_pipe_signal();
  no_broken_pipe_signal(const no_broken_pipe_signal&) = delete;
  no_broken_pipe_signal& operator=(const no_broken_pipe_signal&) = delete;
  ~no_broken_pipe_signal();

 private:
  sigset_t before_{};
};

} // namespace sortile::files
