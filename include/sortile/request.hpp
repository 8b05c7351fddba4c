// The interface in which types are run-time values: what the templates of sortile.hpp, the C ABI and the command line
// call.
#pragma once

#include <sortile/error.hpp>
#include <sortile/options.hpp>
#include <sortile/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// What travels with the keys.
enum class payload : std::uint8_t {
  none,    ///< keys alone
  values,  ///< values_in → values_out, value_bytes each
  indices, ///< the positions that the keys had, made by the sort, → values_out; value_bytes 4 or 8
};

/// A sort of n keys. Input and output arrays are the same (in place) or do not overlap at all; keys_out may be null
/// with payload::indices (only the order is wanted). Arrays lie where options::memory says, aligned as their type asks;
/// values need no alignment. Without `input_is_scratch` an input that is not also the output is only read.
struct sort_request {
  key_type type = key_type::u32;
  std::size_t n = 0;
  const void* keys_in = nullptr;
  void* keys_out = nullptr;

  payload carries = payload::none;
  std::size_t value_bytes = 0;
  const void* values_in = nullptr;
  void* values_out = nullptr;

  /// Double buffer: the input arrays may be overwritten, which saves workspace, and the result lies where plan::result
  /// says. Not with payload::indices.
  bool input_is_scratch = false;

  /// With memory::device: null, or where in device memory the number of keys lies. It is read when the work is done,
  /// not when it is queued; `n` is its upper bound, what exceeds that is left out, and outputs behind it stay as they
  /// are. Values must have 4, 8 or 16 bytes and be aligned to that.
  const std::uint64_t* device_n = nullptr;

  /// With device_n: null, or a word in device memory, apart from all arrays, where the sort writes what only the device
  /// can see: 0, or 1 where the number at device_n exceeded n.
  std::uint32_t* device_status = nullptr;
};

/// A merge of sorted runs into one, stable: equal keys keep the order of their runs, then their order in the run.
struct sorted_run {
  const void* keys = nullptr;
  const void* values = nullptr; ///< null where no values travel
  std::size_t n = 0;
};
struct merge_request {
  key_type type = key_type::u32;
  std::span<const sorted_run> runs{};
  void* keys_out = nullptr; ///< as many as all runs together; overlaps no run
  std::size_t value_bytes = 0;
  void* values_out = nullptr;
};

/// One key of rows that are ordered by several.
struct column {
  static constexpr std::size_t length_of_the_rows = ~std::size_t{0};

  key_type type = key_type::u32;
  const void* data = nullptr;
  sortile::order order = sortile::order::ascending;
  std::size_t n = length_of_the_rows; ///< keys in it: where said, as by() does, it must be the number of rows
};

/// The order of n rows by columns[0], ties by columns[1], and so on; ties of all keep their input order.
struct rows_request {
  std::size_t n = 0;
  std::span<const column> columns{}; ///< at least one
  void* indices_out = nullptr;       ///< n indices of index_bytes
  std::size_t index_bytes = 8;       ///< 4 or 8
};

/// An array that is rearranged with its rows: as many values as there are rows.
struct row_array {
  void* values = nullptr;
  std::size_t value_bytes = 0;
};

/// Rows held as separate arrays: sorts by the columns as rows_request does, and rearranges all `arrays` in that order,
/// in place. The columns may be among the arrays; the arrays lie apart from each other.
struct sort_rows_request {
  std::size_t n = 0;
  std::span<const column> columns{};   ///< at least one
  std::span<const row_array> arrays{}; ///< none: nothing is moved
};

/// Rearranges n values in place: values[i] becomes what values[indices[i]] was.
struct permute_request {
  std::size_t n = 0;
  const void* indices = nullptr;
  std::size_t index_bytes = 8; ///< 4 or 8
  void* values = nullptr;
  std::size_t value_bytes = 0;
};

/// One step of a plan, as `explain` shows it.
struct plan_step {
  std::string name;             ///< "scan", "partition", "local", …
  std::string detail;           ///< what it does here
  std::uint64_t bytes_read = 0; ///< from main memory, an estimate made from n and the types
  std::uint64_t bytes_written = 0;
};

enum class result_place : std::uint8_t { output, input };

/// How a request will be carried out; made from n and the types, never from the keys.
struct plan {
  std::string engine;
  std::string reason; ///< why this engine
  std::vector<plan_step> steps;
  std::size_t workspace_bytes = 0;
  result_place result = result_place::output; ///< input only where the request says input_is_scratch
};

/// The plan as lines of text.
std::string to_string(const plan& p);

/// \throws unknown_engine, engine_unusable, invalid_argument: as run() would.
plan explain(const sort_request& request, const options& opts = default_options());

/// Bytes of scratch that are enough for run() with this request on this engine. For arrays in device memory also with
/// fewer keys, and wherever the keys lie, as their type allows, and values at multiples of their size (of 4, 8 and 16
/// bytes; others anywhere); so one workspace serves many sorts. Where keys_in is null the arrays need not be there yet:
/// the answer is enough in place and apart. It needs no device: without one it is enough for any.
std::size_t workspace_bytes(const sort_request& request, const options& opts = default_options());

/// Sorts. Stable. O(n · key width) work, O(n) workspace.
/// \return where the result lies (plan::result).
/// \throws invalid_argument  null pointer with n > 0, overlapping arrays, misaligned keys, bit window out of range, a
/// value size
///         of 0, an index type too narrow for n
/// \throws workspace_too_small, unknown_engine, engine_unusable, out_of_memory, cancelled
result_place run(const sort_request& request, const options& opts = default_options());

/// Merges sorted runs; opts.order and opts.bits must be those of the runs, which is not checked: of others the result
/// is unspecified. Stable. O(n log(number of runs)) work. The list of runs is read before the call returns; in device
/// memory the rest is asynchronous, and may be captured in a CUDA graph where options::workspace is given.
/// \throws invalid_argument as a sort, also where an output overlaps a run; workspace_too_small, unknown_engine,
/// engine_unusable, out_of_memory, cancelled, device_failure
void run(const merge_request& request, const options& opts = default_options());

namespace detail {
std::size_t merge_workspace_bytes(const merge_request& request, const options& opts);
plan explain_merge(const merge_request& request, const options& opts);
} // namespace detail

/// Bytes of options::workspace that are enough for run() with this request in device memory: for these lengths of runs,
/// wherever the arrays lie, as their types allow, and values at multiples of their size, unless those given do not.
/// Where keys_out is null no array need be there yet. 0 on the CPU engine, which allocates its own.
template <class = void>
std::size_t workspace_bytes(const merge_request& request, const options& opts = default_options()) {
  return detail::merge_workspace_bytes(request, opts);
}

/// How the request will be carried out; from the lengths of the runs and the types alone.
template <class = void>
plan explain(const merge_request& request, const options& opts = default_options()) {
  return detail::explain_merge(request, opts);
}

/// Orders rows by several keys (opts.order and opts.bits must be left at their defaults: each column has its own).
void run(const rows_request& request, const options& opts = default_options());

/// Sorts rows in place: all arrays are rearranged, or none is. Nothing is moved before all memory is at hand, and the
/// progress callback is told of the sort alone: after out_of_memory or cancelled every array is as it was. O(n)
/// workspace: what ordering the rows takes, then 4 or 8 bytes a row and a copy of the array with the widest values.
void run(const sort_rows_request& request, const options& opts = default_options());

/// After out_of_memory the values are as they were. Reads all indices before it moves a value.
void run(const permute_request& request, const options& opts = default_options());

/// The position of the first key that is smaller (greater, descending) than its predecessor; nothing where all are in
/// order.
std::optional<std::size_t> first_disorder(key_type type, const void* keys, std::size_t n,
                                          const options& opts = default_options());

/// Gives back to the system the scratch memory (at most 1 GiB) that large calls without a workspace of the caller keep
/// from one to the next, and the pinned memory through which arrays of the host go to a GPU and back (64 MiB for each
/// sort that ever ran beside another). Waits for no stream, unless the driver has no pools of host memory (then it
/// waits for the device). May be called at any time, from any thread.
void release_scratch() noexcept;

/// An engine by name, and whether it can be used here.
struct engine_info {
  std::string name;
  std::string description;
  bool usable = false;
  std::string reason; ///< why it cannot be used; empty where it can
};
std::vector<engine_info> engines();

} // namespace sortile
#pragma GCC visibility pop
