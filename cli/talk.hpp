// What the command says to people, on standard error: messages by level, and a progress bar for what takes long.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace sortile::cli {

/// Levels: 0 errors only (-q), 1 normal, 2 what was done and how fast (-v), 3 with the phases (-vv).
class talk {
 public:
  int level = 1;
  std::string command = "sortile"; ///< "sortile sort": stands before every message

  /// One line, whatever names and records hold that it tells of: their control characters are escaped.
  void error(std::string_view message) const;
  /// These bytes behind the command's name, as GNU sort writes them.
  void verbatim(std::string_view text) const;
  template <class... Args>
  void say(int from_level, fmt::format_string<Args...> text, Args&&... args) const {
    if (level >= from_level)
      line(fmt::format(text, std::forward<Args>(args)...));
  }

  /// Whether a message could not be written.
  bool was_unheard() const { return unheard_; }

 private:
  void line(const std::string& text) const;

  mutable bool unheard_ = false;
};

/// A bar for the phases of one job, with the time that the phase will still take if it goes on as it did. It is drawn
/// where standard error is a terminal, from the first second on, ten times a second at most; elsewhere, and at level 3,
/// each phase gives a plain line with its time when it ends.
class progress_bar {
 public:
  explicit progress_bar(const talk& voice);
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar();

  /// Ends the phase before and begins the next.
  void phase(std::string name);
  /// How much of the phase is done; may be called often, by one thread at a time.
  void show(double fraction);
  /// show() as options::progress takes it.
  std::function<bool(double)> callback();
  std::function<void(double)> sink();

  double seconds() const; ///< since the beginning

 private:
  using clock = std::chrono::steady_clock;
  void erase();
  void end_phase();

  const talk& voice_;
  bool terminal_;
  bool drawn_ = false;
  std::string phase_;
  clock::time_point start_ = clock::now();
  clock::time_point phase_start_ = start_;
  clock::time_point last_drawn_ = start_;
};

/// "81.3 M", "1.24 G": a number with three figures.
std::string with_unit(double number);

} // namespace sortile::cli
