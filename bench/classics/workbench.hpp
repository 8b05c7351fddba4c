// Where experiments are carried out: contests of sorts on the same keys, on one machine, taking turns, every result of
// every run verified.
//
//   workbench       the machine (a GPU, or the executor), sizes, patience
//     contest       an input: n keys of a workload; contestants are added, then run
//       contestant  a classic with its parameters, the library's sort, CUB, or anything that times itself
//
// Every contestant runs once first. That run warms up; it shows whether the sort works at all, and whether it is too
// slow to be repeated. A wrong result, or any other failure, ends that contestant and is reported; it never becomes a
// time.
#pragma once

#include "bench/classics/gpu.hpp"
#include "bench/classics/results.hpp"
#include "classics/runner.hpp"
#include "testing/race.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sortile::experiments {

struct settings {
  classics::engine engine = classics::engine::cuda; ///< or executor
  bool quick = false;                               ///< small inputs, few runs
  std::uint64_t seed = 1;
  std::function<void(const std::string&)> say = [](const std::string&) {}; ///< told what goes on, a line each
};

class workbench {
 public:
  explicit workbench(const settings& how);

  classics::machine& on() { return on_; }
  classics::machine& host() { return host_; }
  bool on_gpu() const { return !on_.is_executor(); }
  bool quick() const { return how_.quick; }
  std::uint64_t seed() const { return how_.seed; }
  /// With the seconds since the workbench was made in front.
  void say(const std::string& text) const;

  /// The size that an experiment takes in place of `wanted`: less where it is to be quick, least on the executor.
  std::uint64_t size(std::uint64_t wanted) const;
  unsigned repetitions() const { return !on_gpu() ? 1 : how_.quick ? 3 : 7; }
  /// Host memory for outputs on their way to verification; valid until asked for again.
  std::byte* staging(std::size_t bytes);

  /// Host, GPU, versions, measured copy rate: as the results keep them.
  const testing::facts& environment() const { return environment_; }

  /// Contestants that failed so far: their names and why.
  std::vector<std::string> failures;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  settings how_;
  classics::machine on_, host_;
  testing::facts environment_;
  std::shared_ptr<void> staging_;
  std::size_t staging_bytes_ = 0;
};

using parameters = std::map<std::string, unsigned>;

/// Those that an experiment over all of them measures: they take keys of 32 bits, as their rivals do.
std::vector<const classics::classic*> classics_of_32_bits();

/// u32 where the classic takes it; else the first of its types of 32 bits. \throws invalid_argument where there is none
key_type type_for(const classics::classic& c);

/// "radix-bits bits=4"; "radix-floats (f32)" where the keys are no u32.
std::string label(const classics::classic& c, const parameters& given);

/// A sort, scan, … that starts from keys in the contest's device array.
struct device_work {
  std::string name;
  const classics::task* task = &classics::sorting;
  key_type type = key_type::u32;
  bool on_host = false;               ///< of the gallery's host sorts: the arrays are host memory
  std::function<const void*()> queue; ///< queues the work and gives where its result will lie
  std::shared_ptr<std::string> told = std::make_shared<std::string>(); ///< what a classic said of its last run
};

/// The runs of one contestant.
struct standing {
  std::string name;
  std::vector<double> seconds{}; ///< empty where it failed
  std::string note{};            ///< "one run: …", "failed: …", what a classic said of its last run
};

struct patience {
  double run = 1e9;          ///< seconds that a run may take to be repeated
  double all = 1e9;          ///< seconds after which a contestant sits out the rest
  unsigned repetitions = 0;  ///< 0: the workbench's
  bool trial_counts = false; ///< the first run is one of the results: for what takes seconds and needs no warming up
};

class contest {
 public:
  /// `bits`: told to every sort that takes a window; no key may differ from another beyond them.
  contest(workbench& bench, const std::string& workload, std::uint64_t n, bit_window bits = {});
  ~contest();

  const classics::request& asked() const { return asked_; }

  // Work on the contest's arrays, to be added or wrapped.
  device_work work_of(const classics::classic& c, const parameters& given);
  device_work production();
  device_work cub();
  device_work cub_scan();
  device_work thrust(thrust_form form);

  /// Timed from an idle machine with the keys in its memory to the end of the work.
  void add(const device_work& work);
  void add(testing::contender other) { contenders_.push_back(std::move(other)); }

  // For contenders of other kinds.
  const std::vector<std::byte>& keys(const classics::task& task = classics::sorting, key_type type = key_type::u32);
  void* device_keys(const device_work& work); ///< where the work starts from
  /// \throws error where the n keys at `output`, in host memory, are not a right answer to the task
  void verify(const void* output, const classics::task& task = classics::sorting, key_type type = key_type::u32);

  std::vector<standing> run(const patience& how = {});

 private:
  struct side;
  struct question;
  side& side_of(bool on_host);
  question& question_of(const classics::task& task, key_type type);
  void fetch_and_verify(const device_work& work, const void* output);
  bool tried(const testing::contender& c, const patience& how, standing& result);

  workbench& bench_;
  classics::request asked_;
  std::map<std::pair<const classics::task*, key_type>, question> questions_;
  std::unique_ptr<side> device_, host_;
  std::vector<testing::contender> contenders_;
  std::map<std::string, std::shared_ptr<std::string>> told_; ///< by contestant
};

/// The standing as a point: series, runs (to the nanosecond) and note are the standing's, n and workload the contest's.
point point_of(const standing& s, const contest& of);

} // namespace sortile::experiments
