// Writes blocks that several threads make, in the order of the blocks.
//
// A thread makes its block, waits for its turn, claims the next bytes of the output, and lets the next block have its
// turn. Where the output has positions, the bytes themselves are then written outside the turn, side by side; into a
// pipe they are written within.
#pragma once

#include "files/output.hpp"
#include "files/parallel.hpp"

#include <condition_variable>
#include <functional>
#include <string>
#include <string_view>

namespace sortile::files {

/// Lets blocks pass in the order of their numbers; after a failure, lets everybody pass with `false`.
class turnstile {
 public:
  /// Waits for the turn of `block`; false where another block has failed.
  bool wait(std::size_t block) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == block || failed_; });
    return !failed_;
  }
  void pass() {
    const std::lock_guard lock(mutex_);
    ++next_;
    changed_.notify_all();
  }
  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
  bool failed_ = false;
};

/// Memory for one block at a time; not cleared when it grows.
class block_buffer {
 public:
  char* room(std::size_t size) {
    if (size > capacity_) {
      memory_.reset(new char[size]); // not value-initialised
      capacity_ = size;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
};

/// Appends `blocks` blocks to `to`; make(i, buffer) returns the bytes of block i, in `buffer` or anywhere that lasts.
/// done(fraction) is called within the turn, so by one thread at a time and never decreasing.
template <class Make>
void write_blocks(output& to, unsigned threads, std::size_t blocks, Make&& make,
                  const std::function<void(double)>& done = {}) {
  turnstile turns;
  parallel_for(threads, blocks, [&](std::size_t block) {
    thread_local block_buffer buffer;
    try {
      const std::string_view bytes = make(block, buffer);
      if (!turns.wait(block))
        return;
      if (done)
        done(static_cast<double>(block + 1) / static_cast<double>(blocks));
      if (to.has_positions()) {
        const std::uint64_t offset = to.reserve(bytes.size());
        turns.pass();
        to.write_at(offset, bytes);
      } else {
        to.write(bytes);
        turns.pass();
      }
    } catch (...) {
      turns.fail();
      throw;
    }
  });
}

} // namespace sortile::files
