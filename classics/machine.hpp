// Where a classic runs: the executor, whose device memory is host memory, or a GPU. Allocation, copies, launches' queue
// and the clock are the same for both, so that a classic's host code is written once.
#pragma once

#include "simt/executor/device.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sortile::classics {

class machine;

/// An array in the memory of a machine, which must outlive it. Its contents are unspecified until written (on the
/// executor: a pattern that no algorithm can mistake for its own data).
template <class T>
class device_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  device_array() = default;
  device_array(machine& on, std::size_t size);
  device_array(device_array&& other) noexcept { swap(other); }
  device_array& operator=(device_array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~device_array();

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// All elements, copied to the host after the work queued so far, on the main queue or on another.
  std::vector<T> to_host() const;
  std::vector<T> to_host(const simt::queue& on) const;
  /// One element, likewise: what a host-driven algorithm reads back to decide what comes next.
  T at(std::size_t i) const;
  void clear() const; ///< every byte 0, in the order of the queue

 private:
  void swap(device_array& other) noexcept {
    std::swap(machine_, other.machine_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  machine* machine_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

class machine {
 public:
  /// The executor. No checks: as fast as it can be, on several OS threads.
  explicit machine(const executor::device_options& options);
  /// GPU `number` of those that are usable, counted round where there are fewer, on a stream of its own. What is done
  /// on a machine makes its GPU the current one. \throws engine_unusable where there is none
  static machine cuda(unsigned number = 0);
  machine(machine&&) noexcept;
  ~machine();

  /// The main queue, on which everything goes that is not told otherwise.
  simt::queue queue() const;
  /// Queue i beside the main one, made when it is first asked for. On the GPU a stream: what is put on different queues
  /// runs at the same time where there is room, in no order but that of order(). On the executor a launch ends before
  /// the next begins, whatever its queue. A classic orders the main queue behind its others before it returns.
  simt::queue side_queue(unsigned i);
  /// What `later` is given from now on begins after what `earlier` has been given so far.
  void order(const simt::queue& earlier, const simt::queue& later);
  bool is_executor() const;
  /// Of its GPU: the number that CUDA knows it by; on the executor 0.
  int ordinal() const;
  /// The executor's device: its seed.
  executor::device& executor_device() const;
  /// What kernels did on the executor since the last reset, here and on machines whose counters were taken over.
  executor::counters counted() const;
  void reset_counters();
  /// Adds what `other` counted, which then counts from 0: work that it did for this machine.
  void take_counters_of(machine& other);

  /// Memory aligned to 256 bytes; `bytes` of 0 give null. \throws out_of_memory
  void* allocate(std::size_t bytes);
  void deallocate(void* memory, std::size_t bytes) noexcept;
  void copy_to_device(void* to, const void* host, std::size_t bytes);
  /// Waits for the work queued so far first, and for the copy.
  void copy_to_host(void* to, const void* device, std::size_t bytes) { copy_to_host(to, device, bytes, queue()); }
  void copy_to_host(void* to, const void* device, std::size_t bytes, const simt::queue& on);
  void copy_on_device(void* to, const void* from, std::size_t bytes) { copy_on_device(to, from, bytes, queue()); }
  void copy_on_device(void* to, const void* from, std::size_t bytes, const simt::queue& on);
  /// From the memory of another machine into this one's, on this one's main queue, whatever GPUs they are.
  void copy_from(const machine& other, void* to, const void* from, std::size_t bytes);
  void clear(void* device, std::size_t bytes);
  /// Errors of queued work surface here.
  void synchronize();

  /// Seconds that `work` takes, from an idle machine to the end of what it queued (CUDA events, or the host's clock).
  double seconds(const std::function<void()>& work);

 private:
  struct state;
  explicit machine(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

template <class T>
device_array<T>::device_array(machine& on, std::size_t size)
    : machine_(&on), data_(static_cast<T*>(on.allocate(size * sizeof(T)))), size_(size) {}

template <class T>
device_array<T>::~device_array() {
  if (data_ != nullptr)
    machine_->deallocate(data_, size_ * sizeof(T));
}

template <class T>
std::vector<T> device_array<T>::to_host(const simt::queue& on) const {
  std::vector<T> host(size_);
  if (size_ != 0)
    machine_->copy_to_host(host.data(), data_, size_ * sizeof(T), on);
  return host;
}

template <class T>
std::vector<T> device_array<T>::to_host() const {
  return size_ == 0 ? std::vector<T>() : to_host(machine_->queue());
}

template <class T>
T device_array<T>::at(std::size_t i) const {
  T element;
  machine_->copy_to_host(&element, data_ + i, sizeof(T));
  return element;
}

template <class T>
void device_array<T>::clear() const {
  if (size_ != 0)
    machine_->clear(data_, size_ * sizeof(T));
}

} // namespace sortile::classics
