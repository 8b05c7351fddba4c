// The list of unfinished outputs, so that a signal can remove them before the process dies.
#pragma once

#include <string>

namespace sortile::files {

/// Puts a path on the list for as long as the object lives. At most 16 at once; further ones are not removed by a
/// signal (but still by the destructor of their output).
class temporary_entry {
 public:
  explicit temporary_entry(const std::string& path);
  temporary_entry(const temporary_entry&) = delete;
  temporary_entry& operator=(const temporary_entry&) = delete;
  ~temporary_entry();

 private:
  int slot_ = -1;
};

/// Unlinks every path on the list. Safe in a signal handler.
void remove_temporary_files() noexcept;

/// As long as one of these lives, signals that would end the process wait for its end: for the moments in which a name
/// exists that is not on the list yet, or of two outputs one has its new contents and the other not.
class signal_hold {
 public:
  signal_hold();
  signal_hold(const signal_hold&) = delete;
  signal_hold& operator=(const signal_hold&) = delete;
  ~signal_hold();
};

/// From now on every signal that ends a process and can be caught removes the unfinished outputs first, and then ends
/// the process as it would have. A signal that was ignored (nohup) stays ignored. SIGXFSZ is ignored instead, so that a
/// write beyond the limit is an ordinary error.
void remove_temporary_files_on_signals();

} // namespace sortile::files
