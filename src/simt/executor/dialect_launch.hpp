// The dialect on the executor: launches from the host and from kernels.
#pragma once

#include "simt/executor/dialect_memory.hpp"
#include "simt/queue.hpp"

namespace sortile::simt {
inline namespace executor_backend {

namespace detail {
std::string kernel_name(const std::string& pretty_function);
template <class K>
const char* kernel_name_of() {
  static const std::string text = kernel_name(__PRETTY_FUNCTION__);
  return text.c_str();
}

template <class K>
void call_kernel(const void* kernel, void* shared) {
  const auto call = [&](auto&... constants) {
    if constexpr (has_shared<K>)
      (*static_cast<const K*>(kernel))(*static_cast<typename K::shared*>(shared), constants...);
    else
      (*static_cast<const K*>(kernel))(constants...);
  };
  if constexpr (has_constants<K>)
    call(*static_cast<const typename K::constants*>(executor::kernel_constants()));
  else
    call();
}

template <class K>
executor::grid_request request(const launch_config& config, const K& kernel) {
  static_assert(std::is_trivially_copyable_v<K>, "a kernel is copied to the device as bytes");
  static_assert(std::is_trivially_default_constructible_v<shared_storage<K>>, "shared storage is not initialised");
  executor::grid_request r{kernel_name_of<K>(),
                           &kernel,
                           sizeof(K),
                           call_kernel<K>,
                           config,
                           K::block_threads,
                           has_shared<K> ? sizeof(shared_storage<K>) : 0,
                           alignof(shared_storage<K>),
                           traits::needs<K>(),
                           has_constants<K>};
  if (r.config.block == 0)
    r.config.block = K::block_threads;
  return r;
}
} // namespace detail

/// Runs the kernel to its end. Throws simt::error.
template <class K>
void launch(const queue& q, const launch_config& config, const K& kernel) {
  if (!q.is_executor())
    throw error("simt: a kernel compiled for the executor was launched on a CUDA stream");
  q.executor_device().run(detail::request(config, kernel));
}

/// Copies `bytes` to the front of the kernel's constants, of which each executor::device has its own. Throws
/// simt::error.
template <class K>
void set_constants(const queue& q, const void* from, std::size_t bytes) {
  static_assert(has_constants<K>, "the kernel has no `constants` struct");
  static_assert(sizeof(typename K::constants) <= constant_limit, "constant memory has 64 KiB");
  if (!q.is_executor())
    throw error("simt: constants of a kernel compiled for the executor were set on a CUDA stream");
  require_constants_fit(bytes, sizeof(typename K::constants), detail::kernel_name_of<K>());
  std::memcpy(q.executor_device().constants_of(detail::call_kernel<K>, sizeof(typename K::constants)), from, bytes);
}

/// How many blocks of the kernel can be resident at once: the largest cooperative grid.
template <class K>
unsigned resident_blocks(const queue& q, const launch_config& config = {}) {
  const std::size_t shared = (has_shared<K> ? sizeof(shared_storage<K>) : 0) + config.dynamic_shared;
  return q.executor_device().resident_blocks(config.block ? config.block : K::block_threads, shared);
}

/// Whether the queue's device has the features that the kernel needs and the shared storage that it declares.
template <class K>
bool can_run(const queue& q) {
  const bool has_features = traits::needs<K>() == feature::none || q.executor_device().options().architecture >= 90;
  return has_features && (!has_shared<K> || sizeof(shared_storage<K>) <= executor::device::shared_limit);
}

/// From a kernel: a grid that nobody waits for but the end of the launch from the host.
template <class K>
void launch_and_forget(const launch_config& config, const K& kernel, site w = site::current()) {
  executor::launch_child(detail::request(config, kernel), executor::child_order::fire_and_forget, w);
}
/// From a kernel: a grid that starts once this one and what it launched have ended.
template <class K>
void launch_at_end(const launch_config& config, const K& kernel, site w = site::current()) {
  executor::launch_child(detail::request(config, kernel), executor::child_order::tail, w);
}

} // namespace executor_backend
} // namespace sortile::simt
