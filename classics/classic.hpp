// What a classic says of itself, and what it is given when it runs.
#pragma once

#include "classics/key_text.hpp"
#include "classics/machine.hpp"
#include "classics/step.hpp"
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
  bool is_tile = false;       ///< keys that a block takes: a small number is for few keys

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
  std::vector<std::string> keys{};    ///< these keys, n of them, in place of a workload's
  std::vector<std::string> values{};  ///< with pairs: what steps call value i; empty: i
  notation shown = notation::decimal; ///< how steps write keys
};

/// The arrays of a run, in the machine's memory.
struct device_arrays {
  void* keys = nullptr;
  std::uint32_t* values = nullptr; ///< null without pairs
};

class job;

/// A step that is being told: rows are added in the order in which they are read, and the step is complete when the
/// telling ends. Where nobody reads the steps, nothing of it does anything.
class telling {
 public:
  telling(job* to, std::string title) : to_(to) { told_.title = std::move(title); }
  telling(const telling&) = delete;
  telling& operator=(const telling&) = delete;
  ~telling() { end(); }
  void end();
  bool is_read() const { return to_ != nullptr; }

  /// The keys, and values if there are any, of n records, after the work queued so far; `block` of them a block.
  telling& keys(const std::string& label, const device_arrays& arrays, std::uint64_t n, std::uint64_t block = 0);
  /// The records before the step, for moved() and compared(): not a row.
  telling& before(const device_arrays& arrays, std::uint64_t n);
  /// The same records in another order than the first row of keys, or before(), had: arrows say from where to where,
  /// and a row which block of `from_block` records wrote a cell. Equal records are taken to have kept their order.
  telling& moved(const std::string& label, const device_arrays& arrays, std::uint64_t n, std::uint64_t from_block,
                 std::uint64_t block = 0);
  /// For each record that moved() has just told, whether it was of the left run of `run` records (a) or of the right
  /// (b).
  telling& from_runs(const std::string& label, std::uint64_t run);
  /// The records after these places were compared; those that changed since before() were exchanged.
  telling& compared(std::vector<wire> places, const device_arrays& arrays, std::uint64_t n, std::uint64_t block = 0);

  template <class T>
  telling& numbers(const std::string& label, const std::vector<T>& all, std::uint64_t block = 0) {
    return add_numbers(label, cell_kind::numbers, all, block);
  }
  template <class T>
  telling& numbers(const std::string& label, const device_array<T>& all, std::uint64_t block = 0) {
    return to_ == nullptr ? *this : numbers(label, all.to_host(), block);
  }
  template <class T>
  telling& flags(const std::string& label, const std::vector<T>& all, std::uint64_t block = 0) {
    return add_numbers(label, cell_kind::flags, all, block);
  }
  template <class T>
  telling& flags(const std::string& label, const device_array<T>& all, std::uint64_t block = 0) {
    return to_ == nullptr ? *this : flags(label, all.to_host(), block);
  }
  telling& words(const std::string& label, std::vector<std::string> all, std::uint64_t block = 0);
  telling& wires(std::vector<wire> compared);
  /// A table of rows of `columns` numbers; row r is called `first` + r.
  telling& table(const std::string& label, const std::vector<std::uint32_t>& all, std::size_t columns);
  telling& table(const std::string& label, const device_array<std::uint32_t>& all, std::size_t columns);
  /// The row that was added last is one of the table of this name.
  telling& in_table(const std::string& name);
  /// The step is one of several in a launch, and done when all threads of the first block have met so many times.
  telling& done_at_barrier(std::uint64_t number);
  /// The step is told late: it was done before the last so many launches.
  telling& done_before_last(std::uint64_t launches);
  /// Where the row that was added last has its bounds.
  telling& bounds(std::vector<std::uint64_t> where);

 private:
  template <class T>
  telling& add_numbers(const std::string& label, cell_kind kind, const std::vector<T>& all, std::uint64_t block) {
    if (to_ == nullptr)
      return *this;
    std::vector<std::string> cells;
    cells.reserve(all.size());
    for (const T& number : all)
      cells.push_back(std::to_string(number));
    return add({label, kind, std::move(cells), bounds_of_blocks(all.size(), block)});
  }
  telling& add(row r);

  job* to_; ///< null: nobody reads
  step told_{};
  std::vector<std::string> before_{}; ///< records, byte for byte
  std::uint64_t later_launches_ = 0;
};

/// One run, as the classic sees it. records.hpp turns it into typed arrays and a codec.
class job {
 public:
  job(machine& m, const request& r, const std::map<std::string, unsigned>& parameters, std::vector<step>* steps)
      : on(m), asked(r), parameters_(parameters), steps_(steps) {}

  machine& on;
  const request& asked;
  device_arrays data;  ///< holds the input, and the result when the classic returns
  device_arrays spare; ///< as large; the two may be swapped

  unsigned parameter(std::string_view name) const;

  /// Whether somebody wants to read the steps; titles and arrays for show() may then cost what they like.
  bool shows_steps() const { return steps_ != nullptr; }
  /// A step of several rows.
  telling tell(std::string title) { return {shows_steps() ? this : nullptr, std::move(title)}; }
  /// A step of no row: a remark.
  void show(const std::string& text);
  /// Says what whoever runs the classic should know, whether they read the steps or not: that it fell back to another
  /// sort, how often a kernel launched kernels.
  void note(const std::string& text);
  const std::vector<std::string>& notes() const { return notes_; }
  /// A step of one row: the keys, and values if there are any, of n records.
  void show(const std::string& title, const device_arrays& arrays, std::uint64_t n, std::uint64_t block = 0) {
    tell(title).keys("", arrays, n, block);
  }
  /// Counters, flags, positions.
  template <class T>
  void show(const std::string& title, const std::vector<T>& numbers, std::uint64_t block = 0) {
    tell(title).numbers("", numbers, block);
  }
  template <class T>
  void show(const std::string& title, const device_array<T>& numbers, std::uint64_t block = 0) {
    tell(title).numbers("", numbers, block);
  }

  /// A key as steps write it.
  std::string text_of(const void* key) const;

  /// How many bits of a key steps in base 2 show: those that are sorted by, or those of the largest key.
  unsigned shown_bits = 0;
  /// How they write keys; a classic that changes the keys may write these in another way.
  notation shown = asked.shown;
  /// The task's own way to write a key in base 10; null: a number of its type.
  std::string (*text_of_key)(const void* key) = nullptr;
  /// What travels with the keys is for the moment no value, but a position.
  bool carries_positions = false;

 private:
  friend class telling;
  /// n records, each as its bytes: the key's, then the value's.
  std::vector<std::string> records_of(const device_arrays& arrays, std::uint64_t n) const;
  std::string text_of(const std::string& record) const;
  std::uint64_t launches_so_far() const;

  const std::map<std::string, unsigned>& parameters_;
  std::vector<step>* steps_;
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
  bool changes_keys = false; ///< to other words, and back at the end: pages show its memory in base 16
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
