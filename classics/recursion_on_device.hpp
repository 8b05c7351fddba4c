// The host's side of device_recursion.hpp: the arrays, the first launch, and what the steps tell when all is done.
#pragma once

#include "classics/device_recursion.hpp"

#include <sortile/error.hpp>

namespace sortile::classics::inline SORTILE_BACKEND {

/// The arrays of a recursion, and its launch. n > 0.
template <class Division, class Word, bool Pairs>
class recursion_on_device {
 public:
  using recursion = device_recursion<Division, Word, Pairs>;

  /// Parts divided `deepest` + 1 times are left as they are.
  recursion_on_device(job& j, const records<Word, Pairs>& data, const records<Word, Pairs>& spare,
                      const key_codec<Word>& codec, const Division& division, unsigned deepest)
      : j_(j), small_(j.parameter("small")),
        parts_(static_cast<std::size_t>(j.asked.n / small_ + 1)), levels_{level(j, parts_, division),
                                                                          level(j, parts_, division)},
        left_(j.on, std::min<std::uint64_t>(j.asked.n, (4 * (deepest + 1) + 2) * parts_)), sizes_(j.on, 4),
        told_parts_(j.on, j.shows_steps() ? parts_ * (deepest + 1) : 0),
        told_counts_(j.on, told_parts_.size() * division.buckets()),
        told_splitters_(j.on, told_parts_.size() * division.splitters()),
        r_{data,
           spare,
           codec,
           division,
           small_,
           j.parameter("tile"),
           deepest,
           levels_[0].view(),
           levels_[1].view(),
           view(left_),
           {sizes_.data(), 1},
           {sizes_.data() + 3, 1},
           {sizes_.data() + 1, 1},
           {{j.shows_steps() ? sizes_.data() + 2 : nullptr, 1},
            view(told_parts_),
            view(told_counts_),
            view(told_splitters_)}} {}

  /// Sorts. Says of each division what say(step, part, splitters) says, and the sizes of its buckets.
  template <class Say>
  void run(const Say& say) {
    const part whole{0, static_cast<std::uint32_t>(j_.asked.n), 0, 0};
    sizes_.clear();
    levels_[0].list_whole(j_.on, blocks_for(whole.count, r_.tile), r_.division.buckets());
    levels_[1].sizes.clear();
    const bool divides = whole.count > small_;
    const device_array<part>& to = divides ? levels_[0].parts : left_;
    j_.on.copy_to_device(to.data(), &whole, sizeof whole);
    const simt::queue q = j_.on.queue();
    const unsigned tiles = blocks_for(whole.count, r_.tile);
    if (!divides)
      simt::launch(q, {.grid = 1, .block = r_.division.threads_for(small_)}, sort_what_is_left<recursion>{r_});
    else if constexpr (Division::has_splitters)
      simt::launch(q, {}, choose_level_splitters<recursion>{r_, tiles});
    else
      simt::launch(q, {.grid = tiles}, count_tile<recursion>{r_});
    const std::vector<std::uint32_t> sizes = sizes_.to_host();
    if (divides && sizes[1] == 0)
      throw device_failure("no kernel was launched from the device");
    if (j_.shows_steps())
      tell(divides ? sizes[0] : 1, sizes[2], 1 + sizes[1], say);
    j_.note(std::to_string(sizes[1]) + " launches from the device");
    if (sizes[3] != 0)
      j_.note("parts that fell back to the bitonic sort, after " + std::to_string(r_.deepest + 1) +
              " divisions: " + std::to_string(sizes[3]));
  }

 private:
  struct level {
    level(job& j, std::uint64_t most, const Division& division)
        : parts(j.on, most), sizes(j.on, 2), first_tile(j.on, most), tickets(j.on, most),
          of_tile(j.on, j.asked.n / j.parameter("tile") + most + 1), counts(j.on, most * division.buckets()),
          splitters(j.on, most * division.splitters()) {}
    level_of_parts<Word> view() const {
      using classics::view;
      return {view(parts), view(sizes), view(first_tile), view(tickets), view(of_tile), view(counts), view(splitters)};
    }
    /// As if the level before had listed one part: all tiles are its, and nothing is counted.
    void list_whole(machine& on, unsigned tiles, unsigned buckets) const {
      sizes.clear();
      on.clear(first_tile.data(), sizeof(std::uint32_t));
      on.clear(tickets.data(), sizeof(std::uint32_t));
      on.clear(of_tile.data(), tiles * sizeof(std::uint32_t));
      on.clear(counts.data(), buckets * sizeof(std::uint32_t));
    }
    device_array<part> parts;
    device_array<std::uint32_t> sizes, first_tile, tickets, of_tile, counts;
    device_array<Word> splitters;
  };

  template <class T>
  static std::vector<T> row(const std::vector<T>& table, std::size_t r, std::size_t columns) {
    return {table.begin() + std::ptrdiff_t(r * columns), table.begin() + std::ptrdiff_t((r + 1) * columns)};
  }

  /// From the whole on, level by level; blocks end in any order.
  template <class Say>
  void tell(std::uint32_t parts_left, std::uint32_t divisions, std::uint32_t launches, const Say& say) {
    const std::uint32_t of_level = Division::has_splitters ? 3 : 2; // splitters, counts, moves
    const std::vector<part> parts = told_parts_.to_host();
    const std::vector<std::uint32_t> counts = told_counts_.to_host();
    const std::vector<Word> splitters = told_splitters_.to_host();
    std::vector<std::size_t> order(divisions);
    for (std::size_t k = 0; k < order.size(); ++k)
      order[k] = k;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(parts[a].depth, parts[a].first) < std::pair(parts[b].depth, parts[b].first);
    });
    for (const std::size_t k : order) {
      const part& p = parts[k];
      telling t = j_.tell("level " + std::to_string(p.depth) + ", " + divided_array<Word, Pairs>::name(p) + " in " +
                          std::to_string(r_.tiles_of(p.count)) + " tiles");
      t.done_before_last(launches - of_level * (p.depth + 1));
      say(t, p, row(splitters, k, r_.division.splitters()));
      tell_buckets(t, row(counts, k, r_.division.buckets()));
    }
    std::vector<part> left = left_.to_host();
    left.resize(parts_left);
    std::sort(left.begin(), left.end(), [](const part& a, const part& b) { return a.first < b.first; });
    j_.show("parts left to a block each: " + std::to_string(left.size()));
    for (const part& p : left)
      j_.show("  " + divided_array<Word, Pairs>::name(p));
  }

  static void tell_buckets(telling& t, const std::vector<std::uint32_t>& counts) {
    std::vector<std::uint32_t> names, sizes, begins;
    std::uint32_t begin = 0;
    for (unsigned b = 0; b < counts.size(); ++b) {
      if (counts[b] != 0) {
        names.push_back(b);
        sizes.push_back(counts[b]);
        begins.push_back(begin);
      }
      begin += counts[b];
    }
    t.numbers("bucket", names).numbers("size", sizes).numbers("begins at", begins);
  }

  job& j_;
  unsigned small_;
  std::size_t parts_;
  level levels_[2];
  device_array<part> left_;
  device_array<std::uint32_t> sizes_; // [4]: of what is left, launches, divisions told, parts that fell back
  device_array<part> told_parts_;
  device_array<std::uint32_t> told_counts_;
  device_array<Word> told_splitters_;
  recursion r_;
};

} // namespace sortile::classics::inline SORTILE_BACKEND
