// What a classic says of itself, and what it is given when it runs.
#pragma once

#include "classics/machine.hpp"
#include "classics/task.hpp"

#include <sortile/options.hpp>
#include <sortile/types.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::classics {

/// A number that a classic can be run with: bits a pass, keys a thread.
struct parameter {
  std::string_view name;
  unsigned least = 0, usual = 0, most = 0; ///< the range, and the value where none is given
  std::string_view what;
  bool powers_of_two = false; ///< nothing between them
  unsigned step = 1;          ///< from the least on, nothing between its multiples

  constexpr bool allows(unsigned value) const {
    return value >= least && value <= most && (!powers_of_two || (value & (value - 1)) == 0) &&
           (value - least) % step == 0;
  }
};

/// What a run is to do. `sortile classics run` fills one from its options, tests and benches by hand.
struct request {
  std::uint64_t n = 0;
  key_type type = key_type::u32;
  std::string workload = "uniform"; ///< as testing::workload_named takes it
  order direction = order::ascending;
  bit_window bits{};  ///< the bits of the key's image that decide the order
  bool pairs = false; ///< each key carries a value: its position, as u32
  std::uint64_t seed = 1;
  std::map<std::string, unsigned> parameters{};
};

/// The arrays of a run, in the machine's memory.
struct device_arrays {
  void* keys = nullptr;
  std::uint32_t* values = nullptr; ///< null without pairs
};

/// One run, as the classic sees it. records.hpp turns it into typed arrays and a codec.
class job {
 public:
  job(machine& m, const request& r, const std::map<std::string, unsigned>& parameters, std::string* steps)
      : on(m), asked(r), parameters_(parameters), steps_(steps) {}

  machine& on;
  const request& asked;
  device_arrays data;  ///< holds the input, and the result when the classic returns
  device_arrays spare; ///< as large; the two may be swapped

  unsigned parameter(std::string_view name) const;

  /// Whether somebody wants to read the steps; titles and arrays for show() may then cost what they like.
  bool shows_steps() const { return steps_ != nullptr; }
  /// Adds a line of text to the steps.
  void show(const std::string& text);
  /// Says what whoever runs the classic should know, whether they read the steps or not: that it fell back to another
  /// sort, how often a kernel launched kernels.
  void note(const std::string& text);
  const std::vector<std::string>& notes() const { return notes_; }
  /// The keys, and values if there are any, of n records from `first` on: after the work queued so far.
  void show(const std::string& title, const device_arrays& arrays, std::uint64_t n);
  /// Counters, flags, positions.
  template <class T>
  void show(const std::string& title, const std::vector<T>& numbers) {
    if (shows_steps())
      show_numbers(title, {numbers.begin(), numbers.end()});
  }
  template <class T>
  void show(const std::string& title, const device_array<T>& numbers) {
    if (shows_steps())
      show(title, numbers.to_host());
  }

 private:
  void show_numbers(const std::string& title, const std::vector<std::uint64_t>& numbers);

  const std::map<std::string, unsigned>& parameters_;
  std::string* steps_;
  std::vector<std::string> notes_{};
};

/// The types that a classic takes unless it says otherwise: any key goes through the codec.
inline constexpr key_type usual_types[] = {key_type::u32, key_type::i32, key_type::u64, key_type::f32};
inline constexpr key_type numbers_only[] = {key_type::u32};

enum class place { device, host };
using run_function = void (*)(job&);

/// An entry of the registry. Each ability that it declares is tested, whatever it does not declare is refused.
struct classic {
  std::string_view name{};       ///< words joined by '-'
  std::string_view family{};     ///< "radix", "merge", …: lists are grouped by it
  std::string_view summary{};    ///< one line
  std::string_view work{};       ///< operations, as a formula
  std::string_view depth{};      ///< parallel steps, as a formula; of one thread on the host: its work
  std::string_view source{};     ///< paper or textbook
  std::string_view steps_show{}; ///< what --steps prints
  bool stable = false;
  bool pairs = true;
  std::span<const key_type> types = usual_types;
  std::uint64_t largest_n = std::uint64_t{1} << 31;
  /// Records of a block's tile, or of a part that is not divided: the most that any parameters give. Beyond two of them
  /// blocks work together, runs are merged, parts divided: what a shorter input does not show. 0: one thread, one
  /// block.
  std::uint64_t tile = 0;
  std::vector<parameter> parameters{};
  const classics::task* task = &sorting; ///< what has to be done, and what counts as right
  classics::place place = place::device; ///< host: plain C++, run by --engine host or executor
  run_function run = nullptr;
  std::string_view file{};            ///< set by the registry, as is the next
  run_function run_on_cuda = nullptr; ///< the same function compiled by nvcc; null without a CUDA build

  bool takes(key_type type) const;
};

} // namespace sortile::classics
