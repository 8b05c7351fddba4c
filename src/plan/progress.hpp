// Progress of one call, told to the caller's callback, which may cancel it.
#pragma once

#include <sortile/error.hpp>

#include <atomic>
#include <cstdint>
#include <functional>

namespace sortile {

/// Counts what is done, and tells the caller's callback about it: from the calling thread only, never decreasing.
class progress_meter {
 public:
  progress_meter(const std::function<bool(double)>* callback, std::uint64_t total)
      : callback_(callback != nullptr && *callback ? callback : nullptr), total_(total) {}

  /// Whether anybody wants to know.
  bool is_told() const { return callback_ != nullptr; }

  /// Any thread: `units` more are done.
  void add(std::uint64_t units) {
    if (callback_ != nullptr)
      done_.fetch_add(units, std::memory_order_relaxed);
  }

  /// Calling thread only. \throws cancelled where the callback says so.
  void report() {
    if (callback_ == nullptr)
      return;
    const std::uint64_t done = done_.load(std::memory_order_relaxed);
    tell(total_ == 0 || done >= total_ ? 1.0 : static_cast<double>(done) / static_cast<double>(total_));
  }

  /// Calling thread, at the end.
  void finish() {
    if (callback_ != nullptr)
      tell(1.0);
  }

 private:
  void tell(double fraction) {
    if (!(*callback_)(fraction))
      throw cancelled(
          "cancelled by the progress callback; outputs, and arrays sorted in place, may hold unspecified contents");
  }

  const std::function<bool(double)>* callback_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
};

/// The callback of a step that takes a whole from `begin` to `end`, as fractions of it; none where nobody wants to
/// know.
inline std::function<bool(double)> progress_of_step(const std::function<bool(double)>& whole, double begin,
                                                    double end) {
  if (!whole)
    return {};
  return [&whole, begin, end](double done) { return whole(begin + (end - begin) * done); };
}

} // namespace sortile
