// The last resort against a kernel that never comes to a scheduling point: nothing can unwind it, so the process ends
// with a message.
//
// A grid that takes too long and still passes scheduling points is an ordinary failure (fault::watchdog), which comes
// 10 seconds earlier.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace sortile::executor {

class watchdog {
 public:
  using clock = std::chrono::steady_clock;
  struct entry {
    clock::time_point deadline;
    std::string message;
  };

  /// Watches as long as it lives.
  class watch {
   public:
    watch(clock::time_point deadline, std::string message);
    ~watch();
    watch(const watch&) = delete;

   private:
    std::list<entry>::iterator at_;
  };

 private:
  static watchdog& instance();
  void look(const std::stop_token& stop);
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<entry> entries_;
  std::jthread thread_; // last: it uses all of the above
};

} // namespace sortile::executor
