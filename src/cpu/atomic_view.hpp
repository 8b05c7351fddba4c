// As std::atomic_ref, for integers and pointers: libc++ 16 has none yet.
#pragma once

#include <atomic>
#include <concepts>
#include <type_traits>

namespace sortile::cpu {

/// An integer or a pointer that several threads use, as an atomic one while this view is used.
template <class T>
requires std::integral<T> || std::is_pointer_v<T>
class atomic_view {
 public:
  explicit atomic_view(T& place) : place_(&place) {}

  T load(std::memory_order order) const { return __atomic_load_n(place_, number(order)); }
  void store(T value, std::memory_order order) const { __atomic_store_n(place_, value, number(order)); }
  T fetch_add(T value, std::memory_order order) const { return __atomic_fetch_add(place_, value, number(order)); }
  /// Orders nothing else.
  bool compare_exchange(T& seen, T wanted) const {
    return __atomic_compare_exchange_n(place_, &seen, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  /// What was written before it is seen by who loads `wanted`, and acquires; and so is what `seen` stands for.
  bool publish(T& seen, T wanted) const {
    return __atomic_compare_exchange_n(place_, &seen, wanted, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
  }

 private:
  static constexpr int number(std::memory_order order) {
    return order == std::memory_order_relaxed   ? __ATOMIC_RELAXED
           : order == std::memory_order_acquire ? __ATOMIC_ACQUIRE
           : order == std::memory_order_release ? __ATOMIC_RELEASE
                                                : __ATOMIC_SEQ_CST;
  }

  T* place_;
};

} // namespace sortile::cpu
