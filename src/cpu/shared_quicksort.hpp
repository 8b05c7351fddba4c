// The quicksort of images by vectors, shared by threads.
//
// Idea. All threads split an array together until there is a part for each; then each splits and sorts parts alone, and
// leaves one side of what it splits to whoever has nothing to do.
//
// To split together, each takes a stretch from the left half and its mirror image from the right one, and splits the
// two as if they were one array: low ones gather in the left stretch, high ones in the right. Where the pivot is near
// the middle, so are the few keys that end up on the wrong side, and these alone are swapped:
//
//        thread 0    1        2    2        1     thread 0
//       [ low     | low    | low | high | high  |   high  ]
//                                ^ where the low ones end in all
//
// Stretches that lie side by side, each split by itself, leave every fourth key to be swapped with another: half as
// much to read and write again as the split itself.
//
// A part waits for nobody: a thread that finds no part waits for those that split, and they never wait.
//
// A part that does not lie in a thread's cache is split around three pivots at once (vector_splits.ipp).
//
// Cost: log2(threads) levels with two meetings of all threads a split, then none.
// Source: Tsigas and Zhang, "A simple, fast parallel implementation of quicksort", PDP 2003.
#pragma once

#include "cpu/memory_slots.hpp"
#include "cpu/misplaced.hpp"
#include "cpu/three_parts.hpp"
#include "cpu/vector_parts.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <mutex>

namespace sortile::cpu {

template <class K>
class shared_quicksort {
 public:
  /// Parts up to `alone` keys are sorted without a word about progress.
  shared_quicksort(const vector_parts<K>& parts, const plain_image<K>& image, unsigned workers, std::size_t alone,
                   progress_meter* progress)
      : parts_(parts), image_(image), workers_(workers), alone_(std::max(alone, least)), progress_(progress) {}

  /// Sorts n images, and leaves keys. Progress: three for each.
  void sort(K* images, std::size_t n) {
    images_ = images;
    largest_ = workers_ == 1 ? alone_ : std::clamp(n / (4 * workers_), least, alone_);
    most_levels_ = 2 * static_cast<unsigned>(std::bit_width(n / largest_)) + 8;
    if (n > 0)
      put({0, n, parts_.least, 0});
    split_together();
    run_on(workers_, [&](unsigned worker) { sort_parts(worker); });
  }

 private:
  static constexpr std::size_t least = 4096; ///< keys of a part that is split

  struct part {
    std::size_t begin, n;
    K lowest; ///< no image of it is below
    unsigned level;
  };
  static bool is_smaller(const part& a, const part& b) { return a.n < b.n; }

  bool is_to_split(const part& p) const {
    return p.n > largest_ && p.level < most_levels_; // pivots as bad as that are not met by chance
  }

  K pivot_of(const part& p) const { return parts_.pivot(images_ + p.begin, p.n, p.level); }

  /// The part above, and the one below where there is one that is not sorted.
  struct sides {
    part below, above;
  };
  sides split_at(const part& p, K pivot, std::size_t lows) const {
    const bool sorted = pivot == p.lowest; // what is not above it is equal to it
    return {{p.begin, sorted ? 0 : lows, p.lowest, p.level + 1}, {p.begin + lows, p.n - lows, pivot, p.level + 1}};
  }

  void finish_equals(std::size_t begin, std::size_t n) {
    parts_.from_images(images_ + begin, n, image_);
    progress_->add(3 * n);
  }

  // ---- open parts: under the mutex, once threads work for themselves ----

  void put(const part& p) {
    open_.push_back(p);
    std::push_heap(open_.begin(), open_.end(), is_smaller);
  }

  part largest_open() {
    std::pop_heap(open_.begin(), open_.end(), is_smaller);
    const part p = open_.back();
    open_.pop_back();
    return p;
  }

  // ---- all threads ----

  /// As long as there are fewer parts than threads, and one is too large for a thread.
  void split_together() {
    const auto open = [&](const part& p) {
      if (p.n > 0)
        put(p);
    };
    while (workers_ > 1 && !open_.empty() && open_.size() < workers_ && is_to_split(open_.front())) {
      const sides s = split_together(largest_open());
      open(s.below);
      open(s.above);
    }
  }

  sides split_together(const part& p) {
    const K pivot = pivot_of(p);
    const bool equals = pivot == p.lowest;
    const std::size_t pairs = std::size_t{4} * workers_;
    K* const keys = images_ + p.begin;
    split_room room(p.n, pairs);
    const std::size_t lows =
        split_in_pairs(keys, p.n, p.n / 2, pairs, workers_, progress_, room,
                       [&](K* left, std::size_t left_n, K* right, std::size_t right_n, std::size_t& left_lows,
                           std::size_t& right_lows) {
                         parts_.split_two(left, left_n, right, right_n, pivot, equals, left_lows, right_lows);
                       });
    if (equals)
      for_each_piece(workers_, lows, least,
                     [&](std::size_t begin, std::size_t end) { finish_equals(p.begin + begin, end - begin); });
    return split_at(p, pivot, lows);
  }

  // ---- each for itself ----

  void sort_parts(unsigned worker) {
    part p{};
    try {
      while (take(p)) {
        sort_alone(p, worker);
        report(worker);
      }
    } catch (...) {
      {
        const std::lock_guard held(mutex_); // who is about to wait has seen it, or is woken
        stopped_ = true;
      }
      changed_.notify_all();
      throw;
    }
  }

  void report(unsigned worker) const {
    if (worker == 0)
      progress_->report();
  }

  void sort_alone(part p, unsigned worker) {
    while (is_to_split(p)) {
      if (stopped_)
        return;
      if (split_in_four(p)) {
        report(worker);
        continue;
      }
      const K pivot = pivot_of(p);
      const bool equals = pivot == p.lowest;
      const std::size_t lows = parts_.split(images_ + p.begin, p.n, pivot, equals);
      if (equals)
        finish_equals(p.begin, lows);
      const sides s = split_at(p, pivot, lows);
      leave(s.below.n < s.above.n ? s.below : s.above);
      p = s.below.n < s.above.n ? s.above : s.below;
      report(worker);
    }
    parts_.sort(images_ + p.begin, p.n, image_);
    progress_->add(3 * p.n);
  }

  /// Splits a part around three pivots: as much to read and write as around one. The last quarter is left of it, the
  /// others are left to whoever comes.
  bool split_in_four(part& p) {
    K pivots[3];
    std::size_t begins[3];
    if (!parts_.split_in_four(images_ + p.begin, p.n, p.lowest, p.level, pivots, begins))
      return false;
    const std::size_t begin = p.begin;
    const unsigned level = p.level + 2;
    const std::size_t last = each_of_three(
        pivots, begins, p.lowest, [&](std::size_t at, std::size_t n) { finish_equals(begin + at, n); },
        [&](std::size_t at, std::size_t n, K lowest) {
          leave({begin + at, n, lowest, level});
        });
    p = {begin + last, p.n - last, p.lowest, level};
    return true;
  }

  /// The largest part that is open. False where all are done, or a thread has given up.
  bool take(part& p) {
    std::unique_lock held(mutex_);
    at_work_ -= p.n > 0;
    if (at_work_ == 0 && open_.empty())
      changed_.notify_all();
    changed_.wait(held, [&] { return !open_.empty() || at_work_ == 0 || stopped_; });
    if (open_.empty() || stopped_)
      return false;
    p = largest_open();
    ++at_work_;
    return true;
  }

  void leave(const part& p) {
    if (p.n == 0)
      return;
    {
      const std::lock_guard held(mutex_);
      put(p);
    }
    changed_.notify_one();
  }

  const vector_parts<K>& parts_;
  const plain_image<K>& image_;
  const unsigned workers_;
  const std::size_t alone_;
  progress_meter* const progress_;
  K* images_ = nullptr;
  std::size_t largest_ = 0;
  unsigned most_levels_ = 0;

  std::mutex mutex_; ///< of open_ and at_work_
  std::condition_variable changed_;
  call_vector<part> open_; ///< a heap, the largest in front
  unsigned at_work_ = 0;   ///< threads that have a part, and may leave others
  std::atomic<bool> stopped_{false};
};

} // namespace sortile::cpu
