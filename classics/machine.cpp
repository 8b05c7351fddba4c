// See machine.hpp.
#include "classics/machine.hpp"

#include <sortile/device.hpp>
#include <sortile/error.hpp>

#include "simt/executor/observer.hpp"

#include <chrono>
#include <cstring>
#include <map>
#include <new>
#include <string>

#if defined(SORTILE_HAS_CUDA) && SORTILE_HAS_CUDA
#include "device/memory_resource.hpp"
#include "device/stream.hpp"
#endif

namespace sortile::classics {

namespace {

constexpr std::align_val_t alignment{256};

// The executor's memory is the host's. Who watches (simt/executor/observer.hpp) is told what is done to it.
void* allocate_on_executor(std::size_t bytes) {
  void* memory = ::operator new(bytes, alignment);
  std::memset(memory, 0xa5, bytes);
  if (executor::observer* o = executor::watching())
    o->host_allocated(memory, bytes);
  return memory;
}

void free_on_executor(void* memory) noexcept {
  if (executor::observer* o = executor::watching())
    o->host_freed(memory);
  ::operator delete(memory, alignment);
}

void copy_on_executor(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
  if (executor::observer* o = executor::watching()) {
    o->host_read(from, bytes);
    o->host_wrote(to, bytes);
  }
}

void clear_on_executor(void* memory, std::size_t bytes) {
  std::memset(memory, 0, bytes);
  if (executor::observer* o = executor::watching())
    o->host_wrote(memory, bytes);
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

struct machine::state {
  executor::device pretended{};
  executor::counters of_others{};
#if defined(SORTILE_HAS_CUDA) && SORTILE_HAS_CUDA
  int ordinal = 0;
  std::unique_ptr<device::stream> stream{}; ///< null: the executor
  std::vector<device::stream> sides{};
  bool is_executor() const {
    return stream == nullptr;
  }
  /// The handle of the main stream, for work that begins now: kernels go to streams of the current GPU alone.
  cudaStream_t current() const {
    SORTILE_CUDA_CHECK(cudaSetDevice(ordinal));
    return stream->get();
  }
#else
  bool is_executor() const {
    return true;
  }
#endif
};

machine::machine(std::unique_ptr<state> s) : state_(std::move(s)) {}
machine::machine(machine&&) noexcept = default;
machine::~machine() = default;
machine::machine(const executor::device_options& options) : state_(new state{.pretended = executor::device(options)}) {}

bool machine::is_executor() const {
  return state_->is_executor();
}

executor::device& machine::executor_device() const {
  return state_->pretended;
}

executor::counters machine::counted() const {
  executor::counters all = state_->of_others;
  all += state_->pretended.counted();
  return all;
}

void machine::reset_counters() {
  state_->of_others = {};
  state_->pretended.reset_counters();
}

void machine::take_counters_of(machine& other) {
  state_->of_others += other.counted();
  other.reset_counters();
}

#if defined(SORTILE_HAS_CUDA) && SORTILE_HAS_CUDA

machine machine::cuda(unsigned number) {
  const device_list& found = devices();
  std::vector<int> usable;
  for (const device_info& gpu : found.devices)
    if (gpu.why_unusable.empty())
      usable.push_back(gpu.ordinal);
  if (usable.empty())
    throw engine_unusable(
        "classics: no usable GPU: " + (found.devices.empty() ? found.why_none : found.devices.front().why_unusable) +
        " (allowed: --engine executor)");
  auto made = std::make_unique<state>();
  made->ordinal = usable[number % usable.size()];
  SORTILE_CUDA_CHECK(cudaSetDevice(made->ordinal));
  made->stream = std::make_unique<device::stream>();
  return machine(std::move(made));
}

int machine::ordinal() const {
  return state_->ordinal;
}

simt::queue machine::queue() const {
  return is_executor() ? simt::queue::executor(state_->pretended) : simt::queue::cuda(state_->current());
}

simt::queue machine::side_queue(unsigned i) {
  if (is_executor())
    return queue();
  state_->current(); // a stream belongs to the GPU that is current when it is made
  if (i >= state_->sides.size())
    state_->sides.resize(i + 1);
  return simt::queue::cuda(state_->sides[i].get());
}

void machine::order(const simt::queue& earlier, const simt::queue& later) {
  if (is_executor())
    return;
  state_->current(); // the event's, too
  const device::event so_far;
  so_far.record(static_cast<cudaStream_t>(earlier.cuda_stream()));
  so_far.hold_back(static_cast<cudaStream_t>(later.cuda_stream()));
}

void* machine::allocate(std::size_t bytes) {
  if (bytes == 0)
    return nullptr;
  if (!is_executor())
    return device::default_memory_resource().allocate(bytes, state_->current());
  return allocate_on_executor(bytes);
}

void machine::deallocate(void* memory, std::size_t bytes) noexcept {
  if (is_executor())
    free_on_executor(memory);
  else
    device::default_memory_resource().deallocate(memory, bytes, state_->stream->get());
}

void machine::copy_to_device(void* to, const void* host, std::size_t bytes) {
  copy_on_device(to, host, bytes);
  synchronize(); // the host's array may change from now on
}

void machine::copy_to_host(void* to, const void* from, std::size_t bytes, const simt::queue& on) {
  copy_on_device(to, from, bytes, on);
  if (!is_executor())
    SORTILE_CUDA_CHECK(cudaStreamSynchronize(static_cast<cudaStream_t>(on.cuda_stream())));
}

void machine::copy_on_device(void* to, const void* from, std::size_t bytes, const simt::queue& on) {
  if (bytes == 0)
    return;
  if (is_executor())
    copy_on_executor(to, from, bytes);
  else
    SORTILE_CUDA_CHECK(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(on.cuda_stream())));
}

void machine::copy_from(const machine& other, void* to, const void* from, std::size_t bytes) {
  if (is_executor())
    return copy_on_device(to, from, bytes);
  if (bytes != 0) // by way of the host where the GPUs do not reach each other
    SORTILE_CUDA_CHECK(cudaMemcpyPeerAsync(to, ordinal(), from, other.ordinal(), bytes, state_->current()));
}

void machine::clear(void* memory, std::size_t bytes) {
  if (is_executor())
    clear_on_executor(memory, bytes);
  else
    SORTILE_CUDA_CHECK(cudaMemsetAsync(memory, 0, bytes, state_->current()));
}

void machine::synchronize() {
  if (!is_executor())
    state_->stream->synchronize();
}

double machine::seconds(const std::function<void()>& work) {
  if (is_executor())
    return seconds_of(work);
  synchronize();
  const cudaStream_t on = state_->current();
  const device::event start(device::event::timing::on), end(device::event::timing::on);
  start.record(on);
  work();
  end.record(on);
  end.synchronize();
  return double(end.milliseconds_since(start)) / 1000;
}

#else // the executor alone

machine machine::cuda(unsigned) {
  throw engine_unusable("classics: this build has no CUDA side (allowed: --engine executor)");
}

int machine::ordinal() const {
  return 0;
}

simt::queue machine::queue() const {
  return simt::queue::executor(state_->pretended);
}

simt::queue machine::side_queue(unsigned) {
  return queue();
}

void machine::order(const simt::queue&, const simt::queue&) {}

void* machine::allocate(std::size_t bytes) {
  if (bytes == 0)
    return nullptr;
  return allocate_on_executor(bytes);
}

void machine::deallocate(void* memory, std::size_t) noexcept {
  free_on_executor(memory);
}

void machine::copy_to_device(void* to, const void* host, std::size_t bytes) {
  copy_on_device(to, host, bytes);
}

void machine::copy_to_host(void* to, const void* from, std::size_t bytes, const simt::queue& on) {
  copy_on_device(to, from, bytes, on);
}

void machine::copy_on_device(void* to, const void* from, std::size_t bytes, const simt::queue&) {
  if (bytes != 0)
    copy_on_executor(to, from, bytes);
}

void machine::copy_from(const machine&, void* to, const void* from, std::size_t bytes) {
  copy_on_device(to, from, bytes);
}

void machine::clear(void* memory, std::size_t bytes) {
  clear_on_executor(memory, bytes);
}

void machine::synchronize() {}

double machine::seconds(const std::function<void()>& work) {
  return seconds_of(work);
}

#endif

} // namespace sortile::classics
