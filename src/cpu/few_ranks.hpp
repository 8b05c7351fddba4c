// The ranks that vectors search for: few, which take few searches among the keys.
#pragma once

#include <algorithm>
#include <cstddef>

namespace sortile::cpu {

/// A few ranks, each once, in order.
class few_ranks {
 public:
  static constexpr std::size_t most = 8;          ///< different ones
  static constexpr std::size_t most_runs = 3;     ///< ranks that follow each other; a search, or an interval, for each
  static constexpr std::size_t sorted_whole = 64; ///< keys, a leaf of the vector sort, which have all ranks at once

  /// False where there are too many.
  bool add(std::size_t rank) {
    std::size_t* const at = std::lower_bound(ranks_, ranks_ + size_, rank);
    if (at != ranks_ + size_ && *at == rank)
      return true;
    if (size_ == most)
      return false;
    std::copy_backward(at, ranks_ + size_, ranks_ + size_ + 1);
    *at = rank;
    ++size_;
    return true;
  }

  /// Calls f(first, last) for those that follow each other.
  template <class F>
  void each_run(F&& f) const {
    for (std::size_t i = 0, next = 0; i < size_; i = next) {
      for (next = i + 1; next < size_ && ranks_[next] == ranks_[next - 1] + 1;)
        ++next;
      f(ranks_[i], ranks_[next - 1]);
    }
  }
  std::size_t runs() const {
    std::size_t count = 0;
    each_run([&](std::size_t, std::size_t) { ++count; });
    return count;
  }
  /// Whether few searches among n keys find them all.
  bool take_few_reads(std::size_t n) const { return n <= sorted_whole || runs() <= most_runs; }

  std::size_t size() const { return size_; }
  std::size_t operator[](std::size_t i) const { return ranks_[i]; }
  std::size_t least() const { return ranks_[0]; }
  std::size_t greatest() const { return ranks_[size_ - 1]; }
  std::size_t place(std::size_t rank) const {
    return static_cast<std::size_t>(std::lower_bound(ranks_, ranks_ + size_, rank) - ranks_);
  }

 private:
  std::size_t ranks_[most];
  std::size_t size_ = 0;
};

} // namespace sortile::cpu
