// What of a call is the CUDA runtime's, and steps that the library's front door does not offer: in a module that has
// the engine for GPUs.
#include "device.hpp"

#include "device/capture_guard.hpp"
#include "device/cuda_error.hpp"
#include "gpu/device_merge.hpp"
#include "gpu/device_select.hpp"
#include "kernels/merge/merge_runs.hpp"
#include "kernels/order/check_order.hpp"
#include "kernels/ranks/spread_nan.hpp"
#include "kernels/select/select_rows.hpp"
#include "kernels/values/move_values.hpp"
#include "primitives/with_word.hpp"

#include <sortile/device_call.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

namespace sortile::python {

const bool has_gpu_engine = true;

device_scope::device_scope(int ordinal) {
  int current = 0;
  SORTILE_CUDA_CHECK(cudaGetDevice(&current));
  if (current == ordinal)
    return;
  SORTILE_CUDA_CHECK(cudaSetDevice(ordinal));
  previous_ = current;
}

device_scope::~device_scope() {
  if (previous_ >= 0)
    static_cast<void>(cudaSetDevice(previous_));
}

// Numbers that the host sees.

namespace {

/// Those that no call has now. They are kept: pinning a page takes longer than most calls.
struct number_store {
  std::mutex lock;
  std::vector<std::uint64_t*> free;

  static number_store& instance() {
    static number_store* const only = new number_store; // not destroyed: the driver may have gone before
    return *only;
  }
};

} // namespace

shared_number::shared_number() {
  number_store& store = number_store::instance();
  const std::lock_guard locked(store.lock);
  if (store.free.empty()) {
    const device::capture_guard relaxed; // another thread may be capturing
    void* page = nullptr;
    SORTILE_CUDA_CHECK(cudaHostAlloc(&page, 4096, cudaHostAllocPortable | cudaHostAllocMapped));
    for (std::size_t i = 0; i < 4096 / 64; ++i) // each in a cache line of its own
      store.free.push_back(static_cast<std::uint64_t*>(page) + i * 8);
  }
  at_ = store.free.back();
  store.free.pop_back();
  *at_ = 0;
}

shared_number::~shared_number() {
  number_store& store = number_store::instance();
  const std::lock_guard locked(store.lock);
  store.free.push_back(at_);
}

std::uint64_t shared_number::wait(std::uintptr_t stream) const {
  using clock = std::chrono::steady_clock;
  const std::atomic_ref<std::uint64_t> number(*at_);
  const auto end =
      clock::now() + std::chrono::microseconds(50); // a short call's; a longer one can as well ask the driver
  do {
    for (int i = 0; i < 64; ++i)
      if (const std::uint64_t now = number.load(std::memory_order_acquire); now != 0)
        return now;
  } while (clock::now() < end);
  return wait_for_all(stream);
}

std::uint64_t shared_number::wait_for_all(std::uintptr_t stream) const {
  wait_for(stream);
  return std::atomic_ref<std::uint64_t>(*at_).load(std::memory_order_acquire);
}

void wait_for(std::uintptr_t stream) {
  const device::capture_guard relaxed;
  SORTILE_CUDA_CHECK(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream)));
}

// Steps of the library.

namespace {

/// Queues step(queue, workspace) with the checks that a call of the library makes.
template <class Step>
void queue_step(const char* operation, std::size_t workspace_bytes, const options& given, const Step& step) {
  options opts = given;
  opts.order = order::ascending; // the step knows its own
  detail::run_on_device({.operation = operation,
                         .workspace_bytes = workspace_bytes,
                         .launch = [](const simt::queue& q, const void* work,
                                      void* space) { (*static_cast<const Step*>(work))(q, space); },
                         .work = &step},
                        opts);
}

/// The same of a step that needs no workspace.
template <class Step>
void queue_step(const char* operation, const options& given, const Step& step) {
  queue_step(operation, 0, given, [&](const simt::queue& q, void*) { step(q); });
}

} // namespace

bool takes_top_k_with_nan_last(const top_k_request& r) {
  constexpr std::size_t longest = std::size_t{1} << 16; // of a single row; a longer one is filtered by all blocks
  return (r.rows != 1 || r.n <= longest) && kernels::select_rows_fits(key_bytes(r.type), r.n, r.k);
}

bool takes_top_k_with_nan_last(const segmented_top_k_request& r) {
  return gpu::device_select::is_one_launch(r);
}

namespace {

/// Of rows, or of the segments that `where` says.
void queue_nan_last(const top_k_request& r, std::size_t rows, const segments& where, const options& opts) {
  queue_step("a selection", opts, [&](const simt::queue& q) {
    with_word(r.type, [&]<class Word>(Word) {
      kernels::select_rows(
          q, kernels::select_rows_request<Word>{.keys = static_cast<const Word*>(r.keys_in),
                                                .rows = rows,
                                                .n = r.n,
                                                .stride = r.n,
                                                .k = r.k,
                                                .codec = make_key_codec<Word>(r.type, order::descending, {}),
                                                .keys_out = static_cast<Word*>(r.keys_out),
                                                .positions_out = r.values_out,
                                                .position_bytes = unsigned(r.value_bytes),
                                                .results = {r.row_k, unsigned(r.row_k_bytes)},
                                                .where = where,
                                                .nan_last = true});
    });
  });
}

} // namespace

bool queue_with_nan_last(const top_k_request& r, const options& opts) {
  if (!takes_top_k_with_nan_last(r))
    return false;
  queue_nan_last(r, r.rows, {}, opts);
  return true;
}

bool queue_with_nan_last(const segmented_top_k_request& r, const options& opts) {
  if (!takes_top_k_with_nan_last(r))
    return false;
  queue_nan_last(r.arrays, r.where.count, r.where, opts);
  return true;
}

bool queue_with_nan_last(const merge_request& r, const options& opts) {
  std::uint64_t n = 0, count = 0;
  for (const sorted_run& one : r.runs) {
    n += one.n;
    count += one.n > 0;
  }
  if (count < 2) { // a copy, in which NaN stays where it is
    run(r, opts);
    return true;
  }
  if (!gpu::device_merge::merges(key_bytes(r.type), n, count, {}))
    return false;
  const auto merge = [&]<class Word>(Word) {
    const auto plan = kernels::list_merge_plan::of(n, count, sizeof(Word), 0);
    queue_step("a merge", plan.bytes, opts, [&](const simt::queue& q, void* workspace) {
      kernels::merge_runs(
          q, kernels::merge_runs_request<Word>{.runs = r.runs,
                                               .codec = make_key_codec<Word>(r.type, order::descending, {}),
                                               .nan_last = true,
                                               .keys_out = static_cast<Word*>(r.keys_out),
                                               .plan = plan,
                                               .workspace = workspace});
    });
  };
  if (key_bytes(r.type) == 4)
    merge(std::uint32_t{});
  else
    merge(std::uint64_t{});
  return true;
}

void queue_order_check(int type, std::size_t rows, std::size_t n, const void* keys, bool flips, std::uint64_t* answer,
                       const options& opts) {
  const auto key = static_cast<key_type>(type);
  queue_step("a check of the order", opts, [&](const simt::queue& q) {
    with_word(key, [&]<class Word>(Word) {
      const auto codec = make_key_codec<Word>(key, opts.order, {});
      kernels::check_order(q, kernels::check_order_request<Word>{.keys = static_cast<const Word*>(keys),
                                                                 .rows = rows,
                                                                 .n = n,
                                                                 .codec = codec,
                                                                 .flips = flips ? codec.sign : Word{0},
                                                                 .answer = answer});
    });
  });
}

bool is_out_of_order(std::uint64_t answer) {
  return answer == kernels::out_of_order;
}

bool answers_always(std::size_t keys) {
  return keys <= kernels::answers_always;
}

void queue_copy(void* to, const void* from, std::size_t bytes, const options& opts) {
  constexpr std::size_t short_copy = std::size_t{1} << 20; // a kernel's begins sooner than the runtime's
  if (bytes > short_copy) {
    SORTILE_CUDA_CHECK(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(opts.stream)));
    return;
  }
  const auto places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
  const std::size_t unit = places % 4 == 0 ? 4 : 1;
  queue_step("a copy", opts, [&](const simt::queue& q) {
    kernels::move_values(q, {.n = bytes / unit, .in = from, .in_bytes = unit, .out = to, .out_bytes = unit});
  });
}

void queue_gather(std::size_t n, const void* from, std::size_t width, void* to, const void* positions,
                  std::size_t position_bytes, const options& opts) {
  queue_step("a gather", opts, [&](const simt::queue& q) {
    kernels::move_values(q, {n, from, width, to, width, positions, unsigned(position_bytes), n});
  });
}

void queue_nan_spread(double* numbers, std::size_t rows, std::size_t count, void* results, std::size_t result_bytes,
                      const options& opts) {
  queue_step("quantiles", opts, [&](const simt::queue& q) {
    kernels::spread_nan(
        q,
        {.numbers = numbers, .rows = rows, .count = count, .results = results, .result_bytes = unsigned(result_bytes)});
  });
}

} // namespace sortile::python
