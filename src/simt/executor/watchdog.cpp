// One thread of the process looks once a second; it is started by the first grid.
#include "simt/executor/watchdog.hpp"

#include <cstdio>
#include <cstdlib>

namespace sortile::executor {

watchdog& watchdog::instance() {
  static watchdog dog;
  return dog;
}

watchdog::watch::watch(clock::time_point deadline, std::string message) {
  watchdog& dog = instance();
  std::lock_guard lock(dog.mutex_);
  at_ = dog.entries_.insert(dog.entries_.end(), {deadline, std::move(message)});
  if (!dog.thread_.joinable())
    dog.thread_ = std::jthread([&dog](const std::stop_token& stop) { dog.look(stop); });
}

watchdog::watch::~watch() {
  watchdog& dog = instance();
  std::lock_guard lock(dog.mutex_);
  dog.entries_.erase(at_);
}

void watchdog::look(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    for (const entry& e : entries_)
      if (clock::now() > e.deadline) {
        static_cast<void>(std::fprintf(stderr, "%s\n", e.message.c_str()));
        std::abort();
      }
    changed_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
  }
}

} // namespace sortile::executor
