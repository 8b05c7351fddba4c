// The dialect on the executor: one access of global or of shared memory, by the path that the run's checks ask for.
#pragma once

#include "simt/executor/dialect_threads.hpp"

namespace sortile::simt {
inline namespace executor_backend {

namespace detail {

/// An index with the place where it was written.
struct position {
  template <class I>
  requires std::is_convertible_v<I, std::uint64_t> position(I index, site w = site::current())
      : i(std::uint64_t(std::int64_t(index))), where(w) {}
  std::uint64_t i;
  site where;
};

template <std::size_t Bytes>
using bits_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
constexpr bool atomic_width = sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8;

template <class T>
T atomic_read(const T* p) {
  T out;
  if constexpr (atomic_width<T>) {
    const auto bits = __atomic_load_n(reinterpret_cast<const bits_of<sizeof(T)>*>(p), __ATOMIC_SEQ_CST);
    std::memcpy(&out, &bits, sizeof(T));
  } else {
    executor::wide_lock(p);
    std::memcpy(&out, p, sizeof(T));
    executor::wide_unlock(p);
  }
  return out;
}

template <class T>
void atomic_write(T* p, const T& value) {
  if constexpr (atomic_width<T>) {
    bits_of<sizeof(T)> bits;
    std::memcpy(&bits, &value, sizeof(T));
    __atomic_store_n(reinterpret_cast<bits_of<sizeof(T)>*>(p), bits, __ATOMIC_SEQ_CST);
  } else {
    executor::wide_lock(p);
    std::memcpy(p, &value, sizeof(T));
    executor::wide_unlock(p);
  }
}

template <class T>
bool atomic_swap_if(T* p, T& expected, const T& desired) {
  static_assert(atomic_width<T>);
  bits_of<sizeof(T)> was, to;
  std::memcpy(&was, &expected, sizeof(T));
  std::memcpy(&to, &desired, sizeof(T));
  const bool done = __atomic_compare_exchange_n(reinterpret_cast<bits_of<sizeof(T)>*>(p), &was, to, false,
                                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  std::memcpy(&expected, &was, sizeof(T));
  return done;
}

struct global_space {
  static constexpr const char* name = "global";

  template <class T>
  static std::remove_const_t<T> read(const T* p, site w) {
    if (executor::active_modes & executor::observe_global) [[unlikely]] {
      alignas(T) unsigned char out[sizeof(T)];
      executor::observed_global_load(p, out, sizeof(T), w);
      std::remove_const_t<T> value;
      std::memcpy(&value, out, sizeof(T));
      return value;
    }
    return *p;
  }
  template <class T>
  static void write(T* p, const T& value, site w) {
    if (executor::active_modes & executor::observe_global) [[unlikely]]
      return executor::observed_global_store(p, &value, sizeof(T), w);
    *p = value;
  }
  template <class T, class Order>
  static std::remove_const_t<T> read_ordered(const T* p, Order, site w) {
    executor::polled(w);
    if (executor::active_modes & executor::observe_global)
      return read(p, w);
    return atomic_read(const_cast<std::remove_const_t<T>*>(p));
  }
  template <class T, class Order>
  static void write_ordered(T* p, const T& value, Order, site w) {
    if constexpr (std::is_same_v<Order, relaxed_order>) {
      executor::schedule_point(w);
      if (executor::active_modes & executor::observe_global)
        return executor::observed_global_store(p, &value, sizeof(T), w);
    } else {
      executor::before_global_atomic(p, sizeof(T), true, executor::access::ordered_store, w);
      executor::note_progress();
    }
    atomic_write(p, value);
  }
  template <class T, class Order, class F>
  static T update(T* p, Order, F&& f, site w) {
    constexpr bool releases = std::is_same_v<Order, release_order> || std::is_same_v<Order, acq_rel_order>;
    executor::before_global_atomic(p, sizeof(T), releases, executor::access::atomic, w);
    T old = atomic_read(p), next = f(old);
    while (!atomic_swap_if(p, old, next))
      next = f(old);
    if (std::memcmp(&old, &next, sizeof(T)) != 0)
      executor::note_progress();
    return old;
  }
};

struct shared_space {
  static constexpr const char* name = "shared";
  using access = executor::access;

  static void observe(const void* p, std::size_t size, access kind, site w) {
    if (executor::active_modes & executor::observe_shared) [[unlikely]]
      executor::observe_shared_access(p, size, kind, w);
  }
  template <class T>
  static std::remove_const_t<T> read(const T* p, site w) {
    observe(p, sizeof(T), access::load, w);
    return *p;
  }
  template <class T>
  static void write(T* p, const T& value, site w) {
    observe(p, sizeof(T), access::store, w);
    *p = value;
  }
  template <class T, class Order>
  static std::remove_const_t<T> read_ordered(const T* p, Order, site w) {
    executor::polled(w);
    observe(p, sizeof(T), access::ordered_load, w);
    if constexpr (std::is_same_v<Order, acquire_order>)
      executor::order_shared(p, true, false);
    return *p;
  }
  template <class T, class Order>
  static void write_ordered(T* p, const T& value, Order, site w) {
    executor::schedule_point(w);
    observe(p, sizeof(T), access::ordered_store, w);
    if constexpr (std::is_same_v<Order, release_order>)
      executor::order_shared(p, false, true);
    executor::note_progress();
    *p = value;
  }
  template <class T, class Order, class F>
  static T update(T* p, Order, F&& f, site w) {
    executor::schedule_point(w);
    observe(p, sizeof(T), access::atomic, w);
    constexpr bool both = std::is_same_v<Order, acq_rel_order>;
    if constexpr (!std::is_same_v<Order, relaxed_order>)
      executor::order_shared(p, both || std::is_same_v<Order, acquire_order>,
                             both || std::is_same_v<Order, release_order>);
    const T old = *p, next = f(old);
    if (std::memcmp(&old, &next, sizeof(T)) != 0)
      executor::note_progress();
    *p = next;
    return old;
  }
};
} // namespace detail

} // namespace executor_backend
} // namespace sortile::simt
