// What an engine is to the layers above it, and the registry of those that this program has.
#pragma once

#include "cpu/memory_slots.hpp"

#include <sortile/device.hpp>
#include <sortile/few.hpp>
#include <sortile/groups.hpp>
#include <sortile/request.hpp>
#include <sortile/route.hpp>
#include <sortile/scan.hpp>
#include <sortile/segments.hpp>
#include <sortile/select.hpp>
#include <sortile/struct_request.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sortile {

namespace detail {
struct device_call;
}

/// What a request needs beside itself while it runs: checked and resolved by the front door.
struct execution {
  unsigned threads = 1; ///< CPU threads, at least 1
  /// Exactly what workspace_used() says, aligned to workspace_alignment. Empty for arrays in device memory where the
  /// caller gives none: the engine then allocates it itself.
  std::span<std::byte> workspace{};
  const std::function<bool(double)>* progress = nullptr; ///< null where the caller wants none
};

/// Sorts of structs by their members, and work by kernels of the caller (compare.cuh), of an engine that does them.
class struct_sorter {
 public:
  /// Enough for the request, and for such requests of fewer structs.
  virtual std::size_t workspace_bytes(const struct_request& request, const options& opts) const = 0;
  /// What this very request uses.
  virtual std::size_t workspace_used(const struct_request& request, const options& opts) const = 0;

  /// Carries out a checked request with a workspace of workspace_used(). For arrays in device memory it may be empty:
  /// the engine then allocates one itself.
  virtual void run(const struct_request& request, const options& opts, std::span<std::byte> workspace) const = 0;
  /// The same of work whose kernels are all the caller's; the workspace has device_call::workspace_bytes.
  virtual void run(const detail::device_call& call, const options& opts, std::span<std::byte> workspace) const = 0;

 protected:
  ~struct_sorter() = default;
};

/// What one read of segments in host memory has found; of those in device memory nothing is known.
struct segment_survey {
  std::size_t longest = 0;                ///< elements of the longest segment
  std::size_t elements = 0;               ///< of all segments
  cpu::call_vector<std::size_t> chunks{}; ///< elements of each stretch of `chunk_segments` segments
  std::size_t chunk_segments = 0;
};

/// Sorts within segments, of an engine that does them. Requests are checked.
class segment_sorter {
 public:
  /// Empty where it can do this, else what it lacks.
  virtual std::string_view why_refused(const segmented_request& request, const options& opts) const = 0;

  /// Steps and workspace, whatever the offsets and wherever the arrays lie. plan::result is always the output.
  virtual plan make_plan(const segmented_request& request, const options& opts, unsigned threads) const = 0;
  /// What this very request uses, make_plan().workspace_bytes at most.
  virtual std::size_t workspace_used(const segmented_request& request, const options& opts, unsigned threads,
                                     const segment_survey& found) const = 0;

  /// Carries it out with a workspace of workspace_used(). For arrays in device memory it may be empty: the engine then
  /// allocates one itself.
  virtual void run(const segmented_request& request, const options& opts, const execution& how,
                   const segment_survey& found) const = 0;

 protected:
  ~segment_sorter() = default;
};

/// What the doors of select.hpp ask for.
using selection =
    std::variant<top_k_request, partial_sort_request, nth_element_request, ranks_request, quantiles_request,
                 segmented_top_k_request, segmented_ranks_request, segmented_quantiles_request>;

/// Selections, groups of equal keys, scans, histograms, merges and routings, of an engine made of kernels.
class selector {
 public:
  virtual bool reaches(memory where) const = 0;
  /// Enough for the request, and for such requests of fewer keys, wherever the arrays lie.
  virtual std::size_t workspace_bytes(const selection& wanted, const options& opts) const = 0;
  /// What this very request uses, workspace_bytes() at most.
  virtual std::size_t workspace_used(const selection& wanted, const options& opts) const = 0;
  virtual void add_steps(const selection& wanted, const options& opts, std::vector<plan_step>& steps) const = 0;
  /// Carries out a checked request with a workspace of workspace_used(). For arrays in device memory it may be empty:
  /// the engine then allocates one itself.
  virtual void run(const selection& wanted, const options& opts, std::span<std::byte> workspace) const = 0;

  /// The same of groups; their number goes to request.device_groups, which the kernels reach. There is a key.
  virtual std::size_t workspace_bytes(const groups_request& request, const options& opts) const = 0;
  virtual std::size_t workspace_used(const groups_request& request, const options& opts) const = 0;
  virtual void add_steps(const groups_request& request, const options& opts, std::vector<plan_step>& steps) const = 0;
  virtual void run(const groups_request& request, const options& opts, std::span<std::byte> workspace) const = 0;

  /// The same of scans; and of histograms, which need no workspace.
  virtual std::size_t workspace_bytes(const scan_request& request) const = 0;
  virtual void add_steps(const scan_request& request, std::vector<plan_step>& steps) const = 0;
  virtual void add_steps(const histogram_request& request, std::vector<plan_step>& steps) const = 0;
  virtual void run(const scan_request& request, const options& opts, std::span<std::byte> workspace) const = 0;
  virtual void run(const histogram_request& request, const options& opts) const = 0;

  /// The same of merges.
  virtual std::size_t workspace_bytes(const merge_request& request, const options& opts) const = 0;
  virtual std::size_t workspace_used(const merge_request& request, const options& opts) const = 0;
  virtual void add_steps(const merge_request& request, const options& opts, std::vector<plan_step>& steps) const = 0;
  virtual void run(const merge_request& request, const options& opts, std::span<std::byte> workspace) const = 0;

  /// The same of routings.
  virtual std::size_t workspace_bytes(const route_request& request) const = 0;
  virtual void add_steps(const route_request& request, std::vector<plan_step>& steps) const = 0;
  virtual void run(const route_request& request, const options& opts, std::span<std::byte> workspace) const = 0;

 protected:
  ~selector() = default;
};

/// A production engine or a classic behind one interface. Implementations hold no state between calls.
///
/// Every call asks the engines why they are not to be used. The answers are texts that stay, so that asking allocates
/// nothing.
class engine {
 public:
  virtual ~engine() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view description() const = 0;

  /// Empty where the engine can be used on this machine, else the reason why not.
  virtual std::string_view why_unusable() const = 0;

  /// Empty where the engine can do this (checked) request, else what it lacks.
  virtual std::string_view why_refused(const sort_request& request, const options& opts) const = 0;

  /// Empty where the engine should be used for this request unasked, else why others serve it better.
  virtual std::string_view why_left_aside(const sort_request&, const options&) const { return {}; }

  /// The steps and the workspace for a checked request; from n and the types alone.
  virtual plan make_plan(const sort_request& request, const options& opts, unsigned threads) const = 0;

  /// plan().workspace_bytes alone: enough for the request, and for such requests of fewer keys.
  virtual std::size_t workspace_bytes(const sort_request& request, const options& opts, unsigned threads) const {
    return make_plan(request, opts, threads).workspace_bytes;
  }
  /// What this very request uses, workspace_bytes() at most: what every call asks, also those so short that writing a
  /// plan would cost more than the sort.
  virtual std::size_t workspace_used(const sort_request& request, const options& opts, unsigned threads) const {
    return workspace_bytes(request, opts, threads);
  }

  /// Carries out a checked request. Throws cancelled, out_of_memory, device_failure.
  virtual result_place run(const sort_request& request, const options& opts, const execution& how) const = 0;

  /// Null where the engine sorts no structs.
  virtual const struct_sorter* structs() const { return nullptr; }

  /// Null where the engine sorts nothing within segments.
  virtual const segment_sorter* segments() const { return nullptr; }
  /// Null where the engine selects nothing, or needs no selector to do it (the CPU engine).
  virtual const selector* selects() const { return nullptr; }

  /// The devices that an engine of GPUs finds; null for others.
  virtual const device_list* devices() const { return nullptr; }

  /// Gives back what is kept from one call for the next.
  virtual void release_scratch() const noexcept {}
};

/// All engines that sortile knows, usable or not, in the order of preference. Those that this program does not have
/// stand there with that for a reason.
std::span<const engine* const> all_engines();

/// Whether an engine is chosen to run, or only to say how it would: planning for arrays in device memory needs no
/// device.
enum class purpose { running, planning };

/// The engine for a request: opts.engine, else SORTILE_ENGINE, else the first usable one that neither refuses
/// it nor leaves it to others. \throws unknown_engine, engine_unusable
const engine& choose_engine(const sort_request& request, const options& opts, purpose what);

/// Why this engine was chosen so, in words.
std::string why_chosen(const engine& chosen, const sort_request& request, const options& opts, purpose what);

/// Whether nobody asked for another engine than the CPU engine, by opts.engine or SORTILE_ENGINE.
bool asks_for_no_other_engine(const options& opts);
/// The same; the door of few keys is open only where SORTILE_ENGINE asks for no other.
inline bool allows_cpu_engine(const options& opts) {
  return (opts.engine.empty() && detail::few_door_is_open()) || asks_for_no_other_engine(opts);
}

/// For operations that the CPU engine alone does: refuses another engine asked for by name, and names that do not
/// exist.
void need_cpu_engine(const char* operation, const options& opts);

/// Threads that a request may use: opts.threads, no more of them than can help; else the processors of this process.
unsigned resolve_threads(const options& opts);

} // namespace sortile
