// What --counters=launch, =line and =step count: an observer of the executor that sorts what it is told by launch, by
// place in the source, and by step.
#pragma once

#include "classics/step.hpp"
#include "simt/executor/observer.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sortile::cli {

class detailed_counters : public executor::observer {
 public:
  /// `steps`: of the same run, told before and not counted, since telling adds to what kernels do; or none.
  explicit detailed_counters(const std::vector<classics::step>& steps) : steps_(steps) {}

  void launch_begins(const executor::launch_shape& launch) override;
  void launch_ends(const executor::counters& counted) override;
  void requested(const executor::warp_request& request) override;
  void met(const executor::meeting& meeting) override;

  /// A line a launch; launches of one kernel and shape that follow each other are one line. Bank conflicts are told by
  /// how many words of one bank met (the levels of a tree: 2-way, 4-way, …), atomics by how many lanes met.
  std::string by_launch() const;
  /// A line for each place in the source that reads, writes or adds, the costliest first; then one for each barrier.
  std::string by_line() const;
  /// What the launches of step `s` counted, as one line. Steps that share launches (the levels of a tree in one kernel)
  /// have the line behind the last of them. Empty where there were none.
  std::string of_step(std::size_t s) const;

 private:
  using by_way = std::map<unsigned, std::uint64_t>; ///< how many requests, by how many met
  struct ways_met {
    by_way in_bank{};    ///< requests of shared memory, by words of one bank
    by_way at_address{}; ///< atomics, by lanes at one address
    ways_met& operator+=(const ways_met& o);
  };
  struct launch {
    std::string kernel;
    std::uint64_t blocks = 0, threads = 0, times = 0;
    std::size_t step = 0;
    executor::counters counted{};
    ways_met ways{};
  };
  struct place_counters {
    std::uint64_t requests = 0, units = 0, ideal = 0;
    by_way ways{}; ///< by words of one bank, or, of atomics, lanes at one address
  };
  using place = std::pair<std::string, std::string>; // "file:line", what

  static std::string summary(const executor::counters& counted, const ways_met& ways);
  std::size_t step_of(std::uint64_t number) const;

  const std::vector<classics::step>& steps_;
  std::uint64_t begun_ = 0;
  std::vector<launch> launches_{};
  std::map<place, place_counters> places_{};
  std::map<place, std::uint64_t> barriers_{}; ///< how often a block, warp, … met there
};

} // namespace sortile::cli
