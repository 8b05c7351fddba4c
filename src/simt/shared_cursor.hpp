// A place in shared storage that moves: what a loop holds that goes through shared storage element by element.
//
// On the GPU it is an address of 32 bits, so that a step to the next element is one addition, an access needs no other
// instruction than itself, and two places are compared as they are. On the executor it is a view and an index: each
// access is checked and watched as the view's are; a place that is not accessed may lie anywhere.
#pragma once

#include "simt/simt.hpp"

#include <cstdint>

namespace sortile::simt::inline SORTILE_BACKEND {

#if SORTILE_ON_CUDA

template <class T>
class shared_cursor {
 public:
  SORTILE_DEVICE shared_cursor(const shared_view<T>& all, std::uint32_t i)
      : at_(static_cast<std::uint32_t>(__cvta_generic_to_shared(all.data())) + i * step) {}

  SORTILE_DEVICE T load(int k = 0) const { return *pointer(k); }
  SORTILE_DEVICE void store(int k, const T& x) const { *pointer(k) = x; }
  SORTILE_DEVICE shared_cursor plus(int k) const {
    shared_cursor c = *this;
    c.at_ += static_cast<std::uint32_t>(k) * step;
    return c;
  }
  SORTILE_DEVICE bool operator<(const shared_cursor& other) const { return at_ < other.at_; }
  /// Elements from `other` to here, where that lies before.
  SORTILE_DEVICE std::uint32_t operator-(const shared_cursor& other) const { return (at_ - other.at_) / step; }

 private:
  static constexpr std::uint32_t step = sizeof(T);
  SORTILE_DEVICE T* pointer(int k) const {
    return static_cast<T*>(__cvta_shared_to_generic(at_ + static_cast<std::uint32_t>(k) * step));
  }
  std::uint32_t at_;
};

#else

template <class T>
class shared_cursor {
 public:
  shared_cursor(const shared_view<T>& all, std::uint32_t i) : all_(all), at_(i) {}

  T load(int k = 0, site where = site::current()) const { return all_.load({at_ + k, where}); }
  void store(int k, const T& x, site where = site::current()) const { all_.store({at_ + k, where}, x); }
  shared_cursor plus(int k) const {
    shared_cursor c = *this;
    c.at_ += k;
    return c;
  }
  bool operator<(const shared_cursor& other) const { return at_ < other.at_; }
  std::uint32_t operator-(const shared_cursor& other) const { return static_cast<std::uint32_t>(at_ - other.at_); }

 private:
  shared_view<T> all_;
  std::int64_t at_;
};

#endif

} // namespace sortile::simt::inline SORTILE_BACKEND
