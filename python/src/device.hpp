// Sorts of arrays in the memory of a GPU, which a framework gives by their addresses.
#pragma once

#include "rows_call.hpp"

#include "numpy.hpp"

#include <sortile/options.hpp>
#include <sortile/select.hpp>

#include <cstdint>
#include <functional>

namespace sortile::python {

/// Whether the module was built with the engine for GPUs.
extern const bool has_gpu_engine;

/// The calling thread's current device is this one as long as the object lives.
class device_scope {
 public:
  explicit device_scope(int ordinal);
  ~device_scope();
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;

 private:
  int previous_ = -1; ///< −1: nothing was changed
};

/// A number, at first 0, in memory that the host and its GPUs reach: what a kernel writes there is seen without a copy.
class shared_number {
 public:
  shared_number();
  ~shared_number();
  shared_number(const shared_number&) = delete;
  shared_number& operator=(const shared_number&) = delete;

  std::uint64_t* address() const { return at_; }
  /// Waits until a kernel of the stream has written another number than 0 there, or all work of the stream is done;
  /// returns what stands there then. \throws what went wrong on the device
  std::uint64_t wait(std::uintptr_t stream) const;
  /// The same once all work of the stream is done: for a kernel that may write nothing.
  std::uint64_t wait_for_all(std::uintptr_t stream) const;

 private:
  std::uint64_t* at_;
};

/// Work that the library's front door does not offer. Each queues it like run() of a request.
/// Of floats, in descending order. False where it cannot, and nothing is queued: takes_top_k_with_nan_last() tells, by
/// n, k, type and rows or segments; merges of few elements, narrow keys and many runs, which are to be sorted.
bool queue_with_nan_last(const top_k_request& request, const options& opts);
bool queue_with_nan_last(const segmented_top_k_request& request, const options& opts);
bool queue_with_nan_last(const merge_request& request, const options& opts);
bool takes_top_k_with_nan_last(const top_k_request& request);
bool takes_top_k_with_nan_last(const segmented_top_k_request& request);
void queue_order_check(int type, std::size_t rows, std::size_t n, const void* keys, bool flips, std::uint64_t* answer,
                       const options& opts);
/// What an answer says, and whether one is written in any case.
bool is_out_of_order(std::uint64_t answer);
bool answers_always(std::size_t keys);
/// Copies within the device's memory.
void queue_copy(void* to, const void* from, std::size_t bytes, const options& opts);
/// Waits until all work of the stream is done. \throws what went wrong on the device
void wait_for(std::uintptr_t stream);
void queue_gather(std::size_t n, const void* from, std::size_t width, void* to, const void* positions,
                  std::size_t position_bytes, const options& opts);
/// Numbers of each row become NaN where its last one is; with `results` they are left, and all but the last of a row go
/// there, as floats of `result_bytes`.
void queue_nan_spread(double* numbers, std::size_t rows, std::size_t count, void* results, std::size_t result_bytes,
                      const options& opts);

/// Calls run(options) without the interpreter's lock, the device `ordinal` being the current one: the options of a call
/// on this stream, with workspace that allocate(bytes) gives.
void queue_on(bool descending, int ordinal, std::uintptr_t stream, nb::handle allocate,
              const std::function<void(const options&)>& run);

/// Queues sorts of rows on a stream. Addresses are numbers; `allocate(bytes)` gives the workspace as a tuple of its
/// address and the object that owns it.
void device_sort(int wanted, int type, std::size_t rows, std::size_t n, std::uintptr_t keys_in, std::uintptr_t keys_out,
                 std::size_t value_bytes, std::uintptr_t values_in, std::uintptr_t values_out, bool descending,
                 int ordinal, std::uintptr_t stream, nb::handle allocate);

/// Queues the same within segments of one row. `begins`, `ends`: addresses of offsets in the device's memory, `count`
/// segments; ends 0: segment i ends where segment i + 1 begins. What lies in no segment is not written; with
/// `copies` it is copied.
void device_segments(int wanted, int type, std::size_t n, std::uintptr_t keys_in, std::uintptr_t keys_out,
                     std::size_t value_bytes, std::uintptr_t values_in, std::uintptr_t values_out,
                     std::uintptr_t begins, std::uintptr_t ends, std::size_t offset_bytes, std::size_t count,
                     bool copies, bool descending, int ordinal, std::uintptr_t stream, nb::handle allocate);

/// Queues the first k keys of each row and their positions. `counts`: the address of unsigned numbers of `count_bytes`
/// in the device's memory, how many of k each row has; 0: all have k. What lies behind a row's results is not written.
/// `flips`: of floats, in descending order, NaN last. False where it cannot do that, of long rows; nothing is queued
/// then.
bool device_top_k(int type, std::size_t rows, std::size_t n, std::size_t k, std::uintptr_t keys,
                  std::uintptr_t keys_out, std::size_t position_bytes, std::uintptr_t positions, std::uintptr_t counts,
                  std::size_t count_bytes, bool descending, bool flips, int ordinal, std::uintptr_t stream,
                  nb::handle allocate);

/// Whether it can.
bool device_takes_nan_last(int type, std::size_t rows, std::size_t n, std::size_t k);

/// The same of segments, as device_segments() takes them.
bool device_segment_top_k(int type, std::size_t n, std::size_t k, std::uintptr_t keys, std::uintptr_t keys_out,
                          std::size_t position_bytes, std::uintptr_t positions, std::uintptr_t begins,
                          std::uintptr_t ends, std::size_t offset_bytes, std::size_t count, std::uintptr_t counts,
                          std::size_t count_bytes, bool descending, bool flips, int ordinal, std::uintptr_t stream,
                          nb::handle allocate);
bool device_segments_take_nan_last(int type, std::size_t n, std::size_t k, std::size_t count);

/// Whether each row is in order; `flips`: of floats, in descending order with NaN last. Waits for the answer.
bool device_is_sorted(int type, std::size_t rows, std::size_t n, std::uintptr_t keys, bool descending, bool flips,
                      int ordinal, std::uintptr_t stream, nb::handle allocate);

/// Queues positions in the order of several columns of n elements: tuples of type, address and whether it descends, the
/// first of which decides.
void device_lexsort(const nb::list& columns, std::size_t n, std::uintptr_t positions, std::size_t position_bytes,
                    int ordinal, std::uintptr_t stream, nb::handle allocate);

/// Queues nth_element of n keys in place.
void device_nth_element(int type, std::size_t n, std::size_t nth, std::uintptr_t keys, int ordinal,
                        std::uintptr_t stream, nb::handle allocate);

/// Queues the groups of n >= 1 equal keys in ascending order. `results`: addresses of a groups_request's outputs of
/// int64, in its order from `first` on, 0 where one is not wanted. Waits for their number, and returns it.
std::size_t device_groups(int type, std::size_t n, std::uintptr_t keys, std::uintptr_t keys_out,
                          const nb::list& results, int ordinal, std::uintptr_t stream, nb::handle allocate);

/// Queues the quantiles of each row, doubles; `method` is a quantile_method. Where the last of a row is NaN, all become
/// NaN: that of 1 is the largest key. With `told`, all but the last of each row are written there instead, as floats of
/// `told_bytes`, 8 or 4.
void device_quantiles(int type, std::size_t rows, std::size_t n, const nb::list& probabilities, int method,
                      std::uintptr_t keys, std::uintptr_t results, std::uintptr_t told, std::size_t told_bytes,
                      int ordinal, std::uintptr_t stream, nb::handle allocate);

/// The same of segments, as device_segments() takes them; nothing is told beside.
void device_segment_quantiles(int type, std::size_t n, const nb::list& probabilities, int method, std::uintptr_t keys,
                              std::uintptr_t results, std::uintptr_t begins, std::uintptr_t ends,
                              std::size_t offset_bytes, std::size_t count, int ordinal, std::uintptr_t stream,
                              nb::handle allocate);

/// Queues the search for the keys at ranks of each row, in ascending order.
void device_ranks(int type, std::size_t rows, std::size_t n, const nb::list& ranks, std::uintptr_t keys,
                  std::uintptr_t keys_out, int ordinal, std::uintptr_t stream, nb::handle allocate);

/// Queues the merge of sorted runs, tuples of address and length. `flips`: of floats, in descending order, NaN last.
/// False where it cannot do that; nothing is queued then.
bool device_merge(int type, const nb::list& runs, std::uintptr_t keys_out, bool descending, bool flips, int ordinal,
                  std::uintptr_t stream, nb::handle allocate);

/// call(*arguments), and the wait until all work of the stream is done, which nothing comes before: where the call
/// raises, what it queued is done too before the error goes on.
nb::object device_done(int ordinal, std::uintptr_t stream, nb::handle call, const nb::args& arguments);

/// The plan of sorts of rows.
nb::object device_explain(int wanted, int type, std::size_t rows, std::size_t n, bool descending);

} // namespace sortile::python
