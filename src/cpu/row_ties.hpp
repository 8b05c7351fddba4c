// Groups of tied rows: neighbours in an order whose words are equal so far.
#pragma once

#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"
#include "plan/engine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sortile::cpu {

/// Ranges of places in the order of n rows: ascending, apart from each other, of two rows or more.
class row_ties {
 public:
  /// All rows as one group.
  explicit row_ties(std::size_t n);

  /// The runs of equal words within these groups. words[p] belongs to place p.
  row_ties within(const std::uint64_t* words, unsigned threads) const;

  bool empty() const { return count_ == 0; }
  /// As a sort within segments takes them.
  segments where() const;
  segment_survey survey(unsigned threads) const;

  /// Calls f(begin, end) for the stretches of groups that lie in a piece of the places, in parallel by pieces.
  template <class Make>
  void for_each_piece_of_places(unsigned threads, Make&& make) const {
    for_each_piece(threads, n_, alone_below, [&](std::size_t begin, std::size_t end) {
      make([&](auto&& f) {
        for (std::size_t g = first_that_ends_after(begin); g < count_ && begins()[g] < end; ++g)
          f(std::max<std::size_t>(begin, begins()[g]), std::min<std::size_t>(end, ends()[g]));
      });
    });
  }

 private:
  static constexpr std::size_t alone_below = std::size_t{1} << 14; // places

  row_ties(std::size_t count, std::size_t n)
      : count_(count), n_(n), bounds_(2 * count * sizeof(std::uint64_t), "the ties of a sort of rows") {}

  std::uint64_t* begins() const { return reinterpret_cast<std::uint64_t*>(bounds_.bytes().data()); }
  std::uint64_t* ends() const { return begins() + count_; }

  std::size_t first_that_ends_after(std::size_t place) const {
    return static_cast<std::size_t>(std::upper_bound(ends(), ends() + count_, place) - ends());
  }

  template <class F>
  void for_each_run(const std::uint64_t* words, std::size_t begin, std::size_t end, F&& f) const;

  std::size_t count_, n_;
  scratch bounds_; // of all groups: where they begin, then where they end
};

} // namespace sortile::cpu
